"""The fingerprint of a labelled table: one SHA-256 that does not depend on the order of rows.

A row's digest is SHA-256 over its features as little-endian float64 followed by its label as
little-endian int64. The fingerprint is SHA-256 over the text "NxD" followed by the sorted digests.
Sorting the rows by their digests gives the canonical order: two sources of the same data yield
identical arrays, hence identical splits. Rows with equal digests are equal rows.
"""

import hashlib

import numpy as np
import numpy.typing as npt

BLOCK_VALUES = 1 << 17  # rows are converted to float64 a block at a time: MNIST whole is 440 MB


def canonical_order(X: npt.NDArray, y: npt.NDArray[np.integer]) -> tuple[npt.NDArray[np.intp], str]:
    """Return the order that sorts rows by their digest, and the fingerprint.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), any real dtype
    y : ndarray of shape (n_samples,), integers

    Returns
    -------
    order : ndarray of shape (n_samples,)
        ``X[order], y[order]`` is the canonical form.
    fingerprint : str of 64 hexadecimal digits
    """
    labels = np.ascontiguousarray(y, dtype="<i8")
    step = max(1, BLOCK_VALUES // max(1, X.shape[1]))
    digests = []
    for start in range(0, len(X), step):
        block = np.ascontiguousarray(X[start : start + step], dtype="<f8")
        for row, label in zip(block, labels[start : start + step], strict=True):
            digests.append(hashlib.sha256(row.tobytes() + label.tobytes()).digest())
    order = np.array(sorted(range(len(digests)), key=digests.__getitem__), dtype=np.intp)
    ranked = b"".join(digests[row] for row in order)
    return order, hashlib.sha256(f"{X.shape[0]}x{X.shape[1]}".encode() + ranked).hexdigest()
