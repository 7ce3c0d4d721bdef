"""Checks of stored rows: some units are computed again, and must give the rows byte for byte.

A kind gives a list of :class:`Check`. Each compares the rows of a few units with what this revision
computes from the stored parameters. See ``scripts/reproduce.py --adopt``.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from experiments.engine.keys import Row, Unit
from experiments.evaluation.methods import Method, Parameters, text
from experiments.evaluation.ranking import Problem
from experiments.evaluation.readings import NESTED, PAPER, READINGS


@dataclass(frozen=True)
class Difference:
    """A stored value that comes out differently.

    Attributes
    ----------
    axes : str
        The row and the column.
    stored, computed : object
    ambiguous : bool
        Whether the ranking is flagged as not unique.
    """

    axes: str
    stored: Any
    computed: Any
    ambiguous: bool = False


@dataclass(frozen=True)
class Check:
    """Units to compute again, and the comparison of their rows with the stored ones.

    Attributes
    ----------
    method : str
        Name of the method in the rows.
    parts : tuple of str
        The scorers and the judge that the check runs; each is checked a number of times over all
        folders.
    units : sequence of Unit
    compare : callable of list of Row to list of Difference
        It is given the rows of the units, in their order.
    """

    method: str
    parts: tuple[str, ...]
    units: Sequence[Unit]
    compare: Callable[[list[Row]], list[Difference]]


def by_text(method: Method) -> dict[str, Parameters]:
    """Text of parameters, as rows have it -> the parameters of each candidate of a method."""
    return {text(each): each for each in replace(method, alone=()).candidates()}


def differing(
    stored: Any, computed: dict[str, Any], axes: str, ambiguous: bool = False
) -> Iterator[Difference]:
    """The columns of a stored row that a computed one has with another value.

    Parameters
    ----------
    stored : Series
    computed : dict of str to object
        The columns to compare.
    axes : str
        Names the row in the differences.
    ambiguous : bool
    """
    for column, value in computed.items():
        old = stored[column]
        if isinstance(value, np.ndarray) or isinstance(old, np.ndarray):
            same = np.array_equal(old, value, equal_nan=True)
        else:
            same = old == value or (pd.isna(old) and pd.isna(value))
        if not same:
            yield Difference(f"{axes}: {column}", old, value, ambiguous)


def split_check(
    unit: Callable[[Problem, Method, Parameters], Unit],
    method: Method,
    problem: Problem,
    reading: str,
    rows: pd.DataFrame,
    cells: Any,
) -> Check:
    """The check of a method on one split under a reading.

    Parameters
    ----------
    unit : callable
        See :meth:`experiments.evaluation.plan.Plan.unit`.
    method : Method
    problem : Problem
    reading : str
    rows : DataFrame
        The stored rows of the split, one for each number of features.
    cells : Cells
    """
    known = by_text(method)
    ranks_folds = READINGS[reading].ranks_folds
    problems = [problem, *(problem.folds if ranks_folds else [])]
    texts = list(dict.fromkeys(rows["parameters"]))
    units = [unit(each, method, known[words]) for words in texts for each in problems]

    def compare(computed: list[Row]) -> list[Difference]:
        found: list[Difference] = []
        for number, words in enumerate(texts):
            part = computed[number * len(problems) : (number + 1) * len(problems)]
            choice = (NESTED if ranks_folds else PAPER).choose([part])
            ambiguous = bool(part[0]["ambiguous"])
            for _, row in rows[rows["parameters"] == words].iterrows():
                i = list(cells.sizes).index(row["n_features"])
                values = {
                    "validation": choice.validation[i],
                    "test": choice.test[i],
                    "log2_C": cells.log2_C[choice.cells[0][i]],
                    "log2_gamma": cells.log2_gamma[choice.cells[1][i]],
                    "ambiguous": ambiguous,
                }
                values = {name: value for name, value in values.items() if name in row}
                at = f"{method.name}, {reading}, split {row['split']}, {words}, {row['n_features']}"
                found += differing(row, values, at, ambiguous)
        return found

    parts = (*(part.call for part in method.parts), type(problem.judges[0]).__name__)
    return Check(method.name, parts, units, compare)
