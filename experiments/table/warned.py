"""Say what may make the answer to an own table wrong."""

import numpy as np
import pandas as pd

from experiments.datasets.dataset import some
from experiments.datasets.own.table import Table
from experiments.report.text import probability
from experiments.table.differ import ALPHA, Found

#: There is a warning for a class with fewer samples (or groups), and for a covariate if the class
#: explains at least this share of it beyond chance (adjusted R²).
SMALL, CONFOUNDED = 10, 0.25


def warnings_of(samples: Table, found: Found, copies: np.ndarray) -> list[str]:
    """Sentences on what may make the answer wrong."""
    table, told, names = found.table, [], pd.Series(samples.row_names)
    if samples.groups is None and (repeats := names.duplicated()).any():
        told.append(
            f"row names repeat (such as {names[repeats].iloc[0]}), and each counts as a sample; if "
            "rows belong together, p and intervals are too good: name dataset.groups"
        )
    if (again := np.bincount(copies)[copies] > 1).any():
        told.append(
            f"{again.sum()} samples are equal to another one (such as {names[again.argmax()]}); "
            "equal samples count as one group"
        )
    told += [
        f"{name} goes with the class (adjusted R² {share:.2f}): effects can hardly be told apart"
        for name, share in found.shares.items()
        if share >= CONFOUNDED
    ]
    told += [
        f"class {label} has {n} independent samples: only a large difference can show"
        for label, n in zip(samples.label_names.values(), found.n_rows, strict=True)
        if n < SMALL
    ]
    if samples.groups is None and (like := like_groups(samples)):
        told.append(
            f"{some(like)}: whole numbers, each in several samples of one class; if they say who "
            f"or where a sample is from, p is too good: set dataset.groups={like[0]}"
        )
    if (sure := table["by_chance"] * len(table) < ALPHA).any():
        most = probability(table.loc[sure, "by_chance"].max())
        told.append(
            f"{some(table.loc[sure, 'feature'])}: separates the classes alone (by chance in {most} "
            "of cases); check that it is no other form of the target, or measured after it"
        )
    return told


def like_groups(samples: Table) -> list[str]:
    """Names of features whose values look like numbers of groups: whole, and of one class each."""
    X, y, found = samples.X, samples.y, []
    # By chance, each sample beyond the first of its value has the class of that one.
    most = len(y) - np.log(ALPHA / X.shape[1]) / np.log(np.bincount(y).max() / len(y))
    for j in np.flatnonzero((X % 1 == 0).all(axis=0)):
        n_values = len(np.unique(X[:, j]))
        is_between = len(samples.label_names) < n_values < most
        if is_between and len(np.unique([X[:, j], y], axis=1).T) == n_values:
            found.append((samples.feature_names or ())[j])
    return found
