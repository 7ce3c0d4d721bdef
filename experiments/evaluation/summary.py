"""The summary of tidy rows: means over repetitions with intervals, and differences of methods.

A kind of experiment declares one :class:`Summary`. Its table, the differences to the reference
method, the number of a sweep and the sentence of a page all come from it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from experiments.evaluation.statistics import holm, resampled_interval, resampled_ttest

#: The columns of a table of differences, after the axes.
PAIRED = ("method", "other", "difference", "ci_low", "ci_high", "p_value", "p_holm")
#: Flags of a ranking that are counted only if any ranking has them.
RARE_FLAGS = ("uninformative",)


@dataclass(frozen=True)
class Summary:
    """The summary of one measure over repetitions that all methods share."""

    #: The column of the rows that is summarised. Higher is better.
    measure: str
    #: The column that numbers the repetitions, such as "split". Methods are paired by it.
    repetition: str
    #: The columns within which methods are compared, of those that the rows have.
    by: tuple[str, ...] = ()
    #: The measure's name in tables; the column's if empty.
    title: str = ""
    #: Columns that name or describe a method, with one value in each group.
    heads: tuple[str, ...] = ()
    #: The measure in words, for sentences.
    words: str = ""
    #: True if the measure lies in [0, 1] and is shown in percent.
    is_share: bool = True
    #: Intervals are clipped to these.
    limits: tuple[float, float] = (-np.inf, np.inf)
    #: Further measures in [0, 1], of those that the rows have -> a statistic ("mean", "std",
    #: "ci_low", "ci_high", or "n", the number of repetitions) -> its column in the table.
    others: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    #: The rows that count. If several rows of a method and repetition count, their mean does.
    keep: Callable[[pd.DataFrame], pd.DataFrame] = field(default=lambda rows: rows)
    #: n_test / n_train, by which intervals allow for training parts that overlap; see
    #: :func:`experiments.evaluation.statistics.resampled_interval`. None if they do not.
    overlap: Callable[[pd.DataFrame], float] | None = None
    #: Further columns of the table, each computed from the rows that count.
    columns: Mapping[str, Callable[[pd.DataFrame], Any]] = field(default_factory=dict)
    #: The values of `by` that the headline is taken from, if the rows have them, such as "nested".
    final: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The measure's name in tables."""
        return self.title or self.measure

    def axes(self, rows: pd.DataFrame) -> list[str]:
        """The columns of `by` that the rows have."""
        return [name for name in self.by if name in rows]

    def values(self, rows: pd.DataFrame, measure: str) -> pd.Series:
        """One value for each group, method and repetition, by these as index."""
        by = [*self.axes(rows), "method", self.repetition]
        return rows.groupby(by, sort=False, observed=True)[measure].mean()

    def statistics(
        self, rows: pd.DataFrame, measure: str, overlap: float, limits: tuple[float, float]
    ) -> dict[str, float]:
        """Mean, standard deviation (NaN for one value), interval and number of the values.

        The rows are of one group and method. A repetition without a value does not count.
        """
        means = rows.groupby(self.repetition, sort=False, observed=True)[measure].mean()
        values = means.dropna().to_numpy(dtype=float)
        low, high = np.clip(resampled_interval(values, overlap), *limits)
        mean = values.mean() if len(values) else np.nan
        spread = {"std": deviation(values), "ci_low": low, "ci_high": high}
        return {"mean": mean, **spread, "n": len(values)}

    def table(self, rows: pd.DataFrame) -> pd.DataFrame:
        """A row for each group and method, in the order of the rows.

        Returns
        -------
        DataFrame
            The axes, "method", the measure, "std", "ci_low", "ci_high", the other measures, the
            further columns and the number of repetitions, such as "n_splits".
        """
        table: list[dict] = []
        if rows.empty:
            return pd.DataFrame()
        overlap, kept = self.overlap(rows) if self.overlap else 0.0, self.keep(rows)
        by = [*self.axes(rows), "method"]
        for at, group in kept.groupby(by, sort=False, observed=True, dropna=False):
            row = dict(zip(by, at, strict=True))
            row |= {name: group[name].iloc[0] for name in self.heads if name in group}
            own = self.statistics(group, self.measure, overlap, self.limits)
            row |= {self.name: own.pop("mean"), **own}
            n_values = row.pop("n")
            for measure, names in self.others.items():
                if measure in group:
                    other = self.statistics(group, measure, overlap, (0.0, 1.0))
                    row |= {column: other[name] for name, column in names.items()}
            row |= {name: column(group) for name, column in self.columns.items()}
            table.append({**row, f"n_{self.repetition}s": n_values, **flag_columns(group)})
        return pd.DataFrame(table)

    def pairs(self, rows: pd.DataFrame, reference: str) -> pd.DataFrame:
        """Differences of the reference to each other method, on the repetitions that both have.

        The p-values of a group are adjusted together by Holm's method. Equal differences, such as
        those of two filters that rank alike, are one test.
        """
        table: list[dict] = []
        overlap = self.overlap(rows) if self.overlap and len(rows) else 0.0
        wide, by = self._wide(rows), self.axes(rows)
        groups = wide.groupby(level=by, sort=False) if by else [((), wide)]
        for at, here in groups:
            if reference not in here or here[reference].isna().all():
                continue
            here = here.droplevel(by).sort_index() if by else here.sort_index()
            parts = {
                name: (here[reference] - here[name]).dropna().to_numpy()
                for name in here
                if name != reference
            }
            parts = {name: values for name, values in parts.items() if len(values)}
            axes = dict(zip(by, at if isinstance(at, tuple) else (at,), strict=True))
            for name, columns in differences(parts, overlap).items():
                n = {f"n_{self.repetition}s": len(parts[name])}
                table.append({**axes, "method": reference, "other": name, **columns, **n})
        return pd.DataFrame(table, columns=[*by, *PAIRED, f"n_{self.repetition}s"])

    def _wide(self, rows):
        """The values, a column for each method in the order of the rows."""
        if rows.empty:
            return pd.DataFrame()
        values = self.values(self.keep(rows), self.measure)
        axes = values.index.droplevel("method").drop_duplicates()  # type: ignore[arg-type]
        methods = list(values.index.unique("method"))
        return values.unstack("method").reindex(index=axes, columns=methods)

    def headline(self, table: pd.DataFrame) -> dict[str, Any] | None:
        """The best value of a table, with the label of its method; None if there is none.

        Quoted rows and rows of other groups than `final` do not count.
        """
        if self.name not in table:
            return None
        for name in self.axes(table):
            final = [value for value in self.final if value in set(table[name])]
            table = table[table[name].isin(final)] if final else table
        if "quoted" in table:
            table = table[~table["quoted"].eq(True)]
        if table[self.name].isna().all():
            return None
        best = table.iloc[int(np.nanargmax(table[self.name].to_numpy(dtype=float)))]
        return {"of": best["label"], "name": self.name, "value": float(best[self.name])}


