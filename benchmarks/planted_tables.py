"""Planted tables and tables without signal: is what an own table's answer says true?

Tables have 20 to 200 samples, 20 to 2000 features and classes of equal size or 9 to 1. Planted ones
have five features that are shifted, ten that hang together in one class alone ("associated"), or
both; the shift has a power above 0.95 in a test that allows for all features. In every second table
features have units from a thousandth to a thousand. Each is answered as by ``experiment=select
profile=fast``, and the procedure is then tried on 2,000 fresh samples.

Shuffles stop at the first that does as well as the labels, since p is above 0.05 from then on; they
are left out if the first question has evidence already, because both questions are asked for only
where neither has any. A row a table is added to the file as it comes, and numbers that are there
are not computed again.

    python benchmarks/planted_tables.py [--tables 200] [--start 0] [--most 2000] [--first-only]
        [--out planted_tables.csv]
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from experiments import seeds
from experiments.datasets.user_table import UserTable
from experiments.evaluation.methods import Method, Part
from experiments.evaluation.sources import Samples
from experiments.kinds.select import differ, judgement, procedure
from experiments.kinds.select.procedure import Candidate, Design, Settings
from experiments.kinds.select.svm import class_scores
from experiments.kinds.select.tables import Units, numbers_of
from experiments.report.text import aligned

FRESH = 2000
#: Accuracy on fresh samples of selectors that outer training rows gave, and of that of all rows.
FRESH_OF = ["fresh_of_parts", "fresh"]
KINDS = ("shifted", "associated", "both")
CANDIDATES: list[Candidate] = [
    (Method(name, name, (Part(name, call, fixed, {}),)), {name: fixed})
    for name, call, fixed in (
        ("manifest_dpp", "manifest_dpp", {}),
        ("anova", "anova", {}),
        ("relieff", "relieff", {"k": 15, "scale": False}),
    )
]
SIZES = (1, 2, 3, 5, 10, 20, 40, 80)
N_FOLDS, LOOPS, SHUFFLES = 5, 2, 19


def table(number: int, is_planted: bool, most: int):
    """The samples of a table and fresh ones, its kind, and the features that are planted."""
    rng = np.random.default_rng([number, is_planted])
    n = int(rng.choice([20, 40, 60, 100, 200]))
    d = int(rng.choice([size for size in (20, 60, 200, 600, 2000) if size <= most]))
    is_balanced = bool(rng.integers(2))
    kind = KINDS[number % 3] if is_planted else "no signal"
    small = n // 2 if is_balanced else max(4, n // 10)
    y = np.repeat([0, 1], [n - small, small])
    fresh = np.repeat([0, 1], [FRESH - FRESH * small // n, FRESH * small // n])
    whole = np.concatenate([y, fresh])
    X, planted = rng.normal(size=(len(whole), d)), np.zeros(d, dtype=bool)
    if kind in ("shifted", "both"):
        t = stats.t.isf(0.025 / d, n - 2) + stats.t.isf(0.05, n - 2)
        X[whole == 1, :5] += 1.1 * t * np.sqrt(1 / small + 1 / (n - small))
        planted[:5] = True
    if kind in ("associated", "both"):
        own = whole == 1
        common = rng.normal(size=(own.sum(), 1))
        X[own, 10:20] = np.sqrt(0.1) * X[own, 10:20] + np.sqrt(0.9) * common
        planted[10:20] = True
    if number % 2:
        X *= 10 ** rng.uniform(-3, 3, size=d)
    about = {"n": n, "d": d, "kind": kind, "classes": "1:1" if is_balanced else "9:1"}
    about["units"] = "several" if number % 2 else "one"
    return X, whole, np.arange(n), planted, about


def answer(number: int, is_planted: bool, most: int, first_only: bool) -> dict:
    """A row: what is said of a table, and what is true of it."""
    X, whole, rows, planted, about = table(number, is_planted, most)
    y, d, groups, none = whole[rows], X.shape[1], np.arange(len(rows)), np.empty((len(rows), 0))
    sizes = tuple(sorted({size for size in SIZES if size < min(d, 150)} | {min(d, 150)}))
    least = int(np.bincount(y).min())
    outer = min(N_FOLDS, least)
    inner = min(4, least - -(-least // outer))
    settings = Settings(sizes, (1.0, 16.0, 256.0), (1 / 16, 0.5), outer, inner, 150, None, 0.95)
    name = f"{number}, {is_planted}"
    names = {0: "a", 1: "b"}
    data = UserTable(name, X[rows], y, names, name, "drawn", synthetic=True)
    first, _ = differ.differences(data, groups, none, 50, 0)
    source: Any = SimpleNamespace(fingerprint=name, axes=(name,))
    source.samples = lambda: Samples(X[rows], y)
    design = Design(source, CANDIDATES, groups, None, none, None, "standard", 0, settings)
    found = first["differs"].to_numpy()
    is_shifted = np.zeros(d, dtype=bool)
    is_shifted[:5] = about["kind"] in ("shifted", "both")
    row = {"number": number, **about, "differs": bool(found.any()), "n_differ": int(found.sum())}
    row |= {"n_false": int((found & ~is_shifted).sum())}
    row |= {"false_stable": int((first["is_stable"].to_numpy() & ~planted).sum())}
    if first_only:
        return row
    own = [procedure.judged(design, None, s) for s in range(outer * LOOPS)]
    units = Units(pd.DataFrame(own), pd.DataFrame(), None, 2, outer)
    units.own["split"] = range(len(own))
    loops = [units.judged(loop, 0) for loop in units.loops()]
    samples = pd.DataFrame({"sample_class": y, "sample_group": groups})
    row |= numbers_of(units, loops, samples)
    row |= {"predicts": _predicts(design, units, outer) if not row["differs"] else np.nan}
    axes = (name, "own")
    row["fresh"] = _fresh(design, X, whole, rows, (*axes, "all"))
    folds = procedure.divided(y, groups, outer, seeds.integer(0, "select", *axes, 0))
    parts = [_fresh(design, X, whole, train, (*axes, s)) for s, (train, _) in enumerate(folds)]
    return {**row, "fresh_of_parts": np.mean(parts)}


def _predicts(design: Design, units: Units, outer: int) -> bool:
    """True if no shuffle does as well as the first loop of the own labels and their mean loop."""

    def statistic(rows: pd.DataFrame) -> float:
        return judgement.tested(units.judged(rows, 0), 2)[0]

    own, _, _ = judgement.lower_of([units.judged(loop, 0) for loop in units.loops()], 2)
    for number in range(SHUFFLES):
        rows = [procedure.judged(design, number, s) for s in range(outer)]
        if statistic(pd.DataFrame(rows)) >= own - 1e-10:
            return False
    return True


def _fresh(design: Design, X, whole, train, axes) -> float:
    """The balanced accuracy on fresh samples of what the procedure chooses on training rows."""
    settings, n = design.settings, len(design.groups)
    of_all = replace(design, groups=np.arange(len(X)), covariates=np.empty((len(X), 0)))
    ranked = procedure.ranked(of_all, X, whole, train, axes)
    lengths = [len(order) for order in ranked.orders]
    chosen = procedure.choice(design, X[:n], whole[:n], train, axes, lengths)
    ranking, size = chosen.best
    order = ranked.orders[ranking]
    order = order[: settings.sizes[size]] if ranking < len(CANDIDATES) else order
    chosen_X = ranked.X[:, order]
    squares = (chosen_X**2).sum(axis=1)
    squared = np.maximum(0, squares[:, None] + squares - 2 * chosen_X @ chosen_X.T)
    gammas = [gamma / chosen_X[train].var(axis=0).sum() for gamma in settings.gammas]
    test = np.arange(n, len(X))
    scores = class_scores(squared, whole, train, test, 2, settings.Cs, gammas)
    predicted = scores[chosen.cells[ranking, size]].argmax(axis=1)
    return float(judgement.recalls(whole[test], predicted, 2).mean())


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Counts of what is true of the answers, over the tables that are there."""
    rows = rows.reindex(columns=[*rows, *({*FRESH_OF, "ci_low", "ci_high", "predicts"} - {*rows})])
    null, planted = rows[rows["kind"] == "no signal"], rows[rows["kind"] != "no signal"]
    sure = planted[planted["kind"] != "associated"]
    neither = ~sure["differs"].astype(bool) & ~sure["predicts"].eq(True)
    judged = rows[rows["fresh"].notna()]
    inside = [judged[of].between(judged["ci_low"], judged["ci_high"]).sum() for of in FRESH_OF]
    asked = null[null["predicts"].notna()]
    false = (planted["n_false"] / planted["n_differ"].clip(lower=1)).to_numpy(dtype=np.float64)
    share, error = float(100 * false.mean()), float(100 * false.std()) / max(1, len(false)) ** 0.5
    by_chance = rows["false_stable"].mean()
    lines = [
        ("shifted, called without evidence", neither.sum(), len(sure)),
        ("no signal, features called different", null["differs"].sum(), len(null)),
        ("no signal, class called predictable", asked["predicts"].eq(True).sum(), len(asked)),
        ("false share of q <= 0.05, %", f"{share:.2f} ± {error:.2f}", len(planted)),
        ("stable by chance a table (bound 0.2)", f"{by_chance:.3f}", len(rows)),
        ("fresh accuracy in the interval: four fifths", inside[0], len(judged)),
        ("fresh accuracy in the interval: all samples", inside[1], len(judged)),
    ]  # fmt: skip
    return pd.DataFrame(lines, columns=["what", "found", "of tables"])


def main() -> None:
    """Answer tables that are not in the file yet, and print the summary."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=int, default=200, help="of each sort")
    parser.add_argument("--start", type=int, default=0, help="the first one, for a second process")
    parser.add_argument("--most", type=int, default=2000, help="features at most")
    parser.add_argument("--first-only", action="store_true", help="answer the first question")
    parser.add_argument("--out", type=Path, default=Path("planted_tables.csv"))
    given = parser.parse_args()
    known = pd.read_csv(given.out) if given.out.is_file() else pd.DataFrame()
    done = {(row["number"], row["kind"] != "no signal") for row in known.to_dict("records")}
    with threadpool_limits(1):
        for number in range(given.start, given.start + given.tables):
            for is_planted in (True, False):
                if (number, is_planted) not in done:
                    row = pd.DataFrame([answer(number, is_planted, given.most, given.first_only)])
                    row.to_csv(given.out, mode="a", header=not given.out.is_file(), index=False)
    print(aligned(summary(pd.read_csv(given.out))), end="")


if __name__ == "__main__":
    main()
