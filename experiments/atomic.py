"""Files that appear whole or not at all, and one sentence where they cannot be written."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: What says that the place is at fault, and not whoever writes.
_AT_FAULT = {
    getattr(errno, name)
    for name in ("ENOSPC", "EDQUOT", "EFBIG", "EROFS", "EACCES", "EPERM", "EIO")
    if hasattr(errno, name)
}


class CannotWrite(OSError):
    """A full disk, a read-only folder: a sentence with the path and what to do."""


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends well.

    After a kill the old file is there, or the new one, and at most a file whose name starts with a
    dot. Nothing is flushed to the disk itself: after a power cut a file may be damaged.

    Raises
    ------
    CannotWrite

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "a.txt"
    >>> with atomic_write(target) as part:
    ...     _ = part.write_text("all of it")
    >>> target.read_text(), len(list(target.parent.iterdir()))
    ('all of it', 1)
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=path.suffix)
        os.close(handle)
    except OSError as error:
        raise cannot_write(path, error) from error
    part = Path(name)
    try:
        yield part
        part.chmod(0o644)
        part.replace(path)
    except OSError as error:
        if not at_fault(error):
            raise
        raise cannot_write(path, error) from error
    finally:
        part.unlink(missing_ok=True)


def at_fault(error: OSError) -> bool:
    """Whether it is the disk or the folder that cannot be written to."""
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
