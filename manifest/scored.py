"""From validated samples to the scores of all classes, and what is to be known about them."""

from dataclasses import dataclass

import numpy as np

from manifest import sentences
from manifest.composition import compositions
from manifest.spd import absolute_diagonal
from manifest.trust import due, is_informative


@dataclass(frozen=True)
class Scored:
    """The scores of validated samples at one kernel scale, and what is known about them.

    Attributes
    ----------
    rows : ndarray of shape (C, d) or (C (C - 1) / 2, d)
        ``r_l = diag |D_l|`` of each class, or the two-class score of each pair ("ovo").
    geometry : str
        What was computed; "auto" where it is not the same for all pairs.
    scales : tuple of C floats
    classes : tuple of C labels
    n_ambiguous : int
    informative : bool
    complaints : list of (type, str)
        The warnings that are due.
    """

    rows: np.ndarray
    geometry: str
    scales: tuple[float, ...]
    classes: tuple
    n_ambiguous: int
    informative: bool
    complaints: list


def scored(X, y, percentiles, *, multiclass="mean", **parameters):
    """The scores of validated samples at each percentile.

    Parameters are those of :func:`manifest.composition.compositions`.

    Yields
    ------
    Scored
    """
    for group in compositions(X, y, percentiles, multiclass=multiclass, **parameters):
        rows, geometries, complaints = [], set(), []
        scales: dict = {}
        n_ambiguous, magnitude = 0, 0.0
        for parts in group:
            rows += [absolute_diagonal(core, parts.basis) for core in parts.difference_cores()]
            geometries.add(parts.geometry)
            scales |= dict(zip(parts.classes, parts.scales, strict=True))
            n_ambiguous += parts.n_ambiguous
            magnitude = max(magnitude, parts.magnitude)
            told = parts.complaints()
            if multiclass == "ovo":
                told = [(kind, sentences.of_pair(parts.classes, text)) for kind, text in told]
            complaints += told
            del parts  # before the next one is made
        if multiclass == "mean" and len(scales) == 2:
            # D_2 = -D_1 has the same absolute value.
            rows *= 2
        table = np.array(rows)
        yield Scored(
            rows=table,
            geometry=geometries.pop() if len(geometries) == 1 else "auto",
            scales=tuple(scales.values()),
            classes=tuple(scales),
            n_ambiguous=n_ambiguous,
            informative=is_informative(table, magnitude),
            complaints=due(complaints, table, magnitude),
        )


def aggregated(rows, aggregate):
    """The maximum ("max") or the sum ("sum") over rows of scores, or the rows ("none")."""
    if aggregate == "none":
        return rows
    return rows.max(axis=0) if aggregate == "max" else rows.sum(axis=0)


def scored_once(X, y, *, percentile=None, **parameters):
    """The one :class:`Scored` of one percentile; parameters as of :func:`scored`."""
    (found,) = scored(X, y, [percentile], **parameters)
    return found
