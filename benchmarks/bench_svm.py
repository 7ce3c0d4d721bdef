"""The nested SVM grid against GridSearchCV over SVC(kernel="rbf"), cell by cell, in the same run.

Whole curves of ten subset sizes, the paper's 49 cells, ten folds, on two cores: colon (56 training
rows of 2000 genes), and data like Madelon (2106 rows of 500 features, 20 of which carry
information). Sizes of the second that are done are kept in outputs/ until all are: start the
command again after an interruption. Writes results/benchmarks/svm.csv and svm.md.

    python benchmarks/bench_svm.py [--only colon] [--sizes 5 50 500] [--folds 10] [--runs 5]
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn
from sklearn.datasets import make_classification
from sklearn.feature_selection import f_classif
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.svm import SVC

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measured import FOLDER, ROOT
from experiments.atomic import atomic_write
from experiments.engine.keys import digest
from experiments.engine.parallel import available_cores
from experiments.evaluation.svm import grid, library, libsvm
from experiments.report.text import markdown

PARTS = ROOT / "outputs" / "bench_svm"
MIRROR = ROOT.parent / "shared" / "data"
N_JOBS = 2
GRID = {"C": list(grid.PAPER_CS), "gamma": list(grid.PAPER_GAMMAS)}
SIZES = {
    "colon": [5, 10, 20, 50, 100, 200, 400, 800, 1400, 2000],
    "madelon": [5, 10, 20, 50, 100, 150, 200, 300, 400, 500],
}


def colon(home: Path):
    """Training rows of a 90/10 split, ranked by ANOVA; drawn at random where colon is not there."""
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
    """As Guyon made Madelon: 5 features span it, 15 repeat them, and the others are noise."""
    X, y = make_classification(
        *(2106, 500), n_informative=5, n_redundant=15, n_clusters_per_class=16, shuffle=False,
        random_state=0,
    )  # fmt: skip
    return (X - X.mean(axis=0)) / X.std(axis=0), y, np.arange(500)


def folds_of(X, y, n=10):
    return list(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y))[:n]


def grid_search(X, y, folds):
    """Accuracies (folds, C, gamma) and seconds of the usual way, worker processes warm."""
    search = GridSearchCV(SVC(kernel="rbf"), GRID, cv=folds, n_jobs=N_JOBS, refit=False)
    start = time.perf_counter()
    search.fit(X, y)
    seconds = time.perf_counter() - start
    scores = [search.cv_results_[f"split{f}_test_score"] for f in range(len(folds))]
    return np.reshape(scores, (len(folds), 7, 7)), seconds


class Clock:
    """Our grid with a look at the clock: seconds of each size, and what they went into."""

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
            kernels = wall - spent - one - several
            parts = {"distances": spent, "kernels": kernels, "SVMs": several, "one thread": one}
            self.sizes.append({"ours (s)": wall, **parts})

    def accuracies(self, *arguments, n_jobs):
        """As svm.cv_accuracies, which finds its two helpers replaced meanwhile."""
        kept = grid.nested_squared_distances, libsvm.solver
        grid.nested_squared_distances = self.timed_distances  # type: ignore[assignment]
        libsvm.solver = lambda: self.timed_solve  # type: ignore[assignment, misc]
        try:
            return grid.cv_accuracies(*arguments, n_jobs=n_jobs)
        finally:
            grid.nested_squared_distances, libsvm.solver = kept  # type: ignore[misc]


def busy(intervals):
    """Seconds in which one of these was going on, and those in which several were."""
    turns = sorted([(begin, 1) for begin, _ in intervals] + [(end, -1) for _, end in intervals])
    one, several, n, before = 0.0, 0.0, 0, 0.0
    for moment, change in turns:
        one += (moment - before) * (n == 1)
        several += (moment - before) * (n > 1)
        n, before = n + change, moment
    return one, several


def by_cost(X, y, order, sizes, fold):
    """Seconds of each C on one fold, summed over gamma: a row a size."""
    solve, rows = libsvm.solver(), []
    train, test = fold
    codes = y[train].astype(np.float64)
    for squared in grid.nested_squared_distances(X, order, sizes):
        seconds = dict.fromkeys(GRID["C"], 0.0)
        for gamma in GRID["gamma"]:
            kernel = np.exp(-gamma * squared)
            for C in GRID["C"]:
                start = time.perf_counter()
                solve(kernel, train, codes, test, [C])
                seconds[C] += time.perf_counter() - start
        rows.append({f"C = 2^{np.log2(C):.0f}": s for C, s in seconds.items()})
    return rows


def bench_colon(home, runs):
    """The whole curve, by each of the three ways to an SVM, on one core and on two."""
    X, y, order, what = colon(home)
    folds, sizes = folds_of(X, y), SIZES["colon"]
    grid_search(X[:, order[:5]], y, folds)  # starts the workers
    found = [[grid_search(X[:, order[:s]], y, folds) for s in sizes] for _ in range(runs)]
    theirs = np.stack([accuracies for accuracies, _ in found[0]], axis=1)
    reference = float(np.median([sum(seconds for _, seconds in run) for run in found]))
    ways = {"libsvm's steps, compiled": libsvm.compiled, "libsvm by its binding": libsvm.bound}
    rows = []
    for name, way in (ways | {"SVC on the shared kernels": lambda: libsvm.public}).items():
        for n_jobs in (1, 2):
            try:
                clock, seconds = Clock(way()), []
            except library.NoCompiler:
                continue
            for _ in range(runs):
                start = time.perf_counter()
                ours = clock.accuracies(X, y, order, sizes, folds, n_jobs=n_jobs)
                seconds.append(time.perf_counter() - start)
            rows.append(
                {
                    "way": name,
                    "threads": n_jobs,
                    "ours (s)": float(np.median(seconds)),
                    "in SVMs (%)": 100 * sum(busy(clock.solved)) / sum(seconds),
                    "GridSearchCV (s)": reference,
                    "ratio": reference / float(np.median(seconds)),
                    "cells that differ": int((ours != theirs).sum()),
                }
            )
            print(rows[-1], flush=True)
    return pd.DataFrame(rows), f"{len(X)} rows of {what}, {theirs.size} cells, medians of {runs}"


def bench_madelon(sizes, n_folds):
    """Ours once for the whole curve, then the reference a size at a time."""
    X, y, order = madelon()
    folds = folds_of(X, y, n_folds)
    code = [
        (ROOT / "experiments/evaluation/svm" / n).read_text()
        for n in ("grid.py", "libsvm.py", "smo.c")
    ]
    key = digest(repr([*code, Path(__file__).read_text(), sklearn.__version__, sizes, n_folds]))
    part = PARTS / f"{key}.npz"
    if not part.exists():
        clock = Clock(libsvm.solver())
        ours = clock.accuracies(X, y, order, sizes, folds, n_jobs=N_JOBS)
        costs = by_cost(X, y, order, sizes, folds[0])
        both = zip(clock.sizes, costs, strict=True)
        save(part, ours=ours, mine=[[*size.values(), *cost.values()] for size, cost in both])
    with np.load(part) as stored:
        ours, mine = stored["ours"], stored["mine"]
    parts = ["distances", "kernels", "SVMs", "one thread"]
    names = ["ours (s)", *parts, *(f"C = 2^{p}" for p in range(-5, 14, 3))]
    rows = []
    grid_search(X[:200, :5], y[:200], folds_of(X[:200], y[:200]))  # starts the workers
    for s, size in enumerate(sizes):
        done = PARTS / f"{key}_{size}.npz"
        if not done.exists():
            theirs, seconds = grid_search(X[:, order[:size]], y, folds)
            save(done, theirs=theirs, seconds=seconds)
        with np.load(done) as stored:
            theirs, seconds = stored["theirs"], float(stored["seconds"])
        row = {"features": size, "GridSearchCV (s)": seconds}
        row |= dict(zip(names, mine[s], strict=True))
        row["cells that differ"] = int((ours[:, s] != theirs).sum())
        rows.append(row)
        print(size, {name: round(float(value), 2) for name, value in row.items()}, flush=True)
    table = pd.DataFrame(rows)
    table.loc[len(table)] = table.sum(numeric_only=True)
    table["features"] = [*map(str, sizes), "whole curve"]
    table["ratio"] = table["GridSearchCV (s)"] / table["ours (s)"]
    for name in parts:
        table[f"{name} (%)"] = 100 * table[name] / table["ours (s)"]
    costs = [name for name in names if name.startswith("C =")]
    table[costs] = 100 * table[costs].div(table[costs].sum(axis=1), axis=0)
    note = (
        f"{len(X)} rows, {len(folds)} of ten folds on both sides, {N_JOBS} threads or processes, "
        "one run"
    )
    return table.drop(columns=parts), costs, note


def save(path, **arrays):
    with atomic_write(path) as part:
        np.savez(part, **arrays)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=["colon", "madelon"])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES["madelon"])
    parser.add_argument("--folds", type=int, default=10, help="of the ten, on madelon")
    parser.add_argument("--runs", type=int, default=5, help="on colon")
    parser.add_argument("--home", type=Path, default=Path(os.environ.get("MANIFEST_DATA", MIRROR)))
    parser.add_argument("--to", type=Path, default=FOLDER, help="folder of svm.csv and svm.md")
    given = parser.parse_args()
    tables, text = [], ""
    if given.only != "madelon":
        table, note = bench_colon(given.home, given.runs)
        tables.append(table.assign(data="colon"))
        formats = dict.fromkeys(["ours (s)", "GridSearchCV (s)"], "{:.3f}")
        formats |= {"ratio": "{:.1f}", "in SVMs (%)": "{:.0f}"}
        text += f"Colon: {note}.\n\n{markdown(table, formats)}\n"
    if given.only != "colon":
        table, costs, note = bench_madelon(given.sizes, given.folds)
        tables.append(table.assign(data="madelon-like"))
        shown = ["features", "ours (s)", "GridSearchCV (s)", "ratio", "cells that differ"]
        formats = dict.fromkeys(["ours (s)", "GridSearchCV (s)", "ratio"], "{:.1f}")
        text += f"Madelon-like: {note}.\n\n"
        text += markdown(table[shown], formats | {"cells that differ": "{:.0f}"})
        text += (
            "\nShares of our time (SVMs: on all threads; on one thread while the other waits), and "
            "of the SVMs of one fold by C:\n\n"
        )
        parts = ["features", *(name for name in table if "(%)" in name), *costs]
        text += markdown(table[parts], dict.fromkeys(parts[1:], "{:.0f}")) + "\n"
    way = libsvm.solver().__qualname__.partition(".")[0]
    text += f"{available_cores()} cores; scikit-learn {sklearn.__version__}; our way: {way}.\n"
    with atomic_write(given.to / "svm.csv") as part:
        pd.concat(tables).to_csv(part, index=False)
    with atomic_write(given.to / "svm.md") as part:
        part.write_text(text)
    for part in PARTS.glob("*.npz"):  # the next run measures anew
        part.unlink()
    print(text)


if __name__ == "__main__":
    main()
