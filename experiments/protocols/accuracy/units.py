"""The unit of the accuracy protocol: rank some rows, judge the ranking by an SVM on others.

It records the accuracy of *every* cell, on the test and the training rows too, unless the config
asks for the best cell alone; what a split takes is read from these arrays afterwards. Equal
rankings of the same rows, of whatever method, are judged once, and so is the set of all features.
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
from experiments.evaluation.svm.grid import (
    best_cell,
    cv_accuracies,
    fold_accuracies,
    refit_accuracies,
)

if TYPE_CHECKING:
    from experiments.engine.store import Store
    from experiments.evaluation.samples import Source

#: Those axes that determine which rows there are, and how they are scaled.
SPLIT_AXES = ("fingerprint", "seed", "split", "fold", "test_size", "inner_folds", "scaling")


def judge_ranking(
    source: "Source", axes: dict, method: Method, parameters: Parameters, store: "Store"
) -> Row:
    """Rank the training rows of a split, or of one of its inner folds, and judge the ranking.

    Where the axes have "columns", the number of an order, the scorer is given the features in this
    random order, and its scores are put back into their own places. The order of the features is
    that of a data file, so it is the same for all splits.

    Returns
    -------
    Row
        "test": accuracies (sizes, C, gamma) on the rows held out from the ranking. For a whole
        training part also "train", those of the same SVMs on the rows that they were fitted on, and
        "validation", the mean over the folds of all inner repeats with that one ranking. Where the
        axes have refit "best", the first two are NaN in all cells but the best one of each size.
        "order": the best features, as many as the largest subset has. The flags of
        :func:`experiments.evaluation.scoring.flagged_scores`.
    """
    X, y = source.samples()
    fingerprint = axes["fingerprint"]
    seed, split, fold = axes["seed"], axes["split"], axes["fold"]
    train, held_out = outer_split(y, fingerprint, seed, split, axes["test_size"])
    named = (y, train, fingerprint, seed, split, axes["inner_folds"])
    folds = inner_folds(*named, axes["inner_repeats"]) if fold is None else []
    if fold is not None:
        train, held_out = inner_folds(*named)[fold]
    X = scaled(X, train, axes["scaling"])
    ranking = ranking_rows(y, train, fingerprint, seed, (split, fold), axes["share"])
    ranked_by = {name: axes[name] for name in (*SPLIT_AXES, "share", "columns") if name in axes}
    seen, columns = X[ranking], np.arange(X.shape[1])
    if "columns" in axes:
        rng = seeds.generator(seed, "columns", fingerprint, axes["columns"])
        columns = rng.permutation(columns)
        # Unlike an index, `take` leaves the values of a sample side by side in memory.
        seen = seen.take(columns, axis=1)
    ranked = stored_scores(method, seen, y[ranking], parameters, store, ranked_by)
    scores = np.empty(len(columns))
    scores[columns] = ranked["scores"]
    order = rank(scores, seeds.generator(seed, "ties", fingerprint, split))
    order = order[: max(axes["sizes"])]
    rows = {"train": train, "test": held_out, "folds": folds}
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
                rows={n: axes[n] for n in (*SPLIT_AXES, "inner_repeats", "refit") if n in axes},
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
    if not rows["folds"]:
        return {"test": fold_accuracies(X, y, order, sizes, train, test, Cs=Cs, gammas=gammas)}
    found = cv_accuracies(X, y, order, sizes, rows["folds"], Cs=Cs, gammas=gammas)
    validation = found.mean(axis=0)
    cells = best_cell(validation) if axes["refit"] == "best" else None
    on_test, on_train = refit_accuracies(
        X, y, order, sizes, train, test, Cs=Cs, gammas=gammas, cells=cells
    )
    return {"test": on_test, "train": on_train, "validation": validation}
