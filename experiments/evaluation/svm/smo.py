"""The steps of libsvm, compiled from `smo.c` where there is a C compiler.

Over a few features and at large C nearly all of the time of an SVM grid is libsvm's millions of
small steps. `smo.c` takes the same steps, to the last bit, in a half to a fifth of the time. It is
compiled once a machine, in a second, beside Python's own compiled files, and is used only after it
has reproduced :class:`sklearn.svm.SVC` in this process.
"""

import atexit
import ctypes
import hashlib
import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from experiments.atomic import CannotWrite, atomic_write

SOURCE = Path(__file__).with_name("smo.c")
# Contraction would round a product and a sum at once, where libsvm's wheels round twice.
FLAGS = "-std=c11 -shared -fPIC -fopenmp-simd -ffp-contract=off -fno-math-errno -fno-trapping-math"
# The first that the compiler knows: vector instructions of this machine make half of the gain.
LEVELS = ("-O3 -march=native", "-O3")
#: Where libsvm stops: the default of SVC.
TOLERANCE = 1e-3

#: (kernel, train, first, test, Cs) -> (coef, rho, steps, decisions): see :func:`bind`.
PathSolver = Callable[[NDArray, NDArray, int, NDArray, Sequence[float]], tuple[NDArray, ...]]


class NoCompiler(RuntimeError):
    """There is no C compiler, or none that compiles."""


def bind(library: str | os.PathLike) -> PathSolver:
    """The compiled function as one of arrays.

    Returns
    -------
    callable (kernel, train, first, test, Cs) -> (coef, rho, steps, decisions)
        `kernel` (n, n), float64, C-contiguous, symmetric, of diagonal 1; `train` (l,) its rows to
        fit, of which the first `first` are one class and the others another; `test` (m,) those to
        decide on; `Cs` increasing. `coef` (n_C, l) holds the signed multipliers, `rho` (n_C,) minus
        the intercepts, `steps` (n_C,) how many steps were taken, 0 where C had ceased to matter,
        and `decisions` (n_C, m) are above 0 for the first class.
    """
    function = ctypes.CDLL(str(library)).smo_path
    array, number = ctypes.c_void_p, ctypes.c_int
    function.restype = number
    function.argtypes = [
        *(array, ctypes.c_int64, array, number, number, array, number),
        *(array, number, ctypes.c_double, array, array, array, array),
    ]

    def path(kernel, train, first, test, Cs):
        if kernel.dtype != np.float64 or not kernel.flags.c_contiguous:
            raise TypeError("the kernel must be float64 in C order")
        train, test = (np.ascontiguousarray(rows, dtype=np.int64) for rows in (train, test))
        costs = np.array(Cs, dtype=np.float64)
        coef, rho = np.empty((len(costs), len(train))), np.empty(len(costs))
        steps, decisions = np.empty(len(costs), np.int32), np.empty((len(costs), len(test)))
        if function(
            *(kernel.ctypes.data, kernel.shape[1], train.ctypes.data, len(train), first),
            *(test.ctypes.data, len(test), costs.ctypes.data, len(costs), TOLERANCE),
            *(out.ctypes.data for out in (coef, rho, steps, decisions)),
        ):
            raise MemoryError(f"an SVM on {len(train)} rows needs {8 * len(train) ** 2:,} bytes")
        return coef, rho, steps, decisions

    return path


def compiled() -> Path:
    """The library, compiled now unless it was before from this source on a machine like this.

    Raises
    ------
    NoCompiler
    """
    compiler = shlex.split(os.environ.get("CC") or "cc")
    if not compiler or shutil.which(compiler[0]) is None:
        raise NoCompiler(f"there is no C compiler {' '.join(compiler) or 'cc'!r}")
    known = [SOURCE.read_text(), FLAGS, *LEVELS, *compiler, platform.platform(), _processor()]
    name = f"smo.{hashlib.sha256(repr(known).encode()).hexdigest()[:16]}.so"
    path = Path(importlib.util.cache_from_source(str(SOURCE))).with_name(name)
    if path.exists():
        return path
    try:
        with atomic_write(path) as part:
            _compile(compiler, part)
    except CannotWrite:  # an installation of somebody else's: for this process alone
        path = Path(tempfile.mkdtemp(prefix="smo-")) / name
        atexit.register(shutil.rmtree, path.parent, ignore_errors=True)
        _compile(compiler, path)
    return path


def _compile(compiler: list[str], target: Path) -> None:
    said = ""
    for level in LEVELS:
        command = [*compiler, *level.split(), *FLAGS.split(), str(SOURCE), "-o", str(target), "-lm"]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
        except (OSError, subprocess.SubprocessError) as error:
            said = getattr(error, "stderr", None) or repr(error)
        else:
            return
    raise NoCompiler(f"{compiler[0]} does not compile {SOURCE.name}: {said.strip()[-300:]}")


def _processor() -> str:
    """What `-march=native` depends on: a folder may be shared by machines of several kinds."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return "".join(sorted({line for line in lines if line.startswith(("flags", "Features"))}))


def prove(path: PathSolver) -> None:
    """Raise ArithmeticError unless the steps, multipliers and offsets are those of SVC."""
    for kernel, first, Cs in _problems():
        n = len(kernel)
        rows = np.arange(n)
        coef, rho, steps, decisions = path(kernel, rows, first, rows, Cs)
        for i, C in enumerate(Cs):
            svm = SVC(kernel="precomputed", C=C).fit(kernel, rows >= first)
            theirs = np.zeros(n)
            theirs[svm.support_] = -svm.dual_coef_[0]  # SVC turns the sign of two classes
            same = np.array_equal(coef[i], theirs) and rho[i] == svm.intercept_[0]
            if steps[i] not in (0, svm.n_iter_[0]) or not same:
                raise ArithmeticError(f"its solution at C = {C} is not that of SVC")
            if not np.array_equal(decisions[i] <= 0, svm.predict(kernel)):
                raise ArithmeticError(f"its predictions at C = {C} are not those of SVC")


def _problems() -> list[tuple[NDArray, int, tuple[float, ...]]]:
    """Small fixed problems, the last with thousands of steps, shrinking, and rows taken back."""
    found: list[tuple[NDArray, int, tuple[float, ...]]] = []
    for n, first, gammas in ((12, 5, (0.1, 1.0, 8.0)), (150, 70, (0.3,))):
        points = np.cos(np.arange(1.0, 2 * n + 1) ** 2).reshape(n, 2)
        squared = ((points[:, None] - points) ** 2).sum(axis=2)
        found += [(np.exp(-gamma * squared), first, (2.0**-5, 2.0, 2.0**7)) for gamma in gammas]
    return found
