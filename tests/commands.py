"""Commands of this Python in the repository."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def python(*arguments, at=ROOT, **variables) -> subprocess.CompletedProcess[str]:
    """Run this Python with arguments and variables of the environment, in the repository or `at`.

    Modules are those of that folder.
    """
    environment = {**os.environ, "PYTHONPATH": str(at), **variables}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(
        command, cwd=at, env=environment, capture_output=True, text=True, timeout=600
    )
