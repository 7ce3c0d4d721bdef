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
    MeanNotConvergedWarning,
    UninformativeScoreWarning,
    manifest_score,
    operators,
)
from manifest.decompositions import smallest_eigenvalue
from manifest.kernels import class_kernel
from manifest.linalg import EPS
from manifest.regularized import FLOOR, regularization
from manifest.spd import mean_and_difference
from manifest.trust import SHARE, magnitude_of, pending_warnings, rounding_of
from tests.manifest.test_input import FLAT


def ternary():
    """So few ternary samples that a class has features in common by chance, many times."""
    return np.random.default_rng(0).integers(-1, 2, (10, 300)).astype(float), np.arange(10) % 2


def toy():
    """The paper's toy example (b): y is f1 and f5 is constant, so that kernels are singular."""
    X = np.random.default_rng(0).integers(0, 2, (200, 20)).astype(float)
    X[:, 4] = 0
    return X, X[:, 0].astype(int)


def normal():
    return np.random.default_rng(0).normal(size=(40, 30)), np.arange(40) % 2


@pytest.mark.parametrize(("data", "geometry", "in_order", "as_coded"), [
    (normal, "spd", True, True), (normal, "regularized", True, True),
    (toy, "regularized", True, True), (ternary, "regularized", True, True),
    (normal, "spsd", True, True), (toy, "spsd", True, False), (ternary, "spsd", False, False),
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
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 30)), np.arange(60) % 2
    for copy in range(copies):
        X[y == 0, copy] = X[y == 0, 10 + copy]
    one_sided = operators(X, y, geometry="auto")
    assert (one_sided.geometry, one_sided.rank) == ("spsd", 30 - copies)
    assert one_sided.n_ambiguous == 0

    for copy in range(copies):
        X[y == 1, 20 + copy] = X[y == 1, 25 + copy]
    with pytest.warns(AmbiguousScoreWarning, match="coding of the classes") as caught:
        both = operators(X, y, geometry="auto")
    told: Any = caught[0].message
    assert (told.n_orthogonal, told.rank, told.n_features) == (copies, 30 - copies, 30)
    assert both.rank == 30 - copies
    assert np.isclose(both.principal_angles, np.pi / 2).sum() == copies
    assert both.n_ambiguous == copies


@pytest.mark.parametrize("scale_factor", [0.3, 1.0])
def test_auto_and_regularized_are_algorithm_1_on_well_conditioned_kernels(scale_factor):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 50)), np.arange(40) % 2
    plain = manifest_score(X, y, geometry="spd", scale_factor=scale_factor)
    assert operators(X, y, geometry="auto", scale_factor=scale_factor).geometry == "spd"
    for geometry in ("auto", "regularized"):
        score = manifest_score(X, y, geometry=geometry, scale_factor=scale_factor)
        np.testing.assert_allclose(score, plain, rtol=0, atol=1e-6 * plain.max())
    assert operators(X, y, geometry="regularized", scale_factor=scale_factor).delta == 0


@pytest.mark.parametrize(("sizes", "d"), [((10, 10), 120), ((5, 20, 40), 60)])
def test_regularization_lifts_the_smallest_eigenvalue_of_all_kernels_to_the_floor(sizes, d):
    rng = np.random.default_rng(0)
    kernels = [class_kernel(rng.normal(size=(n, d)), n, scale_factor=2)[0] for n in sizes]
    delta = regularization(*kernels)
    lowest = [np.linalg.eigvalsh(K)[0] for K in kernels]
    assert 0 < min(lowest) < FLOOR
    assert min(lowest) + delta == pytest.approx(FLOOR, rel=1e-6)
    assert regularization(*kernels[::-1]) == delta
    assert smallest_eigenvalue(kernels[0]) == pytest.approx(lowest[0], rel=1e-6)
    kernels[0][0] = kernels[0][:, 0] = kernels[0][1]
    kernels[0][0, 0] = kernels[0][1, 1]
    assert regularization(*kernels) == pytest.approx(FLOOR)


