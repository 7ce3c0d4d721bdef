"""Run again what takes minutes, and compare it with the committed results.

    python scripts/reproduce.py                 xor100, toy, hypercube, ..., two splits of colon
    python scripts/reproduce.py toy xor100      some of them
    python scripts/reproduce.py --data FOLDER   where the data lie; without it they are fetched

Each experiment runs with profile=paper into outputs/reproduce; what is computed waits in a store
there, so that an interrupted run goes on. A table is compared row by row and column by column:
texts, whole numbers and truth values must be equal, other numbers differ by at most 1e-5 of the
column's largest value, since tables have six digits.

Where Algorithm 2 does not determine a score ("ambiguous"), rounding decides it, and OpenBLAS has
other kernels for other processors. So a run takes those kernels that the committed results were
computed with, if this machine can run them: OPENBLAS_CORETYPE is set to what their provenance
names, unless it is set already. For a machine that cannot, other tolerances are these:

- rows of scores that are ambiguous: twice what permuting the columns of the samples does to the
  number, as the results say it, and at least 1 % of it;
- accuracies of a single split, which rest on a few samples: where they are ambiguous, the mean over
  all rows of a method, to 2 points, the margin of the verdicts. Its cells of the SVM are then not
  compared;
- positions of a t-SNE are not compared: it is chaotic, and only a picture;
- p-values by their logarithm, to 1e-3, since they may underflow.

The exit status is 1 where a column lies outside its tolerance.
"""

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import pandas as pd

from experiments.config import ConfigError, one_of

ROOT = Path(__file__).resolve().parents[1]
OUTPUTS = ROOT / "outputs" / "reproduce"
RELATIVE, AMBIGUOUS, LOGARITHM, MARGIN = 1e-5, 0.01, 1e-3, 0.02
#: Tables that are pictures of chaotic iterations.
NOT_COMPARED = ("tsne",)
#: A number that permuting the columns of the samples moves -> the column that says how much.
MOVES = {"accuracy": "order_std"}
#: In a table with a row a split: accuracies, and the cells that give them.
OF_A_SPLIT, CELLS = ("validation", "test"), ("log2_C", "log2_gamma")
#: What a process does to say which kernels its two OpenBLAS take, and that it can run them.
WHICH_KERNELS = """
import json, numpy, scipy.linalg.blas, threadpoolctl
square = numpy.ones((64, 64))
assert (square @ square == scipy.linalg.blas.dgemm(1.0, square, square)).all()
found = threadpoolctl.threadpool_info()
print(json.dumps(sorted({one["architecture"] for one in found if "architecture" in one})))
"""


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


def differences(ours: pd.DataFrame, again: pd.DataFrame) -> list[str]:
    """A sentence for each column that lies outside its tolerance; empty where the tables agree."""
    if list(ours) != list(again) or len(ours) != len(again):
        return [f"it has {again.shape} rows and columns, the committed table {ours.shape}"]
    ambiguous = np.zeros(len(ours), dtype=bool)
    for flag in ("n_ambiguous", "ambiguous"):
        if flag in ours:
            ambiguous |= ours[flag].fillna(0).to_numpy(dtype=float) > 0
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
        allowed[ambiguous] = np.maximum(2 * moves, AMBIGUOUS * np.abs(a))[ambiguous]
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


def kernels(name: str) -> dict[str, str]:
    """The variable by which OpenBLAS takes the kernels of the committed results of an experiment.

    It is empty where the user has set it, and where this machine cannot run these kernels.
    """
    record = json.loads((ROOT / "results" / name / "provenance.json").read_text("utf-8"))
    theirs = sorted({library["architecture"] or "unknown" for library in record["blas"]})
    if "OPENBLAS_CORETYPE" in os.environ:
        return {}
    variable = {"OPENBLAS_CORETYPE": theirs[0]}
    command = [sys.executable, "-c", WHICH_KERNELS]
    tried = subprocess.run(
        command, env={**os.environ, **variable}, capture_output=True, text=True, check=False
    )
    # A process that cannot run them is killed; a library that has none of that name takes others.
    if tried.returncode == 0 and json.loads(tried.stdout) == theirs:
        return variable
    print(f"{name}: results/ were computed with BLAS kernels for {theirs[0]}, not here")
    return {}


def run(name: str, data: str | None, workers: int) -> Path:
    """Run an experiment again; the folder of its tables."""
    folder = OUTPUTS / name
    command = [
        sys.executable, str(ROOT / "run.py"), f"experiment={name}", "profile=paper",
        f"store={OUTPUTS / 'store'}", f"hydra.run.dir={folder}", f"workers={workers}",
        *EXPERIMENTS[name].overrides, *([f"data.home={data}"] if data else []),
    ]  # fmt: skip
    subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, **kernels(name)})
    return folder


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(EXPERIMENTS))
    parser.add_argument("--data", metavar="FOLDER", help="where the data sets lie")
    parser.add_argument("--workers", type=int, default=2, help="default: 2")
    chosen = parser.parse_args(arguments)
    try:
        names = [one_of(name, EXPERIMENTS, "experiment that is run again") for name in chosen.names]
    except ConfigError as error:
        sys.exit(f"reproduce.py: {error}")
    failed = []
    for name in names or EXPERIMENTS:
        try:
            folder = run(name, chosen.data and str(Path(chosen.data).resolve()), chosen.workers)
        except subprocess.CalledProcessError:
            failed.append(f"{name}: the run failed, see above")
            continue
        again, ours = (tables(f, EXPERIMENTS[name]) for f in (folder, ROOT / "results" / name))
        failed += [f"{name}: there is no table {table}" for table in sorted({*ours} - {*again})]
        for table in sorted({*ours} & {*again}):
            found = differences(ours[table], again[table])
            print(f"{name}/{table}: {'; '.join(found) or 'agrees'}")
            failed += [f"{name}/{table}: {sentence}" for sentence in found]
    print("\n".join(["", *failed]) if failed else "\nEverything that was run again agrees.")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
