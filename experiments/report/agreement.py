"""Compare rows that were computed again with the stored ones."""

from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd

#: The columns that identify a row; rows that agree in all of them are matched by their order.
KEYS = """case value data_set n_train dataset part method tuning ranking_share split draw
n_features class_1 class_2 geometry image class"""
#: Columns that depend on all repetitions or on the clock, and labels.
PASSED = {"place", "tuned", "stability", "chosen_stability", "seconds", "label"}
#: Columns of the kind recovery that depend on every bit, because t-SNE is chaotic.
OF_TSNE = {"x", "y"}
#: Columns of the kind recovery that are filled only for the best candidate of all draws.
OF_BEST = {"scores", "relevant", "accuracy", "validation", "log2_C", "log2_gamma"}
#: Numbers may differ by this share of the largest of their column.
TOLERANCE = 1e-8


def compared(
    committed: pd.DataFrame,
    computed: pd.DataFrame,
    kind: str,
    same_code: bool,
    vague: Collection[str] = (),
) -> tuple[int, list[str], list[str]]:
    """Return the number of common rows, their differences, and the methods not compared.

    A difference names its column, the first row, and both values. Not compared are the `vague`
    methods, and those with an ambiguous ranking unless the code of the processor is the same.
    """
    keys = KEYS.split()
    passed = PASSED
    if kind == "recovery":
        keys.append("parameters")
        passed = PASSED | OF_TSNE
    keys = [name for name in keys if name in computed and name in committed]
    computed, committed = computed.copy(), committed.copy()
    for table in (computed, committed):
        table["place"] = table.groupby(keys, dropna=False).cumcount()
        nullable = table.select_dtypes(["boolean", "Int64"])  # Missing values are not None.
        table[nullable.columns] = nullable.astype(object).where(nullable.notna(), None)
    both = computed.merge(committed, on=[*keys, "place"], suffixes=("", "_committed"))
    n = len(both)
    differences = []
    if both.empty and not computed.empty:
        differences.append("no row is among the committed rows")
    if not same_code and "ambiguous" in both:
        is_ambiguous = both["ambiguous"].eq(True) | both["ambiguous_committed"].eq(True)
        vague = {*vague, *both.loc[is_ambiguous, "method"]}
    if "method" in both:
        both = both[~both["method"].isin(vague)]
        lost = set(computed["method"]) - {*both["method"], *vague}
        for name in sorted(lost):
            differences.append(f"{name}: none of its rows is a committed one")
    for name in sorted({*computed.columns} & {*committed.columns} - {*keys, *passed}):
        rows = both
        if kind == "recovery" and name in OF_BEST:
            rows = both[both["tuned"] & both["tuned_committed"]]
        difference = _difference(rows, name, keys)
        if difference:
            differences.append(difference)
    return n, differences, sorted(vague)


def _difference(rows: pd.DataFrame, name: str, keys: list[str]) -> str:
    """Say how many cells of a column differ, and show the first of them; empty without any."""
    committed = rows[f"{name}_committed"]
    allowed = TOLERANCE * _largest(committed)
    different = []
    for place, (was, now) in enumerate(zip(committed, rows[name], strict=True)):
        if not _are_equal(was, now, allowed):
            different.append((place, _short(was), _short(now)))
    if not different:
        return ""
    first, was, now = different[0]
    cells = rows.iloc[first][keys].dropna()
    where = ", ".join(f"{key} {value}" for key, value in cells.items())
    return f"{name}, {len(different)} rows, first {where}: {now}, stored {was}"


def _largest(column: pd.Series) -> float:
    """Return the largest magnitude of the finite numbers in the cells of a column."""
    floats = [np.zeros(1)]
    for cell in column:
        numbers = np.ravel(cell)
        if numbers.dtype.kind == "f":
            floats.append(numbers)
    finite = np.nan_to_num(np.concatenate(floats), posinf=0, neginf=0)
    return np.max(np.abs(finite))


def _short(value: Any) -> str:
    words = str(value).split()
    return " ".join(words)[:60]


def _are_equal(was: Any, now: Any, allowed: float) -> bool:
    """True if two cells are equal, or numbers nearly; missing values are equal."""
    was, now = np.asarray(was), np.asarray(now)
    if was.shape != now.shape:
        return False
    if {was.dtype.kind, now.dtype.kind} <= set("iufb"):
        return np.allclose(now, was, rtol=0, atol=allowed, equal_nan=True)
    return bool(np.all((was == now) | (pd.isna(was) & pd.isna(now))))
