"""Rank the features of a table, say how many to keep, and judge the whole way there.

The procedure is: rank the features by each method, and choose method, parameters, number of
features and the SVM's cell by cross-validation. All of it is judged by nested cross-validation, as
the protocol accuracy reads ``nested``, once with the labels as they are and then with shuffled
labels, which tells what the procedure reaches on noise. The answer itself is made from all samples.
"""

import logging
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import ClassVar

import numpy as np

from experiments.config import ConfigError
from experiments.datasets import Dataset
from experiments.datasets.own import UserTable
from experiments.engine.keys import Unit, key_of
from experiments.evaluation.methods import Method, Parameters
from experiments.evaluation.samples import Source, dataset, described, source_of
from experiments.evaluation.scoring import FLAGS
from experiments.evaluation.selection import choose
from experiments.protocols.accuracy.judgements import AccuracyUnits
from experiments.protocols.accuracy.tables import Candidate, SplitChoice
from experiments.protocols.accuracy.tuning import tuned, with_all_features
from experiments.protocols.base import Results, Run
from experiments.protocols.select import answer, judging, tables
from experiments.protocols.select.fitting import fitted, with_blocks
from experiments.protocols.select.units import (
    Shuffled,
    judge_with_gaps,
    rank_rows,
    shuffle,
)

log = logging.getLogger(__name__)

HEADLINE = "accuracy"
SUMMARY = ("method", "label", "n_splits", "n_failed")
READING = "nested"
#: A run without a table shows what an answer looks like.
DEMONSTRATION = {
    "name": "hypercube",
    "params": {"n_samples": 60, "n_features": 200},
}


class SelectUnits(AccuracyUnits):
    """The units of the protocol accuracy, for labels as they are or shuffled."""

    def __init__(self, run: Run, source, data: Dataset, n_splits: int):
        super().__init__(run, source, data)
        protocol, d = run.config.protocol, data.X.shape[1]
        wanted = {size for size in self.sizes if size < d} | {d}
        self.sizes = sorted(wanted | ({protocol.n_features} if protocol.n_features else set()))
        self.axes["sizes"] = self.sizes
        self.splits = range(n_splits)

    def taken(self, method: Method, split: int) -> SplitChoice | None:
        """What a split takes of a method; None if all candidates failed.

        That is what the reading ``nested`` of the protocol accuracy takes, unless the number of
        features is fixed: then all else is chosen at this number.
        """
        wanted = self.run.config.protocol.n_features
        if wanted is None:
            return tuned(self, method, 1.0, split, READING)
        at = self.sizes.index(wanted)
        found = [
            (parameters, *arrays)
            for parameters in method.candidates()
            if (arrays := self.arrays(method, parameters, 1.0, split, READING)) is not None
        ]
        if not found:
            return None
        best = choose([inside[[at]] for _, inside, _, _ in found]).candidate
        parameters, inside, test, row = found[best]
        choice = replace(choose([inside], [test]), size=at)
        flags = {flag: row[flag] for flag in FLAGS}
        return SplitChoice(choice, [Candidate(parameters, row["order"], flags)] * len(self.sizes))

    def ready(self, method: Method, split: int) -> Method | None:
        """The method with what is tuned alone fixed as this split tunes it; None if that failed."""
        fixed: Parameters = {}
        for part in method.prerequisites():
            found = self.taken(part, split)
            if found is None:
                return None
            fixed.update(found.own.parameters)
        return method.with_tuned(fixed)

    def of_methods(self, methods: list[tuple[Method, int]]) -> list[tuple[int, Unit]]:
        """The units of methods on splits, each with the number of its candidate."""
        return [
            (number, unit)
            for method, split in methods
            for number, parameters in enumerate(method.candidates())
            for unit in self.needed(method, parameters, 1.0, split, READING)
        ]


class UnitsWithGaps(SelectUnits):
    """The same for samples with missing values."""

    judge: ClassVar = staticmethod(judge_with_gaps)

    def __init__(self, run: Run, source, data: Dataset, n_splits: int):
        super().__init__(run, source, data, n_splits)
        self.axes["scaling"] = f"{run.config.dataset.missing} {self.axes['scaling']}"


