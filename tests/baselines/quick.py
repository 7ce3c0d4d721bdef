"""The filters with parameters that make the slow ones quick enough for the tests of contracts."""

from functools import partial

import baselines

#: What holds of few rounds, trees and steps holds of many.
QUICK = {"boruta": {"n_rounds": 2, "n_trees": 15}, "gated_laplacian": {"n_steps": 20}}


def get(name):
    """The scorer of that name, with such parameters where there are some."""
    scorer = baselines.get(name)
    return partial(scorer, **QUICK[name]) if name in QUICK else scorer
