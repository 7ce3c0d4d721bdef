"""Filters against libraries, against formulas written out here, and against each other."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import f_oneway
from skfeature.function.similarity_based.fisher_score import fisher_score as wrapped_fisher
from skfeature.function.similarity_based.reliefF import reliefF as wrapped_relieff
from skfeature.function.similarity_based.SPEC import spec as wrapped_spec
from skfeature.function.statistical_based.t_score import t_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import minmax_scale

from baselines import (
    anova,
    boruta,
    fisher_score,
    hsic,
    information_gain,
    laplacian_score,
    multisurf,
    pearson,
    relief,
    relieff,
    spec,
    t_test,
    trace_ratio,
)
from baselines.contract import min_max_scaled, shifted
from tests.baselines.quick import KINDS
from tests.baselines.test_laplacian_score import graph


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_classes_of_unequal_size_have_the_formulas_and_the_numbers_of_libraries(kind, n_classes):
    """Pearson's r and t are the largest of a class against the rest."""
    rng, shares = np.random.default_rng(0), np.arange(1, n_classes + 1)
    y = rng.choice(n_classes, size=60, p=shares / shares.sum())
    X = KINDS[kind](rng, (60, 20)) + np.linspace(0, 1, 20) * y[:, None]
    parts = [(X[y == c], X[y != c]) for c in range(n_classes)]
    expected = f_oneway(*(inside for inside, _ in parts)).statistic
    assert_allclose(anova(X, y), expected, rtol=1e-10)
    means = np.array([X[y == c].mean(axis=0) for c in y])
    between, within = ((means - X.mean(axis=0)) ** 2).sum(axis=0), ((X - means) ** 2).sum(axis=0)
    assert_allclose(fisher_score(X, y), between / within, rtol=1e-10)
    # The rounding of skfeature decides between features of equal score.
    assert np.diff(fisher_score(X, y)[wrapped_fisher(X, y, mode="index")]).max() <= 1e-12
    r = [np.corrcoef(X, y == c, rowvar=False)[-1, :-1] for c in range(n_classes)]
    assert_allclose(pearson(X, y), np.abs(r).max(axis=0), rtol=1e-10)
    t = [t_score(shifted(X), (y == c).astype(int), mode="raw") for c in range(n_classes)]
    assert_allclose(t_test(X, y), np.max(t, axis=0), rtol=1e-10)
    # The paper's grid ends at k = 100: k is cut to each class.
    largest = int(np.bincount(y).max())
    for scorer, k in ((information_gain, largest - 1), (relieff, largest)):
        assert_array_equal(scorer(X, y, k=100), scorer(X, y, k=k))


@pytest.fixture
def X(y):
    return np.random.default_rng(0).normal(size=(40, 8)) + y[:, None] * np.linspace(0, 1, 8)


def test_relief_is_the_nearest_miss_less_the_nearest_hit(X, y):
    Z = min_max_scaled(X)
    expected = np.zeros(X.shape[1])
    for i, z in enumerate(Z):
        away = [np.linalg.norm(z - other) for other in Z]
        hit = min((j for j in range(len(Z)) if j != i and y[j] == y[i]), key=away.__getitem__)
        miss = min((j for j in range(len(Z)) if y[j] != y[i]), key=away.__getitem__)
        expected += (z - Z[miss]) ** 2 - (z - Z[hit]) ** 2
    assert_allclose(relief(X, y), expected / len(Z), rtol=1e-10)


def test_multisurf_takes_all_nearer_than_the_mean_less_half_a_deviation(X, y):
    Z, share = min_max_scaled(X), np.bincount(y) / len(y)
    expected = np.zeros(X.shape[1])
    for i, z in enumerate(Z):
        gaps = np.abs(z - Z)
        away = np.delete(gaps.sum(axis=1), i)
        near = (gaps.sum(axis=1) < away.mean() - away.std() / 2) & (np.arange(len(y)) != i)
        for c in set(y):
            if (near & (y == c)).any():
                weight = -1 if c == y[i] else share[c] / (1 - share[y[i]])
                expected += weight * gaps[near & (y == c)].mean(axis=0)
    assert_allclose(multisurf(X, y), expected / len(y), atol=1e-14)
    assert_array_equal(multisurf(np.eye(6), np.arange(6) % 2), np.zeros(6))  # equal distances


def test_the_only_sample_of_a_class_has_no_hit_and_equal_distances_share():
    X, y = np.array([[0.0], [1.0], [1.0], [0.5]]), np.array([0, 1, 1, 0])
    # Probes 0, 1, 2, 3: misses at 1, 1/2, 1/2, 1/2 and hits at 1/2, 0, 0, 1/2, all squared.
    assert_allclose(relief(X, y), [(1 + 3 / 4 - 2 / 4) / 4])
    assert_allclose(relief(X[:3], y[:3]), [1.0])


