"""Compare the filters of the paper with skfeature and scikit-learn, in one process.

The data are 2340 samples of 500 continuous features, the size of Madelon. The median of several
runs of this repository's filter is compared with one call of the library, and a grid of nine k with
nine calls. "same_ranking" says whether both give the same ranking. skfeature's Gini index takes
longer if a feature has more distinct values, so it is also compared on integers.

Writes results/benchmarks/filters.csv and filters.md:

    python -m benchmarks.bench_filters [--runs 5]
"""

import inspect
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist
from skfeature.function.similarity_based.fisher_score import fisher_score
from skfeature.function.similarity_based.lap_score import lap_score
from skfeature.function.statistical_based.gini_index import gini_index
from skfeature.function.statistical_based.t_score import t_score
from skfeature.utility.construct_W import construct_W
from sklearn.feature_selection import f_classif, mutual_info_classif

import baselines
from baselines.contract import shifted
from benchmarks.common import madelon_like, parser, timed, write
from experiments.config import entry_of

NINE = [1, 3, 5, 10, 15, 20, 30, 50, 100]


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


#: Filter -> a library, and its form of the filter: (X, y, **params) -> scores.
AGAINST: dict[str, tuple[str, Callable]] = {
    "gini": ("skfeature", lambda X, y: by_order(gini_index(X, y, mode="index"))),
    "anova": ("scikit-learn", lambda X, y: f_classif(X, y)[0]),
    "pearson": ("pandas", pandas_pearson),
    "ttest": ("skfeature", partial(t_score, mode="raw")),
    "fisher": ("skfeature", lambda X, y: by_order(fisher_score(shifted(X), y, mode="index"))),
    "ig": ("scikit-learn", sklearn_information_gain),
    "laplacian": ("skfeature", skfeature_laplacian),
    "relieff": ("skfeature", partial(baselines.relieff, engine="skfeature")),
}


def rank_alike(ours, theirs):
    """Return True if both give the same ranking, except among features with equal scores."""
    along = ours[np.argsort(-np.asarray(theirs), kind="stable")]
    return bool((np.diff(along) <= 0).all())


def compared(name, X, y, runs, what=""):
    """Return a row for the filter with default parameters, and one for its grid of nine k."""
    scorer, (library, its) = baselines.get(name), AGAINST[name]

    def row(what, ours, calls):
        (seconds, found), (theirs, expected) = timed(ours, runs), zip(*calls, strict=True)
        pairs = zip(np.atleast_2d(found), expected, strict=True)
        return {
            "filter": f"{entry_of(name)['label']} {what}".strip(),
            "seconds": round(seconds, 4),
            "library": library,
            "its_seconds": round(sum(theirs), 3),
            "ratio": round(sum(theirs) / seconds, 1),
            "same_ranking": "yes" if all(rank_alike(*pair) for pair in pairs) else "no",
        }

    if not hasattr(scorer, "grid"):
        return [row(what, partial(scorer, X, y), [timed(partial(its, X, y))])]
    parameter, many = scorer.grid
    default = inspect.signature(scorer).parameters[parameter].default
    calls = {k: timed(partial(its, X, y, **{parameter: k})) for k in NINE}
    one = row(f"{parameter} = {default}", partial(scorer, X, y), [calls[default]])
    return [one, row(f"nine {parameter}", partial(many, X, y, NINE), calls.values())]


def main():
    given = parser(__doc__, runs=5).parse_args()
    X, y = madelon_like(2340, 500)
    X = 480 + 40 * X
    rows = []
    for name in AGAINST:
        rows += compared(name, X, y, given.runs)
    rows += compared("gini", np.round(X), y, given.runs, "of integers")
    note = f"{len(X)} samples of {X.shape[1]} features; the median of {given.runs} runs here, and "
    note += "one call of the library, or nine; all in one process;"
    print(write(given.to, "filters", rows, note))


if __name__ == "__main__":
    main()
