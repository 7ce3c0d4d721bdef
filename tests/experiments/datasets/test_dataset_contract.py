"""The contract of every data set, of the registry, of labels and of fingerprints."""

import hashlib
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.datasets import GENERATORS, DataError, Dataset, load
from experiments.datasets.fingerprint import canonical_order, verify
from experiments.datasets.formats import Arrays
from experiments.datasets.registry import REGISTRY, DatasetInfo


@pytest.mark.parametrize("name", [*(name for name in REGISTRY if name != "gisette"), *GENERATORS])
def test_contract(mirror, tmp_path, name):
    """The second time it may come from the cache."""
    params = {"n_samples": 60, "n_features": 200} if name == "expression_like" else {}
    first, again = (load(name, home=mirror, cache=tmp_path, params=params) for _ in range(2))
    for data in (first, again):
        assert isinstance(data, Dataset)
        assert data.name == name
        assert data.X.dtype == (np.uint8 if "mnist" in name else np.float64)
        assert data.X.flags.c_contiguous
        assert np.isfinite(data.X).all()
        assert data.y.dtype == np.int64
        assert data.y.shape == data.X.shape[:1]
        assert set(np.unique(data.y).tolist()) == set(data.label_names)
        assert data.feature_names is None or len(set(data.feature_names)) == data.X.shape[1]
        assert data.synthetic == (name in GENERATORS) == ("SYNTHETIC" in data.source)
        assert data.verified == (name in REGISTRY)
    order, fingerprint = canonical_order(first.X, first.y)
    assert np.array_equal(order, np.arange(len(order))), "rows are not in canonical order"
    assert fingerprint == first.fingerprint == again.fingerprint
    assert np.array_equal(first.X, again.X)
    assert np.array_equal(first.y, again.y)
    assert first.feature_names == again.feature_names


X = np.arange(15).reshape(5, 3)
Y = np.array([0, 1, 1, 0, 1])
FINGERPRINT = canonical_order(X, Y)[1]


def dataset_info(**changes) -> DatasetInfo:
    facts: Any = {"shape": (5, 3), "counts": {"no": 2, "yes": 3}, "value_range": (0, 14)}
    facts |= {"dtype": "int8", "fingerprint": FINGERPRINT, **changes}
    return DatasetInfo("small", "small", "small", **facts)


def raw(labels=Y, values=X) -> tuple[Arrays, str]:
    return Arrays(np.asarray(values), np.asarray(labels), None), "a test"


def test_every_spelling_gives_the_same_labels():
    order, _ = canonical_order(X, Y)
    for spelling in ((0, 1), (-1, 1), (1.0, 2.0), ("-1", "+1"), (" 'no'", "yes "), (7, 3)):
        table = verify(dataset_info(), *raw([spelling[label] for label in Y]))
        assert (table.fingerprint, table.verified, table.X.dtype) == (FINGERPRINT, True, np.int8)
        assert np.array_equal(np.c_[table.X, table.y], np.c_[X, Y][order]), spelling


def test_balanced_labels_the_other_way_round_are_decided_by_the_fingerprint():
    order, fingerprint = canonical_order(X[:4], Y[:4])
    info = dataset_info(shape=(4, 3), counts={"no": 2, "yes": 2}, fingerprint=fingerprint)
    for labels in (Y[:4], 1 - Y[:4], np.array(["c", "b"])[Y[:4]]):
        assert np.array_equal(verify(info, *raw(labels, X[:4])).y, Y[:4][order])


def test_without_a_fingerprint_labels_have_the_names_of_the_registry():
    unknown = dataset_info(fingerprint=None, counts={"-1": 2, "+1": 3})
    table = verify(unknown, *raw(2 * Y - 1.0))
    assert (table.fingerprint, table.verified) == (FINGERPRINT, False)
    with pytest.raises(DataError, match="expected these labels"):
        verify(unknown, *raw(Y + 1))


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
    info, large = dataset_info(first_of="large"), raw(np.tile(Y, 2), np.vstack([X, X + 1]))
    assert verify(info, *large).fingerprint == FINGERPRINT
    with pytest.raises(DataError, match="the fingerprint should be"):
        verify(info, *raw(values=np.clip(X + 1, 0, 14)))
    with pytest.raises(DataError, match=r"expected an X of shape \(5, 3\), got \(10, 3\)"):
        verify(dataset_info(), *large)


def literal(X, y) -> str:
    """The definition, word for word."""
    pairs = zip(X.tolist(), y.tolist(), strict=True)
    packed = (struct.pack(f"<{len(row)}dq", *row, label) for row, label in pairs)
    rows = sorted(hashlib.sha256(row).digest() for row in packed)
    return hashlib.sha256(f"{X.shape[0]}x{X.shape[1]}".encode() + b"".join(rows)).hexdigest()


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 6))
def test_neither_order_nor_storage_changes_the_definition(seed, n, d):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-2, 3, size=(n, d)), rng.integers(0, 2, size=n)  # with repeated rows
    order, fingerprint = canonical_order(X, y)
    assert fingerprint == literal(X, y)
    shuffle = rng.permutation(n)
    for dtype in (np.int8, np.float32, np.float64, ">f8"):
        stored = np.asfortranarray(X[shuffle].astype(dtype))
        order_2, fingerprint_2 = canonical_order(stored, y[shuffle].astype(np.int8))
        assert fingerprint_2 == fingerprint, dtype
        assert np.array_equal(X[shuffle][order_2], X[order])
        assert np.array_equal(y[shuffle][order_2], y[order])
