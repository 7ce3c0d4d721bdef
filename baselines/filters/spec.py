"""SPEC: the share of a feature in the smoothest directions of the graph of near samples."""

from typing import Any

import numpy as np

from manifest.decompositions import eigh

from ..contract import TIES, check_integer, constants_last, shifted, validated
from .laplacian import heat_kernel


def spec(X: Any, y: Any, *, k: int | None = None) -> np.ndarray:
    """Compute the third score of SPEC, spectral feature selection (Zhao and Liu 2007).

    The scale s of the heat kernel of all samples is the median of their distances. With

        W_ij = exp(-|x_i - x_j|^2 / (2 s^2)),    D = diag(W 1),
        L = I - D^-1/2 W D^-1/2 = sum_j lambda_j xi_j xi_j',    0 = lambda_1 <= lambda_2 <= ...,

    and the feature f, centred as f~ = f - (f'D1 / 1'D1) 1 and then f^ = D^1/2 f~ / |D^1/2 f~|,

        score = sum_{j=2..k} (2 - lambda_j) (xi_j' f^)^2.

    It is high if f follows the first k clusters of the samples. It ignores the labels, except
    that k is by default the number of classes, as in the paper. The paper does not centre f
    here, although it does in its second score, the Laplacian score of all pairs (`laplacian`).
    Without centring, the score would depend on the location of the feature.

    Eigenvalues that differ by at most 1e-9 from the k-th share the remaining places.
    skfeature's ``spec`` with ``style=k``, ``mode="raw"`` and a given graph gives the same
    numbers for centred features; its other modes use the first score and put the worst first.
    The scores lie in [0, 2].

    Parameters
    ----------
    k : int, optional
        Number of eigenvectors, from 2 to n_samples, including the first, which is constant.
    """
    X, codes = validated(X, y)
    k = codes.max() + 1 if k is None else check_integer("k", k, 2)

    def scores(varying: np.ndarray) -> np.ndarray:
        W, *_ = heat_kernel(varying, 50)
        return _along(W, shifted(varying), min(k, len(X)) - 1)

    return constants_last(X, scores)


def _along(W: np.ndarray, X: np.ndarray, n_vectors: int) -> np.ndarray:
    """Return the part of each feature in the smoothest directions that are not constant."""
    root = np.sqrt(W.sum(axis=1))
    first = root / np.sqrt(root @ root)
    # Without the first direction, because other directions may have nearly the same eigenvalue.
    normalised = W / np.outer(root, root) - np.outer(first, first)
    values, vectors = eigh(normalised, "the graph of the samples")
    last = values[-n_vectors]
    above, tied = values > last + TIES, np.abs(values - last) <= TIES
    weights = (1 + values) * (above + tied * (n_vectors - above.sum()) / tied.sum())
    features = X - (root**2 / (root @ root)) @ X
    features *= root[:, None]
    kept = weights != 0
    parts = vectors[:, kept].T @ features
    return weights[kept] @ parts**2 / (features**2).sum(axis=0)
