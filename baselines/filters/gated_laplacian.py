"""The gated Laplacian score: gates keep the features that are smooth on their own graph."""

from typing import Any

import numpy as np
from scipy.stats import norm

from ..contract import TIES, check_integer, constants_last, number, shifted, validated
from ._contents import in_order_of_contents

#: The standard deviation of the gates' noise, and a constant that keeps the objective finite.
_SIGMA, _DELTA = 0.5, 1e-6
#: The rate of Adam, and the number of rows per step.
_RATE, _BATCH = 0.005, 128


def gated_laplacian(
    X: Any, y: Any, *, factor: float = 1.0, n_steps: int = 500, seed: int = 0
) -> np.ndarray:
    """Compute the differentiable gated Laplacian (Lindenbaum, Shaham, Peterfreund, et al. 2021).

    Each feature is scaled to mean 0 and variance 1 and has a stochastic gate z_f = max(0, min(1,
    mu_f + e_f / 2)), e_f ~ N(0, 1), as in STG. The gates of features that are not smooth on the
    graph of the gated samples close. Let Z = diag(z), D_ij the squared distance between rows i and
    j of XZ, and P = K / (row sums of K). The means mu minimise the expectation of the
    parameter-free objective, equation 4 of the paper,

        - 1/(n d) tr[ (XZ)' P P XZ ] / (1/d sum_f P(z_f > 0) + 1e-6),
        K_ij = exp(-D_ij / (factor s)),    P(z_f > 0) = Phi(2 mu_f),    score_f = mu_f,

    where s is the mean squared distance to the nearest row that is different; tied nearest rows
    have equal weights. P P and the initial mu = 1/2 are the choices of the authors, whose code has
    factors of 1 and 5. They use the median for s, but its gradient depends on only one or two pairs
    of rows. The optimiser is Adam (Kingma and Ba 2015) with rate 0.005 and at most 128 rows per
    step; the authors use about 10,000 steps of plain gradient descent.

    The score ignores the labels. Noise and rows are drawn in an order of samples and features that
    depends on their values only, and equal features share the mean of their scores. A gate is
    closed if mu_f <= 0 and completely open if mu_f >= 1.

    Parameters
    ----------
    factor : float
        The factor of the kernel scale s, from 0.01 to 1000.
    n_steps : int
        Number of steps of the optimiser, at least 1.
    seed : int
        Seed of the noise and of the choice of rows, at least 0.
    """
    X, _ = validated(X, y)
    n_steps, seed = check_integer("n_steps", n_steps, 1), check_integer("seed", seed, 0)
    factor = number("factor", factor, 0.01, 1000)

    def means(values: np.ndarray, _: np.ndarray) -> np.ndarray:
        values -= values.mean(axis=0)
        values /= np.sqrt((values**2).mean(axis=0))
        return _means(values, factor, n_steps, np.random.default_rng(seed))

    def scores(varying: np.ndarray) -> np.ndarray:
        one_class, values = np.zeros(len(varying), dtype=np.intp), shifted(varying)
        alike = np.round((values - values.mean(axis=0)) / values.std(axis=0), 9)
        return in_order_of_contents(varying, one_class, means, values, alike)

    return constants_last(X, scores)


def _means(X: np.ndarray, factor: float, n_steps: int, rng: np.random.Generator) -> np.ndarray:
    """Return the means of the gates after training."""
    n, d = X.shape
    mu, mean, square = np.full(d, 0.5), np.zeros(d), np.zeros(d)
    for step in range(1, n_steps + 1):
        rows = X if n <= _BATCH else X[np.sort(rng.permutation(n)[:_BATCH])]
        noise = _SIGMA * rng.standard_normal((d,))
        gradient = _objective(rows, mu, noise, factor)[1]
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        size = np.sqrt(square / (1 - 0.999**step)) + 1e-8
        mu = mu - _RATE * mean / (1 - 0.9**step) / size
    return mu


def _objective(
    X: np.ndarray, mu: np.ndarray, noise: np.ndarray, factor: float
) -> tuple[float, np.ndarray]:
    """Return the objective for one draw of the noise, and its gradient in mu."""
    n, d = X.shape
    z = np.clip(mu + noise, 0, 1)
    gated = X * z
    B = gated @ gated.T
    norms = np.diag(B)
    squared = np.maximum(norms[:, None] + norms - 2 * B, 0)
    np.fill_diagonal(squared, 0)
    nearest = _nearest(squared)
    scale = factor * ((nearest * squared).sum() or 1.0)
    K = np.exp(-squared / scale)
    degree = K.sum(axis=1, keepdims=True)
    P = K / degree
    PX = P @ X
    along = ((P.T @ X) * PX).sum(axis=0)  # x_f'P P x_f
    smooth = z**2 @ along / (n * d)
    # The derivatives of tr(B P P) in P, in the kernel, and in the squared distances.
    by_P = B @ P.T + P.T @ B
    by_K = (by_P - (by_P * P).sum(axis=1, keepdims=True)) / degree
    by_squared = -by_K * K / scale
    by_squared -= (by_squared * squared).sum() / scale * factor * nearest
    pairs = by_squared + by_squared.T
    # sum_ij by_squared_ij (x_if - x_jf)^2
    apart = pairs.sum(axis=1) @ X**2 - (X * (pairs @ X)).sum(axis=0)
    inside = (mu + noise > 0) & (mu + noise < 1)
    by_mu = 2 * z * (along + apart) * inside / (n * d)
    open_share = norm.cdf(mu / _SIGMA).mean() + _DELTA
    by_share = norm.pdf(mu / _SIGMA) / (_SIGMA * d)
    return -smooth / open_share, (smooth * by_share / open_share - by_mu) / open_share


def _nearest(squared: np.ndarray) -> np.ndarray:
    """Return weights of the pairs whose weighted mean is the mean over nearest different rows."""
    others = np.where(squared > TIES * squared.max(), squared, np.inf)
    least = others.min(axis=1, keepdims=True)
    near = (others <= least * (1 + TIES)) & np.isfinite(least)
    return near / np.maximum(near.sum(axis=1, keepdims=True), 1) / max(1, near.any(axis=1).sum())
