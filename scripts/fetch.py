"""Fetch data sets into the cache, or verify the copies that are there.

    python scripts/fetch.py                      all that can be had
    python scripts/fetch.py madelon colon        these
    python scripts/fetch.py --check              verify what is there, without a network

Ends with a table; the exit status is 1 where something is wrong.
"""

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from experiments.datasets import DataError
from experiments.datasets import cache as caching
from experiments.datasets.dataset import unknown
from experiments.datasets.inventory import Line, check, fetch, laid_out
from experiments.datasets.limits import LIMITS, Limits
from experiments.datasets.loading import home_folder
from experiments.datasets.registry import REGISTRY


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(REGISTRY))
    parser.add_argument("--check", action="store_true", help="verify what is there, no network")
    parser.add_argument("--home", metavar="FOLDER", help="local files; else MANIFEST_DATA")
    parser.add_argument("--cache", metavar="FOLDER", help="parsed data; else MANIFEST_CACHE")
    parser.add_argument(
        "--max-gib", type=float, default=LIMITS.max_gib, help="limit of memory for a table"
    )
    parser.add_argument(
        "--timeout", type=float, default=LIMITS.timeout, help="seconds that a download may take"
    )
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    home, cache = home_folder(given.home), caching.folder(given.cache)
    lines: list[Line] = []
    try:
        limits = Limits(given.max_gib, given.timeout)
        for name in given.names or REGISTRY:
            if name not in REGISTRY:
                raise DataError(unknown("data set", name, REGISTRY))
            info = REGISTRY[name]
            if given.check:
                lines += check(info, home, cache, limits=limits)
            else:
                print(f"{name} ...", file=sys.stderr)
                lines.append(fetch(info, home, cache, limits=limits))
    except DataError as error:
        parser.error(str(error))
    print(laid_out(lines))
    wrong = {"failed", "absent"} if given.names else {"failed"}
    return int(any(line.status in wrong for line in lines))


if __name__ == "__main__":
    sys.exit(main())
