"""The cone of 2 x 2 matrices: the drawing has M, D and the geodesic where they are."""

import numpy as np
import pytest

from experiments.kinds.operators.cone import K1, K2


@pytest.fixture
def points(result):
    """The matrices of the drawing of a smoke run, by part."""
    found = {}
    for name, part in result("experiment=operators", "profile=smoke")["points"].groupby("part"):
        x, y, z = part[["x", "y", "z"]].to_numpy().T
        found[name] = np.moveaxis(np.array([[z + x, y], [y, z - x]]), 2, 0)
    return found


def distance(A, B):
    """The affine-invariant distance of two matrices."""
    return np.linalg.norm(np.log(np.linalg.eigvals(np.linalg.solve(A, B))))


def test_the_mean_lies_halfway_between_the_kernels(points):
    (M,) = points["M"]
    assert distance(K1, M) == pytest.approx(distance(K2, M))
    assert distance(K1, M) == pytest.approx(distance(K1, K2) / 2)


def test_the_drawing_lies_where_it_should(points):
    """Sheet and geodesic have the kernels' determinant, the cone's rim is singular.

    Difference and tangent plane touch the sheet at the mean.
    """
    for part in ("K1", "K2", "M", "geodesic", "sheet"):
        np.testing.assert_allclose(np.linalg.det(points[part]), 1, rtol=1e-3)
    np.testing.assert_allclose(np.linalg.det(points["rim_of_cone"]), 0, atol=1e-4)
    np.testing.assert_allclose(points["K1"][0], K1)
    np.testing.assert_allclose(points["K2"][0], K2)
    np.testing.assert_allclose(points["geodesic"][[0, -1]], [K1, K2], rtol=1e-4)
    (M,) = points["M"]
    D = points["tip_of_D"][0] - M
    np.testing.assert_allclose(points["tip_of_minus_D"][0], M - D, rtol=1e-4)
    for tangent in (D, *(points["tangent_plane"] - M)):
        assert abs(np.trace(np.linalg.solve(M, tangent))) < 1e-4
