"""The real `openml` client against a loopback server, well-behaved and not."""

import dataclasses
import logging
import os
from pathlib import Path

import numpy as np
import pytest

from experiments.datasets import DataError, download, load, loading, openml_source
from experiments.datasets.registry import REGISTRY, OpenML
from tests.experiments.datasets.loopback import dense_arff, sparse_arff

MADELON = 1485


@pytest.fixture(scope="module")
def small(mirror: Path) -> tuple[np.ndarray, np.ndarray]:
    with np.load(mirror / "madelon.npz", allow_pickle=False) as archive:
        return archive["X"], archive["y"]


@pytest.fixture(scope="module")
def arff(small: tuple[np.ndarray, np.ndarray]) -> bytes:
    """Madelon as OpenML has it: classes 1 and 2; in another order of rows than the mirror's."""
    X, y = small
    rows = np.random.default_rng(0).permutation(len(y))
    return dense_arff(X[rows], (y[rows] + 1).tolist())


def same(one, other) -> bool:
    return one.X.dtype == other.X.dtype and all(
        np.array_equal(a, b) for a, b in ((one.X, other.X), (one.y, other.y))
    )


def cached(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir() if file.suffix != ".lock"]


def test_openml_and_the_folder_give_identical_arrays(server, arff, mirror, tmp_path, caplog):
    server.serve(MADELON, arff)
    fetched = load("madelon", cache=tmp_path / "a")
    assert caplog.records == []  # all went well, which is no reason to warn
    assert fetched.verified
    assert same(fetched, load("madelon", home=mirror, cache=tmp_path / "b"))
    assert [path for path in server.requests if ".pq" in path] == []


def test_what_was_fetched_once_needs_no_network(server, arff, tmp_path):
    server.serve(MADELON, arff)
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


def test_sparse_arff_with_the_first_label_left_out(server, mirror, tmp_path, monkeypatch):
    with np.load(mirror / "gisette_1000.npz", allow_pickle=False) as archive:
        labels = np.array([-1, 1])[archive["y"]].tolist()
        server.serve(41026, sparse_arff(archive["X"], labels), kind="Sparse_ARFF")
    info = dataclasses.replace(REGISTRY["gisette_1000"], sources=(OpenML(41026),))
    table = loading.obtain(info, None, tmp_path)
    assert table.verified
    known = load("gisette_1000", home=mirror)
    assert np.array_equal(table.X, known.X)
    assert np.array_equal(table.y, known.y)


def test_without_a_known_fingerprint_the_result_says_so_and_names_the_one_seen(
    server, arff, tmp_path, monkeypatch, caplog
):
    server.serve(MADELON, arff)
    known = REGISTRY["madelon"].fingerprint
    info = dataclasses.replace(REGISTRY["madelon"], fingerprint=None)
    monkeypatch.setattr(loading, "REGISTRY", {"madelon": info})
    with caplog.at_level(logging.WARNING):
        fetched = load("madelon", cache=tmp_path)
    assert not fetched.verified
    assert fetched.fingerprint == known
    assert "unverified" in caplog.text
    assert known in caplog.text


def test_columns_that_openml_says_to_ignore_are_no_features(server, small, arff, tmp_path):
    X, y = small
    numbered = np.column_stack([np.arange(len(X)), X])
    names = ["row", *(f"V{column}" for column in range(X.shape[1]))]
    server.serve(
        MADELON,
        dense_arff(numbered, (y + 1).tolist(), names),
        extra="<oml:row_id_attribute>row</oml:row_id_attribute>",
    )
    assert load("madelon", cache=tmp_path).verified


@pytest.mark.parametrize("kind", ["text/plain", "application/octet-stream"])
def test_text_is_utf_8_where_the_server_does_not_say(server, small, tmp_path, kind):
    X, y = small
    names = [f"größe {column}" for column in range(X.shape[1])]
    server.content_type = kind
    server.serve(MADELON, dense_arff(X, (y + 1).tolist(), names))
    assert load("madelon", cache=tmp_path).feature_names == tuple(names)


