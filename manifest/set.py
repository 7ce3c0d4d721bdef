"""A set of features that are relevant and differ from each other: a determinantal point process.

A determinantal point process gives a set the probability det(L_S) up to a factor, with ``L =
diag(q) S diag(q)``, q >= 0 the quality of each item and S >= 0 the similarity of any two (Kulesza
and Taskar 2012). Taking, step by step, the item of the largest ``log det`` approximates the most
probable set. The gain of item i is ``q_i^2 c_i``, with c_i its conditional variance, the part that
the taken ones leave unexplained. One row of a Cholesky factor a step updates all of them (Chen,
Zhang and Zhou 2018): k items of d take time d k^2.

References
----------
Kulesza and Taskar (2012), "Determinantal point processes for machine learning", Foundations and
Trends in Machine Learning 5.

Chen, Zhang and Zhou (2018), "Fast greedy MAP inference for determinantal point process to improve
recommendation diversity", Advances in Neural Information Processing Systems 31.
"""

import numpy as np

from manifest.ranking import TIES, levels

#: So many features are chosen in this way by default; the others follow by their last gain.
CHOSEN = 500
#: An item of a smaller conditional variance is a copy of what is taken.
COPY = 1e-9
#: The error of a conditional variance by rounding.
_ROUNDING = 1e-12


def set_order(quality, similarity, n_selected=CHOSEN):
    """The step in which each item is taken, 0 for the first.

    Items whose gains tie are taken in one step, unless one is a copy of the others, since nothing
    in the data tells which of them is first. A copy of what is taken has no gain: it comes after
    all items of positive quality that are no copies.

    Parameters
    ----------
    quality : ndarray of shape (d,)
        Non-negative.
    similarity : ndarray of shape (d, d)
        Positive semi-definite with unit diagonal.
    n_selected : int
        At least 1: so many items, or a few more that tie, are taken by their gain. The others
        follow by the gain that they have after that.

    Returns
    -------
    ndarray of int, shape (d,)
        Equal for items that tie.

    Raises
    ------
    ValueError
        If a quality is negative or not finite.
    """
    if not (np.isfinite(quality).all() and (quality >= 0).all()):
        raise ValueError("a quality must be a finite number >= 0; map the scores to [0, 1] first")
    d = quality.size
    most = min(n_selected, d)
    factor, taken = np.zeros((most, d)), 0
    conditional, steps, step = np.ones(d), np.full(d, -1), 0
    slack = TIES * quality.max(initial=0)
    # A lowest score of 0 that ties with others must not differ from them by rounding.
    quality = np.where(quality > slack, quality, 0.0)
    while taken < most:
        gain = _gain(quality, conditional, steps)
        best = int(np.argmax(gain))
        if gain[best] <= 0:
            break
        least = gain[best] * (1 - _ROUNDING / conditional[best]) - slack
        for item in np.flatnonzero(gain >= max(least, np.nextafter(0, 1))):
            if conditional[item] <= COPY:
                continue
            if taken == len(factor):  # those that tie with the last one
                factor = np.vstack([factor, np.zeros((1, d))])
            row = similarity[item] - factor[:taken, item] @ factor[:taken]
            factor[taken] = row / np.sqrt(conditional[item])
            conditional = conditional - factor[taken] ** 2
            steps[item], taken = step, taken + 1
        step += 1
    return _with_the_rest(steps, step, quality, conditional)


def _gain(quality, conditional, steps):
    """``q sqrt(c)``, the root of the gain of the determinant; 0 for the taken and for copies."""
    waiting = (steps < 0) & (conditional > COPY)
    return np.where(waiting, quality * np.sqrt(np.maximum(conditional, 0)), 0)


def _with_the_rest(steps, step, quality, conditional):
    """The steps, continued by the gain of what is left, then copies by their quality."""
    rest = steps < 0
    if rest.any():
        gain = _gain(quality, conditional, steps)[rest]
        gained = levels(gain)
        copies = levels(quality[rest])
        last = gained.max() + 1
        steps[rest] = step + np.where(gain > 0, gained, last + copies)
        steps = np.unique(steps, return_inverse=True)[1]
    return steps
