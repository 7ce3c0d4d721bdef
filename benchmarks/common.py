"""The base of the benchmarks: arguments, clocks, samples, tables."""

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_info

from experiments.evaluation.svm.build import processor
from experiments.files import as_csv, write_text
from experiments.report.text import markdown

ROOT = Path(__file__).resolve().parents[1]


def parser(doc: str, *, runs: int | None = None) -> argparse.ArgumentParser:
    """The arguments that benchmarks have in common: --to, and --runs if there is a default."""
    made = argparse.ArgumentParser(description=doc.partition("\n")[0])
    folder = ROOT / "results" / "benchmarks"
    made.add_argument("--to", type=Path, default=folder, help="folder of the tables")
    if runs is not None:
        made.add_argument("--runs", type=int, default=runs, help=f"for a median; default {runs}")
    return made


def write(folder: Path, name: str, rows, note: str) -> str:
    """Write the rows as NAME.csv and, with a note below, as NAME.md; return the latter."""
    table = pd.DataFrame(rows)
    text = f"{markdown(table)}\n{note} {machine()}.\n"
    write_text(folder / f"{name}.csv", as_csv(table))
    write_text(folder / f"{name}.md", text)
    return text


def timed(action: Callable, runs: int = 1):
    """Return the median seconds and the last result of an action."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        result = action()
        times.append(time.perf_counter() - start)
    return float(np.median(times)), result


def samples(n: int, d: int, duplicates: bool = False):
    """Return continuous features of two classes.

    With duplicates, two features are equal in the first class, so that its kernel is singular and
    Algorithm 2 has a direction to drop.
    """
    rng = np.random.default_rng(d)
    X, y = rng.normal(size=(n, d)), np.arange(n) % 2
    if duplicates:
        X[y == 0, 0] = X[y == 0, 1]
    return X, y


def madelon_like(n: int, d: int):
    """Return two classes like Madelon: 5 relevant features, 15 combinations of them, and noise."""
    shape = {"n_informative": 5, "n_redundant": 15, "n_clusters_per_class": 16}
    return make_classification(n, d, shuffle=False, random_state=0, **shape)


def machine() -> str:
    """Describe the machine, for a note below a table."""
    pools = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    load = f", load {os.getloadavg()[0]:.1f} at the end" if hasattr(os, "getloadavg") else ""
    name = processor("model name")[0]
    return f"{joblib.cpu_count()} cores, {max(pools, default=1)} BLAS threads, {name}{load}"
