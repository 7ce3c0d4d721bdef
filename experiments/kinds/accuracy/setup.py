"""What a run on one data set evaluates: methods, samples, splits and evaluator."""

import logging
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from omegaconf import DictConfig

from experiments.cache import Run
from experiments.config import ConfigError
from experiments.datasets import Dataset
from experiments.evaluation.data import load_dataset
from experiments.evaluation.division import Divider, Division, KFold, PerClass
from experiments.evaluation.methods import Method, resolve
from experiments.evaluation.samples import Loaded, Source
from experiments.evaluation.svm.evaluators import SvmBestCell, SvmGrid
from experiments.evaluation.tasks import Problem
from experiments.evaluation.tuning import TUNINGS, Tuning

log = logging.getLogger(__name__)


@dataclass
class Setup:
    """The samples, splits and evaluator of a run on one data set.

    `divider` divides them for rankings from all training rows.
    """

    run: Run
    methods: list[Method]
    data: Dataset
    source: Source
    divider: Divider
    evaluator: SvmGrid
    tunings: list[Tuning]

    @classmethod
    def of(
        cls,
        run: Run,
        methods: list[Method],
        data: Dataset,
        divider: Divider,
        evaluator: type[SvmGrid] = SvmGrid,
    ) -> "Setup":
        """The setup of a config; sizes above the number of features are left out.

        If no size is left, a ConfigError is raised.
        """
        protocol = run.config.protocol
        n_features = data.X.shape[1]
        sizes = [size for size in protocol.sizes if size <= n_features]
        if not sizes:
            raise ConfigError(
                f"protocol.sizes={list(protocol.sizes)} has no number up to the {n_features} "
                f"features of {data.name}; add one"
            )
        left_out = list(protocol.sizes[len(sizes) :])
        if left_out:
            words = ", ".join(map(str, left_out))
            log.info("%s has %d features; sizes %s are left out", data.name, n_features, words)
        tunings = [TUNINGS[name] for name in protocol.tuning]
        grid = evaluator(
            tuple(sizes),
            tuple(protocol.log2_C),
            tuple(protocol.log2_gamma),
            refits_all=any(tuning.ranks_folds for tuning in tunings),
        )
        source = Loaded.of(data, run.cache)
        return cls(run, methods, data, source, divider, grid, tunings)

    @property
    def n_features(self) -> int:
        """Number of all features."""
        return self.data.X.shape[1]

    def evaluator_of(self, method: Method) -> SvmGrid:
        """The evaluator of a method; that of all features has their number alone."""
        if method.takes_all:
            return replace(self.evaluator, sizes=(self.n_features,))
        return self.evaluator

    def problem(self, split: int, part: float = 1.0, evaluator: SvmGrid | None = None) -> Problem:
        """The problem of a split, whose features are ranked from a share of its training rows."""
        config = self.run.config
        evaluator = evaluator or self.evaluator
        subsets = [size for size in evaluator.sizes if size < self.n_features]
        return Problem(
            self.source,
            replace(self.divider, share=part),  # type: ignore[arg-type]
            evaluator,
            config.seed,
            config.dataset.scaling,
            number=split,
            n_kept=max(subsets, default=0),  # All features need no order.
        )

    def division(self, split: int, share: float = 1.0) -> Division:
        """The division of a split."""
        _, codes = np.unique(self.data.y, return_inverse=True)
        return self.problem(split, share).division(codes)

    @cached_property
    def counts(self) -> dict[int, dict[str, int]]:
        """Split -> its numbers of test and training rows."""
        counts = {}
        for split in range(self.run.config.protocol.n_repetitions):
            division = self.division(split)
            counts[split] = {"n_test": len(division.test), "n_train": len(division.train)}
        return counts

    def head(self, method: Method, share: float, tuning: Tuning) -> dict[str, Any]:
        """The columns that all rows of a method have, under one share of the ranking rows."""
        return {
            "method": method.name,
            "label": method.label,
            "combination": len(method.parts) > 1,
            "tuning": tuning.name,
            "ranking_share": share,
            "ranking_samples": len(self.division(0, share).rank),
        }


def setup_of(run: Run) -> Setup:
    """The samples, splits and evaluator of a config."""
    methods = resolve(run.config)
    protocol = run.config.protocol
    data = load_dataset(run.config)
    labels, counts = np.unique(data.y, return_counts=True)
    smallest = int(counts.min())
    n = protocol.n_per_class
    folds = protocol.inner_folds
    if n is not None:
        if smallest <= n:
            raise ConfigError(
                f"protocol.n_per_class={n} must leave samples of each class to test on, class "
                f"{labels[counts.argmin()]} of {run.config.dataset.name} has {smallest}"
            )
        return Setup.of(run, methods, data, PerClass(n, folds), SvmBestCell)
    least = int(smallest * (1 - protocol.test_size))
    if least < folds:
        raise ConfigError(
            f"protocol.inner_folds={folds} needs as many training samples of each class, the "
            f"smallest class of {run.config.dataset.name} leaves {least}"
        )
    return Setup.of(run, methods, data, KFold(protocol.test_size, folds, protocol.inner_repeats))


def n_splits(config: DictConfig, method: str, tuning: str) -> int:
    """Return the number of splits used to evaluate a method or classifier under a tuning."""
    n = config.protocol.n_repetitions
    for name, fewer in config.protocol.fewer_splits.items():
        if name in (method, tuning):
            n = min(n, fewer)
    return n
