"""A 90 % interval covers 86 to 96 %: for draws, for splits, and for one cross-validation.

Two studies of the same samples differ by their splits or draws alone, so the interval of their
difference must cover zero about nine times of ten. The sum of two intervals of Student's t with few
degrees of freedom is a little wide.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from experiments.evaluation.statistics import DECIDES
from experiments.report.claims.folder import differences
from experiments.report.claims.noise import mean_of

LEAST, MOST = 0.86, 0.96


def covers_zero(ours, theirs, *noise, **more):
    """True if the interval of the difference of two studies has zero inside."""
    low, high = mean_of(ours, *noise, **more).minus(theirs.mean())(DECIDES)
    return low <= 0 <= high


def covers(differences, truth, *noise):
    """True if the interval of a mean difference has the truth inside."""
    low, high = mean_of(differences, *noise, paired=True).interval(DECIDES)
    return low <= truth <= high


def test_draws():
    rng = np.random.default_rng(0)
    pairs = rng.binomial(10, 0.85, size=(1000, 2, 50)).astype(float)
    covered = [covers_zero(*map(pd.Series, pair), 0, most=10.0) for pair in pairs]
    assert LEAST <= np.mean(covered) <= MOST


def errors_of(rng, n_methods):
    """The chance that one of 62 samples is misclassified, by method: most are easy or hard."""
    easy = rng.beta(0.25, 1.2, size=62)
    return np.clip(easy + rng.normal(0, 0.05, size=(n_methods, 62)), 0, 1)


def study(rng, chances, n, n_tested=None):
    """Accuracies of all methods on n random splits, or on the folds of n cross-validations."""
    tests = []
    for _ in range(n):
        right, order = rng.random(chances.shape) >= chances, rng.permutation(62)
        parts = [order[:n_tested]] if n_tested else np.array_split(order, 10)
        tests += [100 * right[:, part].mean(axis=1) for part in parts]
    return pd.DataFrame(tests)


def test_random_splits():
    rng, covered = np.random.default_rng(1), []
    for _ in range(600):
        chances = errors_of(rng, 1)
        covered.append(covers_zero(*(study(rng, chances, 10, 13)[0] for _ in range(2)), 0))
    assert LEAST <= np.mean(covered) <= MOST


def test_repeated_cross_validation():
    rng, covered, differ = np.random.default_rng(2), [], []
    for _ in range(300):
        chances = errors_of(rng, 6)
        ours, theirs = (study(rng, chances, 5) for _ in range(2))
        covered.append(covers_zero(ours[0], theirs[0], 10, ours))
        truth = 100 * (chances[1] - chances[0]).mean()
        differ.append(covers(ours[0] - ours[1], truth, 10, differences(ours)))
    assert LEAST <= np.mean(covered) <= MOST
    assert LEAST <= np.mean(differ) <= MOST


@pytest.mark.parametrize(
    ("n_data_sets", "n_samples"), [(25, 300), pytest.param(60, 500, marks=pytest.mark.slow)]
)
def test_one_cross_validation(n_data_sets, n_samples):
    """Of two SVMs on eight partitions of samples like those of Madelon."""
    covered, differ = [], []
    for seed in range(n_data_sets):
        sizes = {"n_informative": 5, "n_redundant": 5, "n_clusters_per_class": 8}
        X, y = make_classification(n_samples, 20, **sizes, flip_y=0.01, random_state=seed)
        tables = []
        for partition in range(8):
            folds = [*StratifiedKFold(10, shuffle=True, random_state=partition).split(X, y)]
            tables.append(pd.DataFrame({C: accuracies(X, y, folds, C) for C in (0.5, 2)}))
        pairs = zip(tables[::2], tables[1::2], strict=True)
        covered += [covers_zero(ours[0.5], theirs[0.5], 10) for ours, theirs in pairs]
        gaps = [table[0.5] - table[2] for table in tables]
        for i, gap in enumerate(gaps):
            differ.append(covers(gap, np.mean(gaps[:i] + gaps[i + 1 :]), 10))
    assert LEAST <= np.mean(covered) <= MOST
    assert LEAST <= np.mean(differ) <= MOST


def accuracies(X, y, folds, C):
    """The test accuracy of an SVM in each fold, in percent."""
    tests = [SVC(C=C).fit(X[train], y[train]).predict(X[test]) == y[test] for train, test in folds]
    return [100 * test.mean() for test in tests]
