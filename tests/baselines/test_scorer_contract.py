"""The contract of every scorer, and a test for each trap of wrapped code and of floating point.

To hold another scorer to it, add its name or its place to SCORERS.
"""

import importlib
import itertools
import pickle
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import baselines
from baselines import SETS, anova, blind, relieff, sum_of_normalised
from manifest import ManiFeSt, ranking
from tests.baselines.quick import get


def anova_and_relieff(X, y):
    return sum_of_normalised([anova(X, y), relieff(X, y)])


def ranks_of_manifest(X, y):
    return 1.0 * -ManiFeSt(scale_factor=0.2, multiclass="ovo", aggregate="sum").fit(X, y).ranking_


def skfeatures_relieff(X, y):
    return relieff(X, y, engine="skfeature")


def blind_anova(X, y):
    return blind(anova)(X, y)


#: The paper's score: a constant feature may be among the best, as in its toy example.
MANIFEST = "manifest:manifest_score"
OWN = [f"{__name__}:{n}" for n in ("anova_and_relieff", "blind_anova", "ranks_of_manifest")]
SCORERS = [*baselines.FILTERS, *SETS, *OWN, MANIFEST]
#: A scorer and the numbers of classes that it takes.
CLASSES: dict[str, tuple[int, ...]] = dict.fromkeys(SCORERS, (2, 3))
CLASSES[f"{__name__}:skfeatures_relieff"] = (2,)
#: A random choice looks at no feature: what holds of filters does not hold of it.
FILTERS = tuple(name for name in baselines.FILTERS if name != "random")
#: Scores of these follow the labels in no way, and depend on the units of the features.
UNSUPERVISED = ("laplacian", "near_copies", "spec", "variance")
#: These see no mean, or see a feature by the chance of a tree.
BLIND_TO_MEANS = ("correlation_difference", "covariance_difference", "levene", "forest")
#: The scores of these have the units of the features.
WITH_UNITS = ("covariance_difference", "relieff_unscaled", "variance")


def problem(n_classes=2, seed=0, d=12):
    """Continuous features of different scales; the first four of them follow the classes."""
    rng = np.random.default_rng(seed)
    y = np.sort(np.arange(40) ** 2 % (2 * n_classes + 1) % n_classes)
    X = rng.normal(size=(40, d)) * rng.uniform(0.5, 2, d)
    X[:, :4] += y[:, None]
    return X, y


def close(actual, expected, case):
    """No score moves by more than 1e-9 of the largest."""
    bound = 1e-9 * np.abs(expected).max()
    assert_allclose(actual, expected, rtol=0, atol=bound, err_msg=str(case))


@pytest.fixture(scope="module", params=CLASSES, ids=lambda name: name.rpartition(":")[2])
def held(request):
    """A scorer that was pickled, and X, y and their scores for each number of classes."""
    scorer = pickle.loads(pickle.dumps(get(request.param)))
    given = [problem(n_classes) for n_classes in CLASSES[request.param]]
    return scorer, [(X, y, scorer(X, y)) for X, y in given]


def test_a_scorer_gives_one_finite_float_a_feature(held):
    scorer, given = held
    for X, y, expected in given:
        assert isinstance(expected, np.ndarray)
        for case in (X, X * 1e150, X * 1e-150, np.sign(X), np.where(np.abs(X) < 1, 0, np.sign(X))):
            scores = scorer(case, y)
            assert scores.shape == (12,)
            assert scores.dtype == np.float64
            assert np.isfinite(scores).all()
            assert np.unique(scores).size > 1


def test_a_scorer_gives_the_same_again_and_writes_nowhere(held):
    """It changes neither its input, which may be read-only, nor the global random state."""
    scorer, given = held
    before = repr(np.random.get_state())  # noqa: NPY002
    order: Any
    for (X, y, expected), order in itertools.product(given, ("C", "F")):
        own, labels = np.array(X, order=order), y.copy()
        scores = scorer(own, labels)
        close(scores, expected, order)
        assert_array_equal(own, X)
        assert_array_equal(labels, y)
        own.flags.writeable = labels.flags.writeable = False
        assert_array_equal(scorer(own, labels), scores)
    assert repr(np.random.get_state()) == before  # noqa: NPY002


