"""Judge rankings by the accuracy of an SVM on nested feature subsets, read in three ways.

``paper``: the ranking is made from the whole training part; the SVM's cell, and the method's own
parameters, are tuned by cross-validation inside it (so that validation rows have been seen by the
ranking); the headline is the best mean test accuracy over the numbers of features, which the test
rows themselves have picked. ``icml``, after the paper's version of 2023: as ``paper``, but the
method's parameters have the best accuracy on the training rows, anew at each number of features.
``nested``: features are ranked again inside every inner fold, and the method's parameters, the
number of features and the SVM's cell are chosen there, together; the ranking is then made from the
whole training part and tested once.

All read the same units (:mod:`experiments.protocols.accuracy.units`); the choices are made by
:mod:`experiments.evaluation.selection`, which is given validation accuracies alone, and under
``icml`` training accuracies.
"""

import logging
from collections.abc import Sequence
from functools import partial
from operator import itemgetter
from typing import ClassVar

import numpy as np

from experiments.config import ConfigError
from experiments.datasets import Dataset
from experiments.engine.keys import Unit, key_of
from experiments.evaluation.method_config import try_methods
from experiments.evaluation.methods import Method, Parameters
from experiments.evaluation.samples import Source, dataset, source_of
from experiments.evaluation.scoring import FLAGS
from experiments.evaluation.selection import choose, choose_by_training
from experiments.evaluation.splits import outer_split, ranking_rows
from experiments.protocols.accuracy import tables
from experiments.protocols.accuracy.units import judge_ranking
from experiments.protocols.base import Results, Run, check_neighbours

log = logging.getLogger(__name__)

#: The column of the summary that the table of a sweep shows.
HEADLINE = "accuracy"
SUMMARY = ("method", "label", "reading", "n_splits", "n_failed")


class AccuracyUnits:
    """The units of a config: of a method's candidate, on a split's whole training part or folds."""

    #: What judges a ranking, and the name under which its rows are stored.
    judge: ClassVar = staticmethod(judge_ranking)
    stored_as: ClassVar[str] = "accuracy"
    #: The protocol's options that determine the rows of a split.
    split_by: ClassVar[tuple[str, ...]] = ("test_size", "inner_folds", "inner_repeats", "refit")

    def __init__(self, run: Run, source: Source, data: Dataset):
        protocol = run.config.protocol
        self.run, self.source, self.y = run, source, data.y
        self.sizes = [size for size in protocol.sizes if size <= data.X.shape[1]]
        if len(self.sizes) < len(protocol.sizes):
            left_out = ", ".join(map(str, protocol.sizes[len(self.sizes) :]))
            log.info(
                "%s has %d features; sizes %s are left out", data.name, data.X.shape[1], left_out
            )
        self.axes = {
            "fingerprint": data.fingerprint,
            "seed": run.config.seed,
            **{name: protocol[name] for name in self.split_by},
            "scaling": run.config.dataset.scaling,
            "sizes": self.sizes,
            "log2_C": list(protocol.log2_C),
            "log2_gamma": list(protocol.log2_gamma),
        }
        self.n_folds = protocol.inner_folds
        self.readings = list(protocol.readings)
        self.shares = list(protocol.ranking_shares)
        self.n_features = data.X.shape[1]

    def unit(self, method, parameters, share, split, fold, columns=None) -> Unit:
        """One unit; fold None is the whole training part, columns None the features' own order."""
        axes = {**self.axes, "share": share, "split": split, "fold": fold}
        if fold is not None:
            # A fold is one of the first repeat and tests all cells, whatever the whole part does.
            axes = {name: axes[name] for name in axes if name not in ("inner_repeats", "refit")}
        if columns is not None:
            axes["columns"] = columns
        runs = [self.judge, *method.scorers()]
        key = key_of(self.stored_as, runs, axes=axes, method=method.identity(parameters))
        return Unit(key, partial(self.judge, self.source, axes, method, parameters, self.run.store))

    def check(self) -> None:
        """Raise a ConfigError where the data are too few for the folds that the config asks for."""
        protocol = self.run.config.protocol
        _, counts = np.unique(self.y, return_counts=True)
        least = int(counts.min() * (1 - protocol.test_size))
        if least < protocol.inner_folds:
            raise ConfigError(
                f"protocol.inner_folds={protocol.inner_folds} needs as many training samples of "
                f"each class, the smallest class of {self.run.config.dataset.name} leaves {least}"
            )

    def rows(self, split: int) -> tuple[np.ndarray, np.ndarray]:
        """The training and the test rows of a split."""
        axes = self.axes
        return outer_split(self.y, axes["fingerprint"], axes["seed"], split, axes["test_size"])

    def test_share(self) -> float:
        """What the intervals over splits are corrected by: test rows over training rows."""
        train, test = self.rows(0)
        return len(test) / len(train)

    def needed(self, method, parameters, share, split, reading, columns=None) -> list[Unit]:
        """The units that a reading needs; the whole training part first."""
        folds = [None, *range(self.n_folds)] if reading == "nested" else [None]
        return [self.unit(method, parameters, share, split, fold, columns) for fold in folds]

    def arrays(self, method, parameters, *at):
        """Validation and test accuracies of a candidate, and its row; None if a unit failed.

        Further arguments are those of :meth:`needed`.
        """
        found = self.run.rows(self.needed(method, parameters, *at))
        if found is None:
            return None
        whole, *folds = found
        inside = np.mean([row["test"] for row in folds], axis=0) if folds else whole["validation"]
        return self.shaped(inside), self.shaped(whole["test"]), whole

    def shaped(self, accuracies) -> np.ndarray:
        """The accuracies of all cells, shape (sizes, C, gamma)."""
        shape = (len(self.sizes), len(self.axes["log2_C"]), len(self.axes["log2_gamma"]))
        return accuracies.reshape(shape)


