"""The SVM grid gives the accuracies of scikit-learn, and the compiled steps the bits of libsvm."""

import ctypes
import platform
import shutil
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.svm import SVC

from experiments.evaluation.division import Division
from experiments.evaluation.svm import build, smo
from experiments.evaluation.svm.evaluators import LogisticGrid, Subsets
from experiments.evaluation.svm.grid import (
    PAPER_CS,
    PAPER_GAMMAS,
    best_cell,
    cv_accuracies,
    refit_accuracies,
)

SMALL: dict[str, Any] = {"Cs": (2.0**-5, 2.0, 2.0**7), "gammas": (2.0**-9, 2.0**-3, 2.0**3)}


def continuous(n=40):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    return rng.standard_normal((n, 30)) + 0.7 * y[:, None] * (np.arange(30) < 5), y


def ternary():
    """Rows are equal, some with different labels, and distances tie."""
    rng = np.random.default_rng(1)
    X = 2.0 * rng.integers(-1, 2, (36, 20))
    X[20:] = X[:16]
    return X, rng.integers(0, 2, 36)


def three_classes():
    y = np.arange(45) % 3
    X = continuous(45)[0] + y[:, None] * (np.arange(30) < 4)
    return X, np.array(["b", "c", "a"])[y]


def ten_classes():
    """Classes of unequal size, whose votes often tie."""
    X = np.random.default_rng(6).normal(size=(60, 8))
    y = np.concatenate([np.arange(10).repeat(3), np.arange(30) % 4])
    return X + 0.4 * y[:, None] * (np.arange(8) < 3), y


def balanced_identity():
    """With the identity as kernel and balanced classes, decisions are zero but for rounding."""
    return np.arange(24.0).reshape(-1, 1) * [100.0, 37.0], np.arange(24) % 2


PROBLEMS = {
    "continuous, five folds": (continuous, [3, 30], StratifiedKFold(4)),
    "equal rows with both labels": (ternary, [1, 2, 20], StratifiedKFold(4)),
    "three classes": (three_classes, [2, 30], StratifiedKFold(3)),
    "ten classes": (ten_classes, [2, 8], StratifiedKFold(3)),
    "identity, balanced": (balanced_identity, [1, 2], KFold(6)),
}


def problem(name):
    """X, y, an order of the features, sizes and folds."""
    make, sizes, splitter = PROBLEMS[name]
    X, y = make()
    return X, y, np.random.default_rng(9).permutation(X.shape[1]), sizes, [*splitter.split(X, y)]


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_cell_is_that_of_grid_search(name):
    """On every other line of the paper's grid, its corners among them; three classes have all.

    So is the best cell. GridSearchCV takes the first of tied means, whose last digits depend on how
    it adds.
    """
    step = 1 if name == "three classes" else 2
    Cs, gammas = PAPER_CS[::step], PAPER_GAMMAS[::step]
    X, y, order, sizes, folds = problem(name)
    ours = cv_accuracies(X, y, order, sizes, folds, Cs=Cs, gammas=gammas)
    for s, size in enumerate(sizes):
        search = GridSearchCV(SVC(), {"C": Cs, "gamma": gammas}, cv=folds, refit=False)
        found = search.fit(X[:, order[:size]], y).cv_results_
        theirs = [found[f"split{k}_test_score"] for k in range(len(folds))]
        np.testing.assert_array_equal(ours[:, s].reshape(len(folds), -1), theirs)
        i, j = best_cell(ours[:, s].mean(axis=0))
        best = found["params"][int(found["mean_test_score"].round(9).argmax())]
        assert {"C": Cs[i], "gamma": gammas[j]} == best


@pytest.mark.parametrize("name", PROBLEMS)
def test_both_ways_to_an_svm_and_one_fit_for_both_rows_give_the_same(name, monkeypatch):
    X, y, order, sizes, folds = problem(name)
    train, test = folds[0]
    folds = [*folds, (train, train)]
    expected = cv_accuracies(X, y, order, sizes, folds, **SMALL)
    both = refit_accuracies(X, y, order, sizes, train, test, **SMALL)
    np.testing.assert_array_equal(both, expected[[0, -1]])
    cells = best_cell(both[0])
    at = (slice(None), np.arange(len(sizes)), *cells)
    alone = np.array(refit_accuracies(X, y, order, sizes, train, test, **SMALL, cells=cells))
    np.testing.assert_array_equal(alone[at], expected[[0, -1]][at])
    assert np.isfinite(alone).sum() == 2 * len(sizes)
    monkeypatch.setattr(smo, "solver", lambda: smo.public)
    np.testing.assert_array_equal(cv_accuracies(X, y, order, sizes, folds, **SMALL), expected)