def test_the_entries_of_a_mean_are_bounded_feature_by_feature():
    """The bound is the largest geometric mean of a feature's two diagonal entries."""
    diagonals = [np.array([1.0, 100.0, 4.0]), np.array([100.0, 1.0, 9.0])]
    assert magnitude_of(diagonals) == pytest.approx(10)
    assert magnitude_of([np.array([2.0, 3.0])] * 3) == pytest.approx(3)
    rng = np.random.default_rng(0)
    for _ in range(20):
        A, B = (part @ part.T + 0.1 * np.eye(6) for part in rng.normal(size=(2, 6, 6)))
        M, _ = mean_and_difference(A, B)
        assert np.abs(M).max() <= magnitude_of([np.diag(A), np.diag(B)]) * (1 + 1e-12)


def test_the_warning_has_the_largest_score_and_the_size_of_rounding():
    scores, rounding = np.full(200, 3e-12), rounding_of(200, 7.0)
    (told,) = pending_warnings([], scores, rounding)
    assert isinstance(told, UninformativeScoreWarning)
    assert (told.largest, told.rounding) == (3e-12, 200 * EPS * 7.0)
    assert pickle.loads(pickle.dumps(told)).largest == 3e-12
    assert pending_warnings([], np.full(200, 1.01 * rounding / SHARE), rounding) == []
    assert str(told) == str(pending_warnings([], 0.9 * scores, rounding)[0])  # shown once


ELEMENTS = st.integers(-2, 2).map(float) | st.floats(-1e6, 1e6, width=32)


WARNINGS = (AmbiguousScoreWarning, MeanNotConvergedWarning, UninformativeScoreWarning)


@st.composite
def samples(draw, classes=(2,), scales=(0.05, 0.3, 1.0, 5.0)):
    n_classes = draw(st.sampled_from(classes))
    shape = st.tuples(st.integers(2 * n_classes, 12), st.integers(2, 12))
    X = draw(arrays(float, shape, elements=ELEMENTS))
    noise = draw(st.sampled_from([0.0, 0.0, 1e-3, 1.0]))
    X = X + noise * np.random.default_rng(0).normal(size=X.shape)
    scale = draw(st.sampled_from(scales))
    normalizations = draw(st.integers(0, 3))
    y = np.arange(len(X)) % n_classes
    return X, y, {"scale_factor": scale, "n_normalizations": normalizations}


def score_or_none(X, y, geometry, parameters, ignored=WARNINGS):
    """Finite scores of at least 0, or None if the scale of a class is zero."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for category in ignored:
            warnings.simplefilter("ignore", category)
        try:
            score = manifest_score(X, y, geometry=geometry, **parameters)
        except ValueError as error:
            if "scale of class" not in str(error):
                raise
            return None
    assert score.shape == (X.shape[1],)
    assert np.isfinite(score).all()
    assert (score >= 0).all()
    return score


# The other tests see what "regularized" gives.
@pytest.mark.parametrize(("geometry", "n_classes"), [("auto", 2), ("spsd", 2), ("auto", 3)])
@settings(max_examples=60)
@given(draw=st.data())
def test_scores_are_finite_or_the_scale_is_zero(geometry, n_classes, draw):
    X, y, parameters = draw.draw(samples(classes=(n_classes,)))
    score_or_none(X, y, geometry, parameters)


@settings(max_examples=200)
@given(
    data=samples(classes=(2, 3, 4), scales=(0.05, 0.3, 1.0, 5.0, 1e3)),
    geometry=st.sampled_from(["regularized", *FLAT]),
    multiclass=st.sampled_from(["mean", "ovo"]),
    seed=st.integers(0, 99),
)
def test_without_a_warning_no_order_unit_or_coding_moves_a_score(data, geometry, multiclass, seed):
    """It moves none by more than 1e-6 of the largest; with a warning, it may."""
    X, y, parameters = data
    parameters = {**parameters, "multiclass": multiclass}
    order = np.random.default_rng(seed).permutation(X.shape[1])
    try:
        score = score_or_none(X, y, geometry, parameters, ignored=())
    except WARNINGS:
        score_or_none(X, y, geometry, parameters)
        return
    permuted = score_or_none(8 * X[:, order], y, geometry, parameters)
    swapped = score_or_none(X, y.max() - y, geometry, parameters)
    if score is None:
        assert permuted is swapped is None
        return
    np.testing.assert_allclose(permuted, score[order], rtol=0, atol=1e-6 * score.max())
    np.testing.assert_allclose(swapped, score, rtol=0, atol=1e-6 * score.max())
