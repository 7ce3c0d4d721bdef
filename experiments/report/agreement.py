"""Compare rows that were computed again with the stored ones, and files with their digests."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.report.stored import provenance_of

#: The columns that identify a row; rows that agree in all of them are matched by their order.
KEYS = """case value data_set n_train dataset part method tuning ranking_share split draw
n_features class_1 class_2 geometry image class"""
#: Columns that depend on all repetitions, on the clock, or on every bit (t-SNE is chaotic).
PASSED = {"place", "tuned", "stability", "chosen_stability", "seconds", "x", "y", "label"}
#: Columns of the kind recovery that are filled only for the best candidate of all draws.
OF_BEST = {"scores", "relevant", "accuracy", "validation", "log2_C", "log2_gamma"}
#: Numbers may differ by this share of the largest of their column.
TOLERANCE = 1e-8


def compared(committed, computed, kind, same_code, vague=()):
    """Return the number of common rows, their differences, and the methods not compared.

    A difference names its column, the first row, and both values. Not compared are the `vague`
    methods, and those with an ambiguous ranking unless the code of the processor is the same.
    """
    keys = [*KEYS.split(), *["parameters"] * (kind == "recovery")]
    keys = [name for name in keys if name in computed and name in committed]
    for table in (computed, committed):
        table["place"] = table.groupby(keys, dropna=False).cumcount()
        flags = table.select_dtypes(["boolean", "Int64"])  # Their missing values are not None.
        table[flags.columns] = flags.astype(object).where(flags.notna(), None)
    both = computed.merge(committed, on=[*keys, "place"], suffixes=("", "_committed"))
    n, differences = len(both), list[str]()
    if both.empty and not computed.empty:
        differences.append("no row is among the committed rows")
    if not same_code and "ambiguous" in both:
        flagged = both["ambiguous"].eq(True) | both["ambiguous_committed"].eq(True)
        vague = {*vague, *both.loc[flagged, "method"]}
    if "method" in both:
        both = both[~both["method"].isin(vague)]
        lost = {*computed["method"]} - {*both["method"], *vague}
        differences += [f"{name}: none of its rows is a committed one" for name in sorted(lost)]
    for name in sorted(set(computed) & set(committed) - {*keys, *PASSED}):
        of_best = kind == "recovery" and name in OF_BEST
        rows = both[both["tuned"] & both["tuned_committed"]] if of_best else both
        pairs = [*zip(rows[f"{name}_committed"], rows[name], strict=True)]
        floats = [np.ravel(was) for was, _ in pairs if np.asarray(was).dtype.kind == "f"]
        floats = np.nan_to_num(np.concatenate([*floats, [0.0]]), posinf=0, neginf=0)
        allowed = TOLERANCE * np.max(np.abs(floats))
        if other := [i for i, pair in enumerate(pairs) if not _are_equal(*pair, allowed)]:
            was, now = (" ".join(str(value).split())[:60] for value in pairs[other[0]])
            where = ", ".join(f"{k} {v}" for k, v in rows.iloc[other[0]][keys].dropna().items())
            differences.append(f"{name}, {len(other)} rows, first {where}: {now}, stored {was}")
    return n, differences, sorted(vague)


def _are_equal(was: Any, now: Any, allowed: float) -> bool:
    """True if two cells are equal, or numbers nearly; missing values are equal."""
    was, now = np.asarray(was), np.asarray(now)
    if was.shape != now.shape:
        return False
    if {was.dtype.kind, now.dtype.kind} <= set("iufb"):
        return np.allclose(now, was, rtol=0, atol=allowed, equal_nan=True)
    return bool(np.all((was == now) | (pd.isna(was) & pd.isna(now))))


def digests(contents: Mapping[str, bytes]) -> dict[str, str]:
    """Return the SHA-256 digest of each file of rows among the files of a run, by its name."""
    rows = {name: content for name, content in contents.items() if name.endswith(".parquet")}
    return {name: hashlib.sha256(content).hexdigest() for name, content in rows.items()}


def altered(folder: Path) -> list[str]:
    """Return what is wrong with the files of rows in a folder, by the digests of its provenance."""
    here = digests({path.name: path.read_bytes() for path in folder.glob("*.parquet")}).items()
    known = provenance_of(folder).get("digests", {}).items()
    return [f"{name} is not that of its run" for name in sorted({name for name, _ in here ^ known})]
