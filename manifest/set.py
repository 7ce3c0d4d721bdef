"""Choose relevant features that differ from each other by a determinantal point process.

A determinantal point process gives a set the probability det(L_S) up to a factor, with ``L =
diag(q) S diag(q)``, q >= 0 the quality of each item and S >= 0 the similarity of any two (Kulesza
and Taskar 2012). Adding, step by step, the item with the largest ``log det`` approximates the most
probable set. The gain of item i is ``q_i^2 c_i``. Its conditional variance c_i is the part that the
chosen items do not explain. Each step updates all gains with one row of a Cholesky factor (Chen,
Zhang and Zhou 2018). Choosing k of d items takes time d k^2.

References
----------
Kulesza and Taskar (2012), "Determinantal point processes for machine learning", Foundations and
Trends in Machine Learning 5.

Chen, Zhang and Zhou (2018), "Fast greedy MAP inference for determinantal point process to improve
recommendation diversity", Advances in Neural Information Processing Systems 31.
"""

import numpy as np

from manifest.ranking import TIES, levels

#: Default number of features that are chosen in this way; the others follow by their last gain.
CHOSEN = 500
#: An item with a smaller conditional variance is a copy of chosen ones.
COPY = 1e-9
#: The rounding error of a conditional variance.
_ROUNDING = 1e-12


def set_order(quality, similarity, n_selected=CHOSEN):
    """Return the step in which each item is chosen, 0 for the first.

    Items with tied gains are chosen in one step, since nothing in the data says which of them is
    first. The exception are copies: a copy of chosen items has no gain and follows all items of
    positive quality that are not copies.

    Parameters
    ----------
    quality : ndarray of shape (d,)
        Non-negative.
    similarity : ndarray of shape (d, d)
        Positive semi-definite with unit diagonal.
    n_selected : int
        Number of items, at least 1, that are chosen by their gain, and a few more if they tie. The
        others follow by the gain that they have after that.

    Returns
    -------
    ndarray of int, shape (d,)
        Tied items share a step.

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
    # If the lowest score, 0, ties with others, all of them are set to 0.
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
    """Return ``q sqrt(c)``, the root of the gain; 0 for chosen items and for copies."""
    waiting = (steps < 0) & (conditional > COPY)
    return np.where(waiting, quality * np.sqrt(np.maximum(conditional, 0)), 0)


def _with_the_rest(steps, step, quality, conditional):
    """Continue the steps: the remaining items by gain, then copies by quality."""
    rest = steps < 0
    if rest.any():
        gain = _gain(quality, conditional, steps)[rest]
        gained = levels(gain)
        copies = levels(quality[rest])
        last = gained.max() + 1
        steps[rest] = step + np.where(gain > 0, gained, last + copies)
        steps = np.unique(steps, return_inverse=True)[1]
    return steps
