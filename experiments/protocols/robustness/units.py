"""The unit of this kind: change a draw, rank a few of its samples, judge the ranking.

Samples are those of the protocol recovery. All choices of a method (its parameters, and the cell of
the SVM) are made inside the samples that it ranks, by cross-validation in which every fold ranks
anew. So what is compared is what a user of few samples would get.
"""

import warnings

import numpy as np
from sklearn.metrics import average_precision_score

from experiments.engine import seeds
from experiments.engine.keys import Row
from experiments.evaluation.methods import Method, Parameters, text
from experiments.evaluation.scoring import FLAGS, flagged_scores, rank
from experiments.evaluation.selection import choose
from experiments.evaluation.splits import inner_folds, ranking_rows, scaled
from experiments.evaluation.svm.grid import fold_accuracies
from experiments.protocols.recovery.units import Draw, drawn
from manifest.ranking import levels


def altered(draw: Draw, seed: int, setting: dict) -> tuple[np.ndarray, np.ndarray]:
    """The features of a draw under a setting, and the relevant feature that each one carries.

    Each copy of a relevant feature is the feature plus normal noise. Under a batch shift, a random
    half of the samples has a random half of the features shifted by that many standard deviations;
    which ones is independent of the classes and the same for all shifts.

    Returns
    -------
    X : ndarray (n_samples, n_features + copies * n_relevant)
    origin : ndarray of int (n_features + copies * n_relevant,)
        The relevant feature itself, that of a copy, and -1 for all others.
    """
    X, relevant = draw.X, draw.relevant
    origin = np.full(X.shape[1], -1)
    origin[relevant] = relevant
    spread = X.std(axis=0)
    parts = [X]
    for number in range(int(setting["copies"])):
        noise = seeds.generator(seed, "copy", draw.name, number).standard_normal(
            (len(X), len(relevant))
        )
        parts.append(X[:, relevant] + setting["copy_noise"] * spread[relevant] * noise)
        origin = np.append(origin, relevant)
    X = np.hstack(parts)
    if setting["batch_shift"]:
        rng = seeds.generator(seed, "batches", draw.name)
        in_batch, moved = (rng.permutation(size) < size // 2 for size in X.shape)
        X = X + setting["batch_shift"] * np.outer(in_batch, moved * X.std(axis=0))
    return X, origin


def relabelled(y, rows, share, rng) -> np.ndarray:
    """Labels of two classes, of which those of a random share of the rows are the other ones.

    The rows with another label at a small share have one at every larger share.
    """
    found = y.copy()
    wrong = rng.permutation(rows)[: round(share * len(rows))]
    found[wrong] = y.min() + y.max() - y[wrong]
    return found


def judge(axes: dict, setting: dict, method: Method, plan: dict) -> Row:
    """Tune a method on a few samples of a draw, rank with it, and judge the ranking.

    As many features are selected as are relevant. A copy stands for its relevant feature, which is
    counted once.

    Parameters
    ----------
    axes : dict
        Of the draw: see :func:`experiments.protocols.recovery.units.drawn`.
    setting : dict
        "samples", "label_noise", "copies", "copy_noise", "batch_shift".
    method : Method
    plan : dict
        "pool", "scaling", "inner_folds", "log2_C" and "log2_gamma".

    Returns
    -------
    Row
        "recovered": how many relevant features are among the selected, "n_relevant" of how many;
        "average_precision" of the scores, where relevant features and their copies are positive;
        "accuracy" of an SVM on the selected features, trained on the ranking samples and tested on
        those outside the pool; "validation", "parameters", "order" (the selected features), and the
        flags of the scores.
    """
    draw, seed = drawn(axes), axes["seed"]
    X, origin = altered(draw, seed, setting)
    pool, test = np.split(np.arange(len(X)), [plan["pool"]])
    share = min(1, setting["samples"] / len(pool))
    rows = ranking_rows(draw.y, pool, draw.name, seed, 0, share)
    noise = seeds.generator(seed, "labels", draw.name, len(rows))
    y = relabelled(draw.y, rows, setting["label_noise"], noise)
    search = _Search(X, y, seed, draw.name, len(draw.relevant), plan)
    folds = inner_folds(y, rows, draw.name, seed, 0, plan["inner_folds"])
    parameters, cell, validation = search.tuned(method, folds)
    X = scaled(X, rows, plan["scaling"])
    row = flagged_scores(method, X[rows], y[rows], parameters)
    order = search.order(row["scores"])
    is_carrier = origin >= 0
    return {
        **{flag: row[flag] for flag in FLAGS},
        "recovered": len(np.unique(origin[order][is_carrier[order]])),
        "n_relevant": len(draw.relevant),
        # Scores that rounding alone tells apart are equal.
        "average_precision": float(average_precision_score(is_carrier, -levels(row["scores"]))),
        "accuracy": float(search.accuracies(X, order, rows, test)[0][cell]),
        "validation": validation,
        "parameters": text(parameters),
        "order": order,
    }


class _Search:
    """What candidates are compared on: the samples of one draw, as they are changed."""

    def __init__(self, X, y, seed, name, size, plan):
        self.X, self.y, self.size, self.plan = X, y, size, plan
        self.seed, self.name = seed, name
        self.grid = {
            "Cs": [2.0**power for power in plan["log2_C"]],
            "gammas": [2.0**power for power in plan["log2_gamma"]],
        }

    def order(self, scores) -> np.ndarray:
        """The selected features, the best first; all methods break ties alike."""
        return rank(scores, seeds.generator(self.seed, "ties", self.name))[: self.size]

    def accuracies(self, X, order, train, test) -> np.ndarray:
        """Accuracies (1, C, gamma) of the SVMs on those features."""
        return fold_accuracies(X, self.y, order, [len(order)], train, test, **self.grid)

    def tuned(self, method, folds) -> tuple[Parameters, tuple[int, int], float]:
        """The candidate and the cell with the best accuracy over the folds, and that accuracy."""
        found: Parameters = {}
        for part in method.prerequisites():
            found |= self.tuned(part, folds)[0]
        method = method.with_tuned(found)
        candidates = method.candidates()
        validations = np.zeros((len(candidates), 1, *(len(axis) for axis in self.grid.values())))
        for train, test in folds:
            X = scaled(self.X, train, self.plan["scaling"])
            for i, scores in enumerate(_scores(method, X[train], self.y[train], candidates)):
                validations[i] += self.accuracies(X, self.order(scores), train, test) / len(folds)
        choice = choose(list(validations))
        (c,), (g,) = choice.cells
        return candidates[choice.candidate], (int(c), int(g)), float(choice.validation[0])


def _scores(method, X, y, candidates) -> list[np.ndarray]:
    """The scores of all candidates; what the scorer can score at once is."""
    found: dict[int, np.ndarray] = {}
    with warnings.catch_warnings():
        for category in FLAGS.values():  # The final ranking has the flags.
            warnings.simplefilter("ignore", category)
        for number, parameters in enumerate(candidates):
            if number in found:
                continue
            together = method.grid_siblings(parameters)
            if len(together) == 1:
                found[number] = method.scores(X, y, parameters)
            else:
                rows = method.sibling_scores(X, y, together)
                found |= dict(zip(map(candidates.index, together), rows, strict=True))
    return [found[number] for number in range(len(candidates))]
