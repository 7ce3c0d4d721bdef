"""ReliefF against the textbook, written out, and against skfeature."""

import numpy as np
import pytest
from skfeature.function.similarity_based.reliefF import reliefF as wrapped
from sklearn.preprocessing import minmax_scale

from baselines import relieff
from tests.baselines.quick import KINDS
from tests.cases import over

Y = (np.arange(50) % 7 < 3).astype(int)
SEVERAL = np.arange(50) ** 2 % 11 % 4


@pytest.fixture(params=KINDS)
def X(request):
    return KINDS[request.param](np.random.default_rng(0), (50, 30))


def textbook(X, y, k):
    """Figure 2 of Robnik-Sikonja and Kononenko (2003), times the number of samples.

    Samples at the distance of the k-th nearest share what the nearer ones leave of k.
    """
    n, d = X.shape
    spans = [max(X[:, a]) - min(X[:, a]) for a in range(d)]

    def diff(a, i, j):
        return abs(X[i, a] - X[j, a]) / spans[a]

    def nearest(i, label):
        """Each neighbour and how many times it counts; the counts add up to k, or to all."""
        others = [j for j in range(n) if j != i and y[j] == label]
        if not others:
            return []
        distance = {j: round(sum(diff(a, i, j) for a in range(d)), 9) for j in others}
        limit = sorted(distance.values())[: min(k, len(others))][-1]
        nearer = [j for j in others if distance[j] < limit]
        tied = [j for j in others if distance[j] == limit]
        left = min(k, len(others)) - len(nearer)
        return [(j, 1) for j in nearer] + [(j, left / len(tied)) for j in tied]

    prior = {label: np.mean(y == label) for label in set(y)}
    weights = np.zeros(d)
    for i in range(n):
        for label in prior:
            neighbours = nearest(i, label)
            share = -1 if label == y[i] else prior[label] / (1 - prior[y[i]])
            total = sum(count for _, count in neighbours)
            for j, count in neighbours:
                for a in range(d):
                    weights[a] += share * diff(a, i, j) * count / total
    return weights


@over("y", [Y, SEVERAL])
@over("k", [1, 5, 100])
def test_it_is_what_the_textbook_says(X, y, k):
    X, y = X[::2, :6], y[::2]
    np.testing.assert_allclose(relieff(X, y, k=k), textbook(X, y, k), rtol=0, atol=1e-10)


@over("scale", [True, False])
@over("k", [1, 3, 10, 20])
def test_the_engine_skfeature_is_skfeatures_and_where_nothing_ties_ours_has_its_scores(X, k, scale):
    expected = wrapped(minmax_scale(X) if scale else X, Y, mode="raw", k=k)
    scores = relieff(X, Y, k=k, scale=scale, engine="skfeature")
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-10)
    if np.unique(X).size == X.size:
        np.testing.assert_allclose(relieff(X, Y, k=k, scale=scale), scores, rtol=0, atol=1e-10)
    with pytest.raises(ValueError, match="two classes"):
        relieff(X, SEVERAL, engine="skfeature")


def test_a_sample_is_never_its_own_neighbour():
    """skfeature puts it at the largest distance, where a tie makes it a hit of difference 0."""
    X = np.array([[0, 0], [1, 1], [0, 1], [1, 0]], dtype=float)
    y = np.array([0, 0, 1, 1])
    # Hits differ in both features, misses in one of the two.
    for k in (1, 2):
        np.testing.assert_allclose(relieff(X, y, k=k), [-2, -2], rtol=0, atol=1e-15)
    # The only sample of a class has no hits.
    X, y = np.array([[0.0, 0.0], [0.1, 1.0], [1.0, 0.5]]), np.array([0, 0, 1])
    np.testing.assert_allclose(relieff(X, y), textbook(X, y, 5))


def test_unscaled_values_that_overflow_are_refused_with_a_sentence():
    X = np.array([[1e308, 0.0], [-1e308, 1.0], [1e308, 2.0], [-1e308, 5.0]])
    with pytest.raises(ValueError, match="rescale"):
        relieff(X, [0, 1, 1, 0], scale=False)
    assert np.isfinite(relieff(X, [0, 1, 1, 0])).all()
