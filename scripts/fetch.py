"""Fetch data sets into the cache, and verify the copies that are there already.

    python scripts/fetch.py                      all that have a public source
    python scripts/fetch.py madelon colon        the named ones

The exit status is 1 if one of the data sets is not available.
"""

import logging
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from experiments.datasets import DataError, load
from experiments.datasets.registry import REGISTRY


def main(names: list[str]) -> int:
    """Fetch data sets, say what each is, and return the exit status."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    failed = False
    for name in names or [name for name, info in REGISTRY.items() if info.sources]:
        try:
            data = load(name)
            status = "verified" if data.verified else "unverified"
            print(f"{name}: {status}, {data.fingerprint}, {data.source}", flush=True)
        except DataError as error:
            print(f"{name}: failed, {error}", flush=True)
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
