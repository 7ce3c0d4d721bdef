"""Ctrl-C and SIGTERM end a run within seconds; workers do not outlive the run that started them."""

import atexit
import os
import signal
import socket
import sys
import threading
from contextlib import suppress
from typing import NoReturn

from experiments.system import MASKS_SIGNALS, block_interrupt, has_no_reader, hear

GO_ON = "run the same command again to go on from the finished units"

#: Seconds that a clean end may take.
PATIENCE = 3.0
#: A filter for the warnings of Python's resource tracker.
TRACKED = "ignore:resource_tracker"
#: The name of the thread that hears signals.
LISTENER = "signals"

_heard: list[KeyboardInterrupt] = []
#: The socket that a signal writes to; without a reference it would be closed.
_open: list[socket.socket] = []
_telling = threading.RLock()
_told = threading.Event()
_done = threading.Event()


class Terminated(KeyboardInterrupt):
    """SIGTERM, which a scheduler or ``kill`` sends, and which ends a run as Ctrl-C does."""


class WorkerDied(RuntimeError):
    """Workers were killed from outside, most often for lack of memory."""


def pending_interrupt() -> KeyboardInterrupt | None:
    """The interruption that was heard, even if other code has made another error of it."""
    return _heard[0] if _heard else None


def tell(error: KeyboardInterrupt) -> int:
    """Say once how to go on, and return the exit status by the shell's convention."""
    terminated = isinstance(error, Terminated)
    with _telling:  # Nobody ends the process while another thread is about to say it.
        if not _told.is_set():
            word = "terminated" if terminated else "interrupted"
            with suppress(OSError, ValueError):  # Nobody may be left to read it.
                print(f"{word}; {GO_ON}", file=sys.stderr, flush=True)
            _told.set()
    return 128 + (signal.SIGTERM if terminated else signal.SIGINT)


def listen() -> None:
    """Make Ctrl-C and SIGTERM raise, and see to it that they end this process within seconds.

    A signal's handler waits until the interpreter has the main thread again, which may take minutes
    in an eigendecomposition. The error that it raises can get lost in a destructor. So a second
    thread learns of the signal at once, and ends the process if it has not ended by itself. This
    harms nothing, because every file on disk is whole at any moment.
    """
    errors: dict[int, type[KeyboardInterrupt]]
    errors = {signal.SIGINT: KeyboardInterrupt, signal.SIGTERM: Terminated}

    def handle(number, frame):
        _heard.append(errors[number]())
        if _done.is_set() or len(_heard) > 1:  # The second Ctrl-C is of someone in a hurry.
            os._exit(tell(_heard[0]))
        raise _heard[0]

    for number in errors:
        hear(number, handle)
    reader, writer = socket.socketpair()  # Windows wakes no pipe.
    _open.append(writer)
    writer.setblocking(False)
    signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)

    def wait():
        while (number := reader.recv(1)[0]) not in errors:
            pass
        _done.wait(PATIENCE)
        os._exit(tell(errors[number]()))

    with suppress(RuntimeError):  # If no thread can start, the run soon says what is missing.
        threading.Thread(target=wait, daemon=True, name=LISTENER).start()


def leave_at_once() -> None:
    """Let a signal end this process at once from now on, because it only has to shut down."""
    _done.set()


def end_process(status: int) -> NoReturn:
    """End this process with a status, after its exit functions and with all that it said flushed.

    The interpreter does not tear down what libraries hold: a thread of Arrow's may still run, and
    would end one process in some hundreds with "terminate called" and status 134. If nobody reads
    its output any more, the process says nothing of that.
    """
    # As the interpreter does it: first threads, with which the pools of workers end.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or none at all
            stream.flush()
    os._exit(status)


def nobody_reads(error: BaseException) -> bool:
    """True if an error says that the reader of this program's output has gone, as after `head`."""
    return isinstance(error, BrokenPipeError) and has_no_reader(sys.stdout)


def spare_children() -> None:
    """Keep the Ctrl-C that ends this process from the processes that it starts from now on.

    A terminal sends it to all of them, and each would print a stack. So the main thread blocks the
    signal, and processes inherit this from it. The thread of :func:`listen` still hears the signal.
    The trackers of shared memory unblock it when they run: so they are started first, and they are
    told to clean up without a warning after a process that was killed.
    """
    listening = any(thread.name == LISTENER for thread in threading.enumerate())
    if listening and MASKS_SIGNALS:
        from multiprocessing import resource_tracker

        from joblib.externals.loky.backend import resource_tracker as loky_tracker

        ignored = filter(None, os.environ.get("PYTHONWARNINGS", "").split(","))
        os.environ["PYTHONWARNINGS"] = ",".join(dict.fromkeys([*ignored, TRACKED]))
        resource_tracker.ensure_running()
        loky_tracker.ensure_running()
        block_interrupt()
