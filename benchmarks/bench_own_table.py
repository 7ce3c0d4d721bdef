"""The answer on an own table: seconds until each question is answered, and memory.

Each table is random: ten of its features are shifted by two deviations. ``run.py
experiment=select`` reads it as a CSV file with the profile fast, on two workers; nothing is stored
before.

- "first answer": seconds until the terminal shows which features differ;
- "whole": seconds until the run ends, and "memory" is that of its largest process, in MiB;
- "ratio": the seconds of all its splits over those of a plain pipeline of scikit-learn (SelectKBest
  by ANOVA and SVC, tuned by GridSearchCV over the same grid and folds). The plain one runs on two
  splits in one process; its time for as many splits as the run has is estimated from these.

Writes results/benchmarks/own_table.csv and own_table.md:

    python benchmarks/bench_own_table.py [--shapes 60x2000 60x20000 12x5000]
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.common import MIB, machine, parser, timed_run, write
from experiments.kinds import composed

#: The heading of the first answer.
FIRST = "WHICH FEATURES DIFFER?"
#: Splits that the plain pipeline is timed on.
TIMED = 2


def table(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Samples of two classes; ten features are shifted."""
    rng = np.random.default_rng([n, d])
    y = np.arange(n) % 2
    X = rng.normal(size=(n, d))
    X[:, :10] += 2 * y[:, None]
    return X, y


def of_run(X: np.ndarray, y: np.ndarray) -> tuple[float, dict]:
    """Seconds and provenance of a run on the table."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "table.csv"
        frame = pd.DataFrame(X, columns=[f"gene {j}" for j in range(X.shape[1])])
        frame.assign(status=np.where(y, "ill", "well")).to_csv(path, index=False)
        own = [f"dataset.path={path}", "dataset.target=status", "draw=false"]
        return timed_run("experiment=select", "profile=fast", *own, heading=FIRST)


def of_plain(X: np.ndarray, y: np.ndarray) -> float:
    """Seconds that a split of the plain pipeline takes."""
    protocol = composed("experiment=select", "profile=fast").protocol
    outer = StratifiedKFold(round(1 / protocol.test_size), shuffle=True, random_state=0)
    inner = min(protocol.inner_folds, int(np.bincount(y).min()) - 1)
    grid = {
        "selectkbest__k": [size for size in protocol.sizes if size <= X.shape[1]],
        "svc__C": [2.0**c for c in protocol.log2_C],
        "svc__gamma": [2.0**g / X.shape[1] for g in protocol.log2_gamma],
    }
    plain = make_pipeline(StandardScaler(), SelectKBest(f_classif), SVC(class_weight="balanced"))
    start = time.perf_counter()
    for train, test in list(outer.split(X, y))[:TIMED]:
        search = GridSearchCV(plain, grid, cv=inner, scoring="balanced_accuracy")
        search.fit(X[train], y[train]).score(X[test], y[test])
    return (time.perf_counter() - start) / TIMED


def row(n: int, d: int) -> dict[str, object]:
    """The row of a table of n samples and d features."""
    X, y = table(n, d)
    (whole, record), plain = of_run(X, y), of_plain(X, y)
    n_units = record["units"]["computed"]
    return {
        "samples": n,
        "features": d,
        "first answer": round(record["shown"], 1),
        "whole": round(whole),
        "memory": round(max(peak or 0 for peak in record["peak_memory"].values()) / MIB),
        "splits": n_units,
        "plain": round(plain * n_units),
        "ratio": round(record["seconds"]["units"] / (plain * n_units), 2),
    }


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--shapes", nargs="*", default=["60x2000", "60x20000", "12x5000"])
    given = arguments.parse_args()
    rows = [row(*map(int, shape.split("x"))) for shape in given.shapes]
    note = f"Seconds of wall time; plain and ratio are of processes side by side. {machine()}."
    print(write(given.to, "own_table", rows, note))


if __name__ == "__main__":
    main()
