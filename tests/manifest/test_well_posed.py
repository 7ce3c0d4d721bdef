"""A score that is not unique or is rounding is told; else no order, unit or coding moves it."""

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from manifest import (
    AmbiguousScoreWarning,
    HiddenPairWarning,
    MeanNotConvergedWarning,
    UninformativeScoreWarning,
    manifest_score,
    operators,
)
from manifest.kernels import class_kernel
from manifest.linalg import EPS
from manifest.regularized import FLOOR, regularization
from manifest.spd import mean_and_difference
from manifest.trust import SHARE, magnitude_of, pending_warnings, rounding_of
from tests.manifest.test_input import FLAT
from tests.oracle import classes


def ternary():
    """So few ternary samples that a class has features in common by chance, many times."""
    return np.random.default_rng(0).integers(-1, 2, (10, 300)).astype(float), np.arange(10) % 2


def toy():
    """The paper's toy example (b): y is f1 and f5 is constant, so that kernels are singular."""
    X = np.random.default_rng(0).integers(0, 2, (200, 20)).astype(float)
    X[:, 4] = 0
    return X, X[:, 0].astype(int)


@pytest.mark.parametrize(("data", "geometry", "in_order", "as_coded"), [
    (classes, "spd", True, True), (classes, "spsd", True, True),
    (toy, "regularized", True, True), (ternary, "regularized", True, True),
    (toy, "spsd", True, False), (ternary, "spsd", False, False),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore::manifest.AmbiguousScoreWarning")
def test_one_coding_and_one_order_are_enough_but_for_algorithm_2_on_singular_kernels(
    data, geometry, in_order, as_coded
):
    """``Log_M(K2) = -Log_M(K1)``, and D of permuted kernels is the permuted D.

    Algorithm 2 has D on the range of the first kernel. Where directions of both ranges are
    orthogonal, nothing but rounding says how to pair them.
    """
    X, y = data()
    order = np.random.default_rng(1).permutation(X.shape[1])
    score = manifest_score(X, y, geometry=geometry)
    permuted = manifest_score(X[:, order], y, geometry=geometry)
    exchanged = manifest_score(X, 1 - y, geometry=geometry)
    for change, is_unique in ((permuted - score[order], in_order), (exchanged - score, as_coded)):
        moved = np.abs(change).max() / score.max()
        assert moved < 1e-6 if is_unique else moved > 1e-3


@pytest.mark.parametrize("copies", [1, 3])
def test_duplicates_in_either_class_leave_orthogonal_directions(copies):
    """A pair of equal features in class 1 takes e_i - e_j from its range; another pair, in class 2,
    another direction: the two are orthogonal, and nothing says how to turn one into the other."""
    X, y = np.random.default_rng(0).normal(size=(60, 30)), np.arange(60) % 2
    X[y == 0, :copies] = X[y == 0, 10 : 10 + copies]
    one_sided = operators(X, y, geometry="spsd")
    assert one_sided.rank == 30 - copies
    assert one_sided.n_ambiguous == 0

    X[y == 1, 20 : 20 + copies] = X[y == 1, 25 : 25 + copies]
    with pytest.warns(AmbiguousScoreWarning, match="coding of the classes") as caught:
        both = operators(X, y, geometry="spsd")
    told: Any = caught[0].message
    assert (told.n_orthogonal, told.rank, told.n_features) == (copies, 30 - copies, 30)
    assert both.rank == 30 - copies
    assert np.isclose(both.principal_angles, np.pi / 2).sum() == both.n_ambiguous == copies


@pytest.mark.parametrize(("sizes", "d"), [((10, 10), 120), ((5, 20, 40), 60)])
def test_regularization_lifts_the_smallest_eigenvalue_of_all_kernels_to_the_floor(sizes, d):
    rng = np.random.default_rng(0)
    kernels = [class_kernel(rng.normal(size=(n, d)), n, scale_factor=2)[0] for n in sizes]
    delta = regularization(*kernels)
    lowest = min(np.linalg.eigvalsh(K)[0] for K in kernels)
    assert 0 < lowest < FLOOR
    assert lowest + delta == pytest.approx(FLOOR, rel=1e-6)
    assert regularization(*kernels[::-1]) == delta
    kernels[0][0] = kernels[0][:, 0] = kernels[0][1]
    kernels[0][0, 0] = kernels[0][1, 1]
    assert regularization(*kernels) == pytest.approx(FLOOR)


def test_the_entries_of_a_mean_are_bounded_feature_by_feature():
    """The bound is the largest geometric mean of a feature's diagonal entries."""
    rng = np.random.default_rng(0)
    diagonals = rng.uniform(1, 100, (2, 6))
    M, _ = mean_and_difference(*map(np.diag, diagonals))
    assert M.max() == pytest.approx(magnitude_of(diagonals))
    for _ in range(20):
        A, B = (part @ part.T + 0.1 * np.eye(6) for part in rng.normal(size=(2, 6, 6)))
        M, _ = mean_and_difference(A, B)
        assert np.abs(M).max() <= magnitude_of([np.diag(A), np.diag(B)]) * (1 + 1e-12)


def test_the_warning_has_the_largest_score_and_the_size_of_rounding():
    scores, rounding = np.full(200, 3e-12), rounding_of(200, 7.0)
    (told,) = pending_warnings([], scores, rounding)
    assert isinstance(told, UninformativeScoreWarning)
    told = pickle.loads(pickle.dumps(told))
    assert (told.largest, told.rounding) == (3e-12, 200 * EPS * 7.0)
    assert pending_warnings([], np.full(200, 1.01 * rounding / SHARE), rounding) == []
    assert str(told) == str(pending_warnings([], 0.9 * scores, rounding)[0])  # shown once


ELEMENTS = st.integers(-2, 2).map(float) | st.floats(-1e6, 1e6, width=32)
WARNINGS = (
    AmbiguousScoreWarning,
    HiddenPairWarning,
    MeanNotConvergedWarning,
    UninformativeScoreWarning,
)


@st.composite
def samples(draw):
    n_classes = draw(st.integers(2, 4))
    shape = st.tuples(st.integers(2 * n_classes, 12), st.integers(2, 12))
    X = draw(arrays(float, shape, elements=ELEMENTS))
    noise = draw(st.sampled_from([0.0, 0.0, 1e-3, 1.0]))
    return X + noise * np.random.default_rng(0).normal(size=X.shape), np.arange(len(X)) % n_classes


def score_or_none(X, y, parameters, ignored=WARNINGS):
    """Finite scores of at least 0, or None if the scale of a class is zero."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for category in ignored:
            warnings.simplefilter("ignore", category)
        try:
            score = manifest_score(X, y, **parameters)
        except ValueError as error:
            if "scale of class" not in str(error):
                raise
            return None
    assert score.shape == (X.shape[1],)
    assert np.isfinite(score).all()
    assert (score >= 0).all()
    return score


@settings(max_examples=300)
@given(
    data=samples(),
    scale_factor=st.sampled_from([0.05, 0.3, 1.0, 5.0, 1e3]),
    n_normalizations=st.integers(0, 3),
    geometry=st.sampled_from(["regularized", *FLAT, "spsd"]),
    multiclass=st.sampled_from(["mean", "ovo"]),
    seed=st.integers(0, 99),
)
def test_scores_are_finite_and_without_a_warning_no_order_unit_or_coding_moves_one(
    data, geometry, multiclass, seed, **parameters
):
    """It moves none by more than 1e-6 of the largest; with a warning, it may."""
    X, y = data
    multiclass = "ovo" if geometry == "spsd" else multiclass
    parameters |= {"geometry": geometry, "multiclass": multiclass}
    order = np.random.default_rng(seed).permutation(X.shape[1])
    try:
        score = score_or_none(X, y, parameters, ignored=())
    except WARNINGS:
        score_or_none(X, y, parameters)
        return
    permuted = score_or_none(8 * X[:, order], y, parameters)
    swapped = score_or_none(X, y.max() - y, parameters)
    if score is None:
        assert permuted is swapped is None
    elif geometry != "spsd":  # Algorithm 2 has D on the range of the first kernel.
        np.testing.assert_allclose(permuted, score[order], rtol=0, atol=1e-6 * score.max())
        np.testing.assert_allclose(swapped, score, rtol=0, atol=1e-6 * score.max())


@pytest.mark.filterwarnings("error")
def test_a_scale_that_hides_the_pair_that_differs_most_is_told_and_no_other():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 2, (50, 100)), np.arange(50) % 2
        pair = X[:, 0] != X[:, 4]
        for scale_factor in (1.0, 2.0):
            with pytest.warns(HiddenPairWarning, match="scale") as caught:
                scores = manifest_score(X, pair, scale_factor=scale_factor)
            told: Any = caught[0].message
            assert {told.first, told.second} == {0, 4}
            assert (scores > scores[[0, 4]].max()).sum() >= 50
        assert {*np.argsort(manifest_score(X, pair, scale_factor=0.1))[-2:]} == {0, 4}
        manifest_score(X, y)  # chance alone
        manifest_score(rng.normal(size=(50, 100)) + y[:, None] * (rng.random(100) < 0.1), y)
