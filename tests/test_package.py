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


def test_a_wheel_has_the_selector_and_filters_that_workers_unpickle_who_never_saw_them(tmp_path):
    """Without the module `site` no .pth file of the environment leads to the checkout."""
    pytest.importorskip("setuptools", minversion="77.0.3")
    source, expected = tmp_path / "source", set()
    for name, folder in (("manifest", "manifest"), ("manifest/baselines", "baselines")):
        ignored = shutil.ignore_patterns("*.pyc")
        shutil.copytree(ROOT / folder, source / folder, ignore=ignored)
        for path in [*(ROOT / folder).rglob("*.py"), *(ROOT / folder).rglob("py.typed")]:
            expected.add(f"{name}/{path.relative_to(ROOT / folder).as_posix()}")
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, source)
    pip = (sys.executable, "-m", "pip", "--quiet", "--no-input")
    offline = ("--no-deps", "--no-index")
    build = (*pip, "wheel", *offline, "--no-build-isolation", "--wheel-dir", tmp_path, source)
    subprocess.run(build, check=True)
    wheel = tmp_path / f"manifest_fs-{manifest.__version__}-py3-none-any.whl"
    names = zipfile.ZipFile(wheel).namelist()
    assert {name for name in names if ".dist-info/" not in name} == expected
    subprocess.run([*pip, "install", *offline, "--target", tmp_path / "site", wheel], check=True)
    places = [str(tmp_path / "site"), *(p for p in sys.path if p.endswith("-packages"))]
    where = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": os.pathsep.join(places)}}
    printed = subprocess.check_output([sys.executable, "-S", "-c", WORKERS], **where, text=True)
    alone, in_workers = printed.splitlines()
    assert alone == in_workers
