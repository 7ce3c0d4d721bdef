"""Generalised Fisher score: the features that jointly separate the classes best."""

from typing import Any

import numpy as np

from ..contract import check_integer, constants_last, number, shifted, validated

#: Number of updates of the weights. It is fixed, so that rounding does not decide when they end.
_UPDATES = 100


def generalized_fisher(X: Any, y: Any, *, n_selected: int = 20, gamma: float = 1.0) -> np.ndarray:
    """Compute the generalised Fisher score (Gu, Li, Han 2011) by its convex relaxation.

    The features are the columns x_f of X, centred and of norm 1. Weights p choose features, which
    have the scatter S_b between the classes and the total scatter S_t. The m best features are

        max_p F(p) = tr[ S_b(p) (S_t(p) + gamma I)^-1 ],    p_f in {0, 1}, sum_f p_f = m.

    Let H (n x C) have the centred columns 1[y_i = c] / sqrt(n_c), so that S_b = X'HH'X. Let

        V(p) = (I + 1/gamma X diag(p) X')^-1 H,    F(p) = tr[ H'(H - V(p)) ].

    F is concave in p, and |x_f'V|^2 is gamma times its derivative in p_f. The paper solves this
    problem for 0 <= p_f <= 1 by cutting planes. Here ridge regression on H with weights W and the
    penalty gamma sum_f |w_f|^2 / p_f solves it. It alternates 100 times between the best W, w_f =
    p_f x_f'V / gamma, and the best p, min(1, tau |w_f|) with tau such that the sum is m. Then

        score_f = (1 + p_f) |x_f'V(p)|.

    At the best p there is a number t with |x_f'V| >= t where p_f = 1, equal to t where p_f is
    between 0 and 1, and at most t where p_f = 0. The score therefore puts the chosen features
    first, then the partly chosen ones, then the others. As gamma tends to infinity, the order
    becomes that of Fisher's score. For a small gamma, the score of a feature depends on the part of
    the label that the chosen features do not explain. The scores are at least 0.

    Parameters
    ----------
    n_selected : int
        The number m of features that are chosen together, at least 1. If fewer features vary, all
        of them are chosen.
    gamma : float
        The ridge, from 1e-3 to 1e6; the squared norm of a feature is 1.
    """
    X, codes = validated(X, y)
    m = check_integer("n_selected", n_selected, 1)
    gamma = number("gamma", gamma, 1e-3, 1e6)
    H = np.eye(codes.max() + 1)[codes] / np.sqrt(np.bincount(codes))
    H -= H.mean(axis=0)

    def scores(varying: np.ndarray) -> np.ndarray:
        features = shifted(varying)
        features -= features.mean(axis=0)
        features /= np.sqrt((features**2).sum(axis=0))
        return _scores(features, H, min(m, features.shape[1]), gamma)

    return constants_last(X, scores)


def _scores(X: np.ndarray, H: np.ndarray, m: int, gamma: float) -> np.ndarray:
    n, d = X.shape
    gram = X.T @ X if d < n else None
    p = np.full(d, m / d)
    left = _left(X, H, p, gamma, gram)
    if m < d:
        for _ in range(_UPDATES):
            p = _with_sum(p * left, m)
            left = _left(X, H, p, gamma, gram)
    return (1 + p) * left


def _left(X, H, p, gamma, gram) -> np.ndarray:
    """Return |x_f'V(p)| of each feature, from n equations or, given the Gram matrix X'X, from d."""
    root = np.sqrt(p)
    if gram is None:
        weighted = X * root
        XV = X.T @ np.linalg.solve(np.eye(len(X)) + weighted @ weighted.T / gamma, H)
    else:
        XH = X.T @ H
        inner = gamma * np.eye(p.size) + root[:, None] * gram * root
        XV = XH - gram @ (root[:, None] * np.linalg.solve(inner, root[:, None] * XH))
    return np.sqrt((XV**2).sum(axis=1))


def _with_sum(weights: np.ndarray, m: int) -> np.ndarray:
    """Return min(1, tau weights) with tau such that the sum is m, at most their number."""
    descending = np.sort(weights)[::-1]
    rest = np.cumsum(descending[::-1])[::-1]  # The sums of all from each position on.
    # With the first k at 1, the others share m - k; k is right if the next one is below 1.
    k = np.arange(m)
    fits = descending[:m] * (m - k) <= rest[:m]
    if not fits.any() or rest[np.argmax(fits)] == 0:
        return np.full(weights.size, m / weights.size)
    first = np.argmax(fits)
    return np.minimum(1, weights * (m - first) / rest[first])
