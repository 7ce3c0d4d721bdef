"""The cache of fetched data sets, and the limits of files."""

import logging
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from experiments.datasets import DataError, load, loading
from experiments.datasets.dataset import Limits
from experiments.datasets.loading import cache_folder


@pytest.fixture(autouse=True)
def _no_folder(monkeypatch):
    monkeypatch.delenv("MANIFEST_DATA", raising=False)


def test_a_cached_set_is_the_same_and_asks_no_source(tmp_path, monkeypatch):
    first = load("wine", cache=tmp_path)
    monkeypatch.setattr(loading, "_first_verified", None)
    second = load("wine", cache=tmp_path)
    assert np.array_equal(first.X, second.X)
    assert np.array_equal(first.y, second.y)
    assert (first.source, first.fingerprint) == (second.source, second.fingerprint)
    assert second.verified
    assert [file.name for file in tmp_path.iterdir()] == ["wine.npz"]


def test_a_damaged_file_is_named_and_fetched_again(tmp_path, caplog):
    first = load("wine", cache=tmp_path)
    file = tmp_path / "wine.npz"
    whole = file.read_bytes()
    changed = first.X.copy()
    changed[0, 0] = changed[1, 0]
    np.savez(tmp_path / "other.npz", X=changed, y=first.y)
    other = (tmp_path / "other.npz").read_bytes()
    (tmp_path / "other.npz").unlink()
    for content in (b"", b"PK", whole[: len(whole) // 2], whole[:-1], other):
        file.write_bytes(content)
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            assert np.array_equal(load("wine", cache=tmp_path).X, first.X)
        assert "wine.npz" in caplog.text
        assert "fetched again" in caplog.text
        assert file.stat().st_size == len(whole)


def test_nothing_in_a_cache_file_is_unpickled(tmp_path):
    class Trap:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "sprung",))

    trap = np.array([Trap()])
    np.savez(tmp_path / "wine.npz", X=trap, y=trap, source=trap)
    assert load("wine", cache=tmp_path).verified
    assert not (tmp_path / "sprung").exists()


def test_a_local_file_that_was_replaced_is_read_anew(mirror, tmp_path):
    with np.load(mirror / "colon.npz", allow_pickle=False) as archive:
        X, y = archive["X"], archive["y"]
    np.savez(tmp_path / "colon.npz", X=X, y=y)
    assert load("colon", home=tmp_path, cache=tmp_path / "cache").verified
    X[0, 0] = -X[0, 0] or 2
    np.savez(tmp_path / "colon.npz", X=X, y=y)
    with pytest.raises(DataError, match="fingerprint should be"):
        load("colon", home=tmp_path, cache=tmp_path / "cache")


def test_a_cache_that_cannot_be_written_is_no_obstacle(tmp_path, monkeypatch, caplog):
    """A file is in the way, or the disk is full: an interrupted write leaves nothing."""

    def full(file, **arrays):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    (tmp_path / "file").write_text("in the way")
    assert load("wine", cache=tmp_path / "file" / "cache").verified
    monkeypatch.setattr(np, "savez", full)
    assert load("wine", cache=tmp_path / "cache").verified
    assert caplog.text.count("could not be cached") == 2
    assert list((tmp_path / "cache").iterdir()) == []


def test_where_the_cache_is(monkeypatch, tmp_path):
    for variable in ("MANIFEST_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "manifest-data"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "manifest-data"
    monkeypatch.setenv("MANIFEST_CACHE", str(tmp_path / "named"))
    assert cache_folder() == tmp_path / "named"
    assert cache_folder(tmp_path / "given") == tmp_path / "given"


def test_a_file_may_be_as_large_as_the_limit_also_unpacked(tmp_path):
    np.savez_compressed(tmp_path / "colon.npz", X=np.zeros((62, 2000)), y=np.zeros(62))
    assert (tmp_path / "colon.npz").stat().st_size < 1e5
    for max_gib in (1e-6, 5e-4):
        with pytest.raises(DataError, match=r"colon\.npz.*data\.max_gib"):
            load("colon", home=tmp_path, cache=tmp_path / "cache", max_gib=max_gib)


def test_a_limit_is_a_number_above_0():
    for name, value in product(("max_gib", "timeout"), (0, -1, np.nan, np.inf)):
        with pytest.raises(DataError, match=rf"data\.{name} must be a number above 0, got"):
            Limits(**{name: value})
