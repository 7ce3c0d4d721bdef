"""Fetch a data set from OpenML or a web address, in a child process that also verifies it."""

import hashlib
import logging
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from experiments.datasets import formats
from experiments.datasets.child import GIB, Limits
from experiments.datasets.columns import Table
from experiments.datasets.dataset import DataError
from experiments.datasets.registry import DatasetInfo, Mat, OpenML
from experiments.datasets.verify import Verified, verify

Result = TypeVar("Result")
MB = 10**6
#: Even a small data set may come with a long description.
LEAST = 16 * MB
#: OpenML's code for a database that is overloaded, which passes.
OVERLOADED = 107
#: Modules that this work needs beside those of the formats.
LIBRARIES = ("openml", "requests", "tqdm", "arff", "scipy.io")


@dataclass(frozen=True)
class Network:
    """OpenML's address, seconds that a server may be silent, attempts, seconds of the first wait.

    Each further wait is twice as long as the one before.
    """

    openml: str = "https://www.openml.org/api/v1/xml"
    timeout: float = 30.0
    attempts: int = 4
    first_wait: float = 1.0


def fetch(
    info: DatasetInfo, source: OpenML | Mat, network: Network, limits: Limits, progress: bool
) -> Verified:
    """Return the verified table of a source.

    Raises
    ------
    DataError
        If no attempt brings the whole file, it is longer than expected, or it is not the data set.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        max_bytes = min(max(LEAST, 2 * expected_bytes(info)), int(limits.max_gib * GIB))
        download = Download(network, max_bytes, progress)
        try:
            if isinstance(source, Mat):
                file = folder / source.url.rsplit("/", 1)[-1]
                download.to_file(source.url, file, source.sha256, "sha256")
                return verify(info, formats.read(file).table(file), source.url)
            return verify(info, *_openml(source.id, folder, download))
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


@dataclass(frozen=True)
class Download:
    """Download files, each with several attempts and at most `max_bytes` long."""

    network: Network
    max_bytes: int
    progress: bool = False

    def to_file(self, url: str, file: Path, digest: str | None, algorithm: str) -> None:
        """Fetch a file, whose digest must be the one that is given.

        Raises
        ------
        DataError
            After the last attempt, or if the answer is too long.
        """

        def attempt() -> None:
            self.answer(url, file).raise_for_status()
            with file.open("rb") as content:
                found = hashlib.file_digest(content, algorithm).hexdigest()
            if digest not in (None, found):
                raise OSError(f"{url} has the {algorithm} {found}, but should have {digest}")

        self.persist(attempt)

    def answer(self, url: str, file: Path):
        """Write the answer of a server to a file, and return it without its content."""
        import requests
        from tqdm import tqdm

        n_bytes = 0
        with (
            requests.get(url, stream=True, timeout=self.network.timeout) as response,
            file.open("wb") as content,
            tqdm(unit="B", unit_scale=True, leave=False, disable=not self.progress) as bar,
        ):
            n_declared = response.headers.get("Content-Length", "")
            bar.total = int(n_declared) if n_declared.isdecimal() else None
            self._check_size(bar.total or 0)
            for chunk in response.iter_content(1 << 16):
                n_bytes += len(chunk)
                self._check_size(n_bytes)
                content.write(chunk)
                bar.update(len(chunk))
        return response

    def _check_size(self, n_bytes: int) -> None:
        if n_bytes > self.max_bytes:
            raise DataError(
                f"the answer is longer than the {self.max_bytes / MB:.3g} MB that it may have, "
                "so it is not this data set"
            )

    def persist(self, action: Callable[[], Result]) -> Result:
        """Return what `action` returns, trying again after an error of the network."""
        wait = self.network.first_wait
        last = ""
        for attempt in range(self.network.attempts):
            if attempt:
                time.sleep(wait * 2 ** (attempt - 1))
            try:
                return action()
            except OSError as error:
                last = f", the last: {' '.join(str(error).split())[:300]}"
        raise DataError(f"{self.network.attempts} attempts{last}")


def _openml(number: int, folder: Path, download: Download) -> tuple[Table, str]:
    """The table with this number, and where it is. Labels stay as they are written.

    The package openml describes the data set. Its own download has no limit of size, and prefers a
    Parquet file without a checksum.
    """
    where = f"OpenML data set {number} at {download.network.openml}"
    described = download.persist(lambda: _described(number, folder / "openml", download.network))
    file = folder / "data.arff"
    download.to_file(described.url, file, described.md5_checksum, "md5")
    row_id = [described.row_id_attribute] if described.row_id_attribute else []
    ignored = [*(described.ignore_attribute or ()), *row_id]
    return formats.read(file).table(file, described.default_target_attribute, ignored), where


def _described(number: int, cache: Path, network: Network):
    """OpenML's description of a data set; an OSError may pass, a DataError will not."""
    import openml
    from openml.exceptions import OpenMLServerException, PyOpenMLError

    # This process is a child that fetches one data set, so the package's settings are its own.
    openml.config.server = network.openml
    openml.config.connection_n_retries = 1
    openml.config.set_root_cache_directory(str(cache))
    logging.getLogger().setLevel(logging.ERROR)  # The package warns of uncompressed answers.
    where = f"{network.openml}/data/{number}"
    try:
        described = openml.datasets.get_dataset(
            number,
            download_data=False,
            download_qualities=False,
            download_features_meta_data=False,
        )
    except OpenMLServerException as error:
        kind = OSError if error.code == OVERLOADED else DataError
        raise kind(f"{where} answered: {error.message}") from error
    except (PyOpenMLError, KeyError, TypeError, ValueError) as error:
        raise OSError(f"{where} answered something else than a description: {error}") from error
    missing = [name for name in ("url", "md5_checksum") if not getattr(described, name)]
    if missing:
        raise OSError(f"{where} answered: no {' and no '.join(missing)}")
    return described


def ternary(X: npt.NDArray) -> npt.NDArray[np.int8]:
    """Discretise each feature: 2 above mean + sd/2, -2 below mean - sd/2, else 0.

    Parameters
    ----------
    X : ndarray (n_samples, n_features)

    Returns
    -------
    ndarray (n_samples, n_features), int8, values in {-2, 0, 2}
    """
    mean, half = X.mean(axis=0), X.std(axis=0, ddof=1) / 2
    above, below = X - (mean + half) > 0, X - (mean - half) < 0
    return 2 * above.astype(np.int8) - 2 * below.astype(np.int8)
