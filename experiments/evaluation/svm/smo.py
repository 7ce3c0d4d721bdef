"""Solve the SVMs of one kernel at several C, by the compiled steps of libsvm or by SVC.

With 50 training rows, libsvm solves an SVM in about 30 microseconds, but the estimator around it
takes two milliseconds to check its arguments. `smo.c` takes the same steps, to the last bit, in a
half to a fifth of libsvm's time. A process uses the library, compiled by `build`, only after it has
reproduced the decisions of :class:`sklearn.svm.SVC` on small fixed problems. Otherwise SVC itself
is used, with the same results.
"""

import ctypes
import warnings
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from experiments.evaluation.svm import build

#: libsvm stops at this violation of the optimality conditions: the default of SVC.
TOLERANCE = 1e-3

#: (kernel, train, first, test, Cs) -> decisions (len(Cs), len(test)): see :func:`bind`.
PathSolver = Callable[[NDArray, NDArray, int, NDArray, Sequence[float]], NDArray]
#: (kernel, train, codes, test, Cs) -> predicted codes (len(Cs), len(test)): see :func:`solver`.
Solver = Callable[[NDArray, NDArray, NDArray, NDArray, Sequence[float]], NDArray]


class SlowSVMWarning(RuntimeWarning):
    """Warns that the compiled steps cannot be used; results are the same, but slower."""


@cache
def solver() -> Solver:
    """Return the compiled steps, or SVC with a warning if they are missing or differ from it.

    Returns
    -------
    callable (kernel, train, codes, test, Cs) -> predicted
        `kernel` (n, n) is float64, C-contiguous and symmetric, with diagonal 1. `train` (n_train,)
        and `test` (n_test,) are row numbers. `codes` (n_train,) are the classes of the training
        rows as ints 0, 1, ...; there are at least two, and each occurs. `Cs` are increasing and
        above 0. `predicted` (len(Cs), n_test) are the codes that
        ``SVC(kernel="precomputed", C=C)`` predicts.
    """
    library = build.library()
    reason = f"{build.SOURCE.name} is not compiled"
    if library.exists():
        try:
            path = bind(ctypes.CDLL(str(library)))
            prove(path)
            return partial(vote, path)
        except (OSError, AttributeError, ArithmeticError) as error:
            reason = f"{library}: {error}"
    warnings.warn(
        f"SVM grids are computed by SVC ({reason}), with the same results, but up to fifty times "
        "slower on small data; compile smo.c by python -m experiments.evaluation.svm.build",
        SlowSVMWarning,
        stacklevel=2,
    )
    return public


def public(
    kernel: np.ndarray, train: np.ndarray, codes: np.ndarray, test: np.ndarray, Cs: Sequence[float]
) -> NDArray:
    """Return the predictions of scikit-learn's estimator, the reference."""
    K_train = kernel[np.ix_(train, train)]
    K_test = kernel[np.ix_(test, train)]
    predicted = []
    for C in Cs:
        svm = SVC(kernel="precomputed", C=C).fit(K_train, codes)
        predicted.append(svm.predict(K_test))
    return np.array(predicted)


def vote(
    path: PathSolver,
    kernel: np.ndarray,
    train: np.ndarray,
    codes: np.ndarray,
    test: np.ndarray,
    Cs: Sequence[float],
) -> NDArray:
    """Predict by the compiled steps: the first class with the most votes over all pairs."""
    n_classes = codes.max() + 1
    rows = [train[codes == code] for code in range(n_classes)]
    votes = np.zeros((n_classes, len(Cs), len(test)), dtype=np.intp)
    for first, second in combinations(range(n_classes), 2):
        both = np.concatenate([rows[first], rows[second]])
        decisions = path(kernel, both, len(rows[first]), test, Cs)
        votes[first] += decisions > 0
        votes[second] += decisions <= 0
    return votes.argmax(axis=0)


def bind(compiled: ctypes.CDLL) -> PathSolver:
    """Wrap the compiled function so that it takes and returns arrays.

    Returns
    -------
    callable (kernel, train, first, test, Cs) -> decisions
        As of :func:`solver`, but the first `first` rows of `train` are one class, and the others
        are the other class. `decisions` (len(Cs), n_test) are above 0 for the first class.
    """
    function = compiled.smo_path
    array = ctypes.c_void_p
    number = ctypes.c_int
    function.restype = number
    function.argtypes = [
        *(array, ctypes.c_int64, array, number, number, array, number),
        *(array, number, ctypes.c_double, array, array, array, array),
    ]

    def path(
        kernel: np.ndarray, train: np.ndarray, first: int, test: np.ndarray, Cs: Sequence[float]
    ) -> NDArray:
        if kernel.dtype != np.float64 or not kernel.flags.c_contiguous:
            raise TypeError("the kernel must be float64 in C order")
        train = np.ascontiguousarray(train, dtype=np.int64)
        test = np.ascontiguousarray(test, dtype=np.int64)
        costs = np.array(Cs, dtype=np.float64)
        coef = np.empty((len(costs), len(train)))
        rho = np.empty(len(costs))
        steps = np.empty(len(costs), np.int32)
        decisions = np.empty((len(costs), len(test)))
        failed = function(
            *(kernel.ctypes.data, kernel.shape[1], train.ctypes.data, len(train), first),
            *(test.ctypes.data, len(test), costs.ctypes.data, len(costs), TOLERANCE),
            *(coef.ctypes.data, rho.ctypes.data, steps.ctypes.data, decisions.ctypes.data),
        )
        if failed:
            raise MemoryError(f"an SVM on {len(train)} rows needs {8 * len(train) ** 2:,} bytes")
        return decisions

    return path


def prove(path: PathSolver) -> None:
    """Raise an ArithmeticError if a decision on small problems differs from SVC's in any bit.

    The largest problem takes thousands of steps, during which rows are shrunk and restored.
    """
    for n, first, gammas, Cs in (
        (18, 7, (0.1, 1.0, 8.0), (2.0**-5, 2.0, 2.0**7, 2.0**13)),
        (150, 70, (0.3,), (2.0**-5, 2.0, 2.0**7)),
    ):
        rows = np.arange(n)
        points = np.cos(np.arange(1.0, 2 * n + 1) ** 2).reshape(n, 2)
        squared = ((points[:, None] - points) ** 2).sum(axis=2)
        for gamma in gammas:
            kernel = np.exp(-gamma * squared)
            for C, decisions in zip(Cs, path(kernel, rows, first, rows, Cs), strict=True):
                svm = SVC(kernel="precomputed", C=C).fit(kernel, rows >= first)
                # The decisions of SVC are above 0 for the second of two classes.
                if not np.array_equal(decisions, -svm.decision_function(kernel)):
                    raise ArithmeticError(f"the decisions at C = {C} are not those of SVC")
