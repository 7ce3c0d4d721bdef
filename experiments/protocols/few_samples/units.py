"""The units of this kind: judge a ranking on all samples that do not train, and show operators."""

import hashlib
import warnings
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from experiments.engine import seeds
from experiments.engine.keys import Row, key_of
from experiments.evaluation.methods import Method, Parameters
from experiments.evaluation.ordered import scores_in_order
from experiments.evaluation.scoring import FLAGS, rank
from experiments.evaluation.splits import inner_folds, ranking_rows, scaled
from experiments.evaluation.svm.grid import best_cell, cv_accuracies
from experiments.protocols.illustration.units import oriented
from manifest.categories import UninformativeScoreWarning
from manifest.composite_kernels import operators

if TYPE_CHECKING:
    from experiments.engine.store import Store
    from experiments.evaluation.samples import Source

#: Those axes that determine which rows there are, and how they are scaled.
SPLIT_AXES = ("fingerprint", "seed", "split", "n_per_class", "inner_folds", "scaling")
#: So many test rows have their kernel computed at once.
ROWS = 4000


def draw(y, fingerprint, seed, split, n_per_class) -> tuple[np.ndarray, np.ndarray]:
    """As many training rows of each class at random, and all other rows, both in order."""
    rng = seeds.generator(seed, "few samples", fingerprint, split)
    members = [rng.permutation(np.flatnonzero(y == label)) for label in np.unique(y)]
    train = np.sort(np.concatenate([rows[:n_per_class] for rows in members]))
    return train, np.setdiff1d(np.arange(len(y)), train)


def judge_on_others(
    source: "Source", axes: dict, method: Method, parameters: Parameters, store: "Store"
) -> Row:
    """Rank the training rows of a draw, tune an SVM on them, and test it on all others.

    Where the axes have "columns", the scorer is given the features in another order: see
    :func:`experiments.evaluation.ordered.scores_in_order`.

    Returns
    -------
    Row
        "validation": mean accuracies (sizes, C, gamma) over the inner folds of the training rows.
        "test": in the best cell of each size, the accuracy on all other rows; NaN in other cells.
        "order" and flags: see :func:`experiments.protocols.accuracy.units.judge_ranking`.
    """
    X, y = source.samples()
    fingerprint, seed, split = axes["fingerprint"], axes["seed"], axes["split"]
    train, test = draw(y, fingerprint, seed, split, axes["n_per_class"])
    X = scaled(X, train, axes["scaling"])
    ranking = ranking_rows(y, train, fingerprint, seed, (split, None), axes["share"])
    ranked_by = {name: axes[name] for name in (*SPLIT_AXES, "share", "columns") if name in axes}
    ranked = scores_in_order(method, X[ranking], y[ranking], parameters, store, ranked_by)
    order = rank(ranked["scores"], seeds.generator(seed, "ties", fingerprint, split))
    order = order[: max(axes["sizes"])]
    key = key_of(
        "few_samples",
        [tuned_accuracies],
        rows={name: axes[name] for name in SPLIT_AXES},
        grid={"sizes": axes["sizes"], "C": axes["log2_C"], "gamma": axes["log2_gamma"]},
        order=hashlib.sha256(order.astype("<i8").tobytes()).hexdigest(),
    )
    folds = inner_folds(y, train, fingerprint, seed, split, axes["inner_folds"])
    judge = partial(tuned_accuracies, X, y, order, train, test, folds, axes)
    return {
        **store.get_or_compute(key, judge),
        "order": order,
        **{flag: bool(ranked[flag]) for flag in FLAGS},
    }


def tuned_accuracies(X, y, order, train, test, folds, axes) -> Row:
    """The accuracies of :func:`judge_on_others`."""
    Cs, gammas = [2.0**p for p in axes["log2_C"]], [2.0**p for p in axes["log2_gamma"]]
    found = cv_accuracies(X, y, order, axes["sizes"], folds, Cs=Cs, gammas=gammas)
    validation = found.mean(axis=0)
    tests = np.full(validation.shape, np.nan)
    for i, (size, c, g) in enumerate(zip(axes["sizes"], *best_cell(validation), strict=True)):
        kept = X[:, order[:size]]
        tests[i, c, g] = held_out_accuracy(kept, y, train, test, C=Cs[c], gamma=gammas[g])
    return {"validation": validation, "test": tests}


def held_out_accuracy(X, y, train, test, *, C, gamma) -> float:
    """Accuracy on `test` of ``SVC(C=C, gamma=gamma)`` fitted on `train`.

    A matrix product gives the kernel of many test rows at once, in a third of the time that
    libsvm takes for one row after the other.
    """
    svm = SVC(kernel="precomputed", C=C).fit(rbf_kernel(X[train], gamma=gamma), y[train])
    right = 0
    for start in range(0, len(test), ROWS):
        some = test[start : start + ROWS]
        predicted = svm.predict(rbf_kernel(X[some], X[train], gamma=gamma))
        right += int(np.count_nonzero(predicted == y[some]))
    return right / len(test)


def show(source: "Source", axes: dict, parameters: dict, n_mean: int, n_difference: int) -> Row:
    """The score of the training rows of a draw, and leading eigenvectors of M and of each D.

    Returns
    -------
    Row
        "score" (d,); "mean_values" (n_mean,) and "mean_vectors" (n_mean, d); "difference_values"
        (C, n_difference) and "difference_vectors" (C, n_difference, d); C is 1 for two classes.
    """
    X, y = source.samples()
    train, _ = draw(y, axes["fingerprint"], axes["seed"], axes["split"], axes["n_per_class"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UninformativeScoreWarning)  # The ranking's flag tells.
        found = operators(scaled(X, train, axes["scaling"])[train], y[train], **parameters)
    vectors = found.difference_eigenvectors
    vectors = vectors[..., :n_difference].reshape(-1, *vectors.shape[-2:-1], n_difference)
    values = np.atleast_2d(found.difference_eigenvalues)[:, :n_difference]
    return {
        "score": found.score,
        "mean_values": found.mean_eigenvalues[:n_mean],
        "mean_vectors": oriented(found.mean_eigenvectors[:, :n_mean]).T,
        "difference_values": values,
        "difference_vectors": np.array([oriented(of_class).T for of_class in vectors]),
    }
