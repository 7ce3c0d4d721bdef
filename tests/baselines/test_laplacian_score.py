"""The Laplacian score against its definition."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from skfeature.function.similarity_based.lap_score import lap_score
from skfeature.utility.construct_W import construct_W

from baselines import laplacian_score
from tests.baselines.quick import KINDS

#: Percentiles of the distances, and no limit of neighbours.
WHOLE = [(percentile, None) for percentile in (0, 1, 5, 10, 30, 50, 70, 90, 95, 99, 100)]

Y = np.arange(40) % 2


@pytest.fixture(params=KINDS)
def X(request):
    return KINDS[request.param](np.random.default_rng(0), (40, 25))


def graph(X, percentile=50, neighbors=None):
    """The weights of all samples, or of each and its nearest ones with all that tie; the scale."""
    distances = squareform(pdist(X))
    scale = np.percentile(pdist(X), percentile)
    W = np.exp(-(distances**2) / (2 * scale**2))
    if neighbors is None:
        return W, scale
    squared = np.round(distances**2, 9) + np.diag(np.full(len(X), np.inf))
    limit = np.sort(squared, axis=1)[:, [min(neighbors, len(X) - 1) - 1]]
    joined = (squared <= limit) | (squared <= limit).T
    return np.where(joined | np.eye(len(X), dtype=bool), W, 0), scale


def by_definition(f, W):
    D = np.diag(W.sum(axis=1))
    one = np.ones(len(W))
    centred = f - (f @ D @ one) / (one @ D @ one) * one
    return (centred @ (D - W) @ centred) / (centred @ D @ centred)


@pytest.mark.parametrize(
    ("percentile", "neighbors"), [*WHOLE, *((50, k) for k in (1, 5, 38, 39, 100))]
)
def test_it_is_what_the_definition_says(X, percentile, neighbors):
    W, _ = graph(X, percentile, neighbors)
    scores = laplacian_score(X, Y, percentile=percentile, neighbors=neighbors)
    other = laplacian_score(X, np.arange(40) % 5, percentile=percentile, neighbors=neighbors)
    np.testing.assert_array_equal(other, scores)  # Labels are not used.
    expected = [-by_definition(f, W) for f in X.T]
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("percentile", "neighbors"), [*WHOLE, (50, 1), (50, 5), (50, 20)])
def test_where_no_neighbours_tie_it_follows_graph_and_order_of_skfeature(X, percentile, neighbors):
    if neighbors:
        X = KINDS["continuous"](np.random.default_rng(1), (40, 25))
    W, scale = graph(X, percentile, neighbors)
    given = {"metric": "euclidean", "neighbor_mode": "knn", "weight_mode": "heat_kernel"}
    theirs = construct_W(X, k=neighbors or 39, t=scale, **given)
    np.testing.assert_allclose(theirs.toarray(), W, rtol=0, atol=1e-12)
    scores = laplacian_score(X, Y, percentile=percentile, neighbors=neighbors)
    assert np.diff(scores[lap_score(X.copy(), W=theirs, mode="index")]).max() <= 1e-12


def test_duplicated_samples_do_not_make_the_scale_zero():
    X = np.repeat(np.random.default_rng(0).normal(size=(4, 6)), 5, axis=0)
    nearest = pdist(X[::5]).min()
    W = np.exp(-(squareform(pdist(X)) ** 2) / (2 * nearest**2))
    expected = [-by_definition(f, W) for f in X.T]
    scores = laplacian_score(X, np.arange(20) % 2, percentile=1, neighbors=None)
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-12)
    # Too few distances connect two clusters far apart.
    X = np.array([[0.0, 1.0], [1e-6, 1.0], [1.0, 0.0], [1.0, 1e-6]])
    assert np.isfinite(laplacian_score(X, [0, 1, 0, 1], percentile=1)).all()
