"""Judge rankings by the accuracy of an SVM on nested feature subsets, under two protocols.

``paper``: the ranking is made from the whole training part; the SVM's cell, and the method's own
parameters, are tuned by cross-validation inside it (so that validation rows have been seen by the
ranking); the headline is the best mean test accuracy over the numbers of features, which the test
rows themselves have picked. ``nested``: features are ranked again inside every inner fold, and the
method's parameters, the number of features and the SVM's cell are chosen there, together; the
ranking is then made from the whole training part and tested once.

A unit ranks one set of rows with one candidate and records the accuracy of *every* cell, for the
test rows too. What a split takes is read from these arrays afterwards by
:mod:`experiments.protocols.selection`, which is given validation accuracies alone.
"""

from collections.abc import Sequence
from functools import partial
from itertools import islice

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

from experiments import seeds
from experiments.config import ConfigError, plain
from experiments.datasets import Dataset
from experiments.methods import Method, Parameters
from experiments.protocols import accuracy_tables
from experiments.protocols.common import Results, Run, score_and_ambiguity
from experiments.protocols.data import dataset, samples
from experiments.protocols.selection import choose
from experiments.ranking import rank
from experiments.store import Row, Store, Unit, key_of
from experiments.svm import cv_accuracies, fold_accuracies


def outer_split(y, fingerprint, seed, split, test_size):
    """Training and test rows of a split, stratified; a function of its axes alone.

    Where the test share is one in n, splits come from repeated n-fold cross-validation, n splits a
    repeat: every sample is tested equally often, and the mean over splits depends less on which
    samples a few random ones would happen to test. Other shares are split at random each time.
    """
    rows = np.zeros((len(y), 1))
    n = round(1 / test_size)
    if abs(1 / test_size - n) > 1e-9:
        state = seeds.integer(seed, "split", fingerprint, split)
        splitter = StratifiedShuffleSplit(1, test_size=test_size, random_state=state)
        return next(splitter.split(rows, y))
    repeat, fold = divmod(split, n)
    state = seeds.integer(seed, "splits", fingerprint, repeat)
    folds = StratifiedKFold(n, shuffle=True, random_state=state)
    return next(islice(folds.split(rows, y), fold, None))


def inner_folds(y, train, fingerprint, seed, split, n_folds):
    """The folds of the training rows, as row numbers of the whole data set."""
    folds = StratifiedKFold(
        n_folds, shuffle=True, random_state=seeds.integer(seed, "folds", fingerprint, split)
    )
    return [(train[a], train[b]) for a, b in folds.split(np.zeros((len(train), 1)), y[train])]


def judge(source: dict, axes: dict, method: Method, parameters: Parameters, store: Store) -> Row:
    """Rank the training rows of a split, or of one of its inner folds, and judge the ranking.

    Returns
    -------
    Row
        "test": accuracies (sizes, C, gamma) on the rows held out from the ranking; for a whole
        training part also "validation", the mean over inner folds with that one ranking.
    """
    X, y, fingerprint = samples(**source)
    seed, split, fold = axes["seed"], axes["split"], axes["fold"]
    train, held_out = outer_split(y, fingerprint, seed, split, axes["test_size"])
    folds = inner_folds(y, train, fingerprint, seed, split, axes["inner_folds"])
    if fold is not None:
        train, held_out = folds[fold]
    X = scaled(X, train, axes["scaling"])
    ranked = stored_scores(method, X[train], y[train], parameters, store, axes)
    order = rank(ranked["scores"], seeds.generator(seed, "ties", fingerprint, split))
    grid = {
        "Cs": [2.0**p for p in axes["log2_C"]],
        "gammas": [2.0**p for p in axes["log2_gamma"]],
    }
    sizes = axes["sizes"]
    row = {
        "test": fold_accuracies(X, y, order, sizes, train, held_out, **grid),
        "ambiguous": bool(ranked["ambiguous"]),
    }
    if fold is None:
        row["validation"] = cv_accuracies(X, y, order, sizes, folds, **grid).mean(axis=0)
    return row


#: Those axes that determine which rows a ranking is made from, and how they are scaled.
RANKING_AXES = ("fingerprint", "seed", "split", "fold", "test_size", "inner_folds", "scaling")


