"""A method's scores with what is to be known about them, computed once for the same rows."""

import warnings
from functools import partial

from experiments.methods import Method
from experiments.store import Row, key_of
from manifest import AmbiguousScoreWarning


def score_and_ambiguity(method, X, y, parameters):
    """A method's scores and whether Algorithm 2 warned that they are not unique."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores = method.scores(X, y, parameters)
    ambiguous = False
    for warning in caught:
        if issubclass(warning.category, AmbiguousScoreWarning):
            ambiguous = True
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
    return scores, ambiguous


def stored_scores(method, X, y, parameters, store, axes) -> Row:
    """The scores of a method on the rows that the axes name, computed where not stored yet."""
    return store.remember(
        key_of("scores", axes=axes, method=method.identity(parameters)),
        partial(_scores, method, X, y, parameters, store, axes),
    )


def _scores(method, X, y, parameters, store, axes):
    """Scores of a method; those of a sum's parts are stored on their own, for others to reuse."""
    if len(method.parts) > 1:
        rows = []
        for part in method.parts:
            single = Method(part.name, part.name, (part,))
            own = {part.name: parameters[part.name]}
            rows.append(stored_scores(single, X, y, own, store, axes))
        return {
            "scores": method.total([row["scores"] for row in rows]),
            "ambiguous": any(row["ambiguous"] for row in rows),
        }
    scores, ambiguous = score_and_ambiguity(method, X, y, parameters)
    return {"scores": scores, "ambiguous": ambiguous}
