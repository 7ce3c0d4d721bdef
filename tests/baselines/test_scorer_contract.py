"""The contract that the package states: what every scorer promises, whatever it measures.

All filters are held to it, and the example of CONTRIBUTING. To hold a scorer from elsewhere to it,
add its place to SCORERS. What only some filters promise is in test_traits.py.
"""

import itertools
import pickle
import sys
import types
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import baselines
from baselines import SETS, anova, blind, relieff, sum_of_normalised
from manifest import ManiFeSt
from tests.baselines.conftest import MAKERS, get, problem
from tests.commands import ROOT


def anova_and_relieff(X, y):
    return sum_of_normalised([anova(X, y), relieff(X, y)])


def ranks_of_manifest(X, y):
    return 1.0 * -ManiFeSt(scale_factor=0.2, multiclass="ovo", aggregate="sum").fit(X, y).ranking_


def skfeatures_relieff(X, y):
    return relieff(X, y, engine="skfeature")


def blind_anova(X, y):
    return blind(anova)(X, y)


def example_of_contributing():
    """Make the module of the first Python block of CONTRIBUTING; return the scorer's place."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    code = text.partition("```python\n")[2].partition("```")[0]
    name = "baselines.filters.spread"
    module = sys.modules[name] = types.ModuleType(name)
    module.__package__ = "baselines.filters"
    exec(compile(code, "<CONTRIBUTING>", "exec"), vars(module))
    return f"{name}:spread"


#: The paper's score.
MANIFEST = "manifest:manifest_score"
OWN = [f"{__name__}:{n}" for n in ("anova_and_relieff", "blind_anova", "ranks_of_manifest")]
SCORERS = [*baselines.FILTERS, *SETS, *OWN, example_of_contributing(), MANIFEST]
#: A scorer and the numbers of classes that it takes.
CLASSES: dict[str, tuple[int, ...]] = dict.fromkeys(SCORERS, (2, 3))
CLASSES[f"{__name__}:skfeatures_relieff"] = (2,)


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


X, Y = problem()
ONE = np.arange(X.size).reshape(X.shape) == 38
REFUSED = [
    (sparse.csr_array(X), Y, TypeError, "[Ss]parse"),
    (np.where(ONE, np.nan, X), Y, ValueError, "NaN"),
    (np.where(ONE, np.inf, X), Y, ValueError, "infinity"),
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


def test_constant_features_are_strictly_last(held):
    scorer, [(X, y, _), *_] = held
    if scorer is get(MANIFEST):
        pytest.skip("a constant feature may be among the best, as in the paper's toy example")
    scores = scorer(np.insert(X, [0, 5, 12], [0.0, 1e6, -0.1], axis=1), y)
    constant = np.isin(np.arange(15), [0, 6, 14])
    assert np.isfinite(scores).all()
    assert scores[constant].max() < scores[~constant].min()


def mean_of_copies(X, values):
    """Give equal features the mean of their scores: of copies, a set takes one, and no other."""
    copies = np.unique(X, axis=1, return_inverse=True)[1]
    return (np.bincount(copies, values) / np.bincount(copies))[copies]


def test_no_order_of_samples_or_features_moves_a_score(held):
    scorer, given = held
    if scorer is skfeatures_relieff:
        pytest.skip("the places of samples and features decide ties of skfeature")
    for make in MAKERS[: 2 + len(given)]:
        X, y = make(np.random.default_rng(0))
        expected = mean_of_copies(X, scorer(X, y))
        for seed in range(2):
            rng = np.random.default_rng(seed)
            rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
            moved = X[np.ix_(rows, columns)]
            found = mean_of_copies(moved, scorer(moved, y[rows]))
            close(found, expected[columns], make.__name__)
