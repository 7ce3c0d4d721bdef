"""A library compiled from C that is loaded only after a child process has run it.

A damaged library ends the process that loads it by a signal, which no exception announces. So each
new build is first run in a child process. A record beside the library keeps the digest of the file
that passed, and later processes only compare digests, which takes them less than a millisecond.

The library and its record lie beside Python's own compiled files, wherever these are
(PYTHONPYCACHEPREFIX names another folder). Each user has files of their own there, and nobody else
may write to them: where a group shares a checkout, every member compiles once, and no member loads
what another one compiled. The folder itself is not checked, because whoever may write to it can as
well replace the Python code. Where the folder cannot be written to, or does not keep owners and
modes, the library is compiled for one process alone and its file is removed as soon as it is
loaded.
"""

import ctypes
import hashlib
import importlib.util
import json
import logging
import os
import platform
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from experiments.atomic import atomic_write, remove_abandoned

try:
    import fcntl
except ImportError:  # On Windows two processes may both compile, and neither harms the other.
    fcntl = None  # type: ignore[assignment]

log = logging.getLogger(__name__)
# Contraction would round a product and a sum at once, where libsvm's wheels round twice.
FLAGS = "-std=c11 -shared -fPIC -fopenmp-simd -ffp-contract=off -fno-math-errno -fno-trapping-math"
# The first level that the compiler knows is taken: this machine's vector instructions make half of
# the gain.
LEVELS = ("-O3 -march=native", "-O3")
#: What the child process prints at the end, so that a library that exits early has not passed.
PASSED = "the library ran to the end"
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_HEARD: dict[str, Any] = {
    "stdin": subprocess.DEVNULL,
    "capture_output": True,
    "text": True,
    "errors": "replace",
}


class NoCompiler(RuntimeError):
    """There is no C compiler, or it does not compile the source."""


class Unusable(RuntimeError):
    """The compiled library does not run in a child process, or cannot be kept safely."""


def load(source: Path, rehearsal: str) -> ctypes.CDLL:
    """The library of a C source, compiled now unless a proven build is on record.

    A library that is damaged, belongs to another user or may be written by others is compiled
    anew. Of several processes one compiles, and the others wait for it.

    Parameters
    ----------
    source : Path
    rehearsal : str
        Name of a module. ``python -m MODULE LIBRARY`` must run the functions of the library and
        then print `PASSED`.

    Raises
    ------
    NoCompiler
    Unusable
        If the build for this process alone does not run either.
    """
    compiler = shlex.split(os.environ.get("CC") or "cc")
    if not compiler or shutil.which(compiler[0]) is None:
        raise NoCompiler(f"there is no C compiler {' '.join(compiler) or 'cc'!r}")
    library = _place(source, compiler)
    if _on_record(library, source):
        return ctypes.CDLL(str(library))
    try:
        with _one_builder(library.parent):
            if not _on_record(library, source):  # Another process may have compiled it.
                _build(library, source, compiler, rehearsal)
        if _on_record(library, source):
            return ctypes.CDLL(str(library))
        raise Unusable(f"{library} is not as it was written")
    except (OSError, NoCompiler, Unusable) as error:
        reason = error
    with tempfile.TemporaryDirectory(prefix="smo-") as folder:
        library = Path(folder) / library.name
        _compile(compiler, source, library)
        _rehearse(library, rehearsal)
        log.info(
            "%s is compiled for this process alone (%s); set PYTHONPYCACHEPREFIX to a folder of "
            "yours to keep it there",
            source.name,
            reason,
        )
        return ctypes.CDLL(str(library))  # A loaded library outlives its file.


def _place(source: Path, compiler: list[str]) -> Path:
    """Where this user's library of this source lies, for this compiler and machine."""
    known = [source.read_bytes(), FLAGS, *LEVELS, *compiler, platform.platform(), _processor()]
    name = hashlib.sha256(repr([*known, _user()]).encode()).hexdigest()[:16]
    folder = Path(importlib.util.cache_from_source(str(source))).parent
    return folder / f"{source.stem}.{name}.so"


