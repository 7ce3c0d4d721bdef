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
    labels = {dataset_label(protocol, name) for name in names}
    if not names or len(labels) < len(names):
        raise ConfigError(f"protocol.datasets must name data sets, each once, got {names}")
    for name in protocol.held_out:
        one_of(name, [*names, *dataset_names(protocol)], "data set for protocol.held_out")
    wanted = list(protocol.n_train)
    least = 2 * protocol.inner_folds
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
    n_ranked = sum(not method.takes_all for method in methods)
    if n_ranked < 2:
        raise ConfigError("an arena compares methods; give method=[NAME,NAME] or more of them")
    left_out: list[Columns] = []
    data_sets = []
    for name in run.config.protocol.datasets:
        log.info("reading %s", name)
        try:
            data_sets.append(load_arena_dataset(run.config, name))
        except DataError as error:
            left_out.append({"data_set": name, "what": "the data set", "reason": str(error)})
    problems: list[SetupOfProblem] = []
    for data_set in data_sets:
        problems += _problems(run, methods, data_set, left_out)
    if not problems:
        reasons = [f"{row['data_set']}: {row['reason']}" for row in left_out]
        raise ConfigError(
            "no data set of protocol.datasets can be evaluated with any of protocol.n_train: "
            + "; ".join(reasons)
        )
    for row in left_out:
        log.info("left out: %s, %s: %s", row["data_set"], row["what"], row["reason"])
    rows = []
    for head, setup in problems:
        log.info("ranking %s, %s training samples", head["data_set"], head["n_train"])
        rows += [row | head for row in accuracy.rows(setup)]
    described_problems = []
    for data_set in data_sets:
        heads = [head for head, _ in problems if head["data_set"] == data_set.label]
        for head in heads or [{}]:
            described_problems.append(data_set.facts() | head)
    stored = {"rows": rows, "problems": described_problems, "left_out": left_out}
    facts = {data_set.label: described(data_set.data) for data_set in data_sets}
    return base.Results(tables.typed(stored), base.described_together(facts))


def _problems(
    run: Run, chosen: list[Method], data_set: ArenaDataset, left_out: list[Columns]
) -> Iterator[SetupOfProblem]:
    """Return the problems of a data set, each with the methods that it allows."""
    protocol = run.config.protocol
    data = data_set.data
    n_features = data.X.shape[1]
    n_classes = len(np.unique(data.y))

    def leave_out(what: str, reason: object, **names: str) -> None:
        row = {"data_set": data_set.label, "what": what, "reason": str(reason)}
        left_out.append({**row, **names})

    sizes = [size for size in protocol.sizes if size < n_features]
    if not sizes:
        reason = f"{n_features} features, and protocol.sizes has no number below"
        return leave_out("the data set", reason)

    methods = []
    for method in chosen:
        fitted = data_set.fitted(method)
        try:
            if n_classes > 2:  # With two classes it has been tried.
                try_methods([fitted], n_classes)
            methods.append(fitted)
        except ConfigError as error:
            leave_out(fitted.label, error, method=fitted.name)
    config = data_set.config.copy()
    OmegaConf.update(config, "protocol.sizes", [*sizes, n_features], merge=False)
    alone = replace(run, config=config)
    for wanted in protocol.n_train if methods else ():
        try:
            divider = divider_of(data, wanted, protocol, run.config.seed)
        except DataError as error:
            leave_out(f"{wanted} training samples", error)
            continue
        setup = Setup.of(alone, methods, data, divider, EVALUATORS[protocol.evaluator])
        setup = replace(setup, tunings=[OR_ALL])
        first = setup.counts[0]
        head = {
            "data_set": data_set.label,
            "n_train": str(wanted),
            "n_samples": first["n_train"],
            "n_test": first["n_test"],
        }
        yield head, setup


KIND = base.Kind(ArenaProtocol, check, run, tables.tables, "accuracy")
