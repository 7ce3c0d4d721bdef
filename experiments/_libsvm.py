"""The dual problem of one kernel at several C, without the Python around libsvm.

At 50 training rows libsvm solves an SVM in some 30 microseconds, and the estimator around it takes
two milliseconds to check, copy and dress its arguments. This module calls the binding that
scikit-learn itself calls. The binding is private, so it is not trusted: on first use it must
reproduce :class:`sklearn.svm.SVC` bit by bit on small fixed problems. Where it is missing, has
another signature or another result, a warning says so once and the estimator does the work.
"""

import warnings
from collections.abc import Callable, Sequence
from functools import cache
from types import ModuleType

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

Solver = Callable[[NDArray, NDArray, NDArray, Sequence[float]], NDArray]


class SlowSVMWarning(RuntimeWarning):
    """The low-level binding of scikit-learn is not usable; results are the same, only slower."""


def predictions(
    K_train: NDArray, codes: NDArray, K_test: NDArray, Cs: Sequence[float]
) -> NDArray[np.float64]:
    """Predict the test rows by the SVM of each C.

    Parameters
    ----------
    K_train : ndarray (n_train, n_train)
        Kernel between the training rows, float64, C-contiguous.
    codes : ndarray (n_train,)
        Classes of the training rows as float64 0, 1, ..., each of them present, at least two.
    K_test : ndarray (n_test, n_train)
        Kernel between test and training rows, float64, C-contiguous.
    Cs : increasing sequence of floats > 0

    Returns
    -------
    ndarray (len(Cs), n_test)
        The predicted codes, those of ``SVC(kernel="precomputed", C=C)``.
    """
    return solver()(K_train, codes, K_test, Cs)


@cache
def solver() -> Solver:
    """The binding if it proves itself, else the public estimator."""
    try:
        binding = _binding()
        solve = _bind(binding)
        for problem in _problems():
            _prove(binding, solve, *problem)
    except Exception as error:  # a private interface may fail in any way at all
        warnings.warn(
            f"scikit-learn's low-level libsvm binding cannot be used ({error!r}); SVM grids fall "
            "back on SVC, with the same results and up to fifty times slower on small data",
            SlowSVMWarning,
            stacklevel=3,
        )
        return public
    return solve


def public(K_train: NDArray, codes: NDArray, K_test: NDArray, Cs: Sequence[float]) -> NDArray:
    """The same as :func:`predictions` by scikit-learn's public estimator: the reference."""
    svms = (SVC(kernel="precomputed", C=C).fit(K_train, codes) for C in Cs)
    return np.array([svm.predict(K_test) for svm in svms])


def _binding() -> ModuleType:
    from sklearn.svm import _libsvm

    return _libsvm


def _bind(binding: ModuleType) -> Solver:
    fit, predict, quiet = binding.fit, binding.predict, binding.set_verbosity_wrap

    def solve(K_train: NDArray, codes: NDArray, K_test: NDArray, Cs: Sequence[float]) -> NDArray:
        quiet(0)  # libsvm prints its progress until told not to; the estimator tells it each time
        predicted = np.empty((len(Cs), len(K_test)))
        # The whole kernel fits in the cache (float32 columns, in MB), or as much as is sensible.
        cache_size = min(200.0 + K_train.size * 4e-6, 2000.0)
        before = None
        for i, C in enumerate(Cs):
            support, vectors, counts, coef, intercept, prob_a, prob_b, _, n_iter = fit(
                K_train, codes, kernel="precomputed", C=C, cache_size=cache_size
            )
            # libsvm's own sum over the support vectors: a decision that is zero but for rounding
            # falls to the same side as in SVC, which a matrix product does not guarantee.
            predicted[i] = predict(
                K_test, support, vectors, counts, coef, intercept, prob_a, prob_b,
                kernel="precomputed",
            )  # fmt: skip
            # C enters only where a multiplier meets it. As many steps to the same bits under two
            # boxes: no multiplier met the larger one, so a box larger still changes nothing.
            model = (n_iter.tobytes(), coef.tobytes(), intercept.tobytes())
            if model == before:
                predicted[i + 1 :] = predicted[i]
                break
            before = model
        return predicted

    return solve


def _prove(
    binding: ModuleType,
    solve: Solver,
    K_train: NDArray,
    codes: NDArray,
    K_test: NDArray,
    Cs: Sequence[float],
) -> None:
    """Raise unless the binding gives the very multipliers, offsets and predictions of SVC."""
    for C in Cs:
        svm = SVC(kernel="precomputed", C=C).fit(K_train, codes)
        support, _, _, coef, intercept, *_ = binding.fit(K_train, codes, kernel="precomputed", C=C)
        sign = -1.0 if len(svm.classes_) == 2 else 1.0  # SVC turns the sign of two classes
        ours = (support, sign * coef, sign * intercept)
        theirs = (svm.support_, svm.dual_coef_, svm.intercept_)
        if not all(map(np.array_equal, ours, theirs)):
            raise ArithmeticError("its solution is not that of SVC")
    if not np.array_equal(solve(K_train, codes, K_test, Cs), public(K_train, codes, K_test, Cs)):
        raise ArithmeticError("its predictions are not those of SVC")


def _problems() -> list[tuple[NDArray, NDArray, NDArray, Sequence[float]]]:
    """Small fixed problems, two and three classes, with multipliers inside and at the bound."""
    points = np.cos(np.arange(1.0, 37.0) ** 2).reshape(18, 2)
    squared = ((points[:, None] - points) ** 2).sum(axis=2)
    codes = np.arange(12.0) % 3
    Cs = (2.0**-5, 2.0, 2.0**7, 2.0**13)
    kernels = [np.exp(-gamma * squared) for gamma in (0.1, 1.0, 8.0)]
    return [
        (K[:12, :12].copy(), y, K[12:, :12].copy(), Cs)
        for K in kernels
        for y in (np.minimum(codes, 1.0), codes)
    ]
