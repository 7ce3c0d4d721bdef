"""What some filters promise beyond the contract, and their parameters and grids.

A trait is listed by name. A filter joins those that it has; none needs any.
"""

import importlib
import itertools
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

import baselines
from baselines import SETS
from manifest import ranking
from tests.baselines.conftest import MAKERS, get, problem
from tests.baselines.test_scorer_contract import MANIFEST, close, mean_of_copies

X, Y = problem()
#: These put a feature first that separates the classes without any spread inside them.
FIRST_IF_IT_SEPARATES = (
    *("anova", "boruta", "cfs", "fisher", "gini", "hsic", "ig", "jmi", "l1_logistic", "mrmr"),
    *("multisurf", "pearson", "relief", "relieff", "three_tests", "trace_ratio", "ttest"),
)
#: An offset of a feature costs these no digit.
KEEP_DIGITS = (
    *("anova", "boruta", "cfs", "correlation_difference", "covariance_difference", "fisher"),
    *("forest", "gini", "hsic", "jmi", "l1_logistic", "laplacian", "levene", "mrmr", "multisurf"),
    *("near_copies", "pearson", "relief", "relieff", "spec", "three_tests", "trace_ratio"),
    *("ttest", "variance"),
)
#: Two samples are enough for these.
OF_TWO_SAMPLES = tuple(name for name in KEEP_DIGITS if name != "correlation_difference")
#: A constant feature changes no other score of these.
APART = (*KEEP_DIGITS, "ig")
#: The scores of these have the units of the features.
WITH_UNITS = ("covariance_difference", "relieff_unscaled", "variance")


@pytest.mark.parametrize("name", APART)
def test_constant_features_change_no_other_score_and_are_below_by_more_than_a_tie(name):
    scores = get(name)(np.insert(X, [0, 5, 12], [0.0, 1e6, -0.1], axis=1), Y)
    constant = np.isin(np.arange(15), [0, 6, 14])
    others = scores[~constant]
    assert_array_equal(others, get(name)(X, Y))
    gap = (others.min() - scores[constant]) / np.abs(others).max()
    assert ((gap > 1.5 * ranking.TIES) & (gap < 3 * ranking.TIES)).all()
    alone = np.tile([0.0, 1e9, -0.1], (40, 1))
    assert_array_equal(get(name)(alone, Y), np.zeros(3))
    assert np.isfinite(get(name)(*problem(d=1))).all()


@pytest.mark.parametrize("name", OF_TWO_SAMPLES)
def test_two_samples_are_enough(name):
    scores = get(name)([[0.0, 3.0, 7.0], [1.0, 3.0, 4.0]], ["a", "b"])
    assert np.isfinite(scores).all()
    assert scores[1] < min(scores[0], scores[2])


