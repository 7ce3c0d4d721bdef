"""The package: a wheel has the selector and the filters, and pickles of both load anywhere."""

import os
import shutil
import subprocess
import sys
import zipfile

import pytest

import manifest
from tests.commands import ROOT

DUMP = """
import sys
import joblib
import numpy as np
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from manifest.baselines import get, relieff

assert get("relieff") is relieff
X = np.random.default_rng(0).normal(size=(40, 6))
pipeline = make_pipeline(SelectKBest(relieff, k=2), SVC()).fit(X, X[:, 0] > X[:, 3])
joblib.dump((pipeline, X), sys.argv[1])
print(pipeline.predict(X).tolist())
"""
LOAD = """
import sys
import joblib

pipeline, X = joblib.load(sys.argv[1])
print(pipeline.predict(X).tolist())
"""
WORKERS = """
import joblib
import numpy as np
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

joblib.Parallel(2)(joblib.delayed(abs)(i) for i in range(4))
from manifest.baselines import get

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


@pytest.fixture(scope="module")
def in_wheel(wheel, tmp_path_factory):
    """A function that runs code with the wheel and no checkout, and returns what it prints."""
    site, elsewhere = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("elsewhere")
    pip("install", "--target", site, wheel)
    # Without the module `site` no .pth file of the environment leads to the checkout.
    path = os.pathsep.join([str(site), *(p for p in sys.path if p.endswith("-packages"))])

    def printed(code, *arguments):
        command = [sys.executable, "-S", "-c", code, *map(str, arguments)]
        environment = {**os.environ, "PYTHONPATH": path}
        return subprocess.run(
            command, cwd=elsewhere, env=environment, check=True, stdout=subprocess.PIPE, text=True
        ).stdout

    return printed


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


def test_a_pipeline_with_a_filter_loads_in_a_new_process(in_wheel, tmp_path):
    path = tmp_path / "pipeline.joblib"
    assert in_wheel(DUMP, path) == in_wheel(LOAD, path)


def test_a_filter_runs_in_workers_that_were_there_before_it_was_imported(in_wheel):
    alone, in_workers = in_wheel(WORKERS).splitlines()
    assert alone == in_workers
