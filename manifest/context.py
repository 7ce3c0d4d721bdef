"""The score of many features: block by block, with a measure of how good that is.

The exact score takes time d^3 and memory d^2. Here, every feature is scored together with some
others only (`manifest.blocks`), which takes time d and memory for one block, several times
with new random blocks. Three things make up for what a block does not see:

- All blocks share one kernel scale a class.
- Scores of different blocks are comparable. Blocks are random, so that scores depend in all of them
  in the same way on what is known of a feature but for chance: in each block the logarithm of the
  scores is regressed on the mean similarity of a feature to the others in the kernel of each class,
  and the fit, and the spread around it, are replaced by their means over all blocks. The order of
  equally similar features within a block does not change.
- The mean over `repeats` is better than one of them, and their spread is its standard error.

What all blocks lack alike, such as the nearest neighbours of a feature, makes a difference that
the repeats have in common. It shows when the size of the blocks changes, so a further run with
blocks of half the size tells of it.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata
from sklearn.utils.parallel import Parallel, delayed

from manifest.blocks import ClassSamples, draw_blocks, score_block
from manifest.categories import ApproximationWarning, UninformativeScoreWarning
from manifest.decompositions import least_squares
from manifest.linalg import EPS
from manifest.ranking import best_first
from manifest.trust import is_informative, pending_warnings
from manifest.validation import (
    check_integer,
    check_parameters,
    check_samples,
    is_integer,
    split_classes,
)

#: Defaults; see `context_score`.
BLOCK, CONTEXT, REPEATS = 2000, 0, 2
#: Agreement that a ranking should have.
ENOUGH = 0.9


class Agreement(NamedTuple):
    """The agreement of two approximations of one score: 1 if they are equal."""

    spearman: float
    top: float


@dataclass(frozen=True)
class ContextScore:
    """An approximation of the score, and how good it is.

    Attributes
    ----------
    scores : ndarray of shape (d,)
        The mean over the repeats.
    error : ndarray of shape (d,)
        Its standard error by the spread of the repeats: NaN if there is one repeat only, 0 where
        the score is exact.
    repeats : ndarray of shape (repeats, d)
        Independent of each other but for the kernel scales.
    half_size : ndarray of shape (d,)
        The score from blocks and contexts of half the size, independent too.
    scales : tuple of floats
        The kernel scale of each class.
    n_blocks : int
        Blocks of a repeat; 1 if the score is exact.
    rounding : float
        The amount by which rounding moves scores.
    warnings_of_blocks : list
        The first warning of each category from the blocks, with its category.
    """

    scores: np.ndarray
    error: np.ndarray
    repeats: np.ndarray
    half_size: np.ndarray
    scales: tuple[float, ...]
    n_blocks: int
    rounding: float = 0.0
    warnings_of_blocks: list = field(default_factory=list, repr=False)

    @property
    def informative(self):
        """False if rounding decides the order of the features."""
        return is_informative(self.scores, self.rounding)

    @property
    def is_exact(self):
        """True if all features were scored together."""
        return self.n_blocks == 1

    def agreement(self, k=None):
        """The agreement of two independent halves of the repeats: the part that chance plays.

        The mean of both is nearer to the exact score than each.

        Parameters
        ----------
        k : int, optional
            Number of best features that `top` compares.
            The default is a tenth of the features, at most 200.

        Returns
        -------
        Agreement
            NaN if there is one repeat only.
        """
        if self.is_exact:
            return Agreement(1.0, 1.0)
        if len(self.repeats) == 1:
            return Agreement(np.nan, np.nan)
        return agreement(self.repeats[::2].mean(axis=0), self.repeats[1::2].mean(axis=0), k)

    def agreement_of_sizes(self, k=None):
        """The agreement with blocks of half the size: the part that the size of a block plays.

        Parameters and result are those of `agreement`.
        """
        if self.is_exact:
            return Agreement(1.0, 1.0)
        return agreement(self.scores, self.half_size, k)

    def warnings(self, k=None):
        """The warnings that are due, each a category and a text."""
        pending = pending_warnings(self.warnings_of_blocks, self.scores, self.rounding)
        both = self.agreement(k), self.agreement_of_sizes(k)
        if not self.informative or all(not value < ENOUGH for one in both for value in one):
            return pending
        chance, size = (f"{one.spearman:.2f} and {one.top:.2f}" for one in both)
        text = (
            f"the approximate score is not certain: rank correlation and share of the best "
            f"features in common are {chance} between two independent halves of its repeats, and "
            f"{size} between its blocks and blocks of half the size, where {ENOUGH} is expected. "
            "Take larger blocks (block=...), which helps against both, or more repeats, which "
            "helps against the first."
        )
        return [*pending, (ApproximationWarning, text)]


def agreement(one, other, k=None):
    """Spearman's rank correlation of two scores, and the share of the k best in common.

    Parameters
    ----------
    one, other : ndarray of shape (d,)
    k : int, optional
        In 1..d. The default is a tenth of the features, at most 200.

    Returns
    -------
    Agreement
    """
    k = max(1, min(200, len(one) // 10)) if k is None else k
    first, second = (best_first(scores)[:k] for scores in (one, other))
    ranks = np.array([rankdata(one), rankdata(other)])
    ranks -= ranks.mean(axis=1, keepdims=True)
    norm = np.sqrt((ranks**2).sum(axis=1).prod())
    # If all scores of one are equal there is no order to agree with.
    spearman = float(ranks[0] @ ranks[1] / norm) if norm > 0 else np.nan
    return Agreement(spearman, float(np.isin(first, second).mean()))


def context_score(
    X,
    y,
    *,
    scale_factor=1.0,
    percentile=None,
    n_normalizations=0,
    geometry="regularized",
    aggregate="max",
    multiclass="mean",
    block=BLOCK,
    context=CONTEXT,
    repeats=REPEATS,
    random_state=0,
    n_jobs=None,
    progress=None,
):
    """The regularized score from random blocks of features; time and memory are linear in d.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Finite numbers, at least two features.
    y : array-like of shape (n_samples,)
        Labels of two or more classes, at least two samples each.
    scale_factor : float, default=1.0
        The kernel scale of each class is this factor times the median distance between its
        features. Positive.
    percentile : float in [0, 100], optional
        Take this percentile of those distances in place of the median: of all distances up to
        1448 features, and of a million random pairs of features beyond.
    n_normalizations : int, default=0
        Number of times that each kernel K becomes ``A^-1/2 K A^-1/2``, with A the diagonal matrix
        of its row sums.
    aggregate : {"max", "sum", "none"}, default="max"
        The score of a feature is the maximum or the sum of its scores in all classes; "none"
        returns all of them.
    multiclass : {"mean", "ovo"}, default="mean"
        "mean" compares every class with the Riemannian mean of all of them, "ovo" each class with
        each other one.
    geometry : {"regularized", "auto"}
        Both are "regularized" here.
    block : int, default=2000
        Features of a block, at most; the score is exact if this is all of them. Time and agreement
        with the exact score grow with it: it counts for more than the others.
    context : int, default=0
        Further features, drawn at random, that each block is scored together with; they are
        weighted to stand for all that are not in the block. In the same time a larger block agrees
        better with the exact score; in the same memory a context may.
    repeats : int, default=2
        Number of random divisions of the features into blocks.
    random_state : int, default=0
        Seed of all random choices, a non-negative number.
    n_jobs : int, optional
        Blocks that are computed at once, each in a process; -1 is one a core. None is one, unless
        a `joblib.parallel_config` says otherwise. The result does not depend on it.
    progress : callable, optional
        Called after each block with the numbers of blocks that are done and of all.

    Returns
    -------
    ContextScore

    Raises
    ------
    ValueError
        As `manifest.manifest_score`, and under a geometry or an aggregate that has no
        approximation.
    TypeError
        On sparse X.
    """
    check_parameters(scale_factor, percentile, n_normalizations, geometry, aggregate, multiclass)
    _check_approximation(geometry, aggregate, n_jobs)
    for name, value, least in (
        ("block", block, 2),
        ("context", context, 0),
        ("repeats", repeats, 1),
        ("random_state", random_state, 0),
    ):
        check_integer(name, value, least)
    labels, parts = split_classes(*check_samples(X, y))
    d = parts[0].shape[1]
    of_scales, of_half, *of_repeats = np.random.SeedSequence(random_state).spawn(2 + repeats)
    exact = block + context >= d
    scale = {"scale_factor": scale_factor, "percentile": percentile, "every_pair": exact}
    classes = [
        ClassSamples.of(part, label, seed, **scale)
        for label, part, seed in zip(labels, parts, of_scales.spawn(len(parts)), strict=True)
    ]
    if exact:
        runs = [draw_blocks(d, d, 0, of_repeats[0])]
    else:
        runs = [draw_blocks(d, block, context, seed) for seed in of_repeats]
        runs.append(draw_blocks(d, max(2, block // 2), context // 2, of_half))
    settings = {"n_features": d, "n_normalizations": n_normalizations, "one_thread": not exact}
    settings |= {"labels": labels, "aggregate": aggregate, "multiclass": multiclass}
    results = _computed(classes, runs, settings, n_jobs, progress)
    facts = max(one.rounding for run in results for one in run), _first_of_each(results)
    scales = tuple(one.scale * one.unit for one in classes)
    if exact:
        scores = results[0][0].scores
        return ContextScore(scores, np.zeros(d), scores[None], scores, scales, 1, *facts)
    table = np.array(aligned(runs[:-1], results[:-1], d))
    error = np.full(d, np.nan)
    if repeats > 1:
        error = table.std(axis=0, ddof=1) / np.sqrt(repeats)
    (half_size,) = aligned(runs[-1:], results[-1:], d)
    return ContextScore(table.mean(axis=0), error, table, half_size, scales, len(runs[0]), *facts)


def _check_approximation(geometry, aggregate, n_jobs):
    if geometry not in ("auto", "regularized"):
        raise ValueError(
            f"geometry={geometry!r} has no approximation; use geometry='regularized' with "
            "approximation='context', or approximation=None"
        )
    if aggregate == "none":
        raise ValueError(
            'aggregate="none" has no approximation; use "max" or "sum", or approximation=None'
        )
    if n_jobs is not None and not (is_integer(n_jobs) and n_jobs != 0):
        raise ValueError(
            f"n_jobs must be None, a number of processes, or -1 for one a core; got {n_jobs!r}"
        )


def _computed(classes, runs, settings, n_jobs, progress):
    """The results of `manifest.blocks.score_block` for the blocks of all runs, run by run."""
    blocks = [block for run in runs for block in run]
    call, scales = delayed(score_block), [one.scale for one in classes]
    tasks = (
        call([one.of_features(block.together) for one in classes], scales, block, **settings)
        for block in blocks
    )
    results = []
    for result in Parallel(n_jobs=n_jobs, return_as="generator")(tasks):
        results.append(result)
        if progress is not None:
            progress(len(results), len(blocks))
    left = iter(results)
    return [[next(left) for _ in run] for run in runs]


def _first_of_each(results):
    """The first warning of each category; a block alone is not a score that can be rounding."""
    first: dict = {}
    for category, text in (pair for run in results for one in run for pair in one.warnings):
        if category is not UninformativeScoreWarning:
            first.setdefault(category, text)
    return list(first.items())


def aligned(runs, block_scores, n_features):
    """Scores of blocks, made comparable: one array of shape (n_features,) a run.

    A run is a sequence of `Block`, a partition of the features; `block_scores` has for each
    block what `manifest.blocks.score_block` returns.
    """
    pairs = [(one[0], one[1]) for run in block_scores for one in run]
    largest = max(scores.max() for scores, _ in pairs)
    if largest == 0:
        return [np.zeros(n_features) for _ in runs]
    covariates = np.concatenate([similarity for _, similarity in pairs])
    centre, spread = covariates.mean(axis=0), covariates.std(axis=0)
    spread[spread <= EPS] = np.inf  # says nothing
    # A regression on few features would fit them, and leave nothing to compare.
    enough = min(len(scores) for scores, _ in pairs) >= 20 * (1 + covariates.shape[1])
    fits = []
    for scores, similarity in pairs:
        logs = np.log(np.maximum(scores, EPS * largest))
        design = np.column_stack([np.ones(len(logs)), (similarity - centre) / spread])
        design = design if enough else design[:, :1]
        coefficients = least_squares(design, logs, "the similarities of a block")
        residuals = logs - design @ coefficients
        # The median, for a few features that stand out must not widen all others.
        fits.append((design, coefficients, residuals, np.median(np.abs(residuals))))
    common = np.mean([fit[1] for fit in fits], axis=0)
    width = np.mean([fit[3] for fit in fits])
    left = iter(zip(pairs, fits, strict=True))
    results = []
    for run in runs:
        result = np.empty(n_features)
        for block in run:
            (scores, _), (design, _, residuals, own) = next(left)
            stretched = residuals * (width / own) if enough and own > 0 else residuals
            result[block.features] = np.where(scores > 0, np.exp(design @ common + stretched), 0.0)
        results.append(result)
    return results
