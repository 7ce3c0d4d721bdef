"""The ways to a score, each a function ``(X, y, **parameters)``."""

from manifest import ManiFeSt, manifest_score, manifest_scores, operators


def fitted(X, y, **parameters):
    return ManiFeSt(**parameters).fit(X, y)


def scores_at(X, y, percentile=50, **parameters):
    return manifest_scores(X, y, percentiles=[50, percentile], **parameters)


#: The last one takes several scales at once.
ENTRIES = (manifest_score, operators, fitted, scores_at)
