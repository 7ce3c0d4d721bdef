"""Run again what takes minutes, and compare it with the committed results.

    python scripts/reproduce.py                 xor100, toy, hypercube, ..., two splits of colon
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
other tolerances for what is ambiguous, or summarises what is:

- twice what permuting the columns of the samples does to a number, where the results say it, and at
  least 10 % of it;
- for accuracies of single splits, which rest on a few samples, 2 points of the mean over all rows
  of a method, which is the margin of the verdicts; the cells of their SVM are not compared.

On any machine p-values are compared by their logarithm, to 1e-3, since they may underflow, and the
positions of a t-SNE are not: it is chaotic, and only a picture.

The exit status is 1 where a column lies outside its tolerance.

With --adopt, folders of results whose code has changed are not computed again. A random sample of
their units is: at least five for each method and folder, and sixty for each scorer over all
folders (--full: sixty for each method and folder). If all of them give the stored rows byte for
byte, the folder's provenance takes the digest of this revision, and says so under "verified".
Otherwise the rows that differ are printed, and the folder is due.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import pandas as pd

from experiments.atomic import atomic_write
from experiments.config import ConfigError, one_of
from experiments.engine import processor
from experiments.provenance import outdated
from scripts import adoption

ROOT = Path(__file__).resolve().parents[1]
OUTPUTS, RESULTS = ROOT / "outputs" / "reproduce", ROOT / "results"
#: Differences of a folder that are printed.
SHOWN = 10
RELATIVE, AMBIGUOUS, LOGARITHM, MARGIN = 1e-5, 0.1, 1e-3, 0.02
#: Tables that are pictures of chaotic iterations.
NOT_COMPARED = ("tsne",)
#: A number that permuting the columns of the samples moves -> the column that says how much.
MOVES = {"accuracy": "order_std"}
#: In a table with a row a split: accuracies, and the cells that give them.
OF_A_SPLIT, CELLS = ("validation", "test"), ("log2_C", "log2_gamma")
#: What tells of which row of the summary a row of another table is a part.
KEYS = ("method", "geometry", "class_1", "class_2")


@dataclass(frozen=True)
class Again:
    """An experiment that is run again: its overrides, and the part of its tables that is compared.

    Attributes
    ----------
    overrides : tuple of str
    rows : dict of str to collection
        Column -> values that are kept of the table of rows. Where it is given, only that table is
        compared: the others summarise more than was run.
    """

    overrides: tuple[str, ...] = ()
    rows: dict | None = None


EXPERIMENTS = {
    **{
        name: Again()
        for name in (
            "xor100", "toy", "hypercube", "operators", "mnist", "fashion_mnist", "propositions",
        )
    },
    "colon": Again(
        ("protocol.n_repetitions=2", "protocol.readings=[paper]", "protocol.order_splits=0"),
        {"split": (0, 1), "reading": ("paper",)},
    ),
}  # fmt: skip


def tables(folder: Path, again: Again) -> dict[str, pd.DataFrame]:
    """The tables of a run that are compared, by name."""
    if again.rows:
        rows = pd.read_parquet(folder / "rows.parquet")
        for name, values in again.rows.items():
            rows = rows[rows[name].isin(values)]
        return {"rows": rows.reset_index(drop=True)}
    found = sorted(folder.glob("*.csv"))
    return {path.stem: pd.read_csv(path) for path in found if path.stem not in NOT_COMPARED}


def ambiguous_rows(table: pd.DataFrame, summary: pd.DataFrame | None = None) -> np.ndarray:
    """Which rows rest on scores that are ambiguous, by their own flags or by the summary's."""
    flags = [flag for flag in ("n_ambiguous", "ambiguous") if flag in table]
    if flags:
        return (table[flags].fillna(0).astype(float) > 0).any(axis=1).to_numpy()
    if summary is None or "n_ambiguous" not in summary:
        return np.zeros(len(table), dtype=bool)
    keys = [key for key in KEYS if key in table and key in summary]
    of_summary = summary.loc[ambiguous_rows(summary), keys].itertuples(index=False, name=None)
    of_table = table[keys].itertuples(index=False, name=None)
    found = set(of_summary) if keys else set()
    return np.array([row in found for row in of_table], dtype=bool)


