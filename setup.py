"""The build of the package, which compiles the C solver of the SVM where there is a compiler."""

import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithSolver(build_py):
    """Copies the Python files, and compiles the solver beside its source."""

    def run(self):
        super().run()
        folder = Path("." if self.editable_mode else self.build_lib)
        script = folder / "experiments" / "evaluation" / "svm" / "build.py"
        subprocess.run([sys.executable, str(script)], check=True)


setup(cmdclass={"build_py": BuildWithSolver})
