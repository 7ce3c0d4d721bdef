"""OpenML, MATLAB files and wheels from a server and a folder; the error if no source is left."""

import dataclasses
import hashlib
import logging
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io

from experiments.datasets import DataError, load, loading, sources
from experiments.datasets.fingerprint import canonical_order
from experiments.datasets.registry import REGISTRY, Mat, OpenML, Wheel
from experiments.datasets.sources import Network, download, expected_bytes
from tests.experiments.datasets.loopback import dense_arff, sparse_arff

MADELON = 1485
X = np.random.default_rng(0).integers(0, 1000, size=(400, 5))
Y = np.arange(400) % 2
ARFF = dense_arff(X, (Y + 1).tolist())
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
    server.serve(MADELON, ARFF)


@pytest.fixture
def prostate(server, tmp_path, monkeypatch) -> str:
    """The path of a MATLAB file at two places, where the registry now looks for prostate_ge."""
    made = tmp_path / "made.mat"
    scipy.io.savemat(made, {"X": X.astype(float), "Y": Y[:, None] + 1}, do_compression=True)
    paths = ("/one/Prostate_GE.mat", "/two/Prostate_GE.mat")
    server.bodies.update(dict.fromkeys(paths, made.read_bytes()))
    found = tuple(Mat(f"{server.address}{path}") for path in paths)
    registered(monkeypatch, "prostate_ge", **FACTS, value_range=(0.0, 999.0), sources=found)
    return paths[0]


def same(one, other) -> bool:
    return one.X.dtype == other.X.dtype and all(
        np.array_equal(a, b) for a, b in ((one.X, other.X), (one.y, other.y))
    )


def cached(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()] if folder.exists() else []


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
    assert server.address in fetched.source


def test_what_was_fetched_once_needs_no_network(server, small, tmp_path):
    first = load("madelon", cache=tmp_path)
    n_requests = len(server.requests)
    second = load("madelon", cache=tmp_path)
    assert same(first, second)
    assert (first.source, first.fingerprint) == (second.source, second.fingerprint)
    assert len(server.requests) == n_requests


def test_floats_survive_arff_exactly_and_make_the_ternary_form(server, mirror, tmp_path):
    with np.load(mirror / "colon_continuous.npz", allow_pickle=False) as archive:
        labels = np.array(["normal", "tumour"])[archive["y"]].tolist()
        names = archive["feature_names"].tolist()
        server.serve(45087, dense_arff(archive["X"], labels, names))
    ternary = load("colon", cache=tmp_path)
    levels = load("colon_continuous", cache=tmp_path)
    assert ternary.verified
    assert levels.verified
    assert levels.feature_names == tuple(names)
    assert len([path for path in server.requests if path.endswith(".arff")]) == 1


def test_sparse_arff_with_the_first_label_left_out(server, tmp_path):
    values = X * (X > 800)
    server.serve(41026, sparse_arff(values, (2 * Y - 1).tolist()), kind="Sparse_ARFF")
    order, known = canonical_order(values, Y)
    info = dataclasses.replace(REGISTRY["gisette"], **FACTS | {"fingerprint": known})
    table = loading.obtain(info, None, tmp_path)
    assert table.verified
    assert np.array_equal(table.X, values[order])
    assert np.array_equal(table.y, Y[order])


def test_without_a_known_fingerprint_the_result_says_so_and_names_the_one_seen(
    server, small, tmp_path, monkeypatch, caplog
):
    registered(monkeypatch, "madelon", **FACTS | {"fingerprint": None})
    with caplog.at_level(logging.WARNING):
        fetched = load("madelon", cache=tmp_path)
    assert not fetched.verified
    assert fetched.fingerprint == FACTS["fingerprint"]
    assert "unverified" in caplog.text
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


KINDS = ("overloaded", "broken", "absent", "truncated", "hanging", "shortened")
PASSING = [
    *(("/xml/", kind) for kind in KINDS),
    *(("arff", kind) for kind in (*KINDS, "dying", "altered", "stalling")),
]
#: Part of an address, fault, limits, words of the error, and requests that were made, if certain.
STAYING: list[tuple[str, str, dict[str, Any], str, int | None]] = [
    *(("/xml/", kind, {}, r"2 attempts", 2) for kind in ("broken", "hanging")),
    *(
        ("arff", kind, {}, r"2 attempts", 3)
        for kind in ("absent", "altered", "truncated", "shortened", "stalling")
    ),
    ("arff", "trickling", {"timeout": 0.3}, r".*not complete in time; set data\.timeout", None),
    *(  # No attempt follows: it would only be given up again.
        ("arff", kind, {}, "the answer is longer than the 16 MB", 2)
        for kind in ("endless", "inflating", "boasting")
    ),
]


