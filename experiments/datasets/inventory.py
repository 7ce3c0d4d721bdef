"""One line for each data set that is there or can be fetched, for `scripts/fetch.py`."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from experiments.datasets import cache as caching
from experiments.datasets import folder, formats
from experiments.datasets.dataset import DataError
from experiments.datasets.limits import LIMITS, Limits
from experiments.datasets.loading import obtain
from experiments.datasets.registry import DatasetInfo
from experiments.datasets.table import Table
from experiments.datasets.verify import Verified, verify


class Line(NamedTuple):
    """One data set at one place. Its status is verified, unverified, absent or failed."""

    name: str
    status: str
    seconds: float = 0.0
    fingerprint: str = ""
    place: str = ""
    problem: str = ""


def laid_out(lines: Sequence[Line]) -> str:
    """Lay out lines as a table, with a sentence below for each problem."""
    heads = ("data set", "status", "seconds", "fingerprint", "from")
    rows = [heads, *((n, s, f"{t:.1f}", f or "-", p or "-") for n, s, t, f, p, _ in lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    text = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([*text, *(f"\n{line.problem}" for line in lines if line.problem)])


def fetch(
    info: DatasetInfo,
    home: Path | None,
    cache: Path,
    *,
    limits: Limits = LIMITS,
    progress: bool = True,
) -> Line:
    """Get a data set into the cache, or say why that failed.

    A data set that is offered nowhere is absent, which is not a failure.
    """
    line = _timed(info, lambda: obtain(info, home, cache, limits=limits, progress=progress))
    offered = info.sources or folder.of(home, info)
    return line if offered or line.fingerprint else line._replace(status="absent", problem="")


def check(
    info: DatasetInfo, home: Path | None, cache: Path, *, limits: Limits = LIMITS
) -> list[Line]:
    """Verify the arrays of all copies that are there, without a network."""
    lines = []
    file = folder.of(home, info)
    if file is not None:
        line = _timed(info, lambda: verify(info, formats.read(file, limits=limits), str(file)))
        lines.append(line._replace(place=str(file)))
    path = caching.path(cache, info)
    if path.exists():
        line = _timed(info, lambda: verify(info, *_from_cache(info, cache, limits)))
        lines.append(line._replace(place=str(path)))
    return lines or [Line(info.name, "absent")]


def _timed(info: DatasetInfo, get: Callable[[], Verified]) -> Line:
    start = time.perf_counter()
    try:
        found = get()
    except DataError as error:
        return Line(info.name, "failed", time.perf_counter() - start, problem=str(error))
    status = "verified" if found.verified else "unverified"
    seconds = time.perf_counter() - start
    return Line(info.name, status, seconds, found.fingerprint, found.source)


def _from_cache(info: DatasetInfo, cache: Path, limits: Limits) -> tuple[Table, str]:
    found = caching.read(cache, info, limits=limits)
    if found is None:
        raise DataError(
            f"{info.name}: the cache file {caching.path(cache, info)} is damaged; "
            "the next use makes it anew"
        )
    return Table(found.X, found.y, found.feature_names), found.source
