"""Filters with parameters that make the slow ones quick enough for contracts, and kinds of data."""

from functools import partial

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
