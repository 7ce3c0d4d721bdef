"""OpenML and MATLAB files from a server and a folder; the error if no source is left."""

import dataclasses
import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import arff
import numpy as np
import pytest
import scipy.io

from experiments.datasets import DataError, load, loading, sources
from experiments.datasets.fingerprint import canonical_order
from experiments.datasets.registry import REGISTRY
from experiments.report.stored import provenance_of
from tests.experiments.conftest import results, words

MADELON = 1485
OML = 'xmlns:oml="http://openml.org/openml"'
UNKNOWN = "<oml:code>111</oml:code><oml:message>Unknown dataset</oml:message></oml:error>"
X = np.random.default_rng(0).integers(0, 1000, size=(400, 5))
Y, NAMES = np.arange(400) % 2, tuple(f"größe {column}" for column in range(5))


class Handler(BaseHTTPRequestHandler):
    """It serves `bodies` by their paths.

    A fault is ``(part of a path, kind)`` and is used up by one request.
    """

    server: Any

    def do_GET(self) -> None:
        server, path = self.server, self.path.split("?")[0]
        server.requests.append(path)
        fault = next((fault for fault in server.faults if fault[0] in path), ())
        if fault:
            server.faults.remove(fault)
        if "hanging" in fault:
            server.closed.wait(3)
            return
        self.send_response(200 if path in server.bodies else 412)
        self.send_header("Content-Type", "text/xml")
        self.end_headers()
        body = server.bodies.get(path, f"<oml:error {OML}>{UNKNOWN}".encode())
        self.wfile.write(body.replace(b"1", b"2") if "altered" in fault else body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch, tmp_path):
    """A server in the place of OpenML's, and an empty cache; two attempts of half a second each."""
    running: Any = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.daemon_threads, running.closed = True, threading.Event()
    running.bodies, running.faults, running.requests = {}, [], []
    running.address = f"http://127.0.0.1:{running.server_address[1]}"
    threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True).start()
    for name, value in (("SERVER", f"{running.address}/xml"), ("TIMEOUT", 0.5), ("WAITS", (0, 0))):
        monkeypatch.setattr(sources, name, value)
    monkeypatch.delenv("MANIFEST_DATA", raising=False)
    monkeypatch.setenv("MANIFEST_CACHE", str(tmp_path / "cache"))
    yield running
    running.closed.set()
    running.shutdown()
    running.server_close()


def registered(monkeypatch, name: str, **changes) -> None:
    """Let the registry know this data set alone, with other facts."""
    facts: dict[str, Any] = {"shape": X.shape, "counts": {"-1": 200, "+1": 200}}
    facts |= {"fingerprint": canonical_order(X, Y)[1], "value_range": (0.0, 999.0), **changes}
    monkeypatch.setattr(loading, "REGISTRY", {name: dataclasses.replace(REGISTRY[name], **facts)})


@pytest.fixture
def small(server, monkeypatch):
    """A few rows and columns that the registry and the server now call madelon.

    OpenML says that two other columns are no features, has classes 1 and 2, and a Parquet address
    that leads nowhere: nobody should ask for it.
    """
    registered(monkeypatch, "madelon")
    attributes = [*((name, "REAL") for name in ("row", "other", *NAMES)), ("Class", ["1", "2"])]
    data = [[i, i, *row, str(label + 1)] for i, (*row, label) in enumerate(np.c_[X, Y].tolist())]
    content = arff.dumps({"relation": "data", "attributes": attributes, "data": data}).encode()
    where = f"/data/v1/download/{MADELON}/data.arff"
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
    server.bodies = {where: content, f"/xml/data/{MADELON}": text.encode()}


@pytest.mark.usefixtures("small")
def test_openml_and_the_folder_give_identical_arrays(server, tmp_path, monkeypatch, caplog):
    rows = np.random.default_rng(1).permutation(len(X))
    np.savez(tmp_path / "madelon.npz", X=X[rows], y=2 * Y[rows] - 1)
    fetched = load("madelon", cache=tmp_path / "a")
    read = load("madelon", home=tmp_path, cache=tmp_path / "b")
    assert fetched.verified
    assert fetched.feature_names == NAMES
    assert fetched.X.dtype == read.X.dtype
    assert np.array_equal(np.c_[fetched.X, fetched.y], np.c_[read.X, read.y])
    assert not any(".pq" in path for path in server.requests)
    assert fetched.fingerprint not in caplog.text
    registered(monkeypatch, "madelon", fingerprint=None)
    assert not load("madelon", home=tmp_path, cache=tmp_path / "c").verified
    assert fetched.fingerprint in caplog.text


