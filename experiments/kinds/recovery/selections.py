"""Tasks about selected features: the accuracy of an SVM, and the test rows in the plane."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.manifold import TSNE

from experiments import seeds
from experiments.cache import Row, Task, key_of
from experiments.evaluation.division import inner_folds
from experiments.evaluation.svm.evaluators import Subsets, SvmGrid
from experiments.evaluation.svm.grid import best_cell
from experiments.evaluation.tasks import Problem


def task_of(task: Callable[..., Row], problem: Problem, columns: list[int], **options: Any) -> Task:
    """Return the task of :func:`svm` or :func:`plane` on some columns."""
    kind = f"selection, {task.__name__}"
    key = key_of(kind, problem=problem.identity, columns=columns, options=options)
    return Task(key, partial(task, problem, columns, **options))


def svm(
    problem: Problem,
    columns: list[int],
    *,
    n_folds: int,
    log2_C: Sequence[float],
    log2_gamma: Sequence[float],
) -> Row:
    """Tune an SVM on some features of all training rows, and test it once.

    Returns
    -------
    Row
        "accuracy" on the test rows, "validation" of the cell chosen by cross-validation inside the
        training rows, and the cell: "log2_C" and "log2_gamma".
    """
    (X, y, _), division = problem.prepared()
    folds = inner_folds(y, division.train, problem.source.fingerprint, problem.seed, 0, n_folds)
    division = replace(division, folds=folds)
    evaluator = SvmGrid((len(columns),), tuple(log2_C), tuple(log2_gamma))
    subsets = Subsets(X, y, np.array(columns), evaluator.sizes)
    grid = evaluator.accuracies(subsets, division)
    (i,), (j,) = best_cell(grid["validation"])
    return {
        "accuracy": float(grid["test"][0, i, j]),
        "validation": float(grid["validation"][0, i, j]),
        "log2_C": float(log2_C[i]),
        "log2_gamma": float(log2_gamma[j]),
    }


def plane(problem: Problem, columns: list[int]) -> Row:
    """Map the test rows to the plane by t-SNE of some features (van der Maaten and Hinton 2008).

    "x", "y" and "class" have an entry for each test row. All selections from the same samples have
    the same seed.
    """
    (X, y, _), division = problem.prepared()
    X = X[division.test][:, columns]
    positions = TSNE(
        init="pca",
        perplexity=min(30.0, (len(X) - 1) / 3),
        random_state=seeds.integer(problem.seed, "tsne", problem.source.fingerprint),
    ).fit_transform(X)
    first, second = positions.T.astype(np.float64)
    return {"x": first, "y": second, "class": y[division.test]}
