"""Compare many methods on many data sets, each with the tuning ``nested``.

A problem is a data set and a number of training samples. On each problem, each method chooses its
parameters, the number of features and the SVM's cell by cross-validation inside the training rows,
with a new ranking in each fold, and is tested once on each split. The methods are then compared by
their mean ranks over the data sets (Demsar 2006).

The tasks are those of the kind accuracy, so that both kinds share stored rows.
"""

import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from omegaconf import DictConfig, OmegaConf

from experiments.cache import Run
from experiments.config import ConfigError, check_dataset, check_numbers, one_of
from experiments.datasets import DataError
from experiments.evaluation.data import described
from experiments.evaluation.methods import Method, resolve, try_methods
from experiments.evaluation.svm.evaluators import EVALUATORS
from experiments.evaluation.tuning import TUNINGS
from experiments.kinds import accuracy, base
from experiments.kinds.accuracy.setup import Setup
from experiments.kinds.arena import tables
from experiments.kinds.arena.problems import (
    ALL,
    ArenaDataset,
    dataset_label,
    dataset_names,
    divider_of,
    load_arena_dataset,
)
from experiments.schemas import ArenaProtocol

log = logging.getLogger(__name__)

Columns = dict[str, Any]
#: The tuning of all methods: a split takes all features if they are better than its choice.
OR_ALL = replace(TUNINGS["nested"], or_all=True)
#: The columns that name a problem, and its splits with the methods that are evaluated on them.
SetupOfProblem = tuple[Columns, Setup]


def check(config: DictConfig) -> None:
    """Raise a ConfigError if names or numbers make no sense, or belong to another kind."""
    accuracy.must_stay(
        config,
        n_per_class=None,
        tuning=["nested"],
        ranking_shares=[1.0],
        classifiers={},
        inner_repeats=1,
        fewer_splits={},
    )
    accuracy.check(config)
    protocol = config.protocol
    if config.dataset.name:
        raise ConfigError(
            f"the protocol arena has several data sets, and dataset={config.dataset.name} names "
            f"one; give protocol.datasets=[{config.dataset.name}] or more of them"
        )
    check_dataset(config, "params", instead="give them in protocol.sets.NAME.params")
    names = list(protocol.datasets)
    if not names or len({dataset_label(protocol, name) for name in names}) < len(names):
        raise ConfigError(f"protocol.datasets must name data sets, each once, got {names}")
    for name in protocol.held_out:
        one_of(name, [*names, *dataset_names(protocol)], "data set for protocol.held_out")
    wanted, least = list(protocol.n_train), 2 * protocol.inner_folds
    numbers = wanted[:-1] if wanted[-1:] == [ALL] else wanted
    is_whole = all(type(n) is int and n >= least for n in numbers)
    if not (wanted and is_whole and sorted(set(numbers)) == numbers):
        raise ConfigError(
            f"protocol.n_train must be increasing numbers of at least {least}, "
            f"two a fold, and {ALL!r} at the end if it is wanted, got {wanted}"
        )
    one_of(protocol.evaluator, EVALUATORS, "protocol.evaluator")
    check_numbers(config, max_train=4)


def run(run: Run) -> base.Results:
    """Tune and rank all methods on all data sets of a config."""
    methods = resolve(run.config)
    if sum(not method.takes_all for method in methods) < 2:
        raise ConfigError("an arena compares methods; give method=[NAME,NAME] or more of them")
    left_out: list[Columns] = []
    data_sets = []
    for name in run.config.protocol.datasets:
        log.info("reading %s", name)
        try:
            data_sets.append(load_arena_dataset(run.config, name))
        except DataError as error:
            left_out.append({"data_set": name, "what": "the data set", "reason": str(error)})
    problems = [problem for one in data_sets for problem in _problems(run, methods, one, left_out)]
    if not problems:
        raise ConfigError(
            "no data set of protocol.datasets can be evaluated with any of protocol.n_train: "
            + "; ".join(f"{row['data_set']}: {row['reason']}" for row in left_out)
        )
    for row in left_out:
        log.info("left out: %s, %s: %s", row["data_set"], row["what"], row["reason"])
    rows = []
    for head, setup in problems:
        log.info("ranking %s, %s training samples", head["data_set"], head["n_train"])
        rows += [row | head for row in accuracy.rows(setup)]
    described_problems = []
    for one in data_sets:
        own = [
            head | {"n_test": setup.counts[0]["n_test"]}
            for head, setup in problems
            if head["data_set"] == one.label
        ]
        described_problems += [one.facts() | head for head in own or [{}]]
    data = base.described_together({one.label: described(one.data) for one in data_sets})
    stored = {"rows": rows, "problems": described_problems, "left_out": left_out}
    return base.Results(tables.typed(stored), data)


def _problems(
    run: Run, chosen: list[Method], one: ArenaDataset, left_out: list[Columns]
) -> Iterator[SetupOfProblem]:
    """Return the problems of a data set, each with the methods that it allows."""
    protocol, d = run.config.protocol, one.data.X.shape[1]
    n_classes = len(np.unique(one.data.y))

    def leave_out(what: str, reason: object, **names: str) -> None:
        left_out.append({"data_set": one.label, "what": what, "reason": str(reason), **names})

    sizes = [size for size in protocol.sizes if size < d]
    if not sizes:
        return leave_out("the data set", f"{d} features, and protocol.sizes has no number below")

    methods = []
    for method in map(one.fitted, chosen):
        try:
            if n_classes > 2:  # With two classes it has been tried.
                try_methods([method], n_classes)
            methods.append(method)
        except ConfigError as error:
            leave_out(method.label, error, method=method.name)
    config = one.config.copy()
    OmegaConf.update(config, "protocol.sizes", [*sizes, d], merge=False)
    alone = replace(run, config=config)
    for wanted in protocol.n_train if methods else ():
        try:
            plan = divider_of(one.data, wanted, protocol, run.config.seed)
        except DataError as error:
            leave_out(f"{wanted} training samples", error)
            continue
        setup = Setup.of(alone, methods, one.data, plan, EVALUATORS[protocol.evaluator])
        setup = replace(setup, tunings=[OR_ALL])
        n_samples = setup.counts[0]["n_train"]
        yield {"data_set": one.label, "n_train": str(wanted), "n_samples": n_samples}, setup


KIND = base.Kind(ArenaProtocol, check, run, tables.tables, "accuracy")
