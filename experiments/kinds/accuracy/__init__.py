"""Evaluate rankings by the accuracy of an SVM on nested feature subsets, split by split.

See :mod:`experiments.evaluation.tuning` for the ways of tuning. All of them use the same tasks.
The kind arena is built on this one.

With `n_per_class`, as the paper's version of 2023 evaluates several classes, a draw takes so many
samples of each class to rank and to train an SVM, one class against one, and tests on all others.
"""

import itertools
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments.cache import Run
from experiments.config import (
    ConfigError,
    at_least,
    check_methods,
    check_numbers,
    method_labels,
    plain,
    share,
)
from experiments.evaluation import accuracies, plan
from experiments.evaluation.data import described
from experiments.evaluation.methods import Method, try_methods
from experiments.evaluation.plan import Entry
from experiments.evaluation.summary import pairs, reference_of, table
from experiments.evaluation.tuning import TUNINGS, Tuning
from experiments.kinds import base
from experiments.kinds.accuracy import classifiers
from experiments.kinds.accuracy.setup import Setup, n_splits, setup_of
from experiments.schemas import AccuracyProtocol


def check(config: DictConfig) -> None:
    """Raise a ConfigError unless splits, folds, grids and ways of tuning make sense."""
    protocol = config.protocol
    if protocol.n_per_class is None:
        share(config, "protocol.test_size")
    else:
        must_stay(config, test_size=None, tuning=["paper"], classifiers={}, inner_repeats=1)
    grids = ("sizes", "log2_C", "log2_gamma", "ranking_shares")
    least = {"n_per_class": protocol.inner_folds, "inner_folds": 2, "inner_repeats": 1}
    check_numbers(config, *grids, **least)
    at_least(config, "protocol.sizes[0]", 1)
    shares, tunings = list(protocol.ranking_shares), list(protocol.tuning)
    if not (shares[0] > 0 and shares[-1] <= 1):
        raise ConfigError(f"protocol.ranking_shares must lie in (0, 1], got {shares}")
    if not tunings or not set(tunings) <= set(TUNINGS):
        raise ConfigError(
            f"protocol.tuning must name at least one of {', '.join(TUNINGS)}, got {tunings}"
        )
    # An experiment may name a method that the user has not chosen.
    others = (*TUNINGS, *protocol.classifiers)
    check_methods(config, protocol.fewer_splits, "protocol.fewer_splits", *others)
    for name in protocol.fewer_splits:
        at_least(config, f"protocol.fewer_splits.{name}", 1)


def must_stay(config: DictConfig, **expected: Any) -> None:
    """Raise a ConfigError if an option has a value that the splits of a config do not allow."""
    protocol = config.protocol
    for key, value in expected.items():
        if protocol[key] != value:
            raise ConfigError(
                f"protocol.{key} must stay {value} here, got {protocol[key]}; "
                "the protocol accuracy without n_per_class has others"
            )


def rows(setup: Setup) -> list[dict]:
    """Return the rows of all methods and classifiers."""
    n_classes = len(np.unique(setup.data.y))
    if n_classes > 2:  # With two classes they have been tried.
        try_methods(setup.methods, n_classes)
    wanted = [
        (share, _entries(setup, method, share, tuning))
        for method in setup.methods
        for share in shares_of(setup.run.config, method.name)
        for tuning in setup.tunings
    ]
    plan.complete(setup.run, [entry for _, entries in wanted for entry in entries])
    table = [row for share, entries in wanted for row in _rows_of(setup, share, entries)]
    return [*table, *classifiers.rows(setup)]


def shares_of(config: DictConfig, method: str) -> list[float]:
    """The shares of the training rows that rank; all features need no ranking."""
    takes_all = config.method.scorers[method].get("takes_all", False)
    return [1.0] if takes_all else list(config.protocol.ranking_shares)


def _entries(setup: Setup, method: Method, share: float, tuning: Tuning) -> list[Entry]:
    """An entry for each split of a method, or one for all splits if they are tuned together."""
    splits = range(n_splits(setup.run.config, method.name, tuning.name))
    evaluator = setup.evaluator_of(method)
    groups = tuning.groups([setup.problem(split, share, evaluator) for split in splits])
    return [Entry(method, group, tuning) for group in groups]


def _rows_of(setup: Setup, share: float, entries: list[Entry]) -> list[dict[str, Any]]:
    """The rows of a method on all splits, under one tuning and share."""
    choices = {k: v for entry in entries for k, v in plan.choices(setup.run, entry).items()}
    method, _, tuning = entries[0]
    head, evaluator = setup.head(method, share, tuning), setup.evaluator_of(method)
    return accuracies.choice_rows(head, setup.counts, choices, evaluator, setup.n_features)


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """The complete summary, differences to the reference, and curves over numbers of features.

    The summary has failures and quoted numbers; rows by method. A method, share and tuning without
    any row has a row that only counts its failures. With n_per_class, "accuracies" has intervals at
    each number of features.
    """
    rows, protocol = stored["rows"], plain(config.protocol)
    overlap = overlap_of(rows, config)
    of_rows = accuracies.summary(rows, overlap)
    axes = ("method", "tuning", "ranking_share")
    known = {tuple(row[name] for name in axes): row for row in of_rows.to_dict("records")}
    listed = []
    for name, label in method_labels(config).items():
        for part, tuning in itertools.product(shares_of(config, name), protocol["tuning"]):
            empty = {"method": name, "label": label, "tuning": tuning, "ranking_share": part}
            listed.append(known.pop((name, tuning, part), {**empty, "n_splits": 0}))
    listed += [row for (name, *_), row in known.items() if name not in protocol["classifiers"]]
    listed += classifiers.summary_rows(config, known)
    for row in listed:
        if "n_splits" in row:
            row["n_failed"] = n_splits(config, row["method"], row["tuning"]) - row["n_splits"]
    reference, best = reference_of([*method_labels(config)]), accuracies.best_size(rows)
    return {
        "summary": base.with_whole_counts(pd.DataFrame(listed)),
        "curves": accuracies.curves(rows),
        "pairs": pairs(best, accuracies.BY, reference, "test", overlap=overlap),
        **({"accuracies": at_each_size(rows, reference)} if protocol["n_per_class"] else {}),
    }


def overlap_of(rows: pd.DataFrame, config: DictConfig) -> float:
    """n_test / n_train, which widens intervals because the training parts of splits overlap.

    It is 0 with n_per_class: few of many samples train, so that splits are independent draws.
    """
    return 0.0 if config.protocol.n_per_class else accuracies.first_overlap(rows)


def at_each_size(rows: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Return a row for each method, ranking share and number of features.

    "difference" is the reference minus the method, paired by draw.
    """
    by = ["ranking_share", "n_features"]
    draws = accuracies.of_splits(rows).sort_values(by, kind="stable")
    means = table(draws, by, "test", title="accuracy", heads=["label"])
    means = means.drop(columns=["n_ambiguous", "n_uninformative"], errors="ignore")
    ends = {"ci_low": "difference_low", "ci_high": "difference_high", "other": "method"}
    differences = pairs(draws, by, reference, "test").drop(columns=["method", "n_splits"])
    return base.with_whole_counts(means.merge(differences.rename(columns=ends), how="left"))


def run(run: Run) -> base.Results:
    """Rank and evaluate all methods on all splits; evaluate the classifiers beside them."""
    setup = setup_of(run)
    return base.Results({"rows": pd.DataFrame(rows(setup))}, described(setup.data))


KIND = base.Kind(AccuracyProtocol, check, run, tables, "accuracy", accuracies.BY)
