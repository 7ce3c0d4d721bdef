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
from experiments.evaluation.methods import Method, Parameters, text
from experiments.evaluation.rows import Folds, inner_folds, ranking_rows, scaled
from experiments.evaluation.samples import Drawn
from experiments.evaluation.svm.grid import fold_accuracies, powers
from experiments.evaluation.tasks import FLAGS, flagged_scores, rank
from experiments.evaluation.tuning import choose
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
    parts = [[part.name, part.call, dict(part.fixed), dict(part.grid)] for part in method.parts]
    key = key_of(
        "tuned ranking",
        method.scorers(),
        draw=drawn.fingerprint,
        seed=drawn.seed,
        method=[parts, list(method.alone)],
        setting=asdict(setting),
    )
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
    search = _Search(drawn, setting)
    rows, test = search.rows()
    folds = inner_folds(search.y, rows, drawn.fingerprint, drawn.seed, 0, setting.n_folds)
    parameters, cell, validation = search.tuned(method, folds)
    X = scaled(search.X, rows, setting.scaling)
    (row,) = flagged_scores(method, X[rows], search.y[rows], [parameters])
    order, is_relevant = search.order(row["scores"]), search.is_relevant
    return {
        **{flag: row[flag] for flag in FLAGS},
        "recovered": int(is_relevant[order].sum()),
        "n_relevant": search.n_selected,
        # Scores that differ only by rounding are equal.
        "average_precision": float(average_precision_score(is_relevant, -levels(row["scores"]))),
        "accuracy": float(search.accuracies(X, order, rows, test)[0][cell]),
        "validation": validation,
        "parameters": text(parameters),
        "order": order,
    }


class _Search:
    """The comparison of candidates on the samples of one draw."""

    def __init__(self, drawn: Drawn, setting: Setting):
        self.drawn, self.setting = drawn, setting
        self.X, self.y, relevant = drawn.samples()
        self.is_relevant = np.zeros(self.X.shape[1], dtype=bool)
        self.is_relevant[relevant] = True
        self.n_selected = int(self.is_relevant.sum())
        self.grid = powers(setting.log2_C, setting.log2_gamma)

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows that are ranked, and the test rows."""
        pool, test = np.split(np.arange(len(self.y)), [self.setting.pool])
        share = min(1, self.setting.n_train / self.setting.pool)
        return ranking_rows(self.y, pool, self.drawn.fingerprint, self.drawn.seed, 0, share), test

    def order(self, scores) -> np.ndarray:
        """The selected features, the best first; all methods break ties alike."""
        ties = seeds.generator(self.drawn.seed, "ties", self.drawn.fingerprint)
        return rank(scores, ties)[: self.n_selected]

    def accuracies(self, X, order, train, test) -> np.ndarray:
        """Accuracies (1, C, gamma) of the SVMs on those features."""
        return fold_accuracies(X, self.y, order, [len(order)], train, test, **self.grid)

    def tuned(self, method: Method, folds: Folds) -> tuple[Parameters, tuple[int, int], float]:
        """The candidate and the cell with the best accuracy over the folds, and that accuracy."""
        first: Parameters = {}
        for part in method.prerequisites():
            first |= self.tuned(part, folds)[0]
        ready = method.with_tuned(first)
        candidates = ready.candidates()
        n_cells = [len(axis) for axis in self.grid.values()]
        if len(candidates) == 1 and n_cells == [1, 1]:  # Nothing is chosen.
            return candidates[0], (0, 0), np.nan
        validations = np.zeros((len(candidates), 1, *n_cells))
        for train, test in folds:
            X = scaled(self.X, train, self.setting.scaling)
            with warnings.catch_warnings():
                for category in FLAGS.values():  # The final ranking has the flags.
                    warnings.simplefilter("ignore", category)
                of_all = ready.all_scores(X[train], self.y[train], candidates)
            for i, scores in enumerate(of_all):
                validations[i] += self.accuracies(X, self.order(scores), train, test) / len(folds)
        choice = choose(list(validations))
        (c,), (g,) = choice.cells
        return candidates[choice.candidate], (int(c), int(g)), float(choice.validation[0])
