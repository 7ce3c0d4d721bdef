"""Filters of spreads and correlations against SciPy and NumPy, each on what it is made to see."""

import numpy as np
import pytest
from scipy import stats

from baselines import correlation_difference, get, l1_logistic, levene, three_tests
from experiments.datasets.generators import KINDS_OF_DIFFERENCE, generate

Y = np.arange(30) % 2
X = np.random.default_rng(0).normal(size=(30, 6))
X[:, 1] *= 1 + Y
X[Y == 1, 2] += X[Y == 1, 3]


def test_spreads_correlations_and_three_tests_combined_are_those_of_scipy_and_numpy():
    spreads = [stats.levene(x[Y == 0], x[Y == 1], center="median") for x in X.T]
    np.testing.assert_allclose(levene(X, Y), [each.statistic for each in spreads])
    z = [np.arctanh(np.corrcoef(X[c == Y].T) - np.eye(6)) for c in (0, 1)]
    deviates = np.abs(z[0] - z[1]) / np.sqrt(2 / 12)
    largest = np.sort(deviates, axis=0)[-3:]
    np.testing.assert_allclose(correlation_difference(X, Y), largest.mean(axis=0))
    p = [
        [stats.ttest_ind(x[Y == 0], x[Y == 1]).pvalue for x in X.T],
        [each.pvalue for each in spreads],
        5 * 2 * stats.norm.sf(largest[-1]),
    ]
    # Cauchy's rule.
    combined = stats.cauchy.sf(np.mean(np.tan(np.pi * (0.5 - np.minimum(p, 0.99))), axis=0))
    np.testing.assert_allclose(three_tests(X, Y), -np.log(combined), rtol=1e-7)


def test_l1_logistic_has_zeros_and_finds_a_shift():
    shifted = X + 2 * Y[:, None] * (np.arange(6) == 4)
    scores = l1_logistic(shifted, Y, C=0.1)
    assert np.argmax(scores) == 4
    assert (scores == 0).any()


@pytest.mark.parametrize("kind", KINDS_OF_DIFFERENCE)
def test_each_kind_of_difference_is_seen_by_the_test_for_it_alone(kind):
    """From many samples: moments of the classes differ where the kind says so, and nowhere else."""
    rng = np.random.default_rng(1)
    X, y, ten = generate("differences", rng, n_samples=4000, n_features=60, kind=kind)
    relevant, sees = list(ten), {
        "means": {"anova"}, "variances": {"levene"}, "none": set(),
        "mixture": {"anova", "levene", "correlation_difference"},
    }.get(kind, {"correlation_difference"})  # fmt: skip
    assert len(relevant) == 10
    for name in ("anova", "levene", "correlation_difference"):
        scores = get(name)(X, y)
        bound = 2 * np.delete(scores, relevant).max()
        assert (scores[relevant].max() > bound) == (name in sees), name
