"""The set form of ManiFeSt: D shows what differs and M what is shared; nothing is tuned.

The parts of D at four kernel scales (`manifest.references`) are compared with their values by
chance and added up to a relevance. A determinantal point process with the similarity M
(`manifest.set`) then chooses features one after the other.

The scores of permuted labels, pooled over features, form the null distribution of a score. Each
score becomes ``z = (score - mean) / deviation`` with the mean and deviation of the null. Suppose
that z is the sum of the feature's effect, with variance tau^2 over the features, and of noise with
variance 1. The posterior mean of the effect is then ::

    tau^2 / (1 + tau^2) z,    tau^2 = mean(z^2) - 1

(empirical Bayes; Efron and Morris 1973), the James-Stein estimator. A score that finds no more than
chance therefore has almost no weight (at least 1/d), and scores of different units can be added.

References
----------
Efron and Morris (1973), "Stein's estimation rule and its competitors: an empirical Bayes approach",
Journal of the American Statistical Association 68.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from manifest.blocks import draw_blocks, order_of_samples, ranks
from manifest.composition import n_arrays
from manifest.geometries import GEOMETRIES
from manifest.ranking import best_first, levels, varying, with_constants_last
from manifest.references import (
    ASSOCIATIONS,
    SCALE_FACTORS,
    LabelledDistances,
    parts_of,
    similarity_of,
    with_references,
)
from manifest.set import CHOSEN, set_order
from manifest.trust import UninformativeScoreWarning, emit, one_of_each
from manifest.validation import (
    check_integer,
    check_memory,
    check_samples,
    finite,
    seed_of,
    split_classes,
)

#: Up to this many features are compared with each other; more are divided into blocks.
BLOCK = 1000
#: Number of blocks from which the null is estimated.
NULL_BLOCKS = 1
#: Number of permutations of the labels.
PERMUTATIONS = 3
#: The value of n_permutations that gives the null at least a certain number of values.
AUTO, NULL_VALUES = "auto", 2000
#: Its permutations times the number of classes are at most this many, because each permutation
#: takes the kernels of all classes.
LABELLINGS = 500
#: The choice is among this many of the most relevant features; the others follow.
CANDIDATES = 2000
#: The kernel scale of the similarity.
SIMILARITY_FACTOR = 1.0
#: A null that varies by no more than this share of its largest magnitude is constant.
_CONSTANT = 1e-9


@dataclass(frozen=True)
class Relevance:
    """The relevance of each feature, its parts, and the order in which features are chosen.

    Attributes
    ----------
    relevance : ndarray of shape (d,)
        In standard deviations of the null; higher is better, constant features last.
    association, mean : ndarray of shape (d,)
        The contributions of associations and of means, summed over the scales.
    others : ndarray of shape (d,)
        The contribution of other scorers. The sum of the three is the relevance, except for
        constant features.
    weights : ndarray of shape (n_scales, 2)
        Weights of the association and the mean part at each scale, in [0, 1].
    steps : ndarray of int, shape (d,)
        The step in which a feature is chosen, 0 for the first; tied features share a step.
    """

    relevance: np.ndarray
    association: np.ndarray
    mean: np.ndarray
    others: np.ndarray
    weights: np.ndarray
    steps: np.ndarray
    #: The warnings to issue.
    warnings: list = field(default_factory=list, repr=False)


def calibrated_relevance(X, y, *, scorers=(), **parameters):
    """Compute the calibrated relevance of every feature from associations and means.

    Let D_l be the difference operator of class l over the features and two references r1, r2 (see
    `manifest.references`). Each kernel scale has two parts ::

        association_i = mean of the three largest |D_ij|    of the plain difference K_l - M
        association_i = |D|_ii                              of the Riemannian difference
        mean_i        = |D[i, r1] - D[i, r2]|

    They are expressed in standard deviations of the null from permuted labels, shrunk, and
    averaged. Features are then chosen one after the other by relevance and similarity (see
    `set_choice`).

    Parameters
    ----------
    X : array-like of shape (n_samples, d)
        Finite numbers, at least two features that vary, on one scale.
    y : array-like of shape (n_samples,)
        Labels of two or more classes, at least two samples each.
    scorers : sequence of callables, default=()
        Other scorers ``(X, y) -> scores (d,)``, whose calibrated scores are added. Their y has the
        values 0..C - 1.
    **parameters
        n_permutations : int or "auto", default=3
            Number of permutations of the labels. "auto" takes at least 3, and enough that the
            null, from all features of one block and all permutations, has 2,000 values; but at
            most 500 divided by the number of classes.
        block : int or None, default=1000
            Largest number of features, at least 3, that are compared with each other; more are
            divided at random into blocks. None compares all.
        n_selected : int, default=500
            Number of features that are chosen one after the other.
        random_state : int, RandomState or None, default=0
            Seed of the permutations and of the blocks, as in scikit-learn. The order of rows and
            columns does not matter, unless a symmetry of the data maps samples to samples of
            another class.
        geometry : {"euclidean", "regularized"}, default="euclidean"
            The geometry of D_l and M (see `manifest.geometries`). "euclidean" uses ``D_l = K_l -
            mean of all K``, without any eigendecomposition.

    Returns
    -------
    Relevance

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `manifest.manifest_score`, and if fewer than two features vary or a parameter is out
        of range.

    Warns
    -----
    UninformativeScoreWarning
        If all parts at all scales are rounding.
    MeanNotConvergedWarning
        As in `manifest.manifest_score`.
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
    geometry="euclidean",
):
    """Return the `Relevance` of validated samples, without issuing its warnings."""
    if n_permutations != AUTO:
        check_integer("n_permutations", n_permutations, 1, f" or {AUTO!r}")
    check_integer("n_selected", n_selected, 1)
    random_state = seed_of(random_state)
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
        enough = min(-(-NULL_VALUES // n_features), LABELLINGS // len(labels))
        n_permutations = max(PERMUTATIONS, enough)
    permuted = list(permuted_labels(ranks(X), codes, n_permutations, random_state))
    scores, nulls, rounding, similarity, warnings = _raw_parts(
        X, codes, labels, permuted, blocks, geometry
    )
    effects, weights = np.empty_like(scores), np.empty(scores.shape[:2])
    for i, part in np.ndindex(*weights.shape):
        found = shrunk(scores[i, part], nulls[:, i, part], rounding[i])
        effects[i, part], weights[i, part] = found
    association, mean = effects.mean(axis=0) / 2
    others = np.zeros(X.shape[1])
    for scorer in scorers:
        name = f"the scores of the scorer {getattr(scorer, '__name__', scorer)!r}"
        score, *null = (finite(name, scorer(X, each), X) for each in (codes, *permuted))
        others += shrunk(score, np.array(null))[0]
    relevance = association + mean + others
    if not weights.any():
        text = (
            "all parts of the relevance are rounding: the kernels of the classes hardly differ at "
            "any scale. Two features have only one distance; use more features or other scales."
        )
        warnings = [UninformativeScoreWarning(text), *warnings]
    steps = _chosen(X, codes, labels, relevance, n_selected, geometry, similarity)
    result = Relevance(relevance, association, mean, others, weights, steps, warnings)
    return result if varies.all() else _with_constants(result, varies)


def set_choice(X, y, scores):
    """Choose features by the scores of any filter and a determinantal point process.

    The quality q of a feature is its score mapped to [0, 1]. The similarity S of two features is
    their entry in the mean kernel M of the classes at the median scale, with unit diagonal. Each
    step adds the feature that makes ``det(diag(q) S diag(q))`` of the chosen ones largest (see
    `manifest.set`). 500 features are chosen in this way, from the 2000 with the highest scores
    (fewer if the last of them tie with the next). The others follow by score.

    Parameters
    ----------
    X, y : array-like
        As in `calibrated_relevance`.
    scores : array-like of shape (d,)
        Finite, higher is better.

    Returns
    -------
    ndarray of int, shape (d,)
        The step of each feature, 0 for the first. Tied features share a step, except for copies: a
        copy of a chosen feature follows all others of positive quality. Constant features are last.

    Raises
    ------
    ValueError, TypeError
        As in `calibrated_relevance`, and if the scores are not d finite numbers.
    """
    X, y = check_samples(X, y)
    scores = finite("scores", scores, X)
    labels, _ = split_classes(X, y)
    codes = np.unique(y, return_inverse=True)[1]
    varies = _varying(X)
    varying = np.compress(varies, X, axis=1)
    steps = _chosen(varying, codes, labels, scores[varies], CHOSEN, "regularized")
    return _last(steps, varies)


def shrunk(score, null, rounding=0.0):
    """Standardise scores by their null, and shrink them by the share that is not chance.

    Parameters
    ----------
    score : ndarray of shape (d,)
    null : ndarray
        The same scores computed from permuted labels, in any shape.
    rounding : float
        If the deviation of the null is smaller than this, the effects are zero.

    Returns
    -------
    effects : ndarray of shape (d,)
    weight : float
        ``max(1 / d, 1 - 1 / mean(z^2))``. With the minimum, features are still ordered by z if
        nothing is found, and the effects are negligible if another part finds something.
    """
    mean, deviation = null.mean(), null.std()
    if deviation <= max(rounding, _CONSTANT * np.abs(null).max()):
        return np.zeros(score.size), 0.0
    z = (score - mean) / deviation
    weight = max(1 / z.size, 1 - 1 / max(np.mean(z**2), 1.0))
    return weight * z, float(weight)


def permuted_labels(R, codes, n_permutations, random_state):
    """Yield permutations of the codes of the classes, (n_samples,), by the seed `random_state`.

    They depend on the data alone, through the `manifest.blocks.ranks` R, and not on the order of
    rows or columns. Only if a symmetry of the data maps samples to samples of another class, as in
    a full factorial design, does the order of the rows decide.
    """
    order = order_of_samples(R, codes)
    rng = np.random.default_rng(np.random.SeedSequence(random_state))
    for _ in range(n_permutations):
        permuted = np.empty_like(codes)
        permuted[order] = codes[rng.permutation(order)]
        yield permuted


def _varying(X):
    """Return a mask of the features that vary; fewer than two raise a ValueError."""
    varies = varying(X)
    if varies.sum() < 2:
        raise ValueError(
            f"{varies.sum()} of the {varies.size} features of X vary, but ManiFeSt compares "
            "features with each other; give at least 2 that are not constant"
        )
    return varies


def _with_constants(result, varies):
    """Extend the result for the features that vary to all features."""
    filled = {"steps": _last(result.steps, varies)}
    for name in ("relevance", "association", "mean", "others"):
        filled[name] = with_constants_last(getattr(result, name), varies)
    return replace(result, **filled)


def _last(steps, varies):
    """Extend the steps to all features, constant ones last."""
    everywhere = np.full(varies.size, steps.max() + 1)
    everywhere[varies] = steps
    return everywhere


def _raw_parts(X, codes, labels, permuted, blocks, geometry):
    """Compute the parts of all blocks; the distances are shared by all scales and labels.

    Returns the association and the mean part at each scale, (n_scales, 2, d); the same for permuted
    labels, (n_permutations, n_scales, 2, d'); the error of the parts by rounding, (n_scales,); the
    similarity, if there is one block; and the warnings to issue.
    """
    whole, unit = with_references(X)
    scores = np.empty((len(SCALE_FACTORS), 2, X.shape[1]))
    nulls, rounding, similarity = [], np.zeros(len(SCALE_FACTORS)), None
    warnings: list = []
    # The similarity is a whole matrix, so it is computed last, when little other memory is in use.
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
            # The kernels are nearly equal, so a coarse mean is enough.
            if max(parts.association.max(), parts.mean.max()) > parts.rounding:
                warnings = one_of_each([*warnings, *parts.warnings])
    return scores, np.concatenate(nulls, axis=-1), rounding, similarity, warnings


def _null(distances, labels, permuted, unit, geometry):
    """Compute the parts of permuted labels, of shape (n_permutations, n_scales, 2, d)."""
    rows = []
    for permutation in permuted:
        distances.label(permutation)
        kernels = (distances.kernels(factor, labels, unit) for factor in SCALE_FACTORS)
        parts = [parts_of(pair, labels, geometry) for pair in kernels]
        rows.append([[one.association, one.mean] for one in parts])
    return np.array(rows)


def _chosen(X, codes, labels, scores, n_selected, geometry, similarity=None):
    """Return the step of each feature of validated samples; see `set_choice`."""
    quality = (scores - scores.min()) / (np.ptp(scores) or 1.0)
    if similarity is not None:
        return set_order(quality, similarity, n_selected)
    level = levels(scores)
    # Scores that tie with the first excluded one are excluded, too.
    near = np.arange(scores.size)
    if near.size > CANDIDATES:
        near = np.flatnonzero(level < level[best_first(scores)[CANDIDATES]])
    if near.size < 2:
        return level
    whole, unit = with_references(X[:, near])
    kernels = LabelledDistances(whole, codes).kernels(SIMILARITY_FACTOR, labels, unit)
    similarity = similarity_of(GEOMETRIES[geometry](kernels, labels))
    rest = np.setdiff1d(np.arange(scores.size), near)
    steps = np.empty(scores.size, dtype=np.int64)
    steps[near] = set_order(quality[near], similarity, n_selected)
    steps[rest] = steps[near].max() + 1 + levels(scores[rest])
    return steps
