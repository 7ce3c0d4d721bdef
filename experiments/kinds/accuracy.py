"""Evaluate rankings by the accuracy of an SVM on nested feature subsets, split by split.

See :mod:`experiments.evaluation.tuning` for the ways of tuning. All of them use the same tasks.
The kind arena is built on this one.

With `n_per_class`, as the paper's version of 2023 evaluates several classes, a draw takes so many
samples of each class to rank and to train an SVM, one class against one, and tests on all others.
"""

import itertools
import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments.config import (
    ConfigError,
    at_least,
    check_methods,
    plain,
    share,
)
from experiments.datasets import Dataset
from experiments.evaluation import accuracies, plan
from experiments.evaluation.accuracies import ALL_FEATURES
from experiments.evaluation.data import described, load_dataset
from experiments.evaluation.methods import Method, try_methods
from experiments.evaluation.plan import Entry
from experiments.evaluation.rows import KFold, PerClass, RowPlan, Rows
from experiments.evaluation.samples import Loaded, Source
from experiments.evaluation.summary import pairs, reference_of, table
from experiments.evaluation.svm.evaluators import SvmBestCell, SvmGrid
from experiments.evaluation.tasks import Problem
from experiments.evaluation.tuning import TUNINGS, Tuning
from experiments.kinds import base, classifiers
from experiments.kinds.classifiers import n_splits
from experiments.schemas import AccuracyProtocol

log = logging.getLogger(__name__)


def check(config: DictConfig) -> None:
    """Raise a ConfigError unless splits, folds, grids and ways of tuning make sense."""
    protocol = config.protocol
    if protocol.n_per_class is None:
        share(config, "protocol.test_size")
    else:
        must_stay(config, test_size=None, tuning=["paper"], classifiers={}, inner_repeats=1)
    grids = ("sizes", "log2_C", "log2_gamma", "ranking_shares")
    least = {"n_per_class": protocol.inner_folds, "inner_folds": 2, "inner_repeats": 1}
    base.check_numbers(config, *grids, **least)
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


@dataclass
class Setup:
    """The samples, splits and evaluator of a run on one data set.

    `rows` divides them for rankings from all training rows.
    """

    run: base.Run
    data: Dataset
    source: Source
    rows: RowPlan
    evaluator: SvmGrid

    @classmethod
    def of(
        cls, run: base.Run, data: Dataset, rows: RowPlan, evaluator: type[SvmGrid] = SvmGrid
    ) -> "Setup":
        """The setup of a config; sizes above the number of features are left out.

        Raises
        ------
        ConfigError
            If no size is left.
        """
        protocol, d = run.config.protocol, data.X.shape[1]
        sizes = [size for size in protocol.sizes if size <= d]
        if not sizes:
            raise ConfigError(
                f"protocol.sizes={list(protocol.sizes)} has no number up to the {d} features of "
                f"{data.name}; add one"
            )
        if left_out := list(protocol.sizes[len(sizes) :]):
            words = ", ".join(map(str, left_out))
            log.info("%s has %d features; sizes %s are left out", data.name, d, words)
        grid = (tuple(sizes), tuple(protocol.log2_C), tuple(protocol.log2_gamma))
        grids = evaluator(*grid, refits_all="nested" in protocol.tuning)
        return cls(run, data, Loaded.of(data, run.cache), rows, grids)

    @property
    def n_features(self) -> int:
        """Number of all features."""
        return self.data.X.shape[1]

    def problem(self, split: int, part: float = 1.0) -> Problem:
        """The problem of a split, whose features are ranked from a share of its training rows."""
        config = self.run.config
        return Problem(
            self.source,
            replace(self.rows, share=part),  # type: ignore[arg-type]
            self.evaluator,
            config.seed,
            config.dataset.scaling,
            number=split,
            n_kept=max(self.evaluator.sizes),
        )

    def division(self, split: int, share: float = 1.0) -> Rows:
        """The rows of a split."""
        return self.problem(split, share).division(np.unique(self.data.y, return_inverse=True)[1])

    @cached_property
    def counts(self) -> dict[int, dict[str, int]]:
        """Split -> its numbers of test and training rows."""
        divisions = map(self.division, range(self.run.config.protocol.n_repetitions))
        counts = [{"n_test": len(rows.test), "n_train": len(rows.train)} for rows in divisions]
        return dict(enumerate(counts))

    @cached_property
    def ranking_samples(self) -> dict[float, int]:
        """Share of the training rows -> number of the rows that features are ranked from."""
        shares = [*self.run.config.protocol.ranking_shares, 1.0]
        return {share: len(self.division(0, share).rank) for share in shares}

    def head(self, method: Method, share: float, tuning: Tuning) -> dict[str, Any]:
        """The columns that all rows of a method have, under one share of the ranking rows."""
        return {
            "method": method.name,
            "label": method.label,
            "combination": len(method.parts) > 1,
            "tuning": tuning.name,
            "ranking_share": share,
            "ranking_samples": self.ranking_samples[share],
        }


