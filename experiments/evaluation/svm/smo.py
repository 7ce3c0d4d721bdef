"""The steps of libsvm, compiled from `smo.c` where there is a C compiler.

Over a few features and at large C nearly all of the time of an SVM grid is libsvm's millions of
small steps. `smo.c` takes the same steps, to the last bit, in a half to a fifth of the time. It is
used in a process only after it has reproduced :class:`sklearn.svm.SVC` there.

``python -m experiments.evaluation.svm.smo LIBRARY`` runs a compiled library on small problems:
`library` has a child process do so before any other process loads a new build.
"""

import ctypes
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from experiments.evaluation.svm import library

SOURCE = Path(__file__).with_name("smo.c")
#: libsvm stops at this violation of the optimality conditions: the default of SVC.
TOLERANCE = 1e-3

#: (kernel, train, first, test, Cs) -> (coef, rho, steps, decisions): see :func:`bind`.
PathSolver = Callable[[NDArray, NDArray, int, NDArray, Sequence[float]], tuple[NDArray, ...]]


def bind(compiled: ctypes.CDLL) -> PathSolver:
    """The compiled function, made to take and return arrays.

    Returns
    -------
    callable (kernel, train, first, test, Cs) -> (coef, rho, steps, decisions)
        `kernel` (n, n) is float64, C-contiguous and symmetric, with diagonal 1. `train` (l,) holds
        the rows of it to fit: the first `first` are one class, and the others are the other class.
        `test` (m,) holds the rows to decide on, and `Cs` increases. `coef` (n_C, l) holds the
        signed multipliers and `rho` (n_C,) minus the intercepts. `steps` (n_C,) counts the steps
        taken; it is 0 where a larger C changes nothing. `decisions` (n_C, m) are above 0 for the
        first class.
    """
    function = compiled.smo_path
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


def compiled() -> PathSolver:
    """The steps from the compiled library, which a child process has run before.

    Raises
    ------
    NoCompiler
    Unusable
    """
    return bind(library.load(SOURCE, "experiments.evaluation.svm.smo"))


def prove(path: PathSolver) -> None:
    """Raise ArithmeticError unless the steps, multipliers and offsets are those of SVC."""
    from sklearn.svm import SVC  # The child process that tries a library goes without it.

    for kernel, first, Cs, (coef, rho, steps, decisions) in _solved(path):
        n = len(kernel)
        for i, C in enumerate(Cs):
            svm = SVC(kernel="precomputed", C=C).fit(kernel, np.arange(n) >= first)
            theirs = np.zeros(n)
            theirs[svm.support_] = -svm.dual_coef_[0]  # SVC turns the signs of two classes.
            same = np.array_equal(coef[i], theirs) and rho[i] == svm.intercept_[0]
            if steps[i] not in (0, svm.n_iter_[0]) or not same:
                raise ArithmeticError(f"its solution at C = {C} is not that of SVC")
            if not np.array_equal(decisions[i] <= 0, svm.predict(kernel)):
                raise ArithmeticError(f"its predictions at C = {C} are not those of SVC")


def _solved(
    path: PathSolver,
) -> Iterator[tuple[NDArray, int, tuple[float, ...], tuple[NDArray, ...]]]:
    """Small fixed problems with their solutions.

    The last problem takes thousands of steps, and rows are shrunk and taken back on the way.
    """
    Cs = (2.0**-5, 2.0, 2.0**7)
    for n, first, gammas in ((12, 5, (0.1, 1.0, 8.0)), (150, 70, (0.3,))):
        points = np.cos(np.arange(1.0, 2 * n + 1) ** 2).reshape(n, 2)
        squared = ((points[:, None] - points) ** 2).sum(axis=2)
        for gamma in gammas:
            kernel, rows = np.exp(-gamma * squared), np.arange(n)
            yield kernel, first, Cs, path(kernel, rows, first, rows, Cs)


if __name__ == "__main__":
    with suppress(ImportError, ValueError, OSError):  # A crash here should leave no core file.
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    list(_solved(bind(ctypes.CDLL(sys.argv[1]))))
    print(library.PASSED)