#: Dense kinds of X.
DENSE = {
    "int": lambda X: X.astype(np.int64),
    "float32": lambda X: X.astype(np.float32),
    "lists": lambda X: X.tolist(),
    "frame": lambda X: pd.DataFrame(X, columns=[f"gene {i}" for i in range(X.shape[1])]),
    "mixed frame": lambda X: pd.DataFrame(X.astype(int)).astype({0: "Int64"}).add_prefix("gene "),
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
}


def test_a_scorer_takes_any_dense_kind_of_X(held):
    scorer, [(X, y, _), *_] = held
    whole, binary = np.round(1000 * X), X > 0
    expected = scorer(whole, y)
    for kind, convert in DENSE.items():
        close(scorer(convert(whole), y), expected, kind)
    assert_array_equal(scorer(binary, y), scorer(binary.astype(float), y))


NAMED = np.array(["normal", "tumour", "unknown"])
LABELS = {
    "objects": NAMED.astype(object),
    "-1 and 1": np.array([-1, 1, 2]),
    "floats": np.array([1.0, 2.0, 4.0]),
    "unsigned": np.array([7, 300, 65535], dtype=np.uint16),
}


def test_a_scorer_takes_labels_for_names_only_and_depends_on_no_order_of_them(held):
    scorer, given = held
    for X, y, expected in given:
        kinds = {kind: labels[y] for kind, labels in LABELS.items()}
        kinds |= {"array": NAMED[y], "list": NAMED[y].tolist()}
        kinds["series"] = pd.Series(NAMED[y], index=range(90, 130))
        kinds |= {"boolean": y == 1} if y.max() == 1 else {}
        for kind, labels in kinds.items():
            assert_array_equal(scorer(X, labels), expected, err_msg=kind)
        for shift in range(1, y.max() + 1):
            close(scorer(X, (y + shift) % (y.max() + 1)), expected, shift)


def spoiled(value):
    X, _ = problem()
    X[3, 2] = value
    return X


X, Y = problem()
REFUSED = [
    (sparse.csr_array(X), Y, TypeError, "[Ss]parse"),
    (spoiled(np.nan), Y, ValueError, "NaN"),
    (spoiled(np.inf), Y, ValueError, "infinity"),
    (X, np.zeros(40), ValueError, "class"),
    (X, Y[:-1], ValueError, "inconsistent"),
    (X, np.where(Y, np.nan, 0), ValueError, "NaN"),
    (X, np.linspace(0, 1, 40), ValueError, "class"),
    (X[:, 0], Y, ValueError, "2D"),
    (X[:, :0], Y, ValueError, "0 feature"),
    (X[:1], Y[:1], ValueError, "sample"),
    (X.astype(complex), Y, ValueError, "[Cc]omplex"),
]


def test_a_scorer_refuses_what_it_cannot_score(held):
    for X, y, error, says in REFUSED:
        with pytest.raises(error, match=says):
            held[0](X, y)


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


@pytest.mark.parametrize("name", [name for name in SCORERS if name != MANIFEST])
def test_constant_features_are_strictly_last_and_change_no_other_score_of_a_filter(name):
    scores = get(name)(np.insert(X, [0, 5, 12], [0.0, 1e6, -0.1], axis=1), Y)
    constant = np.isin(np.arange(15), [0, 6, 14])
    assert np.isfinite(scores).all()
    assert scores[constant].max() < scores[~constant].min()
    if name in FILTERS:
        others = scores[~constant]
        assert_array_equal(others, get(name)(X, Y))
        # Below all others by more than a ranking takes for a tie, and by as little as that.
        gap = (others.min() - scores[constant]) / np.abs(others).max()
        assert ((gap > 1.5 * ranking.TIES) & (gap < 3 * ranking.TIES)).all()


