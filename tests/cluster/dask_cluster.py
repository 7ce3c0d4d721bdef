"""A dask cluster of two processes on the loopback address, for as long as a test runs."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from experiments.engine.dask import answering

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def two_processes(threads: int, *security: str) -> Iterator[str]:
    """The address of a scheduler with one worker of so many threads; both end with the block.

    Both get the options of security, such as ``--tls-key``.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dask-")))
        told = folder / "scheduler.json"

        def start(what, *options):
            command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *options]
            command += ["--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"]
            command += ["--scheduler-file", str(told), *security]
            log = stack.enter_context((folder / f"{what}.log").open("w+"))
            process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
            stack.callback(_stop, process)
            return process

        scheduler = start("scheduler", "--port", "0")
        _until(told.exists, scheduler, folder / "scheduler.log")
        address = json.loads(told.read_text())["address"]
        options = ["--no-nanny", "--nthreads", str(threads), "--local-directory", str(folder)]
        worker = start("worker", *options)
        _until(lambda: answering(address), worker, folder / "worker.log")
        yield address


def _until(ready, process, log, seconds=120):
    end = time.monotonic() + seconds
    while not ready():
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"it did not start: {log.read_text()[-800:]}")
        time.sleep(0.1)


def _stop(process):
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
