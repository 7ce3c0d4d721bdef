"""The task of all experiments with rankings: rank features, and evaluate the ranking.

A :class:`Problem` is all that determines a task apart from the method: the source of its samples,
its rows, its scaling, and the evaluators of the ranking.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from experiments import seeds
from experiments.cache import Cache, Row, Task, key_of
from experiments.evaluation.methods import Method, Parameters
from experiments.evaluation.rows import RowPlan, Rows, scaled
from experiments.evaluation.scoring import FLAGS, flagged_scores, rank, stored_scores

if TYPE_CHECKING:
    from experiments.evaluation.sources import Source

#: A ranking that takes fewer seconds is timed again, and the least of the times counts.
SHORT = 0.2
REPEATS = 3


class Prepared(NamedTuple):
    """The samples of a problem as methods and the SVM see them.

    X (n_samples, n_features) is scaled by the training rows. `relevant` holds the features that
    matter, of generated samples.
    """

    X: np.ndarray
    y: np.ndarray
    rows: Rows
    relevant: np.ndarray | None


@dataclass(frozen=True)
class Ranked:
    """A ranking and all that an evaluator may read; `order` has all features, best first."""

    problem: "Problem"
    samples: Prepared
    scores: np.ndarray
    order: np.ndarray
    cache: Cache


#: An evaluator: a frozen dataclass whose fields are part of the key, and a callable of a Ranked
#: that returns columns of a row. It may have a method ``inside()``, the evaluator of inner folds.
Evaluator = Callable[[Ranked], Row]


@dataclass(frozen=True)
class Scores:
    """An evaluator that keeps the scores, and the relevant features of generated samples."""

    def __call__(self, ranked: Ranked) -> Row:
        """Columns "scores" and, if they are known, "relevant"."""
        relevant = ranked.samples.relevant
        known = {} if relevant is None else {"relevant": relevant}
        return {"scores": ranked.scores, **known}


@dataclass(frozen=True, eq=False)
class Problem:
    """Samples, rows and evaluators of a task."""

    source: "Source"
    rows: RowPlan
    evaluators: tuple[Evaluator, ...]
    seed: int
    #: See :func:`experiments.evaluation.rows.scaled`.
    scaling: str = "none"
    #: Of the split or draw.
    number: int | None = None
    #: Number of the inner fold; None stands for the whole training part.
    fold: int | None = None
    #: Number of the best features that the row keeps; all if None.
    n_kept: int | None = None

    @cached_property
    def identity(self) -> dict[str, Any]:
        """The determinants of the problem's task apart from the method, as JSON values."""
        return {
            **self.ranked_by,
            "training": self.rows.of_training(),
            "evaluators": [
                [type(evaluator).__name__, asdict(evaluator)] for evaluator in self.evaluators
            ],  # type: ignore[call-overload]
            "n_kept": self.n_kept,
        }

    @cached_property
    def ranked_by(self) -> dict[str, Any]:
        """The determinants of the scores apart from the method, as JSON values."""
        return self._determined_by(self.rows.of_ranking(self.fold))

    @cached_property
    def trained_by(self) -> dict[str, Any]:
        """The determinants of the prepared samples, training rows, test rows and folds."""
        return self._determined_by(self.rows.of_training())

    def _determined_by(self, rows: dict[str, Any]) -> dict[str, Any]:
        return {
            "samples": self.source.fingerprint,
            "rows": [type(self.rows).__name__, rows],
            **{name: getattr(self, name) for name in ("seed", "scaling", "number", "fold")},
        }

    @cached_property
    def name(self) -> str:
        """The text of the identity."""
        return seeds.canonical_json(self.identity)

    @cached_property
    def folds(self) -> list["Problem"]:
        """The problems of the inner folds, in each of which features are ranked anew."""
        evaluators = tuple(
            getattr(evaluator, "inside", lambda j=evaluator: j)() for evaluator in self.evaluators
        )
        inside = replace(self, rows=self.rows.inside(), evaluators=evaluators)
        n_folds = getattr(self.rows, "inner_folds", 0)
        return [replace(inside, fold=fold) for fold in range(n_folds)]

    def division(self, y: np.ndarray) -> Rows:
        """The rows of the problem."""
        return self.rows.rows(y, self.source.fingerprint, self.seed, self.number, self.fold)

    def prepared(self) -> Prepared:
        """The scaled samples and the rows of the problem."""
        samples = self.source.samples()
        rows = self.division(samples.y)
        X = scaled(samples.X, rows.train, self.scaling)
        return Prepared(X, samples.y, rows, samples.relevant)

    def ties(self) -> np.random.Generator:
        """The generator that breaks ties of scores, the same for all methods and folds."""
        number = () if self.rows.breaks_ties_alike else (self.number,)
        return seeds.generator(self.seed, "ties", *self.source.axes, *number)


def task_of(problem: Problem, method: Method, parameters: Parameters, cache: Cache) -> Task:
    """The task that ranks a problem by one candidate of a method."""
    at = {"problem": problem.identity, "method": method.identity(parameters)}
    key = key_of("ranking", method.scorers(), **at)
    return Task(key, partial(rank_and_evaluate, problem, method, parameters, cache))


def rank_and_evaluate(
    problem: Problem, method: Method, parameters: Parameters, cache: Cache
) -> Row:
    """Rank the features of a problem by one candidate of a method, and evaluate the ranking.

    Returns
    -------
    Row
        "order": the best `n_kept` features, best first. The flags of
        :data:`experiments.evaluation.scoring.FLAGS`, and the columns of the evaluators.
    """
    samples = problem.prepared()
    scored = _scores(problem, method, parameters, samples, cache)
    order = rank(scored["scores"], problem.ties())
    ranked = Ranked(problem, samples, scored["scores"], order, cache)
    row: Row = {}
    for evaluator in problem.evaluators:
        row |= evaluator(ranked)
    flags = {flag: bool(scored[flag]) for flag in FLAGS}
    return {**row, "order": order[: problem.n_kept], **flags}


def _scores(problem, method, parameters, samples, cache) -> Row:
    """The scores of the rows that are ranked."""
    X, y = samples.X[samples.rows.rank], samples.y[samples.rows.rank]
    if samples.relevant is not None:  # The row has the scores; they are no task of their own.
        return flagged_scores(method, X, y, [parameters])[0]
    return stored_scores(method, X, y, parameters, cache, problem.ranked_by)


def timing_unit(problem: Problem, method: Method, parameters: Parameters) -> Task:
    """The task that times one candidate of a method on a problem."""
    at = {"problem": problem.ranked_by, "method": method.identity(parameters)}
    key = key_of("seconds", method.scorers(), **at)
    return Task(key, partial(time_ranking, problem, method, parameters))


def time_ranking(problem: Problem, method: Method, parameters: Parameters) -> Row:
    """Wall seconds of the scores of one candidate on the rows that are ranked, on one thread.

    They depend on the machine that computes the task, so no other row depends on them.

    Returns
    -------
    Row
        "seconds"; "n_samples" and "n_features" that were ranked.
    """
    samples = problem.prepared()
    X, y = samples.X[samples.rows.rank], samples.y[samples.rows.rank]
    taken: list[float] = []
    with threadpool_limits(1):
        while len(taken) < REPEATS and (not taken or taken[-1] < SHORT):
            start = time.perf_counter()
            flagged_scores(method, X, y, [parameters])
            taken.append(time.perf_counter() - start)
    return {"seconds": min(taken), "n_samples": len(X), "n_features": X.shape[1]}