def differences(parts: Mapping[str, np.ndarray], overlap: float) -> dict[str, dict[str, float]]:
    """Mean paired differences with intervals and p-values of the corrected t-test.

    Parameters
    ----------
    parts : mapping of str to ndarray of shape (n,)
        Other method -> the reference minus it, repetition by repetition.
    overlap : float
        n_test / n_train; 0 if the repetitions are independent.

    Returns
    -------
    dict of str to dict
        "difference", "ci_low", "ci_high", "p_value", and "p_holm", adjusted over all distinct
        parts.
    """
    tests = {values.tobytes(): resampled_ttest(values, overlap)[1] for values in parts.values()}
    adjusted = dict(zip(tests, holm(list(tests.values())), strict=True))
    table = {}
    for name, values in parts.items():
        low, high = resampled_interval(values, overlap)
        p_value, p_holm = tests[values.tobytes()], adjusted[values.tobytes()]
        numbers = (values.mean(), low, high, p_value, p_holm)
        table[name] = dict(zip(PAIRED[2:], numbers, strict=True))
    return table


def deviation(values: np.ndarray) -> float:
    """Standard deviation with n - 1 in the denominator; NaN for fewer than two values."""
    return float(values.std(ddof=1)) if len(values) > 1 else np.nan


def row_flags(row: Mapping[str, Any]) -> dict[str, bool]:
    """The flags of a ranking as columns of its rows; the rare ones only if they are raised."""
    return {"ambiguous": row["ambiguous"], **{flag: True for flag in RARE_FLAGS if row[flag]}}


def flag_columns(rows: pd.DataFrame) -> dict[str, int]:
    """Numbers of flagged rankings: "n_ambiguous" if the rows tell, the rare ones if there are any.

    "n_uninformative" counts scores that are no more than rounding.
    """
    told = {flag: rows[flag] for flag in ("ambiguous", *RARE_FLAGS) if flag in rows}
    counts = {f"n_{flag}": int(of.eq(True).sum()) for flag, of in told.items() if of.notna().any()}
    return {name: n for name, n in counts.items() if n or name == "n_ambiguous"}


def reference_of(names: Sequence[str]) -> str:
    """The method that others are compared with: ManiFeSt, or the first method without it."""
    return "manifest" if "manifest" in names else names[0]
