"""Labels in every spelling, each thing that can be wrong with a table, and its fingerprint."""

import hashlib
import struct
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.datasets import DataError
from experiments.datasets.fingerprint import canonical_order, verify
from experiments.datasets.formats import Arrays
from experiments.datasets.registry import DatasetInfo

X = np.arange(15).reshape(5, 3)
Y = np.array([0, 1, 1, 0, 1])
FINGERPRINT = canonical_order(X, Y)[1]


def dataset_info(**changes) -> DatasetInfo:
    fields = dict.fromkeys(("name", "description", "citation", "licence"), "small") | {
        "shape": (5, 3),
        "counts": {"no": 2, "yes": 3},
        "spellings": (("-1", "1"), ("1", "2")),
        "value_range": (0, 14),
        "dtype": "int8",
        "fingerprint": FINGERPRINT,
    }
    return DatasetInfo(**(fields | changes))


def raw(labels=Y, values=X) -> tuple[Arrays, str]:
    return Arrays(np.asarray(values), np.asarray(labels), None), "a test"


def test_every_spelling_gives_the_same_labels():
    order, _ = canonical_order(X, Y)
    spellings = ((0, 1), (-1, 1), (1, 2), (1.0, 2.0), ("-1", "+1"), ("no", "yes"))
    for spelling in (*spellings, (" 'no'", "yes "), (7, 3)):
        for known in (FINGERPRINT, None):
            labels = [spelling[label] for label in Y]
            table = verify(dataset_info(fingerprint=known), *raw(labels))
            assert (table.fingerprint, table.verified) == (FINGERPRINT, known is not None)
            assert np.array_equal(table.X, X[order])
            assert np.array_equal(table.y, Y[order]), spelling
            assert table.X.dtype == np.int8


def test_balanced_labels_the_other_way_round_are_decided_by_the_fingerprint_or_refused():
    balanced = Y.copy()[:4]
    small = dataset_info(
        shape=(4, 3),
        counts={"no": 2, "yes": 2},
        fingerprint=canonical_order(X[:4], balanced)[1],
        value_range=(0, 11),
    )
    for labels in (balanced, 1 - balanced, ["b" if label else "c" for label in balanced]):
        table = verify(small, *raw(labels, X[:4]))
        assert np.array_equal(table.y, balanced[canonical_order(X[:4], balanced)[0]])
    with pytest.raises(DataError, match="expected these labels"):  # Nothing decides.
        verify(replace(small, fingerprint=None), *raw(["b", "c", "c", "b"], X[:4]))


def test_what_is_wrong_is_said():
    one = np.where(X == 3, 4, X)
    for changed, message in (
        (raw(values=X[:, :2]), r"\(5, 3\), got \(5, 2\)"),
        (raw(values=X + 1), "15"),
        (raw(values=np.where(X == 3, np.nan, X)), "nan"),
        (raw(values=X * 0.9), "fractions"),
        (raw([0, 0, 0, 1, 2]), "labels"),
        (raw([0, 0, 0, 0, 1]), "labels"),
        (raw(values=one), f"{FINGERPRINT} .*{canonical_order(one, Y)[1]}"),
        (raw([1, 0, 1, 0, 1]), "fingerprint"),
    ):
        with pytest.raises(DataError, match=message):
            verify(dataset_info(), *changed)


def test_the_first_rows_of_another_data_set_are_cut_from_it_and_proved():
    info = dataset_info(first_of="large")
    large, labels = np.vstack([X, X + 1]), np.tile(Y, 2)
    found = verify(info, Arrays(large, labels, None), "here")
    assert found.fingerprint == FINGERPRINT
    assert found.verified
    with pytest.raises(DataError, match="the fingerprint should be"):
        verify(info, Arrays(np.clip(large[5:], 0, 14), Y, None), "here")
    with pytest.raises(DataError, match=r"expected an X of shape \(5, 3\), got \(10, 3\)"):
        verify(dataset_info(), Arrays(large, labels, None), "here")


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
def test_neither_order_storage_nor_blocks_change_the_definition(seed, n, d):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-2, 3, size=(n, d)), rng.integers(0, 2, size=n)  # with repeated rows
    order, fingerprint = canonical_order(X, y)
    assert fingerprint == literal(X, y)
    shuffle = rng.permutation(n)
    for dtype in (np.int8, np.float32, np.float64, ">f8"):
        stored = np.asfortranarray(X[shuffle].astype(dtype))
        with mock.patch("experiments.datasets.fingerprint.BLOCK_VALUES", 2 * d):
            order_2, fingerprint_2 = canonical_order(stored, y[shuffle].astype(np.int8))
        assert fingerprint_2 == fingerprint, dtype
        assert np.array_equal(X[shuffle][order_2], X[order])
        assert np.array_equal(y[shuffle][order_2], y[order])
