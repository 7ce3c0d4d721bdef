"""Tune a method on the few samples from which it ranks, and evaluate its ranking.

All choices of a method (its parameters and the cell of the SVM) are made inside these samples, by
cross-validation in which features are ranked again in every fold. The results are therefore what a
user with few samples would get.
"""

import warnings
from dataclasses import asdict, dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.metrics import average_precision_score

from experiments import seeds
from experiments.cache import Row, Task, key_of
from experiments.evaluation.division import Folds, inner_folds, ranking_rows, scaled
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


class Tuned(NamedTuple):
    """The chosen candidate and cell of the SVM, and their accuracy over the folds."""

    parameters: Parameters
    cell: tuple[int, int]
    validation: float


@dataclass(frozen=True, eq=False)
class FewSamples:
    """The samples of a draw, and folds of the rows that are ranked."""

    drawn: Drawn
    setting: Setting
    X: np.ndarray
    y: np.ndarray
    folds: Folds
    n_selected: int

    def selected(self, scores: np.ndarray) -> np.ndarray:
        """Return the best features; all methods break ties alike."""
        rng = seeds.generator(self.drawn.seed, "ties", self.drawn.fingerprint)
        return rank(scores, rng)[: self.n_selected]

    def accuracies(
        self, scores: np.ndarray, X: np.ndarray, train: np.ndarray, test: np.ndarray
    ) -> np.ndarray:
        """Return the accuracies (1, C, gamma) of the SVMs on the selected features."""
        sizes = (self.n_selected,)
        grid = SvmGrid(sizes, self.setting.log2_C, self.setting.log2_gamma).cells
        (accuracies,) = cv_accuracies(
            X, self.y, self.selected(scores), sizes, [(train, test)], **grid
        )
        return accuracies

    def tuned(self, method: Method) -> Tuned:
        """Return the candidate and the cell with the best accuracy over the folds."""
        first: Parameters = {}
        for part in method.prerequisites():
            first |= self.tuned(part).parameters
        method = method.with_tuned(first)
        candidates = method.candidates()
        n_cells = len(self.setting.log2_C) * len(self.setting.log2_gamma)
        if len(candidates) * n_cells == 1:
            return Tuned(candidates[0], (0, 0), np.nan)  # Nothing is chosen.

        def evaluate(train: np.ndarray, held_out: np.ndarray) -> list[np.ndarray]:
            X_fold = scaled(self.X, train, self.setting.scaling)
            with warnings.catch_warnings():
                for category in FLAGS.values():  # The final ranking has the flags.
                    warnings.simplefilter("ignore", category)
                vectors = method.all_scores(X_fold[train], self.y[train], candidates)
            return [self.accuracies(scores, X_fold, train, held_out) for scores in vectors]

        choice = choose(cross_validated(self.folds, evaluate))
        (c,), (g,) = choice.cells
        validation = float(choice.validation[0])
        return Tuned(candidates[choice.candidate], (int(c), int(g)), validation)


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
    is_relevant = np.isin(np.arange(X.shape[1]), relevant)
    n_selected = len(relevant)
    pool, test = np.split(np.arange(len(y)), [setting.pool])
    axes = (drawn.fingerprint, drawn.seed, 0)
    rows = ranking_rows(y, pool, *axes, setting.n_train / setting.pool)
    folds = inner_folds(y, rows, *axes, setting.n_folds)
    samples = FewSamples(drawn, setting, X, y, folds, n_selected)
    tuned = samples.tuned(method)
    X_all = scaled(X, rows, setting.scaling)
    (row,) = flagged_scores(method, X_all[rows], y[rows], [tuned.parameters])
    scores = row["scores"]
    order = samples.selected(scores)
    (on_test,) = samples.accuracies(scores, X_all, rows, test)
    # Scores that differ only by rounding are equal.
    precision = average_precision_score(is_relevant, -levels(scores))
    return {
        **{flag: row[flag] for flag in FLAGS},
        "recovered": int(is_relevant[order].sum()),
        "n_relevant": n_selected,
        "average_precision": float(precision),
        "accuracy": float(on_test[tuned.cell]),
        "validation": tuned.validation,
        "parameters": text(tuned.parameters),
        "order": order,
    }
