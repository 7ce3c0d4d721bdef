"""Judge rankings by the accuracy of an SVM on nested feature subsets, read in two ways.

``paper``: the ranking is made from the whole training part; the SVM's cell, and the method's own
parameters, are tuned by cross-validation inside it (so that validation rows have been seen by the
ranking); the headline is the best mean test accuracy over the numbers of features, which the test
rows themselves have picked. ``nested``: features are ranked again inside every inner fold, and the
method's parameters, the number of features and the SVM's cell are chosen there, together; the
ranking is then made from the whole training part and tested once.

A unit ranks one set of rows with one candidate and records the accuracy of *every* cell, for the
test rows too. What a split takes is read from these arrays afterwards by
:mod:`experiments.protocols.selection`, which is given validation accuracies alone. Equal rankings
of the same rows, of whatever method, are judged once, and so is the set of all features.
"""

import hashlib
from collections.abc import Sequence
from functools import partial

import numpy as np

from experiments import classifiers, seeds
from experiments.config import ConfigError
from experiments.datasets import Dataset
from experiments.methods import Method, Parameters
from experiments.protocols import accuracy_tables
from experiments.protocols.common import Results, Run, score_and_ambiguity
from experiments.protocols.data import dataset, samples, source_of
from experiments.protocols.selection import choose
from experiments.protocols.splits import inner_folds, outer_split, ranking_rows, scaled
from experiments.ranking import rank
from experiments.store import Row, Store, Unit, key_of
from experiments.svm import cv_accuracies, fold_accuracies

ALL_FEATURES = "all_features"


def judge(source: dict, axes: dict, method: Method, parameters: Parameters, store: Store) -> Row:
    """Rank the training rows of a split, or of one of its inner folds, and judge the ranking.

    Returns
    -------
    Row
        "test": accuracies (sizes, C, gamma) on the rows held out from the ranking; for a whole
        training part also "validation", the mean over inner folds with that one ranking.
        "order": the best features, as many as the largest subset has. "ambiguous": whether
        Algorithm 2 warned.
    """
    X, y, fingerprint = samples(**source)
    seed, split, fold = axes["seed"], axes["split"], axes["fold"]
    train, held_out = outer_split(y, fingerprint, seed, split, axes["test_size"])
    folds = inner_folds(y, train, fingerprint, seed, split, axes["inner_folds"])
    if fold is not None:
        train, held_out = folds[fold]
    X = scaled(X, train, axes["scaling"])
    ranking = ranking_rows(y, train, fingerprint, seed, (split, fold), axes["share"])
    ranked = stored_scores(method, X[ranking], y[ranking], parameters, store, axes)
    order = rank(ranked["scores"], seeds.generator(seed, "ties", fingerprint, split))
    order = order[: max(axes["sizes"])]
    rows = {"train": train, "test": held_out, "folds": folds if fold is None else []}
    return {**judged(X, y, order, rows, axes, store), "order": order, **_warned(ranked)}


def _warned(ranked):
    return {"ambiguous": bool(ranked["ambiguous"])}


def judged(X, y, order, rows, axes, store) -> Row:
    """The accuracies of a ranking; those of all features, in whatever order, are shared."""
    sizes, d = axes["sizes"], X.shape[1]
    found = []
    for wanted, by in (([s for s in sizes if s < d], order), ([s for s in sizes if s == d], None)):
        if wanted:
            used = np.arange(d) if by is None else by[: max(wanted)]
            key = key_of(
                "accuracy",
                rows={name: axes[name] for name in (*SPLIT_AXES, "fold")},
                grid={"sizes": wanted, "C": axes["log2_C"], "gamma": axes["log2_gamma"]},
                order=hashlib.sha256(used.astype("<i8").tobytes()).hexdigest(),
            )
            found.append(store.remember(key, partial(_accuracies, X, y, used, wanted, rows, axes)))
    names = [name for name in found[0] if name in ("test", "validation")]
    return {name: np.concatenate([row[name].ravel() for row in found]) for name in names}


def _accuracies(X, y, order, sizes, rows, axes):
    grid = {
        "Cs": [2.0**p for p in axes["log2_C"]],
        "gammas": [2.0**p for p in axes["log2_gamma"]],
    }
    row = {"test": fold_accuracies(X, y, order, sizes, rows["train"], rows["test"], **grid)}
    if rows["folds"]:
        row["validation"] = cv_accuracies(X, y, order, sizes, rows["folds"], **grid).mean(axis=0)
    return row


#: Those axes that determine which rows there are, and how they are scaled.
SPLIT_AXES = ("fingerprint", "seed", "split", "test_size", "inner_folds", "scaling")


def stored_scores(method, X, y, parameters, store, axes) -> Row:
    """The scores of a method on the rows that the axes name, computed where not stored yet."""
    return store.remember(
        key_of(
            "scores",
            axes={name: axes[name] for name in (*SPLIT_AXES, "fold", "share")},
            method=method.identity(parameters),
        ),
        partial(_scores, method, X, y, parameters, store, axes),
    )


