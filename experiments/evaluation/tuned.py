"""The unit that tunes a method on the few samples that it ranks, and judges its ranking.

All choices of a method (its parameters, and the cell of the SVM) are made inside the samples that
it ranks, by cross-validation in which every fold ranks anew. So the results are what a user of few
samples would get.
"""

import warnings
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
from sklearn.metrics import average_precision_score

from experiments import seeds
from experiments.cache import Row, Task, key_of
from experiments.evaluation.draws import Altered
from experiments.evaluation.methods import Method, Parameters, text
from experiments.evaluation.readings import choose
from experiments.evaluation.rows import Folds, inner_folds, scaled
from experiments.evaluation.scoring import FLAGS, flagged_scores, rank
from experiments.evaluation.svm.grid import fold_accuracies, powers
from manifest.ranking import levels


@dataclass(frozen=True)
class Tuning:
    """The scaling, and the cross-validation of the SVM's grid inside the ranked samples."""

    scaling: str
    n_folds: int
    log2_C: tuple[float, ...]
    log2_gamma: tuple[float, ...]


def unit_of(source: Altered, method: Method, tuning: Tuning) -> Task:
    """The unit of a method on altered samples."""
    parts = [[part.name, part.call, dict(part.fixed), dict(part.grid)] for part in method.parts]
    key = key_of(
        "tuned ranking",
        method.scorers(),
        samples=source.fingerprint,
        method=[parts, list(method.alone)],
        tuning=asdict(tuning),
    )
    return Task(key, partial(tune_and_judge, source, method, tuning))


def tune_and_judge(source: Altered, method: Method, tuning: Tuning) -> Row:
    """Tune a method on a few samples of a draw, rank with it, and judge the ranking.

    As many features are selected as are relevant. A copy stands for its relevant feature, which is
    counted once. In a control (:class:`~experiments.evaluation.control.Control`) the copied
    irrelevant features take the place of the relevant ones.

    Returns
    -------
    Row
        "recovered": the number of relevant features among the selected, out of "n_relevant";
        "average_precision" of the scores, with relevant features and their copies as positives;
        "accuracy" of an SVM on the selected features, trained on the ranked samples and tested on
        those outside the pool; "validation", "parameters", "order" (the selected features), and the
        flags of the scores.
    """
    search = _Search(source, tuning)
    rows, test = source.rows()
    folds = inner_folds(
        search.y, rows, source.drawn.fingerprint, source.drawn.seed, 0, tuning.n_folds
    )
    parameters, cell, validation = search.tuned(method, folds)
    X = scaled(search.X, rows, tuning.scaling)
    (row,) = flagged_scores(method, X[rows], search.y[rows], [parameters])
    order, origin = search.order(row["scores"]), source.origin()
    is_carrier = origin >= 0
    return {
        **{flag: row[flag] for flag in FLAGS},
        "recovered": len(np.unique(origin[order][is_carrier[order]])),
        "n_relevant": search.n_selected,
        # Scores that rounding alone tells apart are equal.
        "average_precision": float(average_precision_score(is_carrier, -levels(row["scores"]))),
        "accuracy": float(search.accuracies(X, order, rows, test)[0][cell]),
        "validation": validation,
        "parameters": text(parameters),
        "order": order,
    }


class _Search:
    """The comparison of candidates on the altered samples of one draw."""

    def __init__(self, source: Altered, tuning: Tuning):
        self.source, self.scaling = source, tuning.scaling
        self.X, self.y, relevant = source.samples()
        self.n_selected = len(relevant)  # type: ignore[arg-type]
        self.grid = powers(tuning.log2_C, tuning.log2_gamma)

    def order(self, scores) -> np.ndarray:
        """The selected features, the best first; all methods break ties alike."""
        ties = seeds.generator(self.source.drawn.seed, "ties", *self.source.axes)
        return rank(scores, ties)[: self.n_selected]

    def accuracies(self, X, order, train, test) -> np.ndarray:
        """Accuracies (1, C, gamma) of the SVMs on those features."""
        return fold_accuracies(X, self.y, order, [len(order)], train, test, **self.grid)

    def tuned(self, method: Method, folds: Folds) -> tuple[Parameters, tuple[int, int], float]:
        """The candidate and the cell with the best accuracy over the folds, and that accuracy."""
        ready = method.fix_tuned_parts(lambda part: self.tuned(part, folds)[0])
        assert ready is not None
        candidates = ready.candidates()
        validations = np.zeros((len(candidates), 1, *(len(axis) for axis in self.grid.values())))
        for train, test in folds:
            X = scaled(self.X, train, self.scaling)
            with warnings.catch_warnings():
                for category in FLAGS.values():  # The final ranking has the flags.
                    warnings.simplefilter("ignore", category)
                of_all = ready.all_scores(X[train], self.y[train], candidates)
            for i, scores in enumerate(of_all):
                validations[i] += self.accuracies(X, self.order(scores), train, test) / len(folds)
        choice = choose(list(validations))
        (c,), (g,) = choice.cells
        return candidates[choice.candidate], (int(c), int(g)), float(choice.validation[0])
