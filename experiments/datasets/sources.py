"""Fetch the table of a data set from OpenML, a web address or scikit-learn."""

import hashlib
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from experiments.datasets import formats
from experiments.datasets.dataset import DataError
from experiments.datasets.formats import Arrays

#: The interface of OpenML, seconds to wait for the answer of a server, and between attempts.
SERVER = "https://www.openml.org/api/v1/xml"
TIMEOUT = 30.0
WAITS = (0.0, 1.0, 2.0, 4.0)


def fetch(kind: str, what: Any) -> Arrays:
    """Return the table of a source; after an error of the network, try again.

    Parameters
    ----------
    kind, what : str and object
        A source of `experiments.datasets.registry.DatasetInfo`, except "ternary".

    Raises
    ------
    DataError
        If all attempts fail, or the file is damaged.
    """
    last = ""
    for wait in WAITS:
        time.sleep(wait)
        try:
            with tempfile.TemporaryDirectory() as folder:
                return SOURCES[kind](what, Path(folder))
        except OSError as error:
            last = " ".join(str(error).split())[:300]
    raise DataError(f"{len(WAITS)} attempts, the last: {last}")


def openml(number: int, folder: Path) -> Arrays:
    """Return the table of a data set on OpenML; like all sources, it may raise an OSError."""
    described, file = _described(number, folder), folder / "data.arff"
    _download(described.url, file, described.md5_checksum)
    ignored = [*(described.ignore_attribute or ()), described.row_id_attribute]
    return formats.read(file, described.default_target_attribute, ignored)


def _described(number: int, folder: Path) -> Any:
    """Return OpenML's description of a data set.

    The data are not downloaded by the openml package, because it prefers a file without a
    checksum. Its request has no time-out, so it runs in another thread.
    """
    import openml

    openml.config.server = SERVER
    openml.config.connection_n_retries = 1
    openml.config.set_root_cache_directory(str(folder / "openml"))
    parts = ("download_data", "download_qualities", "download_features_meta_data")
    none: Any = dict.fromkeys(parts, False)
    pool = ThreadPoolExecutor(1)
    try:
        asked = pool.submit(openml.datasets.get_dataset, number, **none)
        return asked.result(TIMEOUT)
    except Exception as error:  # No answer in time, or not a description.
        raise OSError(f"{SERVER} has no data set {number}: {error!r}") from error
    finally:
        pool.shutdown(wait=False)


def mat(url: str, folder: Path) -> Arrays:
    """Return the table of a MATLAB file at a web address."""
    file = folder / "data.mat"
    _download(url, file)
    return formats.read(file)


def _download(url: str, file: Path, md5: str | None = None) -> None:
    """Write the answer of a server to a file, and check its MD5."""
    import requests
    from tqdm import tqdm

    with (
        requests.get(url, stream=True, timeout=TIMEOUT) as response,
        file.open("wb+") as content,
        tqdm(unit="B", unit_scale=True, leave=False, disable=None) as bar,
    ):
        response.raise_for_status()
        for chunk in response.iter_content(1 << 16):
            bar.update(content.write(chunk))
        content.seek(0)
        digest = hashlib.file_digest(content, "md5").hexdigest()
    if md5 not in (None, digest):
        raise OSError(f"{url} has the md5 {digest}, expected {md5}")


def scikit_learn(loader: str, *_: Any) -> Arrays:
    """Return a data set that is part of scikit-learn."""
    from sklearn import datasets  # Importing it is slow.

    X, y = getattr(datasets, loader)(return_X_y=True)
    return Arrays(X, y, None)


#: Kind of source -> its function. Ternary data sets are made from others in `loading`.
SOURCES: dict[str, Callable[[Any, Path], Arrays]] = {
    "openml": openml,
    "mat": mat,
    "scikit_learn": scikit_learn,
}
