"""The cone of 2 x 2 matrices: the identities can fail, the drawing is of what it says."""

import numpy as np
import pandas as pd
import pytest

from experiments.config import ConfigError
from experiments.protocols import validate
from experiments.protocols.cone import units

K1, K2 = np.array([[4.0, 1.0], [1.0, 0.5]]), np.array([[1.0, 1.5], [1.5, 3.25]])


@pytest.fixture
def points(run):
    """The points of a smoke run, by part."""
    folder, failed = run("experiment=operators", "profile=smoke")
    assert failed == 0
    return dict(iter(pd.read_csv(folder / "points.csv").groupby("part")))


def matrices(part):
    x, y, z = part[["x", "y", "z"]].to_numpy().T
    return np.moveaxis(np.array([[z + x, y], [y, z - x]]), 2, 0)


@pytest.mark.parametrize("number", range(5))
def test_identities_hold_to_rounding(number):
    row = units.random_pair(0, number)
    assert max(row[name] for name in units.IDENTITIES) < 1e-13 * row["condition"]


@pytest.mark.parametrize("name", sorted(set(units.IDENTITIES) - {"geodesic"}))
def test_every_identity_tells_wrong_operators(name):
    """Of the Euclidean mean and difference none of them holds, nor of D with the wrong sign."""
    _, residual = units.IDENTITIES[name]
    M = (K1 + K2) / 2 + [[0.3, 0.0], [0.0, 0.0]]
    assert residual(K1, K2, M, M - K1) > 1e-3


def test_the_geodesic_tells_another_curve(monkeypatch):
    monkeypatch.setattr(units, "geodesic", lambda K1, K2, t: (1 - t) * K1 + t * K2)
    assert units.IDENTITIES["geodesic"][1](K1, K2, None, None) > 1e-3


def test_the_drawing_lies_where_it_should(points):
    """Sheet and geodesic have the kernels' determinant, the cone's rim is singular."""
    for part in ("K1", "K2", "M", "geodesic", "geodesic_extended", "sheet"):
        np.testing.assert_allclose(np.linalg.det(matrices(points[part])), 1, rtol=1e-3)
        plane = points[part]
        if part != "sheet":
            np.testing.assert_allclose(plane["up"] ** 2 - plane["sideways"] ** 2, 1, rtol=1e-3)
    np.testing.assert_allclose(np.linalg.det(matrices(points["rim_of_cone"])), 0, atol=1e-4)
    np.testing.assert_allclose(matrices(points["K1"])[0], K1)
    np.testing.assert_allclose(matrices(points["K2"])[0], K2)
    np.testing.assert_allclose(matrices(points["geodesic"])[[0, -1]], [K1, K2], rtol=1e-4)


def test_difference_and_tangent_plane_touch_the_sheet_at_the_mean(points):
    (M,) = matrices(points["M"])
    D = matrices(points["tip_of_D"])[0] - M
    np.testing.assert_allclose(matrices(points["tip_of_minus_D"])[0], M - D, rtol=1e-4)
    for tangent in (D, *(matrices(points["tangent_plane"]) - M)):
        assert abs(np.trace(np.linalg.solve(M, tangent))) < 1e-4
    assert points["tip_of_D"]["sideways"].iloc[0] > 0
    np.testing.assert_allclose(points["tip_of_D"]["up"], 1, rtol=1e-5)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("protocol.matrices.K1=[[1,2],[2,1]]", "symmetric positive definite"),
        ("protocol.matrices.K1=[[1,0],[0.1,1]]", "symmetric positive definite"),
        ("protocol.matrices.K1=[[2,0],[0,1]]", "equal determinants"),
    ],
)
def test_matrices_that_cannot_be_drawn_are_refused(compose, override, message):
    with pytest.raises(ConfigError, match=message):
        validate(compose("experiment=operators", override))
