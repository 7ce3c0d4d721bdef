"""The repository as a whole: who imports whom, the lock, the environments, no machine's traces."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.commands import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = tuple(PROJECT["optional-dependencies"])
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
RUN_LOCK = (ROOT / "requirements-run.lock").read_text(encoding="utf-8")

OWN = {"manifest", "baselines", "experiments", "run", "scripts", "benchmarks", "tests"}
# The extras of pyproject that each package may rely on.
FOLDERS = {"manifest": [], "baselines": ["baselines"], "experiments": ["experiments"]}
# A package inside one of them that relies on an extra of its own, and is imported on demand alone.
PACKAGES = {"baselines/embedded": "neural"}
# Extras that a folder asks for only where they are used, inside a function.
ON_DEMAND = {"experiments": ("cluster",)}
# Where the name that is imported is not the name that is installed.
DISTRIBUTIONS = {
    "PIL": "pillow",
    "sklearn": "scikit-learn",
    "skfeature": "skfeature-chappers",
    "yaml": "pyyaml",
    "arff": "liac-arff",
    "hydra": "hydra-core",
    "hydra_plugins": "hydra-joblib-launcher",
}


def python_files(*folders: str) -> list[Path]:
    return sorted(
        path
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        if "__pycache__" not in path.parts
    )


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


PACKAGE_FILES = python_files(*FOLDERS)


@cache
def imports(path: Path, inside_functions: bool = True) -> list[str]:
    """Full names of all that a file imports, relative imports resolved."""
    tree, found = ast.parse(path.read_text(encoding="utf-8")), []
    package = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(tree) if inside_functions else tree.body:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            stem = ".".join([*above, *([node.module] if node.module else [])])
            found += [f"{stem}.{alias.name}" for alias in node.names]
    return found


def top(imported: str) -> str:
    return imported.partition(".")[0]


def distributions(imported: Iterable[str]) -> set[str]:
    """The distributions that these imports need."""
    foreign = {top(i) for i in imported} - OWN - sys.stdlib_module_names
    return {canonicalize_name(DISTRIBUTIONS.get(i, i)) for i in foreign}


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
    wrong = []
    for path in PACKAGE_FILES:
        folder = path.relative_to(ROOT).parts[0]
        needed = set(declared(*FOLDERS[folder]))
        for package, extra in PACKAGES.items():
            needed |= declared(extra).keys() if name(path.parent) == package else set()
        on_demand = declared(*ON_DEMAND.get(folder, ())).keys()
        more = distributions(imports(path, inside_functions=False)) - needed
        more |= distributions(imports(path)) - needed - on_demand
        wrong += [f"{name(path)} imports {each}" for each in more]
    assert not wrong, wrong


def test_the_selector_needs_numpy_scipy_and_scikit_learn_only():
    assert declared().keys() == {"numpy", "scipy", "scikit-learn"}


#: The rooms from the lowest floor to the highest; each imports rooms of lower floors, and itself.
FLOORS = [
    ["manifest"],
    ["baselines", "experiments.files", "experiments.seeds"],
    ["experiments.config"],
    ["experiments.cache", "experiments.datasets"],
    ["experiments.evaluation"],
    ["experiments.report"],
    ["experiments.kinds"],
    ["experiments.errors", "experiments.listing", "experiments.provenance"],
    ["experiments.run"],
    ["experiments.sweep"],
    ["run", "scripts", "benchmarks", "tests"],
]
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


def room(dotted: str) -> str:
    """The room that a module, or a name in it, belongs to."""
    parts = dotted.split(".")
    return ".".join(parts[:2]) if parts[0] == "experiments" and len(parts) > 1 else parts[0]


def test_no_import_runs_up_to_a_higher_room():
    wrong, rooms = [], set()
    for path in PACKAGE_FILES:
        own = room(".".join(path.relative_to(ROOT).with_suffix("").parts))
        if own != "experiments.__init__":  # which imports no other room
            rooms.add(own)
        for imported in imports(path):
            other = room(imported)
            if top(imported) in OWN and other != own and FLOOR[other] >= FLOOR.get(own, 0):
                wrong.append(f"{name(path)} imports {imported}")
    assert not wrong, wrong
    assert rooms
    assert rooms <= FLOOR.keys(), "a room has no floor"


def test_reports_know_no_estimator_and_of_the_filters_only_the_sets_the_method():
    estimators = {"sklearn", "skfeature", "manifest", "baselines"}
    files = python_files("experiments/report")
    assert files
    assert [name(path) for path in files if {*map(top, imports(path))} & estimators] == []
    knowing = {
        name(path)
        for path in python_files("baselines")
        for one in imports(path)
        if top(one) == "manifest" and not one.startswith("manifest.decompositions.")
    }
    assert knowing == {"baselines/sets.py"}


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
    wrong = [
        str(requirement)
        for lock, requirements in needed
        for key, requirement in requirements.items()
        if not lock.get(key) or not all(map(requirement.specifier.contains, lock[key]))
    ]
    assert not wrong, f"missing in a lock, or another version; run make lock: {wrong}"


def test_the_conda_environment_is_in_step_with_the_project():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    *conda, by_pip = environment["dependencies"]
    theirs = {r.name: r.specifier for r in map(Requirement, [*conda, *by_pip["pip"]])}
    assert str(theirs.pop("python")) == PROJECT["requires-python"]
    assert theirs.pop("pip") == ""
    assert theirs == {key: value.specifier for key, value in declared(*EXTRAS).items()}


FOREIGN = {
    "a path of one machine": r"/(?<![\w.~}>)-]/)(home|Users|root|work|opt|mnt|srv)/\w",
    "the address of a package registry": r"pypi[.]org|pythonhosted[.]org|anaconda[.]org",
}


def test_a_clone_is_small_and_speaks_of_no_machine():
    """Figures and tables, too: latin-1 reads any file, and their metadata are where paths hide."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    paths = [ROOT / line for line in listed.stdout.split("\0") if line]
    texts = {name(path): path.read_text("latin-1") for path in paths if path.is_file()}
    assert 0 < sum(map(len, texts.values())) <= 40e6
    told = [
        f"{path} has {what}: {match[0]}"
        for path, text in texts.items()
        for what, pattern in FOREIGN.items()
        for match in re.finditer(pattern, text)
    ]
    assert not told, told
