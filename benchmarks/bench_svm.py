"""The nested SVM grid against GridSearchCV over SVC(kernel="rbf"), cell by cell, in the same run.

Both compute whole curves: ten subset sizes, the paper's 49 cells and ten folds, on two cores. The
data are colon (56 training rows of 2000 genes) and data like Madelon (2106 rows of 500 features, 20
of which carry information). Sizes of the second that are done are kept in outputs/ until all are
done, so a run that was interrupted goes on. Writes results/benchmarks/svm.csv and svm.md.

    python benchmarks/bench_svm.py [--only colon] [--sizes 5 50 500] [--folds 10] [--runs 5]
"""

import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import sklearn
from sklearn.datasets import make_classification
from sklearn.feature_selection import f_classif
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.svm import SVC

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.common import kept, machine, parser, timed, write
from experiments.evaluation.svm import grid, smo
from experiments.report.text import markdown

N_JOBS = 2
GRID = {"C": list(grid.PAPER_CS), "gamma": list(grid.PAPER_GAMMAS)}
COLON_SIZES = [5, 10, 20, 50, 100, 200, 400, 800, 1400, 2000]
MADELON_SIZES = [5, 10, 20, 50, 100, 150, 200, 300, 400, 500]
WAYS = {"libsvm's steps, compiled": smo.solver, "SVC on the shared kernels": lambda: smo.public}
PARTS = ["distances", "kernels", "SVMs", "one thread"]
COSTS = [f"C = 2^{np.log2(C):.0f}" for C in GRID["C"]]


def colon(home: Path):
    """Training rows of a 90/10 split, ranked by ANOVA; random numbers where colon is not there."""
    if (home / "colon.npz").exists():
        with np.load(home / "colon.npz") as stored:
            X, y = stored["X"].astype(float), stored["y"]
        X, _, y, _ = train_test_split(X, y, train_size=56, stratify=y, random_state=0)
        what = "colon"
    else:
        rng = np.random.default_rng(0)
        y = np.arange(56) % 3 % 2
        X = 2.0 * np.clip(np.rint(rng.normal(size=(56, 2000)) + 0.3 * y[:, None]), -1, 1)
        what = "a stand-in for colon, of its shape and values (`colon.npz` was not found)"
    with np.errstate(all="ignore"):
        F = np.nan_to_num(f_classif(X, y)[0])
    return X, y, np.argsort(-F, kind="stable"), what


def madelon():
    """Data like Guyon's Madelon: 5 features span it, 15 combine them, and the others are noise."""
    shape = {"n_informative": 5, "n_redundant": 15, "n_clusters_per_class": 16}
    X, y = make_classification(2106, 500, shuffle=False, random_state=0, **shape)
    return (X - X.mean(axis=0)) / X.std(axis=0), y, np.arange(500)


def folds_of(X, y, n=10):
    """The first n of ten folds."""
    return list(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y))[:n]


def grid_search(X, y, folds):
    """Accuracies (folds, C, gamma) and seconds of scikit-learn's grid search."""
    search = GridSearchCV(SVC(kernel="rbf"), GRID, cv=folds, n_jobs=N_JOBS, refit=False)
    seconds, _ = timed(partial(search.fit, X, y))
    scores = [search.cv_results_[f"split{f}_test_score"] for f in range(len(folds))]
    return np.reshape(scores, (len(folds), len(GRID["C"]), len(GRID["gamma"]))), seconds


class Clock:
    """This repository's grid under a clock: the seconds of each size and of its parts."""

    def __init__(self, solve):
        self.solve = solve
        self.solved: list[tuple[float, float]] = []
        self.sizes: list[dict[str, float]] = []
        self.nested = grid.nested_squared_distances

    def timed_solve(self, *arguments):
        start = time.perf_counter()
        predicted = self.solve(*arguments)
        self.solved.append((start, time.perf_counter()))
        return predicted

    def timed_distances(self, *arguments) -> Iterator[np.ndarray]:
        distances = self.nested(*arguments)
        for _ in arguments[2]:
            start = time.perf_counter()
            squared = next(distances)
            spent, first = time.perf_counter() - start, len(self.solved)
            yield squared
            wall = time.perf_counter() - start
            one, several = busy(self.solved[first:])
            parts = (spent, wall - spent - one - several, several, one)
            self.sizes.append({"ours (s)": wall} | dict(zip(PARTS, parts, strict=True)))

    def accuracies(self, *arguments, n_jobs):
        """The result of grid.cv_accuracies; its two helpers are under the clock meanwhile."""
        with (
            mock.patch.object(grid, "nested_squared_distances", self.timed_distances),
            mock.patch.object(smo, "solver", return_value=self.timed_solve),
        ):
            return grid.cv_accuracies(*arguments, n_jobs=n_jobs)


def busy(intervals):
    """Seconds in which one of these intervals was open, and those in which several were."""
    turns = sorted([(begin, 1) for begin, _ in intervals] + [(end, -1) for _, end in intervals])
    one, several, n, before = 0.0, 0.0, 0, 0.0
    for moment, change in turns:
        one += (moment - before) * (n == 1)
        several += (moment - before) * (n > 1)
        n, before = n + change, moment
    return one, several


def by_cost(X, y, order, sizes, fold):
    """Seconds of each C on one fold, summed over gamma: a row for each size."""
    solve, rows = smo.solver(), []
    train, test = fold
    codes = y[train].astype(np.float64)
    for squared in grid.nested_squared_distances(X, order, sizes):
        kernels = [np.exp(-gamma * squared) for gamma in GRID["gamma"]]
        rows.append(
            {
                name: sum(timed(partial(solve, K, train, codes, test, [C]))[0] for K in kernels)
                for name, C in zip(COSTS, GRID["C"], strict=True)
            }
        )
    return rows


