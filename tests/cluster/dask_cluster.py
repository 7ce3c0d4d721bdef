"""A dask cluster of two processes on the loopback address, for as long as a test runs."""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from experiments.engine.dask import answering
from tests.cluster.slurm import daemon
from tests.forks import ROOT


@contextmanager
def two_processes(threads: int, *security: str, stray: Path | None = None) -> Iterator[str]:
    """The address of a scheduler with one worker of so many threads; both end with the block.

    Both get the options of security, such as ``--tls-key``. A second worker has the code of a
    folder, if one is given.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dask-")))
        told = folder / "scheduler.json"

        def start(ready, what, *options, at=ROOT):
            command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *options]
            command += ["--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"]
            command += ["--scheduler-file", str(told), *security]
            environment = {**os.environ, "PYTHONPATH": str(at)}
            stack.enter_context(
                daemon(command, folder / f"{what}.log", ready, cwd=at, env=environment)
            )

        def written():
            with suppress(OSError, ValueError):  # It is there before its text is.
                return json.loads(told.read_text())["address"]

        start(written, "scheduler", "--port", "0")
        address = written()
        options = ["--no-nanny", "--nthreads", str(threads), "--local-directory", str(folder)]
        start(lambda: answering(address), "worker", *options)
        if stray:
            start(lambda: answering(address) > 1, "worker", *options, at=stray)
        yield address
