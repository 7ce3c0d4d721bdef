"""Several classes and flat geometries: oracle, identities, parameters, and warnings."""

import warnings
from itertools import combinations
from typing import Any
from unittest import mock

import numpy as np
import pytest
from scipy.linalg import expm, logm

from manifest import (
    ManiFeSt,
    MeanNotConvergedWarning,
    NotPositiveDefiniteError,
    UninformativeScoreWarning,
    manifest_score,
    manifest_scores,
    operators,
)
from manifest.composition import composed
from manifest.kernels import class_kernel
from manifest.linalg import fill_upper
from manifest.mean import RiemannianMean, riemannian_mean
from tests import oracle
from tests.manifest import test_input
from tests.manifest.test_input import ENTRIES, FLAT, fitted


def classes(C=3, n=20, d=15):
    """Each class has a pair of features of its own that is correlated there."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(C * n, d)), np.repeat(np.arange(C), n)
    for label in range(C):
        X[y == label, 2 * label] = X[y == label, 2 * label + 1] + 0.5 * rng.normal(size=n)
    return X, y


@pytest.mark.parametrize("geometry", ["spd", "regularized", "auto"])
@pytest.mark.parametrize(("C", "d"), [(3, 8), (3, 40), (6, 20)])
def test_agrees_with_pyriemann(C, d, geometry):
    pytest.importorskip("pyriemann", reason="pyRiemann is not installed")
    X, y = classes(C, d=max(d, 2 * C), n=30)
    M, D, rows = oracle.several([oracle.kernel(X[y == label], 0.5)[0] for label in range(C)])
    ours = operators(X, y, scale_factor=0.5, geometry=geometry)
    assert ours.delta == 0
    np.testing.assert_allclose(ours.mean, M, atol=1e-7)
    np.testing.assert_allclose(ours.difference, D, atol=1e-7)
    np.testing.assert_allclose(ours.class_scores, rows, atol=1e-7)
    score = manifest_score(X, y, scale_factor=0.5, geometry=geometry)
    np.testing.assert_allclose(score, rows.max(axis=0), atol=1e-7)


@pytest.mark.parametrize(
    ("C", "geometry"), [(2, "spd"), (2, "spsd"), (2, "auto"), (3, "regularized"), (3, "auto")]
)
def test_aggregates_are_the_maximum_the_sum_and_all_and_two_classes_have_one_score(C, geometry):
    X, y = classes(C)
    rows = manifest_score(X, y, geometry=geometry, aggregate="none")
    assert rows.shape == (C, 15)
    for aggregate, expected in (("max", rows.max(axis=0)), ("sum", rows.sum(axis=0))):
        for call in (manifest_score, fitted, operators):
            found: Any = call(X, y, geometry=geometry, aggregate=aggregate)
            scores = getattr(found, "score", getattr(found, "scores_", found))
            np.testing.assert_allclose(scores, expected, atol=1e-12)
    ours = operators(X, y, geometry=geometry, aggregate="none")
    np.testing.assert_array_equal(ours.score, ours.class_scores)
    np.testing.assert_allclose(ours.score, rows, atol=1e-12)
    if C == 2:
        np.testing.assert_array_equal(rows[0], rows[1])


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("geometry", ["spsd", "regularized", "auto"])
def test_one_against_one_is_the_score_of_each_pair(geometry, n_classes):
    X, y = classes(n_classes)
    pairs = [np.isin(y, pair) for pair in combinations(range(n_classes), 2)]
    expected = np.array([manifest_score(X[rows], y[rows], geometry=geometry) for rows in pairs])
    given = {"geometry": geometry, "multiclass": "ovo"}
    np.testing.assert_array_equal(manifest_score(X, y, aggregate="none", **given), expected)
    selector = ManiFeSt(**given).fit(X, y)
    np.testing.assert_array_equal(selector.scores_, expected.max(axis=0))
    assert selector.scales_ == ManiFeSt().fit(X, y).scales_


@pytest.mark.parametrize(("C", "geometry"), [
    (2, "spd"), (2, "spsd"), *((C, g) for C in (2, 3) for g in ("regularized", *FLAT)),
])  # fmt: skip
def test_equal_kernels_have_no_difference_and_are_told(C, geometry):
    """Those of copies, and those of any two features, which have a single distance."""
    X, y = classes(C)
    with pytest.warns(UninformativeScoreWarning, match="two features"):
        score = manifest_score(X[:, :2], y, geometry=geometry)
    np.testing.assert_allclose(score, 0, atol=1e-14)
    X = np.random.default_rng(0).normal(size=(20, 12))
    X, y = np.vstack([X] * C), np.repeat(np.arange(C), 20)
    with pytest.warns(UninformativeScoreWarning, match="hardly differ") as caught:
        score = manifest_score(X, y, aggregate="none", geometry=geometry)
    assert len(caught) == 1
    np.testing.assert_allclose(score, 0, atol=1e-12)
    with pytest.warns(UninformativeScoreWarning):
        ours = operators(X, y, geometry=geometry)
    np.testing.assert_allclose(ours.mean, class_kernel(X[:20], 0)[0], atol=1e-12)
    np.testing.assert_allclose(ours.difference, 0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::manifest.AmbiguousScoreWarning")
def test_several_scales_are_those_of_each():
    percentiles = [90, None, 10, 10]
    ways: list[tuple[int, dict[str, Any]]] = [
        *((2, {"geometry": geometry}) for geometry in ("spd", "spsd", "regularized", "auto")),
        *((3, {"multiclass": multiclass}) for multiclass in ("mean", "ovo")),
    ]
    for C, way in ways:
        X, y = classes(C)
        for aggregate in ("max", "none"):
            given = way | {"aggregate": aggregate, "scale_factor": 0.5, "n_normalizations": 1}
            together = manifest_scores(X, y, percentiles=percentiles, **given)
            each = [manifest_score(X, y, percentile=p, **given) for p in percentiles]
            np.testing.assert_array_equal(together, each, err_msg=str(given))


@pytest.mark.parametrize(("C", "geometry"), [(2, "spd"), (2, "spsd"), (3, "regularized")])
def test_operators_hang_together(C, geometry):
    X, y = classes(C)
    ours = operators(X, np.array(list("cab"))[y], geometry=geometry)
    assert ours.classes == ("a", "b", "c") if C == 3 else ours.classes == ("a", "c")
    assert (ours.rank, len(ours.scales), ours.n_ambiguous) == (15, C, 0)
    assert ours.difference.shape == ((15, 15) if C == 2 else (C, 15, 15))
    for name in ("mean", "difference"):
        values, vectors = (getattr(ours, f"{name}_eigen{part}") for part in ("values", "vectors"))
        rebuilt = (vectors * values[..., None, :]) @ np.swapaxes(vectors, -1, -2)
        np.testing.assert_allclose(rebuilt, getattr(ours, name), atol=1e-12)
        assert (np.diff(np.abs(values)) <= 0).all()
    np.testing.assert_allclose(ours.score, manifest_score(X, y, geometry=geometry))
    if C > 2:  # The gradient vanishes at the mean.
        size = np.abs(ours.difference).max()
        np.testing.assert_allclose(ours.difference.sum(axis=0), 0, atol=1e-7 * size)


def test_singular_kernels_are_lifted_or_refused_as_several_are_by_algorithm_2():
    X, y = classes()
    X[y == 1, 3] = X[y == 1, 4]
    assert operators(X, y, geometry="auto").geometry == "regularized"
    np.testing.assert_array_equal(manifest_score(X, y, geometry="auto"), manifest_score(X, y))
    for rows in (y < 3, y < 2, y > 0):
        with pytest.raises(NotPositiveDefiniteError, match=r"class 1 is not .*'regularized'"):
            manifest_score(X[rows], y[rows], geometry="spd")
    for score in ENTRIES:
        with pytest.raises(ValueError, match=r"two classes only, y has 3; use .*'regularized'"):
            score(X, y, geometry="spsd")


@pytest.mark.parametrize("geometry", ["regularized", "auto"])
def test_scores_of_rounding_and_a_mean_that_is_not_reached_are_told_where_the_call_is(geometry):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 40)), np.arange(90) % 3

    def stopped(kernels):
        found = riemannian_mean(kernels)
        return RiemannianMean(found.L, found.logarithms, 3e-5, 7)

    for call in ENTRIES[:3]:
        for rows in (y < 2, y < 3):
            with pytest.warns(UninformativeScoreWarning, match="scale_factor") as caught:
                found = call(X[rows], y[rows], scale_factor=0.05, geometry=geometry)
            assert caught[0].filename in (__file__, test_input.__file__)
            if not isinstance(found, np.ndarray):
                assert not getattr(found, "informative_", getattr(found, "informative", None))
        with (
            mock.patch("manifest.composition.riemannian_mean", stopped),
            pytest.warns(MeanNotConvergedWarning, match="scale") as caught,
        ):
            call(X, y, geometry=geometry)
        (told,) = caught
        assert told.filename in (__file__, test_input.__file__)
        warning: Any = told.message
        assert (warning.n_classes, warning.n_steps, warning.residual) == (3, 7, 3e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ManiFeSt(geometry=geometry).fit(X, y).informative_
        assert operators(X, y, geometry=geometry).informative


def matrix(rng, d):
    A = rng.normal(size=(d, d))
    return A @ A.T / d + 0.1 * np.eye(d)


def differences(*kernels, geometry):
    """All D_l of kernels, which are kept."""
    pairs = [(np.asfortranarray(K.copy()), 1.0) for K in kernels]
    found = composed(pairs, tuple(range(len(kernels))), geometry)
    return [fill_upper(np.asfortranarray(core)) for core in found.difference_cores()]


@pytest.mark.parametrize("geometry", FLAT)
@pytest.mark.parametrize("C", [2, 3, 4])
def test_they_are_differences_to_a_mean_of_kernels_or_of_logarithms(C, geometry):
    X, y = classes(C, d=9)
    ours = operators(X, y, geometry=geometry, scale_factor=0.7)
    points = [oracle.kernel(X[y == c], 0.7)[0] + ours.delta * np.eye(X.shape[1]) for c in range(C)]
    if geometry == "log_euclidean":
        points = [logm(K) for K in points]
    mean = np.mean(points, axis=0)
    D = [point - mean for point in points]
    scores = [oracle.score(each) for each in D]
    np.testing.assert_allclose(ours.class_scores, scores, atol=1e-9)
    np.testing.assert_allclose(ours.score, np.max(scores, axis=0), atol=1e-9)
    M = mean if geometry == "euclidean" else expm(mean)
    np.testing.assert_allclose(ours.mean, M, atol=1e-9)
    np.testing.assert_allclose(ours.difference, D[0] if C == 2 else D, atol=1e-9)


@pytest.mark.parametrize("C", [2, 3])
def test_to_first_order_the_riemannian_difference_is_the_euclidean_one(C):
    rng = np.random.default_rng(1)
    K, *steps = (matrix(rng, 6) for _ in range(C + 1))
    errors = []
    for eps in (1e-2, 5e-3):
        kernels = [K + eps * step for step in steps]
        pair = [np.array(differences(*kernels, geometry=g)) for g in ("spd", "euclidean")]
        errors.append(np.abs(pair[0] - pair[1]).max())
    assert errors[0] < 0.1 * 1e-2
    # Two classes are symmetric about their mean: the error of second order vanishes, too.
    assert errors[0] / errors[1] == pytest.approx(8 if C == 2 else 4, rel=0.1)