def differences(ours: pd.DataFrame, again: pd.DataFrame, ambiguous: np.ndarray) -> list[str]:
    """A sentence for each column that lies outside its tolerance; empty where the tables agree.

    Parameters
    ----------
    ours, again : DataFrame
        The committed table, and that of the run again.
    ambiguous : ndarray of bool
        Rows that another processor may move. See :func:`ambiguous_rows`.
    """
    if list(ours) != list(again) or len(ours) != len(again):
        return [f"it has {again.shape} rows and columns, the committed table {ours.shape}"]
    found = []
    for name in ours:
        first, second = ours[name], again[name]
        if not pd.api.types.is_float_dtype(first) or not pd.api.types.is_float_dtype(second):
            apart = ~((first == second) | (first.isna() & second.isna())).to_numpy()
            # Which of two tied numbers is chosen, and where, rests on the ambiguous scores.
            if (apart & ~ambiguous).any():
                found.append(f"{name} differs in {(apart & ~ambiguous).sum()} rows")
            continue
        a, b = first.to_numpy(dtype=float), second.to_numpy(dtype=float)
        if str(name).startswith("p_"):
            a, b = (np.log(np.maximum(values, 1e-300)) for values in (a, b))
            allowed = np.full(len(a), LOGARITHM * max(1.0, np.nanmax(np.abs(a), initial=0)))
        else:
            allowed = np.full(len(a), RELATIVE * np.nanmax(np.abs(a), initial=0))
        moved = MOVES.get(str(name))
        moves = ours[moved].fillna(0).to_numpy() if moved in ours else np.zeros(len(a))
        wide = np.maximum(2 * moves, AMBIGUOUS * np.abs(a))
        allowed[ambiguous] = np.maximum(allowed, wide)[ambiguous]
        if "split" in ours and name in (*OF_A_SPLIT, *CELLS):
            allowed[ambiguous] = np.inf
        if "split" in ours and name in OF_A_SPLIT:
            means = pd.Series(a - b, ours.index)[ambiguous].groupby(ours["method"]).mean().abs()
            found += [
                f"{name} of {method} differs by {apart:.3g} on average"
                for method, apart in means[means > MARGIN].items()
            ]
        apart = ~((np.abs(a - b) <= allowed) | (np.isnan(a) & np.isnan(b)))
        if apart.any():
            worst = np.nanmax(np.abs(a - b)[apart], initial=0)
            found.append(f"{name} differs in {apart.sum()} rows, by {worst:.3g} at most")
    return found


def code_of(name: str) -> dict[str, str]:
    """The variables by which a run takes the code that computed the committed results.

    They are empty where the user has set one of them, and where this machine cannot run that code.
    """
    if {processor.BLAS, processor.SIMD} & set(os.environ):
        return {}
    record = json.loads((ROOT / "results" / name / "provenance.json").read_text("utf-8"))
    found = processor.variables(record)
    if found is None:
        print(f"{name}: results/ were computed on another kind of processor")
    return found or {}


def store_of(environment: Mapping[str, str]) -> Path:
    """The store of runs with these variables, since units do not name the code of a processor."""
    values = (environment.get(variable) for variable in (processor.BLAS, processor.SIMD))
    # The user's own value may hold commas and spaces, which a path on a command line may not.
    return OUTPUTS / re.sub(r"\W+", "-", " ".join(["store", *filter(None, values)]))


def run(name: str, data: str | None, workers: int) -> Path:
    """Run an experiment again; the folder of its tables."""
    folder, environment = OUTPUTS / name, {**os.environ, **code_of(name)}
    store = store_of(environment)
    command = [
        sys.executable, str(ROOT / "run.py"), f"experiment={name}", "profile=paper",
        f"store={store}", f"hydra.run.dir={folder}", f"workers={workers}",
        *EXPERIMENTS[name].overrides, *([f"data.home={data}"] if data else []),
    ]  # fmt: skip
    subprocess.run(command, check=True, cwd=ROOT, env=environment)
    return folder


