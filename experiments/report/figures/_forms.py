"""The methods that a figure draws, and methods that come out alike.

A method with ``form_of`` in configs/method is a variant: figures leave it out if the method that it
is a variant of is there. Tables have both.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from experiments.config import entry_of
from experiments.report.names import ALL_FEATURES, EMPHASISED, MAIN

#: Accuracies that differ nowhere by more than this, a quarter of a percentage point, are one line.
CLOSE = 0.0025


def without_variants(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of methods that are no variant of one that is there."""
    here = set(table["method"])
    left_out = [name for name in here if entry_of(name).get("form_of") in here]
    return table[~table["method"].isin(left_out)]


def first_and_others(table: pd.DataFrame, most: int = len(MAIN)) -> dict[str, pd.DataFrame]:
    """The rows of the main methods, in the order of MAIN, and those of the others.

    "" -> at most so many main methods, or all methods if there are no more than two beyond them.
    "_others" -> the rest, if there is one.
    """
    here = list(dict.fromkeys(table["method"]))
    main = [name for name in MAIN if name in here][:most]
    rest = [name for name in here if name not in main]
    if not main or len(here) <= most + 2:
        main, rest = [*main, *rest], []
    parts = {"": main, "_others": rest}
    return {
        stem: pd.concat([table[table["method"] == name] for name in names])
        for stem, names in parts.items()
        if names
    }


def ranked(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table that belong to a ranking and have a result."""
    return table[(table["method"] != ALL_FEATURES) & table["n_features"].notna()]


def by_reading(table: pd.DataFrame, draw: Callable[[pd.DataFrame], Figure]) -> dict[str, Figure]:
    """One figure for each tuning, since they answer different questions."""
    groups = without_variants(table).groupby("tuning", sort=False)
    return {f"figure_{tuning}": draw(part) for tuning, part in groups}


def alike(table: pd.DataFrame, keys: list[str], values: list[str]) -> dict[str, str]:
    """The methods to draw: of methods that would cover one another, the first one.

    The methods of EMPHASISED are drawn by themselves.

    Parameters
    ----------
    table : DataFrame
        With the columns "method" and "label", one row for each method and key.
    keys : list of str
        Columns that tell the points of a method apart, such as the number of features.
    values : list of str
        Columns that are drawn. Methods are alike whose values differ nowhere by more than CLOSE.

    Returns
    -------
    dict of str to str
        The first of alike methods -> the labels of all, joined by "=" where the values are the
        same and by "≈" elsewhere.
    """
    labels = dict(zip(table["method"], table["label"], strict=True))
    points = table.set_index(["method", *keys])[values].unstack(keys).astype(float)
    groups: dict[str, list[str]] = {}
    for name in labels:
        same = (first for first in groups if not {name, first} & {*EMPHASISED})
        first = next((f for f in same if _differ(points, f, name) <= CLOSE), name)
        groups.setdefault(first, []).append(name)
    joined = {}
    for first, names in groups.items():
        farthest = max(_differ(points, first, name) for name in names)
        joined[first] = (" = " if farthest < 1e-9 else " ≈ ").join(labels[n] for n in names)
    return joined


def _differ(points, one, other):
    """The largest difference of two methods; infinite where only one of them has a point."""
    one, other = points.loc[one].to_numpy(), points.loc[other].to_numpy()
    if not np.array_equal(np.isnan(one), np.isnan(other)):
        return np.inf
    return np.abs(one - other).max(initial=0, where=~np.isnan(one))
