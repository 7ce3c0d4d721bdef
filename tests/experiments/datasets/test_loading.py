"""Where data come from: the local folder, the cache, the script that fills it; mistakes."""

import os

import numpy as np
import pytest

from experiments.datasets import DataError, load, sources
from experiments.datasets.loading import Store
from experiments.datasets.registry import REGISTRY
from scripts.fetch import main


@pytest.fixture(autouse=True)
def _no_folder_and_no_network(monkeypatch):
    monkeypatch.delenv("MANIFEST_DATA", raising=False)
    monkeypatch.setattr(sources, "SERVER", "http://127.0.0.1:9")
    monkeypatch.setattr(sources, "WAITS", (0,))


def test_a_cached_set_asks_no_source_and_a_damaged_file_is_named_and_fetched_again(
    tmp_path, monkeypatch, caplog
):
    first, file = load("wine", cache=tmp_path), tmp_path / "wine.npz"
    with monkeypatch.context() as patch:
        patch.setattr(Store, "_fetched", None)
        assert load("wine", cache=tmp_path).verified  # The contract has its numbers.
    assert list(tmp_path.iterdir()) == [file]
    whole, changed = file.read_bytes(), first.X.copy()
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
    a, b = tmp_path / "a", tmp_path / "b"
    for name in ("MANIFEST_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for variable, folder, cache in (
        ("HOME", a, a / ".cache" / "manifest-data"),
        ("XDG_CACHE_HOME", b, b / "manifest-data"),
        ("MANIFEST_CACHE", a, a),
    ):
        monkeypatch.setenv(variable, str(folder))
        assert (Store(None, None).home, Store(None, None).cache) == (None, cache)
    monkeypatch.setenv("MANIFEST_DATA", str(tmp_path))
    assert Store(None, None).home == tmp_path
    assert (Store(a, b).home, Store(a, b).cache) == (a, b)
    for file in (tmp_path / "mnist.npz", tmp_path / "mnist_train.npz"):  # The whole has its rows.
        file.touch()
        assert Store(None, None).local_file(REGISTRY["mnist_train"]) == file
    assert Store(None, None).local_file(REGISTRY["digits"]) is None


def test_ternary_colon_is_made_from_the_levels_and_a_wrong_local_file_is_refused(mirror, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    os.symlink(mirror / "colon_continuous.npz", home / "colon_continuous.npz")
    made = load("colon", home=home, cache=tmp_path / "a")
    read = load("colon", home=mirror, cache=tmp_path / "b")
    assert made.verified
    assert np.array_equal(np.c_[made.X, made.y], np.c_[read.X, read.y])
    np.savez(home / "colon.npz", X=np.abs(read.X), y=read.y)
    with pytest.raises(DataError, match="colon"):
        load("colon", home=home, cache=tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_a_wrong_name_or_argument_is_refused():
    with pytest.raises(DataError, match="'colon'"):
        load("colom")
    with pytest.raises(DataError, match=r"n_samples.*xor"):
        load("colon", params={"n_samples": 3})
    with pytest.raises(DataError, match=r"data\.home or MANIFEST_DATA"):
        load("colon", home="/not/there")


def test_the_script_says_which_data_sets_are_available(mirror, tmp_path, monkeypatch, capsys):
    def said(status, *names):
        """Data set -> what the script says of it, as it ends with that status."""
        assert main([*names]) == status
        lines = (line.split(": ", 1) for line in capsys.readouterr().out.splitlines())
        return {name: words.split(", ")[:2] for name, words in lines}

    monkeypatch.setenv("MANIFEST_CACHE", str(tmp_path))
    monkeypatch.setenv("MANIFEST_DATA", str(mirror))
    found = said(0, "colon", "wine")
    assert found["colon"] == ["verified", str(REGISTRY["colon"].fingerprint)]
    assert found["wine"][0] == "verified"
    monkeypatch.delenv("MANIFEST_DATA")
    found = said(1, "wine", "gisette_rebuilt", "colon_continuous", "madelom")
    assert [state for state, *_ in found.values()] == ["verified", "failed", "failed", "failed"]
