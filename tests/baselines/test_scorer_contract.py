"""What every scorer promises, for two classes and for three.

To hold another scorer to it, add its name or its place to SCORERS.
"""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest

import baselines
from baselines import anova, relieff, sum_of_normalised
from manifest import manifest_score
from tests.baselines.quick import get


def anova_and_relieff(X, y):
    return sum_of_normalised([anova(X, y), relieff(X, y)])


def manifest_and_relieff(X, y):
    return sum_of_normalised([manifest_score(X, y), relieff(X, y)])


HERE = "tests.baselines.test_scorer_contract"
COMBINED = [
    "weighted:manifest_relieff_weighted",
    "weighted:manifest_anova_weighted",
    "ranks:rank_average",
    "ranks:robust_rank_aggregation",
    "pooled:manifest_pooled",
    "greedy:manifest_greedy",
]
MANIFEST = [
    "manifest:manifest_score",
    f"{HERE}:manifest_and_relieff",
    *(f"baselines.combined.{place}" for place in COMBINED),
]
SCORERS = [*baselines.names(), f"{HERE}:anova_and_relieff", *MANIFEST]
CASES = {
    f"{name.rpartition(':')[2]}-{n_classes}": (name, n_classes)
    for name in SCORERS
    for n_classes in (2, 3)
} | {"reordered-2": ("baselines.reordered:relieff", 2)}

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(params=list(CASES.values()), ids=list(CASES))
def case(request):
    return request.param


@pytest.fixture
def name(case):
    return case[0]


@pytest.fixture
def scorer(name):
    return get(name)


@pytest.fixture
def n_classes(case):
    return case[1]


def problem(n_classes=2, n=40, d=12, seed=0):
    """Continuous features of different scales; the first of them follow the classes."""
    rng = np.random.default_rng(seed)
    y = np.sort(np.arange(n) ** 2 % (2 * n_classes + 1) % n_classes)
    X = rng.normal(size=(n, d)) * rng.uniform(0.5, 2, d)
    X[:, : d // 3] += y[:, None]
    return X, y


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-7, atol=1e-9 * np.abs(expected).max())


def test_gives_one_finite_float_a_feature(scorer, n_classes):
    X, y = problem(n_classes)
    scores = scorer(X, y)
    assert isinstance(scores, np.ndarray)
    assert scores.shape == (12,)
    assert scores.dtype == np.float64
    assert np.isfinite(scores).all()
    assert np.unique(scores).size > 1


@pytest.mark.parametrize("values", [[0, 1], [-2, 0, 2]], ids=["binary", "ternary"])
def test_discrete_features_are_scored(scorer, n_classes, values):
    rng = np.random.default_rng(0)
    X, y = rng.choice(values, size=(40, 12)), rng.integers(n_classes, size=40)
    assert np.isfinite(scorer(X, y)).all()


def test_the_same_input_gives_the_same_scores_and_no_global_random_state_moves(scorer, n_classes):
    X, y = problem(n_classes)
    before = repr(np.random.get_state())  # noqa: NPY002
    first = scorer(X, y)
    np.testing.assert_array_equal(scorer(X, y), first)
    assert repr(np.random.get_state()) == before  # noqa: NPY002


@pytest.mark.parametrize("order", ["C", "F"])
def test_input_is_not_written_to(scorer, n_classes, order):
    X, y = problem(n_classes)
    X = np.array(X, order=order)
    X_before, y_before = X.copy(), y.copy()
    scores = scorer(X, y)
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(y, y_before)
    X.flags.writeable = y.flags.writeable = False
    np.testing.assert_array_equal(scorer(X, y), scores)


@pytest.mark.parametrize(
    "convert",
    [
        lambda X: X.astype(np.int64),
        lambda X: X.astype(np.float32),
        lambda X: X.tolist(),
        lambda X: pd.DataFrame(X, columns=[f"gene {i}" for i in range(X.shape[1])]),
        lambda X: pd.DataFrame(X.astype(int)).add_prefix("gene ").astype({"gene 0": "Int64"}),
        lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    ],
    ids=["int", "float32", "lists", "frame", "mixed frame", "strided"],
)
def test_any_dense_kind_of_X_is_taken(scorer, n_classes, convert):
    X, y = problem(n_classes)
    X = np.round(1000 * X)
    close(scorer(convert(X), y), scorer(X, y))


