"""The set form of ManiFeSt: D says what differs, M says what is shared; nothing is tuned.

The parts of D at four kernel scales (`manifest.references`) are measured by their own chance, and
add up to a relevance. A determinantal point process with the similarity M (`manifest.set`) makes it
an order of choice.

The scores of permuted labels, pooled over features, tell what a score is by chance: ``z = (score -
mean) / deviation`` of that null. With z the sum of a feature's effect, of variance tau^2 over the
features, and of noise of variance 1, the posterior mean of the effect is ::

    tau^2 / (1 + tau^2) z,    tau^2 = mean(z^2) - 1

(empirical Bayes; Efron and Morris 1973), the estimator of James and Stein. A score that finds no
more than chance on these data therefore counts next to nothing (its least weight is 1/d), and
scores of different units add up.

References
----------
Efron and Morris (1973), "Stein's estimation rule and its competitors: an empirical Bayes approach",
Journal of the American Statistical Association 68.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from manifest.blocks import SMALLEST, draw_blocks, order_of_samples, ranks
from manifest.composition import n_arrays
from manifest.ranking import best_first, levels
from manifest.references import (
    ASSOCIATIONS,
    SCALE_FACTORS,
    LabelledDistances,
    parts_of,
    similarity_of_kernels,
    with_references,
)
from manifest.set import CHOSEN, set_order
from manifest.trust import UninformativeScoreWarning, emit, one_of_each
from manifest.validation import check_integer, check_memory, check_samples, split_classes

#: Up to so many features are compared with each other; more are divided into blocks.
BLOCK = 1000
#: The null comes from so many of the blocks.
NULL_BLOCKS = 1
#: Labels are permuted so many times.
PERMUTATIONS = 3
#: The value of n_permutations by which the null has at least so many values.
AUTO, NULL_VALUES = "auto", 2000
#: The choice is among so many of the most relevant features; the others follow.
CANDIDATES = 2000
#: The kernel scale of the similarity.
SIMILARITY_FACTOR = 1.0
#: Constant features are this part of the largest relevance below all others.
_BELOW = 2e-9
#: A null that varies by no more than this part of its largest magnitude is constant.
_CONSTANT = 1e-9


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
    steps : ndarray of int, shape (d,)
        The step in which a feature is chosen, 0 for the first; features that tie share it.
    """

    relevance: np.ndarray
    association: np.ndarray
    mean: np.ndarray
    others: np.ndarray
    weights: np.ndarray
    steps: np.ndarray
    #: The warnings that are due.
    warnings: list = field(default_factory=list, repr=False)


