"""Compare the filters of the paper with skfeature and scikit-learn, in one process.

The data are 2340 samples of 500 continuous features, the size of Madelon. The median of several
runs of this repository's filter is compared with one call of the library, and a grid of nine k with
nine calls. "same_ranking" says whether both give the same ranking. skfeature's Gini index takes
longer if a feature has more distinct values, so it is also compared on integers.

Writes results/benchmarks/filters.csv and filters.md:

    python benchmarks/bench_filters.py [--only relieff ig] [--runs 5]
"""

import inspect
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist
from skfeature.function.similarity_based.fisher_score import fisher_score
from skfeature.function.similarity_based.lap_score import lap_score
from skfeature.function.statistical_based.gini_index import gini_index
from skfeature.function.statistical_based.t_score import t_score
from skfeature.utility.construct_W import construct_W
from sklearn.feature_selection import f_classif, mutual_info_classif

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import baselines
from baselines.contract import shifted
from benchmarks.common import madelon_like, parser, timed, write
from experiments.config import entry_of

NINE = [1, 3, 5, 10, 15, 20, 30, 50, 100]


class Against(NamedTuple):
    """The form of a filter in a library, and the ratios of seconds to compute."""

    library: str
    scores: Callable  #: (X, y, **params) -> scores, whose order is compared
    one: int | None = None  #: the ratio with one k
    nine: int | None = None  #: the ratio with nine k


def by_order(order):
    """Return scores for features in an order, the best first."""
    return -np.argsort(order).astype(float)


def skfeature_laplacian(X, y):
    """Return skfeature's score on its graph of 5 neighbours, equal to ours if distances differ."""
    graph = {"neighbor_mode": "knn", "weight_mode": "heat_kernel", "k": 5, "metric": "euclidean"}
    W = construct_W(X, t=np.median(pdist(X)), **graph)
    return by_order(lap_score(shifted(X), W=W, mode="index"))


def sklearn_information_gain(X, y, k=3):
    return mutual_info_classif(X, y, discrete_features=False, n_neighbors=k, random_state=0)


def pandas_pearson(X, y):
    return pd.DataFrame(X).corrwith(pd.Series(y)).abs().to_numpy()


AGAINST = {
    "gini": Against("skfeature", lambda X, y: by_order(gini_index(X, y, mode="index")), one=500),
    "anova": Against("scikit-learn", lambda X, y: f_classif(X, y)[0]),
    "pearson": Against("pandas", pandas_pearson),
    "ttest": Against("skfeature", partial(t_score, mode="raw")),
    "fisher": Against(
        "skfeature", lambda X, y: by_order(fisher_score(shifted(X), y, mode="index"))
    ),
    "ig": Against("scikit-learn", sklearn_information_gain),
    "laplacian": Against("skfeature", skfeature_laplacian),
    "relieff": Against("skfeature", partial(baselines.relieff, engine="skfeature"), one=4, nine=20),
}


def rank_alike(ours, theirs):
    """Return True if both give the same ranking, except among features with equal scores."""
    along = ours[np.argsort(-np.asarray(theirs), kind="stable")]
    return bool((np.diff(along) <= 0).all())


def compared(name, X, y, runs, what=""):
    """Return a row for the filter with default parameters, and one for its grid of nine k."""
    scorer, against = baselines.get(name), AGAINST[name]
    grid = getattr(scorer, "grid", None)
    seconds, ours = timed(partial(scorer, X, y), runs)
    if grid is None:
        reference, theirs = timed(partial(against.scores, X, y))
        asked = None if what else against.one
        yield row(name, what, against, seconds, reference, rank_alike(ours, theirs), asked)
        return
    parameter, many = grid
    default = inspect.signature(scorer).parameters[parameter].default
    calls = {k: timed(partial(against.scores, X, y, **{parameter: k})) for k in NINE}
    reference, theirs = calls[default]
    alike = rank_alike(ours, theirs)
    yield row(name, f"{parameter} = {default}", against, seconds, reference, alike, against.one)
    seconds, rows = timed(partial(many, X, y, NINE), runs)
    alike = all(rank_alike(r, of_k) for r, (_, of_k) in zip(rows, calls.values(), strict=True))
    reference = sum(seconds for seconds, _ in calls.values())
    yield row(name, f"nine {parameter}", against, seconds, reference, alike, against.nine)


def row(name, what, against, seconds, reference, alike, asked):
    return {
        "filter": f"{entry_of(name)['label']} {what}".strip(),
        "seconds": round(seconds, 4),
        "library": against.library,
        "its_seconds": round(reference, 3),
        "ratio": round(reference / seconds, 1),
        "at_least": asked or "",
        "same_ranking": "yes" if alike else "no",
    }


def main():
    arguments = parser(__doc__, runs=5)
    arguments.add_argument("--only", nargs="+", choices=AGAINST, default=list(AGAINST))
    given = arguments.parse_args()
    X, y = madelon_like(2340, 500)
    X = 480 + 40 * X
    rows = [r for name in given.only for r in compared(name, X, y, given.runs)]
    if "gini" in given.only:
        rows += compared("gini", np.round(X), y, given.runs, "of integers")
    note = f"{len(X)} samples of {X.shape[1]} features; the median of {given.runs} runs here, and "
    note += "one call of the library, or nine; all in one process;"
    print(write(given.to, "filters", rows, note))


if __name__ == "__main__":
    main()
