"""Many features: random blocks of them, each scored exactly and alone.

The exact score takes time d^3 and memory d^2. In blocks of b features it takes time d b^2, and the
memory of the samples and of one block. The features come in the order of a digest of their values
(`manifest.contents`), are shuffled, and are cut into the fewest blocks of at most b, of equal
size but for one feature. A feature then has the score that it has among the features of its block.

What is lost are relations between features of different blocks. A block of a share s of the
features sees a share s of the pairs, so a feature with many partners keeps a fair sample of them,
and one whose single partner is elsewhere has the score of a feature without any.
"""

import numpy as np

from manifest.categories import UninformativeScoreWarning
from manifest.composition import ClassScores, class_scores
from manifest.contents import order_of_features, order_of_samples, ranks
from manifest.trust import is_informative, one_of_each, pending_warnings
from manifest.validation import check_integer

#: No block of two features or more is cut off below this size, and one feature has no distances.
SMALLEST = 3


def draw_blocks(X, block, random_state=0):
    """A random partition of the features into blocks of about equal size.

    It is a function of the values and the seed: no order of the rows or columns changes it.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    block : int or None
        Features of a block, at most; at least 3. None is one block of all.
    random_state : int, default=0
        A seed, at least 0.

    Returns
    -------
    list of ndarray of int
        The features of each block, ascending.

    Raises
    ------
    ValueError
        If block or random_state is out of range.
    """
    check_integer("random_state", random_state, 0)
    if block is not None:
        check_integer("block", block, SMALLEST)
    d = X.shape[1]
    if block is None or d <= block:
        return [np.arange(d)]
    R = ranks(X)
    order = order_of_features(X, R, order_of_samples(R))
    rng = np.random.default_rng(np.random.SeedSequence(random_state, spawn_key=(1,)))
    return [np.sort(part) for part in np.array_split(rng.permutation(order), -(-d // block))]


def scores_in_blocks(X, y, percentiles, *, block=None, random_state=0, **parameters):
    """The scores of validated samples at each percentile, exact or block by block.

    Parameters
    ----------
    block, random_state
        As of `draw_blocks`.
    **parameters
        The others are those of `manifest.composition.class_scores`.

    Yields
    ------
    ClassScores
        In several blocks `scales` is empty, since each block has its own.
    """
    blocks = draw_blocks(X, block, random_state)
    if len(blocks) == 1:
        yield from class_scores(X, y, percentiles, **parameters)
        return
    found = [list(class_scores(X[:, part], y, percentiles, **parameters)) for part in blocks]
    for of_percentile in zip(*found, strict=True):
        yield _joined(blocks, of_percentile)


def _joined(blocks, scores):
    """The scores of all features from those of each block."""
    rows = np.empty((len(scores[0].rows), sum(map(len, blocks))))
    for part, one in zip(blocks, scores, strict=True):
        rows[:, part] = one.rows
    rounding = max(one.rounding for one in scores)
    geometries = {one.geometry for one in scores}
    warnings = [warning for one in scores for warning in one.warnings]
    # That a block is rounding says nothing of the whole.
    warnings = [one for one in warnings if not isinstance(one, UninformativeScoreWarning)]
    return ClassScores(
        rows=rows,
        geometry=geometries.pop() if len(geometries) == 1 else "auto",
        scales=(),
        classes=scores[0].classes,
        n_ambiguous=sum(one.n_ambiguous for one in scores),
        rounding=rounding,
        informative=is_informative(rows, rounding),
        warnings=pending_warnings(one_of_each(warnings), rows, rounding),
    )
