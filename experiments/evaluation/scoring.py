"""Scores of a method, remembered for the same rows, and the ranking that they give."""

import warnings

import numpy as np

from experiments.cache import Cache, Row, key_of
from experiments.evaluation.methods import Method, Parameters
from manifest.categories import AmbiguousScoreWarning, UninformativeScoreWarning
from manifest.ranking import levels

#: Flag of a row -> the warning that raises it.
FLAGS = {"ambiguous": AmbiguousScoreWarning, "uninformative": UninformativeScoreWarning}


def flagged_scores(method: Method, X, y, candidates: list[Parameters]) -> list[Row]:
    """The scores of candidates, each with the warnings of the scorer as flags.

    "ambiguous": Algorithm 2 has warned that they are not unique; "uninformative": they are no more
    than rounding. Other warnings are issued again.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores = method.all_scores(X, y, candidates)
    flags = {flag: any(issubclass(w.category, of) for w in caught) for flag, of in FLAGS.items()}
    if any(flags.values()) and len(candidates) > 1:  # A warning does not name its candidate.
        return [row for each in candidates for row in flagged_scores(method, X, y, [each])]
    for w in caught:
        if not issubclass(w.category, tuple(FLAGS.values())):
            warnings.warn_explicit(w.message, w.category, w.filename, w.lineno)
    return [{"scores": of_one, **flags} for of_one in scores]


def stored_scores(method: Method, X, y, parameters: Parameters, cache: Cache, axes) -> Row:
    """The scores of a method on the rows that the axes name, computed if they are not remembered.

    The parts of a sum are remembered, and not the sum. So are, in one entry, all candidates that
    the scorer scores at once.
    """
    if len(method.parts) > 1:
        rows = [
            stored_scores(part, X, y, {part.name: parameters[part.name]}, cache, axes)
            for part in method.single_parts()
        ]
        total = method.total([row["scores"] for row in rows])
        return {"scores": total, **{flag: any(row[flag] for row in rows) for flag in FLAGS}}
    together = method.grid_siblings(parameters)
    at = {"axes": axes, "method": [method.identity(each) for each in together]}
    key = key_of("scores", method.scorers(), **at)
    entry = cache.row(key, lambda: {"rows": flagged_scores(method, X, y, together)})
    return entry["rows"][together.index(parameters)]


def rank(scores, rng: np.random.Generator) -> np.ndarray:
    """The features from best to worst, equal scores in random order.

    Scores are equal if they differ by less than 1e-9 of the largest: see
    :func:`manifest.ranking.levels`. So the rounding of another version of a library, or of another
    order of the same sums, changes no ranking. Ties broken by position would favour the first
    columns, which generators like to make the relevant ones.

    Parameters
    ----------
    scores : array of shape (n_features,)
        Higher is better.
    rng : numpy.random.Generator
        From the axes of the task, so that all methods break ties alike.
    """
    shuffled = rng.permutation(len(scores))
    return shuffled[np.argsort(levels(scores)[shuffled], kind="stable")]
