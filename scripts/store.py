"""The store of finished units: list what it holds, remove what is not needed.

    python scripts/store.py list                          by experiment, kind and code
    python scripts/store.py prune                         what killed runs left half written
    python scripts/store.py prune --outdated --dry-run    also what the present code cannot use

Each run verifies the units that it reads, and computes again what is missing or damaged: pruning
loses time, never results. The experiment of a unit is the one that it was first computed for. Any
Parquet reader opens a unit.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pandas as pd

from experiments.atomic import PART, abandoned, cannot_write
from experiments.engine import unit_file
from experiments.engine.code import code_digest
from experiments.engine.keys import digest
from experiments.engine.store import PARTS
from experiments.report.text import aligned

COLUMNS = ["path", "code", "kind", "experiment", "dataset", "size", "written"]


def units(root: Path) -> pd.DataFrame:
    """The files of a store in the order of their keys.

    "code" is "present" if the present code has computed a unit, else "outdated": it is of older
    code or of another file format, or its metadata are damaged. The experiment and the data set are
    those that the unit was first computed for. "size" is in bytes, "written" in seconds since the
    epoch.
    """
    rows = []
    for path in sorted(root.glob("??/[!.]*.parquet")):
        try:
            rows.append({"path": path, **_about(path)})
        except FileNotFoundError:  # someone else has removed it
            continue
        except unit_file.DAMAGE:
            rows.append({"path": path, "code": "outdated"})
    return pd.DataFrame(rows, columns=COLUMNS)


def _about(path):
    stored, about = unit_file.describe(path), path.stat()
    if digest(stored.text) != path.stem:
        raise unit_file.Damaged("its name is another unit's")
    (kind, code, _), note = json.loads(stored.text), json.loads(stored.note)
    return {
        "code": "present" if _is_present(code) else "outdated",
        "kind": kind,
        "experiment": note.get("experiment", ""),
        "dataset": note.get("dataset", ""),
        "size": about.st_size,
        "written": about.st_mtime,
    }


def _is_present(code):
    """True if the modules that a unit's code began in are here and have the same digest."""
    try:
        return code_digest(tuple(code["modules"])) == code["digest"]
    except (ImportError, OSError, SyntaxError):
        return False


def show(root: Path) -> None:
    stored = units(root)
    whole = stored[stored["size"].notna()]
    if len(whole):
        groups = whole.groupby(["experiment", "dataset", "kind", "code"])
        sums = groups.agg(units=("size", "size"), MB=("size", "sum"), last=("written", "max"))
        sums["MB"] /= 1e6
        sums["last"] = pd.to_datetime(sums["last"], unit="s").dt.strftime("%Y-%m-%d %H:%M UTC")
        print(aligned(sums.reset_index()), end="")
    print(f"{len(whole)} units, {whole['size'].sum() / 1e6:.1f} MB in {root}")
    if len(stored) > len(whole):
        print(f"{len(stored) - len(whole)} files cannot be read; `prune --outdated` removes them")


def prune(root: Path, given: argparse.Namespace) -> None:
    half_written = {root / PARTS, *(path.parent for path in given.runs.rglob(f"{PART}*"))}
    paths = {path for folder in half_written for path in abandoned(folder)}
    if given.outdated:
        stored = units(root)
        paths |= set(stored.loc[stored["code"] == "outdated", "path"])
    size = sum(map(_size, paths)) / 1e6
    for path in sorted(paths):
        if given.dry_run:
            print(path)
            continue
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            sys.exit(f"store.py: {cannot_write(path, error)}")
    removed = "would be removed" if given.dry_run else "removed"
    print(f"{len(paths)} files, {size:.1f} MB, {removed} from {root}")


def _size(path):
    """The size of a file in bytes; 0 if a run has finished it, or removed it, in between."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", default="outputs/store", metavar="PATH", help="%(default)s")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list")
    pruning = commands.add_parser("prune")
    outdated_help = "units of older code or format, or damaged ones"
    pruning.add_argument("--outdated", action="store_true", help=outdated_help)
    runs_help = "folder of runs, for what killed ones left"
    pruning.add_argument("--runs", type=Path, default="outputs", metavar="PATH", help=runs_help)
    pruning.add_argument("--dry-run", action="store_true", help="say what would be removed")
    given = parser.parse_args(arguments)
    root = Path(given.store)
    if not root.is_dir():
        parser.error(f"there is no store at {root}; name one with --store PATH")
    if given.command == "list":
        show(root)
    else:
        prune(root, given)


if __name__ == "__main__":
    main()