@pytest.mark.parametrize("name", FIRST_IF_IT_SEPARATES)
def test_a_feature_without_spread_inside_the_classes_is_first_and_finite(name):
    """Its F, t and Fisher score are infinite; rounding can make them negative or NaN."""
    for seed in range(5):
        X, y = problem(seed=seed, d=9)
        X[:, 5] = np.where(y, *np.random.default_rng(seed).normal(size=2))
        scores = get(name)(X, y)
        assert np.isfinite(scores).all(), seed
        assert np.argmax(scores) == 5, seed
    # Beside a feature of equal class means scikit-learn warns of a constant one: the perfect one.
    y = np.arange(12) % 2
    X = np.c_[y, np.arange(12) // 2 % 2, np.arange(12) % 3]
    assert np.argmax(get(name)(X, y)) == 0


@pytest.mark.parametrize("name", KEEP_DIGITS)
def test_an_offset_costs_no_digits(name):
    """For integers the differences are exact; sums of squares about 0 would lose the feature."""
    whole = np.round(100 * X)
    offset = np.where(np.arange(12) % 2, 2.0**40, -(2.0**45))
    expected = get(name)(whole - whole.min(axis=0), Y)
    assert_array_equal(get(name)(whole + offset, Y), expected)


NO_INTEGER, NO_NUMBER = (2.5, True, "1"), (np.nan, "much", None, True)
SEQUENTIAL = ["mrmr", "jmi", "cfs"]
#: A parameter, filters that have it, and values without a meaning.
MEANINGLESS: list[tuple[str, list[str], tuple]] = [
    ("k", ["relieff", "ig"], (0, *NO_INTEGER)),
    ("seed", ["ig", "random", "boruta"], (-1, *NO_INTEGER)),
    ("neighbors", ["laplacian"], (0, *NO_INTEGER)),
    ("bins", SEQUENTIAL, (1, *NO_INTEGER)),
    ("n_selected", [*SEQUENTIAL, "trace_ratio"], (0, *NO_INTEGER)),
    ("percentile", ["laplacian"], (-1, 101, *NO_NUMBER)),
    ("width", ["hsic"], (0, -1, np.inf, 1e3, *NO_NUMBER)),
    ("ties", ["ig"], ("first",)),
    ("engine", ["relieff"], ("cython",)),
]


#: Filters that score many values of a parameter at once.
GRIDS = {name: grid for name in baselines.FILTERS if (grid := getattr(get(name), "grid", None))}


@pytest.mark.parametrize(("parameter", "names", "values"), MEANINGLESS)
def test_a_parameter_without_a_meaning_is_refused(parameter, names, values):
    for name, value in itertools.product(names, values):
        with pytest.raises((TypeError, ValueError), match=f"{parameter} must be"):
            get(name)(X, Y, **{parameter: value})
    for (_, grid), of_grid in itertools.product(GRIDS.values(), ([1, 0], [])):
        with pytest.raises(ValueError, match="k"):
            grid(X, Y, of_grid)
    with pytest.raises(ValueError, match="two samples"):
        get("ig")(X[:3], [0, 1, 2])


#: The forms of configs/method that are not the functions' defaults.
FORMS = {
    "relieff_unscaled": ("relieff", {"scale": False}),
    "relieff_of_many": ("relieff", {"k": 15}),
    "ig_of_many": ("ig", {"k": 15}),
    "laplacian_full": ("laplacian", {"neighbors": None}),
    "laplacian_near": ("laplacian", {"percentile": 5}),
    "spec_of_many": ("spec", {"k": 10}),
    "trace_ratio_of_few": ("trace_ratio", {"n_selected": 5}),
    "hsic_narrow": ("hsic", {"width": 0.25}),
    "mrmr_in_halves": ("mrmr", {"bins": 2}),
    "jmi_of_few": ("jmi", {"bins": 3, "n_selected": 5}),
    "cfs_of_few": ("cfs", {"bins": 3, "n_selected": 5}),
    "manifest_near": (MANIFEST, {"percentile": 5}),
    "in_blocks_set": ("manifest_set", {"block": 20}),
    "euclidean_set": ("manifest_set", {"geometry": "euclidean"}),
}
#: Scorers that one feature's own location and scale do not move.
OF_EACH_FEATURE = (
    *("anova", "cfs", "fisher", "gini", "hsic"),
    *("hsic_narrow", "ig", "ig_of_many", "jmi", "mrmr", "pearson", "relief", "relieff"),
    *("trace_ratio", "trace_ratio_of_few", "ttest"),
)
#: These depend on the distances between samples, and not on their unit.
OF_DISTANCES = (*APART, *SETS, MANIFEST, *FORMS)


def scores_of(name, X, y):
    called, parameters = FORMS.get(name, (name, {}))
    values = get(called)(X, y, **parameters)
    if name in WITH_UNITS:
        return values / np.abs(values).max()
    return mean_of_copies(X, values) if name.endswith("_set") else values


#: Maps of the data under which distances keep their ratios, but for rounding.
CHANGES = {"+ 7": lambda X: X + 7, "* 8": lambda X: X * 8, "/ 3 - 0.1": lambda X: X / 3 - 0.1}


@pytest.mark.parametrize("name", OF_DISTANCES)
def test_neither_orders_nor_roundings_of_the_same_distances_move_a_score(name):
    for make in MAKERS:
        (X, y), kind = make(np.random.default_rng(0)), make.__name__
        expected = scores_of(name, X, y)
        for seed, (change, mapped) in enumerate(CHANGES.items()):
            rng = np.random.default_rng(seed)
            rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
            moved = scores_of(name, mapped(X)[np.ix_(rows, columns)], y[rows])
            close(moved, expected[columns], (kind, change))
        if name in OF_EACH_FEATURE:
            rng = np.random.default_rng(0)
            factors, offsets = 10 ** rng.uniform(-9, 9, X.shape[1]), rng.normal(size=X.shape[1])
            close(scores_of(name, (X + offsets) * factors, y), expected, (kind, "units"))


VALUES = st.lists(st.integers(1, 40), min_size=1, max_size=6)


@st.composite
def problems(draw):
    """Samples of two or three classes, the first of two samples or more."""
    n, d = draw(st.integers(3, 30)), draw(st.integers(1, 5))
    y = np.array([0, 0, 1, *draw(st.lists(st.integers(0, 2), min_size=n - 3, max_size=n - 3))])
    values = draw(st.sampled_from([st.integers(-2, 2), st.floats(-1, 1), st.floats(0, 1e150)]))
    return draw(arrays(np.float64, (n, d), elements=values)), y


@pytest.mark.parametrize("name", GRIDS)
@settings(max_examples=60)
@given(problem=problems(), values=VALUES)
def test_a_row_is_the_scorer_for_its_value(name, problem, values):
    X, y = problem
    parameter, grid = GRIDS[name]
    rows = grid(X, y, values)
    assert rows.shape == (len(values), X.shape[1])
    for value, row in zip(values, rows, strict=True):
        np.testing.assert_array_equal(row, get(name)(X, y, **{parameter: value}))


@pytest.mark.parametrize("name", [*GRIDS, "gini", "relief"])
def test_chunks_of_another_size_change_nothing_but_the_rounding_of_sums(name, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.integers(3, size=(50, 30)), rng.integers(3, size=50)
    score = partial(GRIDS[name][1], ks=[1, 5, 50]) if name in GRIDS else get(name)
    expected = score(X, y)
    monkeypatch.setattr(importlib.import_module(f"baselines.filters.{name}"), "_CHUNK", 200)
    np.testing.assert_allclose(score(X, y), expected, rtol=0, atol=1e-12)
