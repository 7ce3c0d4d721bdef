"""Scores of a method, stored once for the same rows, and the ranking that they give."""

import warnings

import numpy as np

from experiments.engine.keys import Row, key_of
from experiments.evaluation.methods import Method
from manifest.categories import (
    AmbiguousScoreWarning,
    ApproximationWarning,
    UninformativeScoreWarning,
)
from manifest.ranking import levels

#: Flag of a row -> the warning that raises it.
FLAGS = {
    "ambiguous": AmbiguousScoreWarning,
    "uninformative": UninformativeScoreWarning,
    "uncertain": ApproximationWarning,
}


def flagged_scores(method, X, y, parameters) -> Row:
    """A method's scores as a row, with what the scorer has warned of.

    Returns
    -------
    Row
        "scores"; "ambiguous": whether Algorithm 2 warned that they are not unique; and
        "uninformative": whether they are no more than rounding.
    """
    return _flagged(lambda: {"scores": method.scores(X, y, parameters)})


def _flagged(compute) -> Row:
    """A row with its flags; other warnings go on."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        row = compute()
    categories = tuple(FLAGS.values())
    for warning in caught:
        if not issubclass(warning.category, categories):
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
    return {
        **row,
        **{flag: any(issubclass(w.category, of) for w in caught) for flag, of in FLAGS.items()},
    }


def stored_scores(method, X, y, parameters, store, axes) -> Row:
    """The scores of a method on the rows that the axes name, computed where not stored yet.

    With them come those of the other candidates that the scorer scores at once, each stored under
    its own key. Of several processes that ask for any of them one does the work.
    """
    together = method.grid_siblings(parameters)
    runs = [stored_scores, *method.scorers()]
    keys = [key_of("scores", runs, axes=axes, method=method.identity(one)) for one in together]
    wanted = keys[together.index(parameters)]
    row = store.get(wanted)
    if row is None:
        with store.claim(keys[0]):
            row = store.get(wanted)
            if row is None:
                of_key = dict(zip(keys, together, strict=True))
                missing = {key: of_key[key] for key in of_key if store.get(key) is None}
                found = _scores(method, X, y, list(missing.values()), store, axes)
                rows = {key: store.put(key, new) for key, new in zip(missing, found, strict=True)}
                row = rows[wanted]
    return row


def _scores(method, X, y, candidates, store, axes):
    """Rows of candidates that are scored at once; several, or one, which may be a sum."""
    if len(candidates) > 1:
        found = _flagged(lambda: {"scores": method.sibling_scores(X, y, candidates)})
        flags = {flag: found[flag] for flag in FLAGS}
        if not any(flags.values()):
            return [{"scores": of_one, **flags} for of_one in found["scores"]]
        # Which of them the warning is about is not known.
        return [flagged_scores(method, X, y, parameters) for parameters in candidates]
    (parameters,) = candidates
    if len(method.parts) == 1:
        return [flagged_scores(method, X, y, parameters)]
    # Scores of a sum's parts are stored on their own, for others to reuse.
    rows = []
    for part in method.parts:
        single = Method(part.name, part.name, (part,))
        rows.append(stored_scores(single, X, y, {part.name: parameters[part.name]}, store, axes))
    total = method.total([row["scores"] for row in rows])
    return [{"scores": total, **{flag: any(row[flag] for row in rows) for flag in FLAGS}}]


def rank(scores, rng: np.random.Generator) -> np.ndarray:
    """The features from best to worst, equal scores in random order.

    Scores are equal where they differ by less than 1e-9 of the largest: see
    :func:`manifest.ranking.levels`. So the rounding of another version of a library, or of another
    order of the same sums, changes no ranking.

    Ties are common in few samples (every univariate filter on binary features), and breaking them
    by position would favour the first columns, which generators like to make the relevant ones.

    Parameters
    ----------
    scores : array of shape (n_features,)
        Higher is better.
    rng : numpy.random.Generator
        From the axes of the unit, so that all methods break ties alike.

    Returns
    -------
    ndarray of int, shape (n_features,)
    """
    shuffled = rng.permutation(len(scores))
    return shuffled[np.argsort(levels(scores)[shuffled], kind="stable")]
