"""The SVMs of one kernel at several C, without the Python around libsvm.

With 50 training rows libsvm solves an SVM in some 30 microseconds, while the estimator around it
takes two milliseconds to check, copy and convert its arguments. With 2000 rows of few features
libsvm itself takes seconds, for millions of small steps. There are three ways to the same
predictions:

1. The module `smo` takes libsvm's steps in compiled code. It needs a C compiler.
2. scikit-learn's own low-level binding calls libsvm without the estimator.
3. :class:`sklearn.svm.SVC` is the public way, and the reference for the other two.

The first way depends on how libsvm computes, and the second is a private interface. So each of them
must reproduce SVC bit by bit on small fixed problems before its first use in a process; where it
does not, the next way does the work.
"""

import logging
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations
from types import ModuleType

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from experiments.evaluation.svm import smo
from experiments.evaluation.svm.library import NoCompiler

log = logging.getLogger(__name__)
_SLOWER = "the results are the same, but an SVM grid of few features takes several times longer"

#: (kernel, train, codes, test, Cs) -> predicted codes (len(Cs), len(test)): see :func:`solver`.
Solver = Callable[[NDArray, NDArray, NDArray, NDArray, Sequence[float]], NDArray]


class SlowSVMWarning(RuntimeWarning):
    """scikit-learn's low-level binding cannot be used: the results are the same, but slower."""


@cache
def solver() -> Solver:
    """The first of the three ways that is available and reproduces SVC.

    Returns
    -------
    callable (kernel, train, codes, test, Cs) -> predicted
        `kernel` (n, n) is float64, C-contiguous and symmetric, with diagonal 1. `train` (n_train,)
        and `test` (n_test,) are row numbers. `codes` (n_train,) holds the classes of the training
        rows as float64 0, 1, ...; there are at least two, and each occurs. `Cs` increases and is
        above 0. `predicted` (len(Cs), n_test) holds the codes that
        ``SVC(kernel="precomputed", C=C)`` predicts.
    """
    try:
        return compiled()
    except NoCompiler as error:
        log.info("%s: %s", error, _SLOWER)
    except Exception as error:  # It may fail to be compiled, to be loaded or to be right.
        log.warning("smo.c cannot stand in for scikit-learn's libsvm (%r): %s", error, _SLOWER)
    try:
        return bound()
    except Exception as error:  # A private interface may fail in any way.
        warnings.warn(
            f"scikit-learn's low-level libsvm binding cannot be used ({error!r}); SVM grids fall "
            "back on SVC, with the same results and up to fifty times slower on small data",
            SlowSVMWarning,
            stacklevel=3,
        )
    return public


def public(
    kernel: NDArray, train: NDArray, codes: NDArray, test: NDArray, Cs: Sequence[float]
) -> NDArray:
    """The predictions of scikit-learn's public estimator, which are the reference."""
    K_train, K_test = kernel[np.ix_(train, train)], kernel[np.ix_(test, train)]
    svms = (SVC(kernel="precomputed", C=C).fit(K_train, codes) for C in Cs)
    return np.array([svm.predict(K_test) for svm in svms])


def compiled() -> Solver:
    """The compiled steps, once they have reproduced SVC.

    Raises
    ------
    NoCompiler, Unusable
        If the library cannot be compiled or does not run.
    ArithmeticError
        If its results are not those of SVC.
    """
    path = smo.compiled()
    smo.prove(path)

    def solve(kernel, train, codes, test, Cs):
        # As in libsvm, pairs of classes vote, and the first class with the most votes is predicted.
        n_classes = int(codes.max()) + 1
        votes = np.zeros((n_classes, len(Cs), len(test)), dtype=np.intp)
        rows = [train[codes == code] for code in range(n_classes)]
        for a, b in combinations(range(n_classes), 2):
            pair = np.concatenate([rows[a], rows[b]])
            *_, decisions = path(kernel, pair, len(rows[a]), test, Cs)
            votes[a] += decisions > 0
            votes[b] += decisions <= 0
        return votes.argmax(axis=0).astype(np.float64)

    _prove(solve)
    return solve


