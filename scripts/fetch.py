"""Fetch data sets into the cache, or verify the copies that are there.

    python scripts/fetch.py                      all that can be had
    python scripts/fetch.py madelon colon        these
    python scripts/fetch.py --check              verify what is there, without a network

Ends with a table; the exit status is 1 where something is wrong.
"""

import argparse
import logging
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from experiments.datasets import DataError
from experiments.datasets import cache as caching
from experiments.datasets.child import LIMITS, Limits
from experiments.datasets.columns import Table
from experiments.datasets.dataset import unknown
from experiments.datasets.loading import (
    cache_file,
    home_folder,
    local_file,
    obtain,
    read_cached,
    read_local,
)
from experiments.datasets.registry import REGISTRY, DatasetInfo
from experiments.datasets.verify import Verified, verify


class Line(NamedTuple):
    """One data set at one place. Its status is verified, unverified, absent or failed."""

    name: str
    status: str
    seconds: float = 0.0
    fingerprint: str = ""
    place: str = ""
    problem: str = ""


def status_table(lines: Sequence[Line]) -> str:
    """Lay out lines as a table, with a sentence below for each problem."""
    heads = ("data set", "status", "seconds", "fingerprint", "from")
    rows = [heads, *((n, s, f"{t:.1f}", f or "-", p or "-") for n, s, t, f, p, _ in lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    text = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([*text, *(f"\n{line.problem}" for line in lines if line.problem)])


def fetch(info: DatasetInfo, home: Path | None, cache: Path, limits: Limits) -> Line:
    """Get a data set into the cache, or say why that failed.

    A data set that is offered nowhere is absent, which is not a failure.
    """
    line = _timed(info, lambda: obtain(info, home, cache, limits=limits, progress=True))
    offered = info.sources or local_file(home, info)
    return line if offered or line.fingerprint else line._replace(status="absent", problem="")


def check(info: DatasetInfo, home: Path | None, cache: Path, limits: Limits) -> list[Line]:
    """Verify the arrays of all copies that are there, without a network."""
    lines = []
    file, cached = local_file(home, info), cache_file(info, cache)
    if file is not None:
        line = _timed(info, lambda: read_local(info, file, limits))
        lines.append(line._replace(place=str(file)))
    if cached.exists():
        line = _timed(info, lambda: _verified_again(info, cache, limits))
        lines.append(line._replace(place=str(cached)))
    return lines or [Line(info.name, "absent")]


def _timed(info: DatasetInfo, get: Callable[[], Verified]) -> Line:
    start = time.perf_counter()
    try:
        table = get()
    except DataError as error:
        return Line(info.name, "failed", time.perf_counter() - start, problem=str(error))
    status = "verified" if table.verified else "unverified"
    seconds = time.perf_counter() - start
    return Line(info.name, status, seconds, table.fingerprint, table.source)


def _verified_again(info: DatasetInfo, cache: Path, limits: Limits) -> Verified:
    table = read_cached(info, cache, None, limits)
    if table is None:
        raise DataError(
            f"{info.name}: the cache file {cache_file(info, cache)} is damaged; the next use makes "
            "it anew"
        )
    return verify(info, Table(table.X, table.y, table.feature_names), table.source)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(REGISTRY))
    parser.add_argument("--check", action="store_true", help="verify what is there, no network")
    parser.add_argument("--home", metavar="FOLDER", help="local files; else MANIFEST_DATA")
    parser.add_argument("--cache", metavar="FOLDER", help="parsed data; else MANIFEST_CACHE")
    parser.add_argument(
        "--max-gib", type=float, default=LIMITS.max_gib, help="limit of memory for reading"
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=LIMITS.timeout,
        help="seconds for a download and for reading",
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
                lines += check(info, home, cache, limits)
            else:
                print(f"{name} ...", file=sys.stderr)
                lines.append(fetch(info, home, cache, limits))
    except DataError as error:
        parser.error(str(error))
    print(status_table(lines))
    wrong = {"failed", "absent"} if given.names else {"failed"}
    return int(any(line.status in wrong for line in lines))


if __name__ == "__main__":
    sys.exit(main())
