"""The generator of data like gene expression: what the classes differ in, and what not."""

import numpy as np
import pytest

from experiments.datasets import DataError, generate


def drawn(seed=0, **params):
    return generate("expression_like", np.random.default_rng(seed), **params)


def test_shape_classes_and_relevant_features():
    X, y, relevant = drawn(n_samples=41, n_features=110, block=20, n_relevant_blocks=3)
    assert X.shape == (41, 110)
    assert np.bincount(y).tolist() == [21, 20]
    assert len(set(relevant)) == 60
    assert list(relevant) == sorted(relevant)
    assert 0 <= min(relevant) <= max(relevant) < 110


def test_no_feature_on_its_own_tells_the_classes():
    """Means and variances of the classes are equal, relevant or not: 5 standard deviations."""
    X, y, _ = drawn(n_samples=4000, n_features=300)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    one, other = (Z[y == label] for label in (0, 1))
    assert np.abs(one.mean(axis=0) - other.mean(axis=0)).max() < 5 * np.sqrt(2 / 2000)
    assert np.abs(one.var(axis=0) - other.var(axis=0)).max() < 5 * np.sqrt(4 / 2000)


def test_correlation_depends_on_the_class_in_relevant_blocks_alone():
    X, y, relevant = drawn(n_samples=4000, n_features=300, n_relevant_blocks=4, correlation=0.6)
    one, other = (np.corrcoef(X[y == label], rowvar=False) for label in (0, 1))
    change = np.abs(one - other)
    matters = np.isin(np.arange(300), relevant)
    noise = 6 * np.sqrt(2 / 2000)
    assert change[~matters].max() < noise
    # Each relevant feature has 19 others whose correlation with it changes by 0.6.
    assert ((change[matters] > 0.5).sum(axis=1) == 19).all()
    assert np.abs(change[change > 0.5] - 0.6).max() < noise
    # The other blocks are correlated too, each as much in both classes.
    others = np.abs(one[~matters][:, ~matters]) - np.eye((~matters).sum())
    assert 0.3 < others.max() < 0.6 + noise


def test_either_class_may_be_the_correlated_one():
    higher = []
    for seed in range(40):
        X, y, relevant = drawn(seed, n_features=20, n_relevant_blocks=1, block=10)
        means = [np.corrcoef(X[y == label][:, relevant], rowvar=False).mean() for label in (0, 1)]
        higher.append(int(means[1] > means[0]))
    assert 8 < sum(higher) < 32


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_samples": 3}, "n_samples=3 must be an integer of at least 4"),
        ({"block": 1}, "block=1 must be an integer of at least 2"),
        ({"n_relevant_blocks": 0}, "n_relevant_blocks=0 must be an integer of at least 1"),
        ({"n_features": 99}, "5 relevant blocks of 20 features need 100, but n_features=99"),
        ({"correlation": 1.0}, "correlation=1.0 must lie between 0 and 1"),
    ],
)
def test_bad_input(params, message):
    with pytest.raises(DataError, match=message):
        drawn(**params)
