"""Evaluate rankings by the accuracy of an SVM on nested feature subsets, split by split.

See :mod:`experiments.evaluation.tuning` for the ways of tuning. All of them use the same tasks.
Other kinds that evaluate splits are built on this one.
"""

import itertools
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments.config import (
    ConfigError,
    ProtocolConfig,
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
from experiments.evaluation.rows import KFold, RowPlan, Rows
from experiments.evaluation.samples import Loaded, Source
from experiments.evaluation.summary import pairs, reference_of
from experiments.evaluation.svm.evaluators import SvmGrid
from experiments.evaluation.tasks import Problem
from experiments.evaluation.tuning import TUNINGS, Tuning
from experiments.kinds import base, classifiers
from experiments.kinds.classifiers import n_splits

log = logging.getLogger(__name__)


@dataclass
class AccuracyProtocol(ProtocolConfig):
    """Splits of a data set, the SVM's grid, and how the tasks are read."""

    kind: str = "accuracy"
    test_size: float = 0.1
    inner_folds: int = 10
    #: Number of times that the inner folds are drawn. Validation under "paper" and "icml" is the
    #: mean over all of them. "nested" and `classifiers` take the folds of the first repeat, because
    #: each fold costs new rankings, or new fits.
    inner_repeats: int = 1
    sizes: list[int] = field(default_factory=list)
    log2_C: list[float] = field(default_factory=list)
    log2_gamma: list[float] = field(default_factory=list)
    #: Ways of tuning; "nested" ranks inner_folds times more often, "icml", "once" and "oracle" read
    #: the tasks of "paper".
    tuning: list[str] = field(default_factory=lambda: ["paper", "nested"])
    #: Shares of the training rows that rankings are made from; the SVM always sees all of them.
    ranking_shares: list[float] = field(default_factory=lambda: [1.0])
    #: Method or tuning -> number of splits, the first ones, if it is too slow for all of them.
    fewer_splits: dict[str, int] = field(default_factory=dict)
    #: Classifiers that select features themselves, evaluated on the same splits, by name.
    classifiers: dict[str, Any] = field(default_factory=dict)


def check(config: DictConfig) -> None:
    """Raise a ConfigError unless splits, folds, grids and ways of tuning make sense."""
    share(config, "protocol.test_size")
    check_rankings(config)


def check_rankings(config: DictConfig) -> None:
    """Raise a ConfigError unless everything but the splits makes sense."""
    protocol = config.protocol
    grids = ("sizes", "log2_C", "log2_gamma", "ranking_shares")
    base.check_numbers(config, *grids, inner_folds=2, inner_repeats=1)
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
    """Raise a ConfigError if an option is set that a kind made of this one does not have."""
    protocol = config.protocol
    for key, value in expected.items():
        if protocol[key] != value:
            raise ConfigError(
                f"protocol.{key} must stay {value} under the protocol {protocol.kind}, got "
                f"{protocol[key]}; the protocol accuracy has others"
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


def split_tables(stored: base.Tables, config: DictConfig, overlap: float) -> base.Tables:
    """The complete summary, differences to the reference, and curves over numbers of features.

    The summary has failures and quoted numbers; rows by method. A method, share and tuning without
    any row has a row that only counts its failures.
    """
    rows, protocol = stored["rows"], plain(config.protocol)
    of_rows = accuracies.summary(rows, overlap)
    axes = ("method", "tuning", "ranking_share")
    known = {tuple(row[name] for name in axes): row for row in of_rows.to_dict("records")}
    table = []
    for (name, label), part, tuning in itertools.product(
        base.labels(config).items(), protocol["ranking_shares"], protocol["tuning"]
    ):
        empty = {"method": name, "label": label, "tuning": tuning, "ranking_share": part}
        table.append(known.pop((name, tuning, part), {**empty, "n_splits": 0}))
    table += [row for (name, *_), row in known.items() if name not in protocol["classifiers"]]
    table += classifiers.summary_rows(config, known)
    for row in table:
        if "n_splits" in row:
            row["n_failed"] = n_splits(config, row["method"], row["tuning"]) - row["n_splits"]
    complete = base.with_whole_counts(pd.DataFrame(table))
    reference = reference_of([*base.labels(config)])
    best = accuracies.best_size(rows)
    return {
        "summary": complete,
        "curves": accuracies.curves(rows),
        "pairs": pairs(best, accuracies.BY, reference, "test", overlap=overlap),
    }


def setup_of(run: base.Run) -> Setup:
    """The samples, splits and evaluator of a config."""
    data, protocol = load_dataset(run.config), run.config.protocol
    _, counts = np.unique(data.y, return_counts=True)
    least = int(counts.min() * (1 - protocol.test_size))
    if least < protocol.inner_folds:
        raise ConfigError(
            f"protocol.inner_folds={protocol.inner_folds} needs as many training samples of "
            f"each class, the smallest class of {run.config.dataset.name} leaves {least}"
        )
    division = KFold(protocol.test_size, protocol.inner_folds, protocol.inner_repeats)
    return Setup.of(run, data, division)


def run(run: base.Run) -> base.Results:
    """Rank and evaluate all methods on all splits; evaluate the classifiers beside them."""
    setup = setup_of(run)
    return base.Results({"rows": pd.DataFrame(rows(setup))}, described(setup.data))


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """The tables of splits, whose training parts overlap."""
    return split_tables(stored, config, accuracies.first_overlap(stored["rows"]))


KIND = base.Kind(AccuracyProtocol, check, run, tables, "accuracy", accuracies.BY, is_share=True)
