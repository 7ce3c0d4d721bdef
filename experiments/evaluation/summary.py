"""Summarise tidy rows: means over repetitions with intervals, and differences of methods.

Rows have a column "method" and a column with the number of the repetition, such as "split", by
which methods are paired. If a method has several rows in a repetition, their mean is used.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from experiments.evaluation.statistics import holm, resampled_interval, resampled_ttest

#: The columns of a table of differences, after the axes.
PAIRED = ("method", "other", "difference", "ci_low", "ci_high", "p_value", "p_holm")
#: Flags that are counted only if they are raised for any ranking.
RARE_FLAGS = ("uninformative",)


def means(
    rows: pd.DataFrame,
    by: Sequence[str],
    measure: str,
    repetition: str,
    *,
    overlap: float = 0.0,
    limits: tuple[float, float] = (0.0, 1.0),
) -> pd.DataFrame:
    """Return mean, standard deviation and 95 % interval of a measure by group and method.

    Parameters
    ----------
    rows : DataFrame
    by : sequence of str
        The columns within which methods are compared.
    measure, repetition : str
        Columns of the rows. A repetition without a value is ignored.
    overlap : float
        n_test / n_train, which corrects intervals for overlapping training parts; see
        :func:`experiments.evaluation.statistics.resampled_interval`.
    limits : tuple of (float, float)
        Intervals are clipped to these.

    Returns
    -------
    DataFrame
        By group and method, in the order of the rows: "mean", "std" (NaN for one value), "ci_low",
        "ci_high", and "n", the number of values.
    """
    axes = [*by, "method"]
    repetitions = rows.groupby([*axes, repetition], sort=False, dropna=False)
    measured = repetitions[measure].mean().reset_index()
    statistics = {}
    for group, measures in measured.groupby(axes, sort=False, dropna=False)[measure]:
        values = measures.dropna().to_numpy(dtype=float)
        interval = resampled_interval(values, overlap)
        low, high = np.clip(interval, *limits)
        mean = values.mean() if len(values) else np.nan
        statistics[group] = (mean, deviation(values), low, high, len(values))
    index = pd.MultiIndex.from_tuples(statistics, names=axes)
    columns = ["mean", "std", "ci_low", "ci_high", "n"]
    return pd.DataFrame([*statistics.values()], index, columns)


def table(
    rows: pd.DataFrame,
    by: Sequence[str],
    measure: str,
    repetition: str = "split",
    *,
    title: str = "",
    heads: Sequence[str] = (),
    overlap: float = 0.0,
    limits: tuple[float, float] = (0.0, 1.0),
    **columns: tuple[str, Any],
) -> pd.DataFrame:
    """Summarise a measure: a row for each group and method, in the order of the rows.

    Parameters
    ----------
    rows, by, measure, repetition, overlap, limits
        As of :func:`means`.
    title : str
        The name of the column of means; if empty, that of the measure.
    heads : sequence of str
        Columns with one value in each group, of those that the rows have.
    **columns : tuple of (column, aggregation)
        Further columns, as of pandas' named aggregation.

    Returns
    -------
    DataFrame
        The columns `by`, "method", the heads, the means, "std", "ci_low", "ci_high", the further
        columns, the number of repetitions, such as "n_splits", and counts of flags.
    """
    summary = means(rows, by, measure, repetition, overlap=overlap, limits=limits)
    groups = rows.groupby([*by, "method"], sort=False, dropna=False)
    present = [name for name in heads if name in rows]
    index = summary.index.to_frame(index=False)
    tables = [
        groups[present].first(skipna=False),
        summary.drop(columns="n").rename(columns={"mean": title or measure}),
    ]
    if columns:
        tables.append(groups.agg(**columns))
    tables.append(summary[["n"]].rename(columns={"n": f"n_{repetition}s"}))
    counts = {}
    for flag in ("ambiguous", *RARE_FLAGS):
        if flag in rows:
            raised = groups[flag].agg(_n_raised, flag in RARE_FLAGS)
            counts[f"n_{flag}"] = raised.to_numpy()
    tables.append(pd.DataFrame(counts).dropna(axis=1, how="all"))
    unindexed = [table.reset_index(drop=True) for table in tables]
    return pd.concat([index, *unindexed], axis=1)


def _n_raised(values: pd.Series, rare: bool) -> float:
    """Count how often a flag was raised; NaN if unknown, or if a rare flag was never raised."""
    n = int(values.eq(True).sum())
    return np.nan if values.isna().all() or (rare and not n) else n


def pairs(
    rows: pd.DataFrame,
    by: Sequence[str],
    reference: str,
    measure: str,
    repetition: str = "split",
    *,
    overlap: float = 0.0,
) -> pd.DataFrame:
    """Compare the reference with each other method on the repetitions that both have.

    The p-values of a group are adjusted together by Holm's method. Equal differences, such as those
    of two filters with the same ranking, are one test. For the parameters see :func:`means`.
    """
    n_repetitions = f"n_{repetition}s"
    compared: list[dict] = []
    groups = rows.groupby(list(by), sort=False) if by else [((), rows)]
    for group, rows_of_group in groups:
        wide = rows_of_group.pivot_table(
            measure, repetition, "method", aggfunc="mean", sort=False, dropna=False
        ).sort_index()
        if reference not in wide or wide[reference].isna().all():
            continue
        paired = {}
        for method in wide.columns.drop(reference):
            values = (wide[reference] - wide[method]).dropna().to_numpy()
            if len(values):
                paired[method] = values
        axes = dict(zip(by, group, strict=True))
        for method, statistics in differences(paired, overlap).items():
            row = {**axes, "method": reference, "other": method, **statistics}
            row[n_repetitions] = len(paired[method])
            compared.append(row)
    return pd.DataFrame(compared, columns=[*by, *PAIRED, n_repetitions])


def differences(paired: Mapping[str, np.ndarray], overlap: float) -> dict[str, dict[str, float]]:
    """Return the columns of :func:`pairs` by method, from the reference minus that method."""
    p_values = {}
    for values in paired.values():
        _, p_value = resampled_ttest(values, overlap)
        p_values[values.tobytes()] = p_value
    adjusted = dict(zip(p_values, holm([*p_values.values()]), strict=True))
    statistics = {}
    for method, values in paired.items():
        low, high = resampled_interval(values, overlap)
        test = values.tobytes()
        statistics[method] = {
            "difference": values.mean(),
            "ci_low": low,
            "ci_high": high,
            "p_value": p_values[test],
            "p_holm": adjusted[test],
        }
    return statistics


def deviation(values: np.ndarray) -> float:
    """Return the standard deviation (divisor n - 1); NaN for fewer than two values."""
    return float(values.std(ddof=1)) if len(values) > 1 else np.nan


def row_flags(row: Mapping[str, Any]) -> dict[str, bool]:
    """Return the flags of a ranking as columns of its rows; rare flags only if raised."""
    flags = {"ambiguous": row["ambiguous"]}
    for flag in RARE_FLAGS:
        if row[flag]:
            flags[flag] = True
    return flags


def reference_of(names: Sequence[str]) -> str:
    """Return the reference method of comparisons: ManiFeSt, or else the first method."""
    return "manifest" if "manifest" in names else names[0]
