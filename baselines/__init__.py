"""Provide, by name, the filters that ManiFeSt is compared with.

**The contract.** A scorer is a callable ``(X, y, **params) -> scores``:

- X (n_samples, n_features) is dense, real and finite, an array or a DataFrame of any layout; y
  (n_samples,) contains labels of two or more classes, of any type that can be sorted. Neither is
  changed. The order of the samples, features and classes does not change the scores.
- The scores (n_features,) are float64 and finite; higher is better. Constant features are strictly
  last. The same input always gives the same scores.
- If X or y cannot be used, or a parameter is out of range, a TypeError or ValueError says what was
  given and what is expected.

A scorer can be passed to ``sklearn.feature_selection.SelectKBest``. The docstring of each filter
describes its own parameters and the range of its scores.

**Whole grids.** A scorer that can score many values of a parameter at once has the attribute
``grid``: the name of the parameter, and a function ``(X, y, values, **params) -> scores
(len(values), n_features)``. An experiment that tunes the parameter then calls this function once.
Each row must equal, to the last bit, the result of the scorer for that value alone::

    def mine(X, y, *, k=5):
        return mine_grid(X, y, [k])[0]

    mine.grid = ("k", mine_grid)

**Names.** The functions of `baselines.filters` and all names that `get` accepts are attributes of
this package: ``from baselines import relieff``, ``baselines.fisher``, ``baselines.manifest_set``.
"""

import importlib
from difflib import get_close_matches
from typing import Any

from .blind import blind
from .combine import min_max, sum_of_normalised
from .contract import Scorer
from .filters.anova import anova
from .filters.boruta import boruta
from .filters.cfs import cfs
from .filters.correlations import correlation_difference, three_tests
from .filters.covariance_difference import covariance_difference
from .filters.fisher import fisher_score
from .filters.gini import gini_index
from .filters.hsic import hsic
from .filters.ig import information_gain
from .filters.jmi import jmi
from .filters.laplacian import laplacian_score
from .filters.learners import forest, l1_logistic
from .filters.levene import levene
from .filters.mrmr import mrmr
from .filters.multisurf import multisurf
from .filters.near_copies import near_copies
from .filters.pearson import pearson
from .filters.random import random_choice
from .filters.relief import relief
from .filters.relieff import relieff
from .filters.spec import spec
from .filters.trace_ratio import trace_ratio
from .filters.ttest import t_test
from .filters.variance import variance
from .sets import anova_set, manifest_relieff_set, manifest_set, relieff_set

#: The filters.
FILTERS: dict[str, Scorer] = {
    "anova": anova,
    "boruta": boruta,
    "cfs": cfs,
    "correlation_difference": correlation_difference,
    "covariance_difference": covariance_difference,
    "fisher": fisher_score,
    "forest": forest,
    "gini": gini_index,
    "hsic": hsic,
    "ig": information_gain,
    "jmi": jmi,
    "l1_logistic": l1_logistic,
    "laplacian": laplacian_score,
    "levene": levene,
    "mrmr": mrmr,
    "multisurf": multisurf,
    "near_copies": near_copies,
    "pearson": pearson,
    "random": random_choice,
    "relief": relief,
    "relieff": relieff,
    "spec": spec,
    "three_tests": three_tests,
    "trace_ratio": trace_ratio,
    "ttest": t_test,
    "variance": variance,
}
#: Sets of features that differ from each other.
SETS: dict[str, Scorer] = {
    "anova_set": anova_set,
    "manifest_relieff_set": manifest_relieff_set,
    "manifest_set": manifest_set,
    "relieff_set": relieff_set,
}

__all__ = ["FILTERS", "SETS", "blind", "get", "min_max", "sum_of_normalised"]


def get(name: str) -> Scorer:
    """Return the scorer of the given name.

    Parameters
    ----------
    name : str
        The name of a filter, such as ``"relieff"``, or of a scorer in `baselines.sets`, such as
        ``"manifest_set"``; any other scorer is given as ``"package.module:function"``.

    Returns
    -------
    scorer : callable
        ``(X, y, **params) -> scores (n_features,)``, higher is better.

    Raises
    ------
    ValueError
        If the name is unknown (the message suggests one and lists all), or if there is no callable
        at the given place.
    """
    name, known = name.strip(), FILTERS | SETS
    if ":" in name:
        return _load(name)
    if name not in known:
        near = "".join(f" (did you mean {each!r}?)" for each in get_close_matches(name, known, 1))
        raise ValueError(
            f"there is no filter {name!r}{near}. Give one of {', '.join(known)}, or "
            '"package.module:function" for any other scorer'
        )
    return known[name]


def _load(place: str) -> Scorer:
    """Return the function at ``"package.module:function"``."""
    module_name, _, attribute = place.partition(":")
    try:
        scorer = getattr(importlib.import_module(module_name), attribute, None)
    except (ModuleNotFoundError, ValueError) as error:
        missing = getattr(error, "name", None)
        if missing and not f"{module_name}.".startswith(f"{missing}."):
            raise  # The module exists, but something that it imports is missing.
        raise ValueError(f"No module {module_name!r} for the scorer {place!r}.") from error
    if not callable(scorer):
        raise ValueError(f"Module {module_name!r} has no function {attribute!r}.")
    return scorer


def __getattr__(name: str) -> Any:
    """Return the scorer of the given name by `get`."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return get(name)
    except ValueError as error:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}: {error}") from None