def tuned(units: AccuracyUnits, method: Method, share: float, split: int, reading: str, *columns):
    """What a split takes of a method: an :class:`tables.SplitChoice`; None if all failed."""
    judged = [
        (parameters, *arrays)
        for parameters in method.candidates()
        if (arrays := units.arrays(method, parameters, share, split, reading, *columns)) is not None
    ]
    if not judged:
        return None
    _, inside, tests, rows = zip(*judged, strict=True)
    if reading == "icml":
        choice = choose_by_training(inside, [units.shaped(row["train"]) for row in rows], tests)
    else:
        choice = choose(inside, tests)
    return tables.SplitChoice(
        choice,
        [
            tables.Candidate(
                judged[c][0], rows[c]["order"], {flag: rows[c][flag] for flag in FLAGS}
            )
            for c in choice.candidates
        ],
    )


def with_all_features(units: AccuracyUnits, stages: dict, split: int, reading: str):
    """What the SVM does on all features: any method's largest subset, where it is all of them."""
    if units.n_features not in units.sizes:
        return None
    for (_, share, *at), method in stages.items():
        if method is None or at != [split, reading]:
            continue
        for parameters in method.candidates():
            found = units.arrays(method, parameters, share, split, reading)
            if found is not None:
                inside, test, _ = found
                return choose([inside[-1:]], [test[-1:]])
    return None


def run(run: Run) -> Results:
    """All methods, candidates and splits of a config under its readings; tuned, summarised."""
    arguments = source_of(run.config)
    data = dataset(**arguments)
    return judged(AccuracyUnits(run, Source.of(arguments, data), data), data)


