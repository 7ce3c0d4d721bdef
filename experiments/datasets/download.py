"""Requests that end: a time-out on each, growing waits between attempts, whole files only."""

import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import requests

from experiments.datasets.dataset import DataError

log = logging.getLogger(__name__)
Result = TypeVar("Result")


@dataclass(frozen=True)
class Network:
    """How patient to be: seconds without an answer, attempts, seconds of the first wait.

    Each further wait is twice as long as the one before.
    """

    timeout: float = 30.0
    attempts: int = 4
    first_wait: float = 1.0


NETWORK = Network()


class PermanentError(Exception):
    """A refusal that trying again would not change."""


def persist(action: Callable[[], Result], transient: tuple[type[Exception], ...]) -> Result:
    """Return what `action` returns, trying again after a transient error.

    Raises
    ------
    DataError
        After the last attempt, or at once after a `PermanentError`.
    """
    network = NETWORK
    for attempt in range(1, network.attempts + 1):
        try:
            return action()
        except PermanentError as error:
            raise DataError(_brief(error)) from error
        except transient as error:
            if attempt == network.attempts:
                raise DataError(f"{attempt} attempts, the last: {_brief(error)}") from error
            wait = network.first_wait * 2 ** (attempt - 1)
            log.info("attempt %d failed (%s), the next in %g s", attempt, _brief(error), wait)
            time.sleep(wait)
    raise DataError("not tried: the number of attempts is 0")


class Session(requests.Session):
    """A session of `requests` in which every request has a time-out and may show its progress."""

    progress = False

    def request(self, method: str, url: str, *args: Any, **kwargs: Any):  # type: ignore[override]
        """Send a request; the body is read in chunks when it is first asked for."""
        kwargs["timeout"] = NETWORK.timeout
        kwargs["stream"] = True
        response = super().request(method, url, *args, **kwargs)
        if "charset" not in response.headers.get("Content-Type", ""):
            # Instead of Latin-1, or of a guess from all 120 MB of MNIST.
            response.encoding = "utf-8"
        if self.progress:
            read = response.iter_content
            response.iter_content = lambda *a, **k: _bar(read(*a, **k), response)  # type: ignore[method-assign]
        return response


def download(url: str, folder: Path, *, sha256: str | None = None, progress: bool = False) -> Path:
    """Fetch one file into `folder`, where it is not yet, through pooch and return its path.

    Parameters
    ----------
    url : str
    folder : Path
    sha256 : str, optional
        What the file must hash to, where that is known; what it did is logged.
    progress : bool
        Whether to show a bar.

    Raises
    ------
    DataError
        If no attempt brought the whole file.
    """
    import pooch

    pooch.get_logger().setLevel(logging.ERROR)
    downloader = pooch.HTTPDownloader(progressbar=progress, timeout=NETWORK.timeout)

    def attempt() -> Path:
        try:
            file = pooch.retrieve(
                url, sha256, fname=url.rsplit("/", 1)[-1], path=folder, downloader=downloader
            )
        except requests.HTTPError as error:
            answer = error.response
            code = 0 if answer is None else answer.status_code
            if answer is not None and 400 <= code < 500 and code not in (408, 429):
                raise PermanentError(f"{url} answered {code} {answer.reason}") from error
            raise
        log.info("%s has SHA-256 %s", url, pooch.file_hash(file))
        return Path(file)

    # A wrong hash is a ValueError there: the transfer may have been damaged, or the file changed.
    return persist(attempt, (requests.RequestException, ValueError))


def _bar(chunks: Iterable[bytes], response: requests.Response) -> Iterator[bytes]:
    from tqdm import tqdm

    length = response.headers.get("Content-Length")
    total = int(length) if length and "Content-Encoding" not in response.headers else None
    with tqdm(total=total, unit="B", unit_scale=True, leave=False) as bar:
        for chunk in chunks:
            bar.update(len(chunk))
            yield chunk


def _brief(error: BaseException) -> str:
    """The cause in a line, without the names of the connection's objects around it."""
    cause = getattr(error.args[0] if error.args else None, "reason", None) or error
    text = re.sub(r"HTTPS?Connection(Pool)?\([^)]*\): ", "", " ".join(str(cause).split()))
    return (text if len(text) <= 200 else f"{text[:200]}...").rstrip(".") or type(cause).__name__
