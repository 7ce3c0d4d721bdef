"""Build the package and check it where no checkout is; try it on other Pythons and dependencies.

    python scripts/package.py check       sdist and wheel, in empty environments: `make package`
    python scripts/package.py versions    the core's tests and a short run on each Python that is
                                          here, and with the oldest and newest
                                          dependencies: `make versions`

Both take packages from the index that pip is configured for, and leave nothing but outputs/dist.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "outputs" / "dist"
CARRIED = ("baselines/", "experiments/", "configs/", "run.py")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
TESTING = ("pytest>=8.3", "hypothesis>=6.100", "pandas>=2.2.2", "pyriemann>=0.12")

MEASURE = """
import sys, time
start = time.perf_counter()
import sklearn.feature_selection
middle = time.perf_counter()
import manifest
more, whole = time.perf_counter() - middle, middle - start
print(f"import manifest: {more:.2f} s above {whole:.2f} s of scikit-learn")
assert not {"pandas", "hydra", "matplotlib", "experiments", "baselines"} & sys.modules.keys()
"""
KEY = """
from manifest import baselines, manifest_score
from experiments.cache import key_of
from experiments.evaluation.ranking import rank_and_judge
print(key_of("scores", [rank_and_judge, manifest_score, baselines.relieff], draw=1))
"""


def run(*command: str | Path, at: Path = ROOT, **environment: str) -> str:
    """Run a command without this checkout on its path, and return what it prints."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        list(map(str, command)), cwd=at, env=kept | environment, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def environment(folder: Path, *requirements: str | Path, python: str = sys.executable) -> Path:
    """Make an environment with packages, and return its folder of commands."""
    run(python, "-m", "venv", folder)
    commands = folder / ("Scripts" if sys.platform == "win32" else "bin")
    if requirements:
        run(commands / "python", "-m", "pip", "install", "--quiet", *requirements)
    return commands


def contents(wheel: Path) -> None:
    """End the program if a wheel has other files than the repository has for it."""
    tracked = run("git", "ls-files", "manifest", *CARRIED).split()
    expected = {
        f"manifest/_carried/{name}" if name.startswith(CARRIED) else name for name in tracked
    }
    names = {
        name
        for name in zipfile.ZipFile(wheel).namelist()
        if ".dist-info/" not in name and not name.endswith(".so")
    }
    if names != expected:
        sys.exit(f"{wheel.name} differs from the repository's files: {sorted(names ^ expected)}")


def check() -> None:
    """Build sdist and wheels, and use them in empty environments and an empty folder."""
    shutil.rmtree(DIST, ignore_errors=True)
    with tempfile.TemporaryDirectory() as name:
        at = Path(name)
        tools = environment(at / "tools", "build", "twine")
        run(tools / "python", "-m", "build", "--outdir", DIST, ROOT)
        run(tools / "python", "-m", "build", "--wheel", "--outdir", DIST, ROOT, CC="false")
        files = sorted(DIST.iterdir())
        print(*(file.name for file in files), sep="\n")
        run(tools / "twine", "check", "--strict", *files)
        for wheel in DIST.glob("*.whl"):
            contents(wheel)
        (at / "empty").mkdir()
        core(at, next(DIST.glob("*-any.whl")))
        select(at, min(DIST.glob("*.whl"), key=lambda file: file.name.endswith("-any.whl")))


def core(at: Path, wheel: Path) -> None:
    """The selector alone: import, snippet of the README, strict types, uninstallation."""
    commands = environment(at / "core")
    [site] = (at / "core").rglob("site-packages")
    before = {path.name for path in site.iterdir()}
    run(commands / "pip", "install", "--quiet", "--no-deps", wheel)
    ours = {path.name for path in site.iterdir()} - before
    assert {name.partition("-")[0] for name in ours} == {"manifest", "manifest_fs"}, ours
    run(commands / "pip", "install", "--quiet", wheel, "mypy")
    run(commands / "pip", "check")
    print(run(commands / "python", "-c", MEASURE, at=at / "empty").strip())
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    snippet = re.search(r"```python\n(.*?)```", readme, re.DOTALL)
    assert snippet is not None
    run(commands / "python", "-c", snippet[1], at=at / "empty")
    (at / "client.py").write_text((ROOT / "tests" / "typed_client.py").read_text())
    for platform in ("linux", "darwin", "win32"):
        run(commands / "mypy", "--strict", "--platform", platform, at / "client.py", at=at)
    run(commands / "pip", "uninstall", "--quiet", "--yes", "manifest-fs")
    assert not {path.name for path in site.iterdir()} & ours


def select(at: Path, wheel: Path) -> None:
    """The command for a table of one's own, and the key of a unit in wheel and checkout."""
    commands = environment(at / "select", f"{wheel}[select]")
    run(commands / "pip", "check")
    rows = [f"{i % 7},{i * i % 11},{i * 3 % 5},{'ill' if i % 2 else 'well'}" for i in range(40)]
    (at / "empty" / "table.csv").write_text("\n".join(["a,b,c,status", *rows]) + "\n")
    command = ("manifest-select", "table.csv", "--target", "status", "profile=smoke")
    run(commands / command[0], *command[1:], at=at / "empty")
    assert list((at / "empty").rglob("selector.json"))
    in_wheel = run(commands / "python", "-c", KEY, at=at / "empty")
    in_checkout = run(commands / "python", "-c", KEY, at=at / "empty", PYTHONPATH=str(ROOT))
    assert in_wheel == in_checkout, (in_wheel, in_checkout)
    print(f"key of a unit in wheel and checkout: {in_wheel.strip()}")


def versions() -> None:
    """Run the core's tests and XOR-100 on each Python, with the oldest and newest dependencies."""
    with tempfile.TemporaryDirectory() as name:
        at = Path(name)
        uv = environment(at / "tools", "uv") / "uv"
        for number in PYTHONS:
            python = shutil.which(f"python{number}")
            if python is None or not version_of(python, number):
                print(f"Python {number}: not on this machine")
                continue
            for which in ("lowest-direct", "highest") if number == PYTHONS[0] else ("highest",):
                folder = at / f"{number}-{which}"
                commands = environment(folder, python=python)
                run(
                    *(uv, "pip", "install", "--quiet", "--python", commands / "python"),
                    *("--resolution", which, f"{ROOT}[baselines,select]", *TESTING),
                )
                # The estimator checks of scikit-learn 1.6 need it beside SciPy's array API.
                tests = ("-m", "pytest", "-q", "tests/manifest")
                run(commands / "python", *tests, SCIPY_ARRAY_API="1")
                short = ("experiment=xor100", "profile=smoke", "draw=false")
                folders = (f"store={folder}/store", f"hydra.run.dir={folder}/run")
                run(commands / "python", "run.py", *short, *folders)
                listed = run(uv, "pip", "freeze", "--python", commands / "python")
                core = re.findall(r"^(?:numpy|scipy|scikit-learn)==\S+", listed, re.MULTILINE)
                print(f"Python {number}, {which}: all pass with {', '.join(core)}")


def version_of(python: str, number: str) -> bool:
    """True if a command is a Python of that number; it may be a mere name for one to install."""
    said = subprocess.run([python, "--version"], capture_output=True, text=True, check=False)
    return said.stdout.startswith(f"Python {number}.")


def main(arguments: list[str] | None = None) -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["check", "versions"])
    {"check": check, "versions": versions}[parser.parse_args(arguments).what]()


if __name__ == "__main__":
    main()