def _processor() -> str:
    """What `-march=native` depends on: machines of several kinds may share a folder."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return "".join(sorted({line for line in lines if line.startswith(("flags", "Features"))}))


def _user() -> int:
    return getattr(os, "geteuid", int)()


def _on_record(library: Path, source: Path) -> bool:
    """Whether this very file has passed in a child process, and only this user may write to it."""
    record = library.with_suffix(".json")
    try:
        if not (_own(library) and _own(record)):
            return False
        passed = json.loads(record.read_bytes())
        return passed["library"] == _digest(library) and passed["source"] == _digest(source)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _own(path: Path) -> bool:
    """Whether it is a regular file of this user that nobody else may write to."""
    found = path.lstat()
    private = found.st_uid == _user() and not found.st_mode & _WRITABLE_BY_OTHERS
    return private and stat.S_ISREG(found.st_mode)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _one_builder(folder: Path) -> Iterator[None]:
    """Wait until no other process of this user compiles in this folder.

    The lock ends with the process that holds it. What a killed process has left is removed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    remove_abandoned(folder)
    with (folder / f"smo.{_user()}.lock").open("ab") as file:
        if fcntl is not None:
            with suppress(OSError):  # Without locks several processes may compile.
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(library: Path, source: Path, compiler: list[str], rehearsal: str) -> None:
    """Put the library and then its record into their places, each of them whole."""
    if library.exists():
        log.warning(
            "%s is damaged, has no valid record or may be changed by other users: "
            "it is compiled anew",
            library,
        )

    def proven(part: Path) -> None:
        if not _own(part):
            raise Unusable(f"{part.parent} does not keep owners and modes of files")
        _compile(compiler, source, part)
        _rehearse(part, rehearsal)

    _put(library, proven)
    record = {
        "library": _digest(library),
        "source": _digest(source),
        "compiler": _version(compiler),
    }
    text = json.dumps(record, indent=1)
    _put(library.with_suffix(".json"), lambda part: part.write_text(text, encoding="utf-8"))


def _put(path: Path, fill: Callable[[Path], object]) -> None:
    """Write a file whole and to the disk itself; the umask decides who may read it.

    Nobody else may write to it, whatever the umask.
    """
    with atomic_write(path) as part:
        mode = stat.S_IMODE(part.stat().st_mode) & ~_WRITABLE_BY_OTHERS
        part.chmod(mode)
        fill(part)
        part.chmod(mode)  # A linker makes the file anew, with another mode.
        with part.open("r+b") as file:
            os.fsync(file.fileno())


def _compile(compiler: list[str], source: Path, target: Path) -> None:
    said = ""
    for level in LEVELS:
        command = [*compiler, *level.split(), *FLAGS.split(), str(source), "-o", str(target), "-lm"]
        try:
            subprocess.run(command, check=True, timeout=120, **_HEARD)
        except (OSError, subprocess.SubprocessError) as error:
            said = getattr(error, "stderr", None) or repr(error)
        else:
            return
    raise NoCompiler(f"{compiler[0]} does not compile {source.name}: {said.strip()[-300:]}")


def _version(compiler: list[str]) -> str:
    """The first line that the compiler says of itself."""
    command = [*compiler, "--version"]
    with suppress(OSError, subprocess.SubprocessError):
        return subprocess.run(command, timeout=60, **_HEARD).stdout.partition("\n")[0]
    return "unknown"


def _rehearse(library: Path, rehearsal: str) -> None:
    """Raise Unusable unless a child process runs the library to the end."""
    path = os.pathsep.join(sys.path)
    try:
        child = subprocess.run(
            [sys.executable, "-m", rehearsal, str(library)],
            env=os.environ | {"PYTHONPATH": path},
            timeout=120,
            **_HEARD,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise Unusable(f"the compiled library could not be tried: {error!r}") from error
    if child.returncode or PASSED not in child.stdout:
        how = f"code {child.returncode}"
        if child.returncode < 0:
            how = f"signal {-child.returncode} ({signal.strsignal(-child.returncode)})"
        raise Unusable(
            f"the process that tried the compiled library ended with {how}: "
            f"{child.stderr.strip()[-300:]}"
        )