def bench_colon(home, sizes, runs):
    """The whole curve by each of the two ways to an SVM, on one core and on two."""
    X, y, order, what = colon(home)
    folds = folds_of(X, y)
    grid_search(X[:, order[:5]], y, folds)  # starts the workers
    found = [[grid_search(X[:, order[:s]], y, folds) for s in sizes] for _ in range(runs)]
    theirs = np.stack([accuracies for accuracies, _ in found[0]], axis=1)
    reference = float(np.median([sum(seconds for _, seconds in run) for run in found]))
    rows = []
    for name, way in WAYS.items():
        for n_jobs in (1, 2):
            clock = Clock(way())  # type: ignore[operator]
            curve = partial(clock.accuracies, X, y, order, sizes, folds, n_jobs=n_jobs)
            seconds, ours = timed(curve, runs)
            whole = sum(size["ours (s)"] for size in clock.sizes)
            row = {
                "way": name,
                "threads": n_jobs,
                "ours (s)": seconds,
                "in SVMs (%)": 100 * sum(busy(clock.solved)) / whole,
                "GridSearchCV (s)": reference,
                "ratio": reference / seconds,
                "cells that differ": int((ours != theirs).sum()),
            }
            rows.append(row)
            print(row, flush=True)
    return pd.DataFrame(rows), f"{len(X)} rows of {what}, {theirs.size} cells, medians of {runs}"


def bench_madelon(sizes, n_folds):
    """This repository's grid once for the whole curve, then the reference one size at a time."""
    X, y, order = madelon()
    folds = folds_of(X, y, n_folds)

    def ours():
        clock = Clock(smo.solver())
        accuracies = clock.accuracies(X, y, order, sizes, folds, n_jobs=N_JOBS)
        costs = by_cost(X, y, order, sizes, folds[0])
        rows = [a | b for a, b in zip(clock.sizes, costs, strict=True)]
        return {"accuracies": accuracies.tolist(), "rows": rows}

    def theirs(size):
        accuracies, seconds = grid_search(X[:, order[:size]], y, folds)
        return {"accuracies": accuracies.tolist(), "seconds": seconds}

    mine = kept("svm", ["ours", sizes, n_folds], ours)
    grid_search(X[:200, :5], y[:200], folds_of(X[:200], y[:200]))  # starts the workers
    rows = []
    for s, size in enumerate(sizes):
        found = kept("svm", ["theirs", size, n_folds], partial(theirs, size))
        row = {"features": size, "GridSearchCV (s)": found["seconds"]} | mine["rows"][s]
        differ = np.array(mine["accuracies"])[:, s] != np.array(found["accuracies"])
        rows.append(row | {"cells that differ": int(differ.sum())})
        print({name: round(float(value), 2) for name, value in rows[-1].items()}, flush=True)
    table = pd.DataFrame(rows)
    table.loc[len(table)] = table.sum(numeric_only=True)
    table["features"] = [*map(str, sizes), "whole curve"]
    table["ratio"] = table["GridSearchCV (s)"] / table["ours (s)"]
    for name in PARTS:
        table[f"{name} (%)"] = 100 * table.pop(name) / table["ours (s)"]
    table[COSTS] = 100 * table[COSTS].div(table[COSTS].sum(axis=1), axis=0)
    jobs = f"{N_JOBS} threads or processes"
    return table, f"{len(X)} rows, {len(folds)} of ten folds on both sides, {jobs}, one run"


def main():
    arguments = parser(__doc__, runs=5, home=True)
    arguments.add_argument("--only", choices=["colon", "madelon"])
    arguments.add_argument("--sizes", type=int, nargs="+", help="numbers of features")
    arguments.add_argument("--folds", type=int, default=10, help="of the ten, on madelon")
    given = arguments.parse_args()
    tables, texts = [], []
    seconds = dict.fromkeys(["ours (s)", "GridSearchCV (s)"], "{:.3f}")
    if given.only != "madelon":
        table, note = bench_colon(Path(given.home), given.sizes or COLON_SIZES, given.runs)
        tables.append(table.assign(data="colon"))
        formats = seconds | {"ratio": "{:.1f}", "in SVMs (%)": "{:.0f}"}
        texts.append(f"Colon: {note}.\n\n{markdown(table, formats)}")
    if given.only != "colon":
        table, note = bench_madelon(given.sizes or MADELON_SIZES, given.folds)
        tables.append(table.assign(data="madelon-like"))
        shown = ["features", "ours (s)", "GridSearchCV (s)", "ratio", "cells that differ"]
        formats = dict.fromkeys(shown[1:4], "{:.1f}") | {"cells that differ": "{:.0f}"}
        shares = ["features", *(f"{name} (%)" for name in PARTS), *COSTS]
        texts.append(
            f"Madelon-like: {note}.\n\n{markdown(table[shown], formats)}\nShares of our time "
            "(SVMs: on all threads; on one thread while the other waits), and of the SVMs of one "
            f"fold by C:\n\n{markdown(table[shares], dict.fromkeys(shares[1:], '{:.0f}'))}"
        )
    way = "SVC" if smo.solver() is smo.public else "compiled"
    note = f"{machine()}; scikit-learn {sklearn.__version__}; our way: {way}."
    print(write(given.to, "svm", pd.concat(tables), note, "\n".join(texts)))


if __name__ == "__main__":
    main()
