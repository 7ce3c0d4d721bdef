"""A small file cannot take the memory, and says in one sentence what it asked for."""

import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from experiments.datasets import DataError, arrow_table, load
from experiments.datasets.limits import Limits
from tests.experiments.datasets import hostile

ROOT = Path(__file__).resolve().parents[3]

READ = """
import re, sys
from pathlib import Path
import arff, numpy, pyarrow.csv, pyarrow.parquet
from experiments.datasets import DataError, formats
from experiments.datasets.limits import Limits

def peak():
    status = Path("/proc/self/status")
    kib = re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1] if status.exists() else 0
    return int(kib) // 1024

before = peak()
for file in sys.argv[2:]:
    try:
        formats.read(Path(file), limits=Limits(max_gib=float(sys.argv[1])))
    except DataError as error:
        print(peak() - before, error)
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("hostile")
    made = {}
    for name, (suffix, write) in hostile.FILES.items():
        made[name] = folder / f"{name}{suffix}"
        write(made[name])
    return made


@pytest.fixture(scope="module")
def said(files) -> dict[str, tuple[int, str]]:
    """MiB that one process has needed so far, and what it says, after each file."""
    done = subprocess.run(
        [sys.executable, "-c", READ, str(hostile.LIMIT), *map(str, files.values())],
        cwd=ROOT,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
    )
    found = [line.partition(" ") for line in done.stdout.splitlines()]
    assert len(found) == len(files)
    return {name: (int(mib), text) for name, (mib, _, text) in zip(files, found, strict=True)}


def test_files_are_small_and_would_not_fit(files):
    sizes = [file.stat().st_blocks * 512 for file in files.values()]
    assert max(sizes) < 4 * hostile.MIB


@pytest.mark.parametrize("name", hostile.FILES)
def test_what_does_not_fit_is_refused_before_it_is_unpacked(said, files, name):
    mib, text = said[name]
    assert mib < 100
    assert text.startswith(str(files[name]))
    if name == "mat_of_many_cells":
        assert "There is no array called 'Y'" in text
    elif name in hostile.LIARS:
        assert " cannot be read: " in text
        assert "memory" not in text
    else:
        assert "GiB of memory, and data.max_gib allows 0.1; set data.max_gib higher" in text


def test_the_limit_is_an_argument_of_load(tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "a.npz", X=rng.standard_normal((100, 1000)), y=np.arange(100) % 2)
    assert load("file", path=tmp_path / "a.npz", target="y", max_gib=0.001).X.shape == (100, 1000)
    with pytest.raises(DataError, match=r"a\.npz: .*data\.max_gib allows 0\.0005"):
        load("file", path=tmp_path / "a.npz", target="y", max_gib=0.0005)


@pytest.mark.parametrize(("suffix", "order"), [(".npz", "C"), (".npz", "F"), (".parquet", "C")])
def test_a_wide_table_is_never_in_memory_three_times(tmp_path, monkeypatch, suffix, order):
    """As read, and in canonical order: two copies, and what is small beside them."""
    X = np.asarray(np.random.default_rng(0).standard_normal((400, 5000)), order=order)
    y, path = np.arange(400) % 2, tmp_path / f"a{suffix}"
    if suffix == ".npz":
        np.savez(path, X=X, y=y)
    else:
        columns = {f"g{column}": X[:, column] for column in range(X.shape[1])}
        pyarrow.parquet.write_table(pa.table({**columns, "y": y}), path, use_dictionary=False)
        monkeypatch.setattr(arrow_table, "GROUP_BYTES", X.nbytes // 8)
    pool = pa.proxy_memory_pool(pa.system_memory_pool())
    before = pa.default_memory_pool()
    pa.set_memory_pool(pool)
    tracemalloc.start()
    try:
        data = load("file", path=path, target="y")
        peak = tracemalloc.get_traced_memory()[1] + (pool.max_memory() or 0)
    finally:
        tracemalloc.stop()
        pa.set_memory_pool(before)
    assert data.X.shape == X.shape
    assert data.X.flags.c_contiguous
    assert peak < 2.5 * X.nbytes


@pytest.mark.parametrize("name", ["max_gib", "timeout"])
@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), "4", True])
def test_a_limit_is_a_number_above_0(name, value):
    with pytest.raises(DataError, match=rf"data\.{name} must be a number above 0, got"):
        Limits(**{name: value})
