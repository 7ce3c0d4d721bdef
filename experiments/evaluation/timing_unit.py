"""The unit that measures the time of a ranking."""

import time
from collections.abc import Callable
from functools import partial

from threadpoolctl import threadpool_limits

from experiments.engine.keys import Row, Unit, key_of
from experiments.evaluation.methods import Method, Parameters
from experiments.evaluation.ranking import Problem
from experiments.evaluation.scoring import flagged_scores

#: A ranking that takes fewer seconds is timed again, and the least of the times counts.
SHORT = 0.2
REPEATS = 3


def timing_unit(problem: Problem, method: Method, parameters: Parameters) -> Unit:
    """The unit that times one candidate of a method on a problem."""
    runs: list[Callable] = [time_ranking, type(problem.source), *method.scorers()]
    identity = method.identity(parameters)
    key = key_of("seconds", runs, problem=problem.ranked_by, method=identity)
    return Unit(key, partial(time_ranking, problem, method, parameters))


def time_ranking(problem: Problem, method: Method, parameters: Parameters) -> Row:
    """Wall seconds of the scores of one candidate on the rows that are ranked, on one thread.

    They are those of the machine that computes the unit, with all else that it does. So they are no
    function of the data, and no other row depends on them.

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
