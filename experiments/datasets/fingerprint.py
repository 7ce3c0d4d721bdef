"""Compute the fingerprint of a labelled table, and verify a data set by it.

The digest of a row is SHA-256 over its features as little-endian float64 followed by its label as
little-endian int64. The fingerprint is SHA-256 over the text "NxD" followed by the sorted digests.
Rows sorted by their digests are in canonical order. Two sources of the same data therefore give
identical arrays and identical splits. Rows with equal digests are equal.
"""

import hashlib

import numpy as np
import numpy.typing as npt

from experiments.datasets.dataset import DataError, Dataset
from experiments.datasets.formats import Arrays
from experiments.datasets.registry import DatasetInfo


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
    digests = [
        hashlib.sha256(row.astype("<f8").tobytes() + label.tobytes()).digest()
        for row, label in zip(X, labels, strict=True)
    ]
    order = np.array(sorted(range(len(digests)), key=digests.__getitem__), dtype=np.intp)
    ranked = b"".join(digests[row] for row in order)
    return order, hashlib.sha256(f"{X.shape[0]}x{X.shape[1]}".encode() + ranked).hexdigest()


def verify(info: DatasetInfo, table: Arrays, source: str) -> Dataset:
    """Check a table against the registry, and put its rows into canonical order.

    X gets the dtype of the registry. Labels that are the names of the registry, or numbers equal to
    them, keep their meaning. Others are taken in their order, and two classes in both orders (-1
    and 1 may be coded as 2 and 1): the fingerprint decides.

    Raises
    ------
    DataError
        If shape, labels, class counts, values or fingerprint do not match the data set.
    """
    n_rows = info.shape[0] if info.first_of else None
    X, labels = _values(info, table.X[:n_rows]), table.labels[:n_rows]
    found, inverse, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    seen = []
    for codes in _meanings(info, dict(zip(map(_spelled, found), sizes.tolist(), strict=True))):
        y = np.array(codes, dtype=np.int64)[inverse]
        order, fingerprint = canonical_order(X, y)
        seen.append(fingerprint)
        if info.fingerprint in (None, fingerprint):
            return Dataset(
                name=info.name,
                X=X[order],
                y=y[order],
                label_names=dict(enumerate(info.counts)),
                feature_names=table.feature_names,
                fingerprint=fingerprint,
                verified=info.fingerprint is not None,
                source=source,
            )
    raise DataError(
        f"{info.name}: the fingerprint should be {info.fingerprint} but that of {source} "
        f"is {' or '.join(seen)}; shape and class counts are right, so values or labels differ"
    )


def _values(info: DatasetInfo, X: npt.NDArray) -> npt.NDArray:
    if X.shape != info.shape:
        raise DataError(f"{info.name}: expected an X of shape {info.shape}, got {X.shape}")
    low, high = info.value_range
    if not (X.min() >= low and X.max() <= high):  # written so that NaN fails too
        raise DataError(
            f"{info.name}: expected values from {low} to {high}, got {X.min()} to {X.max()}"
        )
    stored = np.ascontiguousarray(X, dtype=info.dtype)
    if not np.array_equal(stored, X):
        raise DataError(f"{info.name}: expected whole numbers, got fractions")
    return stored


def _spelled(label: object) -> str:
    """Return the label in one spelling: "+1", "1.0" and 1 all become "1"."""
    text = str(label).strip(" '\"")
    try:
        return f"{float(text):g}"
    except ValueError:
        return text


def _possible_codes(n_labels: int) -> list[tuple[int, ...]]:
    """Return the codes of sorted labels: in their order, and for two of them in the other, too."""
    in_order = tuple(range(n_labels))
    return [in_order, in_order[::-1]] if n_labels == 2 else [in_order]


def _meanings(info: DatasetInfo, found: dict[str, int]) -> list[tuple[int, ...]]:
    """Return possible codes of the labels that agree with the counts, the most likely first."""
    names, counts = list(map(_spelled, info.counts)), list(info.counts.values())
    possible = []
    if sorted(names) == sorted(found):
        possible.append(tuple(names.index(label) for label in found))
    if info.fingerprint is not None:
        possible += _possible_codes(len(found))
    right: list[tuple[int, ...]] = []
    for codes in possible:
        has_each_once = sorted(codes) == list(range(len(counts)))
        if has_each_once and [counts[code] for code in codes] == list(found.values()):
            right.append(codes)
    if not right:
        raise DataError(
            f"{info.name}: expected these labels and numbers of samples: {dict(info.counts)}; got "
            f"{found}"
        )
    return list(dict.fromkeys(right))
