"""The set form of ManiFeSt: D says what differs, M says what is shared; nothing is tuned.

The parts of D at four kernel scales (`manifest.references`) are calibrated by permuted labels
(`manifest.calibration`) and add up to a relevance. A determinantal point process with the
similarity M (`manifest.set`) makes it an order of choice.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np

from manifest import sentences
from manifest.blocks import SMALLEST, draw_blocks
from manifest.calibration import PERMUTATIONS, permuted_labels, shrunk, sum_of_shrunk
from manifest.categories import UninformativeScoreWarning
from manifest.composition import n_arrays
from manifest.contents import ranks
from manifest.ranking import best_first, levels
from manifest.references import (
    SCALE_FACTORS,
    ClassDistances,
    parts_of,
    similarity_of_kernels,
    with_references,
)
from manifest.set import CHOSEN, set_order
from manifest.trust import emit, one_of_each
from manifest.validation import (
    LARGEST_FACTOR,
    check_integer,
    check_memory,
    check_samples,
    is_number,
    split_classes,
)

#: Up to so many features are compared with each other; more are divided into blocks.
BLOCK = 1000
#: The null comes from so many of the blocks.
NULL_BLOCKS = 1
#: The value of n_permutations by which the null has at least so many values.
AUTO, NULL_VALUES = "auto", 2000
#: The choice is among so many of the most relevant features; the others follow.
CANDIDATES = 2000
#: The kernel scale of the similarity.
SIMILARITY_FACTOR = 1.0
#: Constant features are this part of the largest relevance below all others.
_BELOW = 2e-9


@dataclass(frozen=True)
class Relevance:
    """The relevance of each feature, its parts, and the order in which features are chosen.

    Attributes
    ----------
    relevance : ndarray of shape (d,)
        In deviations of what permuted labels give; higher is better, constant features last.
    association, mean : ndarray of shape (d,)
        The contributions of associations and of means, summed over the scales.
    others : ndarray of shape (d,)
        The contribution of other scorers. The three add up to the relevance of features that vary.
    weights : ndarray of shape (n_scales, 2)
        Weights of the association and the mean part at each scale, in [0, 1].
    steps : ndarray of int, shape (d,), or None
        The step in which a feature is chosen, 0 for the first; features that tie share it.
    """

    relevance: np.ndarray
    association: np.ndarray
    mean: np.ndarray
    others: np.ndarray
    weights: np.ndarray
    steps: np.ndarray | None = None
    #: The warnings that are due.
    warnings: list = field(default_factory=list, repr=False)


@dataclass(frozen=True)
class Form:
    """The parameters of `calibrated_relevance`, checked."""

    scale_factors: Sequence[float] = SCALE_FACTORS
    geometry: str = "regularized"
    aggregate: str = "max"
    n_permutations: int | str = PERMUTATIONS
    block: int | None = BLOCK
    n_selected: int | None = CHOSEN
    random_state: int = 0

    def __post_init__(self):
        factors = self.scale_factors
        if np.ndim(factors) != 1 or not len(factors):
            raise ValueError(f"scale_factors must be a list of numbers, got {factors!r}")
        if not all(is_number(f) and 0 < f <= LARGEST_FACTOR for f in factors):
            raise ValueError(
                f"scale_factors must be positive numbers of at most {LARGEST_FACTOR:.0e}, got "
                f"{factors!r}"
            )
        for name, valid in (("geometry", ("regularized", "spd")), ("aggregate", ("max", "sum"))):
            if getattr(self, name) not in valid:
                raise ValueError(
                    f"with reference features {name} must be {' or '.join(map(repr, valid))}, got "
                    f"{getattr(self, name)!r}"
                )
        least = {"n_permutations": 1, "block": SMALLEST, "n_selected": 1, "random_state": 0}
        others = {"n_permutations": AUTO, "block": None, "n_selected": None}
        for name, bound in least.items():
            if name not in others:
                check_integer(name, getattr(self, name), bound)
            elif getattr(self, name) != others[name]:
                check_integer(name, getattr(self, name), bound, f" or {others[name]!r}")

    def permutations(self, n_features):
        """The number of permutations if so many features make the null."""
        if self.n_permutations != AUTO:
            return self.n_permutations
        return max(PERMUTATIONS, -(-NULL_VALUES // n_features))

    def of_operators(self):
        """The parameters of `manifest.references.parts_of`."""
        return {"geometry": self.geometry, "aggregate": self.aggregate}


def calibrated_relevance(X, y, *, scorers=(), **parameters):
    """The relevance of every feature by associations and means at several scales, calibrated.

    With D_l the difference operator of class l over the features and two references r1, r2, at each
    kernel scale ::

        association_i = |D|_ii,    mean_i = |D[i, r1] - D[i, r2]|

    are measured by what permuted labels give, shrunk, and averaged: see `manifest.references`
    and `manifest.calibration`. Features are then chosen one after the other by relevance and
    by their similarity on M: see `set_choice`.

    Parameters
    ----------
    X : array-like of shape (n_samples, d)
        Finite numbers, at least two features that vary, on one scale: standardise features of
        different units first.
    y : array-like of shape (n_samples,)
        Labels of two or more classes, at least two samples each.
    scorers : sequence of callables, optional
        Other scorers ``(X, labels) -> scores`` that join, each with the weight of all parts of D
        together.
    **parameters
        scale_factors : sequence of positive floats, default=(0.1, 0.3, 1, 2)
            Kernel scales, in medians of the distances between the features of a class.
        geometry : {"regularized", "spd"}, default="regularized"
            "regularized" adds a small multiple of the identity to all kernels, and is always
            defined. "spd" needs positive definite kernels.
        aggregate : {"max", "sum"}, default="max"
            A part of a feature is the maximum of this part in all classes, or the sum.
        n_permutations : int or "auto", default=3
            Number of permutations of the labels; all features and permutations make one null.
            "auto" takes at least 3, and so many that the null has 2,000 values.
        block : int or None, default=1000
            Features that are compared with each other, at most; None is all of them. More are
            divided at random into blocks (`manifest.blocks.draw_blocks`). The references join
            every block, and one of the blocks makes the null.
        n_selected : int or None, default=500
            So many features are chosen one after the other; None for no choice.
        random_state : int, default=0
            Seed of the permutations and of the blocks. Orders of rows and columns do not matter,
            unless a symmetry of the data exchanges samples of different classes.

    Returns
    -------
    Relevance

    Raises
    ------
    ValueError, TypeError, MemoryError
        As `manifest.manifest_score`; if fewer than two features vary; if a parameter is out
        of range.

    Warns
    -----
    UninformativeScoreWarning
        If all parts at all scales are rounding.
    MeanNotConvergedWarning
        As `manifest.manifest_score`.
    """
    X, y = check_samples(X, y)
    result = relevance_of(X, y, Form(**parameters), scorers)
    emit(result.warnings)
    return result


def relevance_of(X, y, form, scorers=()):
    """The `Relevance` of validated samples; its warnings are not issued."""
    labels, _ = split_classes(X, y)
    codes = np.unique(y, return_inverse=True)[1]
    varies = varying(X)
    if varies.all():
        return _of_varying(X, codes, labels, form, scorers)
    result = _of_varying(np.compress(varies, X, axis=1), codes, labels, form, scorers)
    return _with_constants(result, varies)


def set_choice(X, y, scores, *, n_selected=CHOSEN):
    """The order in which a determinantal point process chooses features by any filter's scores.

    The quality q of a feature is its score mapped to [0, 1], and the similarity S of two features
    the mean kernel M of the classes, at the median scale, with unit diagonal. Each step takes the
    feature with which ``det(diag(q) S diag(q))`` over the chosen ones is largest: see
    `manifest.set`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Finite numbers, at least two features.
    y : array-like of shape (n_samples,)
        Labels of two or more classes, at least two samples each.
    scores : array-like of shape (d,)
        Finite, higher is better.
    n_selected : int, default=500
        So many are chosen one after the other, among the 2000 of the highest scores or the fewer
        that do not tie with the next; the others follow by their scores.

    Returns
    -------
    ndarray of int, shape (d,)
        The step of each feature, 0 for the first. Features that tie share a step, except copies: a
        copy of a chosen feature comes after all others of positive quality. Constant features are
        last.

    Raises
    ------
    ValueError, TypeError
        As `calibrated_relevance`, and if the scores are not d finite numbers.
    """
    X, y = check_samples(X, y)
    check_integer("n_selected", n_selected, 1)
    scores = np.asarray(scores, dtype=np.float64)
    if scores.shape != (X.shape[1],) or not np.isfinite(scores).all():
        raise ValueError(
            f"scores must be {X.shape[1]} finite numbers, one for each feature of X; got shape "
            f"{scores.shape}{'' if np.isfinite(scores).all() else ' with NaN or infinity'}"
        )
    labels, _ = split_classes(X, y)
    codes = np.unique(y, return_inverse=True)[1]
    varies = varying(X)
    of_varying = np.compress(varies, X, axis=1)
    steps = chosen(of_varying, codes, labels, scores[varies], Form(n_selected=n_selected))
    return _last(steps, varies)


def varying(X):
    """True for the features that are not constant; a ValueError if there are fewer than two."""
    varies = X.max(axis=0) > X.min(axis=0)
    if varies.sum() < 2:
        raise ValueError(
            f"{varies.sum()} of the {varies.size} features of X vary, and ManiFeSt compares "
            "features with each other: give at least 2 that are not constant"
        )
    return varies


def _of_varying(X, codes, labels, form, scorers):
    blocks = draw_blocks(X, form.block, form.random_state)
    check_memory(len(blocks[0]), n_arrays(len(labels)) + 1)
    n_permutations = form.permutations(sum(map(len, blocks[:NULL_BLOCKS])))
    permuted = list(permuted_labels(ranks(X), codes, n_permutations, form.random_state))
    raw = _raw_parts(X, codes, labels, permuted, blocks, form)
    effects, weights = _effects(raw)
    association, mean = effects.mean(axis=0) / 2
    others = sum_of_shrunk(X, codes, permuted, scorers)
    relevance, warnings = association + mean + others, raw.warnings
    if not weights.any():
        warnings = [UninformativeScoreWarning(sentences.NO_PART), *warnings]
    steps = None
    if form.n_selected is not None:
        steps = chosen(X, codes, labels, relevance, form, raw.similarity)
    return Relevance(relevance, association, mean, others, weights, steps, warnings)


def _with_constants(result, varies):
    """The result for all features, from that of those that vary."""
    filled = {}
    for each in fields(Relevance):
        values = getattr(result, each.name)
        if each.name == "steps" and values is not None:
            filled[each.name] = _last(values, varies)
        elif each.name in ("relevance", "association", "mean", "others"):
            lowest = values.min() - _BELOW * np.abs(values).max() * (each.name == "relevance")
            filled[each.name] = np.full(
                varies.size, min(lowest, np.nextafter(values.min(), -np.inf))
            )
            filled[each.name][varies] = values
    return replace(result, **filled)


def _last(steps, varies):
    """Steps of all features, those that do not vary last."""
    everywhere = np.full(varies.size, steps.max() + 1)
    everywhere[varies] = steps
    return everywhere


@dataclass(frozen=True)
class _RawParts:
    #: (n_scales, 2, d): the association and the mean part at each scale.
    scores: np.ndarray
    #: (n_permutations, n_scales, 2, d'): the same of permuted labels.
    null: np.ndarray
    #: (n_scales,): what rounding may do to the parts.
    rounding: np.ndarray
    similarity: np.ndarray | None
    warnings: list


def _raw_parts(X, codes, labels, permuted, blocks, form):
    """The parts of all blocks; the distances in a block serve all scales, a sum all labels."""
    whole, unit = with_references(X)
    factors, operators = form.scale_factors, form.of_operators()
    scores = np.empty((len(factors), 2, X.shape[1]))
    nulls, rounding, similarity = [], np.zeros(len(factors)), None
    warnings: list = []
    # The similarity is a whole matrix: it is made at last, when least memory is needed beside it.
    places = sorted(range(len(factors)), key=lambda place: factors[place] == SIMILARITY_FACTOR)
    wants_similarity = form.n_selected is not None and len(blocks) == 1
    for number, features in enumerate(blocks):
        distances = ClassDistances(whole[:, np.concatenate([[0, 1], 2 + features])], codes)
        if number < NULL_BLOCKS:
            nulls.append(_null(distances, labels, permuted, unit, form))
            distances.label(codes)
        for place in places:
            asked = wants_similarity and factors[place] == SIMILARITY_FACTOR
            kernels = distances.kernels(factors[place], labels, unit)
            parts = parts_of(kernels, labels, similarity=asked, **operators)
            scores[place][:, features] = parts.association, parts.mean
            rounding[place] = max(rounding[place], parts.rounding)
            similarity = parts.similarity if asked else similarity
            # A mean of kernels that hardly differ needs no digits.
            if max(parts.association.max(), parts.mean.max()) > parts.rounding:
                warnings = one_of_each([*warnings, *parts.warnings])
    return _RawParts(scores, np.concatenate(nulls, axis=-1), rounding, similarity, warnings)


def _null(distances, labels, permuted, unit, form):
    rows = []
    for permutation in permuted:
        distances.label(permutation)
        kernels = (distances.kernels(factor, labels, unit) for factor in form.scale_factors)
        parts = [parts_of(pair, labels, **form.of_operators()) for pair in kernels]
        rows.append([[one.association, one.mean] for one in parts])
    return np.array(rows)


def _effects(raw):
    """Effects of shape (n_scales, 2, d) and weights (n_scales, 2)."""
    effects, weights = np.empty_like(raw.scores), np.empty(raw.scores.shape[:2])
    for place in np.ndindex(*weights.shape):
        null = raw.null[(slice(None), *place)]
        effects[place], weights[place] = shrunk(raw.scores[place], null, raw.rounding[place[0]])
    return effects, weights


def chosen(X, codes, labels, scores, form, similarity=None):
    """The step of each feature of validated samples; see `set_choice`."""
    quality = (scores - scores.min()) / (np.ptp(scores) or 1.0)
    if similarity is not None:
        return set_order(quality, similarity, form.n_selected)
    level = levels(scores)
    # The scores that tie with the first one left out are left out, too.
    near = np.arange(scores.size)
    if near.size > CANDIDATES:
        near = np.flatnonzero(level < level[best_first(scores)[CANDIDATES]])
    if near.size < 2:
        return level
    whole, unit = with_references(X[:, near])
    kernels = ClassDistances(whole, codes).kernels(SIMILARITY_FACTOR, labels, unit)
    similarity = similarity_of_kernels(kernels, labels, geometry=form.geometry)
    rest = np.setdiff1d(np.arange(scores.size), near)
    steps = np.empty(scores.size, dtype=np.int64)
    steps[near] = set_order(quality[near], similarity, form.n_selected)
    steps[rest] = steps[near].max() + 1 + levels(scores[rest])
    return steps
