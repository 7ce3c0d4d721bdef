"""A 90 % interval covers 86 to 96 %: for draws, for splits, and for one cross-validation.

Two studies of the same samples differ by their splits or draws alone, so the interval of their
difference must cover zero about nine times of ten. The sum of two intervals of Student's t with few
degrees of freedom is a little wide.
"""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from experiments.report.claims.folder import differences
from experiments.report.claims.noise import DECIDES, ONE_REPEAT_PAIRED, noise_of

pytestmark = pytest.mark.slow
LEAST, MOST = 0.86, 0.96


def covers_zero(ours, theirs, block, together, limits=(0.0, 100.0)):
    """True if the interval of the difference of two studies has zero inside."""
    mean = noise_of(ours, block, together, limits).of(ours.mean())
    low, high = mean.minus(float(theirs.mean())).interval(DECIDES)
    return low <= 0 <= high


def test_draws():
    rng = np.random.default_rng(0)
    studies = [pd.Series(rng.binomial(10, 0.85, size=50).astype(float)) for _ in range(2000)]
    pairs = zip(studies[::2], studies[1::2], strict=True)
    covered = [covers_zero(one, other, 0, None, (0.0, 10.0)) for one, other in pairs]
    assert LEAST <= np.mean(covered) <= MOST


def errors_of(rng, n_samples, n_methods):
    """The chance that a sample is misclassified, by method: most samples are easy or hard."""
    easy = rng.beta(0.25, 1.2, size=n_samples)
    return np.clip(easy + rng.normal(0, 0.05, size=(n_methods, n_samples)), 0, 1)


def test_random_splits():
    rng, covered = np.random.default_rng(1), []
    for _ in range(600):
        (chance,) = errors_of(rng, 62, 1)
        studies = []
        for _ in range(2):
            tested = [rng.permutation(62)[:13] for _ in range(10)]
            accuracies = [100 * (rng.random(13) >= chance[test]).mean() for test in tested]
            studies.append(pd.Series(accuracies))
        covered.append(covers_zero(studies[0], studies[1], 0, None))
    assert LEAST <= np.mean(covered) <= MOST


def repeated(rng, chances, n_repeats):
    """Accuracies of all methods on the folds of repeated 10-fold cross-validations."""
    n_methods, n_samples = chances.shape
    folds = []
    for _ in range(n_repeats):
        right = rng.random((n_methods, n_samples)) >= chances
        parts = np.array_split(rng.permutation(n_samples), 10)
        folds += [100 * right[:, part].mean(axis=1) for part in parts]
    return pd.DataFrame(folds)


def test_repeated_cross_validation():
    rng, covered = np.random.default_rng(2), []
    for _ in range(300):
        chances = errors_of(rng, 62, 8)
        ours, theirs = (repeated(rng, chances, 5) for _ in range(2))
        covered.append(covers_zero(ours[0], theirs[0], 10, ours))
    assert LEAST <= np.mean(covered) <= MOST


def test_paired_difference_under_repeated_cross_validation():
    rng, covered = np.random.default_rng(3), []
    for _ in range(300):
        chances = errors_of(rng, 62, 6)
        ours = repeated(rng, chances, 5)
        noise = noise_of(ours[0] - ours[1], 10, differences(ours), None)
        low, high = noise.of((ours[0] - ours[1]).mean()).interval(DECIDES)
        truth = 100 * (chances[1] - chances[0]).mean()
        covered.append(low <= truth <= high)
    assert LEAST <= np.mean(covered) <= MOST


@pytest.fixture(scope="module")
def cross_validations():
    """Accuracies of two SVMs on eight partitions of samples like those of Madelon."""
    found = []
    for seed in range(60):
        sizes = {"n_informative": 5, "n_redundant": 5, "n_clusters_per_class": 8}
        X, y = make_classification(500, 20, **sizes, flip_y=0.01, random_state=seed)
        tables = []
        for partition in range(8):
            split = partial(StratifiedKFold, 10, shuffle=True)
            rows = [
                [100 * SVC(C=C).fit(X[a], y[a]).score(X[b], y[b]) for C in (0.5, 2)]
                for a, b in split(random_state=partition).split(X, y)
            ]
            tables.append(pd.DataFrame(rows))
        found.append(tables)
    return found


def test_one_cross_validation(cross_validations):
    covered = [
        covers_zero(ours[0], theirs[0], 10, None)
        for tables in cross_validations
        for ours, theirs in zip(tables[::2], tables[1::2], strict=True)
    ]
    assert LEAST <= np.mean(covered) <= MOST


def test_paired_difference_under_one_cross_validation(cross_validations):
    covered = []
    for tables in cross_validations:
        means = [float((table[0] - table[1]).mean()) for table in tables]
        for number, table in enumerate(tables):
            difference = table[0] - table[1]
            noise = noise_of(difference, 10, None, None, ONE_REPEAT_PAIRED)
            low, high = noise.of(difference.mean()).interval(DECIDES)
            covered.append(low <= np.mean(means[:number] + means[number + 1 :]) <= high)
    assert LEAST <= np.mean(covered) <= MOST