@pytest.mark.slow
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("fault", [("/xml/", "hanging"), ("arff", "altered"), ("arff", "hanging")])
def test_a_fault_is_survived_if_it_passes_and_else_leaves_nothing(server, tmp_path, fault):
    server.faults = [fault] * 2
    with pytest.raises(DataError, match=r"openml 1485 \(2 attempts.*madelon\.npz") as caught:
        load("madelon", cache=tmp_path)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
    server.faults = [fault]
    assert load("madelon", cache=tmp_path).verified


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
    found = tuple(("mat", f"{server.address}{path}") for path in paths)
    registered(monkeypatch, "prostate_ge", sources=found)
    assert load("prostate_ge", cache=tmp_path / "a").verified
    assert server.requests == paths
    assert f"{server.address}{one}" in caplog.text
    server.bodies.clear()
    with pytest.raises(DataError, match=r"/one/.*/two/.*prostate_ge\.npz.*data\.home"):
        load("prostate_ge", cache=tmp_path / "b")


OPENML = words(f"dataset=openml dataset.id={MADELON} dataset.scaling=none method=anova")
FEW = words("""experiment=colon profile=smoke protocol.sizes=[1,2] protocol.n_repetitions=2
dataset.max_samples=null protocol.inner_folds=2 protocol.log2_C=[0] protocol.log2_gamma=[-3]
draw=false""")


@pytest.mark.usefixtures("small")
def test_any_data_set_of_openml_runs_and_its_version_and_checksum_are_recorded(
    run, server, tmp_path
):
    one, _ = run(*FEW, *OPENML)
    record = provenance_of(one)
    wanted = record["config"]["dataset"]
    assert (wanted["version"], wanted["target"]) == (1, "Class")
    (content,) = (body for path, body in server.bodies.items() if path.endswith(".arff"))
    assert wanted["md5"] == hashlib.md5(content).hexdigest()
    assert {"row", "other"} == {*wanted["drop"]}
    assert record["data"]["name"] == f"OpenML {MADELON}"
    assert record["data"]["shape"] == [*X.shape]
    asked = len(server.requests)
    pinned = [f"dataset.{key}={wanted[key]}" for key in ("version", "md5", "target")]
    two, _ = run(*FEW, *OPENML, *pinned, folder="two", store="two")
    assert len(server.requests) == asked
    assert results(one) == results(two)
    (tmp_path / "cache" / f"openml_{MADELON}.arff").write_text("damaged")
    run(*FEW, *OPENML, *pinned, folder="two")
    assert len(server.requests) > asked
    select = words("experiment=select profile=smoke draw=false protocol.loops=1")
    answer, _ = run(*select, *OPENML, folder="select")
    assert (answer / "answer.json").is_file()


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("given", "told"), [
    ("dataset.version=2", "version 1"),
    ("dataset.md5=0123", "dataset.md5=0123"),
    ("dataset.path=mine.csv", "two tables"),
    ("dataset.target=nobody", "nobody"),
    ("dataset.id=7", "Unknown dataset"),
])  # fmt: skip
def test_other_data_than_asked_for_are_refused_before_the_work(run, tmp_path, given, told):
    with pytest.raises(DataError, match=told):
        run(*FEW, *OPENML, given)
    assert not (tmp_path / "store" / "tasks").exists()


def test_no_table_has_a_version_or_parameters(run):
    with pytest.raises(DataError, match="dataset=openml"):
        run(*FEW, "dataset=table", "dataset.path=a.csv", "dataset.version=1", "method=anova")
    with pytest.raises(DataError, match="n_samples"):
        run(*FEW, "dataset=table", "dataset.path=a.csv", "+dataset.params.n_samples=3")
