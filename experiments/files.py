"""Write files atomically: a file appears whole or not at all."""

import errno
import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

#: The beginning of a text that a spreadsheet runs; a number with a sign is none.
FORMULA = re.compile(r"\s*[=@]|\s*[+-](?![\d.]+(e[+-]?\d+)?\s*$)", re.IGNORECASE)

#: Errors of a disk without space.
FULL = (errno.ENOSPC, errno.EDQUOT)


class Outputs(NamedTuple):
    """What a run has for its folder, its provenance and the terminal."""

    #: Name of a file -> its content.
    files: dict[str, bytes]
    #: The name and the fingerprint of the samples, and more about them.
    data: dict[str, Any]
    text: str
    #: Draws what is looked at into the folder, from these files; returns the paths.
    draw: Callable[[Path], list[Path]]


class CannotWrite(OSError):
    """Raised if a file cannot be written; the message has the path and says what to do."""

    def __init__(self, path: str | os.PathLike, cause: BaseException):
        reason = getattr(cause, "strerror", None) or str(cause)
        is_full = getattr(cause, "errno", None) in FULL
        super().__init__(
            f"cannot write {path}: {reason.lower()}; {'free some space or ' if is_full else ''}"
            "choose another folder (store=PATH, hydra.run.dir=PATH), then run the command again"
        )
        self.given = str(path), OSError(getattr(cause, "errno", None), reason)

    def __reduce__(self) -> tuple:
        """Reach another process by what it was made of."""
        return CannotWrite, self.given


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a temporary path that replaces `path` if the block ends without an error.

    Raises
    ------
    CannotWrite
        If the system cannot write there.
    """
    part = path.with_name(f".{path.stem}-{secrets.token_hex(8)}{path.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield part
        part.replace(path)
    except OSError as error:
        raise error if isinstance(error, CannotWrite) else CannotWrite(path, error) from error
    finally:
        with suppress(OSError):
            part.unlink()


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    with atomic_write(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def as_csv(table: "pd.DataFrame") -> str:
    """Return the text of a table, with six digits of each number.

    A cell that a spreadsheet would run as a formula begins with a quote.
    """
    import pandas as pd  # It takes half a second, and the first message of a run needs no table.

    table = table.rename(columns=_quoted)
    for place, kind in enumerate(table.dtypes):
        if kind.kind == "O":  # It has texts, or any objects.
            cells = [_quoted(cell) for cell in table.iloc[:, place]]
            table.isetitem(place, pd.array(cells, dtype=object))
    return table.to_csv(index=False, float_format="%.6g", lineterminator="\n")


def _quoted(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and FORMULA.match(cell) else cell
