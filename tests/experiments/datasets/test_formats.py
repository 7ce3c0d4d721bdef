"""Every format gives the same table; damaged files are an error and never something else."""

from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import arff
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
import scipy.io
import scipy.sparse

from experiments.datasets import DataError, formats
from experiments.datasets.formats import Arrays
from tests.experiments.datasets.loopback import dense_arff, sparse_arff

NAMES = ("first", "second, with a comma", "größe")
# Values whose shortest decimal form does not survive a careless reader.
X = np.array([[0.1, -1e-300, 3.0], [1 / 3, 5e-324, 0.0], [2**0.5, 1.7e308, 7.0], [0.0, 0.0, 2.0]])
LABELS = ["a", "b", "b", "a"]
FRAME = pd.DataFrame(X, columns=list(NAMES)).assign(label=LABELS)


CONTENT = {
    "relation": "r",
    "attributes": [*((name, "REAL") for name in NAMES), ("label", ["b", "a"])],
    "data": [[*row, label] for row, label in zip(X.tolist(), LABELS, strict=True)],
}
CATEGORIES = FRAME.astype({"label": "category"}).sort_values("first").sort_index()
WRITERS: dict[str, Callable[[Path], Any]] = {
    ".npz": partial(np.savez, X=X, y=np.array(LABELS), feature_names=np.array(NAMES)),
    ".mat": partial(scipy.io.savemat, mdict={"X": X, "Y": np.array([[1], [2], [2], [1]])}),
    ".csv": partial(FRAME.to_csv, index=False),
    ".parquet": CATEGORIES.to_parquet,
    ".arff": lambda path: path.write_text(arff.dumps(CONTENT), encoding="utf-8"),
}


def read(path: Path, target: str | None = None) -> Arrays:
    """Read a registered set's file."""
    return formats.read(path, target)


@pytest.fixture(params=formats.LOCAL)
def file(request, tmp_path) -> Path:
    path = tmp_path / f"table{request.param}"
    WRITERS[request.param](path)
    return path


def test_every_format_gives_the_same_table_to_the_last_bit(file):
    table = read(file)
    assert np.array_equal(table.X, X)
    is_mat = file.suffix == ".mat"
    assert table.labels.tolist() == ([1, 2, 2, 1] if is_mat else LABELS)
    assert table.feature_names == (None if is_mat else NAMES)
    with pytest.raises(DataError, match="called 'lable'") as caught:
        read(file, "lable")  # The error names what is there.
    assert ("X" if file.suffix in (".npz", ".mat") else "label") in str(caught.value)


@pytest.mark.parametrize("file", [".npz", ".csv", ".parquet"], indirect=True)
def test_damaged_files_are_a_table_or_an_error(file):
    whole = file.read_bytes()
    rng = np.random.default_rng(0)
    damaged = [whole[:length] for length in (0, 1, 10, len(whole) // 2, len(whole) - 1)]
    for position in rng.integers(len(whole), size=60):
        damaged.append(whole[:position] + bytes([rng.integers(256)]) + whole[position + 1 :])
    errors: list[str] = []
    for content in damaged:
        file.write_bytes(content)
        try:
            X, labels, _ = read(file)
        except DataError as error:
            errors.append(str(error))
        else:
            assert labels.shape == X.shape[:1]
    assert len(errors) >= 3
    assert all(str(file.parent) in error for error in errors)


def test_no_such_file_and_no_such_format(file):
    file.unlink()
    with pytest.raises(DataError, match="cannot be read"):
        read(file)
    with pytest.raises(DataError, match=r"'\.xls' is unknown; use one of \.npz"):
        read(file.with_suffix(".xls"))


def test_nothing_is_unpickled(tmp_path):
    class Trap:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "sprung",))

    for arrays in ({"X": np.array([Trap()]), "y": [0]}, {"X": X, "y": np.array([Trap()] * 4)}):
        np.savez(tmp_path / "a.npz", **arrays)
        with pytest.raises(DataError, match=r"holds Python objects.*save numbers") as caught:
            read(tmp_path / "a.npz")
        assert "allow_pickle" not in str(caught.value)
    scipy.io.savemat(tmp_path / "a.mat", {"X": np.array([["a", X]], dtype=object), "Y": [1]})
    with pytest.raises(DataError, match=r"expected (X|numbers)"):
        read(tmp_path / "a.mat")
    assert not (tmp_path / "sprung").exists()


