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

from collections.abc import Sequence
from operator import itemgetter

import numpy as np

from experiments.datasets import Dataset
from experiments.evaluation.method_config import try_methods
from experiments.evaluation.samples import Source, dataset, source_of
from experiments.evaluation.splits import ranking_rows
from experiments.protocols.accuracy import tables
from experiments.protocols.accuracy.judgements import AccuracyUnits
from experiments.protocols.accuracy.tuning import ready, tuned, with_all_features
from experiments.protocols.base import Results, Run, check_neighbours

#: The column of the summary that the table of a sweep shows.
HEADLINE = "accuracy"
SUMMARY = ("method", "label", "reading", "n_splits", "n_failed")


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

    orders = _orders(units)
    classified = _classified(run, source, units, len(splits), test_share, n_classes)
    independent = [part for m in run.methods for part in m.prerequisites() or [m]]
    alone = [(m, *at) for m in independent for at in units.axes_of(m.name)]
    run.complete(needed(alone), "splits")
    stages = {
        (m.name, *at): ready(units, m, *at) for m in run.methods for at in units.axes_of(m.name)
    }
    combined = [(m, *at) for (_, *at), m in stages.items() if m is not None]
    run.complete(needed(combined), "combinations")
    run.complete(needed(orders), "orders of the features")
    outcomes: dict[tuple, dict] = {}
    for (name, share, split, reading), method in stages.items():
        taken = None if method is None else tuned(units, method, share, split, reading)
        outcomes.setdefault((name, share, reading), {})[split] = taken
    baseline = {
        reading: {
            split: with_all_features(units, stages, split, reading)
            for split in units.splits_of("all_features", reading)
        }
        for reading in units.readings
    }
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
        in_orders(units),
        baseline,
        classified,
        data,
    )


def in_orders(units: AccuracyUnits) -> dict[tuple, dict[int, list]]:
    """What each order of the features takes, once its units are complete.

    Returns
    -------
    dict of (method name, share, reading) to dict of int to list of SplitChoice or None
        For each random order of the features, one for each split that it was tried on.
    """
    found: dict[tuple, dict] = {}
    for method, share, split, reading, columns in _orders(units):
        taken = tuned(units, method, share, split, reading, columns)
        found.setdefault((method.name, share, reading), {}).setdefault(columns, []).append(taken)
    return found


def _orders(units):
    """Which methods are repeated in which orders of the features, on which splits."""
    n_splits = units.run.config.protocol.order_splits if "paper" in units.readings else 0
    return [
        (method, share, split, "paper", columns)
        for method in units.run.methods
        for columns in range(method.column_orders)
        for share in units.shares
        for split in units.splits_of(method.name, "paper")[:n_splits]
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
