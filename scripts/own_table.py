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
from typing import NamedTuple

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
#: Minutes of two cores that a table takes.
MINUTES = 0.6
#: Tables of a design on which the first question alone is asked, which takes a moment for each.
FIRST_ONLY = 300


class Design(NamedTuple):
    """A kind of tables: the samples of each class, and the power of a t test.

    The test allows for all features. Without a power no feature is shifted. In pairs, each class
    has one sample of a pair.
    """

    counts: list[int]
    power: float | None
    in_pairs: bool = False


DESIGNS = {
    "strong": Design([30, 30], 0.95),
    "weaker": Design([30, 30], 0.5),
    "54 to 6": Design([54, 6], 0.95),
    "three classes": Design([20, 20, 20], 0.95),
    "pairs": Design([30, 30], 0.95, in_pairs=True),
    "none": Design([30, 30], None),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("designs", nargs="*", help=", ".join(DESIGNS))
    parser.add_argument("--tables", type=int, default=20, help="tables of each design")
    parser.add_argument("--to", type=Path, default=ROOT / "results", help="the folder of the csv")
    asked = parser.parse_args()
    if unknown := {*asked.designs} - {*DESIGNS}:
        parser.error(f"there is no design {', '.join(unknown)}; there are {', '.join(DESIGNS)}")
    path = asked.to / "own_table.csv"
    rows = pd.read_csv(path).to_dict("records") if path.is_file() else []
    left = tables_left(asked.designs or DESIGNS, asked.tables, rows)
    hours = len(left) * MINUTES / 60
    print(f"{len(left)} tables, about {hours:.1f} hours of two cores", flush=True)
    for place, (name, number) in enumerate(left, 1):
        with tempfile.TemporaryDirectory() as folder:
            rows.append(answered(name, number, Path(folder)))
        write_text(path, as_csv(pd.DataFrame(rows)))
        print(f"{place} of {len(left)}: {rows[-1]}", flush=True)
    write_text(asked.to / "own_table_summary.csv", as_csv(summary(pd.DataFrame(rows))))


def tables_left(names, n_tables, rows):
    """The name of a design and a number for each table that has no row yet."""
    done = {(row["design"], row["table"]) for row in rows}
    left = []
    for name in names:
        for number in range(n_tables):
            if (name, number) not in done:
                left.append((name, number))
    return left


def drawn(name, number):
    """Return a table and fresh samples of it: the last class is shifted, pairs have own levels."""
    design = DESIGNS[name]
    rng = np.random.default_rng([number, *name.encode()])
    n, codes = sum(design.counts), np.arange(len(design.counts))
    y = np.concatenate([np.repeat(codes, design.counts), np.repeat(codes, FRESH)])
    X = rng.normal(size=(len(y), FEATURES))
    if design.power is not None:
        X[y == codes[-1], :PLANTED] += shift(design)
    columns = {"status": np.array([*"abc"])[y]}
    if design.in_pairs:
        of_table = np.arange(n) % design.counts[0]
        of_fresh = n + np.arange(len(y) - n) % FRESH
        columns["pair"] = np.concatenate([of_table, of_fresh])
        X += rng.normal(size=X.shape)[columns["pair"]]
    frame = pd.DataFrame(X).add_prefix("x").assign(**columns)
    return frame[:n], frame[n:]


def shift(design):
    """How far the last class is shifted from the others."""
    counts = design.counts
    least = stats.t.isf(0.025 / FEATURES, sum(counts) - len(counts))
    spread = np.sqrt(1 / counts[-1] + 1 / counts[0])
    return (least - stats.norm.isf(design.power)) * spread


def planted(name):
    """The names of the features that are shifted."""
    return {f"x{j}" for j in range(PLANTED)} if DESIGNS[name].power else set()


def answered(name, number, folder):
    """What the command says of a table, and what is true: a row."""
    table, fresh = drawn(name, number)
    table.to_csv(folder / "table.csv", index_label="sample")
    options = [f"dataset.path={folder / 'table.csv'}", "dataset.target=status"]
    if DESIGNS[name].in_pairs:
        options.append("dataset.groups=pair")
    facts = facts_of(options, folder)
    predict = facts["predict"]
    found, shifted = set(facts["differ"]["features"]), planted(name)
    accuracy = fresh_accuracy(options, fresh)
    low, high = predict["interval"]
    return {
        "design": name,
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


def facts_of(options, folder):
    """Run the command, and return the facts of its answer."""
    folders = [f"hydra.run.dir={folder}/run", f"store={folder}/store"]
    command = [sys.executable, "run.py", "experiment=select", *options, *folders]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return json.loads((folder / "run" / "answer.json").read_text("utf-8"))


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


def summary(rows):
    """A row for each design: sums over its tables, and the share of false features."""
    groups = rows.groupby("design", sort=False)
    table = groups[["shifted", "found", "predicted", "inside"]].sum()
    table["false_tables"] = (rows["false"] > 0).groupby(rows["design"]).sum()
    table["false_share"] = [false_share(name) for name in table.index]
    return table.assign(tables=groups.size(), tables_of_share=FIRST_ONLY).reset_index()


def false_share(name):
    """The mean share of false features among those that differ, with the first question alone."""
    shifted = planted(name)
    groups = "pair" if DESIGNS[name].in_pairs else None
    shares = []
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/table.csv"
        for number in range(FIRST_ONLY):
            table, _ = drawn(name, number)
            table.to_csv(path, index_label="sample")
            samples = read_table(TableConfig(path=path, target="status", groups=groups))
            tests = differ(samples, groups_of(samples), within=groups is not None).table
            found = set(tests.loc[tests["differs"], "feature"])
            shares.append(len(found - shifted) / max(1, len(found)))
    return np.mean(shares)


if __name__ == "__main__":
    main()
