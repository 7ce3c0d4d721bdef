"""The store of finished units: list what it holds, verify every file, remove what is not needed.

    python scripts/store.py list                          by experiment, kind and code
    python scripts/store.py list --units                  every unit, with what determines it
    python scripts/store.py verify                        read all; exit status 1 if any is damaged
    python scripts/store.py prune                         what killed runs left half written
    python scripts/store.py prune --outdated --dry-run    also what older code has computed
    python scripts/store.py prune --experiment xor100 --damaged

Runs compute again what is missing or damaged: pruning loses time, never results. The experiment of
a unit is the one that it was first computed for. Any Parquet reader opens a unit.
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

COLUMNS = [
    *("path", "code", "fault", "kind", "experiment", "dataset", "determinants"),
    *("size", "written"),
]


def units(root: Path, with_rows: bool = False) -> pd.DataFrame:
    """The files of a store in the order of their keys, damaged ones included.

    "code" is "present" if the present code has computed a unit; "outdated" if older code has, or a
    version of this project with another file format; "damaged". "fault" is the reason why a file
    cannot be read, or "". The experiment and the data set are those that the unit was first
    computed for. "size" is in bytes, "written" in seconds since the epoch.

    With rows, the whole file is read and its checksum is compared, otherwise the metadata alone.
    Its name must be the digest of the text that determines the unit.
    """
    rows = []
    for path in sorted(root.glob("??/[!.]*.parquet")):
        try:
            rows.append({"path": path, "fault": "", **_about(path, with_rows)})
        except FileNotFoundError:  # someone else has removed it
            continue
        except unit_file.DAMAGE as error:
            state = "outdated" if isinstance(error, unit_file.OtherFormat) else "damaged"
            fault = " ".join(str(error).split()) or type(error).__name__
            rows.append({"path": path, "code": state, "fault": fault})
    return pd.DataFrame(rows, columns=COLUMNS)


def _about(path, with_rows):
    about = path.stat()
    stored = unit_file.decode(path.read_bytes()) if with_rows else unit_file.describe(path)
    if digest(stored.text) != path.stem:
        raise unit_file.Damaged("its name is another unit's")
    (kind, code, determinants), note = json.loads(stored.text), json.loads(stored.note)
    return {
        "code": "present" if _is_present(code) else "outdated",
        "kind": kind,
        "experiment": note.get("experiment", ""),
        "dataset": note.get("dataset", ""),
        "determinants": json.dumps(determinants, sort_keys=True),
        "size": about.st_size,
        "written": about.st_mtime,
    }


def _is_present(code):
    """True if the modules that a unit's code began in are here and have the same digest."""
    try:
        return code_digest(tuple(code["modules"])) == code["digest"]
    except (ImportError, OSError, SyntaxError):
        return False


def show(root: Path, every_unit: bool) -> int:
    stored = units(root)
    whole = stored[stored["fault"] == ""]
    if every_unit:
        names = ["kind", "experiment", "dataset", "code", "determinants"]
        for path, about in zip(whole["path"], whole[names].to_numpy(), strict=True):
            print(path.stem, *about)
    elif len(whole):
        groups = whole.groupby(["experiment", "dataset", "kind", "code"])
        sums = groups.agg(units=("size", "size"), MB=("size", "sum"), last=("written", "max"))
        sums["MB"] /= 1e6
        sums["last"] = pd.to_datetime(sums["last"], unit="s").dt.strftime("%Y-%m-%d %H:%M UTC")
        print(aligned(sums.reset_index()), end="")
    print(f"{len(whole)} units, {whole['size'].sum() / 1e6:.1f} MB in {root}")
    if len(stored) > len(whole):
        print(f"{len(stored) - len(whole)} files are damaged or of another format; see verify")
    return 0


def verify(root: Path) -> int:
    stored = units(root, with_rows=True)
    faulty = stored[stored["fault"] != ""]
    for path, fault in zip(faulty["path"], faulty["fault"], strict=True):
        print(f"{path}: {fault}")
    print(f"{len(stored)} units in {root}, {len(faulty)} damaged")
    if len(faulty):
        print("the next run computes them again; `prune --damaged` removes them")
    return int(len(faulty) > 0)


def prune(root: Path, given: argparse.Namespace) -> int:
    half_written = {root / PARTS, *(path.parent for path in given.runs.rglob(f"{PART}*"))}
    paths = {path for folder in half_written for path in abandoned(folder)}
    stored = units(root, with_rows=given.damaged)
    chosen = given.outdated & (stored["code"] == "outdated")
    chosen |= given.damaged & (stored["fault"] != "")
    chosen |= bool(given.experiment) & (stored["experiment"] == given.experiment)
    paths |= set(stored.loc[chosen, "path"])
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
    return 0


def _size(path):
    """The size of a file in bytes; 0 if a run has finished it, or removed it, in between."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", default="outputs/store", metavar="PATH", help="%(default)s")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list").add_argument("--units", action="store_true", help="every unit")
    commands.add_parser("verify")
    pruning = commands.add_parser("prune")
    pruning.add_argument("--outdated", action="store_true", help="units of older code or format")
    pruning.add_argument("--experiment", metavar="NAME", help="units first computed for it")
    pruning.add_argument("--damaged", action="store_true", help="units that cannot be read")
    runs_help = "folder of runs, for what killed ones left"
    pruning.add_argument("--runs", type=Path, default="outputs", metavar="PATH", help=runs_help)
    pruning.add_argument("--dry-run", action="store_true", help="say what would be removed")
    given = parser.parse_args(arguments)
    root = Path(given.store)
    if not root.is_dir():
        parser.error(f"there is no store at {root}; name one with --store PATH")
    if given.command == "list":
        return show(root, given.units)
    if given.command == "verify":
        return verify(root)
    return prune(root, given)


if __name__ == "__main__":
    sys.exit(main())
