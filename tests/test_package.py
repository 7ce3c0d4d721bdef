"""The package: a wheel has the selector and the filters, and pickles of both load anywhere."""

import os
import shutil
import subprocess
import sys
import zipfile

import pytest

import manifest
from tests.commands import ROOT

WORKERS = """
import joblib
import numpy as np
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

joblib.Parallel(2)(joblib.delayed(abs)(i) for i in range(4))
from manifest.baselines import get, relieff

assert get("relieff") is relieff
X = np.random.default_rng(0).normal(size=(40, 6))
pipeline = make_pipeline(SelectKBest(get("relieff"), k=2), SVC())
for workers in (1, 2):
    print(cross_val_score(pipeline, X, X[:, 0] > X[:, 3], n_jobs=workers, error_score="raise"))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this checkout, built in a copy of what it is made of."""
    pytest.importorskip("setuptools", minversion="77.0.3")
    source = tmp_path_factory.mktemp("source")
    for folder in ("manifest", "baselines"):
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("*.pyc"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    pip("wheel", "--no-build-isolation", "--wheel-dir", source / "dist", source)
    [built] = (source / "dist").glob("*.whl")
    return built


def pip(command, *arguments):
    """Let pip take nothing from an index."""
    offline = ("--quiet", "--no-deps", "--no-index")
    subprocess.run([sys.executable, "-m", "pip", command, *offline, *arguments], check=True)


def test_a_wheel_has_the_selector_and_the_filters_inside_it(wheel):
    folders = {"manifest": ROOT / "manifest", "manifest/baselines": ROOT / "baselines"}
    expected = {
        f"{name}/{path.relative_to(folder).as_posix()}"
        for name, folder in folders.items()
        for path in [*folder.rglob("*.py"), *folder.rglob("py.typed")]
    }
    names = zipfile.ZipFile(wheel).namelist()
    assert {name for name in names if ".dist-info/" not in name} == expected
    assert wheel.name == f"manifest_fs-{manifest.__version__}-py3-none-any.whl"


def test_a_filter_of_an_installed_wheel_is_unpickled_by_workers_that_never_saw_it(wheel, tmp_path):
    """Without the module `site` no .pth file of the environment leads to the checkout."""
    pip("install", "--target", tmp_path / "site", wheel)
    path = [str(tmp_path / "site"), *(p for p in sys.path if p.endswith("-packages"))]
    printed = subprocess.run(
        [sys.executable, "-S", "-c", WORKERS],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    alone, in_workers = printed.splitlines()
    assert alone == in_workers
