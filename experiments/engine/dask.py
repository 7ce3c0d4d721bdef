"""Units of work on the workers of a dask cluster, who share the store's folder with the run.

Whoever reaches a scheduler or a worker of dask can run code on it: both should listen on the
loopback address, or demand certificates (TLS). The certificate of a run comes from dask's own
configuration, such as the variable DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT.
"""

import asyncio
import logging
import threading
from collections.abc import Iterator, Sequence

from experiments.atomic import CannotWrite
from experiments.config import ConfigError
from experiments.engine.code import Refused
from experiments.engine.interruption import GO_ON, WorkerDied
from experiments.engine.keys import Unit
from experiments.engine.store import Store
from experiments.engine.workers import Done, execute

log = logging.getLogger(__name__)

#: Seconds within which a scheduler must answer.
PATIENCE = 5.0

#: A unit has its process to itself, however many threads a worker has: BLAS threads, caught
#: warnings and the locks of files belong to a whole process.
_alone = threading.Lock()


def run(units: Sequence[Unit], scheduler: str, store: Store, wait: bool) -> Iterator[Done]:
    """Each unit's result, as they come.

    When a worker dies, dask gives its unit to another worker. It does so three times.

    Parameters
    ----------
    units : sequence of Unit
    scheduler : str
        Address, tcp://HOST:PORT, or tls://HOST:PORT if it demands certificates.
    store : Store
    wait : bool
        As for :func:`experiments.engine.workers.execute`, whose errors are raised too.

    Raises
    ------
    ConfigError
        See :func:`answering`.
    WorkerDied
        If the scheduler went away.
    """
    n_workers = answering(scheduler)
    from distributed import Client, as_completed

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is raised
    if not n_workers:
        log.warning("no worker has joined %s so far; units wait for the first", scheduler)
    with Client(scheduler, set_as_default=False) as client:
        futures = client.map(_on_worker, units, store=store, wait=wait, pure=False)
        keys = {future: unit.key for future, unit in zip(futures, units, strict=True)}
        del futures
        done = as_completed(list(keys), client.loop, with_results=True, raise_errors=False)
        for future, result in done:
            key = keys.pop(future)
            if future.status == "finished":
                yield result
            elif future.status == "error":
                yield Done(key, error=_of_this_unit(result[1], scheduler))
            else:
                raise WorkerDied(f"dask's scheduler at {scheduler} went away; {GO_ON}")


def _of_this_unit(error, scheduler):
    """The text of an error; the error is raised instead if the next unit would meet it as well."""
    cause = error.__cause__ or error
    if isinstance(error, CannotWrite | Refused):
        raise error
    if isinstance(cause, ImportError):
        raise ConfigError(
            f"dask at {scheduler} does not find this project ({cause}); start its scheduler and "
            "workers in the folder of the repository, with the run's environment and PYTHONPATH=."
        ) from error
    return " ".join(f"{type(error).__name__}: {error}".split())


def answering(scheduler: str) -> int:
    """Number of a scheduler's workers; a ConfigError if none answers or dask is not installed."""
    try:
        from distributed import Security
        from distributed.core import rpc
    except ImportError as error:
        raise ConfigError(
            "workers=dask needs distributed, which is not installed: pip install '.[cluster]'"
        ) from error

    async def identity():
        async with rpc(scheduler, connection_args=Security().get_connection_args("client")) as at:
            return await at.identity()

    try:
        return len(asyncio.run(asyncio.wait_for(identity(), PATIENCE))["workers"])
    # Another program may listen there, and its answer can raise any kind of error in dask.
    except Exception as error:
        raise ConfigError(
            f"no scheduler of dask answers at scheduler={scheduler}; give the address that "
            "`dask scheduler` prints, like tcp://HOST:8786, and see that it still runs; for tls:// "
            "this run needs a certificate too (DASK_DISTRIBUTED__COMM__TLS__CA_FILE and others)"
        ) from error


def _on_worker(unit, store, wait):
    with _alone:
        return execute(unit, store, wait)