@pytest.mark.parametrize("make", [continuous, three_classes])
def test_logistic_regression_gives_the_accuracies_of_grid_search(make):
    X, y = make()
    folds, order = list(StratifiedKFold(3).split(X, y)), np.arange(30)[::-1]
    train, test = folds[0]
    rows = Division(train, train, test, [(train[i], train[j]) for i, j in KFold(3).split(train)])
    found = LogisticGrid((2, 30), (-3, 1), (0,)).accuracies(Subsets(X, y, order, [2, 30]), rows)
    for i, size in enumerate((2, 30)):
        part = X[:, order[:size]]
        search = GridSearchCV(LogisticRegression(), {"C": [2.0**-3, 2.0]}, cv=KFold(3))
        means = search.fit(part[train], y[train]).cv_results_["mean_test_score"]
        np.testing.assert_allclose(found["validation"][i, :, 0], means)
        assert search.score(part[test], y[test]) in found["test"][i]


def test_the_order_of_the_grid_does_not_matter_and_huge_values_are_far_apart():
    X, y = continuous()
    given = (y, np.arange(30), [2, 30], list(StratifiedKFold(3).split(X, y)))
    turned = cv_accuracies(X, *given, Cs=PAPER_CS[::-1], gammas=PAPER_GAMMAS[::-1])
    np.testing.assert_array_equal(turned[..., ::-1, ::-1], cv_accuracies(X, *given))
    assert np.isfinite(cv_accuracies(1e200 * X, *given, **SMALL)).all()
    # One class in training is what is predicted.
    y[:24] = [1] * 23 + [0]
    one = cv_accuracies(X, y, np.arange(30), [1, 5], [(np.arange(20), np.arange(20, 24))])
    np.testing.assert_array_equal(one, 0.75)


def test_the_first_of_tied_cells_is_best():
    means = np.array([[0.5, 0.8, 0.8], [0.8, 0.8, 0.1]])
    assert best_cell(means) == (0, 1)
    means[1, 2] = 0.8 + 1e-15  # This is the same mean, added up in another order.
    assert best_cell(means) == (0, 1)
    i, j = best_cell(np.stack([means, means[::-1]]))
    np.testing.assert_array_equal([i, j], [[0, 0], [1, 0]])


@pytest.mark.parametrize(("changed", "says"), [
    *(({"sizes": sizes}, "increase from 1") for sizes in ([0, 3], [3, 2])),
    ({"sizes": [3, 31]}, r"0\.\.30; got 3\.\.31"), ({"X": np.full((40, 30), np.nan)}, "NaN"),
    ({"order": np.zeros(30, dtype=int)}, "at most once"), ({"y": np.zeros(39)}, r"\[40, 39\]"),
    ({"folds": [(np.arange(40), np.array([40]))]}, r"0\.\.39"),
    ({"folds": [(np.ones(40, dtype=bool), np.arange(5))]}, "row numbers"),
    ({"Cs": [0.0]}, "Cs and gammas must be finite numbers above 0"),
])  # fmt: skip
def test_what_is_wrong_is_said(changed, says):
    X, y = continuous()
    given = {"order": np.arange(30), "sizes": [2, 5], "folds": [(np.arange(30), np.arange(30, 40))]}
    with pytest.raises(ValueError, match=says):
        cv_accuracies(**{"X": X, "y": y, **given, **changed})


# The compiled steps

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
KERNELS = {
    "two rows": (noise(2, 1), 1.0, 1),
    "one against all": (noise(30, 3), 0.5, 1),
    "few features": (noise(240, 2), 2.0, 100),
    "smooth kernel": (noise(150, 3), 0.01, 75),
    "kernel close to the identity": (noise(120, 40), 8.0, 60),
    "equal rows": (np.tile(noise(45, 4) > 0, (2, 1)).astype(float), 0.5, 40),
    "beyond a thousand": (noise(1100, 4), 0.5, 500),
}


@compiled
@pytest.mark.parametrize("name", KERNELS)
def test_decisions_have_the_bits_of_libsvm(path, name):
    X, gamma, first = KERNELS[name]
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