PASSING = ["overloaded", "broken", "absent", "truncated", "hanging", "dying"]
PASSING_ARFF = [*PASSING, "altered", "shortened", "stalling"]


@pytest.mark.parametrize(
    ("where", "kind"),
    [("/xml/", kind) for kind in [*PASSING, "shortened"] if kind != "dying"]
    + [("arff", kind) for kind in PASSING_ARFF],
)
def test_a_fault_that_passes_is_survived(server, arff, tmp_path, monkeypatch, where, kind):
    if kind == "dying":  # the server is away for 0.3 s
        patient = download.Network(timeout=0.5, attempts=6, first_wait=0.05)
        monkeypatch.setattr(download, "NETWORK", patient)
    server.serve(MADELON, arff)
    server.faults = [(where, kind)]
    assert load("madelon", cache=tmp_path).verified
    assert server.faults == []


@pytest.mark.parametrize(
    ("where", "kind"),
    [("/xml/", "broken"), ("/xml/", "hanging")]
    + [("arff", kind) for kind in ("absent", "altered", "truncated", "shortened", "stalling")],
)
def test_a_fault_that_stays_is_one_sentence_and_leaves_nothing(server, arff, tmp_path, where, kind):
    server.serve(MADELON, arff)
    server.faults = [(where, kind)] * 2
    with pytest.raises(DataError, match=r"OpenML 1485 \(2 attempts.* local folder") as caught:
        load("madelon", cache=tmp_path)
    assert "\n" not in str(caught.value)
    assert "madelon.npz" in str(caught.value)
    assert "MANIFEST_DATA" in str(caught.value)
    assert cached(tmp_path) == []
    assert load("madelon", cache=tmp_path).verified  # the server has recovered


def test_an_unknown_number_is_not_asked_for_twice(server, tmp_path):
    with pytest.raises(DataError, match=r"111.*Unknown dataset"):
        load("madelon", cache=tmp_path)
    assert len(server.requests) == 1
    assert cached(tmp_path) == []


def test_no_server_at_all(server, tmp_path):
    server.close()
    with pytest.raises(DataError, match=r"2 attempts.*local folder"):
        load("madelon", cache=tmp_path)


def test_the_package_is_left_as_it_was_found(server, arff, tmp_path, monkeypatch):
    import openml

    monkeypatch.setenv("OPENML_SKIP_PARQUET", "false")
    server.serve(MADELON, arff)

    def state():
        config = openml.config
        calls = openml._api_calls
        settings = (config._root_cache_directory, config.connection_n_retries)
        return (*settings, calls.requests, calls.logging)

    before = state()
    openml_source.fetch(MADELON)
    with pytest.raises(DataError):
        openml_source.fetch(4)
    assert state() == before
    assert os.environ["OPENML_SKIP_PARQUET"] == "false"
    assert list(Path(openml.config._root_cache_directory).rglob("*.arff")) == []


def test_every_request_has_a_time_out(server, arff, monkeypatch):
    import requests

    seen = []
    send = requests.adapters.HTTPAdapter.send

    def spy(adapter, *args, **kwargs):
        seen.append(kwargs.get("timeout"))
        return send(adapter, *args, **kwargs)

    monkeypatch.setattr(requests.adapters.HTTPAdapter, "send", spy)
    server.serve(MADELON, arff)
    openml_source.fetch(MADELON)
    assert seen == [0.5, 0.5]


@pytest.mark.parametrize("where", ["/xml/", "arff"])
@pytest.mark.parametrize("kind", ["trickling", "trickling_heads", "endless", "inflating"])
def test_an_answer_that_does_not_end_is_given_up(server, arff, tmp_path, where, kind):
    server.serve(MADELON, arff)
    server.faults = [(where, kind)]
    said = r"data\.timeout=0\.6 seconds" if "trickling" in kind else "longer than the 16 MB"
    with pytest.raises(DataError, match=rf"OpenML 1485 \(.*{said}"):
        load("madelon", cache=tmp_path, timeout=0.6 if "trickling" in kind else 20)
    assert len(server.requests) <= 2
    assert cached(tmp_path) == []
    server.faults = []
    assert load("madelon", cache=tmp_path).verified
