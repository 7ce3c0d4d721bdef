"""There are three ways to one SVM. If one fails, the next is used, with the same results."""

import logging
import types
import warnings

import numpy as np
import pytest
from sklearn.svm import SVC
from sklearn.svm import _libsvm as binding

from experiments.evaluation.svm import libsvm, smo
from experiments.evaluation.svm.grid import fold_accuracies


def accuracies():
    """Test accuracies of a small grid: 20 training and 20 test rows, 2 and 8 of 30 features."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.standard_normal((40, 30)) + 0.5 * y[:, None]
    train, test = np.arange(20), np.arange(20, 40)
    grid = {"Cs": (2.0**-5, 2.0, 2.0**7, 2.0**13), "gammas": (2.0**-9, 2.0**-3)}
    return fold_accuracies(X, y, np.arange(30), [2, 8], train, test, **grid)


@pytest.fixture
def unproven():
    """The way is chosen anew in a test, and once more after it."""
    libsvm.solver.cache_clear()
    yield
    libsvm.solver.cache_clear()


@pytest.fixture
def no_compiler(monkeypatch, unproven):
    monkeypatch.setenv("CC", "no-such-compiler")


def test_the_binding_can_be_used():
    try:
        libsvm.bound()
    except Exception as error:
        pytest.fail(
            f"{error!r}: scikit-learn's low-level libsvm binding has changed, so that without a C "
            "compiler SVM grids are right but slow; adapt _bind in svm/libsvm.py to it"
        )


def test_without_a_compiler_the_binding_is_in_use(no_compiler, caplog):
    caplog.set_level(logging.INFO)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solve = libsvm.solver()
    assert solve.__qualname__ == libsvm.bound().__qualname__
    assert "no C compiler" in caplog.text


def test_compiled_steps_that_are_not_libsvms_are_said_and_replaced(monkeypatch, unproven, caplog):
    expected = accuracies()

    def other_steps(path):
        raise ArithmeticError("its solution is not that of SVC")

    monkeypatch.setattr(smo, "compiled", lambda: None)
    monkeypatch.setattr(smo, "prove", other_steps)
    libsvm.solver.cache_clear()
    np.testing.assert_array_equal(accuracies(), expected)
    assert libsvm.solver().__qualname__ == libsvm.bound().__qualname__
    assert "cannot stand in" in caplog.text


def absent():
    raise ImportError("no such binding")


def like_the_binding(fit):
    return types.SimpleNamespace(
        fit=fit, predict=binding.predict, set_verbosity_wrap=binding.set_verbosity_wrap
    )


def other_signature():
    return like_the_binding(lambda X, Y: binding.fit(X, Y))


def other_result():
    return like_the_binding(lambda X, Y, **given: binding.fit(X, Y, **given | {"tol": 1e-2}))


@pytest.mark.parametrize("broken", [absent, other_signature, other_result])
def test_a_binding_that_fails_is_said_once_and_replaced(broken, monkeypatch, no_compiler):
    expected = accuracies()
    monkeypatch.setattr(libsvm, "_binding", broken)
    libsvm.solver.cache_clear()
    with pytest.warns(libsvm.SlowSVMWarning, match="fall back on SVC") as said:
        got = accuracies()
    assert len(said) == 1
    assert libsvm.solver() is libsvm.public
    np.testing.assert_array_equal(got, expected)


def test_libsvm_is_quiet(capfd, no_compiler):
    accuracies()  # The first use of the binding tries it.
    SVC(verbose=True).fit([[0.0], [1.0]], [0, 1])
    assert capfd.readouterr().out, "libsvm was to be talkative here"
    accuracies()
    assert capfd.readouterr().out == ""
