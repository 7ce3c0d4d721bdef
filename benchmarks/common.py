"""Shared parts of the benchmarks: arguments, clocks, processes, tables and data."""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_info

from experiments.files import write_csv, write_text
from experiments.provenance import processor
from experiments.report.text import markdown

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "results" / "benchmarks"
MIB = 2**20
#: Modules are compiled before, so that a measured process does not compile them.
ENVIRONMENT = {key: v for key, v in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
ENVIRONMENT["PYTHONPYCACHEPREFIX"] = str(ROOT / "outputs" / "benchmarks" / "bytecode")


def parser(doc: str, *, runs: int | None = None, home: bool = False) -> argparse.ArgumentParser:
    """Return a parser with the common arguments: --to, and --runs and --home if needed."""
    made = argparse.ArgumentParser(description=doc.partition("\n")[0])
    made.add_argument("--to", type=Path, default=FOLDER, help="folder of the tables")
    if runs is not None:
        made.add_argument("--runs", type=int, default=runs, help=f"runs a median; default {runs}")
    if home:
        made.add_argument(
            "--home",
            type=Path,
            default=os.environ.get("MANIFEST_DATA") or ROOT.parent / "shared" / "data",
            help="folder with data sets, NAME.npz; default: fetch them",
        )
    return made


def write(folder: Path, name: str, rows, note: str, text: str | None = None) -> str:
    """Write the rows as NAME.csv and, with a note below, as NAME.md; return the latter."""
    table = pd.DataFrame(rows)
    text = f"{markdown(table) if text is None else text}\n{note}\n"
    write_csv(folder / f"{name}.csv", table)
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


def fresh(function: Callable, *arguments):
    """Run a benchmark's function in a fresh Python process; return wall seconds and its result."""
    module, name = Path(function.__code__.co_filename).stem, function.__name__
    program = f"import json; from benchmarks.{module} import {name}"
    command = [sys.executable, "-c", f"{program}; print(json.dumps({name}(*{arguments!r})))"]
    start = time.perf_counter()
    done = subprocess.run(
        command, cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.PIPE, check=True, text=True
    )
    return time.perf_counter() - start, json.loads(done.stdout.splitlines()[-1])


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


def load() -> float:
    """Return the load of the machine in the last minute; NaN if unknown."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else float("nan")


def machine() -> str:
    """Describe the machine, for a note below a table."""
    pools = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    threads = f"{max(pools)} BLAS threads, " if pools else ""
    return f"{joblib.cpu_count()} cores, {threads}{processor()}, load {load()} at the end"
