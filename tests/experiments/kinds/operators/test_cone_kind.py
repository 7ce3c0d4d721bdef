"""The cone of 2 x 2 matrices: the drawing has M, D and the geodesic where they are."""

import numpy as np
import pytest

from experiments.kinds.operators.cone import K1, K2


@pytest.fixture
def tables(result):
    """The tables of a smoke run."""
    return result("experiment=operators", "profile=smoke")


def test_the_summary_tells_where_the_mean_lies(tables):
    table = tables["summary"].set_index("matrix")[["determinant", "to_K1", "to_K2"]].astype(float)
    assert table.index.tolist() == ["K1", "K2", "M", "arithmetic_mean"]
    assert table["to_K1"]["M"] == pytest.approx(table["to_K2"]["M"])
    assert table["to_K1"]["M"] == pytest.approx(table["to_K2"]["K1"] / 2, rel=1e-5)
    eigenvalues = np.linalg.eigvals(np.linalg.solve(K1, K2))
    assert table["to_K1"]["K2"] == pytest.approx(np.linalg.norm(np.log(eigenvalues)), rel=1e-5)
    determinants = table["determinant"]
    assert determinants[["K1", "K2", "M"]].to_numpy() == pytest.approx(1, rel=1e-5)
    assert determinants["arithmetic_mean"] > 1.1 * determinants["M"]


def test_the_drawing_lies_where_it_should(tables):
    """Sheet and geodesic have the kernels' determinant, the cone's rim is singular.

    Difference and tangent plane touch the sheet at the mean.
    """
    points = {}
    for name, part in tables["points"].groupby("part"):
        x, y, z = part[["x", "y", "z"]].to_numpy().T
        points[name] = np.moveaxis(np.array([[z + x, y], [y, z - x]]), 2, 0)
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
