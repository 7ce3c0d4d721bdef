"""Scores of features that are given in a random order: what position does to a scorer."""

import numpy as np

from experiments.engine import seeds
from experiments.engine.keys import Row
from experiments.evaluation.scoring import stored_scores

__all__ = ["scores_in_order"]


def scores_in_order(method, X, y, parameters, store, axes: dict) -> Row:
    """As :func:`experiments.evaluation.scoring.stored_scores`, in the order that the axes name.

    Where the axes have "columns", the number of an order, the scorer is given the features in this
    random order, and its scores are put back into their own places. The order of the features is
    that of a data file, so it is the same for all splits. The protocol accuracy has these lines in
    its own unit, where a change would make all its results outdated.
    """
    if "columns" not in axes:
        return stored_scores(method, X, y, parameters, store, axes)
    rng = seeds.generator(axes["seed"], "columns", axes["fingerprint"], axes["columns"])
    columns = rng.permutation(X.shape[1])
    row = stored_scores(method, X.take(columns, axis=1), y, parameters, store, axes)
    scores = np.empty(len(columns))
    scores[columns] = row["scores"]
    return {**row, "scores": scores}