def test_dense_and_sparse_arff(tmp_path):
    """Also missing values; and a sparse row leaves out zeros, or the first nominal value."""
    counts = np.random.default_rng(0).integers(0, 3, size=(30, 7))
    signs = np.random.default_rng(1).choice([-1, 1], size=30).tolist()
    head = "@relation r\n@attribute a {0, 3}\n@attribute b real\n@attribute y {n, p}\n@data\n"
    gaps = [[3, np.nan], [np.nan, 1]]
    cases: list[tuple[bytes, Any, list]] = [
        (dense_arff(counts, list(map(str, signs))), counts, signs),
        (sparse_arff(counts, list(map(str, signs))), counts, signs),
        (f"{head}3,?,p\n\n% nothing\n?,1,n\n".encode(), gaps, ["p", "n"]),
        (f"{head}{{0 3, 1 ?, 2 p}}\n{{0 ?, 1 1}}\n".encode(), gaps, ["p", "n"]),
        (f"{head}{{}}\n{{0\t3, 1  2.5, 2 p}}\n".encode(), [[0, 0], [3, 2.5]], ["n", "p"]),
        (f"{head.replace('0, 3', '3, 4')}{{}}\n{{2 p}}\n".encode(), [[3, 0]] * 2, ["n", "p"]),
    ]
    for content, X, labels in cases:
        (tmp_path / "a.arff").write_bytes(content)
        table = read(tmp_path / "a.arff")
        assert np.array_equal(table.X, X, equal_nan=True)
        assert table.labels.tolist() == labels


#: Words of libraries that mean nothing to whoever has a damaged file, or that are bad advice.
LEAKS = ("allow_pickle", "Arrow", "Parquet magic", "zlib", "numpy.", "0x", "errno", "codec", "np.")


def test_a_damaged_file_is_said_to_be_damaged_in_one_sentence_of_ours(file):
    whole = file.read_bytes()
    for content in (b"", b"\x80\x04N.", whole[: len(whole) // 2], b"\xff" * 1000):
        file.write_bytes(content)
        try:
            read(file)
        except DataError as error:
            said = str(error).replace(str(file), "")
            assert "\n" not in said
            assert not [leak for leak in LEAKS if leak in said], said


def test_two_columns_of_one_name(tmp_path):
    table = pa.table([[1, 2], [3, 4], [0, 1]], names=["a", "a", "y"])
    pyarrow.csv.write_csv(table, tmp_path / "a.csv")
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    for suffix in (".csv", ".parquet"):
        with pytest.raises(DataError, match="2 columns are called 'a'"):
            read(tmp_path / f"a{suffix}")


def test_matlab_arrays_that_are_no_table(tmp_path):
    """Both versions of the format; other arrays beside the table are left alone."""
    X = np.arange(6).reshape(2, 3)
    for version, dtype in product("45", ("f8", "f4", "i1", "u4", "i8")):
        more: dict[str, Any] = {"text": "not a number", "complex": np.array([1j, 2])}
        if version == "5":
            more["cell"] = np.array([["a", X]], dtype=object)
            more["sparse"] = scipy.sparse.csc_array(X)
        arrays = {"X": X.astype(dtype), "Y": [[1], [2]], **more}
        scipy.io.savemat(tmp_path / "a.mat", arrays, format=version)  # type: ignore[arg-type]
        table = read(tmp_path / "a.mat")
        assert np.array_equal(table.X, X), (version, dtype)
        assert table.labels.tolist() == [1, 2]
        for name in more:
            with pytest.raises(DataError, match=r"a\.mat: expected"):
                read(tmp_path / "a.mat", name)
    new = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM"
    (tmp_path / "a.mat").write_bytes(new)
    with pytest.raises(DataError, match="save it with -v7"):
        read(tmp_path / "a.mat")


def test_parquet_of_several_groups_of_rows_or_of_none(tmp_path):
    path, numbers = tmp_path / "a.parquet", np.random.default_rng(0).normal(size=1000)
    table = pa.table({"a": numbers, "y": ["one", "two"] * 500})
    for rows in (table, table.slice(0, 0)):
        pyarrow.parquet.write_table(rows, path, row_group_size=300)
        assert np.array_equal(read(path).X[:, 0], numbers[: len(rows)])
        assert read(path).labels.tolist() == rows["y"].to_pylist()
    pyarrow.parquet.ParquetWriter(path, table.schema).close()
    assert read(path).X.shape == (0, 1)


@pytest.mark.slow
def test_a_column_of_integers_that_turns_to_fractions_late_in_a_long_file(tmp_path):
    n = 20_000  # beyond the first megabyte, from which types are usually guessed
    frame = pd.DataFrame({"a": "0" * 60, "y": 1}, index=range(n))
    frame.loc[n - 1, "a"] = "0.5"
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert read(tmp_path / "a.csv").X[-1, 0] == 0.5


def test_the_usual_names_of_the_target(tmp_path):
    for name in ("Class", "label", "TARGET", "y"):
        frame = pd.DataFrame({name: [5, 6], "b": [1, 2], "c": [3, 4]})
        frame.to_csv(tmp_path / "a.csv", index=False)
        assert read(tmp_path / "a.csv").labels.tolist() == [5, 6]
    frame.rename(columns={"y": "other"}).to_csv(tmp_path / "a.csv", index=False)
    assert read(tmp_path / "a.csv").labels.tolist() == [3, 4]  # the last
