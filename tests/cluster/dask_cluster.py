"""A dask cluster of two processes on the loopback address, for as long as a test runs."""

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from experiments.engine.dask import answering
from tests.cluster.slurm import daemon

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def two_processes(threads: int, *security: str) -> Iterator[str]:
    """The address of a scheduler with one worker of so many threads; both end with the block.

    Both get the options of security, such as ``--tls-key``.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dask-")))
        told = folder / "scheduler.json"

        def start(ready, what, *options):
            command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *options]
            command += ["--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"]
            command += ["--scheduler-file", str(told), *security]
            stack.enter_context(daemon(command, folder / f"{what}.log", ready, cwd=ROOT))

        start(told.exists, "scheduler", "--port", "0")
        address = json.loads(told.read_text())["address"]
        options = ["--no-nanny", "--nthreads", str(threads), "--local-directory", str(folder)]
        start(lambda: answering(address), "worker", *options)
        yield address
