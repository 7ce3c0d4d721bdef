"""The filters against skfeature and scikit-learn in one process; each alone at a large size.

First at the size of Madelon, 2340 samples of 500 features, two classes: ours, median of several
runs, against one call of the library, and whether both rank alike; a grid of nine k against nine
calls. The features are continuous; as skfeature's Gini index takes the longer the more different
values a feature has, it is also compared where they are integers, without a ratio to reach. Then
at 6300 samples of 5000 features: a process a filter, its seconds from start to end and its largest
memory against 90 s and 4 GiB; the libraries are not run there. Writes
results/benchmarks/filters.csv and filters_large.csv, each with its table beside it.

    python benchmarks/bench_filters.py [--only relieff ig] [--runs 5] [--small N D] [--large N D]

Without the largest, ``--large 0 0``; without the libraries, ``--small 0 0``. Eight minutes in all.
"""

import argparse
import inspect
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from skfeature.function.statistical_based.t_score import t_score
from sklearn.datasets import make_classification
from sklearn.feature_selection import f_classif
from threadpoolctl import threadpool_info

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import baselines
from benchmarks.measured import FOLDER, label
from experiments.atomic import atomic_write
from experiments.engine.parallel import available_cores
from experiments.engine.timing import peak_memory
from experiments.report.text import markdown

NINE = [1, 3, 5, 10, 15, 20, 30, 50, 100]
#: What a filter may take at the large size.
SECONDS, GIB = 90, 4


@dataclass(frozen=True)
class Against:
    """What a filter is compared with.

    Attributes
    ----------
    library : str
    scores : callable
        ``(X, y, **params) -> scores``, of which the order counts.
    at_least : dict of str to int
        The ratio of seconds that is asked for, one k ("") and "nine k".
    """

    library: str
    scores: Callable
    at_least: dict


def engine(name, library, **at_least):
    scores = partial(baselines.get(name), engine="sklearn" if name == "ig" else library)
    return Against(library, scores, {key.replace("_", " "): of for key, of in at_least.items()})


AGAINST = {
    "gini": engine("gini", "skfeature", one=500),
    "anova": Against("scikit-learn", lambda X, y: f_classif(X, y)[0], {}),
    "pearson": Against(
        "pandas", lambda X, y: pd.DataFrame(X).corrwith(pd.Series(y)).abs().to_numpy(), {}
    ),
    "ttest": Against("skfeature", partial(t_score, mode="raw"), {}),
    "fisher": engine("fisher", "skfeature"),
    "ig": engine("ig", "scikit-learn"),
    "laplacian": engine("laplacian", "skfeature"),
    "relieff": engine("relieff", "skfeature", one=4, nine_k=20),
}


def samples(n, d):
    """Two classes of samples like Madelon's: 5 informative features and 15 of their combinations.

    The generator is that of Madelon, as in scikit-learn; values about 480, not rounded.
    """
    X, y = make_classification(
        n,
        d,
        n_informative=5,
        n_redundant=15,
        n_clusters_per_class=16,
        shuffle=False,
        random_state=0,
    )
    return 480 + 40 * X, y


