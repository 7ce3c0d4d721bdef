"""Test the command for an own table on generated tables whose truth is known, in about an hour.

    python scripts/own_table.py            all designs; a stopped run resumes
    python scripts/own_table.py none --tables 1

Each table is answered by the command of docs/own_table.md with its defaults. A row for each table
goes to results/own_table.csv at once, and at the end a row for each design to
results/own_table_summary.csv, from which the table of the page is made.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import pandas as pd
from hydra import compose, initialize_config_dir
from scipy import stats
from sklearn.metrics import balanced_accuracy_score

from experiments import kinds, seeds
from experiments.cache import Cache, Run
from experiments.config import TableConfig
from experiments.datasets.own.table import read_table
from experiments.evaluation.data import load_table
from experiments.evaluation.methods import resolve
from experiments.files import as_csv, write_text
from experiments.table.differ import differ, groups_of
from experiments.table.predict import design_of, learned

ROOT = Path(__file__).resolve().parents[1]
#: Features of a table, those that are shifted, and fresh samples of each class.
FEATURES, PLANTED, FRESH = 200, 5, 1000
#: Design -> the samples of each class, and the power of a t test that allows for all features.
DESIGNS: dict[str, tuple[list[int], float | None]] = {
    "strong": ([30, 30], 0.95),
    "weaker": ([30, 30], 0.5),
    "54 to 6": ([54, 6], 0.95),
    "three classes": ([20, 20, 20], 0.95),
    "pairs": ([30, 30], 0.95),
    "none": ([30, 30], None),
}
#: Minutes of two cores that a table takes.
MINUTES = 0.6
#: Tables of a design on which the first question alone is asked, which takes a moment for each.
FIRST_ONLY = 300


def drawn(design, number):
    """Return a table and fresh samples of it: the last class is shifted, pairs have own levels."""
    counts, power = DESIGNS[design]
    rng = np.random.default_rng([number, *design.encode()])
    codes = np.arange(len(counts))
    y = np.concatenate([np.repeat(codes, counts), np.repeat(codes, FRESH)])
    X, n = rng.normal(size=(len(y), FEATURES)), sum(counts)
    if power is not None:
        least = stats.t.isf(0.025 / FEATURES, n - len(counts))
        spread = np.sqrt(1 / counts[-1] + 1 / counts[0])
        X[y == codes[-1], :PLANTED] += (least - stats.norm.isf(power)) * spread
    if design == "pairs":
        pair = np.concatenate([np.arange(n) % counts[0], n + np.arange(len(y) - n) % FRESH])
        X += rng.normal(size=(len(y), FEATURES))[pair]
    frame = pd.DataFrame(X).add_prefix("x").assign(status=np.array([*"abc"])[y])
    frame = frame.assign(pair=pair) if design == "pairs" else frame
    return frame[:n], frame[n:]


def answered(design, number, folder):
    """What the command says of a table, and what is true: a row."""
    table, fresh = drawn(design, number)
    path = folder / "table.csv"
    table.to_csv(path, index_label="sample")
    options = [f"dataset.path={path}", "dataset.target=status"]
    options += ["dataset.groups=pair"] if design == "pairs" else []
    command = [
        sys.executable,
        "run.py",
        "experiment=select",
        *options,
        f"hydra.run.dir={folder}/run",
    ]
    subprocess.run(
        [*command, f"store={folder}/store"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL
    )
    facts = json.loads((folder / "run" / "answer.json").read_text("utf-8"))
    found, predict = set(facts["differ"]["features"]), facts["predict"]
    shifted = planted(design)
    accuracy = fresh_accuracy(options, fresh)
    low, high = predict["interval"]
    return {
        "design": design,
        "table": number,
        "shifted": len(shifted),
        "found": len(found & shifted),
        "false": len(found - shifted),
        "p_value": predict["p_value"],
        "predicted": predict["evidence"],
        "balanced_accuracy": predict["balanced_accuracy"],
        "fresh_accuracy": accuracy,
        "inside": low <= accuracy <= high,
    }


def fresh_accuracy(options, fresh):
    """The balanced accuracy, on fresh samples, of the rule that is learned from all samples."""
    kinds.register()
    with initialize_config_dir(str(ROOT / "configs"), version_base="1.3"):
        config = compose("config", ["experiment=select", *options])
    run = Run(config, Cache(config.store))
    given = load_table(config)
    design = design_of(run, resolve(config), given, groups_of(given))
    state = seeds.integer(design.seed, "inner", given.fingerprint, "own", "all")
    fit, _ = learned(design, given.X, given.y, design.groups, state)
    predicted = fit.predict(fresh[list(given.feature_names or ())].to_numpy())
    codes = {name: code for code, name in given.label_names.items()}
    return balanced_accuracy_score(fresh["status"].map(codes), predicted)


def planted(design):
    """The names of the features that are shifted."""
    _, power = DESIGNS[design]
    return {f"x{j}" for j in range(PLANTED)} if power else set()


def false_share(design):
    """The mean share of false features among those that differ, with the first question alone."""
    shifted = planted(design)
    groups = "pair" if design == "pairs" else None
    shares = []
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/table.csv"
        for number in range(FIRST_ONLY):
            table, _ = drawn(design, number)
            table.to_csv(path, index_label="sample")
            samples = read_table(TableConfig(path=path, target="status", groups=groups))
            tests = differ(samples, groups_of(samples), within=groups is not None).table
            found = set(tests.loc[tests["differs"], "feature"])
            shares.append(len(found - shifted) / max(1, len(found)))
    return np.mean(shares)


def summary(rows):
    """A row for each design: sums over its tables, and the share of false features."""
    groups = rows.groupby("design", sort=False)
    table = groups[["shifted", "found", "predicted", "inside"]].sum()
    table["false_tables"] = (rows["false"] > 0).groupby(rows["design"]).sum()
    table["false_share"] = [false_share(design) for design in table.index]
    return table.assign(tables=groups.size(), tables_of_share=FIRST_ONLY).reset_index()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("designs", nargs="*", help=", ".join(DESIGNS))
    parser.add_argument("--tables", type=int, default=20, help="tables of each design")
    parser.add_argument("--to", type=Path, default=ROOT / "results", help="the folder of the csv")
    asked = parser.parse_args()
    path = asked.to / "own_table.csv"
    rows = pd.read_csv(path).to_dict("records") if path.is_file() else []
    done = {(row["design"], row["table"]) for row in rows}
    designs = asked.designs or DESIGNS
    left = [(d, n) for d in designs for n in range(asked.tables) if (d, n) not in done]
    print(
        f"{len(left)} tables, about {len(left) * MINUTES / 60:.1f} hours of two cores", flush=True
    )
    for number, (design, table) in enumerate(left, 1):
        with tempfile.TemporaryDirectory() as folder:
            rows.append(answered(design, table, Path(folder)))
        write_text(path, as_csv(pd.DataFrame(rows)))
        print(f"{number} of {len(left)}: {rows[-1]}", flush=True)
    write_text(asked.to / "own_table_summary.csv", as_csv(summary(pd.DataFrame(rows))))
