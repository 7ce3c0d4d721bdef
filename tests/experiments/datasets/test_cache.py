"""The folders of data: the cache of fetched sets, the local one, and the limits of files."""

import os
from itertools import product

import numpy as np
import pytest

from experiments.datasets import DataError, load
from experiments.datasets.dataset import Limits
from experiments.datasets.loading import Store
from experiments.datasets.registry import REGISTRY


@pytest.fixture(autouse=True)
def _no_folder(monkeypatch):
    monkeypatch.delenv("MANIFEST_DATA", raising=False)


def test_a_cached_set_asks_no_source(tmp_path, monkeypatch):
    load("wine", cache=tmp_path)
    monkeypatch.setattr(Store, "_fetched", None)
    assert load("wine", cache=tmp_path).verified  # test_contract has its numbers.
    assert [file.name for file in tmp_path.iterdir()] == ["wine.npz"]


def test_a_damaged_file_is_named_and_fetched_again(tmp_path, caplog):
    first = load("wine", cache=tmp_path)
    file = tmp_path / "wine.npz"
    whole = file.read_bytes()
    changed = first.X.copy()
    changed[0, 0] = changed[1, 0]
    np.savez(file, X=changed, y=first.y)
    for content in (file.read_bytes(), b"", b"PK", whole[: len(whole) // 2], whole[:-1]):
        file.write_bytes(content)
        caplog.clear()
        assert np.array_equal(load("wine", cache=tmp_path).X, first.X)
        assert "wine.npz" in caplog.text
        assert file.stat().st_size == len(whole)


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


def test_where_the_folders_and_the_files_are(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("MANIFEST_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert Store().cache == tmp_path / ".cache" / "manifest-data"
    assert Store().home is None
    for variable, folder in (("XDG_CACHE_HOME", "xdg/manifest-data"), ("MANIFEST_CACHE", "named")):
        monkeypatch.setenv(variable, str(tmp_path / folder.partition("/")[0]))
        assert Store().cache == tmp_path / folder
    monkeypatch.setenv("MANIFEST_DATA", str(tmp_path))
    assert Store().home == tmp_path
    assert Store(tmp_path / "a", tmp_path / "b").home == tmp_path / "a"
    assert Store(tmp_path / "a", tmp_path / "b").cache == tmp_path / "b"
    for file in (tmp_path / "mnist.npz", tmp_path / "mnist_train.npz"):  # The whole has its rows.
        file.touch()
        assert Store().local_file(REGISTRY["mnist_train"]) == file
    assert Store().local_file(REGISTRY["digits"]) is None


def test_ternary_colon_is_made_from_the_levels_and_a_wrong_local_file_is_refused(mirror, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    os.symlink(mirror / "colon_continuous.npz", home / "colon_continuous.npz")
    made = load("colon", home=home, cache=tmp_path / "a")
    read = load("colon", home=mirror, cache=tmp_path / "b")
    assert made.verified
    assert np.array_equal(made.X, read.X)
    assert np.array_equal(made.y, read.y)
    np.savez(home / "colon.npz", X=np.abs(read.X), y=read.y)
    with pytest.raises(DataError, match="colon"):
        load("colon", home=home, cache=tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_a_file_may_be_as_large_as_the_limit_also_unpacked_and_limits_are_above_0(tmp_path):
    np.savez_compressed(tmp_path / "colon.npz", X=np.zeros((62, 2000)), y=np.zeros(62))
    assert (tmp_path / "colon.npz").stat().st_size < 1e5
    for max_gib in (1e-6, 5e-4):
        with pytest.raises(DataError, match=r"colon\.npz.*data\.max_gib"):
            load("colon", home=tmp_path, cache=tmp_path / "cache", max_gib=max_gib)
    for name, value in product(("max_gib", "timeout"), (0, -1, np.nan, np.inf)):
        with pytest.raises(DataError, match=rf"data\.{name}"):
            Limits(**{name: value})
