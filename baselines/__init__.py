"""The filters that ManiFeSt is compared with, each a scorer.

A scorer is a callable ``(X, y, **params) -> scores (n_features,)``: float64, finite, higher is
better, constant features strictly last. It does not change its input, gives the same scores each
time, and works in ``sklearn.feature_selection.SelectKBest`` as it stands.
"""

from baselines._common import grid_of, with_grid
from baselines.anova import anova
from baselines.combine import combine, min_max, sum_of_normalised
from baselines.fisher import fisher_score
from baselines.gini import gini_index
from baselines.information_gain import information_gain, information_gain_grid
from baselines.laplacian import laplacian_score
from baselines.pearson import pearson
from baselines.registry import get, names, registry
from baselines.relieff import relieff, relieff_grid
from baselines.ttest import t_test

__all__ = [
    "anova",
    "combine",
    "fisher_score",
    "get",
    "gini_index",
    "grid_of",
    "information_gain",
    "information_gain_grid",
    "laplacian_score",
    "min_max",
    "names",
    "pearson",
    "registry",
    "relieff",
    "relieff_grid",
    "sum_of_normalised",
    "t_test",
    "with_grid",
]
