"""Say what may make the answer to an own table wrong."""

import numpy as np
import pandas as pd

from experiments.datasets.dataset import some
from experiments.datasets.own.table import Table
from experiments.report.text import probability
from experiments.table.differ import ALPHA, FeatureTests

#: There is a warning for a class with fewer samples (or groups), and for a covariate if the class
#: explains at least this share of it beyond chance (adjusted R²).
SMALL, CONFOUNDED = 10, 0.25


def warnings_of(samples: Table, tests: FeatureTests, copies: np.ndarray) -> list[str]:
    """Sentences on what may make the answer wrong."""
    warnings = []
    names = pd.Series(samples.row_names)
    repeats = names.duplicated()
    if samples.groups is None and repeats.any():
        warnings.append(
            f"row names repeat (such as {names[repeats].iloc[0]}), and each counts as a sample; if "
            "rows belong together, p and intervals are too good: name dataset.groups"
        )
    is_copied = np.bincount(copies)[copies] > 1
    if is_copied.any():
        warnings.append(
            f"{is_copied.sum()} samples are equal to another one (such as "
            f"{names[is_copied.argmax()]}); equal samples count as one group"
        )
    for name, share in tests.shares.items():
        if share >= CONFOUNDED:
            warnings.append(
                f"{name} goes with the class (adjusted R² {share:.2f}): "
                "effects can hardly be told apart"
            )
    for label, n in zip(samples.label_names.values(), tests.n_rows, strict=True):
        if n < SMALL:
            warnings.append(
                f"class {label} has {n} independent samples: only a large difference can show"
            )
    suspects = like_groups(samples) if samples.groups is None else []
    if suspects:
        warnings.append(
            f"{some(suspects)}: whole numbers, each in several samples of one class; if they say "
            f"who or where a sample is from, p is too good: set dataset.groups={suspects[0]}"
        )
    table = tests.table
    separating = table[table["by_chance"] * len(table) < ALPHA]
    if len(separating):
        most = probability(separating["by_chance"].max())
        warnings.append(
            f"{some(separating['feature'])}: separates the classes alone (by chance in {most} "
            "of cases); check that it is no other form of the target, or measured after it"
        )
    return warnings


def like_groups(samples: Table) -> list[str]:
    """Names of features whose values look like numbers of groups: whole, and of one class each."""
    X = samples.X
    y = samples.y
    names = samples.feature_names or ()
    # By chance, each sample beyond the first of its value has the class of that one.
    largest_share = np.bincount(y).max() / len(y)
    most = len(y) - np.log(ALPHA / X.shape[1]) / np.log(largest_share)
    suspects = []
    for feature in np.flatnonzero((X % 1 == 0).all(axis=0)):
        values = X[:, feature]
        n_values = len(np.unique(values))
        if not len(samples.label_names) < n_values < most:
            continue
        pairs = np.unique([values, y], axis=1).T
        if len(pairs) == n_values:
            suspects.append(names[feature])
    return suspects
