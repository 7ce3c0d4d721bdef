"""Operators and scores of all geometries and any number of classes, and their warnings."""

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
    operators,
)
from manifest.geometries import GEOMETRIES
from manifest.mean import RiemannianMean, riemannian_mean
from manifest.regularized import FLOOR
from tests import oracle
from tests.manifest import test_input
from tests.manifest.test_input import ENTRIES, FLAT, fitted
from tests.oracle import classes

EVERY = tuple(GEOMETRIES)


@pytest.mark.parametrize(("C", "d"), [(2, 15), (3, 8), (3, 40), (6, 20)])
@pytest.mark.parametrize("geometry", ["spd", "regularized", *FLAT])
def test_the_operators_are_those_of_the_definition(C, d, geometry):
    """Differences to a mean: of kernels, of logarithms, or, by pyRiemann, on the manifold.

    "regularized" is Algorithm 1 on well-conditioned kernels.
    """
    X, y = classes(C, d=max(d, 2 * C), n=30)
    ours = operators(X, y, scale_factor=0.5, geometry=geometry)
    kernels = [oracle.kernel(X[y == label], 0.5)[0] for label in range(C)]
    if geometry in FLAT:
        points = np.array([logm(K + ours.delta * np.eye(len(K))) for K in kernels])
        points = np.array(kernels) if geometry == "euclidean" else points
        M, D = points.mean(axis=0), points - points.mean(axis=0)
        M = M if geometry == "euclidean" else expm(M)
    else:
        pytest.importorskip("pyriemann", reason="pyRiemann is not installed")
        assert ours.delta == 0
        M, D = oracle.several(kernels)
    rows = [oracle.score(each) for each in D]
    np.testing.assert_allclose(ours.mean, M, atol=1e-7)
    np.testing.assert_allclose(ours.difference, D if C > 2 else D[0], atol=1e-7)
    np.testing.assert_allclose(ours.class_scores, rows, atol=1e-7)
    score = manifest_score(X, y, scale_factor=0.5, geometry=geometry)
    np.testing.assert_allclose(score, np.max(rows, axis=0), atol=1e-7)


@pytest.mark.parametrize(("C", "geometry"), [
    *((2, geometry) for geometry in EVERY), (3, "regularized"),
])  # fmt: skip
def test_what_is_told_of_operators_hangs_together(C, geometry):
    X, y = classes(C)
    ours = operators(X, np.array(list("cab"))[y], geometry=geometry, aggregate="none")
    assert ours.classes == (("a", "c") if C == 2 else ("a", "b", "c"))
    assert (ours.rank, len(ours.scales), ours.n_ambiguous) == (15, C, 0)
    for name in ("mean", "difference"):
        values, vectors = (getattr(ours, f"{name}_eigen{part}") for part in ("values", "vectors"))
        rebuilt = (vectors * values[..., None, :]) @ np.swapaxes(vectors, -1, -2)
        np.testing.assert_allclose(rebuilt, getattr(ours, name), atol=1e-12)
        assert (np.diff(np.abs(values)) <= 0).all()
    np.testing.assert_array_equal(ours.score, ours.class_scores)
    # Other names are another order of the classes: exchanging two negates the difference.
    back, order = operators(X, y, geometry=geometry), [1, 0] if C == 2 else [1, 2, 0]
    assert ours.scales == tuple(back.scales[label] for label in order)
    np.testing.assert_allclose(ours.mean, back.mean, atol=1e-12)
    D = -back.difference if C == 2 else back.difference[order]
    np.testing.assert_allclose(ours.difference, D, atol=1e-12)
    rows = manifest_score(X, y, geometry=geometry, aggregate="none")
    np.testing.assert_allclose(ours.score, rows[order], atol=1e-12)
    if C == 2:
        np.testing.assert_array_equal(rows[0], rows[1])
    for aggregate, expected in (("max", rows.max(axis=0)), ("sum", rows.sum(axis=0))):
        for call in (manifest_score, fitted, operators):
            found: Any = call(X, y, geometry=geometry, aggregate=aggregate)
            scores = getattr(found, "score", getattr(found, "scores_", found))
            np.testing.assert_allclose(scores, expected, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("geometry", ["spsd", "regularized"])
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
    *((2, geometry) for geometry in EVERY), *((3, g) for g in ("regularized", *FLAT)),
])  # fmt: skip
def test_equal_kernels_have_no_difference_and_are_told(C, geometry):
    """Those of copies, and those of any two features, which have a single distance."""
    X, y = classes(C)
    with pytest.warns(UninformativeScoreWarning, match="two features"):
        score = manifest_score(X[:, :2], y, geometry=geometry)
    np.testing.assert_allclose(score, 0, atol=1e-14)
    X = np.tile(X[:20], (C, 1))
    with pytest.warns(UninformativeScoreWarning, match="hardly differ") as caught:
        ours = operators(X, y, geometry=geometry)
    assert len(caught) == 1
    np.testing.assert_allclose(ours.mean, oracle.kernel(X[:20])[0], atol=1e-12)
    np.testing.assert_allclose(ours.difference, 0, atol=1e-12)


def test_singular_kernels_are_lifted_or_refused_as_several_are_by_algorithm_2():
    X, y = classes(3)
    X[y == 1, 3] = X[y == 1, 4]
    assert operators(X, y).delta == pytest.approx(FLOOR)
    for rows in (y < 3, y < 2, y > 0):
        with pytest.raises(NotPositiveDefiniteError, match=r"class 1 is not .*'regularized'"):
            manifest_score(X[rows], y[rows], geometry="spd")
    for score in ENTRIES:
        with pytest.raises(ValueError, match=r"two classes only, y has 3; use .*'regularized'"):
            score(X, y, geometry="spsd")


@pytest.mark.parametrize("geometry", ["regularized", "spd"])
def test_scores_of_rounding_and_a_mean_that_is_not_reached_are_told_where_the_call_is(geometry):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 40)), np.arange(90) % 3

    def stopped(kernels):
        found = riemannian_mean(kernels)
        return RiemannianMean(found.L, found.logarithms, 3e-5, 7)

    for call in ENTRIES:
        for rows in (y < 2, y < 3):
            with pytest.warns(UninformativeScoreWarning, match="scale_factor") as caught:
                found = call(X[rows], y[rows], scale_factor=0.05, geometry=geometry)
            assert caught[0].filename in (__file__, test_input.__file__)
            if not isinstance(found, np.ndarray):
                assert not getattr(found, "informative_", getattr(found, "informative", None))
        with (
            mock.patch("manifest.geometries.riemannian_mean", stopped),
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
