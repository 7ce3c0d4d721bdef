"""Check that a table is the data set that it is said to be, down to its fingerprint."""

import numpy as np
import numpy.typing as npt

from experiments.datasets.dataset import DataError, Dataset
from experiments.datasets.fingerprint import canonical_order
from experiments.datasets.formats import Arrays
from experiments.datasets.registry import DatasetInfo


def verify(info: DatasetInfo, table: Arrays, source: str) -> Dataset:
    """Check a table against what the registry knows, and put its rows into canonical order.

    X has the registry's dtype. Labels are mapped to the registry's by their declared spelling. If a
    source may write a binary label either way round (-1 and 1 as 1 and 2, or as 2 and 1), the
    fingerprint decides.

    Raises
    ------
    DataError
        If shape, labels, class counts, values or fingerprint are not those of the data set.
    """
    n_rows = info.shape[0] if info.first_of else None
    X = _values(info, table.X[:n_rows])
    values, codes, numbers = np.unique(
        table.labels[:n_rows], return_inverse=True, return_counts=True
    )
    if codes.shape != (len(X),):
        raise DataError(f"{info.name}: {codes.size} labels for {len(X)} rows")
    seen = []
    labels = [_spelled(str(value)) for value in values]
    for assignment in _assignments(info, labels, numbers.tolist()):
        y = assignment[codes]
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


def _spelled(label: str) -> str:
    """The label in one spelling: "+1", "1.0" and 1 are all "1"."""
    label = label.strip().strip("'\"").strip()
    try:
        number = float(label)
    except ValueError:
        return label
    return str(int(number)) if number.is_integer() else label


def _assignments(
    info: DatasetInfo, labels: list[str], numbers: list[int]
) -> list[npt.NDArray[np.int64]]:
    """The codes that the labels may mean, the most likely first, as far as the counts agree."""
    counts, values = list(info.counts.values()), tuple(range(len(info.counts)))
    names = tuple(map(_spelled, info.counts))
    numbered = tuple(map(str, values))
    candidates = [
        tuple(values[spelling.index(label)] for label in labels)
        for spelling in (names, *info.spellings, numbered)
        if sorted(spelling) == sorted(labels)
    ]
    if len(labels) == len(values) == 2 and (info.fingerprint or not candidates):
        candidates += [values, values[::-1]]
    right = [c for c in dict.fromkeys(candidates) if [counts[v] for v in c] == numbers]
    if not right or (info.fingerprint is None and len(right) > 1):
        expected = ", ".join(f"{label}: {n}" for label, n in info.counts.items())
        found = ", ".join(f"{label}: {n}" for label, n in zip(labels, numbers, strict=True))
        raise DataError(
            f"{info.name}: expected these labels and numbers of samples: {expected}; got {found}"
        )
    return [np.array(candidate, dtype=np.int64) for candidate in right]
