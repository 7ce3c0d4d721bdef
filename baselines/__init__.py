"""The filters that ManiFeSt is compared with, each a scorer.

A scorer is a callable ``(X, y, **params) -> scores (n_features,)``: float64, finite, higher is
better, constant features strictly last. It does not change its input, gives the same scores each
time, and works in ``sklearn.feature_selection.SelectKBest`` as it stands. If X or y cannot be
ranked, it raises a TypeError or ValueError that says why.

The functions of `baselines.filters` are attributes of this package too, as in
``from baselines import relieff``. A filter's module is imported when one of them is asked for, and
not before: an experiment rests on the filters that it uses, and on no other.
"""

from ._common import Scorer, grid_of, with_grid
from .combine import min_max, sum_of_normalised
from .registry import find, get, names, public

__all__ = ["get", "grid_of", "min_max", "names", "sum_of_normalised", "with_grid"]


def __getattr__(name: str) -> Scorer:
    return find(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *public()})