def _scores(method, X, y, parameters, store, axes):
    """Scores of a method; those of a sum's parts are stored on their own, for others to reuse."""
    if len(method.parts) > 1:
        rows = []
        for part in method.parts:
            single = Method(part.name, part.name, (part,))
            own = {part.name: parameters[part.name]}
            rows.append(stored_scores(single, X, y, own, store, axes))
        return {
            "scores": method.total([row["scores"] for row in rows]),
            "ambiguous": any(row["ambiguous"] for row in rows),
        }
    scores, ambiguous = score_and_ambiguity(method, X, y, parameters)
    return {"scores": scores, "ambiguous": ambiguous}


class Units:
    """The units of a config: of a method's candidate, on a split's whole training part or folds."""

    def __init__(self, run: Run, source: dict, data: Dataset):
        protocol = run.config.protocol
        self.run, self.source = run, source
        self.sizes = [size for size in protocol.sizes if size <= data.X.shape[1]]
        self.axes = {
            "fingerprint": data.fingerprint,
            "seed": run.config.seed,
            "test_size": protocol.test_size,
            "inner_folds": protocol.inner_folds,
            "scaling": run.config.dataset.scaling,
            "sizes": self.sizes,
            "log2_C": list(protocol.log2_C),
            "log2_gamma": list(protocol.log2_gamma),
        }
        self.n_folds = protocol.inner_folds
        self.readings = list(protocol.readings)
        self.shares = list(protocol.ranking_shares)
        self.n_features = data.X.shape[1]

    def unit(self, method, parameters, share, split, fold) -> Unit:
        """One unit; fold None is the whole training part."""
        axes = {**self.axes, "share": share, "split": split, "fold": fold}
        key = key_of("accuracy", axes=axes, method=method.identity(parameters))
        return Unit(key, partial(judge, self.source, axes, method, parameters, self.run.store))

    def needed(self, method, parameters, share, split, reading) -> list[Unit]:
        """The units that a reading needs; the whole training part first."""
        folds = [None, *range(self.n_folds)] if reading == "nested" else [None]
        return [self.unit(method, parameters, share, split, fold) for fold in folds]

    def arrays(self, method, parameters, share, split, reading):
        """Validation and test accuracies of a candidate, and its row; None if a unit failed."""
        found = self.run.rows(self.needed(method, parameters, share, split, reading))
        if found is None:
            return None
        shape = (len(self.sizes), len(self.axes["log2_C"]), len(self.axes["log2_gamma"]))
        whole, *folds = found
        inside = np.mean([row["test"] for row in folds], axis=0) if folds else whole["validation"]
        return inside.reshape(shape), whole["test"].reshape(shape), whole


def tuned(units: Units, method: Method, share: float, split: int, reading: str):
    """What a split takes of a method: an :class:`accuracy_tables.Taken`; None if all failed."""
    judged = [
        (parameters, *arrays)
        for parameters in method.candidates()
        if (arrays := units.arrays(method, parameters, share, split, reading)) is not None
    ]
    if not judged:
        return None
    choice = choose([v for _, v, _, _ in judged], [t for _, _, t, _ in judged])
    parameters, _, _, row = judged[choice.candidate]
    return accuracy_tables.Taken(parameters, choice, row["order"], row["ambiguous"])


def with_all_features(units: Units, methods: list[Method], split: int, reading: str):
    """What the SVM does on all features: any method's largest subset, where it is all of them."""
    if units.n_features not in units.sizes:
        return None
    for method in methods:
        for parameters in method.candidates():
            found = units.arrays(method, parameters, units.shares[-1], split, reading)
            if found is not None:
                inside, test, _ = found
                return choose([inside[-1:]], [test[-1:]])
    return None


def run(run: Run) -> Results:
    """All methods, candidates and splits of a config under its readings; tuned, summarised."""
    config = run.config
    source = source_of(config)
    data = dataset(**source)
    check(config, data.y)
    units = Units(run, source, data)
    splits = range(config.protocol.n_repetitions)

    def needed(stages: Sequence[tuple[Method, float, int, str]]):
        return [
            unit
            for method, *axes in stages
            for parameters in method.candidates()
            for unit in units.needed(method, parameters, *axes)
        ]

    axes = [(share, s, r) for share in units.shares for r in units.readings for s in splits]
    embedded = classifiers.resolve(config)
    run.complete([u for c in embedded for s in splits for u in units_of(units, c, s)], "classifiers")
    independent = [part for m in run.methods for part in m.prerequisites() or [m]]
    run.complete(needed([(m, *at) for m in independent for at in axes]), "splits")
    stages = {(m.name, *at): _ready(units, m, *at) for m in run.methods for at in axes}
    ready = [(m, *at) for (_, *at), m in stages.items() if m is not None]
    run.complete(needed(ready), "combinations")
    outcomes = {
        key: None if method is None else tuned(units, method, *key[1:])
        for key, method in stages.items()
    }
    return accuracy_tables.results(run, units, splits, outcomes, data)
