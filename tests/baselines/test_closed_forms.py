"""Filters against libraries, against formulas written out here, and against each other."""

import itertools
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.spatial.distance import cdist, pdist, squareform
from skfeature.function.similarity_based.fisher_score import fisher_score as wrapped_fisher
from skfeature.function.similarity_based.lap_score import lap_score
from skfeature.function.similarity_based.reliefF import reliefF as wrapped_relieff
from skfeature.function.similarity_based.SPEC import spec as wrapped_spec
from skfeature.function.statistical_based.t_score import t_score
from skfeature.utility.construct_W import construct_W
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import minmax_scale

from baselines import (
    anova,
    boruta,
    correlation_difference,
    fisher_score,
    get,
    hsic,
    l1_logistic,
    laplacian_score,
    levene,
    multisurf,
    pearson,
    relief,
    relieff,
    spec,
    t_test,
    three_tests,
    trace_ratio,
)
from baselines.contract import min_max_scaled, shifted
from experiments.datasets.generators import KINDS_OF_DIFFERENCE, generate
from tests.baselines.conftest import KINDS


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_classes_of_unequal_size_have_the_formulas_and_the_numbers_of_libraries(kind, n_classes):
    """Pearson's r and t are the largest of a class against the rest."""
    rng, shares = np.random.default_rng(0), np.arange(1, n_classes + 1)
    y = rng.choice(n_classes, size=60, p=shares / shares.sum())
    X = KINDS[kind](rng, (60, 20)) + np.linspace(0, 1, 20) * y[:, None]
    parts = [(X[y == c], X[y != c]) for c in range(n_classes)]
    expected = stats.f_oneway(*(inside for inside, _ in parts)).statistic
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


Y = (np.arange(50) % 7 < 3).astype(int)
SEVERAL = np.arange(50) ** 2 % 11 % 4


@pytest.fixture(params=KINDS)
def kinds(request):
    return KINDS[request.param](np.random.default_rng(0), (50, 30))


@pytest.fixture
def X(y):
    return np.random.default_rng(0).normal(size=(40, 8)) + y[:, None] * np.linspace(0, 1, 8)


@pytest.mark.parametrize("width", [0.01, 0.3, 1, 5, 100])
def test_hsic_is_the_trace_over_all_pairs(X, y, width):
    X = np.c_[X, X[:, 0] ** 9, y == 1]
    H = np.eye(len(y)) - 1 / len(y)
    L = (y[:, None] == y).astype(float)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    kernels = (rbf_kernel(z[:, None], gamma=1 / (2 * width**2)) for z in Z.T)
    expected = [np.trace(K @ H @ L @ H) / len(y) ** 2 for K in kernels]
    assert_allclose(hsic(X, y, width=width), expected, rtol=1e-9, atol=1e-14)


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


def of_graph(X, W):
    """Minus the Laplacian score of each feature, by its definition."""
    degree = W.sum(axis=1)
    centred = X - degree @ X / degree.sum()
    smooth = centred * ((np.diag(degree) - W) @ centred)
    return -smooth.sum(axis=0) / (degree @ centred**2)


@pytest.mark.parametrize(("percentile", "neighbors"), [
    *((percentile, None) for percentile in (0, 1, 10, 50, 99, 100)),
    *((50, k) for k in (1, 5, 20, 48, 49, 100)),
])  # fmt: skip
def test_the_laplacian_score_is_that_of_its_graph(kinds, percentile, neighbors):
    """Where no neighbours tie, graph and order are those of skfeature."""
    X, given = kinds, {"percentile": percentile, "neighbors": neighbors}
    W, scale = graph(X, **given)
    scores = laplacian_score(X, Y, **given)
    assert_allclose(scores, of_graph(X, W), rtol=1e-9, atol=1e-12)
    assert_array_equal(laplacian_score(X, SEVERAL, **given), scores)  # Labels are not used.
    # A feature of tiny variance is not taken for a constant, as it is by skfeature.
    tiny = np.c_[X, 2.0**-30 * X[:, 0]]
    assert_allclose(laplacian_score(tiny, Y, **given)[-1], scores[0], rtol=1e-9)
    if neighbors is None or np.unique(X).size == X.size:
        form = {"metric": "euclidean", "neighbor_mode": "knn", "weight_mode": "heat_kernel"}
        theirs = construct_W(X, k=min(neighbors or 49, 49), t=scale, **form)
        assert_allclose(theirs.toarray(), W, rtol=0, atol=1e-12)
        assert np.diff(scores[lap_score(X.copy(), W=theirs, mode="index")]).max() <= 1e-12


def test_duplicated_samples_do_not_make_the_scale_zero():
    X = np.repeat(np.random.default_rng(0).normal(size=(4, 6)), 5, axis=0)
    W = np.exp(-(squareform(pdist(X)) ** 2) / (2 * pdist(X[::5]).min() ** 2))
    scores = laplacian_score(X, np.arange(20) % 2, percentile=1, neighbors=None)
    assert_allclose(scores, of_graph(X, W), rtol=1e-9, atol=1e-12)
    # Too few distances connect two clusters far apart.
    X = np.array([[0.0, 1.0], [1e-6, 1.0], [1.0, 0.0], [1.0, 1e-6]])
    assert np.isfinite(laplacian_score(X, [0, 1, 0, 1], percentile=1)).all()


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


