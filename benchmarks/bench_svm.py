"""Compare the nested SVM grid with GridSearchCV over SVC(kernel="rbf"), cell by cell.

Both compute whole curves: ten subset sizes, the paper's 49 cells and ten folds, the grid on one
core and GridSearchCV on two. The data are colon (56 training rows of 2000 genes) and data like
Madelon (2106 rows of 500 features, 20 of which carry information; once, in one fold, by the
compiled solver if there is one). Writes results/benchmarks/svm.csv and svm.md.

    python -m benchmarks.bench_svm [--runs 5]
"""

from collections.abc import Callable
from functools import partial
from unittest import mock

import numpy as np
import sklearn
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.svm import SVC

from baselines import anova
from benchmarks.common import madelon_like, parser, timed, write
from experiments.datasets import load
from experiments.evaluation.svm import grid, smo

GRID = {"C": list(grid.PAPER_CS), "gamma": list(grid.PAPER_GAMMAS)}


def colon():
    """Return the training rows of a 90/10 split, ranked by ANOVA."""
    data = load("colon")
    X, _, y, _ = train_test_split(data.X, data.y, train_size=56, stratify=data.y, random_state=0)
    sizes = [5, 10, 20, 50, 100, 200, 400, 800, 1400, 2000]
    return "colon", X, y, np.argsort(-anova(X, y), kind="stable"), sizes


def madelon():
    """Return data like Guyon's Madelon, scaled, in the order of its columns."""
    X, y = madelon_like(2106, 500)
    sizes = [5, 10, 20, 50, 100, 150, 200, 300, 400, 500]
    return "madelon-like", (X - X.mean(axis=0)) / X.std(axis=0), y, np.arange(500), sizes


def grid_search(X, y, order, sizes, folds):
    """Return accuracies (folds, sizes, C, gamma) of scikit-learn's grid search, size by size."""
    accuracies = []
    for size in sizes:
        search = GridSearchCV(SVC(kernel="rbf"), GRID, cv=folds, n_jobs=2, refit=False)
        search.fit(X[:, order[:size]], y)
        scores = [search.cv_results_[f"split{fold}_test_score"] for fold in range(len(folds))]
        accuracies.append(np.reshape(scores, (len(folds), len(GRID["C"]), len(GRID["gamma"]))))
    return np.stack(accuracies, axis=1)


def compared(data, n_folds, ways, runs):
    """Yield a row for each way to compute the SVM."""
    name, X, y, order, sizes = data
    folds = list(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y))[:n_folds]
    grid_search(X[:, order[:5]], y, np.arange(5), [5], folds[:1])  # starts the workers
    reference, theirs = timed(partial(grid_search, X, y, order, sizes, folds), runs)
    for way, solve in ways.items():
        with mock.patch.object(smo, "solver", return_value=solve):
            curve = partial(grid.cv_accuracies, X, y, order, sizes, folds)
            seconds, ours = timed(curve, runs)
        yield {
            "data": name,
            "rows": len(X),
            "folds": len(folds),
            "way": way,
            "threads": 1,
            "ours (s)": round(seconds, 3),
            "GridSearchCV (s)": round(reference, 3),
            "ratio": round(reference / seconds, 1),
            "cells that differ": int((ours != theirs).sum()),
        }


def main():
    given = parser(__doc__, runs=5).parse_args()
    ways: dict[str, Callable] = {"SVC": smo.public}
    if smo.solver() is not smo.public:
        ways = {"libsvm's steps, compiled": smo.solver(), **ways}
    rows = [*compared(colon(), 10, ways, given.runs)]
    rows += compared(madelon(), 1, dict(list(ways.items())[:1]), 1)
    note = f"scikit-learn {sklearn.__version__}; medians of {given.runs} on colon;"
    print(write(given.to, "svm", rows, note))


if __name__ == "__main__":
    main()
