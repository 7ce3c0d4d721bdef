"""A method's scores with what is to be known about them, computed once for the same rows."""

import warnings

from experiments.methods import Method
from experiments.store import Row, key_of
from manifest import AmbiguousScoreWarning


def score_and_ambiguity(method, X, y, parameters):
    """A method's scores and whether Algorithm 2 warned that they are not unique."""
    return _and_ambiguity(method.scores, X, y, parameters)


def _and_ambiguity(score, *arguments):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores = score(*arguments)
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
    """The scores of a method on the rows that the axes name, computed where not stored yet.

    With them come those of the other candidates that the scorer scores at once, each stored under
    its own key. Of several processes that ask for any of them one does the work.
    """
    together = method.together(parameters)
    keys = [key_of("scores", axes=axes, method=method.identity(one)) for one in together]
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
        scores, ambiguous = _and_ambiguity(method.scores_together, X, y, candidates)
        if not ambiguous:
            return [{"scores": of_one, "ambiguous": False} for of_one in scores]
        # Which of them the warning is about is not known.
        return [_alone(method, X, y, parameters) for parameters in candidates]
    (parameters,) = candidates
    if len(method.parts) == 1:
        return [_alone(method, X, y, parameters)]
    # Scores of a sum's parts are stored on their own, for others to reuse.
    rows = []
    for part in method.parts:
        single = Method(part.name, part.name, (part,))
        rows.append(stored_scores(single, X, y, {part.name: parameters[part.name]}, store, axes))
    total = method.total([row["scores"] for row in rows])
    return [{"scores": total, "ambiguous": any(row["ambiguous"] for row in rows)}]


def _alone(method, X, y, parameters):
    scores, ambiguous = score_and_ambiguity(method, X, y, parameters)
    return {"scores": scores, "ambiguous": ambiguous}
