"""Labels and samples on which filters are compared, and filters that are quick enough for that."""

from functools import partial

import numpy as np
import pytest

import baselines

#: Kinds of features: a function of a generator and a shape.
KINDS = {
    "continuous": lambda rng, shape: rng.normal(size=shape) * rng.uniform(0.3, 3, shape[1]),
    "ternary": lambda rng, shape: rng.choice([-2.0, 0.0, 2.0], size=shape),
    "binary": lambda rng, shape: rng.integers(2, size=shape).astype(float),
}

#: What holds of few rounds, trees and steps holds of many.
QUICK: dict[str, dict] = {
    "boruta": {"n_rounds": 2, "n_trees": 5},
    "forest": {"n_trees": 5},
    **{name: {"n_permutations": 1} for name in ("manifest_set", "manifest_relieff_set")},
}


def get(name):
    """The scorer of that name, with such parameters where there are some."""
    scorer = baselines.get(name)
    return partial(scorer, **QUICK[name]) if name in QUICK else scorer


def problem(n_classes=2, seed=0, d=12):
    """Continuous features of different scales; the first four of them follow the classes."""
    rng = np.random.default_rng(seed)
    y = np.sort(np.arange(40) ** 2 % (2 * n_classes + 1) % n_classes)
    X = rng.normal(size=(40, d)) * rng.uniform(0.5, 2, d)
    X[:, :4] += y[:, None]
    return X, y


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


#: Samples that a generator draws, (X, y).
MAKERS = (ternary, pixels, continuous, three_classes)


@pytest.fixture(params=[2, 3], ids=["two classes", "three classes"])
def y(request):
    return np.arange(40) ** 2 % 11 % request.param
