"""Many methods on many data sets, each judged as the protocol accuracy reads ``nested``.

A problem is a data set and a number of training samples. On each problem, each method chooses its
parameters, the number of features and the SVM's cell by cross-validation inside the training rows,
ranking anew in each fold, and is tested once on each split. The methods are then compared by their
mean ranks over the data sets (Demsar 2006). At the end each ranking is timed once, one after the
other in the run's own process.

The units are those of the protocol accuracy, so that each finds the other's rows in the store.
"""

import logging
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter

import numpy as np
from omegaconf import OmegaConf

from experiments.config import ConfigError
from experiments.datasets import DataError
from experiments.engine.keys import Unit, key_of
from experiments.engine.parallel import complete
from experiments.evaluation.method_config import try_methods
from experiments.evaluation.methods import Method
from experiments.evaluation.selection import choose
from experiments.protocols.accuracy.judgements import AccuracyUnits
from experiments.protocols.accuracy.tables import SplitChoice
from experiments.protocols.accuracy.tuning import ready, tuned
from experiments.protocols.arena import tables
from experiments.protocols.arena.problems import Competition, Setting, opened, setting
from experiments.protocols.arena.units import time_ranking
from experiments.protocols.base import Results, Run
from experiments.protocols.select.fitting import with_blocks

log = logging.getLogger(__name__)

HEADLINE = "accuracy"
SUMMARY = ("method", "label", "n_problems", "n_failed")
READING = "nested"


@dataclass
class Problem:
    """A data set with a number of training samples, the methods that it has, and their units."""

    set: Competition
    setting: Setting
    methods: list[Method]
    units: AccuracyUnits
    everything: AccuracyUnits

    def taken(self, method: Method, split: int) -> SplitChoice | None:
        """What a split takes of a method; None if all candidates failed."""
        own = self.ready(method, split)
        return None if own is None else tuned(self.units, own, 1.0, split, READING)

    def ready(self, method: Method, split: int) -> Method | None:
        """The method with what is tuned alone fixed as this split tunes it; None if that failed."""
        return ready(self.units, method, 1.0, split, READING)

    def needed(self, method: Method, split: int) -> list[tuple[int, Unit]]:
        """The units of a method on a split, each with the number of its candidate."""
        return [
            (number, unit)
            for number, parameters in enumerate(method.candidates())
            for unit in self.units.needed(method, parameters, 1.0, split, READING)
        ]

    def on_all_features(self, split: int) -> list[Unit]:
        """The units of the SVM on all features, whose ranking does not matter."""
        method = min(self.methods, key=lambda m: (len(m.candidates()), len(m.parts)))
        parameters = method.candidates()[0]
        return self.everything.needed(method, parameters, 1.0, split, READING)


def run(run: Run) -> Results:
    """All methods on all data sets of a config; tuned, ranked, timed."""
    protocol = run.config.protocol
    if len(run.methods) < 2:
        raise ConfigError("an arena compares methods; give method=[NAME,NAME] or more of them")
    told: list[dict] = []
    sets = [one for name in protocol.datasets if (one := _opened(run, name, told)) is not None]
    problems = [p for one in sets for p in _problems(run, one, told)]
    if not problems:
        raise ConfigError(
            "no data set of protocol.datasets can be judged with any of protocol.n_train: "
            + "; ".join(f"{row['data_set']}: {row['reason']}" for row in told)
        )
    for row in told:
        log.info("left out: %s, %s: %s", row["data_set"], row["what"], row["reason"])
    splits = range(protocol.n_repetitions)
    at = [(problem, split) for problem in problems for split in splits]
    # One data set after the other, since a process keeps few; of each, the first candidate of every
    # method before any second: the scores that candidates share are then there.
    first, second = [], []
    for one in sets:
        here = [(problem, split) for problem, split in at if problem.set is one]
        units = [
            found
            for problem, split in here
            for method in problem.methods
            for own in method.prerequisites() or [method]
            for found in problem.needed(own, split)
        ]
        first += [unit for _, unit in sorted(units, key=itemgetter(0))]
        first += [unit for problem, split in here for unit in problem.on_all_features(split)]
    run.complete(first, "rankings 1/3")
    for problem, split in at:
        for method in problem.methods:
            combined = problem.ready(method, split) if method.prerequisites() else None
            if combined is not None:
                second += [unit for _, unit in problem.needed(combined, split)]
    run.complete(second, "combinations 2/3")
    taken = [
        tables.Taken(
            problem.set,
            problem.setting,
            problem.units.sizes,
            problem.units.n_features,
            {m.name: {s: problem.taken(m, s) for s in splits} for m in problem.methods},
            {s: _baseline(problem, s) for s in splits},
        )
        for problem in problems
    ]
    return tables.results(run, sets, taken, _times(run, problems), told)


