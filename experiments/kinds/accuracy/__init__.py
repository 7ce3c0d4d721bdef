"""Evaluate rankings by the accuracy of an SVM on nested feature subsets, split by split.

See :mod:`experiments.evaluation.tuning` for the ways of tuning. All of them use the same tasks.
The kind arena is built on this one.

With `n_per_class`, as the paper's version of 2023 evaluates several classes, a draw takes so many
samples of each class to rank and to train an SVM, one class against one, and tests on all others.
"""

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
    check_rankings,
    method_labels,
    share,
    without_selection,
)
from experiments.evaluation import accuracies, plan
from experiments.evaluation.data import described
from experiments.evaluation.methods import Method, try_methods
from experiments.evaluation.plan import Entry
from experiments.evaluation.statistics import split_stability
from experiments.evaluation.summary import pairs, reference_of, row_flags, table
from experiments.evaluation.tuning import TUNINGS, Tuning
from experiments.kinds import base
from experiments.kinds.accuracy import classifiers
from experiments.kinds.accuracy.setup import Setup, n_splits, setup_of
from experiments.schemas import AccuracyProtocol


def check(config: DictConfig) -> None:
    """Raise a ConfigError unless splits, folds, grids and ways of tuning make sense."""
    protocol = config.protocol
    check_rankings(config, beside=True)
    if protocol.n_per_class is None:
        share(config, "protocol.test_size")
    else:
        must_stay(config, test_size=None, tuning=["paper"], classifiers={}, inner_repeats=1)
    grids = ("sizes", "log2_C", "log2_gamma", "ranking_shares")
    least = {"n_per_class": protocol.inner_folds, "inner_folds": 2, "inner_repeats": 1}
    check_numbers(config, *grids, **least)
    at_least(config, "protocol.sizes[0]", 1)
    shares = list(protocol.ranking_shares)
    if not (shares[0] > 0 and shares[-1] <= 1):
        raise ConfigError(f"protocol.ranking_shares must lie in (0, 1], got {shares}")
    tunings = list(protocol.tuning)
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
    evaluated: list[tuple[float, list[Entry]]] = []
    every_entry: list[Entry] = []
    for method in setup.methods:
        for ranking_share in shares_of(setup.run.config, method.name):
            for tuning in setup.tunings:
                entries = _entries(setup, method, ranking_share, tuning)
                evaluated.append((ranking_share, entries))
                every_entry += entries
    plan.complete(setup.run, every_entry)
    rows = []
    for ranking_share, entries in evaluated:
        rows += _rows_of(setup, ranking_share, entries)
    if setup.run.config.protocol.classifiers:
        rows += classifiers.rows(setup)
    return rows


def shares_of(config: DictConfig, method: str) -> list[float]:
    """The shares of the training rows that rank; all features and classifiers need no ranking."""
    if method in {*without_selection(config), *config.protocol.classifiers}:
        return [1.0]
    return list(config.protocol.ranking_shares)


def _entries(setup: Setup, method: Method, share: float, tuning: Tuning) -> list[Entry]:
    """An entry for each split of a method, or one for all splits if they are tuned together."""
    evaluator = setup.evaluator_of(method)
    splits = range(n_splits(setup.run.config, method.name, tuning.name))
    problems = [setup.problem(split, share, evaluator) for split in splits]
    return [Entry(method, group, tuning) for group in tuning.groups(problems)]


def _rows_of(setup: Setup, share: float, entries: list[Entry]) -> list[dict[str, Any]]:
    """Return a row for each split and number of features, under one tuning and share."""
    choices: dict[int, plan.SplitChoice] = {}
    for entry in entries:
        choices |= plan.choices(setup.run, entry)
    method, _, tuning = entries[0]
    evaluator = setup.evaluator_of(method)

    def stability(sizes: list[int]) -> np.ndarray:
        """Each split's part in the stability of its selections at these numbers of features."""
        selected = np.zeros((len(choices), setup.n_features), dtype=bool)
        for row, split_choice, i in zip(selected, choices.values(), sizes, strict=True):
            row[split_choice.selected(i, evaluator)] = True
        return split_stability(selected)

    n_sizes = len(evaluator.sizes)
    of_sizes = []
    for i in range(n_sizes):
        of_sizes.append(stability([i] * len(choices)))
    of_chosen = stability([taken.choice.subset for taken in choices.values()])
    head = setup.head(method, share, tuning)
    rows = []
    for number, (split, split_choice) in enumerate(choices.items()):
        choice = split_choice.choice
        for i in range(n_sizes):
            row = {**head, "split": split, **setup.counts[split], **split_choice.at(i, evaluator)}
            row["chosen"] = i == choice.size
            row |= row_flags(split_choice.ranked[i].row)
            row["stability"] = of_sizes[i][number]
            # That of the chosen numbers of features leaves out splits that take all.
            is_subset = row["chosen"] and i == choice.subset
            row["chosen_stability"] = of_chosen[number] if is_subset else np.nan
            rows.append(row)
    return rows


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """The complete summary, differences to the reference, and curves over numbers of features.

    The summary has failures; rows by method. A method, share and tuning without any row has a row
    that only counts its failures. With n_per_class, "accuracies" has intervals at each number of
    features.
    """
    rows = stored["rows"]
    overlap = overlap_of(rows, config)
    reference = reference_of([*method_labels(config)])
    best = accuracies.best_size(rows)
    tables = {
        "summary": _summary(accuracies.summary(rows, overlap), config),
        "curves": accuracies.curves(rows),
        "pairs": pairs(best, accuracies.BY, reference, "test", overlap=overlap),
    }
    if config.protocol.n_per_class:
        tables["accuracies"] = at_each_size(rows, reference)
    return tables


def _summary(summarised: pd.DataFrame, config: DictConfig) -> pd.DataFrame:
    """Return the summary of methods and classifiers with failures, in the config's order."""
    computed: dict[tuple, dict] = {}
    for row in summarised.to_dict("records"):
        computed[row["method"], row["tuning"], row["ranking_share"]] = row
    labels = method_labels(config)
    labels |= {name: each.label for name, each in classifiers.entries(config).items()}
    listed = []
    for name, label in labels.items():
        for ranking_share in shares_of(config, name):
            for tuning in config.protocol.tuning:
                failed = {"method": name, "label": label, "tuning": tuning}
                failed |= {"ranking_share": ranking_share, "n_splits": 0}
                row = computed.get((name, tuning, ranking_share), failed)
                row["n_failed"] = n_splits(config, name, tuning) - row["n_splits"]
                listed.append(row)
    return base.with_whole_counts(pd.DataFrame(listed))


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
    differences = pairs(draws, by, reference, "test").drop(columns=["method", "n_splits"])
    columns = {"ci_low": "difference_low", "ci_high": "difference_high", "other": "method"}
    differences = differences.rename(columns=columns)
    return base.with_whole_counts(means.merge(differences, how="left"))


def run(run: Run) -> base.Results:
    """Rank and evaluate all methods on all splits; evaluate the classifiers beside them."""
    setup = setup_of(run)
    return base.Results({"rows": pd.DataFrame(rows(setup))}, described(setup.data))


KIND = base.Kind(AccuracyProtocol, check, run, tables, "accuracy", accuracies.BY)
