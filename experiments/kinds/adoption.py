"""Checks of stored rows: some units are computed again, and must give the rows byte for byte.

A kind makes a :class:`Check` of each random group of rows that a :class:`Sample` draws. See
``scripts/reproduce.py --adopt``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np
import pandas as pd

from experiments.engine.keys import Row, Unit
from experiments.evaluation.methods import Method, Parameters, text
from experiments.evaluation.summary import RARE_FLAGS
from experiments.report.text import cut

#: Characters of a value in a sentence on a difference.
LONGEST = 60
#: Columns of a t-SNE, which is chaotic: only the same code of a processor repeats them.
CHAOTIC = ("x", "y")


@dataclass(frozen=True)
class Check:
    """Units to compute again, and the stored rows of a method that they must give.

    `columns` is given the rows of the units, in their order, and returns the columns to compare,
    for each stored row.
    """

    method: str
    units: Sequence[Unit]
    stored: pd.DataFrame
    columns: Callable[[list[Row]], Iterable[Mapping[Any, Any]]]

    @staticmethod
    def is_unique(computed: list[Row]) -> bool:
        """False if rounding decides the ranking; only the same code of a processor repeats it."""
        return not computed[0].get("ambiguous")

    def differences(self, computed: list[Row], tolerance: float = 0.0) -> Iterator[str]:
        """A sentence for each value of the stored rows that the units do not give.

        Numbers may differ by the tolerance, a share of the largest one of their array.
        """
        again = list(self.columns(computed))
        if len(again) != len(self.stored):
            yield f"{self.method}: {len(self.stored)} rows are stored, {len(again)} come out"
            return
        end = "" if self.is_unique(computed) else " (the ranking is not unique)"
        for (number, row), values in zip(self.stored.iterrows(), again, strict=True):
            for column, new in {**dict.fromkeys(RARE_FLAGS), **values}.items():
                if tolerance and column in CHAOTIC:
                    continue
                if not _same(old := row.get(column), new, tolerance):
                    place = f"{self.method}, row {number}: {column}"
                    yield f"{place}: {_told(old, new)} comes out{end}"


def _told(old: Any, new: Any) -> str:
    """The beginnings of two values, and the number of entries that differ if both are arrays."""
    many = ""
    if isinstance(old, np.ndarray) and isinstance(new, np.ndarray) and old.shape == new.shape:
        differ = sum(not _same(*pair) for pair in zip(old.ravel(), new.ravel(), strict=True))
        many = f"{differ} of {old.size} entries differ, "
    one, other = (cut(" ".join(repr(value).split()), LONGEST) for value in (old, new))
    return f"{many}{one} is stored, {other}"


def _same(old: Any, new: Any, tolerance: float = 0.0) -> bool:
    is_array = isinstance(new, np.ndarray) or isinstance(old, np.ndarray)
    if not is_array and (pd.isna(old) or pd.isna(new)):
        return bool(pd.isna(old) and pd.isna(new))
    if tolerance and np.shape(old) == np.shape(new) and np.asarray(new).dtype.kind == "f":
        allowed = tolerance * np.nanmax(np.abs(old), initial=0)
        return np.allclose(new, old, rtol=0, atol=allowed, equal_nan=True)
    return np.array_equal(old, new, equal_nan=True) if is_array else bool(old == new)


@dataclass(frozen=True)
class Sample:
    """The stored rows of a run, and the number of random checks of each method."""

    rows: pd.DataFrame
    rng: np.random.Generator
    number_of: Callable[[str], int]

    def groups(
        self, by: Sequence[str], names: Iterable[str] | None = None, strata: Sequence[str] = ()
    ) -> Iterator[tuple[str, pd.DataFrame, bool]]:
        """Random groups of rows of each method, from each of its strata in turn.

        Parameters
        ----------
        by, strata : sequence of str
            Columns, of those that the rows have. Rows with equal values are a group, or a stratum.
        names : iterable of str, optional
            The methods; all that the rows have without it.

        Yields
        ------
        name : str
        group : DataFrame
        first : bool
            True for the first group of a stratum.
        """
        for name in self.rows["method"].unique() if names is None else names:
            parts = _groups(self.rows[self.rows["method"] == name], strata)
            groups = [_groups(part, by) for part in parts]
            shuffled = [[each[i] for i in self.rng.permutation(len(each))] for each in groups]
            turns = [one for turn in zip_longest(*shuffled) for one in turn if one is not None]
            for number, group in enumerate(turns[: self.number_of(name)]):
                yield name, group, number < len(parts)


def _groups(rows: pd.DataFrame, by: Sequence[str]) -> list[pd.DataFrame]:
    known = [name for name in by if name in rows]
    return [part for _, part in rows.groupby(known, dropna=False)] if known else [rows]


def candidate(method: Method, words: str) -> Parameters:
    """The candidate of a method whose text the rows have."""
    return next(each for each in method.candidates() if text(each) == words)


def unit_checks(
    units_of: Callable[[Any], Mapping[tuple, Unit]],
    axes: list[str],
    rows_of: Callable[[tuple, Row], pd.DataFrame | list[dict[str, Any]]],
    run: Any,
    sample: Sample,
) -> Iterator[Check]:
    """Checks of random units of a run, each with all of its stored rows.

    The values of the axes name a unit and its rows; without axes there is one unit. Other rows are
    left out. `rows_of` makes the rows of a run's table, from the values of the axes and the row of
    the unit. Rows that name no method are those of the first one.
    """

    def columns(at, computed):
        return pd.DataFrame(rows_of(at, computed[0])).to_dict("records")

    units, rows = units_of(run), sample.rows
    rows = rows[[tuple(at) in units for at in rows[axes].to_numpy()]]
    if "method" not in rows:
        rows = rows.assign(method=run.methods[0].name)
    for name, stored, _ in replace(sample, rows=rows).groups(axes):
        at = tuple(stored[axes].iloc[0])
        yield Check(name, [units[at]], stored, partial(columns, at))
