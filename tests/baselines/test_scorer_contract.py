"""The contract of every scorer, for two classes and for three.

To hold another scorer to it, add its name or its place to SCORERS.
"""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import baselines
from baselines import SETS, anova, relieff, sum_of_normalised
from manifest import ManiFeSt
from tests.baselines.quick import get
from tests.cases import over


def anova_and_relieff(X, y):
    return sum_of_normalised([anova(X, y), relieff(X, y)])


def ranks_of_manifest(X, y):
    return 1.0 * -ManiFeSt(scale_factor=0.2, multiclass="ovo", aggregate="sum").fit(X, y).ranking_


def skfeatures_relieff(X, y):
    return relieff(X, y, engine="skfeature")


#: The paper's score: a constant feature may be among the best, as in its toy example.
MANIFEST = "manifest:manifest_score"
OWN = [f"{__name__}:{name}" for name in ("anova_and_relieff", "ranks_of_manifest")]
SCORERS = [*baselines.names(), *SETS, *OWN, MANIFEST]
#: A scorer and the numbers of classes that it takes.
CLASSES: dict[str, tuple[int, ...]] = dict.fromkeys(SCORERS, (2, 3))
CLASSES[f"{__name__}:skfeatures_relieff"] = (2,)


CLASSES[f"{__name__}:skfeatures_relieff"] = (2,)


def problem(n_classes=2):
    """Continuous features of different scales; the first four of them follow the classes."""
    rng = np.random.default_rng(0)
    y = np.sort(np.arange(40) ** 2 % (2 * n_classes + 1) % n_classes)
    X = rng.normal(size=(40, 12)) * rng.uniform(0.5, 2, 12)
    X[:, :4] += y[:, None]
    return X, y


def close(actual, expected, case):
    bound = 1e-9 * np.abs(expected).max()
    np.testing.assert_allclose(actual, expected, rtol=1e-7, atol=bound, err_msg=str(case))


def equal(actual, expected, case):
    np.testing.assert_array_equal(actual, expected, err_msg=str(case))


def gives_one_finite_float_a_feature(scorer, X, y, expected):
    assert isinstance(expected, np.ndarray)
    for case in (X, X * 1e150, X * 1e-150, np.sign(X), np.where(np.abs(X) < 1, 0, np.sign(X))):
        scores = scorer(case, y)
        assert scores.shape == (12,)
        assert scores.dtype == np.float64
        assert np.isfinite(scores).all()
        assert np.unique(scores).size > 1


def gives_the_same_scores_again_and_writes_nowhere(scorer, X, y, expected):
    """It changes neither its input, which may be read-only, nor the global random state."""
    before = repr(np.random.get_state())  # noqa: NPY002
    for order in ("C", "F"):
        given, labels = np.array(X, order=order), y.copy()
        scores = scorer(given, labels)
        close(scores, expected, order)
        equal(given, X, order)
        equal(labels, y, order)
        given.flags.writeable = labels.flags.writeable = False
        equal(scorer(given, labels), scores, order)
    assert repr(np.random.get_state()) == before  # noqa: NPY002


#: Dense kinds of X.
DENSE = {
    "int": lambda X: X.astype(np.int64),
    "float32": lambda X: X.astype(np.float32),
    "lists": lambda X: X.tolist(),
    "frame": lambda X: pd.DataFrame(X, columns=[f"gene {i}" for i in range(X.shape[1])]),
    "mixed frame": lambda X: (
        pd.DataFrame(X.astype(int)).add_prefix("gene ").astype({"gene 0": "Int64"})
    ),
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
}


def takes_any_dense_kind_of_X(scorer, X, y):
    binary, X = X > 0, np.round(1000 * X)
    expected = scorer(X, y)
    for kind, convert in DENSE.items():
        close(scorer(convert(X), y), expected, kind)
    equal(scorer(binary, y), scorer(binary.astype(float), y), "boolean")


LABELS = {
    "strings": np.array(["normal", "tumour", "unknown"]),
    "objects": np.array(["normal", "tumour", "unknown"], dtype=object),
    "-1 and 1": np.array([-1, 1, 2]),
    "floats": np.array([1.0, 2.0, 4.0]),
    "unsigned": np.array([7, 300, 65535], dtype=np.uint16),
}


def takes_labels_for_names_only(scorer, X, y, expected):
    for kind, labels in LABELS.items():
        equal(scorer(X, labels[y]), expected, kind)
    named = LABELS["strings"][y]
    equal(scorer(X, named.tolist()), expected, "list")
    equal(scorer(X, pd.Series(named, index=range(90, 130))), expected, "series")
    if y.max() == 1:
        equal(scorer(X, y == 1), expected, "boolean")


def depends_on_no_order_of_classes(scorer, X, y, expected):
    for shift in range(1, y.max() + 1):
        close(scorer(X, (y + shift) % (y.max() + 1)), expected, shift)


def puts_constant_features_strictly_last(scorer, X, y):
    X = np.insert(X, [0, 5, 12], [0.0, 1e6, -0.1], axis=1)
    constant = np.ptp(X, axis=0) == 0
    scores = scorer(X, y)
    assert constant.sum() == 3
    assert np.isfinite(scores).all()
    assert scores[constant].max() < scores[~constant].min()


def spoiled(value):
    X, _ = problem()
    X[3, 2] = value
    return X


X, Y = problem()
REFUSED = {
    "sparse": (sparse.csr_array(X), Y, TypeError, "[Ss]parse"),
    "NaN": (spoiled(np.nan), Y, ValueError, "NaN"),
    "infinity": (spoiled(np.inf), Y, ValueError, "infinity"),
    "one class": (X, np.zeros(40), ValueError, "class"),
    "lengths": (X, Y[:-1], ValueError, "inconsistent"),
    "NaN in y": (X, np.where(Y, np.nan, 0), ValueError, "NaN"),
    "continuous y": (X, np.linspace(0, 1, 40), ValueError, "class"),
    "one dimension": (X[:, 0], Y, ValueError, "2D"),
    "no feature": (X[:, :0], Y, ValueError, "0 feature"),
    "one sample": (X[:1], Y[:1], ValueError, "sample"),
    "complex": (X.astype(complex), Y, ValueError, "[Cc]omplex"),
}


@over("fault", REFUSED)
def refuses(scorer, fault):
    X, y, error, says = REFUSED[fault]
    with pytest.raises(error, match=says):
        scorer(X, y)


CONTRACT = (
    gives_one_finite_float_a_feature,
    gives_the_same_scores_again_and_writes_nowhere,
    takes_labels_for_names_only,
    depends_on_no_order_of_classes,
)


@pytest.mark.parametrize("name", CLASSES, ids=lambda name: name.rpartition(":")[2])
def test_a_scorer_keeps_the_contract(name):
    scorer = pickle.loads(pickle.dumps(get(name)))
    for n_classes in CLASSES[name]:
        X, y = problem(n_classes)
        expected = scorer(X, y)
        for clause in CONTRACT:
            clause(scorer, X, y, expected)
    # The number of classes makes no difference to these.
    X, y = problem()
    takes_any_dense_kind_of_X(scorer, X, y)
    if name != MANIFEST:
        puts_constant_features_strictly_last(scorer, X, y)
    refuses(scorer)
