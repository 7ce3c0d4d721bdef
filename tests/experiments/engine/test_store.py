"""The store: what goes in comes out, damage is seen, work is shared; and its command."""

import errno
import os
import signal
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from experiments.atomic import CannotWrite, atomic_write
from experiments.config import folder_name
from experiments.engine import unit_file
from experiments.engine.keys import Key, digest, key_of
from experiments.engine.store import Store
from experiments.system import place
from scripts.store import main
from tests.experiments.engine.conftest import started

ROW = {"test": np.arange(6.0).reshape(2, 3) / 7, "order": np.array([4, 2]), "n": 2, "ok": True}
KEY = key_of("scores", [], split=3, dataset="xor")


def same(one, other):
    """Equal to the last bit, with types and shapes."""
    assert list(one) == list(other)
    for name, value in one.items():
        assert type(value) is type(other[name])
        np.testing.assert_array_equal(value, other[name], strict=True)


values = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.booleans(),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.none(),
    st.sampled_from(["f8", "f4", "i8", "i4", "u1", "?"]).flatmap(
        lambda dtype: arrays(dtype, array_shapes(max_dims=3, min_side=0, max_side=4))
    ),
)


@given(row=st.dictionaries(st.text("abcé_ .", min_size=1), values, min_size=1, max_size=4))
def test_a_row_comes_back_as_it_was(row, tmp_path_factory):
    path = tmp_path_factory.mktemp("row") / "row.parquet"
    table = unit_file.encode(row, "text", "note")
    unit_file.write(table, path)
    same(unit_file.row_of(table), row)
    same(unit_file.decode(path.read_bytes()).row, row)


def test_a_computed_row_is_the_stored_row(tmp_path):
    """Also if a task returns lists and numpy's numbers, so that reuse changes nothing."""
    store = Store(tmp_path)
    row = {"list": [1, 2], "number": np.float64(0.1), "word": "x"}
    first = store.get_or_compute(KEY, lambda: row)
    same(first, store.get_or_compute(KEY, lambda: pytest.fail("it is there")))


def test_any_parquet_reader_opens_a_unit(tmp_path):
    store = Store(tmp_path, note={"experiment": "xor100"})
    store.put(KEY, ROW)
    table = pd.read_parquet(store.path(KEY))
    assert table["test"][0].tolist() == [i / 7 for i in range(6)]
    assert table["n"][0] == 2
    about = unit_file.describe(store.path(KEY))
    assert '"dataset":"xor"' in about.text
    assert about.note == '{"experiment":"xor100"}'


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("store"))
    store.put(KEY, ROW)
    return store.path(KEY).read_bytes()


@given(data=st.data())
def test_a_damaged_file_is_never_taken_for_a_unit(content, data):
    """A bit flips, or the file ends: the row is as written, or there is none."""
    at = data.draw(st.integers(0, len(content) - 1))
    flipped = bytearray(content)
    flipped[at] ^= 1 << data.draw(st.integers(0, 7))
    for damaged in (bytes(flipped), content[:at]):
        try:
            same(unit_file.decode(damaged).row, ROW)
        except unit_file.DAMAGE:
            continue
        assert damaged != content[:at]


def test_damage_means_computing_again(tmp_path, content, caplog):
    store = Store(tmp_path)
    other = key_of("scores", [], split=4, dataset="xor")
    for key, bad in ((KEY, content[:-9]), (KEY, b""), (other, content)):
        store.path(key).parent.mkdir(exist_ok=True)
        store.path(key).write_bytes(bad)
        assert store.get(key) is None
        assert str(store.path(key)) in caplog.messages[-1]
        same(store.get_or_compute(key, lambda: ROW), ROW)
        assert store.get(key) is not None


def test_refresh_takes_only_what_is_written_from_now_on(tmp_path):
    """The clocks do not matter: the file is of tomorrow."""
    Store(tmp_path).put(KEY, {"value": 1})
    tomorrow = time.time() + 24 * 3600
    os.utime(Store(tmp_path).path(KEY), (tomorrow, tomorrow))
    store = Store(tmp_path, refresh=True)
    assert store.get(KEY) is None
    assert store.get_or_compute(KEY, lambda: {"value": 2}) == {"value": 2}
    assert store.get(KEY) == Store(tmp_path).get(KEY) == {"value": 2}


HOLDER = """
import sys, time
from experiments.engine.keys import key_of
from experiments.engine.store import Store
with Store(sys.argv[1]).claim(key_of("scores", [], split=3, dataset="xor")) as ours:
    print(ours, flush=True)
    time.sleep(600)
"""


