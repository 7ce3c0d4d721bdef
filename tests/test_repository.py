"""The repository as a whole: who imports whom, the locks, no machine's traces, the wheel."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from functools import cache
from importlib import metadata
from importlib.util import resolve_name
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import manifest
from tests.commands import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = tuple(PROJECT["optional-dependencies"])
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
RUN_LOCK = (ROOT / "requirements-run.lock").read_text(encoding="utf-8")

#: Each package, the extra of pyproject that it may rely on, and one that it asks for only where it
#: is used, inside a function.
FOLDERS = {
    "manifest": ((), ()),
    "baselines": (("baselines",), ()),
    "baselines/embedded": (("baselines", "neural"), ()),
    "experiments": (("experiments",), ("cluster",)),
}
OWN = {"manifest", "baselines", "experiments"}
PACKAGE_FILES = [path for folder in OWN for path in sorted((ROOT / folder).rglob("*.py"))]
#: What is imported by a name -> the distributions that bring it.
INSTALLED = metadata.packages_distributions()


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def imports(path: Path, inside_functions: bool = True) -> list[str]:
    """Full names of all that a file imports, relative imports resolved."""
    tree, found = ast.parse(path.read_text(encoding="utf-8")), []
    package = ".".join(path.relative_to(ROOT).parts[:-1])
    for node in ast.walk(tree) if inside_functions else tree.body:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            stem = resolve_name(f"{'.' * node.level}{node.module or ''}", package)
            found += [f"{stem}.{alias.name}" for alias in node.names]
    return found


def declared(*extras: str) -> dict[str, Requirement]:
    """Requirements of the package and of extras, with what these include."""
    lines = list(PROJECT["dependencies"])
    for extra in extras:
        lines += PROJECT["optional-dependencies"][extra]
    requirements: dict[str, Requirement] = {}
    for requirement in map(Requirement, lines):
        if requirement.name == PROJECT["name"]:
            requirements |= declared(*requirement.extras)
        else:
            requirements[canonicalize_name(requirement.name)] = requirement
    return requirements


def test_packages_import_only_what_they_declare():
    assert declared().keys() == {"numpy", "scipy", "scikit-learn"}
    wrong = []
    for path in PACKAGE_FILES:
        folder = max((folder for folder in FOLDERS if name(path).startswith(folder)), key=len)
        extras, on_demand = FOLDERS[folder]
        for inside, known in ((False, declared(*extras)), (True, declared(*extras, *on_demand))):
            for top in {each.partition(".")[0] for each in imports(path, inside)}:
                brought = map(canonicalize_name, INSTALLED.get(top, [top]))
                if top not in OWN | sys.stdlib_module_names and not known.keys() & {*brought}:
                    wrong.append(f"{name(path)} imports {top}")
    assert not wrong, wrong


#: The rooms from the lowest floor to the highest; each imports rooms of lower floors, and itself.
FLOORS = """
manifest
baselines experiments.files experiments.seeds
experiments.code experiments.config
experiments.cache experiments.datasets experiments.schemas
experiments.evaluation
experiments.report
experiments.kinds experiments.table
experiments.errors experiments.listing experiments.provenance
experiments.run
experiments.sweep
""".splitlines()
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms.split()}


def room(dotted: str) -> str:
    """The room that a module, or a name in it, belongs to."""
    parts = dotted.split(".")
    return ".".join(parts[:2]) if parts[0] == "experiments" and len(parts) > 1 else parts[0]


def test_no_import_runs_up_to_a_higher_room_and_only_run_imports_own_tables():
    wrong, rooms = [], set()
    for path in PACKAGE_FILES:
        own = room(".".join(path.relative_to(ROOT).with_suffix("").parts))
        if own != "experiments.__init__":  # which imports no other room
            rooms.add(own)
        for imported in imports(path):
            other = room(imported)
            is_own = imported.partition(".")[0] in OWN
            is_up = is_own and other != own and FLOOR[other] >= FLOOR.get(own, 0)
            if is_up or (other == "experiments.table" and own not in (other, "experiments.run")):
                wrong.append(f"{name(path)} imports {imported}")
    assert not wrong, wrong
    assert 0 < len(rooms & FLOOR.keys()) == len(rooms), "a room has no floor"


def locked(lock: str) -> dict[str, list[str]]:
    """Versions of a lock by name: more than one where they differ between Pythons."""
    versions: dict[str, list[str]] = {}
    assert "://" not in lock
    for entry in lock.replace("\\\n", " ").splitlines():
        found = re.match(r"([A-Za-z0-9._-]+)==(\S+) .*--hash=sha256:[0-9a-f]{64}( |$)", entry)
        assert found, entry
        versions.setdefault(canonicalize_name(found[1]), []).append(found[2])
    return versions


def test_the_locks_satisfy_what_is_declared_hash_everything_and_name_no_address():
    whole, part = locked(LOCK), locked(RUN_LOCK)
    assert part.items() <= whole.items()
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    builds = {r.name: r for r in map(Requirement, settings["build-system"]["requires"])}
    needed = [(whole, declared(*EXTRAS) | builds), (part, declared("experiments") | builds)]
    for lock, requirements in needed:
        for key, each in requirements.items():
            is_met = lock.get(key) and all(map(each.specifier.contains, lock[key]))
            assert is_met, f"{each} is missing in a lock, or has another version; run make lock"


def test_the_conda_environment_is_in_step_with_the_project():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    *conda, by_pip = environment["dependencies"]
    theirs = {r.name: r.specifier for r in map(Requirement, [*conda, *by_pip["pip"]])}
    assert str(theirs.pop("python")) == PROJECT["requires-python"]
    assert theirs.pop("pip") == ""
    assert theirs == {key: value.specifier for key, value in declared(*EXTRAS).items()}


#: A path of one machine, or the address of a package registry.
FOREIGN = re.compile(
    r"/(?<![\w.~}>)-]/)(home|Users|root|work|opt|mnt|srv)/\w|pypi[.]org|pythonhosted[.]org"
    r"|anaconda[.]org"
)


def test_a_clone_is_small_and_speaks_of_no_machine():
    """Figures and tables, too: latin-1 reads any file, and their metadata are where paths hide."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    paths = [ROOT / line for line in listed.stdout.split("\0") if line]
    texts = {name(path): path.read_text("latin-1") for path in paths if path.is_file()}
    assert 0 < sum(map(len, texts.values())) <= 40e6
    told = {path: found[0] for path, text in texts.items() if (found := FOREIGN.search(text))}
    assert not told, told


#: What a process prints that has the wheel alone.
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