def calibrated_relevance(X, y, *, scorers=(), **parameters):
    """The relevance of every feature by associations and means at several scales, calibrated.

    With D_l the difference operator of class l over the features and two references r1, r2, at each
    kernel scale ::

        association_i = |D|_ii,    mean_i = |D[i, r1] - D[i, r2]|

    are measured by what permuted labels give, shrunk, and averaged: see `manifest.references`.
    Features are then chosen one after the other by relevance and by their similarity on M: see
    `set_choice`.

    Parameters
    ----------
    X : array-like of shape (n_samples, d)
        Finite numbers, at least two features that vary, on one scale.
    y : array-like of shape (n_samples,)
        Labels of two or more classes, at least two samples each.
    scorers : sequence of callables, default=()
        Other scorers ``(X, y) -> scores (d,)``, whose calibrated scores join the sum. Their y is
        0..C - 1.
    **parameters
        n_permutations : int or "auto", default=3
            Number of permutations of the labels. "auto" takes at least 3, and so many that the
            null, from all features of one block and all permutations, has 2,000 values.
        block : int or None, default=1000
            At most so many features, at least 3, are compared with each other; more are divided at
            random into blocks. None compares all.
        n_selected : int, default=500
            So many features are chosen one after the other.
        random_state : int, default=0
            Seed of the permutations and of the blocks. Orders of rows and columns do not matter,
            unless a symmetry of the data exchanges samples of different classes.
        geometry : {"regularized", "euclidean"}, default="regularized"
            The geometry of D_l and M. "euclidean" takes ``D_l = K_l - mean of all K`` without any
            eigendecomposition (see `manifest.flat`), and the mean of the three largest
            ``|D_l[i, j]|`` as association.

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
    result = relevance_of(X, y, scorers, **parameters)
    emit(result.warnings)
    return result


def relevance_of(
    X,
    y,
    scorers=(),
    *,
    n_permutations=PERMUTATIONS,
    block=BLOCK,
    n_selected=CHOSEN,
    random_state=0,
    geometry="regularized",
):
    """The `Relevance` of validated samples; its warnings are not issued."""
    if n_permutations != AUTO:
        check_integer("n_permutations", n_permutations, 1, f" or {AUTO!r}")
    if block is not None:
        check_integer("block", block, SMALLEST, " or None")
    check_integer("n_selected", n_selected, 1)
    check_integer("random_state", random_state, 0)
    if geometry not in ASSOCIATIONS:
        raise ValueError(f"geometry must be one of {', '.join(ASSOCIATIONS)}; got {geometry!r}")
    labels, _ = split_classes(X, y)
    codes = np.unique(y, return_inverse=True)[1]
    varies = _varying(X)
    if not varies.all():
        X = np.compress(varies, X, axis=1)
    blocks = draw_blocks(X, block, random_state)
    check_memory(len(blocks[0]), n_arrays(len(labels)) + 1, BLOCK)
    if n_permutations == AUTO:
        n_features = sum(map(len, blocks[:NULL_BLOCKS]))
        n_permutations = max(PERMUTATIONS, -(-NULL_VALUES // n_features))
    permuted = list(permuted_labels(ranks(X), codes, n_permutations, random_state))
    raw = _raw_parts(X, codes, labels, permuted, blocks, geometry)
    effects, weights = np.empty_like(raw.scores), np.empty(raw.scores.shape[:2])
    for place in np.ndindex(*weights.shape):
        null = raw.null[(slice(None), *place)]
        effects[place], weights[place] = shrunk(raw.scores[place], null, raw.rounding[place[0]])
    association, mean = effects.mean(axis=0) / 2
    others = np.zeros(X.shape[1])
    for scorer in scorers:
        null = np.array([_scored(scorer, X, labels) for labels in permuted])
        others += shrunk(_scored(scorer, X, codes), null)[0]
    relevance, warnings = association + mean + others, raw.warnings
    if not weights.any():
        text = (
            "all parts of the relevance are rounding: the kernels of the classes hardly differ at "
            "any scale. Two features have a single distance; take more features, or other scales."
        )
        warnings = [UninformativeScoreWarning(text), *warnings]
    steps = _chosen(X, codes, labels, relevance, n_selected, geometry, raw.similarity)
    result = Relevance(relevance, association, mean, others, weights, steps, warnings)
    return result if varies.all() else _with_constants(result, varies)


def set_choice(X, y, scores, *, n_selected=CHOSEN):
    """The order in which a determinantal point process chooses features by any filter's scores.

    The quality q of a feature is its score mapped to [0, 1], and the similarity S of two features
    the mean kernel M of the classes, at the median scale, with unit diagonal. Each step takes the
    feature with which ``det(diag(q) S diag(q))`` over the chosen ones is largest: see
    `manifest.set`.

    Parameters
    ----------
    X, y : array-like
        Those of `calibrated_relevance`.
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
    varies = _varying(X)
    varying = np.compress(varies, X, axis=1)
    steps = _chosen(varying, codes, labels, scores[varies], n_selected, "regularized")
    return _last(steps, varies)


def shrunk(score, null, rounding=0.0):
    """The score in deviations of its null, times the share that is no chance, and that share.

    Parameters
    ----------
    score : ndarray of shape (d,)
    null : ndarray
        Scores of the same kind from permuted labels, in any shape.
    rounding : float
        A null of a smaller deviation is rounding, and the effects are zero.

    Returns
    -------
    effects : ndarray of shape (d,)
    weight : float
        ``max(1 / d, 1 - 1 / mean(z^2))``; the least one orders features by z where nothing is
        found, and vanishes beside anything that is.
    """
    mean, deviation = null.mean(), null.std()
    if deviation <= max(rounding, _CONSTANT * np.abs(null).max()):
        return np.zeros(score.size), 0.0
    z = (score - mean) / deviation
    weight = max(1 / z.size, 1 - 1 / max(np.mean(z**2), 1.0))
    return weight * z, float(weight)


def permuted_labels(R, codes, n_permutations, random_state):
    """Yield permutations of the codes of the classes, (n_samples,), by the seed `random_state`.

    They are a function of the data, of which R are the `manifest.blocks.ranks`, and of no order. If
    a symmetry of the data exchanges samples of different classes, as in a full factorial design,
    nothing tells them apart, and the order of the rows decides.
    """
    order = order_of_samples(R, codes)
    rng = np.random.default_rng(np.random.SeedSequence(random_state))
    for _ in range(n_permutations):
        permuted = np.empty_like(codes)
        permuted[order] = codes[rng.permutation(order)]
        yield permuted


