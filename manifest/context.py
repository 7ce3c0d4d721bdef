"""The score of many features: block by block, with a measure of how good that is.

The exact score takes time d^3 and memory d^2. Here, every feature is scored together with some
others only (:mod:`manifest.blocks`), which takes time d and memory for one block, several times
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

from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from manifest.approximation import ContextScore
from manifest.blocks import ClassSamples, class_score, draw_blocks, score_block
from manifest.decompositions import least_squares
from manifest.linalg import EPS
from manifest.validation import check_parameters, check_samples, is_integer, split_classes

#: Defaults; see :func:`context_score`.
BLOCK, CONTEXT, REPEATS = 2000, 0, 2


def check_context_parameters(block, context, repeats, random_state, n_jobs):
    """Raise a ValueError that names the parameter, its value and what is allowed."""
    for name, value, least in (
        ("block", block, 2),
        ("context", context, 0),
        ("repeats", repeats, 1),
        ("random_state", random_state, 0),
    ):
        if not (is_integer(value) and value >= least):
            raise ValueError(f"{name} must be an integer >= {least}, got {value!r}")
    if n_jobs is not None and not (is_integer(n_jobs) and n_jobs != 0):
        raise ValueError(
            f"n_jobs must be None, a number of processes, or -1 for one a core; got {n_jobs!r}"
        )


def approximate_score(
    X,
    y,
    approximation="context",
    *,
    scale_factor=1.0,
    percentile=None,
    n_normalizations=0,
    geometry="regularized",
    aggregate="max",
    multiclass="mean",
    **parameters,
):
    """The approximate score, from samples that are not checked yet.

    Parameters
    ----------
    X, y, approximation, scale_factor, percentile, n_normalizations, geometry, aggregate, multiclass
        As of :func:`manifest.manifest_score`; "auto" is "regularized" here.
    **parameters
        As of :func:`context_score`.

    Returns
    -------
    ContextScore

    Raises
    ------
    ValueError
        As :func:`manifest.manifest_score`, on an unknown approximation, and under a geometry that
        has none.
    TypeError
        On sparse X.
    """
    check_parameters(scale_factor, percentile, n_normalizations, geometry, aggregate, multiclass)
    if approximation != "context":
        raise ValueError(f"approximation must be None or 'context', got {approximation!r}")
    if geometry not in ("auto", "regularized"):
        raise ValueError(
            f"geometry={geometry!r} has no approximation; use geometry='regularized' with "
            "approximation='context', or approximation=None"
        )
    if aggregate == "none":
        raise ValueError(
            'aggregate="none" has no approximation; use "max" or "sum", or approximation=None'
        )
    return context_score(
        *split_classes(*check_samples(X, y)),
        score=partial(class_score, aggregate=aggregate, multiclass=multiclass),
        scale_factor=scale_factor,
        percentile=percentile,
        n_normalizations=n_normalizations,
        **parameters,
    )


def context_score(
    labels,
    parts,
    *,
    scale_factor=1.0,
    percentile=None,
    n_normalizations=0,
    block=BLOCK,
    context=CONTEXT,
    repeats=REPEATS,
    random_state=0,
    n_jobs=None,
    progress: Callable[[int, int], None] | None = None,
    score=class_score,
):
    """The regularized score from random blocks of features; time and memory are linear in d.

    Parameters
    ----------
    labels : sequence of C labels
        Of the classes, to be named in an error.
    parts : sequence of C ndarrays of shape (n_l, d)
        The samples of each class.
    scale_factor, percentile, n_normalizations
        As of :func:`manifest.manifest_score`. The percentile is of all distances up to 1448
        features, and of a million random pairs of features beyond.
    block : int, default=2000
        Features of a block, at most; the score is exact where this is all of them. Time and
        agreement with the exact score grow with it: it counts for more than the others.
    context : int, default=0
        Further features, drawn at random, that each block is scored together with; they are
        weighted to stand for all that are not in the block. In the same time a larger block agrees
        better with the exact score; in the same memory a context may.
    repeats : int, default=2
        How often the features are divided into blocks anew.
    random_state : int, default=0
        Seed of all random choices, a non-negative number.
    n_jobs : int, optional
        Blocks that are computed at once, each in a process; -1 is one a core. None is one, unless
        a :class:`joblib.parallel_config` says otherwise. The result does not depend on it.
    progress : callable, optional
        Called after each block with the numbers of blocks that are done and of all.
    score : callable
        From a list of positive definite kernels, one a class, which it may overwrite, to the
        diagonal of |D|; it must be importable for ``n_jobs > 1``.

    Returns
    -------
    ContextScore

    Raises
    ------
    ValueError
        On a parameter out of range or a kernel scale of zero.
    """
    check_context_parameters(block, context, repeats, random_state, n_jobs)
    d = parts[0].shape[1]
    of_scales, of_half, *of_repeats = np.random.SeedSequence(random_state).spawn(2 + repeats)
    exact = block + context >= d
    classes = [
        ClassSamples.of(
            part,
            label,
            seed,
            scale_factor=scale_factor,
            percentile=percentile,
            every_pair=exact,
        )
        for label, part, seed in zip(labels, parts, of_scales.spawn(len(parts)), strict=True)
    ]
    if exact:
        runs = [draw_blocks(d, d, 0, of_repeats[0])]
    else:
        runs = [draw_blocks(d, block, context, seed) for seed in of_repeats]
        runs.append(draw_blocks(d, max(2, block // 2), context // 2, of_half))
    settings = {"n_features": d, "n_normalizations": n_normalizations, "score": score}
    results = _computed(classes, runs, settings, n_jobs, progress, one_thread=not exact)
    scales = tuple(one.scale * one.unit for one in classes)
    if exact:
        ((scores, _),) = results[0]
        return ContextScore(scores, np.zeros(d), scores[None], scores, scales, 1)
    table = np.array(aligned(runs[:-1], results[:-1], d))
    error = np.full(d, np.nan)
    if repeats > 1:
        error = table.std(axis=0, ddof=1) / np.sqrt(repeats)
    (half_size,) = aligned(runs[-1:], results[-1:], d)
    return ContextScore(table.mean(axis=0), error, table, half_size, scales, len(runs[0]))


def _computed(classes, runs, settings, n_jobs, progress, one_thread):
    """The results of :func:`manifest.blocks.score_block` for the blocks of all runs, run by run."""
    blocks = [block for run in runs for block in run]
    scales = [one.scale for one in classes]
    call = delayed(score_block)
    tasks = (
        call(
            [one.of_features(block.together) for one in classes],
            scales,
            block,
            one_thread=one_thread,
            **settings,
        )
        for block in blocks
    )
    results = []
    for result in Parallel(n_jobs=n_jobs, return_as="generator")(tasks):
        results.append(result)
        if progress is not None:
            progress(len(results), len(blocks))
    left = iter(results)
    return [[next(left) for _ in run] for run in runs]


def aligned(runs, block_scores, n_features):
    """Scores of blocks, made comparable: one array of scores a run.

    Parameters
    ----------
    runs : sequence of sequences of Block
        Partitions of the features.
    block_scores : sequence of sequences of (ndarray of shape (b,), ndarray of shape (b, n_classes))
        The scores of each block and the mean similarities of its features.
    n_features : int

    Returns
    -------
    list of ndarray of shape (n_features,)
    """
    pairs = [pair for run in block_scores for pair in run]
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
