"""The unit of the accuracy protocol: rank some rows, judge the ranking by an SVM on others.

It records the accuracy of *every* cell, on the test rows too; what a split takes is read from these
arrays afterwards. Equal rankings of the same rows, of whatever method, are judged once, and so is
the set of all features.
"""

import hashlib
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from experiments.engine import seeds
from experiments.engine.keys import Row, key_of
from experiments.evaluation.methods import Method, Parameters
from experiments.evaluation.scoring import FLAGS, rank, stored_scores
from experiments.evaluation.splits import inner_folds, outer_split, ranking_rows, scaled
from experiments.evaluation.svm.grid import cv_accuracies, fold_accuracies

if TYPE_CHECKING:
    from experiments.engine.store import Store
    from experiments.evaluation.samples import Source

#: Those axes that determine which rows there are, and how they are scaled.
SPLIT_AXES = ("fingerprint", "seed", "split", "fold", "test_size", "inner_folds", "scaling")


def judge_ranking(
    source: "Source", axes: dict, method: Method, parameters: Parameters, store: "Store"
) -> Row:
    """Rank the training rows of a split, or of one of its inner folds, and judge the ranking.

    Returns
    -------
    Row
        "test": accuracies (sizes, C, gamma) on the rows held out from the ranking; for a whole
        training part also "validation", the mean over inner folds with that one ranking.
        "order": the best features, as many as the largest subset has. The flags of
        :func:`experiments.evaluation.scoring.flagged_scores`.
    """
    X, y = source.samples()
    fingerprint = axes["fingerprint"]
    seed, split, fold = axes["seed"], axes["split"], axes["fold"]
    train, held_out = outer_split(y, fingerprint, seed, split, axes["test_size"])
    folds = inner_folds(y, train, fingerprint, seed, split, axes["inner_folds"])
    if fold is not None:
        train, held_out = folds[fold]
    X = scaled(X, train, axes["scaling"])
    ranking = ranking_rows(y, train, fingerprint, seed, (split, fold), axes["share"])
    ranked_by = {name: axes[name] for name in (*SPLIT_AXES, "share")}
    ranked = stored_scores(method, X[ranking], y[ranking], parameters, store, ranked_by)
    order = rank(ranked["scores"], seeds.generator(seed, "ties", fingerprint, split))
    order = order[: max(axes["sizes"])]
    rows = {"train": train, "test": held_out, "folds": folds if fold is None else []}
    return {
        **grid_accuracies(X, y, order, rows, axes, store),
        "order": order,
        **{flag: bool(ranked[flag]) for flag in FLAGS},
    }


def grid_accuracies(X, y, order, rows, axes, store) -> Row:
    """The accuracies of a ranking; those of all features, in whatever order, are shared."""
    sizes, d = axes["sizes"], X.shape[1]
    found = []
    for wanted, by in (([s for s in sizes if s < d], order), ([s for s in sizes if s == d], None)):
        if wanted:
            used = np.arange(d) if by is None else by[: max(wanted)]
            key = key_of(
                "accuracy",
                [grid_accuracies],
                rows={name: axes[name] for name in SPLIT_AXES},
                grid={"sizes": wanted, "C": axes["log2_C"], "gamma": axes["log2_gamma"]},
                order=hashlib.sha256(used.astype("<i8").tobytes()).hexdigest(),
            )
            found.append(
                store.get_or_compute(key, partial(_accuracies, X, y, used, wanted, rows, axes))
            )
    return {name: np.concatenate([row[name].ravel() for row in found]) for name in found[0]}


def _accuracies(X, y, order, sizes, rows, axes):
    Cs, gammas = [2.0**p for p in axes["log2_C"]], [2.0**p for p in axes["log2_gamma"]]
    train, test = rows["train"], rows["test"]
    row = {"test": fold_accuracies(X, y, order, sizes, train, test, Cs=Cs, gammas=gammas)}
    if rows["folds"]:
        found = cv_accuracies(X, y, order, sizes, rows["folds"], Cs=Cs, gammas=gammas)
        row["validation"] = found.mean(axis=0)
    return row
