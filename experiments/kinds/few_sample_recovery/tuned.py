"""Tune a method on the few samples from which it ranks, and evaluate its ranking.

All choices of a method (its parameters and the cell of the SVM) are made inside these samples, by
cross-validation in which features are ranked again in every fold. The results are therefore what a
user with few samples would get.
"""

import warnings
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
from sklearn.metrics import average_precision_score

from experiments import seeds
from experiments.cache import Row, Task, key_of
from experiments.evaluation.division import inner_folds, ranking_rows, scaled
from experiments.evaluation.methods import Method, Parameters, text
from experiments.evaluation.samples import Drawn
from experiments.evaluation.svm.evaluators import SvmGrid
from experiments.evaluation.svm.grid import cv_accuracies
from experiments.evaluation.tasks import FLAGS, flagged_scores, rank
from experiments.evaluation.tuning import choose, cross_validated
from manifest.ranking import levels


@dataclass(frozen=True)
class Setting:
    """The samples that are ranked, their scaling, and the cross-validation of the SVM's grid.

    Of the first `pool` samples of a draw, `n_train` are used for ranking, stratified; a smaller
    number is part of a larger one. All samples after the pool are for the test.
    """

    pool: int
    n_train: int
    scaling: str
    n_folds: int
    log2_C: tuple[float, ...]
    log2_gamma: tuple[float, ...]


def task_of(drawn: Drawn, method: Method, setting: Setting) -> Task:
    """Return the task of a method on a draw."""
    determinants = {"seed": drawn.seed, "method": asdict(method), "setting": asdict(setting)}
    key = key_of("tuned", draw=drawn.fingerprint, **determinants)
    return Task(key, partial(tune_and_evaluate, drawn, method, setting))


def tune_and_evaluate(drawn: Drawn, method: Method, setting: Setting) -> Row:
    """Tune a method on a few samples of a draw, rank with it, and evaluate the ranking.

    As many features are selected as are relevant.

    Returns
    -------
    Row
        "recovered": the number of relevant features among the selected, out of "n_relevant";
        "average_precision" of the scores; "accuracy" of an SVM on the selected features, trained on
        the ranked samples and tested on those outside the pool; "validation", "parameters", "order"
        (the selected features), and the flags of the scores.
    """
    X, y, relevant = drawn.samples()
    is_relevant = np.zeros(X.shape[1], dtype=bool)
    is_relevant[relevant] = True
    n_selected = int(is_relevant.sum())
    grid = SvmGrid((n_selected,), setting.log2_C, setting.log2_gamma).cells
    n_cells = len(setting.log2_C) * len(setting.log2_gamma)
    pool, test = np.split(np.arange(len(y)), [setting.pool])
    axes = (drawn.fingerprint, drawn.seed, 0)
    rows = ranking_rows(y, pool, *axes, setting.n_train / setting.pool)
    folds = inner_folds(y, rows, *axes, setting.n_folds)

    def selected(scores):
        """The best features; all methods break ties alike."""
        rng = seeds.generator(drawn.seed, "ties", drawn.fingerprint)
        return rank(scores, rng)[:n_selected]

    def accuracies(scores, X, train, test):
        """Accuracies (1, C, gamma) of the SVMs on the selected features."""
        return cv_accuracies(X, y, selected(scores), [n_selected], [(train, test)], **grid)[0]

    def tuned(method: Method) -> tuple[Parameters, tuple[int, int], float]:
        """The candidate and the cell with the best accuracy over the folds, and that accuracy."""
        first: Parameters = {}
        for part in method.prerequisites():
            parameters, _, _ = tuned(part)
            first |= parameters
        method = method.with_tuned(first)
        candidates = method.candidates()
        if len(candidates) * n_cells == 1:
            return candidates[0], (0, 0), np.nan  # Nothing is chosen.

        def evaluate(train, held_out):
            X_fold = scaled(X, train, setting.scaling)
            with warnings.catch_warnings():
                for category in FLAGS.values():  # The final ranking has the flags.
                    warnings.simplefilter("ignore", category)
                vectors = method.all_scores(X_fold[train], y[train], candidates)
            return [accuracies(scores, X_fold, train, held_out) for scores in vectors]

        choice = choose(cross_validated(folds, evaluate))
        (c,), (g,) = choice.cells
        return candidates[choice.candidate], (int(c), int(g)), float(choice.validation[0])

    parameters, cell, validation = tuned(method)
    X_all = scaled(X, rows, setting.scaling)
    (row,) = flagged_scores(method, X_all[rows], y[rows], [parameters])
    scores = row["scores"]
    order = selected(scores)
    (on_test,) = accuracies(scores, X_all, rows, test)
    # Scores that differ only by rounding are equal.
    precision = average_precision_score(is_relevant, -levels(scores))
    return {
        **{flag: row[flag] for flag in FLAGS},
        "recovered": int(is_relevant[order].sum()),
        "n_relevant": n_selected,
        "average_precision": float(precision),
        "accuracy": float(on_test[cell]),
        "validation": validation,
        "parameters": text(parameters),
        "order": order,
    }
