"""Every filter, and ManiFeSt, is a function of the data: equal data have equal scores.

Exempt are what libraries do with ties, skfeature's engines and information gain with
scikit-learn's noise: there the places of samples and features decide, which other tests show.
"""

import numpy as np
import pytest

import baselines
from baselines import SETS
from manifest import manifest_score
from tests.baselines.quick import get

SCORERS = {name: get(name) for name in (*baselines.names(), *SETS)} | {"manifest": manifest_score}
#: The forms of configs/method that are not the functions' defaults.
FORMS = {
    "relieff_unscaled": ("relieff", {"scale": False}),
    "relieff_of_many": ("relieff", {"k": 15}),
    "ig_of_many": ("ig", {"k": 15}),
    "laplacian_full": ("laplacian", {"neighbors": None}),
    "laplacian_near": ("laplacian", {"percentile": 5}),
    "generalized_fisher_of_few": ("generalized_fisher", {"n_selected": 5, "gamma": 0.1}),
    "spec_of_many": ("spec", {"k": 10}),
    "trace_ratio_of_few": ("trace_ratio", {"n_selected": 5}),
    "hsic_narrow": ("hsic", {"width": 0.25}),
    "mrmr_in_halves": ("mrmr", {"bins": 2}),
    "jmi_of_few": ("jmi", {"bins": 3, "n_selected": 5}),
    "cfs_of_few": ("cfs", {"bins": 3, "n_selected": 5}),
    "manifest_near": ("manifest", {"percentile": 5}),
}
#: Scorers that one feature's own location and scale do not move.
OF_EACH_FEATURE = (
    *("anova", "cfs", "fisher", "generalized_fisher", "generalized_fisher_of_few", "gini", "hsic"),
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


def scores(name, X, y):
    called, parameters = FORMS.get(name, (name, {}))
    values = SCORERS[called](X, y, **parameters)
    if name.endswith("_set"):
        # Of copies one is chosen, and nothing in the data tells which; their mean does not depend
        # on it.
        copies = np.unique(X, axis=1, return_inverse=True)[1]
        values = (np.bincount(copies, values) / np.bincount(copies))[copies]
    return values


def same(name, actual, expected, case):
    """No score moves by more than 1e-9 of the largest; ReliefF has the unit of the features."""
    if name == "relieff_unscaled":
        actual, expected = (values / np.abs(values).max() for values in (actual, expected))
    bound = 1e-9 * np.abs(expected).max()
    np.testing.assert_allclose(actual, expected, rtol=0, atol=bound, err_msg=str(case))


#: Maps of the data under which distances keep their ratios, but for rounding.
CHANGES = {"+ 7": lambda X: X + 7, "* 8": lambda X: X * 8, "/ 3 - 0.1": lambda X: X / 3 - 0.1}


@pytest.mark.parametrize("name", [*SCORERS, *FORMS])
def test_neither_orders_nor_roundings_of_the_same_distances_move_a_score(name):
    for make in (ternary, pixels, continuous, three_classes):
        (X, y), kind = make(np.random.default_rng(0)), make.__name__
        expected = scores(name, X, y)
        for seed, (change, mapped) in enumerate(CHANGES.items()):
            rng = np.random.default_rng(seed)
            rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
            changed = X if name == "random" else mapped(X)  # which every new value changes
            moved = scores(name, changed[np.ix_(rows, columns)], y[rows])
            same(name, moved, expected[columns], (kind, change))
        if name in OF_EACH_FEATURE:
            rng = np.random.default_rng(0)
            factors, offsets = rng.uniform(0.1, 10, X.shape[1]), rng.normal(size=X.shape[1])
            same(name, scores(name, X * factors + offsets, y), expected, (kind, "units"))