def judged(units: AccuracyUnits, data: Dataset) -> Results:
    """The results of all units."""
    run, source = units.run, units.source
    units.check()
    n_classes = len(np.unique(data.y))
    if n_classes > 2:  # With two classes they have been tried.
        try_methods(run.methods, n_classes)
    splits = range(run.config.protocol.n_repetitions)
    train, _ = units.rows(0)
    check_neighbours(run.methods, len(train))
    test_share = units.test_share()

    def needed(stages: Sequence[tuple]):
        found = [
            (number, unit)
            for method, *axes in stages
            for number, parameters in enumerate(method.candidates())
            for unit in units.needed(method, parameters, *axes)
        ]
        # The first candidate of every method before any second: scores that candidates share are
        # then there, where workers side by side on two of them would wait for each other.
        return [unit for _, unit in sorted(found, key=itemgetter(0))]

    axes = [(share, s, r) for share in units.shares for r in units.readings for s in splits]
    orders = _orders(run, units, splits)
    classified = _classified(run, source, units, len(splits), test_share, n_classes)
    independent = [part for m in run.methods for part in m.prerequisites() or [m]]
    run.complete(needed([(m, *at) for m in independent for at in axes]), "splits")
    stages = {(m.name, *at): ready(units, m, *at) for m in run.methods for at in axes}
    combined = [(m, *at) for (_, *at), m in stages.items() if m is not None]
    run.complete(needed(combined), "combinations")
    run.complete(needed(orders), "orders of the features")
    outcomes: dict[tuple, dict] = {}
    for (name, share, split, reading), method in stages.items():
        taken = None if method is None else tuned(units, method, share, split, reading)
        outcomes.setdefault((name, share, reading), {})[split] = taken
    baseline = {
        reading: {
            split: choice
            for split in splits
            if (choice := with_all_features(units, stages, split, reading)) is not None
        }
        for reading in units.readings
    }
    in_order: dict[tuple, dict] = {}
    for method, share, split, reading, columns in orders:
        taken = tuned(units, method, share, split, reading, columns)
        in_order.setdefault((method.name, share, reading), {}).setdefault(columns, []).append(taken)
    return tables.results(
        tables.Splits(
            sizes=units.sizes,
            log2_C=units.axes["log2_C"],
            log2_gamma=units.axes["log2_gamma"],
            n_test=[len(units.rows(split)[1]) for split in splits],
            test_share=test_share,
            n_train=len(train),
            n_features=units.n_features,
            ranking_samples={
                share: len(ranking_rows(data.y, train, data.fingerprint, 0, 0, share))
                for share in units.shares
            },
        ),
        run.methods,
        outcomes,
        in_order,
        baseline,
        classified,
        data,
    )


def _orders(run, units, splits):
    """Which methods are repeated in which orders of the features, on which splits."""
    n_splits = run.config.protocol.order_splits if "paper" in units.readings else 0
    return [
        (method, share, split, "paper", columns)
        for method in run.methods
        for columns in range(method.column_orders)
        for share in units.shares
        for split in splits[:n_splits]
    ]


def _classified(run, source, units, n_splits, test_share, n_classes):
    """Complete the classifiers of a config; a function from a reading to their rows."""
    if not run.config.protocol.classifiers:
        return lambda reading: ([], [])
    # Slow to import, and few experiments have any.
    from experiments.protocols.accuracy import classifiers

    chosen = classifiers.resolve(run.config, n_classes)
    wanted = classifiers.units(chosen, source, units.axes, n_splits)
    run.complete(list(wanted.values()), "classifiers")
    found = {key: run.outcome.rows.get(unit.key) for key, unit in wanted.items()}

    def rows(reading):
        return (
            classifiers.summary_rows(chosen, found, n_splits, test_share, reading),
            classifiers.per_split_rows(chosen, found, reading),
        )

    return rows


def ready(
    units: AccuracyUnits, method: Method, share: float, split: int, reading: str
) -> Method | None:
    """The method with what is tuned alone fixed as this split tunes it; None if that failed."""
    fixed: Parameters = {}
    for part in method.prerequisites():
        # A part has one value for all numbers of features, so that "icml" needs no further units.
        found = tuned(units, part, share, split, "paper" if reading == "icml" else reading)
        if found is None:
            return None
        fixed.update(found.own.parameters)
    return method.with_tuned(fixed)