def bound() -> Solver:
    """scikit-learn's private binding, once it has reproduced SVC.

    It raises whatever a binding raises that is missing or has changed, or an ArithmeticError.
    """
    binding = _binding()
    solve = _bind(binding)
    for problem in _problems():
        _prove_models(binding, *problem)
    _prove(solve)
    return solve


def _binding() -> ModuleType:
    from sklearn.svm import _libsvm

    return _libsvm


def _bind(binding: ModuleType) -> Solver:
    fit, predict, quiet = binding.fit, binding.predict, binding.set_verbosity_wrap

    def solve(kernel, train, codes, test, Cs):
        quiet(0)  # Without this libsvm prints its progress. The estimator also calls it each time.
        K_train, K_test = kernel[np.ix_(train, train)], kernel[np.ix_(test, train)]
        predicted = np.empty((len(Cs), len(K_test)))
        # In MB: the cache holds the whole kernel in float32, or 2 GB of it.
        cache_size = min(200.0 + K_train.size * 4e-6, 2000.0)
        before = None
        for i, C in enumerate(Cs):
            support, vectors, counts, coef, intercept, prob_a, prob_b, _, n_iter = fit(
                K_train, codes, kernel="precomputed", C=C, cache_size=cache_size
            )
            # libsvm sums over the support vectors here. A matrix product would add in another order
            # and could turn the sign of a decision that is zero but for rounding.
            predicted[i] = predict(
                K_test, support, vectors, counts, coef, intercept, prob_a, prob_b,
                kernel="precomputed",
            )  # fmt: skip
            # C enters only where a multiplier reaches it. If two values of C give the same bits in
            # as many steps, no multiplier reached the larger one, and still larger ones change
            # nothing.
            model = (n_iter.tobytes(), coef.tobytes(), intercept.tobytes())
            if model == before:
                predicted[i + 1 :] = predicted[i]
                break
            before = model
        return predicted

    return solve


def _prove_models(
    binding: ModuleType, kernel: NDArray, train: NDArray, codes: NDArray, _, Cs: Sequence[float]
) -> None:
    """Raise ArithmeticError unless the multipliers and offsets of the binding are those of SVC."""
    K_train = kernel[np.ix_(train, train)]
    for C in Cs:
        svm = SVC(kernel="precomputed", C=C).fit(K_train, codes)
        support, _, _, coef, intercept, *_ = binding.fit(K_train, codes, kernel="precomputed", C=C)
        sign = -1.0 if len(svm.classes_) == 2 else 1.0  # SVC turns the signs of two classes.
        ours = (support, sign * coef, sign * intercept)
        theirs = (svm.support_, svm.dual_coef_, svm.intercept_)
        if not all(map(np.array_equal, ours, theirs)):
            raise ArithmeticError("its solution is not that of SVC")


def _prove(solve: Solver) -> None:
    """Raise ArithmeticError unless the predictions are those of SVC."""
    for problem in _problems():
        if not np.array_equal(solve(*problem), public(*problem)):
            raise ArithmeticError("its predictions are not those of SVC")


def _problems() -> list[tuple[NDArray, NDArray, NDArray, NDArray, Sequence[float]]]:
    """Small fixed problems of two and three classes, with free and bounded multipliers."""
    points = np.cos(np.arange(1.0, 37.0) ** 2).reshape(18, 2)
    squared = ((points[:, None] - points) ** 2).sum(axis=2)
    train, test, codes = np.arange(12), np.arange(12, 18), np.arange(12.0) % 3
    Cs = (2.0**-5, 2.0, 2.0**7, 2.0**13)
    return [
        (np.exp(-gamma * squared), train, y, test, Cs)
        for gamma in (0.1, 1.0, 8.0)
        for y in (np.minimum(codes, 1.0), codes)
    ]
