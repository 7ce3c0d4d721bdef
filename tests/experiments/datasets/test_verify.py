"""Labels in every spelling, and each thing that can be wrong with a table."""

import numpy as np
import pytest

from experiments.datasets import DataError
from experiments.datasets.columns import Table
from experiments.datasets.fingerprint import canonical_order
from experiments.datasets.loading import local_file
from experiments.datasets.registry import REGISTRY, DatasetInfo
from experiments.datasets.verify import verify

X = np.arange(15).reshape(5, 3)
Y = np.array([0, 1, 1, 0, 1])
FINGERPRINT = canonical_order(X, Y)[1]


def dataset_info(**changes) -> DatasetInfo:
    fields = dict.fromkeys(("name", "description", "citation", "licence"), "small") | {
        "shape": (5, 3),
        "counts": {0: 2, 1: 3},
        "label_names": {0: "no", 1: "yes"},
        "spellings": (("-1", "1"), ("1", "2")),
        "value_range": (0, 14),
        "dtype": "int8",
        "fingerprint": FINGERPRINT,
    }
    return DatasetInfo(**(fields | changes))


def raw(labels=Y, values=X) -> tuple[Table, str]:
    return Table(np.asarray(values), np.asarray(labels), None), "a test"


def test_every_spelling_gives_the_same_labels():
    spellings = ((0, 1), (-1, 1), (1, 2), (1.0, 2.0), ("-1", "+1"), ("no", "yes"))
    for spelling in (*spellings, (" 'no'", "yes "), (7, 3)):
        for known in (FINGERPRINT, None):
            labels = [spelling[label] for label in Y]
            table = verify(dataset_info(fingerprint=known), *raw(labels))
            assert table.fingerprint == FINGERPRINT, spelling
            assert table.verified == (known is not None)
            order, _ = canonical_order(X, Y)
            assert np.array_equal(table.X, X[order])
            assert np.array_equal(table.y, Y[order]), spelling
            assert table.X.dtype == np.int8


def test_balanced_labels_the_other_way_round_are_decided_by_the_fingerprint():
    balanced = Y.copy()[:4]
    known = canonical_order(X[:4], balanced)[1]
    small = dataset_info(shape=(4, 3), counts={0: 2, 1: 2}, fingerprint=known, value_range=(0, 11))
    for labels in (balanced, 1 - balanced, ["b" if label else "c" for label in balanced]):
        table = verify(small, *raw(labels, X[:4]))
        assert np.array_equal(table.y, balanced[canonical_order(X[:4], balanced)[0]])


def test_nothing_is_guessed_where_nothing_decides():
    small = dataset_info(shape=(4, 3), counts={0: 2, 1: 2}, fingerprint=None, value_range=(0, 11))
    with pytest.raises(DataError, match="expected these labels"):
        verify(small, *raw(["b", "c", "c", "b"], X[:4]))


def test_what_is_wrong_is_said():
    for changed, message in (
        (raw(values=X[:, :2]), r"expected an X of shape \(5, 3\), got \(5, 2\)"),
        (raw(values=X + 1), "expected values from 0 to 14, got 1 to 15"),
        (raw(values=np.where(X == 3, np.nan, X)), "expected values from 0 to 14, got nan"),
        (raw(values=X * 0.9), "expected whole numbers, got fractions"),
        (raw([0, 0, 0, 1, 2]), "no: 2, yes: 3; got 0: 3, 1: 1, 2: 1"),
        (raw([0, 0, 0, 0, 1]), "no: 2, yes: 3; got 0: 4, 1: 1"),
        (raw([0, 1, 1]), "3 labels for 5 rows"),
        (raw(values=np.where(X == 3, 4, X)), f"fingerprint should be {FINGERPRINT} but"),
        (raw([1, 0, 1, 0, 1]), "fingerprint should be"),
    ):
        with pytest.raises(DataError, match=message):
            verify(dataset_info(), *changed)


def test_the_first_rows_of_another_data_set_are_cut_from_it_and_proved():
    info = dataset_info(first_of="large")
    large, labels = np.vstack([X, X + 1]), np.tile(Y, 2)
    found = verify(info, Table(large, labels, None), "here")
    assert found.fingerprint == FINGERPRINT
    assert found.verified
    with pytest.raises(DataError, match="the fingerprint should be"):
        verify(info, Table(np.clip(large[5:], 0, 14), Y, None), "here")
    with pytest.raises(DataError, match=r"expected an X of shape \(5, 3\), got \(10, 3\)"):
        verify(dataset_info(), Table(large, labels, None), "here")


def test_a_folder_with_the_whole_has_its_first_rows(tmp_path):
    whole = tmp_path / "mnist.npz"
    whole.touch()
    assert local_file(tmp_path, REGISTRY["mnist_train"]) == whole
    assert local_file(tmp_path, REGISTRY["digits"]) is local_file(None, REGISTRY["mnist"]) is None
    own = tmp_path / "mnist_train.npz"
    own.touch()
    assert local_file(tmp_path, REGISTRY["mnist_train"]) == own
