"""Units of work on the workers of a dask cluster, who share the store's folder with the run.

Whoever reaches a scheduler or a worker of dask can run code on it: both should listen on the
loopback address, or demand certificates (TLS). The certificate of a run comes from dask's own
configuration, such as the variable DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT.
"""

import asyncio
import logging
import threading
from asyncio import CancelledError
from collections.abc import Iterator, Sequence

from experiments.atomic import CannotWrite
from experiments.config import ConfigError
from experiments.engine.code import CodeChanged, Refused
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

    When a worker dies, dask gives its unit to another worker. It does so three times. A worker that
    has other code than this run, or none of it, is named and left out.

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
        See :func:`answering`, and if no worker has this project.
    WorkerDied
        If the scheduler went away.
    """
    n_workers = answering(scheduler)
    from distributed.comm.core import CommClosedError

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is raised
    if not n_workers:
        log.warning("no worker has joined %s so far; units wait for the first", scheduler)
    gone = WorkerDied(f"dask's scheduler at {scheduler} went away; {GO_ON}")
    try:
        yield from _results(units, scheduler, store, wait, gone)
    except (CommClosedError, CancelledError, TimeoutError) as error:
        raise gone from error


def _results(units, scheduler, store, wait, gone):
    from distributed import Client, as_completed

    with Client(scheduler, set_as_default=False) as client:

        def submitted(some, workers=None):
            where = {"workers": workers, "allow_other_workers": True} if workers else {}
            futures = client.map(_on_worker, some, store=store, wait=wait, pure=False, **where)
            return dict(zip(futures, some, strict=True))

        unit_of = submitted(units)
        strays: set[str] = set()
        done = as_completed(list(unit_of), client.loop, with_results=True, raise_errors=False)
        for future, result in done:
            unit = unit_of.pop(future)
            if future.status == "finished":
                yield result
            elif future.status != "error":
                raise gone
            elif _is_of_worker(result[1]):
                found = _erred_on(client, future)
                others = client.nthreads().keys() - strays - found
                if not found or not others:
                    _of_this_unit(result[1], scheduler)
                for stray in sorted(found - strays):
                    log.warning(
                        "the worker %s of dask is left out: it has other code than this run (%s)",
                        *(stray, result[1]),
                    )
                strays |= found
                again = submitted([unit], sorted(others))
                unit_of |= again
                done.update(again)
            else:
                yield Done(unit.key, error=_of_this_unit(result[1], scheduler))


def _erred_on(client, future):
    """The addresses of the workers on which a unit has failed."""

    def addresses(dask_scheduler, key):  # pickled by value: the scheduler needs no such function
        return set(dask_scheduler.tasks[key].erred_on or ())

    return client.run_on_scheduler(addresses, key=future.key)


def _is_of_worker(error):
    """True if an error tells that a worker has other code, or does not find this project."""
    return isinstance(error, CodeChanged) or isinstance(error.__cause__ or error, ImportError)


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
