"""The cone of 2 x 2 matrices: the identities of M and D, and a drawing of what it says."""

import numpy as np
import pytest
from scipy.linalg import eigh, logm

from experiments.kinds.operators.drawing import distance, exp, root
from manifest.spd import geodesic, mean_and_difference
from tests.experiments.kinds.conftest import assert_refused

K1, K2 = np.array([[4.0, 1.0], [1.0, 0.5]]), np.array([[1.0, 1.5], [1.5, 3.25]])


@pytest.fixture
def tables(result):
    """The tables of a smoke run."""
    return result("experiment=operators", "profile=smoke")


@pytest.fixture
def points(tables):
    """The points of the drawing, by part."""
    return dict(iter(tables["points"].groupby("part")))


def matrices(part):
    x, y, z = part[["x", "y", "z"]].to_numpy().T
    return np.moveaxis(np.array([[z + x, y], [y, z - x]]), 2, 0)


def random_pair(number):
    """Two Wishart matrices with three degrees of freedom."""
    A, B = np.random.default_rng(number).normal(size=(2, 2, 3))
    return A @ A.T, B @ B.T


def log(M, K):
    """The logarithmic map at M, ``M log(M^-1 K)``."""
    return M @ logm(np.linalg.solve(M, K))


def as_equation_2(K1, K2):
    half = root(K1)
    inverse = np.linalg.inv(half)
    return half @ root(inverse @ K2 @ inverse) @ half


def as_equation_3(M, K1):
    half = root(M)
    inverse = np.linalg.inv(half)
    return half @ logm(inverse @ K1 @ inverse) @ half


def in_two_dimensions(K1, K2):
    """M of 2 x 2 matrices of determinants p^2 and q^2: a multiple of ``K1 / p + K2 / q``."""
    p, q = (np.sqrt(np.linalg.det(K)) for K in (K1, K2))
    total = K1 / p + K2 / q
    return np.sqrt(p * q / np.linalg.det(total)) * total


#: Each identity as two sides that are equal, from K1, K2, M and D.
IDENTITIES = {
    "M is Eq. 2": lambda K1, K2, M, D: (M, as_equation_2(K1, K2)),
    "D is Eq. 3": lambda K1, K2, M, D: (D, as_equation_3(M, K1)),
    "d(M, K1) = d(M, K2)": lambda K1, K2, M, D: (distance(M, K1), distance(M, K2)),
    "2 d(M, K1) = d(K1, K2)": lambda K1, K2, M, D: (2 * distance(M, K1), distance(K1, K2)),
    "M is symmetric in the kernels": lambda K1, K2, M, D: (M, mean_and_difference(K2, K1)[0]),
    "M K1^-1 M = K2": lambda K1, K2, M, D: (M @ np.linalg.solve(K1, M), K2),
    "Log_M(K2) = -D": lambda K1, K2, M, D: (log(M, K2), -D),
    "Exp_M(D) = K1": lambda K1, K2, M, D: (exp(M, D), K1),
    "Exp_M(-D) = K2": lambda K1, K2, M, D: (exp(M, -D), K2),
    "D is half as long as the geodesic": lambda K1, K2, M, D: (
        2 * np.linalg.norm(eigh(D, M, eigvals_only=True)),
        distance(K1, K2),
    ),
    "det M^2 = det K1 det K2": lambda K1, K2, M, D: (
        np.linalg.det(M) ** 2,
        np.linalg.det(K1) * np.linalg.det(K2),
    ),
    "M is a multiple of K1 / sqrt(det K1) + K2 / sqrt(det K2)": lambda K1, K2, M, D: (
        M,
        in_two_dimensions(K1, K2),
    ),
}


def test_identities_hold_to_rounding_and_the_geodesic_divides_the_distance():
    for number in range(20):
        K1, K2 = random_pair(number)
        condition = max(np.linalg.cond(K1), np.linalg.cond(K2))
        for name, sides in IDENTITIES.items():
            left, right = sides(K1, K2, *mean_and_difference(K1, K2))
            rounding = 1e-12 * condition * np.linalg.norm(right)
            assert np.linalg.norm(left - right) < rounding, name
        for t in (0, 0.25, 0.5, 0.75, 1):
            share = distance(K1, geodesic(K1, K2, t)) / distance(K1, K2)
            assert share == pytest.approx(t, abs=1e-6), number


def test_every_identity_tells_wrong_operators():
    """None of them holds for a wrong mean, or for a difference of the wrong sign."""
    M = (K1 + K2) / 2 + [[0.3, 0.0], [0.0, 0.0]]
    for name, sides in IDENTITIES.items():
        left, right = sides(K1, K2, M, M - K1)
        assert np.linalg.norm(left - right) > 1e-3 * np.linalg.norm(right), name


def test_the_summary_tells_where_the_mean_lies(tables):
    table = tables["summary"].set_index("matrix")[["determinant", "to_K1", "to_K2"]].astype(float)
    assert table["to_K1"]["M"] == pytest.approx(table["to_K2"]["M"])
    assert table["to_K1"]["M"] == pytest.approx(table["to_K2"]["K1"] / 2, rel=1e-5)
    determinants = table["determinant"]
    assert determinants[["K1", "K2", "M"]].to_numpy() == pytest.approx(1, rel=1e-5)
    assert determinants["arithmetic_mean"] > 1.1 * determinants["M"]


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


def test_matrices_that_cannot_be_drawn_are_refused():
    cases = {
        "protocol.matrices.K1=[[1,2],[2,1]]": "symmetric positive definite",
        "protocol.matrices.K1=[[1,0],[0.1,1]]": "symmetric positive definite",
        "protocol.matrices.K1=[[inf,0],[0,1]]": "symmetric positive definite",
        "protocol.matrices.K1=[[1,0],[0,null]]": "symmetric positive definite",
        "protocol.matrices.K1=[[2,0],[0,1]]": "equal determinants",
        "protocol.matrices.K1=[[1,0]]": r"must be two rows of two numbers, .* got \[\[1, 0\]\]",
        "protocol.matrices.K2=[[1,0],[0,a]]": r"must be two rows of two numbers",
        "protocol.matrices.K2=3": "must be two rows of two numbers",
        "dataset=wine": "dataset=wine would have no effect .* give dataset=null",
        "dataset.scaling=standard": "dataset.scaling=standard would have no effect",
    }
    assert_refused(cases, "experiment=operators")
