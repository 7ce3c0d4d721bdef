"""Every format gives the same table; damaged files are an error and never something else."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import arff
import numpy as np
import pandas as pd
import pytest
import scipy.io

from experiments.datasets import DataError
from experiments.datasets.formats import FORMATS, read

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


@pytest.fixture(params=FORMATS)
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
    if file.suffix not in (".npz", ".mat"):
        with pytest.raises(DataError, match="label"):  # The error names what is there.
            read(file, "lable")


def test_damaged_files_are_a_table_or_an_error_of_one_line(file):
    whole = file.read_bytes()
    rng = np.random.default_rng(0)
    damaged = [b"\x80\x04N.", b"\xff" * 1000]
    damaged += [whole[:length] for length in (0, 1, 10, len(whole) // 2, len(whole) - 1)]
    # A changed byte of a MATLAB file may end the process in scipy's compiled code.
    for at in rng.integers(len(whole), size=0 if file.suffix == ".mat" else 60):
        damaged.append(whole[:at] + bytes([rng.integers(256)]) + whole[at + 1 :])
    errors: list[str] = []
    for content in damaged:
        file.write_bytes(content)
        try:
            assert len({*map(len, read(file)[:2])}) == 1
        except DataError as error:
            errors.append(str(error))
    assert len(errors) >= 3
    assert all(str(file) in error and "\n" not in error for error in errors)
    file.unlink()
    with pytest.raises(DataError, match="no such file"):
        read(file)


Y = np.zeros(4)


@pytest.mark.parametrize(("content", "says"), [
    ({"X": X}, "X and y"), ({"X": X, "y": Y[:3]}, "a row for each label"),
    ({"X": X[0], "y": Y}, "a row for each label"),
    ({"X": X, "y": Y, "feature_names": np.array(["a"])}, "names"),
    ({"X": X.astype(str), "y": Y}, "numbers"), ({"X": X * 1j, "y": Y}, "numbers"),
])  # fmt: skip
def test_what_is_no_table_is_refused(tmp_path, content, says):
    path = tmp_path / "a.npz"
    np.savez(path, **content)
    with pytest.raises(DataError, match=says):
        read(path)


def test_nothing_is_unpickled(tmp_path):
    class Trap:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "sprung",))

    trap = np.array([[Trap()]])
    for X_, y in ((trap, np.ones(1)), (np.ones((1, 1)), trap)):
        np.savez(tmp_path / "a.npz", X=X_, y=y)
        with pytest.raises(DataError, match="Python objects"):
            read(tmp_path / "a.npz")
    assert not (tmp_path / "sprung").exists()


def test_the_usual_names_of_the_target(tmp_path):
    frame = pd.DataFrame({"b": [1, 2], "y": [5, 6], "c": [3, 4]})
    for name in ("Class", "label", "TARGET", "y"):
        frame.rename(columns={"y": name}).to_csv(tmp_path / "a.csv", index=False)
        assert read(tmp_path / "a.csv").labels.tolist() == ["5", "6"]
    frame.rename(columns={"y": "other"}).to_csv(tmp_path / "a.csv", index=False)
    assert read(tmp_path / "a.csv").labels.tolist() == ["3", "4"]  # the last
    frame.assign(b="x").to_csv(tmp_path / "a.csv", index=False)
    for name, says in {"a.csv": "not numbers", "a.xls": "xls: the format"}.items():
        with pytest.raises(DataError, match=says):
            read(tmp_path / name)