@pytest.mark.parametrize(("where", "kind"), PASSING)
@pytest.mark.slow
def test_a_fault_that_passes_is_survived(server, small, tmp_path, monkeypatch, where, kind):
    if kind == "dying":  # the server is away for 0.3 s
        monkeypatch.setattr(loading, "NETWORK", Network(server.api, 0.5, 6, 0.05))
    server.faults = [(where, kind)]
    assert load("madelon", cache=tmp_path).verified
    assert server.faults == []


@pytest.mark.parametrize(("where", "kind", "limits", "message", "requests"), STAYING)
@pytest.mark.slow
def test_a_fault_that_stays_is_one_sentence_and_leaves_nothing(
    server, small, tmp_path, where, kind, limits, message, requests
):
    server.faults = [(where, kind)] * 2
    started = time.monotonic()
    with pytest.raises(DataError, match=rf"OpenML 1485 \({message}.* local folder") as caught:
        load("madelon", cache=tmp_path, **limits)
    assert time.monotonic() - started < 15 or "timeout" not in limits
    assert "\n" not in str(caught.value)
    assert "madelon.npz" in str(caught.value)
    assert "MANIFEST_DATA" in str(caught.value)
    assert len(server.requests) == requests or requests is None
    assert server.sent < 64 * sources.MB or limits
    assert cached(tmp_path) == []
    server.faults = []
    assert load("madelon", cache=tmp_path).verified  # the server has recovered


def test_an_unknown_number_and_no_server_are_errors(server, tmp_path):
    with pytest.raises(DataError, match="Unknown dataset"):
        load("madelon", cache=tmp_path)
    assert len(server.requests) == 1
    assert cached(tmp_path) == []
    server.close()
    with pytest.raises(DataError, match=r"2 attempts.*local folder"):
        load("madelon", cache=tmp_path)


SLOW = (("absent", 2), ("broken", 2), ("truncated", 2), ("shortened", 1))


@pytest.mark.parametrize(
    ("kind", "times"),
    [("altered", 1), *(pytest.param(*each, marks=pytest.mark.slow) for each in SLOW)],
)
def test_the_next_source_steps_in_and_the_log_says_so(
    prostate, server, tmp_path, caplog, kind, times
):
    server.faults = [(prostate, kind)] * times
    with caplog.at_level(logging.WARNING):
        assert load("prostate_ge", cache=tmp_path / "a").verified
    assert server.requests == [prostate] * times + ["/two/Prostate_GE.mat"]
    assert f"cannot be had from {server.address}{prostate}" in caplog.text
    assert f"trying {server.address}/two/" in caplog.text


@pytest.mark.slow
def test_all_sources_failed(prostate, server, tmp_path):
    server.bodies.clear()
    with pytest.raises(DataError) as caught:
        load("prostate_ge", cache=tmp_path / "a")
    message = str(caught.value)
    assert "\n" not in message
    for part in ("/one/", "/two/", "412", "prostate_ge.npz", "data.home", "MANIFEST_DATA"):
        assert part in message
    assert cached(tmp_path / "a") == []


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
    for name, public in (
        ("gisette_rebuilt", "no public source; OpenML 41026 has .* experiment=gisette fetches"),
        ("golub", "Bioconductor's package multtest, data/golub.RData"),
        ("tissue_gene_expression", "R package dslabs, object tissue_gene_expression"),
        ("dhfr", "R package caret, data/dhfr.RData, label Y"),
    ):
        with pytest.raises(DataError, match=rf"{public}.*{name}\.npz.*data\.home or MANIFEST_DATA"):
            load(name, cache=tmp_path)


