"""Commands of this Python; runs in forks of one process, which imports once what they import."""

import functools
import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Each command has a keeper, which tells its number, waits for it and tells its status.
PROGRAM = """
import gc, json, os, runpy, signal, sys
import hydra, experiments.errors, experiments.kinds, experiments.runner

experiments.kinds.register()
gc.freeze()
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    if os.fork() == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        command, environment, (told, *outputs) = json.loads(line)
        keeper = open(told, "w")
        if (number := os.fork()) == 0:
            os.setsid()
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            for stream, path in enumerate(outputs, 1):
                os.dup2(os.open(path, os.O_WRONLY), stream)
            os.environ.clear()
            os.environ.update(environment)
            sys.argv = command
            runpy.run_path(command[0], run_name="__main__")
        else:
            print(number, flush=True, file=keeper)
            print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True, file=keeper)
        os._exit(0)
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


class Forked:
    """A script and its arguments that run in the repository, in a process group of their own.

    It has what the tests use of :class:`subprocess.Popen`.
    """

    def __init__(self, *command: str, environment: Mapping[str, str] = os.environ) -> None:
        with tempfile.TemporaryDirectory() as folder:
            paths = [f"{folder}/{name}" for name in ("told", "out", "err")]
            for path in paths:
                os.mkfifo(path)
            request = command, dict(environment), paths
            print(json.dumps(request), file=_parent().stdin, flush=True)
            self._told, *outputs = map(open, paths)
        self.pid = int(self._told.readline())
        self.returncode: int | None = None
        pool = ThreadPoolExecutor(len(outputs))
        self._outputs = [pool.submit(output.read) for output in outputs]

    def poll(self) -> int | None:
        """The status, or None as long as it runs."""
        if self.returncode is None and select.select([self._told], [], [], 0)[0]:
            self.returncode = int(self._told.readline())
        return self.returncode

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def communicate(self, timeout: float = 600) -> list[str]:
        """The outputs, once nobody holds them open; a TimeoutError after so many seconds."""
        texts = [output.result(timeout) for output in self._outputs]
        if self.returncode is None:
            self.returncode = int(self._told.readline())
        return texts


def forked(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a script and its arguments to their end."""
    process = Forked(*command)
    texts = process.communicate()
    return subprocess.CompletedProcess(command, process.returncode or 0, *texts)


@functools.cache
def _parent():
    """The process that is forked; it ends with this one, which holds its input open."""
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        # Streams that are pipes from the start; a fork's own take their places.
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
