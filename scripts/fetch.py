"""Fetch data sets into the cache, and verify the copies that are there already.

    python scripts/fetch.py                      all that are available
    python scripts/fetch.py madelon colon        the named ones

Prints a table at the end; the exit status is 1 if one of the data sets is not available.
"""

import logging
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pandas as pd

from experiments.datasets import DataError, load
from experiments.datasets.registry import REGISTRY
from experiments.report.text import aligned


def main(arguments: list[str] | None = None) -> int:
    """Run the command, and return its exit status."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(REGISTRY))
    names = parser.parse_args(arguments).names
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    rows, failed = [], False
    for name in names or [name for name, info in REGISTRY.items() if info.sources]:
        print(f"{name} ...", file=sys.stderr)
        try:
            data = load(name)
            status = "verified" if data.verified else "unverified"
            rows.append((name, status, data.fingerprint, data.source))
        except DataError as error:
            rows.append((name, "failed", "", str(error)))
            failed = True
    print(aligned(pd.DataFrame(rows, columns=["data set", "status", "fingerprint", "from"]), 999))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
