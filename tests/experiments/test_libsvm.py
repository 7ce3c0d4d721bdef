"""scikit-learn's low-level libsvm binding is in use, and its absence changes no result."""

import types
import warnings

import numpy as np
import pytest
from sklearn.svm import SVC
from sklearn.svm import _libsvm as binding

from experiments import _libsvm
from experiments.svm import fold_accuracies


def accuracies():
    """Those of a small grid on half of 40 samples, of which 8 features of 30 are used."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.standard_normal((40, 30)) + 0.5 * y[:, None]
    train, test = np.arange(20), np.arange(20, 40)
    grid = {"Cs": (2.0**-5, 2.0, 2.0**7, 2.0**13), "gammas": (2.0**-9, 2.0**-3)}
    return fold_accuracies(X, y, np.arange(30), [2, 8], train, test, **grid)


@pytest.fixture
def unproven():
    """Let the binding be chosen anew in a test, and again after it."""
    _libsvm.solver.cache_clear()
    yield
    _libsvm.solver.cache_clear()


def test_the_binding_is_in_use(unproven):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solve = _libsvm.solver()
    assert solve is not _libsvm.public, "scikit-learn's binding has changed: grids are slow now"


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
def test_a_binding_that_fails_is_said_once_and_replaced(broken, monkeypatch, unproven):
    expected = accuracies()
    monkeypatch.setattr(_libsvm, "_binding", broken)
    _libsvm.solver.cache_clear()
    with pytest.warns(_libsvm.SlowSVMWarning, match="fall back on SVC") as said:
        got = accuracies()
    assert len(said) == 1
    assert _libsvm.solver() is _libsvm.public
    np.testing.assert_array_equal(got, expected)


def test_libsvm_is_quiet(capfd):
    accuracies()  # proves the binding, if that was not done before
    SVC(verbose=True).fit([[0.0], [1.0]], [0, 1])
    assert capfd.readouterr().out, "libsvm was to be talkative here"
    accuracies()
    assert capfd.readouterr().out == ""