@pytest.mark.skipif(os.name != "posix", reason="there are no such locks")
def test_a_claim_keeps_others_out_until_its_owner_is_gone(tmp_path):
    store = Store(tmp_path)
    with started(program=("-c", HOLDER, str(tmp_path))) as owner:
        assert owner.stdout.readline() == "True\n"
        with store.claim(KEY, wait=False) as ours:
            assert not ours
        with store.claim(key_of("scores", [], split=4), wait=False) as ours:
            assert ours
        owner.send_signal(signal.SIGKILL)
    with store.claim(KEY) as ours:
        assert ours


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").touch()
    store = Store(tmp_path / "file" / "store")
    assert store.get(KEY) is None
    with pytest.raises(CannotWrite, match=r"cannot write .*/file/store/.*: not a directory; free"):
        store.get_or_compute(KEY, lambda: ROW)
    store = Store(tmp_path / "folders")
    store.path(KEY).mkdir(parents=True)
    with pytest.raises(CannotWrite, match=r"a folder is in its place; remove that folder$"):
        store.get_or_compute(KEY, lambda: ROW)
    store.path(KEY).rmdir()
    same(store.get_or_compute(KEY, lambda: ROW), ROW)


def test_other_errors_than_of_writing_stay_what_they_are(tmp_path):
    with pytest.raises(FileNotFoundError), atomic_write(tmp_path / "table.csv") as part:
        part.write_text((tmp_path / "missing").read_text())
    assert not list(tmp_path.iterdir())


@given(st.integers(0, 5000), st.text(max_size=400))
def test_the_name_of_a_job_is_one_folder_that_any_file_system_takes(number, overrides):
    name = folder_name(number, overrides)
    assert name.startswith(f"{number:03d}")
    assert len(name.encode()) <= 255
    assert not set(name) & set("/\\ :*?\"'<>|\n")


@pytest.fixture
def command(tmp_path, capsys):
    def called(*arguments):
        main(["--store", str(tmp_path), *arguments])
        return capsys.readouterr().out

    return called


@pytest.fixture
def filled(tmp_path):
    """Two units of one experiment, one of another; one by older code, one of each damaged."""
    keys = [key_of("scores", [], split=i) for i in range(4)]
    Store(tmp_path, note={"experiment": "xor100", "dataset": "xor"}).put(keys[0], ROW)
    for key in keys[1:]:
        Store(tmp_path, note={"experiment": "colon", "dataset": "colon"}).put(key, ROW)
    text = keys[0].text.replace(keys[0].code, "0" * 16)
    old = Key(digest(text))
    old.text = text
    Store(tmp_path, note={"experiment": "xor100", "dataset": "xor"}).put(old, ROW)
    path = Store(tmp_path).path
    damaged = path(keys[3])
    damaged.write_bytes(damaged.read_bytes().replace(b"PAR1", b"PAR2"))
    left = tmp_path / ".parts" / f".part-{place()}-{2**22 + 1}-0.parquet"
    left.parent.mkdir(exist_ok=True)
    left.write_bytes(b"PAR1")
    return keys, left


def test_list_tells_what_a_store_holds(command, filled):
    out = command("list")
    lines = [" ".join(line.split()[:5]) for line in out.splitlines()]
    assert "colon colon scores present 2" in lines
    assert {"xor100 xor scores present 1", "xor100 xor scores outdated 1"} <= set(lines)
    assert "4 units" in out
    assert "1 files cannot be read" in out


def test_prune_removes_what_is_named_and_nothing_else(command, filled, tmp_path):
    for n_left, flags in ((5, []), (3, ["--outdated"])):
        before = set(tmp_path.glob("??/*"))
        command("prune", *flags, "--dry-run")
        assert set(tmp_path.glob("??/*")) == before, flags
        command("prune", *flags)
        assert not filled[1].exists()
        assert len(set(tmp_path.glob("??/*"))) == n_left, flags


def test_prune_says_what_it_cannot_remove(command, filled, monkeypatch):
    def read_only(path, missing_ok=False):
        raise OSError(errno.EROFS, "read-only", str(path))

    monkeypatch.setattr(Path, "unlink", read_only)
    with pytest.raises(SystemExit, match=r"cannot write .*\.parquet: read-only file system"):
        command("prune", "--outdated")


def test_a_unit_of_another_format_is_never_read(command, filled, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(unit_file, "FORMAT", "3")
    assert Store(tmp_path).get(filled[0][0]) is None
    assert "it has format 2, and this version of the project reads format 3" in caplog.text
    command("prune", "--outdated")
    assert not set(tmp_path.glob("??/*"))
