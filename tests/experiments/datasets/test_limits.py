"""A small file cannot take the memory, and says in one sentence what it asked for."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from experiments.datasets import DataError, load
from experiments.datasets.limits import Limits
from tests.experiments.datasets import hostile

ROOT = Path(__file__).resolve().parents[3]

READ = """
import resource, sys
from pathlib import Path
import arff, numpy, pyarrow.csv, pyarrow.parquet
from experiments.datasets import DataError, formats
from experiments.datasets.limits import Limits

status = Path("/proc/self/statm")
if status.exists():
    now = int(status.read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + 100 * (1 << 20),) * 2)
for file in sys.argv[2:]:
    try:
        formats.read(Path(file), limits=Limits(max_gib=float(sys.argv[1])))
    except DataError as error:
        print(error)
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
def said(files) -> dict[str, str]:
    """What a process with 100 MiB to spare says of each file; it has no second chance."""
    done = subprocess.run(
        [sys.executable, "-c", READ, str(hostile.LIMIT), *map(str, files.values())],
        cwd=ROOT,
        env={"ARROW_DEFAULT_MEMORY_POOL": "system", "OPENBLAS_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
    )
    lines = done.stdout.splitlines()
    return {
        name: "".join(line for line in lines if line.startswith(str(file)))
        for name, file in files.items()
    }


def test_files_are_small_and_would_not_fit(files):
    sizes = [file.stat().st_blocks * 512 for file in files.values()]
    assert max(sizes) < 4 * hostile.MIB


@pytest.mark.skipif(sys.platform == "win32", reason="a process there has no limit of memory")
@pytest.mark.parametrize("name", hostile.FILES)
def test_what_does_not_fit_is_refused_before_it_is_unpacked(said, files, name):
    if name in hostile.LIARS:
        assert said[name].startswith(f"{files[name]} cannot be read: ")
        assert "memory" not in said[name]
    else:
        assert "GiB of memory, and data.max_gib allows 0.1; set data.max_gib higher" in said[name]


def test_the_limit_is_an_argument_of_load(tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "a.npz", X=rng.standard_normal((100, 1000)), y=np.arange(100) % 2)
    assert load("file", path=tmp_path / "a.npz", target="y", max_gib=0.001).X.shape == (100, 1000)
    with pytest.raises(DataError, match=r"a\.npz: .*data\.max_gib allows 0\.0005"):
        load("file", path=tmp_path / "a.npz", target="y", max_gib=0.0005)


@pytest.mark.parametrize("name", ["max_gib", "timeout"])
@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), "4", True])
def test_a_limit_is_a_number_above_0(name, value):
    with pytest.raises(DataError, match=rf"data\.{name} must be a number above 0, got"):
        Limits(**{name: value})
