"""Run again what takes minutes, and compare it with the committed results.

    python scripts/reproduce.py                 xor100, toy, hypercube, and others
    python scripts/reproduce.py toy xor100      some of them
    python scripts/reproduce.py --data FOLDER   where the data lie; without it they are fetched
    python scripts/reproduce.py --adopt         see below

Each experiment runs with profile=paper into outputs/reproduce; what is computed waits in a store
there, so that an interrupted run goes on. A table is compared row by row and column by column:
texts, whole numbers and truth values must be equal, other numbers differ by at most 1e-5 of the
column's largest value, since tables have six digits.

Where Algorithm 2 does not determine a score ("ambiguous"), rounding decides it, and OpenBLAS and
NumPy bring other code for other processors. So a run takes the code that the committed results were
computed by, if this machine can run it, unless OPENBLAS_CORETYPE or NPY_DISABLE_CPU_FEATURES is set
already; see experiments/engine/processor.py. Then a table is "equal". Elsewhere it "agrees", with
a tolerance of 10 % for what is ambiguous, or summarises what is.

On any machine p-values are compared by their logarithm, to 1e-3, since they may underflow, and the
positions of a t-SNE are not: it is chaotic, and only a picture.

The exit status is 1 if a column lies outside its tolerance.

With --adopt, folders of results whose code has changed are not computed again. A random sample of
their rows is: at least five for each method and folder, and sixty for each scorer over all folders
(--full: sixty for each method and folder). If all of them come out byte for byte, the folder's
provenance takes the digests of this revision, and says so under "verified". Otherwise the rows that
differ are printed, and results/due.yaml lists the folder. Of a split under "nested", the first
check of a method ranks in the inner folds, too; others compare the test accuracy alone.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import pandas as pd

from experiments.config import ConfigError, one_of
from scripts.adoption import OUTPUTS, ROOT, adopt_all, processor_of, store_of, write_check

RELATIVE, AMBIGUOUS, LOGARITHM = 1e-5, 0.1, 1e-3
#: Tables that are pictures of chaotic iterations.
NOT_COMPARED = ("tsne",)
#: What tells of which row of the summary a row of another table is a part.
KEYS = ("method", "geometry", "class_1", "class_2")
EXPERIMENTS = (
    *("xor100", "toy", "hypercube", "operators", "mnist", "fashion_mnist", "propositions"),
)


def tables(folder: Path) -> dict[str, pd.DataFrame]:
    """The tables of a run that are compared, by name."""
    paths = sorted(folder.glob("*.csv"))
    return {path.stem: pd.read_csv(path) for path in paths if path.stem not in NOT_COMPARED}


def ambiguous_rows(table: pd.DataFrame, summary: pd.DataFrame | None = None) -> np.ndarray:
    """A mask of the rows that rest on ambiguous scores, by their own flags or the summary's."""
    flags = [flag for flag in ("n_ambiguous", "ambiguous") if flag in table]
    if flags:
        return (table[flags].fillna(0).astype(float) > 0).any(axis=1).to_numpy()
    if summary is None or "n_ambiguous" not in summary:
        return np.zeros(len(table), dtype=bool)
    keys = [key for key in KEYS if key in table and key in summary]
    of_summary = summary.loc[ambiguous_rows(summary), keys].itertuples(index=False, name=None)
    of_table = table[keys].itertuples(index=False, name=None)
    moved = set(of_summary) if keys else set()
    return np.array([row in moved for row in of_table], dtype=bool)


def differences(ours: pd.DataFrame, again: pd.DataFrame, ambiguous: np.ndarray) -> list[str]:
    """A sentence for each column of a table run again that lies outside its tolerance.

    Another processor may move the rows that the mask `ambiguous` names; see :func:`ambiguous_rows`.
    """
    if list(ours) != list(again) or len(ours) != len(again):
        return [f"it has {again.shape} rows and columns, the committed table {ours.shape}"]
    sentences = []
    for name in ours:
        first, second = ours[name], again[name]
        if not pd.api.types.is_float_dtype(first) or not pd.api.types.is_float_dtype(second):
            apart = ~((first == second) | (first.isna() & second.isna())).to_numpy()
            # Which of two tied numbers is chosen, and where, rests on the ambiguous scores.
            if (apart & ~ambiguous).any():
                sentences.append(f"{name} differs in {(apart & ~ambiguous).sum()} rows")
            continue
        a, b = first.to_numpy(dtype=float), second.to_numpy(dtype=float)
        if str(name).startswith("p_"):
            a, b = (np.log(np.maximum(values, 1e-300)) for values in (a, b))
            allowed = np.full(len(a), LOGARITHM * max(1.0, np.nanmax(np.abs(a), initial=0)))
        else:
            allowed = np.full(len(a), RELATIVE * np.nanmax(np.abs(a), initial=0))
        allowed[ambiguous] = np.maximum(allowed, AMBIGUOUS * np.abs(a))[ambiguous]
        apart = ~((np.abs(a - b) <= allowed) | (np.isnan(a) & np.isnan(b)))
        if apart.any():
            worst = np.nanmax(np.abs(a - b)[apart], initial=0)
            sentences.append(f"{name} differs in {apart.sum()} rows, by {worst:.3g} at most")
    return sentences


def run(name: str, data: str | None, workers: int) -> Path:
    """Run an experiment again; the folder of its tables."""
    folder, environment = OUTPUTS / name, {**os.environ, **processor_of(name)}
    store = store_of(environment)
    command = [
        sys.executable, str(ROOT / "run.py"), f"experiment={name}", "profile=paper",
        f"store={store}", f"hydra.run.dir={folder}", f"workers={workers}",
        *([f"data.home={data}"] if data else []),
    ]  # fmt: skip
    subprocess.run(command, check=True, cwd=ROOT, env=environment)
    return folder


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(EXPERIMENTS))
    parser.add_argument("--data", metavar="FOLDER", help="where the data sets lie")
    parser.add_argument("--workers", type=int, default=2, help="default: 2")
    parser.add_argument("--adopt", action="store_true", help="adopt results by a sample of units")
    parser.add_argument("--full", action="store_true", help="with --adopt: a larger sample")
    parser.add_argument("--check", type=json.loads, metavar="JSON", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    data = chosen.data and str(Path(chosen.data).resolve())
    if chosen.check is not None:
        return write_check(chosen.names[0], chosen.check, data, chosen.workers)
    if chosen.adopt:
        sys.exit(adopt_all(chosen.names, data, chosen.workers, chosen.full) > 0)
    try:
        names = [one_of(name, EXPERIMENTS, "experiment that is run again") for name in chosen.names]
    except ConfigError as error:
        sys.exit(f"reproduce.py: {error}")
    failed = []
    for name in names or EXPERIMENTS:
        try:
            folder = run(name, data, chosen.workers)
        except subprocess.CalledProcessError:
            failed.append(f"{name}: the run failed, see above")
            continue
        again, ours = (tables(f) for f in (folder, ROOT / "results" / name))
        failed += [f"{name}: there is no table {table}" for table in sorted({*ours} - {*again})]
        for table in sorted({*ours} & {*again}):
            pair = ours[table], again[table]
            exact = not differences(*pair, np.zeros(len(ours[table]), dtype=bool))
            sentences = differences(*pair, ambiguous_rows(ours[table], ours.get("summary")))
            print(f"{name}/{table}: {'; '.join(sentences) or ('equal' if exact else 'agrees')}")
            failed += [f"{name}/{table}: {sentence}" for sentence in sentences]
    print("\n".join(["", *failed]) if failed else "\nEverything that was run again agrees.")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
