"""What every scorer promises. To hold another one to it, add its name or its place to SCORERS."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest

import baselines

MANIFEST = "manifest:manifest_score"
SCORERS = [*baselines.names(), "anova+relieff", MANIFEST, f"{MANIFEST} + relieff"]
TWO_CLASSES_ONLY = {"pearson", "ttest", MANIFEST, f"{MANIFEST} + relieff"}

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(params=SCORERS)
def name(request):
    return request.param


@pytest.fixture
def scorer(name):
    return baselines.get(name)


def problem(n=40, d=12, n_classes=2, seed=0):
    """Continuous features of different scales; the first of them follow the classes."""
    rng = np.random.default_rng(seed)
    y = np.sort(np.arange(n) ** 2 % (2 * n_classes + 1) % n_classes)
    X = rng.normal(size=(n, d)) * rng.uniform(0.5, 2, d)
    X[:, : d // 3] += y[:, None]
    return X, y


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-7, atol=1e-9 * np.abs(expected).max())


def test_gives_one_finite_float_a_feature(scorer):
    X, y = problem()
    scores = scorer(X, y)
    assert isinstance(scores, np.ndarray)
    assert scores.shape == (12,)
    assert scores.dtype == np.float64
    assert np.isfinite(scores).all()
    assert np.unique(scores).size > 1


@pytest.mark.parametrize("values", [[0, 1], [-2, 0, 2]], ids=["binary", "ternary"])
def test_discrete_features_are_scored(scorer, values):
    rng = np.random.default_rng(0)
    X, y = rng.choice(values, size=(40, 12)), rng.integers(2, size=40)
    assert np.isfinite(scorer(X, y)).all()


def test_the_same_input_gives_the_same_scores_and_no_global_random_state_moves(scorer):
    X, y = problem()
    before = repr(np.random.get_state())  # noqa: NPY002
    first = scorer(X, y)
    np.testing.assert_array_equal(scorer(X, y), first)
    assert repr(np.random.get_state()) == before  # noqa: NPY002


@pytest.mark.parametrize("order", ["C", "F"])
def test_input_is_not_written_to(scorer, order):
    X, y = problem()
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
def test_any_dense_kind_of_X_is_taken(scorer, convert):
    X, y = problem()
    X = np.round(1000 * X)
    close(scorer(convert(X), y), scorer(X, y))


def test_boolean_X_is_zero_and_one(scorer):
    X, y = problem()
    np.testing.assert_array_equal(scorer(X > 0, y), scorer((X > 0).astype(float), y))


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["normal", "tumour"]),
        np.array(["normal", "tumour"], dtype=object),
        np.array([False, True]),
        np.array([-1, 1]),
        np.array([1.0, 2.0]),
        np.array([7, 300], dtype=np.uint16),
    ],
    ids=["strings", "objects", "bool", "-1 and 1", "floats", "unsigned"],
)
def test_labels_are_only_names(scorer, labels):
    X, y = problem()
    expected = scorer(X, y)
    np.testing.assert_array_equal(scorer(X, labels[y]), expected)
    np.testing.assert_array_equal(scorer(X, labels[y].tolist()), expected)
    np.testing.assert_array_equal(scorer(X, pd.Series(labels[y], index=range(90, 130))), expected)


def test_swapping_the_classes_changes_nothing(scorer):
    X, y = problem()
    close(scorer(X, 1 - y), scorer(X, y))


def test_permuted_features_have_permuted_scores(scorer):
    X, y = problem()
    order = np.random.default_rng(1).permutation(X.shape[1])
    close(scorer(X[:, order], y), scorer(X, y)[order])


def test_the_order_of_the_samples_does_not_matter(scorer):
    X, y = problem()
    order = np.random.default_rng(1).permutation(X.shape[0])
    close(scorer(X[order], y[order]), scorer(X, y))


# Not ManiFeSt: the paper's toy example shows it pick a constant feature by its associations.
@pytest.mark.parametrize("name", [name for name in SCORERS if MANIFEST not in name])
def test_constant_features_come_strictly_last(scorer):
    X, y = problem()
    X = np.insert(X, [0, 5, 12], [0.0, 1e6, -0.1], axis=1)
    constant = np.ptp(X, axis=0) == 0
    scores = scorer(X, y)
    assert constant.sum() == 3
    assert np.isfinite(scores).all()
    assert scores[constant].max() < scores[~constant].min()


def test_works_in_select_k_best(scorer):
    X, y = problem()
    selector = pickle.loads(pickle.dumps(clone(SelectKBest(scorer, k=3)))).fit(X, y)
    scores = scorer(X, y)
    np.testing.assert_array_equal(selector.scores_, scores)
    assert set(selector.get_support(indices=True)) == set(np.argsort(-scores)[:3])


@pytest.mark.parametrize("scale", [1e150, 1e-150])
def test_values_near_the_ends_of_double_precision_are_scored(scorer, scale):
    X, y = problem()
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


def test_several_classes_are_scored_or_refused(name, scorer):
    X, y = problem(n_classes=3)
    if name in TWO_CLASSES_ONLY:
        with pytest.raises(ValueError, match=r"two classes.*3"):
            scorer(X, y)
    else:
        assert np.isfinite(scorer(X, y)).all()
        np.testing.assert_array_equal(scorer(X, np.array(["a", "b", "c"])[y]), scorer(X, y))
