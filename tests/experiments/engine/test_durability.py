"""A unit that counts as done survives a power cut, which takes all that was not flushed.

The disk of these tests is a strict one. A file keeps the bytes that it had at its last flush, and
without any it is empty. A folder keeps the names that it had at its last flush.
"""

import os
import stat
from functools import partial
from pathlib import Path

import pytest

from experiments.atomic import CannotWrite
from experiments.engine import parallel
from experiments.engine.keys import Unit, key_of
from experiments.engine.parallel import Outcome, complete
from experiments.engine.store import Store

UNITS = [
    Unit(key_of("scores", [], split=number), partial(dict, value=number)) for number in range(12)
]


class Disk:
    """The names in folders and the bytes of files, by inode, that flushes have made safe."""

    def __init__(self):
        self.names: dict[int, dict[str, int]] = {}
        self.bytes: dict[int, bytes] = {}
        self.flush = os.fsync

    def fsync(self, file):
        self.flush(file)
        about, path = os.fstat(file), Path(os.readlink(f"/proc/self/fd/{file}"))
        if stat.S_ISDIR(about.st_mode):
            entries = os.scandir(path)
            self.names[about.st_ino] = {entry.name: entry.inode() for entry in entries}
        else:
            self.bytes[about.st_ino] = path.read_bytes()

    def after_a_power_cut(self, inode, place):
        """Put what is left of a folder where a new store can read it."""
        place.mkdir()
        for name, inner in self.names.get(inode, {}).items():
            if inner in self.names:
                self.after_a_power_cut(inner, place / name)
            else:
                (place / name).write_bytes(self.bytes.get(inner, b""))


@pytest.fixture
def disk(monkeypatch):
    if not Path("/proc/self/fd").exists():
        pytest.skip("this system does not tell the path of an open file")
    disk = Disk()
    monkeypatch.setattr(os, "fsync", disk.fsync)
    return disk


class Cut(Outcome):
    """An outcome that looks at a disk whenever a unit is entered as done."""

    def __init__(self, disk, root, folder):
        super().__init__()
        self.disk, self.root, self.folder, self.n_cuts = disk, root, folder, 0

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if name == "computed" and value > 0:
            self.n_cuts += 1
            place = self.folder / f"cut{self.n_cuts}"
            self.disk.after_a_power_cut(os.stat(self.folder.parent).st_ino, place)
            store = Store(place / self.root.relative_to(self.folder.parent))
            for unit in UNITS:
                if unit.key in self.rows:
                    assert store.get(unit.key) == self.rows[unit.key]


def test_a_unit_that_counts_as_done_survives_a_power_cut(tmp_path, disk, monkeypatch):
    """Also in a store that is new, below a folder that is new."""
    for seconds in (0.0, 1e-3, 1.0):
        monkeypatch.setattr(parallel, "FLUSH", seconds)
        cuts = tmp_path / f"{seconds}" / "cuts"
        cuts.mkdir(parents=True)
        root = cuts.parent / "outputs" / "store"
        outcome = Cut(disk, root, cuts)
        complete(UNITS, Store(root), outcome, 0, "units")
        assert outcome.n_cuts == outcome.computed == len(UNITS)


def test_a_disk_that_reports_an_error_ends_the_run_with_one_sentence(tmp_path, monkeypatch):
    def broken(file):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    outcome = Outcome()
    with pytest.raises(CannotWrite, match=r"cannot write .*parquet: input/output error; free"):
        complete(UNITS, Store(tmp_path), outcome, 0, "units")
    assert outcome.computed == 0
