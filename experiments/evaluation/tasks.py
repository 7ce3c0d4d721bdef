"""Rank features and evaluate the ranking: the task of all experiments with rankings.

A :class:`Problem` is all that determines a task apart from the method: the source of its samples,
their division, their scaling, and the evaluator of the ranking. The scores of a method are stored
for the same samples.
"""

import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from typing import Any

import joblib
import numpy as np

from baselines import sum_of_normalised
from experiments import seeds
from experiments.cache import Cache, Row, Task, key_of
from experiments.datasets import Sample
from experiments.evaluation.division import Divider, Division, scaled
from experiments.evaluation.methods import Method, Parameters
from experiments.evaluation.samples import Source
from experiments.evaluation.svm.evaluators import SvmGrid
from manifest import AmbiguousScoreWarning, HiddenPairWarning, UninformativeScoreWarning
from manifest.ranking import levels

#: Flag of a row -> the warning that raises it.
FLAGS = {"ambiguous": AmbiguousScoreWarning, "uninformative": UninformativeScoreWarning}


def flagged_scores(
    method: Method, X: np.ndarray, y: np.ndarray, candidates: list[Parameters]
) -> list[Row]:
    """Return the scores of candidates, each with the warnings of the scorer as flags.

    "ambiguous": Algorithm 2 has warned that they are not unique; "uninformative": they are no more
    than rounding. That a scale hides a pair of features is expected of some scales of a grid. Other
    warnings are issued again.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores_of_candidates = method.all_scores(X, y, candidates)
    flags = {}
    for flag, category in FLAGS.items():
        flags[flag] = any(issubclass(warning.category, category) for warning in caught)
    if any(flags.values()) and len(candidates) > 1:  # A warning does not name its candidate.
        rows = []
        for candidate in candidates:
            rows += flagged_scores(method, X, y, [candidate])
        return rows
    expected = (*FLAGS.values(), HiddenPairWarning)
    for warning in caught:
        if not issubclass(warning.category, expected):
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
    return [{"scores": scores, **flags} for scores in scores_of_candidates]


def stored_scores(
    method: Method, X: np.ndarray, y: np.ndarray, parameters: Parameters, cache: Cache
) -> Row:
    """Return the scores of a method on some samples; compute them if they are not stored.

    The parts of a sum are stored, not the sum. Candidates that the scorer scores together are one
    entry.
    """
    if len(method.parts) > 1:
        return _stored_sum(method, X, y, parameters, cache)
    together = method.grid_siblings(parameters)
    identities = [method.identity(sibling) for sibling in together]
    key = key_of("scores", samples=joblib.hash((X, y)), method=identities)
    entry = cache.row(key, lambda: {"rows": flagged_scores(method, X, y, together)})
    return entry["rows"][together.index(parameters)]


def _stored_sum(
    method: Method, X: np.ndarray, y: np.ndarray, parameters: Parameters, cache: Cache
) -> Row:
    """Return the scores of a sum, which has the flags of all its parts."""
    scores = []
    flags = dict.fromkeys(FLAGS, False)
    for part in method.single_parts():
        row = stored_scores(part, X, y, {part.name: parameters[part.name]}, cache)
        scores.append(row["scores"])
        for flag in FLAGS:
            flags[flag] |= row[flag]
    return {"scores": sum_of_normalised(scores), **flags}


def rank(scores: Sequence[float] | np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the features from best to worst, equal scores in random order.

    Scores are equal if they differ by less than 1e-9 of the largest (see
    :func:`manifest.ranking.levels`), so that rounding by another version of a library, or by
    another order of a sum, does not change a ranking. Breaking ties by position would favour the
    first columns, which are often the relevant ones of a generator.

    Parameters
    ----------
    scores : array of shape (n_features,)
        Higher is better.
    rng : numpy.random.Generator
        From the axes of the task, so that all methods break ties in the same way.
    """
    shuffled = rng.permutation(len(scores))
    return shuffled[np.argsort(levels(scores)[shuffled], kind="stable")]


@dataclass(frozen=True, eq=False)
class Problem:
    """Samples, division and evaluator of a task.

    The evaluator is None for generated samples, and for classifiers that select features.
    """

    source: Source
    divider: Divider
    evaluator: SvmGrid | None
    seed: int
    #: See :func:`experiments.evaluation.division.scaled`.
    scaling: str = "none"
    #: Of the split; None for a draw, which has no splits.
    number: int | None = None
    #: Number of the inner fold; None stands for the whole training part.
    fold: int | None = None
    #: Number of the best features that the row keeps; all if None.
    n_kept: int | None = None

    @cached_property
    def identity(self) -> dict[str, Any]:
        """The determinants of the problem's task apart from the method, as JSON values."""
        evaluator = None
        if self.evaluator is not None:
            evaluator = [type(self.evaluator).__name__, asdict(self.evaluator)]
        return {
            "samples": self.source.fingerprint,
            "divider": [type(self.divider).__name__, asdict(self.divider)],
            "evaluator": evaluator,
            "seed": self.seed,
            "scaling": self.scaling,
            "number": self.number,
            "fold": self.fold,
            "n_kept": self.n_kept,
        }

    @cached_property
    def folds(self) -> list["Problem"]:
        """The problems of the inner folds, in each of which features are ranked anew."""
        n_folds = self.divider.inner_folds  # type: ignore[union-attr]
        return [replace(self, fold=fold) for fold in range(n_folds)]

    def division(self, y: np.ndarray) -> Division:
        """The division of the samples."""
        return self.divider.division(y, self.source.fingerprint, self.seed, self.number, self.fold)

    def prepared(self) -> tuple[Sample, Division]:
        """The samples, scaled by the training rows, and their division."""
        samples = self.source.samples()
        division = self.division(samples.y)
        X = scaled(samples.X, division.train, self.scaling)
        return samples._replace(X=X), division

    def ties(self) -> np.random.Generator:
        """The generator that breaks ties of scores, the same for all methods and folds."""
        number = () if self.number is None else (self.number,)
        return seeds.generator(self.seed, "ties", *self.source.axes, *number)


def task_of(problem: Problem, method: Method, parameters: Parameters, cache: Cache) -> Task:
    """The task that ranks a problem by one candidate of a method."""
    identity = method.identity(parameters)
    key = key_of("ranking", problem=problem.identity, method=identity)
    return Task(key, partial(rank_and_evaluate, problem, method, parameters, cache))


def rank_and_evaluate(
    problem: Problem, method: Method, parameters: Parameters, cache: Cache
) -> Row:
    """Rank the features of a problem by one candidate of a method, and evaluate the ranking.

    Returns
    -------
    Row
        "order": the best `n_kept` features, best first. The flags of :data:`FLAGS`. The columns of
        the evaluator, or "scores" and "relevant", the relevant features of generated samples.
    """
    (X, y, relevant), division = problem.prepared()
    X_rank = X[division.rank]
    y_rank = y[division.rank]
    if problem.evaluator is None:  # The row has the scores, which are no entry of their own.
        (row,) = flagged_scores(method, X_rank, y_rank, [parameters])
        order = rank(row["scores"], problem.ties())
        columns = {"scores": row["scores"], "relevant": relevant}
    else:
        row = stored_scores(method, X_rank, y_rank, parameters, cache)
        order = rank(row["scores"], problem.ties())
        columns = problem.evaluator(problem.identity, X, y, division, order, cache)
    flags = {flag: row[flag] for flag in FLAGS}
    return {**columns, "order": order[: problem.n_kept], **flags}