def _varying(X):
    """True for the features that are not constant; a ValueError if there are fewer than two."""
    varies = X.max(axis=0) > X.min(axis=0)
    if varies.sum() < 2:
        raise ValueError(
            f"{varies.sum()} of the {varies.size} features of X vary, and ManiFeSt compares "
            "features with each other: give at least 2 that are not constant"
        )
    return varies


def _scored(scorer, X, labels):
    """The scores of a scorer, checked."""
    scores = np.asarray(scorer(X, labels), dtype=np.float64)
    if scores.shape != (X.shape[1],) or not np.isfinite(scores).all():
        n_bad = "" if np.isfinite(scores).all() else ", with NaN or infinity"
        raise ValueError(
            f"a scorer must return {X.shape[1]} finite scores, one for each feature; "
            f"{getattr(scorer, '__name__', scorer)!r} returned shape {scores.shape}{n_bad}"
        )
    return scores


def _with_constants(result, varies):
    """The result for all features, from that of those that vary."""
    filled = {"steps": _last(result.steps, varies)}
    for name in ("relevance", "association", "mean", "others"):
        values = getattr(result, name)
        lowest = values.min() - _BELOW * np.abs(values).max() * (name == "relevance")
        filled[name] = np.full(varies.size, min(lowest, np.nextafter(values.min(), -np.inf)))
        filled[name][varies] = values
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


def _raw_parts(X, codes, labels, permuted, blocks, geometry):
    """The parts of all blocks; the distances in a block serve all scales, a sum all labels."""
    whole, unit = with_references(X)
    scores = np.empty((len(SCALE_FACTORS), 2, X.shape[1]))
    nulls, rounding, similarity = [], np.zeros(len(SCALE_FACTORS)), None
    warnings: list = []
    # The similarity is a whole matrix: it is made at last, when least memory is needed beside it.
    places = sorted(range(len(rounding)), key=lambda i: SCALE_FACTORS[i] == SIMILARITY_FACTOR)
    for number, features in enumerate(blocks):
        distances = LabelledDistances(whole[:, np.concatenate([[0, 1], 2 + features])], codes)
        if number < NULL_BLOCKS:
            nulls.append(_null(distances, labels, permuted, unit, geometry))
            distances.label(codes)
        for place in places:
            asked = len(blocks) == 1 and SCALE_FACTORS[place] == SIMILARITY_FACTOR
            kernels = distances.kernels(SCALE_FACTORS[place], labels, unit)
            parts = parts_of(kernels, labels, geometry, similarity=asked)
            scores[place][:, features] = parts.association, parts.mean
            rounding[place] = max(rounding[place], parts.rounding)
            similarity = parts.similarity if asked else similarity
            # A mean of kernels that hardly differ needs no digits.
            if max(parts.association.max(), parts.mean.max()) > parts.rounding:
                warnings = one_of_each([*warnings, *parts.warnings])
    return _RawParts(scores, np.concatenate(nulls, axis=-1), rounding, similarity, warnings)


def _null(distances, labels, permuted, unit, geometry):
    """The parts of permuted labels, of shape (n_permutations, n_scales, 2, d)."""
    rows = []
    for permutation in permuted:
        distances.label(permutation)
        kernels = (distances.kernels(factor, labels, unit) for factor in SCALE_FACTORS)
        parts = [parts_of(pair, labels, geometry) for pair in kernels]
        rows.append([[one.association, one.mean] for one in parts])
    return np.array(rows)


def _chosen(X, codes, labels, scores, n_selected, geometry, similarity=None):
    """The step of each feature of validated samples; see `set_choice`."""
    quality = (scores - scores.min()) / (np.ptp(scores) or 1.0)
    if similarity is not None:
        return set_order(quality, similarity, n_selected)
    level = levels(scores)
    # The scores that tie with the first one left out are left out, too.
    near = np.arange(scores.size)
    if near.size > CANDIDATES:
        near = np.flatnonzero(level < level[best_first(scores)[CANDIDATES]])
    if near.size < 2:
        return level
    whole, unit = with_references(X[:, near])
    kernels = LabelledDistances(whole, codes).kernels(SIMILARITY_FACTOR, labels, unit)
    similarity = similarity_of_kernels(kernels, labels, geometry)
    rest = np.setdiff1d(np.arange(scores.size), near)
    steps = np.empty(scores.size, dtype=np.int64)
    steps[near] = set_order(quality[near], similarity, n_selected)
    steps[rest] = steps[near].max() + 1 + levels(scores[rest])
    return steps
