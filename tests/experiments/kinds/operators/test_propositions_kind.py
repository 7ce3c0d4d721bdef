"""The propositions on the eigenvalues of D: the identity, the bounds and the step of the proof."""

import numpy as np
import pytest

from experiments.kinds.operators.eigenvalues import (
    Eigenbasis,
    check_kernels,
    compare,
    geometry_error,
    literal_difference,
    near_error,
    rotation,
    row_sum_error,
)
from manifest.spd import geodesic
from tests import oracle

EXPERIMENT = ["experiment=propositions", "profile=smoke"]


@pytest.fixture
def kernels():
    """The kernels of two classes over 20 features, and their eigenbases."""
    rng = np.random.default_rng(0)
    K1, K2 = (oracle.kernel(rng.normal(size=(30, 20)) * s)[0] for s in (1, np.arange(1, 21)))
    return K1, Eigenbasis.of(K1), K2, Eigenbasis.of(K2)


def turned(first, second, angle):
    """The kernel with the second eigenvalues and the first eigenvectors, turned; its eigenbasis."""
    turn = rotation(np.random.default_rng(1), 20, angle)
    basis = Eigenbasis(second.values, turn @ first.vectors)
    return basis.kernel, basis


def test_shared_eigenvectors_have_the_eigenvalue_with_the_half(kernels):
    """Against the paper's algorithm as it is written; without the 1/2 it is twice too large."""
    K1, first, _, second = kernels
    shared = Eigenbasis(second.values, first.vectors)
    row = compare(K1, first, shared.kernel, shared, np.arange(20))
    _, D = oracle.algorithm_1(K1, shared.kernel)
    largest = np.abs(row["predicted"]).max()
    np.testing.assert_allclose(
        D @ first.vectors, first.vectors * row["predicted"], atol=1e-9 * largest
    )
    np.testing.assert_allclose(row["measured"], row["predicted"], atol=1e-9 * largest)
    assert row["residual"].max() < 1e-9 * largest
    assert row["spectrum"] < 1e-9 * largest
    without_half = 2 * row["predicted"]
    error = np.linalg.norm(D @ first.vectors - first.vectors * without_half, axis=0)
    np.testing.assert_allclose(error, np.abs(row["predicted"]), atol=1e-9 * largest)
    assert row["eps"].max() == 0


def test_bounds_hold_with_a_quarter_of_the_published_constant(kernels):
    """For eigenvectors that are shared, close, far, and for the kernels as they are."""
    K1, first, K2, own = kernels
    cases = {"as they are": (K2, own)}
    for angle in (0.0, 1e-3, 0.1, 1.0):
        cases[f"turned by {angle}"] = turned(first, own, angle)
    for case, (other, second) in cases.items():
        row = compare(K1, first, other, second, np.arange(20))
        size = np.abs(first.vectors)
        np.testing.assert_allclose(row["entries"], (size * (np.abs(K1 - other) @ size)).sum(axis=0))
        bound = row["entries"] + row["row_sum"] * row["eps"] ** 2
        predicted = np.abs(row["predicted"])
        assert (predicted <= 0.5 * bound).all(), case
        gap = np.abs(row["l1"] - row["l2"])
        assert (predicted <= 0.5 * gap * (1 + 1e-12)).all(), case
        assert 1 <= row["tightest"] <= (0.5 * bound / predicted).min() * (1 + 1e-9), case


def test_the_proof_needs_the_mixed_terms(kernels):
    """l2 = phi' K2 phi + l2 eps^2 - e' K2 e; without the mixed terms the step is wrong."""
    K1, first, K2, second = kernels
    row = compare(K1, first, K2, second, np.arange(20))
    assert row["step_corrected"].max() < 1e-12 * row["largest"]
    assert row["step_published"].max() > 1e-2 * row["largest"]


def test_the_residual_is_of_the_order_of_the_angle(kernels):
    """Half as far apart, half the residual, where eigenvectors are close."""
    K1, first, _, second = kernels
    residuals = []
    for angle in (1e-5, 2e-5):
        other, basis = turned(first, second, angle)
        residuals.append(compare(K1, first, other, basis, np.arange(20))["residual"])
    np.testing.assert_allclose(residuals[1] / residuals[0], 2, rtol=1e-2)


def test_cases_are_what_they_say():
    rng = np.random.default_rng(0)
    X1, X2 = rng.normal(size=(2, 15, 12))
    parameters = {"geometry": "regularized", "scale_factor": 1.0}
    row = check_kernels(X1, X2, parameters, [0.01], [], (0, "axes"))
    K1, K2 = (oracle.kernel(X)[0] + row["delta"] * np.eye(12) for X in (X1, X2))
    for case in ("shared", "turned 0.01", "data"):
        np.testing.assert_allclose(row[f"{case}:l1"], np.linalg.eigvalsh(K1)[::-1])
    np.testing.assert_allclose(row["shared:l2"], np.linalg.eigvalsh(K2)[::-1])
    assert row["shared:eps"].max() == 0
    assert 0 < row["turned 0.01:eps"].max() < 0.05 < row["data:eps"].max() <= np.sqrt(2) + 1e-9


def test_near_kernels_have_the_d_of_proposition_3(kernels):
    """The error falls with the distance; for multiples of one kernel it is known."""
    K1, _, K2, _ = kernels
    np.testing.assert_allclose(geodesic(K1, K2, 0.5), oracle.algorithm_1(K1, K2)[0], atol=1e-9)
    errors = [near_error(K1, geodesic(K1, K2, t)) for t in (1e-3, 1e-2, 1e-1)]
    assert errors[0] < 0.01
    np.testing.assert_allclose(np.array(errors[1:]) / errors[:-1], 10, rtol=0.2)
    # K2 = g K1 has D = -1/2 sqrt(g) log(g) K1, where the expansion says -1/2 sqrt(g) (g - 1) K1.
    assert near_error(K1, 1.1 * K1) == pytest.approx(0.1 / np.log(1.1) - 1, rel=1e-6)


def test_algorithm_2_is_algorithm_1_at_full_rank_and_rows_come_to_sum_to_1(kernels):
    K1, _, K2, _ = kernels
    np.testing.assert_allclose(literal_difference(K1, K2), oracle.algorithm_2(K1, K2)[1], atol=1e-8)
    assert geometry_error(K1, K2) < 1e-9
    assert row_sum_error(np.abs(K1)) < 1e-9
    # One normalisation more of a doubly stochastic kernel changes nothing.
    assert row_sum_error(np.full((4, 4), 0.25)) == 0


def test_a_run_names_every_data_set(result, mirror):
    summary = result(*EXPERIMENT, f"data.home={mirror}")["summary"]
    assert list(dict.fromkeys(summary["dataset"])) == ["colon", "madelon", "mnist"]
    shared = summary[summary["case"] == "shared"]
    np.testing.assert_allclose(shared["ratio_with_half"], 1, atol=1e-6)
    assert summary.groupby("dataset")["slack_all_pairs_min"].min().ge(1).all()
    assert summary[["geometry_error", "row_sum_error"]].count().eq(3).all()
    near = summary[summary["case"].str.startswith("near ")]
    errors = near.pivot(index="dataset", columns="case", values="near_error")
    assert (errors.diff(axis=1).iloc[:, 1:] > 0).all(axis=None)  # 0.001, 0.01 and 0.1 apart
    assert summary["step_corrected"].max() < 1e-6
