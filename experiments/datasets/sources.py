"""Fetch the table of a data set from OpenML, a web address or scikit-learn."""

import hashlib
import json
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from experiments.datasets import formats
from experiments.datasets.dataset import DataError
from experiments.datasets.formats import Arrays
from experiments.files import atomic_write, write_text

T = TypeVar("T")
#: The interface of OpenML, seconds to wait for the answer of a server, and between attempts.
SERVER = "https://www.openml.org/api/v1/xml"
TIMEOUT = 30.0
WAITS = (0.0, 1.0, 2.0, 4.0)


def attempted(function: Callable[[Path], T]) -> T:
    """Return what a function finds with an empty folder; after an OSError, try again.

    Raises
    ------
    DataError
        If all attempts fail.
    """
    last = ""
    for wait in WAITS:
        time.sleep(wait)
        try:
            with tempfile.TemporaryDirectory() as folder:
                return function(Path(folder))
        except OSError as error:
            last = " ".join(str(error).split())[:300]
    raise DataError(f"{len(WAITS)} attempts, the last: {last}")


def openml(number: int, folder: Path) -> Arrays:
    """Return the table of a data set on OpenML; like all sources, it may raise an OSError."""
    facts, file = _downloaded(number, folder)
    return formats.read(file, facts["target"], facts["ignored"])


def openml_file(number: int, folder: Path) -> tuple[Path, dict[str, Any]]:
    """Return the file of a data set on OpenML and facts about it; they are fetched once.

    Parameters
    ----------
    number : int
        The number of the data set, which has one version.
    folder : Path
        The files openml_NUMBER.arff and .json are kept here.

    Returns
    -------
    file : Path
    facts : dict
        Its "name", "version", "md5", "target" (None if OpenML has none) and "ignored" columns.

    Raises
    ------
    DataError
        If OpenML does not answer, or has no such data set.
    """
    file, about = (folder / f"openml_{number}{suffix}" for suffix in (".arff", ".json"))
    try:
        facts = json.loads(about.read_text("utf-8"))
        if facts["md5"] == hashlib.md5(file.read_bytes()).hexdigest():
            return file, facts
    except (OSError, ValueError, LookupError, TypeError):
        pass  # It is missing or damaged.

    def fetched(place: Path) -> tuple[dict[str, Any], bytes]:
        facts, downloaded = _downloaded(number, place)
        return facts, downloaded.read_bytes()

    facts, content = attempted(fetched)
    with atomic_write(file) as part:
        part.write_bytes(content)
    write_text(about, json.dumps(facts))
    return file, facts


def _downloaded(number: int, folder: Path) -> tuple[dict[str, Any], Path]:
    """Download the file of a data set on OpenML; return the facts of `openml_file`, and the file.

    The openml package does not download it, because it prefers a file without a checksum.
    """
    found, file = _described(number, folder), folder / "data.arff"
    facts = {
        "name": found.name,
        "version": found.version,
        "md5": _download(found.url, file, found.md5_checksum),
        "target": found.default_target_attribute,
        "ignored": [*(found.ignore_attribute or ()), *filter(None, [found.row_id_attribute])],
    }
    return facts, file


def _described(number: int, folder: Path) -> Any:
    """Return OpenML's description of a data set; the request has no time-out, so in a thread."""
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


def _download(url: str, file: Path, md5: str | None = None) -> str:
    """Write the answer of a server to a file, check its MD5, and return it."""
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
    return digest


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
