"""Synthetic samples whose relevant features are known for each sample, from four papers."""

from typing import NamedTuple

import numpy as np


class Known(NamedTuple):
    """A sample and what matters in it.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    support : ndarray of bool (n_samples, n_features)
        The features that y depends on, for each sample.
    """

    X: np.ndarray
    y: np.ndarray
    support: np.ndarray


def product(seed, n: int, d: int) -> Known:
    """P(y = 1 | x) = 1 / (1 + exp(x_1 x_2)), x normal.

    The XOR of L2X (Chen et al. 2018) with d = 10, and Syn1 of INVASE (Yoon et al. 2019) with
    d = 11. No classifier is right in more than about 0.63 of the samples.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = (rng.uniform(size=n) < 1 / (1 + np.exp(X[:, 0] * X[:, 1]))).astype(int)
    support = np.zeros(X.shape, dtype=bool)
    support[:, :2] = True
    return Known(X, y, support)


def two_groups(seed, n: int, d: int = 50) -> Known:
    """Two groups with features of their own: the nonlinear classification that comes with LSPIN.

    The first four features are normal with a standard deviation of 1/2 around 1 in the first half
    of the samples, and around -1 in the second; the others, around 0. y = 1 where x_1 x_2 < 0.9 in
    the first half, and where x_3^2 + x_4^2 < 2.5 in the second (Yang et al. 2022, the authors'
    program).
    """
    rng = np.random.default_rng(seed)
    second = np.arange(n) >= n // 2
    X = rng.normal(scale=0.5, size=(n, d))
    X[:, :4] += np.where(second, -1.0, 1.0)[:, None]
    squares = (X[:, 2:4] ** 2).sum(axis=1) - 2.5
    y = (np.where(second, squares, X[:, 0] * X[:, 1] - 0.9) < 0).astype(int)
    support = np.zeros(X.shape, dtype=bool)
    support[~second, :2] = True
    support[second, 2:4] = True
    return Known(X, y, support)


def rates(gates, support) -> tuple[float, float]:
    """The true positive and the false discovery rate of open gates, means over the samples.

    Where a sample has no open gate, its false discovery rate is 0.
    """
    opened = gates > 0
    hits, n_open = (opened & support).sum(axis=1), opened.sum(axis=1)
    false = (n_open - hits) / np.maximum(n_open, 1)
    return float((hits / support.sum(axis=1)).mean()), float(false.mean())