def test_addresses_are_encrypted_and_numbers_are_those_of_the_paper_s_data():
    sources = [(info.name, source) for info in REGISTRY.values() for source in info.sources]
    assert {name: source.id for name, source in sources if isinstance(source, OpenML)} == {
        "madelon": 1485,
        "gisette": 41026,
        "mnist": 554,
        "mnist_train": 554,
        "fashion_mnist": 40996,
        "colon": 45087,
        "colon_continuous": 45087,
    }
    urls = [source.url for _, source in sources if isinstance(source, Mat)]
    assert {Path(url).suffix for url in urls} == {".mat"}
    assert all(url.startswith("https://") for url in [*urls, Network().openml])


def test_a_download_shows_its_bytes_and_holds_a_known_hash(prostate, server, tmp_path, capsys):
    url, content = f"{server.address}{prostate}", server.bodies[prostate]

    def get(md5: str | None, progress: bool) -> None:
        download(url, tmp_path / "a", 1.0, sources.LEAST, md5, progress=progress)

    get(None, True)
    assert "B/s" in capsys.readouterr().err
    right = hashlib.md5(content).hexdigest()
    get(right, False)
    assert (tmp_path / "a").read_bytes() == content
    with pytest.raises(OSError, match=f"{right}, but should have 0000"):
        get("0" * 32, False)


def test_the_size_of_an_answer_follows_what_is_expected():
    assert 120 * sources.MB < expected_bytes(REGISTRY["mnist"]) < 240 * sources.MB  # 120 MB of ARFF


MEMBER = "lent/data/table.arff"
SOURCE = Wheel("lent", "1.0", MEMBER, "Class", "X*")
FRACTIONS = X / 8
LENT = FACTS | {"value_range": (0.0, 125.0), "fingerprint": canonical_order(FRACTIONS, Y)[1]}


def wheel(folder: Path, files: dict[str, bytes]) -> Path:
    """Write the wheel of a package without code."""
    about = "lent-1.0.dist-info"
    files = files | {
        f"{about}/METADATA": b"Metadata-Version: 2.1\nName: lent\nVersion: 1.0\n",
        f"{about}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/RECORD": b"",
    }
    path = folder / "lent-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in files.items():
            archive.writestr(member, content)
    return path


@pytest.fixture
def lent(server, tmp_path, monkeypatch):
    """A folder of wheels that pip looks into and nowhere else; the registry knows one set in it."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    registered(monkeypatch, "breast_gse7390", **LENT, sources=(SOURCE,))
    return folder


def lent_table(values=FRACTIONS) -> bytes:
    """A table with a column that is no feature, whose values have blanks and no quotes."""
    names = ["grade", *(f"X{column}" for column in range(X.shape[1]))]
    text = dense_arff(np.column_stack([np.zeros(len(X)), values]), Y.tolist(), names)
    text = text.replace(b"'grade' REAL", b"grade {well differentiated,unknown}")
    return text.replace(b"\n0.0,", b"\nwell differentiated,")


def test_a_table_is_taken_out_of_a_wheel_and_checked(lent, tmp_path):
    wheel(lent, {MEMBER: lent_table()})
    data = load("breast_gse7390", cache=tmp_path / "cache")
    assert data.verified
    assert data.feature_names == ("X0", "X1", "X2", "X3", "X4")
    order, _ = canonical_order(FRACTIONS, Y)
    assert np.array_equal(data.X, FRACTIONS[order])
    assert np.array_equal(data.y, Y[order])
    assert "the wheel of lent 1.0" in data.source


@pytest.mark.slow
def test_what_is_wrong_with_a_wheel_is_said(lent, tmp_path):
    def said() -> str:
        with pytest.raises(DataError) as caught:
            load("breast_gse7390", cache=tmp_path / "cache")
        assert "\n" not in str(caught.value)
        assert "the wheel of lent 1.0 (" in str(caught.value)
        assert "breast_gse7390.npz" in str(caught.value)
        assert cached(tmp_path / "cache") == []
        return str(caught.value)

    assert "pip finds no wheel of lent 1.0 for this Python" in said()
    wheel(lent, {"lent/other.arff": lent_table()})
    assert f"{MEMBER} in lent-1.0-py3-none-any.whl cannot be read" in said()
    wheel(lent, {MEMBER: lent_table()[:230]})
    assert f"{MEMBER} in lent-1.0-py3-none-any.whl cannot be read: it is damaged" in said()
    wheel(lent, {MEMBER: lent_table(np.sort(FRACTIONS, axis=0))})
    assert "the fingerprint should be" in said()
