"""Many methods on many data sets, each judged by the reading ``nested``.

A problem is a data set and a number of training samples. On each problem, each method chooses its
parameters, the number of features and the SVM's cell by cross-validation inside the training rows,
ranking anew in each fold, and is tested once on each split. The methods are then compared by their
mean ranks over the data sets (Demsar 2006). At the end each ranking is timed once, one after the
other in the run's own process.

The units are those of the kind accuracy, so that each finds the other's rows in the store.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments.config import ConfigError, increasing, share
from experiments.datasets import DataError
from experiments.engine.keys import Row, digest
from experiments.engine.parallel import complete
from experiments.evaluation.accuracies import ALL_FEATURES
from experiments.evaluation.data import described
from experiments.evaluation.method_config import in_blocks, try_methods
from experiments.evaluation.methods import Method
from experiments.evaluation.ranking import timing_unit
from experiments.evaluation.readings import NESTED
from experiments.evaluation.summary import row_flags
from experiments.kinds import base, splits
from experiments.kinds.adoption import Check, Sample, candidate
from experiments.kinds.arena import tables
from experiments.kinds.arena.problems import (
    ALL,
    ArenaDataset,
    at_sizes,
    dataset_label,
    load_arena_dataset,
    split_setting,
)

log = logging.getLogger(__name__)

#: A data set and a number of training samples, as the config has them.
Problem = tuple[str, str]
Setups = dict[Problem, splits.Setup]


@dataclass
class Schema(splits.Schema):
    """Splits and grids of the kind accuracy, read as nested, on each of several data sets."""

    kind: str = "arena"
    readings: list[str] = field(default_factory=lambda: ["nested"])
    #: The data sets, by their files in configs/dataset or by their names in `sets`.
    datasets: list[str] = field(default_factory=list)
    #: Name -> what is other than in the file of that name: keys of a data set; `dataset`, the file
    #: of another name; `classes`, some of its classes; `unit`, what all values are divided by;
    #: `percentiles`, those that ManiFeSt's scale is tuned over; `label`, its name in tables.
    sets: dict[str, Any] = field(default_factory=dict)
    #: Numbers of training samples; "all" leaves `test_size` for the test.
    n_train: list[Any] = field(default_factory=lambda: [20, 50, ALL])
    #: "all" are at most so many; the others of a data set are then test samples.
    max_train: int = 500
    #: Numbers of features at which accuracy and stability are reported.
    reported: list[int] = field(default_factory=lambda: [10, 20, 50])
    #: Methods that all others are compared with, data set by data set. Those that a run has not are
    #: passed over; the first method of the run takes the place of none.
    references: list[str] = field(default_factory=list)
    #: Method -> it is left out if there are more features than this.
    feature_limits: dict[str, int] = field(default_factory=dict)
    #: With more features, ManiFeSt scores them in random blocks of so many.
    exact_features: int = 1000
    block: int = 400


def check(config: DictConfig) -> None:
    """Raise a ConfigError if names or numbers make no sense, or belong to another kind."""
    share(config, "protocol.test_size")
    splits.check_rankings(config)
    splits.must_stay(
        config,
        readings=["nested"],
        ranking_shares=[1.0],
        classifiers={},
        inner_repeats=1,
        order_splits=0,
        fewer_splits={},
    )
    protocol = config.protocol
    if config.dataset.name:
        raise ConfigError(
            f"the protocol arena has several data sets, and dataset={config.dataset.name} names "
            f"one; give protocol.datasets=[{config.dataset.name}] or more of them"
        )
    names = list(protocol.datasets)
    if not names or len({dataset_label(protocol, name) for name in names}) < len(names):
        raise ConfigError(f"protocol.datasets must name data sets, each once, got {names}")
    wanted = list(protocol.n_train)
    numbers = [n for n in wanted if n != ALL]
    whole = all(type(n) is int and n >= 2 * protocol.inner_folds for n in numbers)
    if not wanted or not whole or wanted != [*sorted(set(numbers)), *wanted[len(numbers) :]]:
        raise ConfigError(
            f"protocol.n_train must be increasing numbers of at least {2 * protocol.inner_folds}, "
            f"two a fold, and {ALL!r} at the end if it is wanted, got {wanted}"
        )
    increasing(config, "protocol.reported")
    missing = [size for size in protocol.reported if size not in protocol.sizes]
    if missing:
        raise ConfigError(
            f"protocol.reported must be among protocol.sizes {list(protocol.sizes)}, got {missing}"
        )
    base.check_numbers(config, max_train=4, exact_features=2, block=50)


def run(run: base.Run) -> base.Results:
    """All methods on all data sets of a config: tuned, ranked, timed."""
    if len(run.methods) < 2:
        raise ConfigError("an arena compares methods; give method=[NAME,NAME] or more of them")
    left_out: list[dict[str, Any]] = []
    data_sets = _data_sets(run, left_out)
    setups = {at: setup for one in data_sets for at, setup in _setups(run, one, left_out)}
    if not setups:
        raise ConfigError(
            "no data set of protocol.datasets can be judged with any of protocol.n_train: "
            + "; ".join(f"{row['data_set']}: {row['reason']}" for row in left_out)
        )
    for row in left_out:
        log.info("left out: %s, %s: %s", row["data_set"], row["left_out"], row["reason"])
    heads = {at: _head(at, setup) for at, setup in setups.items()}
    judged = [row | heads[at] for at, setup in setups.items() for row in _judged(at, setup)]
    seconds = [row | heads[at] for at, row in _seconds(run, setups)]
    facts = [row for one in data_sets for row in _facts(one, setups)]
    rows = tables.rows_of([*judged, *seconds, *facts, *left_out])
    about = [{**described(one.data), "source": one.source} for one in data_sets]
    data = {
        "name": f"{len(data_sets)} data sets",
        "fingerprint": digest("\n".join(one["fingerprint"] for one in about)),
        "verified": all(one["verified"] or one["synthetic"] for one in about),
        "synthetic": all(one["synthetic"] for one in about),
        "source": "; ".join(f"{one.label}: {one.data.name}" for one in data_sets),
        "sets": about,
    }
    return base.Results(rows, data)


def _data_sets(run: base.Run, left_out: list[dict[str, Any]]) -> list[ArenaDataset]:
    """The data sets of a config; data sets that cannot be had are left out."""
    loaded = []
    for name in run.config.protocol.datasets:
        log.info("reading %s", name)
        try:
            loaded.append(load_arena_dataset(run.config, name))
        except DataError as error:
            row = {"data_set": name, "left_out": "the data set", "reason": str(error)}
            left_out.append(row)
    return loaded


def _setups(
    run: base.Run, one: ArenaDataset, left_out: list[dict[str, Any]]
) -> Iterator[tuple[Problem, splits.Setup]]:
    """The problems of a data set, each with the methods that the data set allows."""
    protocol, d = run.config.protocol, one.data.X.shape[1]
    n_classes = len(np.unique(one.data.y))
    at, methods = {"data_set": one.label}, []
    for method in map(one.fitted, run.methods):
        limit = protocol.feature_limits.get(method.name, d)
        reason = f"{d} features, protocol.feature_limits allows {limit}" if d > limit else ""
        try:
            if n_classes > 2 and not reason:  # With two classes it has been tried.
                try_methods([method], n_classes)
        except ConfigError as error:
            reason = str(error)
        if reason:
            head = {"method": method.name, "label": method.label, "left_out": method.label}
            left_out.append({**at, **head, "reason": reason})
        else:
            methods.append(method)
    methods, approximate = in_blocks(methods, d, protocol)
    if approximate:
        limit, size = protocol.exact_features, protocol.block
        reason = f"{d} features: above {limit} ManiFeSt scores blocks of {size}"
        left_out.append({**at, "left_out": "exact scores", "reason": reason})
    sizes = [size for size in protocol.sizes if size < d]
    for wanted in protocol.n_train if methods else ():
        plan = split_setting(one.data, wanted, protocol, run.config.seed)
        if isinstance(plan, str):
            what = f"{wanted} training samples"
            left_out.append({**at, "left_out": what, "reason": plan})
        else:
            alone = replace(run, config=one.config, methods=methods)
            setup = at_sizes(alone, one.data, plan, sizes)
            base.check_neighbours(methods, setup.counts[0]["n_train"])
            yield (one.label, str(wanted)), setup


def _head(at: Problem, setup: splits.Setup) -> dict[str, Any]:
    """The columns that name a problem."""
    return {**dict(zip(tables.PROBLEM, at, strict=True)), "n_samples": setup.counts[0]["n_train"]}


def _judged(at: Problem, setup: splits.Setup) -> Iterator[dict[str, Any]]:
    """The rows of all methods on a problem, then of the SVM on all features."""
    log.info("ranking %s, %s training samples", *at)
    run, d = setup.run, setup.n_features
    judged = splits.rows(setup)
    # Their ranking does not matter to the SVM on all features, so it is the cheapest one.
    cheapest = min(run.methods, key=lambda m: (len(m.candidates()), len(m.parts)))
    first = cheapest.with_tuned(cheapest.candidates()[0])
    on_all = splits.rows(at_sizes(replace(run, methods=[first]), setup.data, setup.rows, [d]))
    on_all = [{**row, "validation": None} for row in on_all if row["method"] == ALL_FEATURES]
    for row in [*judged, *on_all]:
        yield {name: row.get(name) for name in tables.JUDGED}


def _seconds(run: base.Run, setups: Setups) -> Iterator[tuple[Problem, dict[str, Any]]]:
    """The problem with the most samples of each data set, and the time of each method there.

    They are measured in this process, so that no worker takes the other core at the same time.
    """
    most = {at[0]: at for at in setups}  # the last has the most samples
    timed = [
        (at, method, timing_unit(setups[at].problem(0), method, method.candidates()[0]))
        for at in most.values()
        for method in setups[at].run.methods
    ]
    complete([unit for *_, unit in timed], run.store, run.outcome, 0, "times")
    for at, method, unit in timed:
        if (row := run.outcome.rows.get(unit.key)) is not None:
            yield at, {"method": method.name, "label": method.label, **row}


def _facts(one: ArenaDataset, setups: Setups) -> list[dict[str, Any]]:
    """A description of the data set for each number of training samples, at least one."""
    heads = [
        _head(at, setup) | {"n_test": setup.counts[0]["n_test"]}
        for at, setup in setups.items()
        if at[0] == one.label
    ]
    return [one.facts() | head for head in heads or [{}]]


def stored_checks(run: base.Run, sample: Sample) -> Iterator[Check]:
    """Checks of random splits of each method, on random problems, and of one that was timed."""
    setups = {at: setup for one in _data_sets(run, []) for at, setup in _setups(run, one, [])}
    timed = sample.rows[sample.rows["seconds"].notna()].sample(1, random_state=sample.rng)
    yield _timed(setups[tuple(timed[tables.PROBLEM].iloc[0])], timed)
    judged = sample.rows["split"].notna() & (sample.rows["method"] != ALL_FEATURES)
    splits_of = replace(sample, rows=sample.rows[judged])
    for _, stored, first in splits_of.groups([*tables.PROBLEM, "split"]):
        yield _check(setups[tuple(stored[tables.PROBLEM].iloc[0])], stored, folds=first)


def _named(setup: splits.Setup, stored: pd.DataFrame) -> Method:
    return next(m for m in setup.run.methods if m.name == stored["method"].iloc[0])


def _timed(setup: splits.Setup, stored: pd.DataFrame) -> Check:
    """The check of the size of a problem that was timed; the time itself is another each time."""
    method = _named(setup, stored)
    unit = timing_unit(setup.problem(0), method, method.candidates()[0])

    def columns(computed: list[Row]) -> Iterator[dict[str, Any]]:
        yield {name: computed[0][name] for name in ("n_samples", "n_features")}

    return Check(method.name, [unit], stored, columns)


def _check(setup: splits.Setup, stored: pd.DataFrame, folds: bool) -> Check:
    """The check of a method on one split.

    Rows do not name the SVM's cell. With `folds` the inner folds choose it again. Otherwise the
    stored test accuracy must be that of any cell.
    """
    method, problem = _named(setup, stored), setup.problem(int(stored["split"].iloc[0]))
    parameters = candidate(method, stored["parameters"].iloc[0])
    problems = [problem, *(problem.folds if folds else [])]
    units = [setup.plan.unit(each, method, parameters) for each in problems]
    sizes = setup.judge.sizes

    def columns(computed: list[Row]) -> Iterator[dict[str, Any]]:
        choice, flags = NESTED.choose([computed]), row_flags(computed[0])
        for size, test in stored[["n_features", "test"]].itertuples(index=False):
            i = sizes.index(size)
            if folds:
                yield {"test": choice.test[i], "validation": choice.validation[i], **flags}
            else:
                is_cell = test in computed[0]["test"][i]
                yield {"test": test if is_cell else choice.test[i], **flags}

    return Check(method.name, units, stored, columns)


KIND = base.Kind(
    schema=Schema,
    check=check,
    run=run,
    summary=tables.SUMMARY,
    tables=tables.tables,
    stored_checks=stored_checks,
    captions=tables.CAPTIONS,
    findings=tables.findings,
    shown=tables.shown,
)