@pytest.mark.parametrize("width", [0.01, 0.3, 1, 5, 100])
def test_hsic_is_the_trace_over_all_pairs(X, y, width):
    X = np.c_[X, X[:, 0] ** 9, y == 1]
    H = np.eye(len(y)) - 1 / len(y)
    L = (y[:, None] == y).astype(float)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    kernels = (rbf_kernel(z[:, None], gamma=1 / (2 * width**2)) for z in Z.T)
    expected = [np.trace(K @ H @ L @ H) / len(y) ** 2 for K in kernels]
    assert_allclose(hsic(X, y, width=width), expected, rtol=1e-9, atol=1e-14)


def test_spec_is_skfeatures_third_score_on_the_same_graph(X, y):
    W, _ = graph(X)
    centred = X - np.average(X, axis=0, weights=W.sum(axis=1))
    for k in (2, 3, 7, 40):
        expected = wrapped_spec(centred, y, style=k, W=W, mode="raw")
        assert_allclose(spec(X, y, k=k), expected, rtol=1e-8, atol=1e-12)
    # By default there is an eigenvector for each class.
    assert_array_equal(spec(X, y), spec(X, y, k=y.max() + 1))
    # With all, sum_j (2 - lambda_j) (xi_j'f^)^2 = 2 - f^'L f^ as the f^ have norm 1.
    expected = 2 + laplacian_score(X, y, neighbors=None)
    assert_allclose(spec(X, y, k=len(X)), expected, rtol=1e-9)


def test_equal_eigenvalues_share_what_is_left_of_k():
    """Three clusters at equal distances: both directions that part them have one eigenvalue."""
    corners = np.repeat(np.eye(3), 4, axis=0)
    y = np.arange(12) % 2
    two, three = spec(corners, y, k=2), spec(corners, y, k=3)
    assert_allclose(two, three / 2, rtol=1e-12)
    assert_allclose(two, two[0], rtol=1e-12)


@pytest.mark.parametrize("m", [1, 3, 8, 20])
def test_lambda_is_the_largest_ratio_of_any_set(X, y, m):
    Z = min_max_scaled(X)
    means = np.array([Z[y == c].mean(axis=0) for c in y])
    between, within = ((means - Z.mean(axis=0)) ** 2).mean(axis=0), ((Z - means) ** 2).mean(axis=0)
    sets = itertools.combinations(range(8), min(m, 8))
    largest = max(between[list(s)].sum() / within[list(s)].sum() for s in sets)
    scores = trace_ratio(X, y, n_selected=m)
    assert_allclose(scores, between - largest * within, rtol=1e-9, atol=1e-14)


def test_boruta_counts_rounds_orders_equal_hits_by_importance_and_sees_ranks_alone():
    """Without a hit in nine rounds, P = 2^-9 is below 0.01 / 4: those features are out then."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = np.c_[rng.normal(size=(60, 3)), y + 0.1 * rng.normal(size=60)]
    nine, more = (boruta(X, y, n_rounds=n, n_trees=5) for n in (9, 14))
    assert 9 <= nine[3] < 10
    assert 14 <= more[3] < 15
    assert 0 < (nine - np.floor(nine)).sum() < 1  # importances
    out = nine[:3] < 1
    assert out.any()
    # The sum of importances in the first nine rounds is all that they ever have.
    assert_allclose(14 * more[:3][out], 9 * nine[:3][out], rtol=1e-12)
    assert_array_equal(boruta(np.exp(X), y, n_rounds=9, n_trees=5), nine)
    assert (boruta(X, y, n_rounds=9, n_trees=5, seed=1) != nine).any()


Y = (np.arange(50) % 7 < 3).astype(int)
SEVERAL = np.arange(50) ** 2 % 11 % 4


@pytest.fixture(params=KINDS)
def kinds(request):
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


@pytest.mark.parametrize("k", [1, 2, 5, 100])
def test_relieff_is_what_the_textbook_says(kinds, k):
    corners = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    for X, y in (
        *((kinds[::2, :6], labels[::2]) for labels in (Y, SEVERAL)),
        # skfeature has a sample itself at the largest distance, where a tie makes it a hit.
        (corners, np.array([0, 0, 1, 1])),
        # The only sample of a class has no hits.
        (corners[:3] * [1.0, 0.7], np.array([0, 0, 1])),
    ):
        np.testing.assert_allclose(relieff(X, y, k=k), textbook(X, y, k), rtol=0, atol=1e-10)
    with pytest.raises(ValueError, match="rescale"):  # Differences overflow.
        relieff(1.5e308 * (corners - 0.5), [0, 0, 1, 1], k=k, scale=False)


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("k", [1, 3, 10, 20])
def test_the_engine_skfeature_is_skfeatures_and_where_nothing_ties_ours_has_its_scores(
    kinds, k, scale
):
    X = kinds
    expected = wrapped_relieff(minmax_scale(X) if scale else X, Y, mode="raw", k=k)
    scores = relieff(X, Y, k=k, scale=scale, engine="skfeature")
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-10)
    if np.unique(X).size == X.size:
        np.testing.assert_allclose(relieff(X, Y, k=k, scale=scale), scores, rtol=0, atol=1e-10)
    with pytest.raises(ValueError, match="two classes"):
        relieff(X, SEVERAL, engine="skfeature")