def rows(setup: Setup) -> list[dict]:
    """Return the rows of all methods, of all features and of classifiers."""
    run, protocol = setup.run, setup.run.config.protocol
    n_classes = len(np.unique(setup.data.y))
    if n_classes > 2:  # With two classes they have been tried.
        try_methods(run.methods, n_classes)
    tunings = [TUNINGS[name] for name in protocol.tuning]
    wanted = {
        (method.name, share, tuning.name): _entries(setup, method, share, tuning)
        for method in run.methods
        for share in protocol.ranking_shares
        for tuning in tunings
    }
    plan.complete(run, [entry for entries in wanted.values() for entry in entries])
    table = [row for (_, share, _), of in wanted.items() for row in _rows_of(setup, share, of)]
    if setup.n_features in setup.evaluator.sizes:
        table += [row for tuning in tunings for row in _all_features(setup, tuning, table)]
    return [*table, *classifiers.rows(setup)]


def _entries(setup, method, share, tuning):
    """An entry for each split of a method, or one for all splits if they are tuned together."""
    splits = range(n_splits(setup.run.config, method.name, tuning.name))
    groups = tuning.groups([setup.problem(split, share) for split in splits])
    return [Entry(method, group, tuning) for group in groups]


def _rows_of(setup, share, entries):
    """The rows of a method on all splits, under one tuning and share."""
    choices = {k: v for entry in entries for k, v in plan.choices(setup.run, entry).items()}
    head = setup.head(entries[0].method, share, entries[0].tuning)
    return accuracies.choice_rows(head, setup.counts, choices, setup.evaluator, setup.n_features)


def _all_features(setup, tuning, table) -> Iterator[dict[str, Any]]:
    """The rows of all features, which are those of any ranking at this number of features."""
    head = setup.head(Method(ALL_FEATURES, setup.evaluator.on_all, ()), 1.0, tuning)
    of_splits = {
        row["split"]: row
        for row in table
        if (row["tuning"], row["n_features"]) == (tuning.name, setup.n_features)
    }
    for split in range(n_splits(setup.run.config, ALL_FEATURES, tuning.name)):
        if row := of_splits.get(split):
            numbers = {name: row[name] for name in ("validation", "test", "log2_C", "log2_gamma")}
            chosen = {"parameters": "", "n_features": setup.n_features, "chosen": True}
            yield {**head, "split": split, **setup.counts[split], **numbers, **chosen}


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
    for (name, label), part, tuning in itertools.product(
        base.labels(config).items(), protocol["ranking_shares"], protocol["tuning"]
    ):
        empty = {"method": name, "label": label, "tuning": tuning, "ranking_share": part}
        listed.append(known.pop((name, tuning, part), {**empty, "n_splits": 0}))
    listed += [row for (name, *_), row in known.items() if name not in protocol["classifiers"]]
    listed += classifiers.summary_rows(config, known)
    for row in listed:
        if "n_splits" in row:
            row["n_failed"] = n_splits(config, row["method"], row["tuning"]) - row["n_splits"]
    reference, best = reference_of([*base.labels(config)]), accuracies.best_size(rows)
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


def setup_of(run: base.Run) -> Setup:
    """The samples, splits and evaluator of a config."""
    data, protocol = load_dataset(run.config), run.config.protocol
    labels, counts = np.unique(data.y, return_counts=True)
    n, folds, smallest = protocol.n_per_class, protocol.inner_folds, int(counts.min())
    if n is not None:
        if smallest <= n:
            raise ConfigError(
                f"protocol.n_per_class={n} must leave samples of each class to test on, class "
                f"{labels[counts.argmin()]} of {run.config.dataset.name} has {smallest}"
            )
        return Setup.of(run, data, PerClass(n, folds), SvmBestCell)
    least = int(smallest * (1 - protocol.test_size))
    if least < folds:
        raise ConfigError(
            f"protocol.inner_folds={folds} needs as many training samples of each class, the "
            f"smallest class of {run.config.dataset.name} leaves {least}"
        )
    return Setup.of(run, data, KFold(protocol.test_size, folds, protocol.inner_repeats))


def run(run: base.Run) -> base.Results:
    """Rank and evaluate all methods on all splits; evaluate the classifiers beside them."""
    setup = setup_of(run)
    return base.Results({"rows": pd.DataFrame(rows(setup))}, described(setup.data))


KIND = base.Kind(AccuracyProtocol, check, run, tables, "accuracy", accuracies.BY)