def nearest(k, metric):
    """How often the k nearest others count; those at the k-th distance share what is left of k."""

    def counted(Z, i, others):
        distance = np.round(cdist(Z[[i]], Z[others], metric)[0], 9)
        limit = np.sort(distance)[:k][-1]
        nearer, tied = distance < limit, distance == limit
        return nearer + tied * (min(k, len(others)) - nearer.sum()) / tied.sum()

    return counted


def nearer_than_the_mean_less_half_a_deviation(Z, i, others):
    distances = np.abs(Z - Z[i]).sum(axis=1)
    away = np.delete(distances, i)
    return distances[others] < (away.mean() - away.std() / 2) * (1 - 1e-9)


def textbook(X, y, counted, power=1, classes_together=False):
    """Figure 2 of Robnik-Sikonja and Kononenko (2003), times the number of samples."""
    Z = minmax_scale(X)
    total = np.zeros(X.shape[1])
    for i, z in enumerate(Z):
        labels = y != y[i] if classes_together else y
        for label in set(labels):
            others = np.flatnonzero((labels == label) & (np.arange(len(y)) != i))
            counts = counted(Z, i, others) if others.size else np.zeros(0)
            if counts.any():
                gap = counts @ np.abs(z - Z[others]) ** power / counts.sum()
                share = np.mean(labels == label) / np.mean(labels != labels[i])
                total += gap * (share if label != labels[i] else -1)
    return total


CORNERS = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])


def test_relief_and_its_relatives_are_what_the_textbook_says(kinds):
    close = partial(assert_allclose, rtol=0, atol=1e-10)
    for X, y in (
        *((kinds[::2, :6], labels[::2]) for labels in (Y, SEVERAL)),
        # skfeature has a sample itself at the largest distance, where a tie makes it a hit.
        (CORNERS, np.array([0, 0, 1, 1])),
        # The only sample of a class has no hits.
        (CORNERS[:3] * [1.0, 0.7], np.array([0, 0, 1])),
    ):
        for k in (1, 2, 5, 100):
            close(relieff(X, y, k=k), textbook(X, y, nearest(k, "cityblock")))
        squares = textbook(X, y, nearest(1, "sqeuclidean"), power=2, classes_together=True)
        close(relief(X, y), squares / len(y))
        within = textbook(X, y, nearer_than_the_mean_less_half_a_deviation)
        close(multisurf(X, y), within / len(y))
    assert_array_equal(multisurf(np.eye(6), np.arange(6) % 2), np.zeros(6))  # equal distances
    with pytest.raises(ValueError, match="rescale"):  # Differences overflow.
        relieff(1.5e308 * (CORNERS - 0.5), [0, 0, 1, 1], scale=False)


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("k", [1, 3, 10, 20])
def test_the_engine_skfeature_is_skfeatures_and_where_nothing_ties_ours_has_its_scores(
    kinds, k, scale
):
    X = kinds
    expected = wrapped_relieff(minmax_scale(X) if scale else X, Y, mode="raw", k=k)
    scores = relieff(X, Y, k=k, scale=scale, engine="skfeature")
    assert_allclose(scores, expected, rtol=1e-12, atol=1e-10)
    if np.unique(X).size == X.size:
        assert_allclose(relieff(X, Y, k=k, scale=scale), scores, rtol=0, atol=1e-10)
    with pytest.raises(ValueError, match="two classes"):
        relieff(X, SEVERAL, engine="skfeature")


def test_spreads_correlations_and_three_tests_combined_are_those_of_scipy_and_numpy():
    y = np.arange(30) % 2
    X = np.random.default_rng(0).normal(size=(30, 6))
    X[:, 1] *= 1 + y
    X[y == 1, 2] += X[y == 1, 3]
    spreads = [stats.levene(x[y == 0], x[y == 1], center="median") for x in X.T]
    np.testing.assert_allclose(levene(X, y), [each.statistic for each in spreads])
    z = [np.arctanh(np.corrcoef(X[c == y].T) - np.eye(6)) for c in (0, 1)]
    deviates = np.abs(z[0] - z[1]) / np.sqrt(2 / 12)
    largest = np.sort(deviates, axis=0)[-3:]
    np.testing.assert_allclose(correlation_difference(X, y), largest.mean(axis=0))
    p = [
        [stats.ttest_ind(x[y == 0], x[y == 1]).pvalue for x in X.T],
        [each.pvalue for each in spreads],
        5 * 2 * stats.norm.sf(largest[-1]),
    ]
    # Cauchy's rule.
    combined = stats.cauchy.sf(np.mean(np.tan(np.pi * (0.5 - np.minimum(p, 0.99))), axis=0))
    np.testing.assert_allclose(three_tests(X, y), -np.log(combined), rtol=1e-7)


def test_l1_logistic_has_zeros_and_finds_a_shift():
    y = np.arange(30) % 2
    X = np.random.default_rng(0).normal(size=(30, 6)) + 2 * y[:, None] * (np.arange(6) == 4)
    scores = l1_logistic(X, y, C=0.1)
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
