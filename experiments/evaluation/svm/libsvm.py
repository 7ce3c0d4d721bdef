"""The SVMs of one kernel at several C, without the Python around libsvm.

At 50 training rows libsvm solves an SVM in some 30 microseconds, and the estimator around it takes
two milliseconds to check, copy and dress its arguments; at 2000 rows of few features libsvm itself
takes seconds, for millions of small steps. There are three ways to the same predictions:

1. The module `smo` beside this one takes libsvm's steps in compiled code; it needs a C compiler.
2. The binding that scikit-learn itself calls: libsvm without the estimator.
3. :class:`sklearn.svm.SVC`, the public way, and what the others are measured by.

The first rests on how libsvm computes and the second is private, so neither is trusted: on first
use each must reproduce SVC bit by bit on small fixed problems, or the next one does the work.
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

log = logging.getLogger(__name__)

#: (kernel, train, codes, test, Cs) -> predicted codes (len(Cs), len(test)): see :func:`solver`.
Solver = Callable[[NDArray, NDArray, NDArray, NDArray, Sequence[float]], NDArray]


class SlowSVMWarning(RuntimeWarning):
    """The low-level binding of scikit-learn is not usable; results are the same, only slower."""


@cache
def solver() -> Solver:
    """The first of the three ways that is there and proves itself.

    Returns
    -------
    callable (kernel, train, codes, test, Cs) -> predicted
        `kernel` (n, n), float64, C-contiguous, symmetric, its diagonal 1; `train` (n_train,) and
        `test` (n_test,) rows of it; `codes` (n_train,) the classes of the training rows as float64
        0, 1, ..., each of them present, at least two; `Cs` increasing, above 0. `predicted`
        (len(Cs), n_test) holds the codes that ``SVC(kernel="precomputed", C=C)`` predicts.
    """
    try:
        return compiled()
    except smo.NoCompiler as error:
        log.info("%s: SVM grids take libsvm's own time, several times more at few features", error)
    except Exception as error:  # whatever keeps it from being compiled, loaded or right
        log.warning(
            "smo.c cannot stand in for this scikit-learn's libsvm (%r): SVM grids "
            "take libsvm's own time, several times more at few features",
            error,
        )
    try:
        return bound()
    except Exception as error:  # a private interface may fail in any way at all
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
    """The predictions by scikit-learn's public estimator: the reference."""
    K_train, K_test = kernel[np.ix_(train, train)], kernel[np.ix_(test, train)]
    svms = (SVC(kernel="precomputed", C=C).fit(K_train, codes) for C in Cs)
    return np.array([svm.predict(K_test) for svm in svms])


def compiled() -> Solver:
    """Our own compiled steps, proven; raises where they are not to be had or not right."""
    path = smo.bind(smo.compiled())
    smo.prove(path)

    def solve(kernel, train, codes, test, Cs):
        # One against one, as libsvm has it: the first class of those with the most votes.
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
    """scikit-learn's private binding, proven; raises where it is missing or has changed."""
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
        quiet(0)  # libsvm prints its progress until told not to; the estimator tells it each time
        K_train, K_test = kernel[np.ix_(train, train)], kernel[np.ix_(test, train)]
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


def _prove_models(
    binding: ModuleType, kernel: NDArray, train: NDArray, codes: NDArray, _, Cs: Sequence[float]
) -> None:
    """Raise unless the binding gives the very multipliers and offsets of SVC."""
    K_train = kernel[np.ix_(train, train)]
    for C in Cs:
        svm = SVC(kernel="precomputed", C=C).fit(K_train, codes)
        support, _, _, coef, intercept, *_ = binding.fit(K_train, codes, kernel="precomputed", C=C)
        sign = -1.0 if len(svm.classes_) == 2 else 1.0  # SVC turns the sign of two classes
        ours = (support, sign * coef, sign * intercept)
        theirs = (svm.support_, svm.dual_coef_, svm.intercept_)
        if not all(map(np.array_equal, ours, theirs)):
            raise ArithmeticError("its solution is not that of SVC")


def _prove(solve: Solver) -> None:
    """Raise unless its predictions are those of SVC."""
    for problem in _problems():
        if not np.array_equal(solve(*problem), public(*problem)):
            raise ArithmeticError("its predictions are not those of SVC")


def _problems() -> list[tuple[NDArray, NDArray, NDArray, NDArray, Sequence[float]]]:
    """Small fixed problems, two and three classes, with multipliers inside and at the bound."""
    points = np.cos(np.arange(1.0, 37.0) ** 2).reshape(18, 2)
    squared = ((points[:, None] - points) ** 2).sum(axis=2)
    train, test, codes = np.arange(12), np.arange(12, 18), np.arange(12.0) % 3
    Cs = (2.0**-5, 2.0, 2.0**7, 2.0**13)
    return [
        (np.exp(-gamma * squared), train, y, test, Cs)
        for gamma in (0.1, 1.0, 8.0)
        for y in (np.minimum(codes, 1.0), codes)
    ]
