"""What a store holds: by kind, experiment and code; damaged, outdated or unfinished files."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from experiments.atomic import PART, abandoned
from experiments.engine import unit_file
from experiments.engine.code import code_digest
from experiments.engine.keys import digest
from experiments.engine.store import PARTS


@dataclass(frozen=True)
class StoredUnit:
    """A file of a store.

    Attributes
    ----------
    path : Path
    size : int
        In bytes.
    written : float
        Seconds since the epoch.
    kind, experiment, dataset : str
        The experiment and the data set are those that the unit was first computed for.
    determinants : dict
    present : bool
        Whether the code that computed it is the present code.
    """

    path: Path
    size: int
    written: float
    kind: str
    experiment: str
    dataset: str
    determinants: dict
    present: bool


def entries(root: Path) -> Iterator[StoredUnit | Path]:
    """The units of a store in the order of their keys; for a damaged unit only its path."""
    for path in _files(root):
        try:
            stored = unit_file.describe(path)
            kind, code, determinants = json.loads(stored.text)
            note, about = json.loads(stored.note), path.stat()
        except unit_file.DAMAGE:
            if path.exists():  # else removed at this moment by someone else
                yield path
            continue
        yield StoredUnit(
            path,
            about.st_size,
            about.st_mtime,
            kind,
            note.get("experiment", ""),
            note.get("dataset", ""),
            determinants,
            _is_present(code),
        )


def _files(root):
    return sorted(path for path in root.glob("??/*.parquet") if not path.name.startswith("."))


def _is_present(code):
    """Whether the modules that a unit's code began in are here and have the same digest."""
    try:
        keywords = tuple(code.get("keywords", ()))
        return code_digest(tuple(code["modules"]), keywords) == code["digest"]
    except (ImportError, OSError, SyntaxError):
        return False


def fault(path: Path) -> str | None:
    """What is wrong with a unit's file; None if nothing is wrong.

    The whole file is read, and its checksum is compared. Its name must be the digest of the text
    that determines the unit, which the file contains.
    """
    try:
        stored = unit_file.decode(path.read_bytes())
    except unit_file.DAMAGE as error:
        return " ".join(str(error).split()) or type(error).__name__
    return None if digest(stored.text) == path.stem else "its name is another unit's"


def faults(root: Path) -> dict[Path, str]:
    """Every damaged unit of a store, and what is wrong with it."""
    return {path: told for path in _files(root) if (told := fault(path)) is not None}


def of_other_format(root: Path) -> list[Path]:
    """The units that a version of this project with another file format has written."""
    found = []
    for path in _files(root):
        try:
            unit_file.describe(path)
        except unit_file.OtherFormat:
            found.append(path)
        except unit_file.DAMAGE:
            continue
    return found


def unfinished(root: Path, runs: Path) -> list[Path]:
    """What killed processes left half written in a store, and below a folder of runs."""
    folders = {root / PARTS, *(path.parent for path in runs.rglob(f"{PART}*"))}
    return sorted(part for folder in folders for part in abandoned(folder))
