"""Commands of this Python; runs in forks of one process, which imports once what they import."""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = """
import gc, json, os, runpy, signal, sys
import hydra, experiments.errors, experiments.kinds, experiments.runner

experiments.kinds.register()
gc.freeze()
for line in sys.stdin:
    command, environment, outputs = json.loads(line)
    if os.fork() == 0:
        signal.alarm(600)
        for stream, path in enumerate([os.devnull, *outputs]):
            os.dup2(os.open(path, os.O_CREAT | os.O_RDWR), stream)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = command
        runpy.run_path(command[0], run_name="__main__")
        sys.exit()
    print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
"""


def python(*arguments, at=ROOT, **variables) -> subprocess.CompletedProcess[str]:
    """Run this Python with arguments and variables of the environment, in the repository or `at`.

    Modules are those of that folder.
    """
    environment = {**os.environ, "PYTHONPATH": str(at), **variables}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(
        command, cwd=at, env=environment, capture_output=True, text=True, timeout=600
    )


class Ended(NamedTuple):
    """What a command leaves."""

    returncode: int
    stdout: str
    stderr: str


def forked(folder: Path, *command: str) -> Ended:
    """Run a command, a script and its arguments, in the repository; its outputs lie in a folder."""
    outputs = [folder / "stdout", folder / "stderr"]
    for path in outputs:
        path.unlink(missing_ok=True)
    parent = _parent()
    assert parent.stdin is not None
    assert parent.stdout is not None
    request = command, dict(os.environ), list(map(str, outputs))
    print(json.dumps(request), file=parent.stdin, flush=True)
    return Ended(int(parent.stdout.readline()), *(path.read_text() for path in outputs))


@functools.cache
def _parent():
    """The process that is forked; it ends with this one, which holds its input open."""
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
