"""Commands of this Python; several of them in forks of one process, which imports once."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = """
import importlib, json, os, runpy, sys

folder, modules, commands = json.load(sys.stdin)
for name in modules:
    importlib.import_module(name)
for number, command in enumerate(commands):
    if os.fork() == 0:
        for stream in (1, 2):
            os.dup2(os.open(f"{folder}/{number}.{stream}", os.O_CREAT | os.O_WRONLY), stream)
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

    status: int
    stdout: str
    stderr: str


def forked(folder: Path, modules: list[str], commands: list[list[str]]) -> list[Ended]:
    """Run each command, a script and its arguments, one after another in the repository."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps([str(folder), modules, commands]),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1200,
        check=True,
    )
    texts = [[(folder / f"{n}.{i}").read_text() for i in (1, 2)] for n in range(len(commands))]
    return [Ended(int(s), *two) for s, two in zip(done.stdout.split(), texts, strict=True)]
