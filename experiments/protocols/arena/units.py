"""The unit that is this kind's own: how long a ranking takes."""

import time
from typing import TYPE_CHECKING

from threadpoolctl import threadpool_limits

from experiments.engine.keys import Row
from experiments.evaluation.methods import Method, Parameters
from experiments.evaluation.scoring import flagged_scores
from experiments.evaluation.splits import outer_split, scaled

if TYPE_CHECKING:
    from experiments.evaluation.samples import Source

#: A ranking that takes less is timed again, and the least of the times counts.
SHORT = 0.2
REPEATS = 3


def time_ranking(source: "Source", axes: dict, method: Method, parameters: Parameters) -> Row:
    """Wall seconds of the scores of one candidate on the training rows of a split, on one thread.

    They are those of the machine that computes the unit, with all else that it does. So they are no
    function of the data, and no other row depends on them.

    Returns
    -------
    Row
        "seconds"; "n_samples" and "n_features" that were ranked.
    """
    X, y = source.samples()
    train, _ = outer_split(y, axes["fingerprint"], axes["seed"], axes["split"], axes["test_size"])
    seen, labels = scaled(X, train, axes["scaling"])[train], y[train]
    taken: list[float] = []
    with threadpool_limits(1):
        while len(taken) < REPEATS and (not taken or taken[-1] < SHORT):
            start = time.perf_counter()
            flagged_scores(method, seen, labels, parameters)
            taken.append(time.perf_counter() - start)
    return {"seconds": min(taken), "n_samples": len(train), "n_features": seen.shape[1]}
