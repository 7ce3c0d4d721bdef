"""The filters that ManiFeSt is compared with, each a scorer.

A scorer is a callable ``(X, y, **params) -> scores (n_features,)``: float64, finite, higher is
better, constant features strictly last. It does not change its input, gives the same scores each
time, and works in ``sklearn.feature_selection.SelectKBest`` as it stands.

The functions of `baselines.filters` are attributes of this package too, as in
``from baselines import relieff``. A filter's module is imported when one of them is asked for, and
not before: an experiment rests on the filters that it uses, and on no other.
"""

from typing import TYPE_CHECKING

from baselines._common import grid_of, with_grid
from baselines.combine import min_max, sum_of_normalised
from baselines.registry import find, get, names, public

if TYPE_CHECKING:  # For type checkers alone; a filter that is not in this list works as well.
    from baselines.filters.anova import anova
    from baselines.filters.boruta import boruta
    from baselines.filters.cfs import cfs
    from baselines.filters.fisher import fisher_score
    from baselines.filters.gated_laplacian import gated_laplacian
    from baselines.filters.generalized_fisher import generalized_fisher
    from baselines.filters.gini import gini_index
    from baselines.filters.hsic import hsic
    from baselines.filters.ig import information_gain, information_gain_grid
    from baselines.filters.jmi import jmi
    from baselines.filters.laplacian import laplacian_score
    from baselines.filters.mrmr import mrmr
    from baselines.filters.pearson import pearson
    from baselines.filters.random import random_choice
    from baselines.filters.relief import relief
    from baselines.filters.relieff import relieff, relieff_grid
    from baselines.filters.spec import spec
    from baselines.filters.trace_ratio import trace_ratio
    from baselines.filters.ttest import t_test
else:

    def __getattr__(name):
        return find(name)

    def __dir__():
        return sorted({*globals(), *public()})


__all__ = [
    "anova",
    "boruta",
    "cfs",
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
