"""The compiled steps are those of libsvm, to the last bit."""

import platform
import shutil

import numpy as np
import pytest
from sklearn.svm import SVC

from experiments.evaluation.svm import libsvm, smo

CS = tuple(2.0**p for p in (-5, -2, 1, 4, 7, 10))
# How scikit-learn's wheels round on other processors is not known.
HERE = shutil.which("cc") is not None and platform.machine().lower() in ("x86_64", "amd64")
compiled = pytest.mark.skipif(not HERE, reason="needs a C compiler, on x86-64")


@pytest.fixture(scope="module")
def path():
    return smo.compiled()


def kernel(X, gamma):
    return np.exp(-gamma * ((X[:, None] - X) ** 2).sum(axis=2))


def noise(n, d, seed=0):
    """Labels are random: many multipliers meet C, and rows are shrunk and taken back."""
    return np.random.default_rng(seed).standard_normal((n, d))


def discrete():
    """Equal rows have both labels: pairs have no curvature, and candidates tie at every step."""
    X = np.random.default_rng(1).integers(0, 2, (90, 4)).astype(float)
    X[45:] = X[:45]
    return X


PROBLEMS = {
    "two rows": (noise(2, 1), 1.0, 1),
    "one against all": (noise(30, 3), 0.5, 1),
    "few features": (noise(240, 2), 2.0, 100),
    "smooth kernel": (noise(150, 3, seed=2), 0.01, 75),
    "kernel close to the identity": (noise(120, 40), 8.0, 60),
    "equal rows": (discrete(), 0.5, 40),
    "beyond a thousand": (noise(1100, 4, seed=3), 0.5, 500),
}


@compiled
@pytest.mark.parametrize("problem", PROBLEMS)
def test_steps_multipliers_and_decisions_have_the_bits_of_libsvm(path, problem):
    X, gamma, first = PROBLEMS[problem]
    K, rows = kernel(X, gamma), np.arange(len(X))
    train, test = np.r_[rows[:first], rows[first:][::-1]], rows[::2]
    Cs = CS if len(X) < 1000 else CS[:4]
    coef, rho, steps, decisions = path(K, train, first, test, Cs)
    for i, C in enumerate(Cs):
        svm = SVC(kernel="precomputed", C=C).fit(K[np.ix_(train, train)], rows >= first)
        theirs = np.zeros(len(X))
        theirs[svm.support_] = -svm.dual_coef_[0]
        np.testing.assert_array_equal(coef[i], theirs)
        assert rho[i] == svm.intercept_[0]
        np.testing.assert_array_equal(decisions[i] <= 0, svm.predict(K[np.ix_(test, train)]))
        assert steps[i] in (0, svm.n_iter_[0])
        # Steps are left out only where no multiplier was at the smaller C.
        assert steps[i] > 0 or (np.abs(coef[i]) < Cs[i - 1]).all()


@compiled
def test_c_that_has_ceased_to_matter_costs_no_step(path):
    K, rows = kernel(noise(40, 30), 1.0), np.arange(40)
    *_, steps, _ = path(K, rows, 20, rows, CS)
    assert steps[0] > 0
    assert (steps[-2:] == 0).all()


@compiled
def test_a_kernel_in_another_order_is_refused(path):
    with pytest.raises(TypeError, match="C order"):
        path(np.asfortranarray(np.eye(4)), np.arange(4), 2, np.arange(4), CS)


@compiled
@pytest.mark.parametrize("wrong", range(4), ids=["coef", "rho", "steps", "decisions"])
def test_what_differs_from_svc_is_not_believed(wrong, path):
    def other(*arguments):
        found = list(path(*arguments))
        found[wrong] = found[wrong] + np.full_like(found[wrong], 1) * 2.0**-30
        if wrong == 2:
            found[wrong] = found[wrong] + 1
        if wrong == 3:
            found[wrong] = -found[wrong]
        return tuple(found)

    with pytest.raises(ArithmeticError, match="not th"):
        smo.prove(other)


@compiled
def test_the_compiled_steps_are_in_use():
    try:
        solve = libsvm.compiled()
    except Exception as error:
        pytest.fail(
            f"{error!r}: libsvm in this scikit-learn takes other steps than smo.c, so "
            "SVM grids are right but slow; compare Solver in its svm.cpp with smo.c, and follow it"
        )
    libsvm.solver.cache_clear()
    assert libsvm.solver().__qualname__ == solve.__qualname__
