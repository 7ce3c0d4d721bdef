"""Results on disk: one file a unit of work, written once, whole or not at all."""

import errno
import json
import logging
import os
import uuid
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path

from experiments.atomic import atomic_write, cannot_write, remove_abandoned
from experiments.engine import unit_file
from experiments.engine.keys import Key, Row, canonical_json
from experiments.system import flush, locked

log = logging.getLogger(__name__)

#: The folder of a store for units that are being written, so that leftovers lie in one place.
PARTS = ".parts"


@cache
def _claims(root: Path) -> int | None:
    """The file whose bytes stand for units that a process computes at present, opened once."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        return os.open(root / ".claims", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        return None  # read-only: what is stored can still be read


class Store:
    """A folder of finished units, safe to share between runs, processes and machines.

    Parameters
    ----------
    root : path
        Made if it is missing.
    refresh : bool
        Take only the units that this store writes, here or as a copy in another process. All other
        units are computed again and replaced.
    note : dict of str to str, optional
        Facts about the run, kept beside each unit. They have no effect on the unit's key.
    """

    def __init__(self, root: str | os.PathLike, refresh: bool = False, note: dict | None = None):
        self.root = Path(root).absolute()
        self._is_named = False
        remove_abandoned(self.root / PARTS)
        # This is a mark and not a time, because the clocks of disks and machines differ.
        self.refreshed = {"refreshed": uuid.uuid4().hex} if refresh else {}
        self.note = canonical_json({**(note or {}), **self.refreshed})

    def path(self, key: str) -> Path:
        """The place of the unit of that key, whether it is there or not."""
        return Path(self._place(key))

    def _place(self, key):
        # A run may look up a hundred thousand units, and to make as many Paths takes seconds.
        return f"{self.root}/{key[:2]}/{key}.parquet"

    def get(self, key: Key) -> Row | None:
        """The unit's row; None if there is none, or if its file is damaged."""
        path = self._place(key)
        try:
            with open(path, "rb", buffering=0) as file:
                stored = unit_file.decode(file.read())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except unit_file.DAMAGE as error:
            log.warning("damaged unit %s will be computed again (%s)", path, error)
            return None
        if stored.text != key.text:
            log.warning("unit %s is another unit's and will be computed again", path)
            return None
        if not self.refreshed.items() <= json.loads(stored.note).items():
            return None
        return stored.row

    def put(self, key: Key, row: Row) -> Row:
        """Write a unit's row and return it as :meth:`get` will; a CannotWrite if that fails."""
        table = unit_file.encode(row, key.text, self.note)
        with atomic_write(self.path(key), self.root / PARTS) as part:
            unit_file.write(table, part)
        return unit_file.row_of(table)

    def flush(self, keys: Iterable[str]) -> None:
        """Return when the files of these units, and their names, are safe on the disk.

        If the disk reports an error, a CannotWrite is raised.
        """
        paths = [self._place(key) for key in keys]
        folders = {os.path.dirname(path) for path in paths}
        if paths:
            folders.add(str(self.root))
            if not self._is_named:  # The store itself may be new, and folders above it.
                folders.update(map(str, self.root.parents))
                self._is_named = True
        for path in (*paths, *folders):
            try:
                flush(path)
            except (FileNotFoundError, PermissionError):
                pass  # It was removed, or is another user's.
            except OSError as error:
                if error.errno != errno.EINVAL:  # Some file systems cannot flush a folder.
                    raise cannot_write(path, error) from error

    def get_or_compute(self, key: Key, task: Callable[[], Row]) -> Row:
        """The stored row, or the task's, stored; of several processes one does the work."""
        row = self.get(key)
        if row is None:
            with self.claim(key):
                row = self.get(key)
                if row is None:
                    row = self.put(key, task())
        return row

    def claim(self, key: Key, wait: bool = True) -> AbstractContextManager[bool]:
        """Keep other processes from computing the same unit; true inside if it is ours.

        The claim is a lock on one byte of a file, and the system drops it when its owner dies. If
        the file system has no locks, nothing is claimed: units may then be computed twice, and
        their rows are equal.

        Parameters
        ----------
        key : Key
        wait : bool
            Wait until no other process has the unit. Otherwise the value inside may be false.
        """
        return locked(_claims(self.root), int(key[:15], 16), wait)
