"""Checks of stored rows: some units are computed again, and must give the rows byte for byte.

A kind gives a list of :class:`Check`. Each compares the rows of a few units with what this revision
computes from the stored parameters. See ``scripts/reproduce.py --adopt``.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from experiments.engine.keys import Row, Unit
from experiments.evaluation.methods import Method, Parameters, text
from experiments.evaluation.ranking import Problem
from experiments.evaluation.readings import READINGS, TIE

#: Name of a method -> number of its checks.
NumberOf = Callable[[str], int]


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


def random_rows(rows: pd.DataFrame, rng: np.random.Generator, n: int) -> list[pd.Series]:
    """At most n of the rows, at random."""
    return [rows.iloc[number] for number in rng.permutation(len(rows))[:n]]


def differing(
    stored: Any, computed: Mapping[Any, Any], axes: str, ambiguous: bool = False
) -> Iterator[Difference]:
    """The columns of a stored row that a computed one has with another value.

    Parameters
    ----------
    stored : Series
    computed : mapping of str to object
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


def row_check(
    unit: Callable[[Problem, Method, Parameters], Unit],
    method: Method,
    problem: Problem,
    stored: pd.DataFrame,
    folds: bool,
) -> Check:
    """The check of one ranking, and of the SVM in one cell of its grid.

    Parameters
    ----------
    unit : callable
        See :meth:`experiments.evaluation.plan.Plan.unit`.
    method : Method
    problem : Problem
        Its judge is asked for the stored cell alone. The numbers of features up to the largest
        stored one stay, since kernels are sums over them.
    stored : DataFrame
        Rows of one split and reading with the same parameters and cell.
    folds : bool
        Also rank in the inner folds, if the reading does. Without it, a validation accuracy that
        comes from such rankings is not compared.
    """
    first = stored.iloc[0]
    judge: Any = problem.judges[0]
    sizes = tuple(size for size in judge.sizes if size <= stored["n_features"].max())
    cell = {name: (float(first[name]),) for name in ("log2_C", "log2_gamma")}
    problem = replace(problem, judges=(replace(judge, sizes=sizes, **cell),))
    ranks_folds = READINGS[first["reading"]].ranks_folds
    problems = [problem, *(problem.folds if ranks_folds and folds else [])]
    # Another method stands in for the SVM on all features, which ranks nothing.
    parameters = by_text(method)[first["parameters"]] if first["method"] == method.name else None
    units = [
        unit(each, method, method.candidates()[0] if parameters is None else parameters)
        for each in problems
    ]

    def compare(computed: list[Row]) -> list[Difference]:
        differences: list[Difference] = []
        ambiguous = parameters is not None and bool(computed[0]["ambiguous"])
        inside = np.mean([row["test"] for row in computed[1:]], axis=0) if computed[1:] else None
        for _, row in stored.iterrows():
            i = sizes.index(row["n_features"])
            values = {"test": computed[0]["test"][i, 0, 0]}
            if inside is not None or not ranks_folds:
                validation = computed[0]["validation"] if inside is None else inside
                # The stored one is that of the best cell; its cell is the first that ties with it.
                close = abs(row["validation"] - validation[i, 0, 0]) <= TIE
                values["validation"] = row["validation"] if close else validation[i, 0, 0]
            if parameters is not None:
                values["ambiguous"] = ambiguous
            at = "{method}, {reading}, split {split}, {parameters}, {n_features} features".format
            differences += differing(row, values, at(**row), ambiguous)
        return differences

    parts = (*(part.call for part in method.parts if parameters is not None), type(judge).__name__)
    return Check(first["method"], parts, units, compare)
