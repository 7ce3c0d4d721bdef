"""Selections of L2X, INVASE, REAL-x and LSPIN in synthetic data of their papers, beside claims.

    python scripts/embedded.py [--draws N] [--workers N] [--only NAME ...]

Each draw is a new training sample, a new start of the networks and a new test sample of 2000. Rates
are means over the samples of the test, in percent: of relevant features the open ones, and of open
features those that are not relevant. Writes results/embedded.csv and embedded.md: means over the
draws with 95 % intervals, and the outcome by the rule of the other claims, with a margin of two
points. Ten draws take an hour of one core; it needs the extra `neural`.
"""

import argparse
import importlib.util
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

import baselines.embedded
from experiments.datasets.instance_wise import moving_product, product, rates, two_groups
from experiments.files import write_csv, write_text
from experiments.report.claims.noise import MeanNoise
from experiments.report.claims.outcome import Published, number
from experiments.report.text import markdown

RESULTS = Path(__file__).resolve().parents[1] / "results"
TEST = 2000
#: Far from the numbers of the training samples.
TEST_SEED = 1_000_000
NARROW = {"selector_layers": (50, 50), "hidden_layers": (100, 100), "batch_size": 500}


class Study(NamedTuple):
    """A system, its data, and the numbers of its paper: measure -> percent."""

    system: str
    params: dict[str, Any]
    sample: partial
    n: int
    published: dict[str, float]
    source: str


ALL_RIGHT = {"true positive rate": 100.0, "false discovery rate": 0.0}
STUDIES = {
    "L2X": Study(
        "L2X",
        {"n_selected": 2, "max_epochs": 10, "batch_size": 500},
        partial(product, d=10),
        10_000,
        ALL_RIGHT,
        "Chen et al. 2018: the median rank of the two features is the best there is, 1.5",
    ),
    "INVASE": Study(
        "INVASE",
        {"learning_rate": 1e-3, "max_epochs": 60, **NARROW},
        partial(product, d=11),
        10_000,
        ALL_RIGHT,
        "Yoon et al. 2019, Syn1",
    ),
    "RealX": Study(
        "RealX", {"lam": 0.05, "max_epochs": 60, **NARROW}, partial(product, d=11), 10_000, {}, ""
    ),
    "LSPIN": Study(
        "LSPIN",
        {
            "gating_layers": (100, 100),
            "hidden_layers": (200, 200),
            "lam": 1.3356,
            "learning_rate": 0.03415,
            "max_epochs": 1000,
            "weight_std": 0.1,
        },
        partial(two_groups),
        855,
        {"accuracy": 98.0},
        "the authors' program, one draw with 50 test samples; 94 to 98 over its 20 trials",
    ),
    "LSPIN, moving product": Study(
        "LSPIN",
        {
            "gating_layers": (100,),
            "hidden_layers": (100, 30),
            "lam": 1.0,
            "activation": "selu",
            "learning_rate": 0.06,
            "max_epochs": 3000,
            "standardize": False,
            "weight_std": 0.1,
        },
        partial(moving_product),
        1500,
        ALL_RIGHT,
        "Yang et al. 2022, E5, by a regression with a squared loss: all gates right",
    ),
}


def drawn(study: Study, draw: int) -> dict[str, float]:
    """One draw of a study: its measures in percent, and the number of open gates."""
    train, test = study.sample(draw, study.n), study.sample(TEST_SEED + draw, TEST)
    model = getattr(baselines.embedded, study.system)(random_state=draw, **study.params)
    model.fit(train.X, train.y)
    gates = model.gates(test.X)
    tpr, fdr = rates(gates, test.support)
    return {
        "true positive rate": 100 * tpr,
        "false discovery rate": 100 * fdr,
        "accuracy": 100 * model.score(test.X, test.y),
        "open gates": float((gates > 0).sum(axis=1).mean()),
    }


def rows(name: str, draws: pd.DataFrame) -> Iterator[dict]:
    """A row for each measure of a study."""
    study = STUDIES[name]
    for measure, values in draws.items():
        top = np.inf if measure == "open gates" else 100.0
        noise = MeanNoise.of_draws(values, 0.0, top)
        value, theirs = float(values.mean()), study.published.get(str(measure))
        row = {"study": name, "data": study.sample.func.__name__, "measure": measure}
        # Equal numbers of gates in all draws leave nothing to draw an interval from.
        known = top < np.inf or values.std() > 0
        ends = noise.interval(value, len(values), 0.95) if known else (np.nan, np.nan)
        row |= {"published": theirs, "ours": value, "low": ends[0], "high": ends[1]}
        row |= {"draws": len(values), "outcome": np.nan, "source": ""}
        if theirs is not None:
            row["outcome"] = number(value, Published(theirs), "accuracy", noise, "").outcome
            row["source"] = study.source
        yield row


def main(given=None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=10, help="at least 2")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", nargs="+", choices=STUDIES, default=list(STUDIES))
    parser.add_argument("--to", type=Path, default=RESULTS, help="folder of the two tables")
    arguments = parser.parse_args(given)
    if arguments.draws < 2:
        parser.error("--draws must be at least 2, because one draw gives no interval")
    if importlib.util.find_spec("jax") is None:
        parser.error("the systems need jax, which is not installed: pip install '.[neural]'")
    names = np.repeat(arguments.only, arguments.draws)
    draws = Parallel(n_jobs=arguments.workers)(
        delayed(drawn)(STUDIES[name], i % arguments.draws) for i, name in enumerate(names)
    )
    measured = pd.DataFrame(draws).groupby(names, sort=False)
    table = pd.DataFrame([row for name, part in measured for row in rows(str(name), part)])
    write_csv(arguments.to / "embedded.csv", table)
    text = markdown(table.round(2).astype(object).where(table.notna(), ""))
    write_text(arguments.to / "embedded.md", f"{text}\n")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
