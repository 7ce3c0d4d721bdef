"""Blind scorers: labels are permuted by the contents of the samples, and by nothing else."""

from typing import Any

import numpy as np
import pytest

from baselines import FILTERS, anova, blind, relieff
from baselines.blind import permuted
from baselines.sets import manifest_set

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(60, 20)), np.arange(60) % 5 < 2
X[:, 0] += 2 * Y


def test_the_permutation_keeps_the_classes_and_follows_the_samples():
    labels = permuted(X, Y, 0)
    assert sorted(labels) == sorted(Y)
    assert 10 < (labels != Y).sum() < 50
    order, columns = RNG.permutation(60), RNG.permutation(20)
    np.testing.assert_array_equal(permuted(X[order][:, columns], Y[order], 0), labels[order])
    assert (permuted(X, Y, 1) != labels).any()
    # The samples of two splits are permuted independently, so agreement is as by chance.
    agreement = [(permuted(X + RNG.normal(size=X.shape), Y, 0) == Y).mean() for _ in range(200)]
    chance = 0.4**2 + 0.6**2
    assert abs(np.mean(agreement) - chance) < 0.02
    assert np.std(agreement) > 0.03


def test_all_scorers_see_the_same_labels():
    shuffled = permuted(X, Y, 0)
    for scorer in (anova, relieff, manifest_set):
        np.testing.assert_array_equal(blind(scorer)(X, Y), scorer(X, shuffled))
    blinded: Any = blind(relieff)
    name, grid = blinded.grid
    assert name == "k"
    np.testing.assert_array_equal(grid(X, Y, [3]), [relieff(X, shuffled, k=3)])
    assert anova(X, Y).argmax() == 0 != blind(anova)(X, Y).argmax()


@pytest.mark.parametrize("name", ["laplacian", "near_copies", "random", "variance"])
def test_a_score_that_ignores_labels_is_the_same_with_shuffled_ones(name):
    np.testing.assert_allclose(blind(FILTERS[name])(X, Y), FILTERS[name](X, Y), rtol=1e-12)