def test_boolean_X_is_zero_and_one(scorer, n_classes):
    X, y = problem(n_classes)
    np.testing.assert_array_equal(scorer(X > 0, y), scorer((X > 0).astype(float), y))


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["normal", "tumour", "unknown"]),
        np.array(["normal", "tumour", "unknown"], dtype=object),
        np.array([-1, 1, 2]),
        np.array([1.0, 2.0, 4.0]),
        np.array([7, 300, 65535], dtype=np.uint16),
    ],
    ids=["strings", "objects", "-1 and 1", "floats", "unsigned"],
)
def test_labels_are_only_names(scorer, n_classes, labels):
    X, y = problem(n_classes)
    expected = scorer(X, y)
    np.testing.assert_array_equal(scorer(X, labels[y]), expected)
    np.testing.assert_array_equal(scorer(X, labels[y].tolist()), expected)
    np.testing.assert_array_equal(scorer(X, pd.Series(labels[y], index=range(90, 130))), expected)


def test_boolean_labels_are_two_classes(scorer):
    X, y = problem()
    np.testing.assert_array_equal(scorer(X, y == 1), scorer(X, y))


def test_the_order_of_the_classes_changes_nothing(scorer, n_classes):
    X, y = problem(n_classes)
    for shift in range(1, n_classes):
        close(scorer(X, (y + shift) % n_classes), scorer(X, y))


def test_permuted_features_have_permuted_scores(scorer, n_classes):
    X, y = problem(n_classes)
    order = np.random.default_rng(1).permutation(X.shape[1])
    close(scorer(X[:, order], y), scorer(X, y)[order])


def test_the_order_of_the_samples_does_not_matter(scorer, n_classes):
    X, y = problem(n_classes)
    order = np.random.default_rng(1).permutation(X.shape[0])
    close(scorer(X[order], y[order]), scorer(X, y))


# Not ManiFeSt: the paper's toy example shows it pick a constant feature by its associations.
@pytest.mark.parametrize("case", [c for c in CASES.values() if c[0] not in MANIFEST], ids=str)
def test_constant_features_come_strictly_last(scorer, n_classes):
    X, y = problem(n_classes)
    X = np.insert(X, [0, 5, 12], [0.0, 1e6, -0.1], axis=1)
    constant = np.ptp(X, axis=0) == 0
    scores = scorer(X, y)
    assert constant.sum() == 3
    assert np.isfinite(scores).all()
    assert scores[constant].max() < scores[~constant].min()


def test_works_in_select_k_best(scorer, n_classes):
    X, y = problem(n_classes)
    selector = pickle.loads(pickle.dumps(clone(SelectKBest(scorer, k=3)))).fit(X, y)
    scores = scorer(X, y)
    np.testing.assert_array_equal(selector.scores_, scores)
    chosen = selector.get_support()
    assert chosen.sum() == 3
    assert scores[chosen].min() >= scores[~chosen].max()


@pytest.mark.parametrize("scale", [1e150, 1e-150])
def test_values_near_the_ends_of_double_precision_are_scored(scorer, n_classes, scale):
    X, y = problem(n_classes)
    scores = scorer(X * scale, y)
    assert np.isfinite(scores).all()
    assert np.unique(scores).size > 1


def spoiled(value):
    X, y = problem()
    X[3, 2] = value
    return X, y


@pytest.mark.parametrize(
    ("X", "y", "error", "says"),
    [
        (sparse.csr_array(problem()[0]), problem()[1], TypeError, "[Ss]parse"),
        (*spoiled(np.nan), ValueError, "NaN"),
        (*spoiled(np.inf), ValueError, "infinity"),
        (problem()[0], np.zeros(40), ValueError, "class"),
        (problem()[0], problem()[1][:-1], ValueError, "inconsistent"),
        (problem()[0], np.where(problem()[1], np.nan, 0), ValueError, "NaN"),
        (problem()[0], np.linspace(0, 1, 40), ValueError, "class"),
        (problem()[0][:, 0], problem()[1], ValueError, "2D"),
        (problem()[0][:, :0], problem()[1], ValueError, "0 feature"),
        (problem()[0][:1], problem()[1][:1], ValueError, "sample"),
        (problem()[0].astype(complex), problem()[1], ValueError, "[Cc]omplex"),
    ],
    ids=[
        "sparse",
        "NaN",
        "infinity",
        "one class",
        "lengths",
        "NaN in y",
        "continuous y",
        "one dimension",
        "no feature",
        "one sample",
        "complex",
    ],
)
def test_what_cannot_be_scored_is_refused_with_a_sentence(scorer, X, y, error, says):
    with pytest.raises(error, match=says):
        scorer(X, y)