@pytest.mark.parametrize("name", FILTERS)
def test_constant_features_alone_have_score_zero_and_one_feature_or_two_samples_are_enough(name):
    alone = np.tile([0.0, 1e9, -0.1], (40, 1))
    assert_array_equal(get(name)(alone, Y), np.zeros(3))
    assert np.isfinite(get(name)(*problem(d=1))).all()
    if name not in ("ig", "correlation_difference"):  # which need more samples of a class
        scores = get(name)([[0.0, 3.0, 7.0], [1.0, 3.0, 4.0]], ["a", "b"])
        assert np.isfinite(scores).all()
        assert scores[1] < min(scores[0], scores[2])


@pytest.mark.parametrize("name", sorted({*FILTERS} - {*UNSUPERVISED, *BLIND_TO_MEANS}))
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


@pytest.mark.parametrize("name", sorted(set(FILTERS) - {"ig"}))
def test_an_offset_costs_no_digits(name):
    """For integers the differences are exact; sums of squares about 0 would lose the feature."""
    whole = np.round(100 * X)
    offset = np.where(np.arange(12) % 2, 2.0**40, -(2.0**45))
    expected = get(name)(whole - whole.min(axis=0), Y)
    assert_array_equal(get(name)(whole + offset, Y), expected)


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


def ternary(rng):
    y = np.arange(60) % 8 < 3
    X = rng.choice([-2.0, 0.0, 2.0], size=(60, 40), p=[0.2, 0.5, 0.3])
    X[:, :8] = np.where(rng.random((60, 8)) < 0.4, 2.0 * y[:, None], X[:, :8])
    return X, y


def pixels(rng):
    """Blank, nearly blank and grey pixels, in whole grey levels."""
    y = np.arange(60) % 2
    grey = rng.gamma(2, 40, size=(60, 40)) + 60 * y[:, None] * (rng.random(40) < 0.3)
    inked = rng.random((60, 40)) < np.linspace(0.05, 0.9, 40)
    return np.where(inked, np.minimum(255, np.round(grey)), 0), y


def continuous(rng):
    y = np.arange(60) % 2
    return rng.normal(size=(60, 40)) * rng.uniform(0.5, 2, 40) + 0.3 * y[:, None], y


def three_classes(rng):
    y = np.arange(30) % 3
    return rng.choice([0.0, 1.0, 1.5], size=(30, 10)) + (rng.random((30, 10)) < 0.3) * y[:, None], y


def scores_of(name, X, y):
    called, parameters = FORMS.get(name, (name, {}))
    values = get(called)(X, y, **parameters)
    if name in WITH_UNITS:
        return values / np.abs(values).max()
    if name.endswith("_set"):
        # Of copies one is chosen, and nothing in the data tells which; their mean does not depend
        # on it.
        copies = np.unique(X, axis=1, return_inverse=True)[1]
        return (np.bincount(copies, values) / np.bincount(copies))[copies]
    return values


#: Maps of the data under which distances keep their ratios, but for rounding.
CHANGES = {"+ 7": lambda X: X + 7, "* 8": lambda X: X * 8, "/ 3 - 0.1": lambda X: X / 3 - 0.1}


@pytest.mark.parametrize("name", [*baselines.FILTERS, *SETS, MANIFEST, *FORMS])
def test_neither_orders_nor_roundings_of_the_same_distances_move_a_score(name):
    """Exempt are what libraries do with ties, skfeature's engines and information gain with
    scikit-learn's noise: there the places of samples and features decide."""
    for make in (ternary, pixels, continuous, three_classes):
        (X, y), kind = make(np.random.default_rng(0)), make.__name__
        expected = scores_of(name, X, y)
        for seed, (change, mapped) in enumerate(CHANGES.items()):
            rng = np.random.default_rng(seed)
            rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
            changed = X if name == "random" else mapped(X)  # which every new value changes
            moved = scores_of(name, changed[np.ix_(rows, columns)], y[rows])
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
