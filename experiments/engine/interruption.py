"""Ctrl-C and SIGTERM end a run within seconds; workers do not outlive the run that started them."""

import os
import signal
import sys
import threading
import time
from contextlib import suppress

GO_ON = "run the same command again to go on from the finished units"

#: Seconds that a clean end may take.
PATIENCE = 3.0
#: A filter for the warnings of Python's resource tracker.
TRACKED = "ignore:resource_tracker"
#: The name of the thread that hears signals.
LISTENER = "signals"

_heard: list[KeyboardInterrupt] = []
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
        if signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
            signal.signal(number, handle)
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)

    def wait():
        while (number := os.read(reader, 1)[0]) not in errors:
            pass
        _done.wait(PATIENCE)
        os._exit(tell(errors[number]()))

    with suppress(RuntimeError):  # If no thread can start, the run soon says what is missing.
        threading.Thread(target=wait, daemon=True, name=LISTENER).start()


def leave_at_once() -> None:
    """Let a signal end this process at once from now on, because it only has to shut down."""
    _done.set()


def spare_children() -> None:
    """Keep the Ctrl-C that ends this process from the processes that it starts from now on.

    A terminal sends it to all of them, and each would print a stack. So the main thread blocks the
    signal, and processes inherit this from it. The thread of :func:`listen` still hears the signal.
    The trackers of shared memory unblock it when they run: so they are started first, and they are
    told to clean up without a warning after a process that was killed.
    """
    listening = any(thread.name == LISTENER for thread in threading.enumerate())
    if listening and os.name == "posix":
        from multiprocessing import resource_tracker

        from joblib.externals.loky.backend import resource_tracker as loky_tracker

        ignored = filter(None, os.environ.get("PYTHONWARNINGS", "").split(","))
        os.environ["PYTHONWARNINGS"] = ",".join(dict.fromkeys([*ignored, TRACKED]))
        resource_tracker.ensure_running()
        loky_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def exit_with_parent(parent: int) -> None:
    """End this process within a second of its parent's end, however that came about."""

    def watch():
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    if os.name == "posix":
        threading.Thread(target=watch, daemon=True).start()