def stored_scores(method, X, y, parameters, store, axes) -> Row:
    """The scores of a method on the rows that the axes name, computed where not stored yet."""
    return store.remember(
        key_of(
            kind="scores",
            axes={name: axes[name] for name in RANKING_AXES},
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


def scaled(X, train, scaling):
    """X as the training rows scale it, in float64."""
    if scaling == "standard":
        return StandardScaler().fit(X[train]).transform(X)
    return X


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

    def unit(self, method, parameters, split, fold) -> Unit:
        """One unit; fold None is the whole training part."""
        axes = {**self.axes, "split": split, "fold": fold}
        key = key_of(protocol="accuracy", axes=axes, method=method.identity(parameters))
        return Unit(key, partial(judge, self.source, axes, method, parameters, self.run.store))

    def needed(self, method, parameters, split, protocol) -> list[Unit]:
        """The units that a protocol reads; the whole training part first."""
        folds = [None, *range(self.n_folds)] if protocol == "nested" else [None]
        return [self.unit(method, parameters, split, fold) for fold in folds]

    def arrays(self, method, parameters, split, protocol):
        """Validation and test accuracies of a candidate, and ambiguity; None if a unit failed."""
        found = self.run.rows(self.needed(method, parameters, split, protocol))
        if found is None:
            return None
        shape = (len(self.sizes), len(self.axes["log2_C"]), len(self.axes["log2_gamma"]))
        whole, *folds = found
        inside = np.mean([row["test"] for row in folds], axis=0) if folds else whole["validation"]
        return (
            inside.reshape(shape),
            whole["test"].reshape(shape),
            whole["ambiguous"],
        )


def tuned(units: Units, method: Method, split: int, protocol: str):
    """What a split takes of a method: its parameters, the choice, and ambiguity; None if failed."""
    judged = [
        (parameters, *arrays)
        for parameters in method.candidates()
        if (arrays := units.arrays(method, parameters, split, protocol)) is not None
    ]
    if not judged:
        return None
    choice = choose([v for _, v, _, _ in judged], [t for _, _, t, _ in judged])
    parameters, _, _, ambiguous = judged[choice.candidate]
    return parameters, choice, ambiguous


def run(run: Run) -> Results:
    """All methods, candidates and splits of a config under both protocols; tuned, summarised."""
    config = run.config
    source, data = load(config)
    units = Units(run, source, data)
    splits = range(config.protocol.n_repetitions)
    check(config, data.y)

    def needed(pairs: Sequence[tuple[Method, int, str]]):
        return [
            unit
            for method, split, protocol in pairs
            for parameters in method.candidates()
            for unit in units.needed(method, parameters, split, protocol)
        ]

    independent = [part for m in run.methods for part in m.prerequisites() or [m]]
    run.complete(needed([(m, s, "nested") for m in independent for s in splits]), "splits")
    stages = {}
    for method in run.methods:
        for split in splits:
            for protocol in accuracy_tables.PROTOCOLS:
                stages[method.name, split, protocol] = _ready(units, method, split, protocol)
    ready = [(m, s, p) for (_, s, p), m in stages.items() if m is not None]
    run.complete(needed(ready), "combinations")
    outcomes = {
        key: None if method is None else tuned(units, method, key[1], key[2])
        for key, method in stages.items()
    }
    train, test = outer_split(data.y, data.fingerprint, config.seed, 0, config.protocol.test_size)
    return accuracy_tables.results(
        run.methods, units, splits, outcomes, len(test) / len(train), data
    )


def _ready(units, method, split, protocol):
    """The method with what is tuned alone fixed as this split tunes it; None if that failed."""
    fixed: Parameters = {}
    for part in method.prerequisites():
        found = tuned(units, part, split, protocol)
        if found is None:
            return None
        fixed.update(found[0])
    return method.with_tuned(fixed)


def load(config):
    """The arguments of :func:`experiments.protocols.data.samples`, and the data set."""
    source = {
        "name": config.dataset.name,
        "home": config.data.home,
        "cache": config.data.cache,
        "path": config.dataset.path,
        "target": config.dataset.target,
        "params": plain(config.dataset.params),
        "seed": config.seed,
    }
    return source, dataset(**source)


def check(config, y):
    """Raise a ConfigError where the data are too few for the folds that the config asks for."""
    _, counts = np.unique(y, return_counts=True)
    if len(counts) != 2:
        raise ConfigError(
            f"the accuracy protocol needs two classes, {config.dataset.name} has {len(counts)}"
        )
    least = int(counts.min() * (1 - config.protocol.test_size))
    if least < config.protocol.inner_folds:
        raise ConfigError(
            f"protocol.inner_folds={config.protocol.inner_folds} needs as many training samples of "
            f"each class, the smaller class of {config.dataset.name} leaves {least}"
        )