def run(run: Run) -> Results:
    """The answer: features with their ranks, the number to keep, and how good that is."""
    arguments = {**source_of(run.config), "gaps": True}
    notes = []
    if arguments["name"] == "file" and arguments["path"] is None and arguments["target"] is None:
        arguments |= DEMONSTRATION
        notes.append(
            "SYNTHETIC samples, as an example: for a table of your own add dataset.path=my.csv "
            "dataset.target=COLUMN"
        )
    if run.config.profile.name == "smoke":
        notes.append("profile=smoke shows that everything runs; its numbers tell nothing")
    log.info("reading %s", arguments["path"] or arguments["name"])
    data = dataset(**arguments)
    run, told = fitted(run, data)
    methods, approximate = with_blocks(run.methods, data.X.shape[1], run.config.protocol)
    notes += [*(data.notes if isinstance(data, UserTable) else ()), *told, *approximate]
    run = replace(run, methods=methods)
    for note in notes:
        log.info("%s", "\n".join(answer.wrapped(note)))
    units, shuffled = _units(run, Source.of(arguments, data), data)
    _judge(run, [units, *shuffled])
    taken = _taken_of_all(units)
    judged = judging.judged(units, taken, _baseline(units), data)
    chance = np.array([judging.mean_of_best(_taken_of_all(one)) for one in shuffled])
    final = judging.final(judged, run.config.protocol.n_features)
    ranked, resampled = _rankings(run, units, methods, final)
    features = tables.features(data, final, ranked, resampled, run.config.protocol.near)
    shared = tables.overlap(methods, ranked, final.n_features)
    facts = answer.facts(run.config, data, judged, final, chance, features, shared, notes)
    return Results(
        rows=judged.rows,
        tables={
            "summary": judging.summary(judged, final, chance, data.y),
            "curves": judged.curves,
            "features": features,
            "overlap": shared,
        },
        shown=features.head(20),
        data=described(data),
        text=answer.text(facts, features),
        files=answer.files(run.config, data, facts, features),
    )


def _units(run: Run, source: Source, data: Dataset) -> tuple[SelectUnits, list[SelectUnits]]:
    """The units of the labels as they are, and of each shuffle."""
    config, seed = run.config, run.config.seed
    n = config.protocol.n_repetitions
    folds = min(n, max(2, round(1 / config.protocol.test_size)))
    units = UnitsWithGaps if np.isnan(data.X).any() else SelectUnits
    shuffled = []
    for number in range(config.protocol.n_shuffles):
        order = shuffle(len(data.y), data.fingerprint, seed, number)
        named = f"{data.fingerprint}, shuffled {number}"
        other = replace(data, y=data.y[order], fingerprint=named)
        shuffled.append(units(run, Shuffled(source, seed, number), other, folds))
    return units(run, source, data, n), shuffled


def _judge(run: Run, everything: list[SelectUnits]) -> None:
    """Complete the units of all methods, first what others are tuned after."""
    first = [
        found
        for units in everything
        for found in units.of_methods(
            [(p, s) for s in units.splits for m in run.methods for p in m.prerequisites() or [m]]
        )
    ]
    run.complete([unit for _, unit in sorted(first, key=itemgetter(0))], "judging 1/3")
    second = [
        found
        for units in everything
        for split in units.splits
        for method in run.methods
        if method.prerequisites() and (ready := units.ready(method, split)) is not None
        for found in units.of_methods([(ready, split)])
    ]
    run.complete([unit for _, unit in sorted(second, key=itemgetter(0))], "judging 2/3")


def _taken(units: SelectUnits, method: Method) -> dict:
    """What each split takes of a method; None where it failed."""
    found = {}
    for split in units.splits:
        ready = units.ready(method, split)
        found[split] = None if ready is None else units.taken(ready, split)
    return found


def _taken_of_all(units: SelectUnits) -> dict[str, dict]:
    return {method.name: _taken(units, method) for method in units.run.methods}


def _baseline(units: SelectUnits) -> dict:
    """What the SVM does on all features, split by split."""
    found = {}
    for split in units.splits:
        stages = {(m.name, 1.0, split, READING): units.ready(m, split) for m in units.run.methods}
        found[split] = with_all_features(units, stages, split, READING)
    return {split: choice for split, choice in found.items() if choice is not None}


def _rankings(run: Run, units: SelectUnits, methods, final) -> tuple[dict, list]:
    """The rows of all methods on all samples, and of the chosen method on each subsample."""
    share = run.config.protocol.resample_share

    def unit(method, parameters, number):
        axes = {name: units.axes[name] for name in ("fingerprint", "seed", "scaling")}
        axes |= {"resample": number, "share": share}
        runs = [rank_rows, *method.scorers()]
        key = key_of("select", runs, axes=axes, method=method.identity(parameters))
        return Unit(key, partial(rank_rows, units.source, axes, method, parameters, run.store))

    known = final.parameters
    whole = {m.name: unit(m, known[m.name], None) for m in methods if m.name in known}
    chosen = next(m for m in methods if m.name == final.method)
    numbers = range(run.config.protocol.n_resamples)
    again = [unit(chosen, known[final.method], number) for number in numbers]
    run.complete([*whole.values(), *again], "ranking 3/3")
    rows = {name: run.outcome.rows.get(one.key) for name, one in whole.items()}
    if rows[final.method] is None:
        raise ConfigError(f"{chosen.label} failed on all samples; see the log")
    resampled = [run.outcome.rows.get(one.key) for one in again]
    return {n: r for n, r in rows.items() if r}, [row for row in resampled if row]
