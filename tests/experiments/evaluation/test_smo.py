"""The compiled steps are those of libsvm, to the last bit."""

import ctypes
import platform
import shutil

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.svm import SVC

from experiments.evaluation.svm import build, smo

CS = tuple(2.0**p for p in (-5, -2, 1, 4, 7, 10))
# How scikit-learn's wheels round on other processors is not known.
HERE = shutil.which("cc") is not None and platform.machine().lower() in ("x86_64", "amd64")
compiled = pytest.mark.skipif(not HERE, reason="needs a C compiler, on x86-64")


@pytest.fixture(scope="module")
def path():
    build.compile_library()
    return smo.bind(ctypes.CDLL(str(build.library())))


def noise(n, d):
    """Labels are random: many multipliers meet C, and rows are shrunk and taken back."""
    return np.random.default_rng(0).standard_normal((n, d))


#: Points, gamma of their kernel, and the number of the first class. Equal rows have both labels:
#: pairs have no curvature, and candidates tie at every step.
PROBLEMS = {
    "two rows": (noise(2, 1), 1.0, 1),
    "one against all": (noise(30, 3), 0.5, 1),
    "few features": (noise(240, 2), 2.0, 100),
    "smooth kernel": (noise(150, 3), 0.01, 75),
    "kernel close to the identity": (noise(120, 40), 8.0, 60),
    "equal rows": (np.tile(noise(45, 4) > 0, (2, 1)).astype(float), 0.5, 40),
    "beyond a thousand": (noise(1100, 4), 0.5, 500),
}


@compiled
@pytest.mark.parametrize("problem", PROBLEMS)
def test_decisions_have_the_bits_of_libsvm(path, problem):
    X, gamma, first = PROBLEMS[problem]
    K, rows = np.exp(-gamma * squareform(pdist(X, "sqeuclidean"))), np.arange(len(X))
    train, test = np.r_[rows[:first], rows[first:][::-1]], rows[::2]
    Cs = CS if len(X) < 1000 else CS[:4]
    for C, decisions in zip(Cs, path(K, train, first, test, Cs), strict=True):
        svm = SVC(kernel="precomputed", C=C).fit(K[np.ix_(train, train)], rows >= first)
        theirs = svm.decision_function(K[np.ix_(test, train)])
        np.testing.assert_array_equal(decisions, -theirs)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A folder with the C source, in which nothing is compiled; the solver is chosen anew."""
    shutil.copy(build.SOURCE, tmp_path)
    monkeypatch.setattr(build, "SOURCE", tmp_path / "smo.c")
    yield tmp_path
    smo.solver.cache_clear()


@compiled
def test_the_compiled_steps_are_in_use_and_not_believed_if_the_last_bit_differs(path):
    with pytest.raises(ArithmeticError, match="not those of SVC"):
        smo.prove(lambda *arguments: np.nextafter(path(*arguments), 1))
    smo.solver.cache_clear()
    assert smo.solver() is not smo.public, (
        "libsvm in this scikit-learn takes other steps than smo.c, so SVM grids are slow; "
        "compare Solver in its svm.cpp with smo.c, and follow it"
    )


def test_without_a_library_or_with_a_damaged_one_svc_takes_its_place(elsewhere):
    for content in (None, b"", b"no"):
        words = "is not compiled" if content is None else r"smo\..*\.so"
        if content is not None:
            build.library().write_bytes(content)
        smo.solver.cache_clear()
        with pytest.warns(smo.SlowSVMWarning, match=words) as said:
            assert smo.solver() is smo.solver() is smo.public
        assert len(said) == 1
        assert "svm.build" in str(said[0].message)


@compiled
def test_each_source_has_a_library_of_its_own_and_a_compiler_that_fails_is_no_error(
    elsewhere, monkeypatch
):
    for compiler in ("no-such-compiler", "false"):
        monkeypatch.setenv("CC", compiler)
        assert "is not compiled, and SVC takes its place" in build.compile_library()
    monkeypatch.delenv("CC")
    assert build.compile_library().endswith(f"smo.c is compiled: {build.library()}")
    assert list(elsewhere.glob("*.so*")) == [build.library()]
    assert build.compile_library() == ""
    with build.SOURCE.open("a") as source:
        source.write("/* edited */")
    assert not build.library().exists()