def _opened(run: Run, name: str, told: list[dict]) -> Competition | None:
    """A data set; None, which is told, where it cannot be had."""
    log.info("reading %s", name)
    try:
        return opened(run.config, name)
    except DataError as error:
        told.append({"data_set": name, "what": "the data set", "reason": str(error)})
        return None


def _problems(run: Run, one: Competition, told: list[dict]) -> list[Problem]:
    """The problems of a data set; what is left out is told."""
    protocol, d = run.config.protocol, one.data.X.shape[1]

    def leave_out(what, reason):
        told.append({"data_set": one.label, "what": what, "reason": reason})

    methods = []
    for method in map(one.fitted, run.methods):
        limit = protocol.feature_limits.get(method.name)
        if limit is not None and d > limit:
            leave_out(method.label, f"{d} features, protocol.feature_limits allows {limit}")
            continue
        try:
            n_classes = len(np.unique(one.data.y))
            if n_classes > 2:  # With two classes it has been tried.
                try_methods([method], n_classes)
            methods.append(method)
        except ConfigError as error:
            leave_out(method.label, str(error))
    methods, approximate = with_blocks(methods, d, protocol)
    if approximate:
        limit, size = protocol.exact_features, protocol.block
        leave_out("exact scores", f"{d} features: above {limit} ManiFeSt scores blocks of {size}")
    found = []
    for wanted in protocol.n_train if methods else ():
        split = setting(one.data, wanted, protocol, run.config.seed)
        if isinstance(split, str):
            leave_out(f"{wanted} training samples", split)
            continue
        sizes = [size for size in protocol.sizes if size < d]
        units = _units(run, one, split, methods, sizes)
        everything = _units(run, one, split, methods, [d])
        found.append(Problem(one, split, methods, units, everything))
    return found


def _units(run, one, split, methods, sizes) -> AccuracyUnits:
    """The units that an experiment on this data set alone has, with these splits and sizes."""
    config = run.config.copy()
    OmegaConf.update(config, "dataset", one.config, merge=False)
    own = {"test_size": split.test_size, "inner_folds": split.inner_folds, "sizes": sizes}
    for key, value in own.items():
        OmegaConf.update(config, f"protocol.{key}", value)
    return AccuracyUnits(replace(run, config=config, methods=methods), one.source, one.data)


def _baseline(problem: Problem, split: int) -> float | None:
    """The test accuracy of the SVM on all features; None if a unit failed."""
    rows = problem.units.run.rows(problem.on_all_features(split))
    if rows is None:
        return None
    whole, *folds = rows
    shaped = problem.everything.shaped
    inside = shaped(np.mean([row["test"] for row in folds], axis=0))
    return float(choose([inside], [shaped(whole["test"])]).test[0])


def _times(run: Run, problems: list[Problem]) -> dict[tuple[str, str, str], dict]:
    """(data set, number of samples, method) -> the row of its time, for the most samples of each.

    They are computed in this process, so that no worker takes the other core at the same time.
    """
    most = {problem.set.name: problem for problem in problems}  # the last has the most samples
    wanted = {}
    for problem in most.values():
        names = ("fingerprint", "seed", "test_size", "scaling")
        axes = {name: problem.units.axes[name] for name in names} | {"split": 0}
        for method in problem.methods:
            parameters = method.candidates()[0]
            runs = [time_ranking, *method.scorers()]
            key = key_of("seconds", runs, axes=axes, method=method.identity(parameters))
            task = partial(time_ranking, problem.set.source, axes, method, parameters)
            place = (problem.set.name, problem.setting.wanted, method.name)
            wanted[place] = Unit(key, task)
    complete(list(wanted.values()), run.store, run.outcome, 0, "times 3/3")
    found = {place: run.outcome.rows.get(unit.key) for place, unit in wanted.items()}
    return {place: row for place, row in found.items() if row is not None}
