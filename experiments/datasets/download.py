"""Downloads that end: limits on time and size, growing waits between attempts, whole files only.

A limit on the silence of a server is not enough: one that sends a byte a second is never silent.
So a `Transfer` ends its connections when its time is over, whatever they are doing.
"""

import contextlib
import logging
import re
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import requests

from experiments.datasets.dataset import DataError
from experiments.datasets.limits import GIB, LIMITS, Limits

log = logging.getLogger(__name__)
Result = TypeVar("Result")
MB = 10**6
#: An answer may be this long in bytes where nobody knows how long it should be.
UNEXPECTED = 256 * MB
#: Even a small data set may come with a long description.
LEAST = 16 * MB


@dataclass(frozen=True)
class Network:
    """Seconds that a server may be silent, number of attempts, seconds of the first wait.

    Each further wait is twice as long as the one before.
    """

    timeout: float = 30.0
    attempts: int = 4
    first_wait: float = 1.0


NETWORK = Network()


class PermanentError(Exception):
    """A refusal that trying again would not change."""


class Transfer:
    """One download with all its attempts: when it must have ended, and how long it may be.

    Parameters
    ----------
    limits : Limits
        Its timeout holds for all attempts and waits together, its memory for one answer.
    expected : int, optional
        Bytes that the answer should have. Twice as many are accepted.
    """

    def __init__(self, limits: Limits = LIMITS, expected: int | None = None) -> None:
        self.seconds = limits.timeout
        size = UNEXPECTED if expected is None else max(LEAST, 2 * expected)
        self.max_bytes = int(min(size, limits.max_gib * GIB))
        self._end = time.monotonic() + self.seconds
        self._sockets: list[socket.socket] = []
        self._timer = threading.Timer(self.seconds, self._cut)
        self._timer.daemon = True

    def __enter__(self) -> "Transfer":
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        for connection in self._sockets:
            connection.close()

    @property
    def left(self) -> float:
        """Seconds until its end."""
        return self._end - time.monotonic()

    def check_time(self) -> None:
        """Raise a PermanentError if its time is over."""
        if self.left <= 0:
            raise PermanentError(
                f"it was not complete after data.timeout={self.seconds:g} seconds; "
                "set data.timeout higher for a slow connection"
            )

    def check_size(self, n_bytes: int) -> None:
        """Raise a PermanentError if an answer is longer than expected."""
        if n_bytes > self.max_bytes:
            raise PermanentError(
                f"the answer is longer than the {self.max_bytes / MB:.3g} MB that it may have, "
                "so it is not this data set"
            )

    def watch(self, connection: socket.socket) -> None:
        """End this connection at the end of the transfer, if it is still open then.

        A duplicate is kept, because encryption takes the socket itself away.
        """
        self._sockets.append(connection.dup())
        if self.left <= 0:
            self._cut()

    def _cut(self) -> None:
        for connection in self._sockets:
            with contextlib.suppress(OSError):  # it has been closed already
                connection.shutdown(socket.SHUT_RDWR)

    def bounded(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the chunks of an answer as long as it keeps to the limits."""
        n_bytes = 0
        for chunk in chunks:
            n_bytes += len(chunk)
            self.check_size(n_bytes)
            self.check_time()
            yield chunk
        self.check_time()  # a connection that was ended looks like the end of the answer


def persist(
    action: Callable[[], Result], transient: tuple[type[Exception], ...], transfer: Transfer
) -> Result:
    """Return what `action` returns, trying again after a transient error.

    Raises
    ------
    DataError
        After the last attempt, at the end of the transfer, or at once after a `PermanentError`.
    """
    network = NETWORK
    for attempt in range(1, network.attempts + 1):
        try:
            try:
                return action()
            except transient as error:
                transfer.check_time()
                if attempt == network.attempts:
                    raise DataError(f"{attempt} attempts, the last: {_brief(error)}") from error
                wait = network.first_wait * 2 ** (attempt - 1)
                log.info("attempt %d failed (%s), the next in %g s", attempt, _brief(error), wait)
                time.sleep(min(wait, max(0.0, transfer.left)))
                transfer.check_time()
        except PermanentError as error:
            raise DataError(_brief(error)) from error
    raise DataError("not tried: the number of attempts is 0")


class Adapter(requests.adapters.HTTPAdapter):
    """Sends requests within the limits of a transfer; redirections are requests of their own."""

    def __init__(self, transfer: Transfer, progress: bool) -> None:
        self.transfer, self.progress = transfer, progress
        super().__init__()

    def get_connection_with_tls_context(self, *args: Any, **kwargs: Any) -> Any:
        """Return a pool of connections that the transfer watches from their first byte on."""
        pool = super().get_connection_with_tls_context(*args, **kwargs)
        transfer = self.transfer

        class Watched(pool.ConnectionCls):  # type: ignore[name-defined]
            def _new_conn(self) -> socket.socket:
                connection = super()._new_conn()
                transfer.watch(connection)
                return connection

        pool.ConnectionCls = Watched
        return pool

    def send(self, request, *args: Any, **kwargs: Any) -> requests.Response:  # type: ignore[override]
        """Send a request; the body is read in chunks when it is first asked for."""
        self.transfer.check_time()
        kwargs |= {"stream": True, "timeout": min(NETWORK.timeout, self.transfer.left)}
        response = super().send(request, *args, **kwargs)
        declared = response.headers.get("Content-Length", "")
        try:
            self.transfer.check_size(int(declared) if declared.isdecimal() else 0)
            if "," in response.headers.get("Content-Encoding", ""):
                raise PermanentError("the answer is compressed more than once")
        except PermanentError:
            response.close()
            raise
        read = response.iter_content

        def chunks(*args: Any, **kwargs: Any) -> Iterator[bytes]:
            found = self.transfer.bounded(read(*args, **kwargs))
            return _bar(found, response) if self.progress else found

        response.iter_content = chunks  # type: ignore[method-assign]
        return response


class Session(requests.Session):
    """A session of `requests` within the limits of a transfer."""

    def __init__(self, transfer: Transfer, progress: bool = False) -> None:
        super().__init__()
        for scheme in ("http://", "https://"):
            self.mount(scheme, Adapter(transfer, progress))

    def request(self, method: str, url: str, *args: Any, **kwargs: Any):  # type: ignore[override]
        """Send a request; text is UTF-8 where the server does not say otherwise."""
        response = super().request(method, url, *args, **kwargs | {"stream": True})
        if "charset" not in response.headers.get("Content-Type", ""):
            # Instead of Latin-1, or of a guess from all 120 MB of MNIST.
            response.encoding = "utf-8"
        return response


def download(
    url: str,
    folder: Path,
    *,
    sha256: str | None = None,
    limits: Limits = LIMITS,
    expected: int | None = None,
    progress: bool = False,
) -> Path:
    """Fetch one file into `folder` through pooch, unless it is there, and return its path.

    Parameters
    ----------
    url : str
    folder : Path
    sha256 : str, optional
        The hash that the file must have, where that is known. The one that it has is logged.
    limits : Limits
        How long it may take.
    expected : int, optional
        How many bytes it should have; see `Transfer`.
    progress : bool
        Whether to show a bar.

    Raises
    ------
    DataError
        If no attempt brought the whole file within the limits.
    """
    import pooch

    pooch.get_logger().setLevel(logging.ERROR)
    with Transfer(limits, expected) as transfer, Session(transfer, progress) as session:

        def fetch(url: str, path: str, _: object) -> None:
            response = session.get(url)
            code = response.status_code
            if 400 <= code < 500 and code not in (408, 429):
                raise PermanentError(f"{url} answered {code} {response.reason}")
            response.raise_for_status()
            with Path(path).open("wb") as file:
                for chunk in response.iter_content(1 << 16):
                    file.write(chunk)

        def attempt() -> Path:
            name = url.rsplit("/", 1)[-1]
            file = pooch.retrieve(url, sha256, fname=name, path=folder, downloader=fetch)
            log.info("%s has SHA-256 %s", url, pooch.file_hash(file))
            return Path(file)

        # A wrong hash is a ValueError there: the transfer was damaged, or the file changed.
        return persist(attempt, (requests.RequestException, ValueError), transfer)


def _bar(chunks: Iterable[bytes], response: requests.Response) -> Iterator[bytes]:
    from tqdm import tqdm

    length = response.headers.get("Content-Length")
    total = int(length) if length and "Content-Encoding" not in response.headers else None
    with tqdm(total=total, unit="B", unit_scale=True, leave=False) as bar:
        for chunk in chunks:
            bar.update(len(chunk))
            yield chunk


def _brief(error: BaseException) -> str:
    """Return the cause in a line, without the names of the objects around it."""
    cause = getattr(error.args[0] if error.args else None, "reason", None) or error
    text = re.sub(r"HTTPS?Connection(Pool)?\([^)]*\): ", "", " ".join(str(cause).split()))
    return (text if len(text) <= 200 else f"{text[:200]}...").rstrip(".") or type(cause).__name__