def print_check(name: str, n: int, data: str | None, workers: int) -> None:
    """Verify a folder in this process, whose variables choose the code of the processor."""
    record = json.loads((RESULTS / name / "provenance.json").read_text("utf-8"))
    store = store_of(os.environ)
    config = adoption.composed(record, data, store, workers)
    path = OUTPUTS / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as part:
        verified = adoption.verify(RESULTS / name, config, n)
        part.write_text(json.dumps(verified), encoding="utf-8")


def adopt_all(names: list[str], data: str | None, workers: int, full: bool) -> int:
    """Adopt the folders that are not current; the number of folders that could not be adopted."""
    records = {
        path.parent.name: json.loads(path.read_text("utf-8"))
        for path in sorted(RESULTS.glob("*/provenance.json"))
    }
    configs = {
        name: adoption.composed(record, data, OUTPUTS, workers) for name, record in records.items()
    }
    scorers = {name: adoption.scorers_of(config) for name, config in configs.items()}
    numbers = adoption.numbers_of_checks(scorers, full)
    due = {}
    for name in names or records:
        if not outdated(records[name], configs[name]) and not full:
            print(f"{name}: current")
            continue
        if other := adoption.other_versions(RESULTS / name):
            due[name] = [f"it needs {'; '.join(other)}"]
        else:
            due[name] = adopt_one(name, configs[name], numbers[name], data, workers)
        lines = due[name]
        print(f"{name}: {'adopted' if not lines else f'due, {len(lines)} differences'}", flush=True)
        for line in lines[:SHOWN]:
            print(f"    {line}")
    failed = sorted(name for name, lines in due.items() if lines)
    print(f"\n{len(due) - len(failed)} adopted, {len(failed)} due: {', '.join(failed) or 'none'}")
    return len(failed)


def adopt_one(name, config, n, data, workers) -> list[str]:
    """Differences of a folder under its own processor code; without any it is adopted."""
    command = [sys.executable, __file__, name, "--check", str(n), f"--workers={workers}"]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", **code_of(name)}
    done = subprocess.run(
        [*command, *(["--data", data] if data else [])], cwd=ROOT, env=environment, check=False
    )
    if done.returncode:
        return ["the check failed, see above"]
    verified = json.loads((OUTPUTS / f"{name}.json").read_text("utf-8"))
    if not verified["differences"]:
        adoption.adopt(RESULTS / name, config, verified)
    return verified["differences"]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(EXPERIMENTS))
    parser.add_argument("--data", metavar="FOLDER", help="where the data sets lie")
    parser.add_argument("--workers", type=int, default=2, help="default: 2")
    parser.add_argument("--adopt", action="store_true", help="adopt results by a sample of units")
    parser.add_argument("--full", action="store_true", help="with --adopt: a larger sample")
    parser.add_argument("--check", type=int, metavar="N", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    data = chosen.data and str(Path(chosen.data).resolve())
    if chosen.check:
        return print_check(chosen.names[0], chosen.check, data, chosen.workers)
    if chosen.adopt:
        sys.exit(adopt_all(chosen.names, data, chosen.workers, chosen.full))
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
        again, ours = (tables(f, EXPERIMENTS[name]) for f in (folder, ROOT / "results" / name))
        failed += [f"{name}: there is no table {table}" for table in sorted({*ours} - {*again})]
        for table in sorted({*ours} & {*again}):
            pair = ours[table], again[table]
            exact = not differences(*pair, np.zeros(len(ours[table]), dtype=bool))
            found = differences(*pair, ambiguous_rows(ours[table], ours.get("summary")))
            print(f"{name}/{table}: {'; '.join(found) or ('equal' if exact else 'agrees')}")
            failed += [f"{name}/{table}: {sentence}" for sentence in found]
    print("\n".join(["", *failed]) if failed else "\nEverything that was run again agrees.")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
