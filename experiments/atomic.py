"""Files that appear whole or not at all, and one sentence where they cannot be written."""

import errno
import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from experiments import system

if TYPE_CHECKING:
    from pandas import DataFrame

DECIDES_NUMBERS = False

#: The beginning of a cell that a spreadsheet runs as a formula, unless it is a number.
FORMULA = re.compile(r"[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]")
NUMBER = re.compile(r"[-+](\d+([.,]\d*)*|[.,]\d+)?([eE][-+]?\d+)?")

#: Errors for which the disk or the folder is at fault, and not the program that writes.
_AT_FAULT = {
    getattr(errno, name)
    for name in ("ENOSPC", "EDQUOT", "EFBIG", "EROFS", "EACCES", "EPERM", "EIO")
    if hasattr(errno, name)
}


class CannotWrite(OSError):
    """A sentence on a full disk or a read-only folder, with the path and what to do."""


#: The beginning of a file's name while it is written; place, process and a token follow.
PART = ".part-"
#: Seconds after which a file counts as abandoned if its writer's process cannot be seen from here.
ABANDONED = 3600.0


@contextmanager
def atomic_write(path: Path, parts: Path | None = None) -> Iterator[Path]:
    """A temporary path that takes the place of `path` when the block ends well.

    After a kill either the old file is there or the new one, and perhaps a temporary file, which
    :func:`remove_abandoned` removes. The file is not flushed to the disk; see
    :meth:`experiments.engine.store.Store.flush`. If it cannot be written, a CannotWrite is raised.

    Parameters
    ----------
    path : Path
        Its folder is made if it is missing. Its mode is the one of any new file, by the umask.
    parts : Path, optional
        The folder for the temporary file, on the same file system; the folder of `path` by default.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "a.txt"
    >>> with atomic_write(target) as part:
    ...     _ = part.write_text("all of it")
    >>> target.read_text(), len(list(target.parent.iterdir()))
    ('all of it', 1)
    """
    place = parts or path.parent
    owner = f"{system.place()}-{os.getpid()}"
    part = place / f"{PART}{owner}-{secrets.token_hex(8)}{path.suffix}"
    try:
        if path.is_dir():
            raise CannotWrite(f"cannot write {path}: a folder is in its place; remove that folder")
        for folder in {place, path.parent}:
            folder.mkdir(parents=True, exist_ok=True)
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    except OSError as error:
        raise cannot_write(path, error) from error
    try:
        yield part
        part.replace(path)
    except OSError as error:
        if not at_fault(error):
            raise
        raise cannot_write(path, error) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    with atomic_write(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def write_csv(path: Path, table: "DataFrame", float_format: str = "%.6g") -> None:
    """Write a table, whole or not at all, with six digits."""
    with atomic_write(path) as part:
        without_formulas(table).to_csv(
            part, index=False, float_format=float_format, lineterminator="\n"
        )


def without_formulas(table: "DataFrame") -> "DataFrame":
    """The table, in which an apostrophe precedes texts that a spreadsheet would run as formulas."""

    def mended(cell):
        is_formula = isinstance(cell, str) and FORMULA.match(cell) and not NUMBER.fullmatch(cell)
        return f"'{cell}" if is_formula else cell

    texts = [name for name in table if table[name].dtype.kind not in "biufcMm"]
    table = table.assign(**{str(name): table[name].map(mended) for name in texts})
    if table.index.dtype.kind not in "iu":
        table = table.rename(index=mended).rename_axis(index=mended(table.index.name))
    return table.rename(columns=mended)


def abandoned(folder: Path) -> list[Path]:
    """The temporary files in a folder whose writer has ended without removing them.

    A file of another machine, or of another container, counts as abandoned after an hour.
    """

    def is_abandoned(part):
        place, number, _ = part.name[len(PART) :].rsplit("-", 2)
        if place == system.place() and number.isdigit():
            writes = system.runs(int(number))
            if writes is not None:
                return not writes
        with suppress(OSError):
            return time.time() - part.stat().st_mtime > ABANDONED
        return False

    return [part for part in sorted(folder.glob(f"{PART}*-*-*")) if is_abandoned(part)]


def remove_abandoned(folder: Path) -> None:
    """Remove the files that :func:`abandoned` lists."""
    for part in abandoned(folder):
        with suppress(OSError):
            part.unlink()


def at_fault(error: OSError) -> bool:
    """True if the disk or the folder is at fault."""
    return isinstance(error, CannotWrite) or error.errno in _AT_FAULT


def cannot_write(path: str | os.PathLike | None, error: OSError) -> CannotWrite:
    """The sentence on a path that could not be written, and why."""
    if isinstance(error, CannotWrite):
        return error
    reason = os.strerror(error.errno) if error.errno else str(error)
    return CannotWrite(
        f"cannot write {path}: {reason.lower()}; free some space or choose another folder "
        "(store=PATH, hydra.run.dir=PATH), then run the same command again"
    )
