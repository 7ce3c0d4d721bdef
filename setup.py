"""The build of the package: it carries the repository's folders inside `manifest`.

The C solver of the SVM is compiled if there is a compiler; CC=false leaves it out.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
CARRIED = ("baselines", "experiments", "configs")
URLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]


def description() -> str:
    """The README, whose links lead into the repository; without its URL they are mere text."""
    repository = URLS.get("Repository")

    def absolute(link: re.Match) -> str:
        sign, text, target = link.groups()
        if repository:
            return f"{sign}[{text}]({repository}/{'raw' if sign else 'blob'}/main/{target})"
        return "" if sign else text

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.sub(r"(!?)\[([^]]*)\]\((?!\w+:|#)([^)]+)\)", absolute, readme)


class BuildWithFolders(build_py):
    """Copies the repository's folders into the package, and compiles the solver there."""

    def run(self):
        super().run()
        folder = ROOT
        if not self.editable_mode:
            folder = Path(self.build_lib) / "manifest" / "_carried"
            shutil.rmtree(folder, ignore_errors=True)
            left = shutil.ignore_patterns("__pycache__", "*.so")
            for name in CARRIED:
                shutil.copytree(ROOT / name, folder / name, ignore=left)
            shutil.copy(ROOT / "run.py", folder)
        level = [] if self.editable_mode else ["--portable"]
        command = [sys.executable, "-m", "experiments.evaluation.svm.build", *level]
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": ""}
        subprocess.run(command, cwd=folder, env=environment, check=True)


class WheelOfItsPlatform(bdist_wheel):
    """A wheel for every Python; with the compiled solver, for this platform alone."""

    def run(self):
        self.run_command("build_py")
        if any(Path(self.get_finalized_command("build").build_lib).rglob("*.so")):
            self.root_is_pure = False
            self.distribution.has_ext_modules = lambda: True
        super().run()

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


setup(
    cmdclass={"build_py": BuildWithFolders, "bdist_wheel": WheelOfItsPlatform},
    long_description=description(),
    long_description_content_type="text/markdown",
)
