"""MATLAB files over the network, second sources, and the sentence when none is left."""

import dataclasses
import hashlib
import logging
from pathlib import Path

import numpy as np
import pytest
import scipy.io

from experiments.datasets import DataError, download, load, loading
from experiments.datasets.limits import Limits
from experiments.datasets.registry import REGISTRY, Mat, OpenML
from experiments.datasets.sources import expected_bytes


@pytest.fixture
def prostate(server, mirror, tmp_path, monkeypatch) -> str:
    """The path of scikit-feature's file at the server, where the registry now looks for it."""
    with np.load(mirror / "prostate_ge.npz", allow_pickle=False) as archive:
        arrays = {"X": archive["X"], "Y": archive["y"][:, None] + 1}
    scipy.io.savemat(tmp_path / "Prostate_GE.mat", arrays, do_compression=True)
    content = (tmp_path / "Prostate_GE.mat").read_bytes()
    for path in ("/one/Prostate_GE.mat", "/two/Prostate_GE.mat"):
        server.bodies[path] = lambda: content
    sources = (
        Mat(f"{server.address}/one/Prostate_GE.mat"),
        Mat(f"{server.address}/two/Prostate_GE.mat"),
    )
    info = dataclasses.replace(REGISTRY["prostate_ge"], sources=sources)
    monkeypatch.setattr(loading, "REGISTRY", {"prostate_ge": info})
    return "/one/Prostate_GE.mat"


def test_download_equals_folder(prostate, server, mirror, tmp_path):
    fetched = load("prostate_ge", cache=tmp_path / "a")
    read = load("prostate_ge", home=mirror, cache=tmp_path / "b")
    assert fetched.verified
    assert np.array_equal(fetched.X, read.X)
    assert np.array_equal(fetched.y, read.y)
    assert server.requests == [prostate]
    assert server.address in fetched.source


@pytest.mark.parametrize("kind", ["broken", "truncated", "hanging", "stalling"])
def test_a_passing_fault(prostate, server, tmp_path, kind):
    server.faults = [(prostate, kind)]
    assert load("prostate_ge", cache=tmp_path / "a").verified
    assert server.requests == [prostate, prostate]


@pytest.mark.parametrize(
    ("kind", "times"),
    [("absent", 1), ("broken", 2), ("truncated", 2), ("shortened", 1), ("altered", 1)],
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


def test_all_sources_failed(prostate, server, tmp_path):
    server.bodies.clear()
    with pytest.raises(DataError) as caught:
        load("prostate_ge", cache=tmp_path / "a")
    message = str(caught.value)
    assert "\n" not in message
    for part in ("/one/", "/two/", "412", "prostate_ge.npz", "data.home", "MANIFEST_DATA"):
        assert part in message
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["prostate_ge.lock"]


def test_waits_grow_and_end(monkeypatch):
    waits: list[float] = []
    monkeypatch.setattr(download.time, "sleep", waits.append)
    monkeypatch.setattr(download, "NETWORK", download.Network(attempts=5, first_wait=0.5))

    def fail() -> None:
        raise OSError("no luck")

    with pytest.raises(DataError, match="5 attempts, the last: no luck"):
        download.persist(fail, (OSError,), download.Transfer())
    assert waits == [0.5, 1.0, 2.0, 4.0]


def test_what_is_not_transient_is_not_hidden(monkeypatch):
    def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        download.persist(fail, (OSError,), download.Transfer())


def test_a_set_that_is_offered_nowhere(tmp_path, monkeypatch):
    monkeypatch.delenv("MANIFEST_DATA", raising=False)
    with pytest.raises(DataError, match=r"not offered anywhere.*gisette_1000\.npz"):
        load("gisette_1000", cache=tmp_path)


def test_addresses_are_encrypted_and_numbers_are_those_of_the_paper_s_data():
    numbers = {
        info.name: source.id
        for info in REGISTRY.values()
        for source in info.sources
        if isinstance(source, OpenML)
    }
    assert numbers == {
        "madelon": 1485,
        "gisette": 41026,
        "mnist": 554,
        "mnist_train": 554,
        "fashion_mnist": 40996,
        "colon": 45087,
        "colon_continuous": 45087,
    }
    urls = [s.url for e in REGISTRY.values() for s in e.sources if isinstance(s, Mat)]
    assert {Path(url).suffix for url in urls} == {".mat"}
    assert all(url.startswith("https://") for url in urls)


def test_a_progress_bar_shows_bytes(prostate, server, tmp_path, capsys):
    path = download.download(f"{server.address}{prostate}", tmp_path / "new", progress=True)
    assert path.stat().st_size > 0
    assert "B/s" in capsys.readouterr().err


def test_a_known_hash_is_held(prostate, server, tmp_path):
    url = f"{server.address}{prostate}"
    content = download.download(url, tmp_path / "a").read_bytes()
    right = hashlib.sha256(content).hexdigest()
    assert download.download(url, tmp_path / "b", sha256=right).read_bytes() == content
    with pytest.raises(DataError, match="hash of downloaded file"):
        download.download(url, tmp_path / "c", sha256="0" * 64)
    assert not [path for path in (tmp_path / "c").iterdir() if path.is_file()]


SLOW = ["trickling", "trickling_heads", "trickling_chunks"]
LARGE = ["endless", "endless_redirection", "inflating", "boasting"]
TIME = r"not complete after data\.timeout=0\.6 seconds; set data\.timeout higher"
SIZE = r"the answer is longer than the 16 MB that it may have"


@pytest.mark.parametrize("kind", SLOW + LARGE)
def test_a_file_that_does_not_end_is_given_up(prostate, server, tmp_path, kind):
    """No attempt follows: it would only be given up again."""
    server.faults = [(prostate, kind)]
    with pytest.raises(DataError, match=TIME if kind in SLOW else SIZE):
        download.download(
            f"{server.address}{prostate}",
            tmp_path / "new",
            limits=Limits(timeout=0.6 if kind in SLOW else 20),
            expected=1000,
        )
    assert server.requests == [prostate]
    assert server.sent < 64 * download.MB
    assert [path for path in (tmp_path / "new").iterdir() if path.is_file()] == []


def test_what_is_packed_twice_is_not_unpacked(prostate, server, tmp_path):
    server.faults = [(prostate, "twice_packed")]
    with pytest.raises(DataError, match="compressed more than once"):
        download.download(f"{server.address}{prostate}", tmp_path / "new")


def test_attempts_and_waits_share_the_time(prostate, server, tmp_path, monkeypatch):
    """Each attempt alone would fit into it."""
    monkeypatch.setattr(download, "NETWORK", download.Network(0.3, attempts=50, first_wait=0.1))
    server.faults = [(prostate, "broken")] * 50
    with pytest.raises(DataError, match=TIME):
        download.download(
            f"{server.address}{prostate}", tmp_path / "new", limits=Limits(timeout=0.6)
        )
    assert len(server.requests) < 50


def test_limits_reach_every_source(prostate, server, tmp_path):
    server.faults = [("/one/", "trickling"), ("/two/", "endless")]
    with pytest.raises(DataError, match=rf"/one/.*{TIME}.*/two/.*longer than the 16 MB"):
        load("prostate_ge", cache=tmp_path / "a", timeout=0.6)
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["prostate_ge.lock"]


def test_the_size_of_an_answer_follows_what_is_expected():
    mnist = REGISTRY["mnist"]
    expected = expected_bytes(mnist, text=True)
    assert 120 * download.MB < expected < 240 * download.MB  # its ARFF has 120 MB
    assert download.Transfer(expected=expected).max_bytes == 2 * expected
    assert download.Transfer(expected=1).max_bytes == download.LEAST
    assert download.Transfer().max_bytes == download.UNEXPECTED
    assert download.Transfer(Limits(max_gib=0.001), expected).max_bytes == int(0.001 * (1 << 30))
