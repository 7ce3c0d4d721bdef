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

from experiments.engine.store_report import (
    StoredUnit,
    entries,
    faults,
    of_other_format,
    unfinished,
)


def show(root: Path, units: bool) -> int:
    found = list(entries(root))
    whole = [entry for entry in found if isinstance(entry, StoredUnit)]
    if units:
        for one in whole:
            code = "present" if one.present else "outdated"
            told = json.dumps(one.determinants, sort_keys=True)
            print(one.path.stem, one.kind, one.experiment, one.dataset, code, told)
    elif whole:
        columns = ["experiment", "dataset", "kind", "present", "size", "written"]
        table = pd.DataFrame([[getattr(one, name) for name in columns] for one in whole])
        table.columns = pd.Index(columns)
        table["code"] = table.pop("present").map({True: "present", False: "outdated"})
        groups = table.groupby(["experiment", "dataset", "kind", "code"])
        sums = groups.agg(units=("size", "size"), MB=("size", "sum"), last=("written", "max"))
        sums["MB"] = (sums["MB"] / 1e6).round(2)
        sums["last"] = pd.to_datetime(sums["last"], unit="s").dt.strftime("%Y-%m-%d %H:%M UTC")
        print(sums.reset_index().to_string(index=False))
    damaged = len(found) - len(whole)
    print(f"{len(whole)} units, {sum(one.size for one in whole) / 1e6:.1f} MB in {root}")
    if damaged:
        print(f"{damaged} files are damaged or of another format; see verify")
    return 0


def verify(root: Path) -> int:
    damaged = faults(root)
    for path, told in damaged.items():
        print(f"{path}: {told}")
    total = sum(1 for _ in entries(root))
    print(f"{total} units in {root}, {len(damaged)} damaged")
    if damaged:
        print("the next run computes them again; `prune --damaged` removes them")
    return int(bool(damaged))


def prune(root: Path, given: argparse.Namespace) -> int:
    outdated, experiment, dry = given.outdated, given.experiment, given.dry_run
    chosen = set(unfinished(root, Path(given.runs)))
    chosen |= set(faults(root)) if given.damaged else set()
    chosen |= set(of_other_format(root)) if outdated else set()
    chosen |= {
        one.path
        for one in entries(root)
        if isinstance(one, StoredUnit)
        and ((outdated and not one.present) or (experiment and one.experiment == experiment))
    }
    size = sum(path.stat().st_size for path in chosen) / 1e6
    for path in sorted(chosen):
        if dry:
            print(path)
        else:
            path.unlink(missing_ok=True)
    print(f"{len(chosen)} files, {size:.1f} MB, {'would be ' if dry else ''}removed from {root}")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", default="outputs/store", metavar="PATH", help="%(default)s")
    does = parser.add_subparsers(dest="does", required=True)
    does.add_parser("list").add_argument("--units", action="store_true", help="show every unit")
    does.add_parser("verify")
    pruning = does.add_parser("prune")
    pruning.add_argument("--outdated", action="store_true", help="units of older code or format")
    pruning.add_argument("--experiment", metavar="NAME", help="units first computed for it")
    pruning.add_argument("--damaged", action="store_true", help="units that cannot be read")
    pruning.add_argument(
        "--runs",
        default="outputs",
        metavar="PATH",
        help="folder of runs, for what killed ones left",
    )
    pruning.add_argument("--dry-run", action="store_true", help="say what would be removed")
    given = parser.parse_args(arguments)
    root = Path(given.store)
    if not root.is_dir():
        parser.error(f"there is no store at {root}; name one with --store PATH")
    if given.does == "list":
        return show(root, given.units)
    if given.does == "verify":
        return verify(root)
    return prune(root, given)


if __name__ == "__main__":
    sys.exit(main())
