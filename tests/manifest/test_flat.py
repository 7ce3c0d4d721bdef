"""The flat geometries: their definitions, and what they share with the Riemannian one."""

import numpy as np
import pytest
from scipy.linalg import expm, logm

from manifest import operators
from manifest.composition import composed
from manifest.linalg import fill_upper
from tests.oracle import kernel, score

FLAT = ["euclidean", "log_euclidean"]


def classes(C, n=12, d=9, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(C), n)
    return rng.normal(size=(n * C, d)) + 0.5 * y[:, None] * rng.normal(size=d), y


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
    X, y = classes(C)
    ours = operators(X, y, geometry=geometry, scale_factor=0.7)
    points = [kernel(X[y == c], 0.7)[0] + ours.delta * np.eye(X.shape[1]) for c in range(C)]
    if geometry == "log_euclidean":
        points = [logm(K) for K in points]
    mean = np.mean(points, axis=0)
    D = [point - mean for point in points]
    scores = [score(each) for each in D]
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