def timed(score, runs=1):
    """The scores, and the median of the seconds."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        scores = score()
        times.append(time.perf_counter() - start)
    return scores, float(np.median(times))


def rank_alike(ours, theirs):
    """Whether the order of one is an order of the other; only features of equal score may move."""
    along = ours[np.argsort(-np.asarray(theirs), kind="stable")]
    return bool((np.diff(along) <= 0).all())


def compared(name, X, y, runs, what=()):
    """One row for the filter as it is called by default; another for its grid of nine k."""
    scorer, against = baselines.get(name), AGAINST[name]
    grid = baselines.grid_of(scorer)
    if grid is None:
        ours, seconds = timed(lambda: scorer(X, y), runs)
        theirs, reference = timed(lambda: against.scores(X, y))
        asked = None if what else "one"
        yield row(name, what, against, seconds, reference, rank_alike(ours, theirs), asked)
        return
    parameter, many = grid
    default = inspect.signature(scorer).parameters[parameter].default
    calls = {k: timed(partial(against.scores, X, y, **{parameter: k})) for k in NINE}
    theirs, reference = calls[default]
    ours, seconds = timed(lambda: scorer(X, y), runs)
    alike = rank_alike(ours, theirs)
    yield row(name, [f"{parameter} = {default}"], against, seconds, reference, alike, "one")
    rows, seconds = timed(lambda: many(X, y, NINE), runs)
    alike = all(rank_alike(r, of_k) for r, (of_k, _) in zip(rows, calls.values(), strict=True))
    reference = sum(seconds for _, seconds in calls.values())
    yield row(name, [f"nine {parameter}"], against, seconds, reference, alike, "nine k")


def row(name, what, against, seconds, reference, alike, asked):
    found = {
        "filter": " ".join([label(name), *what]),
        "seconds": round(seconds, 4),
        "library": against.library,
        "its_seconds": round(reference, 3),
        "ratio": round(reference / seconds, 1),
        "at_least": against.at_least.get(asked, ""),
        "same_ranking": "yes" if alike else "no",
    }
    print(found, flush=True)
    return found


def one(name, n, d):
    """In a process of its own: score once, and say how long it took and at what memory."""
    name, _, grid = name.partition(" ")
    rng = np.random.default_rng(0)
    X, y = np.round(480 + 40 * rng.standard_normal((n, d))), np.arange(n) % 2
    X[y == 1, : d // 100] += 20
    scorer = baselines.get(name)
    score = partial(scorer, X, y)
    if grid and (noted := baselines.grid_of(scorer)):
        score = partial(noted[1], X, y, NINE)
    _, seconds = timed(score)
    print(json.dumps({"scoring": seconds, "peak": peak_memory()}))


def large(name, n, d):
    """The seconds of a process from its start to its end, and its peak, beside the bounds."""
    command = [sys.executable, __file__, "--one", name, "--large", str(n), str(d)]
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    seconds, said = time.perf_counter() - start, json.loads(done.stdout.splitlines()[-1])
    gib = said["peak"] / 2**30
    name, _, grid = name.partition(" ")
    found = {
        "filter": label(name) + (" nine k" if grid else ""),
        "seconds": round(seconds, 1),
        "of_them_scoring": round(said["scoring"], 1),
        "at_most": SECONDS,
        "peak_gib": round(gib, 2),
        "at_most_gib": GIB,
        "within": "yes" if seconds <= SECONDS and gib <= GIB else "no",
    }
    print(found, flush=True)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=list(AGAINST), default=list(AGAINST))
    parser.add_argument("--runs", type=int, default=5, help="of ours, of which the median counts")
    parser.add_argument("--small", type=int, nargs=2, default=[2340, 500], metavar=("N", "D"))
    parser.add_argument("--large", type=int, nargs=2, default=[6300, 5000], metavar=("N", "D"))
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        one(asked.one, *asked.large)
        return
    threads = max((lib["num_threads"] for lib in threadpool_info()), default=1)
    if all(asked.small):
        X, y = samples(*asked.small)
        rows = [r for name in asked.only for r in compared(name, X, y, asked.runs)]
        if "gini" in asked.only:
            rows += compared("gini", np.round(X), y, asked.runs, ["of integers"])
        n, d = asked.small
        written(
            "filters",
            rows,
            f"{n} samples of {d} features; ours is the median of {asked.runs} runs, the library's "
            f"one call, or nine; in one process of {available_cores()} cores, {threads} BLAS "
            "threads.",
        )
    if all(asked.large):
        grids = [f"{name} grid" for name in asked.only if baselines.grid_of(baselines.get(name))]
        n, d = asked.large
        written(
            "filters_large",
            [large(name, n, d) for name in [*asked.only, *grids]],
            f"{n} samples of {d} features, each filter once in a process of its own, whose start "
            "and making of the samples is included. The libraries were not run at this size.",
        )


def written(name, rows, note):
    """The table, and the same to read with a note below it."""
    table = pd.DataFrame(rows)
    with atomic_write(FOLDER / f"{name}.csv") as part:
        table.to_csv(part, index=False)
    with atomic_write(FOLDER / f"{name}.md") as part:
        part.write_text(f"{markdown(table)}\n{note}\n")


if __name__ == "__main__":
    main()
