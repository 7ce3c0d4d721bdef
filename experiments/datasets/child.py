"""Work on foreign bytes in a child process, with limits on memory, time and the size of files.

A damaged or hostile file may crash its parser, ask for any memory, or keep it busy without end. In
a child process each of these ends in one sentence. The child is judged by the answer that it leaves
in a file, not by its exit status: threads of a library may outlive the work.
"""

import importlib
import logging
import math
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.datasets.cache import Answer, read_answer, write_answer
from experiments.datasets.dataset import DataError, Dataset
from experiments.system import MEMORY_IS_LIMITED, limited_memory

log = logging.getLogger(__name__)
GIB = 1 << 30
ROOT = Path(__file__).resolve().parents[2]
PROGRAM = "from experiments.datasets.child import main; main()"
#: One thread and one pool of memory: libraries reserve more than they use for each.
ENVIRONMENT = {
    "PYTHONPATH": str(ROOT),
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "ARROW_IO_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


@dataclass(frozen=True)
class Limits:
    """Memory and time for one data set.

    Attributes
    ----------
    max_gib : float, above 0
        GiB of memory that reading may take beside its libraries, copies included; also the size of
        any file.
    timeout : float, above 0
        Seconds for a download with all its attempts, and for reading.

    Raises
    ------
    DataError
        If a limit is not a finite number above 0.
    """

    max_gib: float = 4.0
    timeout: float = 900.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            number = isinstance(value, int | float) and value is not True
            if not number or not 0 < value < math.inf:
                raise DataError(f"data.{name} must be a number above 0, got {value!r}")

    def check_file(self, path: Path) -> None:
        """Raise a DataError if a file is larger than `max_gib`."""
        if path.stat().st_size > self.max_gib * GIB:
            raise self.too_large(str(path))

    def too_large(self, what: str) -> DataError:
        """The error on something that does not fit into `max_gib`."""
        return DataError(
            f"{what} takes more memory than data.max_gib={self.max_gib:g} allows; "
            "set data.max_gib higher if you trust the source"
        )


LIMITS = Limits()


def run(
    work: Callable[..., Answer | Dataset],
    *arguments: Any,
    what: str,
    limits: Limits = LIMITS,
    libraries: Iterable[str] = (),
    shows: bool = False,
) -> Answer:
    """Return what ``work(*arguments)`` returns in a child process, a data set as its answer.

    Parameters
    ----------
    work : callable
        A function of a module; it and its arguments are pickled.
    what : str
        The foreign bytes, as a sentence on them calls them.
    limits : Limits
    libraries : iterable of str
        Modules that the work needs. They are imported before the memory is limited.
    shows : bool
        Whether the child may write to the terminal.

    Returns
    -------
    dict of str -> ndarray, dict of str -> what JSON can say

    Raises
    ------
    DataError
        If the work raises one, meets a limit, or ends its process.
    """
    if not MEMORY_IS_LIMITED:
        log.info("this platform limits no memory; data.max_gib holds for sizes of files alone")
    with tempfile.TemporaryDirectory(prefix="manifest-data-") as name:
        folder = Path(name)
        (folder / "task").write_bytes(pickle.dumps((limits, tuple(libraries), work, arguments)))
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM, name],
            stdin=subprocess.PIPE,  # Its end tells the child that the parent has ended.
            stdout=subprocess.DEVNULL,
            stderr=None if shows else subprocess.DEVNULL,
            env={**os.environ, **ENVIRONMENT, "TMPDIR": name},
            start_new_session=True,
        )
        with process:
            try:
                status = process.wait(limits.timeout)
            except subprocess.TimeoutExpired:
                status = None
            finally:
                process.kill()
        if (folder / "answer").exists():
            arrays, about = read_answer(folder / "answer")
            if "fault" in about:
                raise RuntimeError(f"a child process failed on {what}:\n{about['fault']}")
            if "error" in about:
                raise DataError(about["error"])
            if "memory" in about:
                raise limits.too_large(what)
            return arrays, about
    if status is None:
        raise DataError(
            f"{what} was not complete after data.timeout={limits.timeout:g} seconds; "
            "set data.timeout higher for a slow connection or a large file"
        )
    raise DataError(
        f"{what} cannot be read: it ended the process that read it (status {status}); it is "
        f"damaged, or takes more memory than data.max_gib={limits.max_gib:g} allows"
    )


def main() -> None:
    """Do the work of the folder that the command line names, and leave the answer there."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    folder = Path(sys.argv[1])
    limits, libraries, work, arguments = pickle.loads((folder / "task").read_bytes())
    for library in libraries:
        with suppress(ImportError):  # The work says what it lacks.
            importlib.import_module(library)
    answer: Answer
    try:
        with limited_memory(int(limits.max_gib * GIB)):
            result = work(*arguments)
        answer = result if isinstance(result, tuple) else result.answer()
    except DataError as error:
        answer = {}, {"error": str(error)}
    except MemoryError:
        answer = {}, {"memory": True}
    except Exception:
        answer = {}, {"fault": traceback.format_exc()}
    with (folder / "part").open("wb") as file:
        write_answer(file, answer)
    (folder / "part").replace(folder / "answer")
    os._exit(0)


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(1)
