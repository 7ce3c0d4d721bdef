"""The filters that ManiFeSt is compared with, each a scorer.

A scorer is a callable ``(X, y, **params) -> scores (n_features,)``: float64, finite, higher is
better, constant features strictly last. It does not change its input, gives the same scores each
time, and works in ``sklearn.feature_selection.SelectKBest`` as it stands. If X or y cannot be
ranked, it raises a TypeError or ValueError that says why.

The functions of `baselines.filters` are attributes of this package too, and so are the names of
`get`: ``from baselines import relieff``, ``baselines.fisher``, ``baselines.manifest_set``.
"""

from typing import Any

from ._common import grid_of, with_grid
from .combine import min_max, sum_of_normalised
from .filters.anova import anova
from .filters.boruta import boruta
from .filters.cfs import cfs
from .filters.chi2 import chi2
from .filters.fisher import fisher_score
from .filters.gated_laplacian import gated_laplacian
from .filters.generalized_fisher import generalized_fisher
from .filters.gini import gini_index
from .filters.hsic import hsic
from .filters.ig import information_gain, information_gain_grid
from .filters.jmi import jmi
from .filters.laplacian import laplacian_score
from .filters.mrmr import mrmr
from .filters.pearson import pearson
from .filters.random import random_choice
from .filters.relief import relief
from .filters.relieff import relieff, relieff_grid
from .filters.spec import spec
from .filters.trace_ratio import trace_ratio
from .filters.ttest import t_test
from .registry import get, names

__all__ = [
    "anova",
    "boruta",
    "cfs",
    "chi2",
    "fisher_score",
    "gated_laplacian",
    "generalized_fisher",
    "get",
    "gini_index",
    "grid_of",
    "hsic",
    "information_gain",
    "information_gain_grid",
    "jmi",
    "laplacian_score",
    "min_max",
    "mrmr",
    "names",
    "pearson",
    "random_choice",
    "relief",
    "relieff",
    "relieff_grid",
    "spec",
    "sum_of_normalised",
    "t_test",
    "trace_ratio",
    "with_grid",
]


def __getattr__(name: str) -> Any:
    """The scorer of that name, as of `get`."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return get(name)
    except ValueError as error:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}: {error}") from None
