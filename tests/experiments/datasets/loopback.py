"""An OpenML server on the loopback device: it serves what a test gives it, and fails on request."""

import contextlib
import hashlib
import threading
import time
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

HANG = 3.0  # longer than any time-out in these tests
OML = 'xmlns:oml="http://openml.org/openml"'


def dense_arff(X, labels, names=None) -> bytes:
    """ARFF as OpenML stores most data sets: numeric attributes, a nominal class at the end."""
    rows = zip(X.tolist(), labels, strict=True)
    return _arff(X, labels, (f"{','.join(map(repr, row))},{label}" for row, label in rows), names)


def sparse_arff(X, labels) -> bytes:
    """ARFF as OpenML stores gisette: zeros, and the first of the labels, are left out."""
    lines = []
    for row, label in zip(X, labels, strict=True):
        cells = [f"{column} {row[column]}" for column in np.flatnonzero(row)]
        cells += [f"{len(row)} {label}"] if label != min(labels) else []
        lines.append(f"{{{', '.join(cells)}}}")
    return _arff(X, labels, lines)


def _arff(X, labels, rows: Iterable[str], names=None) -> bytes:
    names = names or [f"V{column + 1}" for column in range(X.shape[1])]
    head = ["% made for a test", "@RELATION data", ""]
    head += [f"@ATTRIBUTE '{name}' REAL" for name in names]
    head += [f"@ATTRIBUTE 'Class' {{{','.join(map(str, sorted(set(labels))))}}}", "", "@DATA"]
    return "\n".join([*head, *rows, ""]).encode()


class LoopbackServer:
    """Serves data sets by number and files by path; `faults` are used up one request each.

    A fault is ``(part of the path, kind)``; the kinds are methods of the handler.
    """

    def __init__(self) -> None:
        self.bodies: dict[str, bytes] = {}
        self.faults: list[tuple[str, str]] = []
        self.requests: list[str] = []
        self.closed = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.api = f"{self.address}/api/v1/xml"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self.closed.set()
        self._server.shutdown()
        self._server.server_close()

    def serve(self, number: int, arff: bytes, *, kind: str = "ARFF", extra: str = "") -> None:
        """Offer a data set as OpenML does: a description, and the ARFF that it points to."""
        where = f"/data/v1/download/{number}/data.arff"
        self.bodies[where] = arff
        # The Parquet address leads nowhere: nobody should ask for it.
        self.bodies[f"/api/v1/xml/data/{number}"] = (
            f"<oml:data_set_description {OML}><oml:id>{number}</oml:id>"
            f"<oml:name>data</oml:name><oml:version>1</oml:version>"
            f"<oml:description>Made for a test</oml:description><oml:format>{kind}</oml:format>"
            f"<oml:licence>Public</oml:licence><oml:url>{self.address}{where}</oml:url>"
            f"<oml:parquet_url>{self.address}/datasets/{number}.pq</oml:parquet_url>"
            f"<oml:default_target_attribute>Class</oml:default_target_attribute>{extra}"
            f"<oml:status>active</oml:status>"
            f"<oml:md5_checksum>{hashlib.md5(arff).hexdigest()}</oml:md5_checksum>"
            f"</oml:data_set_description>"
        ).encode()

    def fault(self, path: str) -> str | None:
        for fault in self.faults:
            if fault[0] in path:
                self.faults.remove(fault)
                return fault[1]
        return None


def _handler(owner: LoopbackServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def do_GET(self) -> None:
            path = self.path.split("?")[0]
            owner.requests.append(path)
            if fault := owner.fault(path):
                getattr(self, fault)(owner.bodies[path])
            elif path in owner.bodies:
                self.answer(200, owner.bodies[path])
            else:
                text = "<oml:code>111</oml:code><oml:message>Unknown dataset</oml:message>"
                self.answer(412, f"<oml:error {OML}>{text}</oml:error>".encode())

        def answer(self, status: int, body: bytes, length: int | None = None) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "text/xml")
            if length != 0:
                self.send_header("Content-Length", str(length or len(body)))
            self.end_headers()
            self.wfile.write(body)

        def broken(self, body: bytes) -> None:
            self.answer(500, b"<html><h1>Internal Server Error<br></html>")

        def altered(self, body: bytes) -> None:
            middle = len(body) // 2
            self.answer(200, body[:middle] + bytes([body[middle] ^ 1]) + body[middle + 1 :])

        def truncated(self, body: bytes) -> None:
            self.answer(200, body[: len(body) // 2], len(body))

        def hanging(self, body: bytes) -> None:
            time.sleep(HANG)

        def endless(self, body: bytes) -> None:
            """Never stop sending, and do not say how much is to come."""
            self.answer(200, b"", 0)
            while not owner.closed.wait(0.001):
                self.wfile.write(bytes(1 << 16))

        def handle(self) -> None:
            with contextlib.suppress(ConnectionError):  # the client has had enough
                super().handle()

        def finish(self) -> None:
            with contextlib.suppress(ConnectionError):
                super().finish()

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler
