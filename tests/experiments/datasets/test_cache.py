"""The cache: whole or absent, damage noticed, nothing unpickled, two processes at once."""

import hashlib
import io
import logging
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

from experiments import system
from experiments.datasets import DataError, load, loading
from experiments.datasets import cache as caching
from experiments.datasets.loading import cache_file, read_cached
from experiments.datasets.registry import REGISTRY
from tests.commands import ROOT, python
from tests.experiments.datasets.loopback import dense_arff

COLON = REGISTRY["colon"]


@pytest.fixture
def log(mirror, tmp_path, caplog):
    """A function that loads colon, and returns what the log says."""

    def told(cache: Path = tmp_path, level: int = logging.WARNING) -> str:
        caplog.clear()
        with caplog.at_level(level):
            assert load("colon", home=mirror, cache=cache).verified
        return caplog.text

    return told


@pytest.fixture
def cached(log, tmp_path: Path) -> Path:
    """The cache file of colon."""
    log()
    return cache_file(COLON, tmp_path)


def test_every_damage_is_noticed_named_and_mended(cached, log, tmp_path, monkeypatch):
    whole = cached.read_bytes()
    known = read_cached(COLON, tmp_path, None)
    assert known is not None
    monkeypatch.setattr(loading, "read_local", lambda *_: known)
    rng = np.random.default_rng(0)
    damaged = [whole[:length] for length in (0, 7, 40, len(whole) // 2, len(whole) - 1)]
    for position in rng.integers(len(whole), size=30):
        flipped = bytes([whole[position] ^ 1 << rng.integers(8)])
        damaged.append(whole[:position] + flipped + whole[position + 1 :])
    damaged.append(whole + b"more")
    for content in damaged:
        cached.write_bytes(content)
        assert f"{cached} is damaged" in log()
        mended = read_cached(COLON, tmp_path, None)
        assert mended is not None
        assert np.array_equal(mended.X, known.X)


def test_another_file_is_made_anew(cached, log, mirror, tmp_path):
    """That of another set, with a word; one of an older layout, without a warning."""
    load("colon_continuous", home=mirror, cache=tmp_path)
    cache_file(REGISTRY["colon_continuous"], tmp_path).replace(cached)
    assert "holds other data" in log()
    cached.write_bytes(caching.MARK[:-1] + b"1" + cached.read_bytes()[len(caching.MARK) :])
    said = log(level=logging.INFO)
    assert "older layout" in said
    assert "damaged" not in said
    assert cached.read_bytes().startswith(caching.MARK)


def test_nothing_in_a_cache_file_is_unpickled(cached, log, tmp_path):
    class Trap:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "sprung",))

    content = io.BytesIO()
    np.savez(content, X=np.array([Trap()]), y=np.array([Trap()]), about=np.array([Trap()]))
    digest = hashlib.sha256(content.getvalue()).digest()
    cached.write_bytes(caching.MARK + digest + content.getvalue())
    assert "damaged" in log()
    assert not (tmp_path / "sprung").exists()


def test_the_cache_is_a_plain_archive_of_numbers_and_text(cached, tmp_path):
    with zipfile.ZipFile(cached) as archive:
        assert archive.testzip() is None
        assert {Path(name).stem for name in archive.namelist()} == {"X", "y", "about"}
    with pytest.raises(DataError, match=r"colon\.cache.*data\.max_gib=1e-05"):
        load("colon", cache=tmp_path, max_gib=1e-5)


LOAD = """
import sys
from experiments.datasets import load
load("colon", home=sys.argv[1], cache=sys.argv[2])
"""


def test_a_file_that_has_been_replaced_is_not_answered_from_the_cache(mirror, tmp_path):
    """In this process and in another one; its size and time of modification stay as they were."""
    home, cache = tmp_path / "home", tmp_path / "cache"
    home.mkdir()
    with np.load(mirror / "colon.npz", allow_pickle=False) as archive:
        X, y = archive["X"], archive["y"]

    def save(first: int) -> None:
        np.savez(home / "colon.npz", X=np.vstack((np.r_[first, X[0, 1:]], X[1:])), y=y)
        os.utime(home / "colon.npz", ns=(0, 0))

    right = int(X[0, 0])
    save(right)
    assert load("colon", home=home, cache=cache).verified
    save(-right or 2)
    with pytest.raises(DataError, match="fingerprint should be"):
        load("colon", home=home, cache=cache)
    assert "fingerprint should be" in python("-c", LOAD, home, cache).stderr
    save(right)
    assert load("colon", home=home, cache=cache).verified


def test_a_file_that_changes_while_it_is_read_is_not_cached(mirror, tmp_path, monkeypatch):
    whole = (mirror / "colon.npz").read_bytes()
    (tmp_path / "colon.npz").write_bytes(whole)
    read = loading.read_local

    def change(info, file, limits):
        table = read(info, file, limits)
        file.write_bytes(whole[:-1])
        return table

    monkeypatch.setattr(loading, "read_local", change)
    with pytest.raises(DataError, match="changed while it was read"):
        load("colon", home=tmp_path, cache=tmp_path / "cache")
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["colon.lock"]


def test_a_second_load_of_the_same_file_is_answered_from_the_cache(mirror, tmp_path, monkeypatch):
    first = load("colon", home=mirror, cache=tmp_path)
    monkeypatch.setattr(loading, "read_local", None)
    second = load("colon", home=mirror, cache=tmp_path)
    assert np.array_equal(first.X, second.X)


def test_a_cache_that_cannot_be_written_is_no_obstacle(log, tmp_path, monkeypatch):
    """A file is in the way, or the disk is full: an interrupted write leaves nothing."""

    def full(file, **arrays):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    (tmp_path / "file").write_text("in the way")
    assert "could not be cached" in log(tmp_path / "file" / "cache")
    monkeypatch.setattr(np, "savez", full)
    assert "could not be cached" in log(tmp_path / "cache")
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["colon.lock"]


@pytest.mark.slow
def test_an_unverified_local_file_is_read_anew(tmp_path):
    """Nothing vouches for a copy of it, so that a changed file must not be answered from one."""
    X, y = np.zeros((7000, 5000), dtype=np.int16), np.repeat([-1, 1], 3500)
    for value in (3, 4):
        X[0, 0] = value
        np.savez(tmp_path / "gisette.npz", X=X, y=y)
        assert load("gisette", home=tmp_path, cache=tmp_path / "cache").X.max() == value
    assert not (tmp_path / "cache").exists()


def test_where_the_cache_is(monkeypatch, tmp_path):
    for variable in ("MANIFEST_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for platform, variable, expected in (
        ("linux", "", ".cache/manifest-data"),
        ("linux", "XDG_CACHE_HOME", "XDG_CACHE_HOME/manifest-data"),
        ("linux", "LOCALAPPDATA", "XDG_CACHE_HOME/manifest-data"),
        ("win32", "", "LOCALAPPDATA/manifest-data"),
        ("win32", "MANIFEST_CACHE", "MANIFEST_CACHE"),
    ):
        monkeypatch.setattr(sys, "platform", platform)
        if variable:
            monkeypatch.setenv(variable, str(tmp_path / variable))
        assert caching.folder() == tmp_path / expected
    assert caching.folder(tmp_path / "given") == tmp_path / "given"


FETCH = """
import os, sys, time
from pathlib import Path
from experiments.datasets import load, loading
loading.NETWORK = loading.sources.Network(openml=sys.argv[1])
ready = Path(sys.argv[3])
(ready / str(os.getpid())).touch()
while len(list(ready.iterdir())) < int(sys.argv[4]):
    time.sleep(0.01)
print(load("madelon", cache=sys.argv[2]).fingerprint)
"""


@pytest.fixture
def fetching(server, mirror, tmp_path):
    """A function that starts a process, which fetches madelon once `n` of them are there."""
    with np.load(mirror / "madelon.npz", allow_pickle=False) as archive:
        server.serve(1485, dense_arff(archive["X"], (archive["y"] + 1).tolist()))
    ready = tmp_path / "ready"
    ready.mkdir()

    def start(n: int, before: str = "") -> subprocess.Popen:
        arguments = [server.api, str(tmp_path / "cache"), str(ready), str(n)]
        return subprocess.Popen(
            [sys.executable, "-c", before + FETCH, *arguments],
            cwd=ROOT,
            env={key: value for key, value in os.environ.items() if key != "MANIFEST_DATA"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


@pytest.mark.slow
@pytest.mark.parametrize("locks", [True, False])
def test_two_processes_fetch_the_same_set_at_once(fetching, server, tmp_path, locks):
    without = "import experiments.system as s; s.fcntl = None\n"
    processes = [fetching(2, "" if locks else without) for _ in range(2)]
    answers = [process.communicate(timeout=60) for process in processes]
    fingerprint = REGISTRY["madelon"].fingerprint
    assert [out.strip() for out, _ in answers] == [fingerprint, fingerprint], answers
    downloads = [path for path in server.requests if path.endswith(".arff")]
    assert len(downloads) == (1 if locks and system.fcntl is not None else 2)
    cache = tmp_path / "cache"
    assert {path.name for path in cache.iterdir()} == {"madelon.cache", "madelon.lock"}
    assert load("madelon", cache=cache).verified


@pytest.mark.slow
def test_a_process_killed_while_it_fetches_leaves_nothing_and_blocks_nobody(
    fetching, server, tmp_path
):
    server.faults = [("arff", "stalling")]
    with fetching(1) as process:
        try:
            while not any(path.endswith(".arff") for path in server.requests):
                assert process.poll() is None
                time.sleep(0.02)
        finally:
            process.kill()
    cache = tmp_path / "cache"
    assert [path.name for path in cache.iterdir()] == ["madelon.lock"]
    assert load("madelon", cache=cache).verified
