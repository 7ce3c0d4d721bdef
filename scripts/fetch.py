"""Fetch data sets into the cache, or verify the existing copies.

    python scripts/fetch.py                      all that are available
    python scripts/fetch.py madelon colon        the named ones
    python scripts/fetch.py --check              verify existing copies, without a network

Prints a table at the end; the exit status is 1 if something is wrong.
"""

import logging
import sys
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pandas as pd

from experiments.datasets import DataError
from experiments.datasets.dataset import unknown
from experiments.datasets.loading import Store
from experiments.datasets.registry import REGISTRY, DatasetInfo
from experiments.report.text import aligned

#: Characters of a cell, enough for a whole path.
WIDEST = 4096


def copies(info: DatasetInfo, store: Store, *, is_check: bool) -> list[dict]:
    """Fetch a data set, or verify its existing copies without a network; return a row for each.

    A copy is "verified", "unverified", or "failed" with a problem. A data set is "absent" if it has
    no copy, and is offered nowhere or only checked; this is not a failure, unless it was named.
    """
    local: Path | None = store.local_file(info)
    files: list[Path | None] = [None]
    if is_check:
        files = [file for file in (local, store.cache_file(info)) if file and file.exists()]
    rows = []
    for file in files:
        start, row = time.perf_counter(), {"data set": info.name}
        try:
            data = store.read(info, file) if file else store.obtain(info)
            row |= {"status": "verified" if data.verified else "unverified"}
            row |= {"fingerprint": data.fingerprint, "from": data.source}
        except DataError as error:
            is_offered = info.sources or local or is_check
            row |= {"status": "failed" if is_offered else "absent", "problem": str(error)}
        rows.append(row | {"seconds": f"{time.perf_counter() - start:.1f}"})
    return rows or [{"data set": info.name, "status": "absent"}]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit status."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(REGISTRY))
    parser.add_argument("--check", action="store_true", help="verify existing copies, no network")
    parser.add_argument("--home", metavar="FOLDER", help="local files; default: MANIFEST_DATA")
    parser.add_argument("--cache", metavar="FOLDER", help="parsed data; default: MANIFEST_CACHE")
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    names, rows = given.names or list(REGISTRY), []
    try:
        if strangers := [name for name in names if name not in REGISTRY]:
            raise DataError(unknown("data set", strangers[0], REGISTRY))
        store = Store(given.home, given.cache)
        for name in names:
            print(f"{name} ...", file=sys.stderr)
            rows += copies(REGISTRY[name], store, is_check=given.check)
    except DataError as error:
        parser.error(str(error))
    columns = ["data set", "status", "seconds", "fingerprint", "from"]
    table = pd.DataFrame(rows, columns=[*columns, "problem"], dtype=object).fillna("")
    print(aligned(table[columns], WIDEST), end="")
    for problem in filter(None, table["problem"]):
        print(f"\n{problem}")
    wrong = {"failed", "absent"} if given.names else {"failed"}
    return int(table["status"].isin(wrong).any())


if __name__ == "__main__":
    sys.exit(main())
