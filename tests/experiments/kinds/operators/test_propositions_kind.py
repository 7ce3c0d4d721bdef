"""The propositions on the eigenvalues of D: the identity and the bounds."""

import numpy as np
import pytest

from experiments.kinds.operators.eigenvalues import (
    Eigenbasis,
    check_kernels,
    compare,
    rotation,
)
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


def test_the_residual_is_of_the_order_of_the_angle(kernels):
    """Half as far apart, half the residual, where eigenvectors are close."""
    K1, first, _, second = kernels
    residuals = []
    for angle in (1e-5, 2e-5):
        other, basis = turned(first, second, angle)
        residuals.append(compare(K1, first, other, basis, np.arange(20))["residual"])
    np.testing.assert_allclose(residuals[1] / residuals[0], 2, rtol=1e-2)


def test_cases_are_what_they_say():
    X1, X2 = np.random.default_rng(0).normal(size=(2, 15, 12))
    parameters = {"geometry": "regularized", "scale_factor": 1.0}
    cases = check_kernels(X1, X2, parameters, [0.01], (0, "axes"))
    l1, l2 = (np.linalg.eigvalsh(oracle.kernel(X)[0])[::-1] for X in (X1, X2))
    for row in cases.values():
        np.testing.assert_allclose(row["l1"], l1)
    np.testing.assert_allclose(cases["shared"]["l2"], l2)
    eps = {case: row["eps"].max() for case, row in cases.items()}
    assert eps["shared"] == 0 < eps["turned 0.01"] < 0.05 < eps["data"] <= np.sqrt(2) + 1e-9


def test_a_run_names_every_data_set(result, mirror):
    summary = result(*EXPERIMENT, f"data.home={mirror}")["summary"]
    assert list(dict.fromkeys(summary["dataset"])) == ["colon", "madelon", "mnist"]
    shared = summary[summary["case"] == "shared"]
    np.testing.assert_allclose(shared["ratio_with_half"], 1, atol=1e-6)
    assert summary.groupby("dataset")["slack_all_pairs_min"].min().ge(1).all()
