"""The fingerprint's definition, and that it does not depend on the order of rows."""

import hashlib
import struct

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.datasets.fingerprint import BLOCK_VALUES, canonical_order


def literal(X, y) -> str:
    """The definition, word for word."""
    rows = sorted(
        hashlib.sha256(
            b"".join(struct.pack("<d", value) for value in row) + struct.pack("<q", label)
        ).digest()
        for row, label in zip(X.tolist(), y.tolist(), strict=True)
    )
    return hashlib.sha256(f"{X.shape[0]}x{X.shape[1]}".encode() + b"".join(rows)).hexdigest()


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 6))
def test_definition_and_order(seed, n, d):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-2, 3, size=(n, d)), rng.integers(0, 2, size=n)  # with repeated rows
    order, fingerprint = canonical_order(X, y)
    assert fingerprint == literal(X, y)
    shuffle = rng.permutation(n)
    order_2, fingerprint_2 = canonical_order(X[shuffle].astype(np.float64), y[shuffle])
    assert fingerprint_2 == fingerprint
    assert np.array_equal(X[shuffle][order_2], X[order])
    assert np.array_equal(y[shuffle][order_2], y[order])


def test_storage_does_not_matter():
    X = np.arange(12).reshape(4, 3)
    y = np.array([0, 1, 0, 1])
    for dtype in (np.uint8, np.int16, np.float32, ">f8"):
        stored = X.astype(dtype)
        assert canonical_order(stored, y)[1] == literal(X, y), dtype
        assert canonical_order(np.asfortranarray(stored), y.astype(np.int8))[1] == literal(X, y)


def test_blocks_do_not_matter():
    X = np.random.default_rng(0).standard_normal((5, BLOCK_VALUES // 2))
    y = np.zeros(5, dtype=np.int64)
    assert X.size > BLOCK_VALUES
    digests = [hashlib.sha256(row.tobytes() + bytes(8)).digest() for row in X]
    whole = hashlib.sha256(f"5x{X.shape[1]}".encode() + b"".join(sorted(digests)))
    assert canonical_order(X, y)[1] == whole.hexdigest()
