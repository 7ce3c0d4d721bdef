"""Why a score may need no labels: what two random halves of the samples differ in.

On features that are standardised in a class of n samples, ||x_i - x_j||^2 = 2 n (1 - r_ij), so the
kernel is a function of the correlations, f(r) = exp(-n (1 - r) / sigma^2). Two random halves of the
samples have the same correlations rho but for sampling noise, of deviation (1 - rho^2) / sqrt(n)
(R. A. Fisher 1915). So their kernels differ by about f'(rho) (1 - rho^2) sqrt(2 / n), which is
largest where f is steep: between near-copies if sigma is small. On raw features, the noise of a
squared distance is in proportion to the variances; a kernel that is normalised shows it.
"""

import numpy as np
import pytest

from manifest.kernels import rbf_kernel, squared_feature_distances

RNG = np.random.default_rng(0)


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def test_the_kernel_of_standardised_features_is_a_function_of_their_correlations():
    X = standardised(RNG.normal(size=(30, 12)) @ RNG.normal(size=(12, 12)))
    sigma = 3.0
    kernel = rbf_kernel(squared_feature_distances(X), sigma)
    expected = np.exp(-30 * (1 - np.corrcoef(X.T)) / sigma**2)
    np.testing.assert_allclose(kernel, expected, rtol=1e-9)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_random_halves_differ_by_the_slope_of_the_kernel(rho):
    n, sigma = 400, np.sqrt(2 * 400.0)
    found = []
    for _ in range(2000):
        pair = RNG.normal(size=(2 * n, 2)) @ np.array([[1, rho], [0, np.sqrt(1 - rho**2)]])
        halves = standardised(pair[:n]), standardised(pair[n:])
        first, second = (rbf_kernel(squared_feature_distances(X), sigma)[0, 1] for X in halves)
        found.append(first - second)
    slope = n / sigma**2 * np.exp(-n * (1 - rho) / sigma**2)
    assert np.std(found) == pytest.approx(slope * (1 - rho**2) * np.sqrt(2 / n), rel=0.06)


def first_by_chance(X, relevant, factor, n_normalizations=0):
    """The number of relevant features with the largest rows in the difference of two halves."""
    squares = [squared_feature_distances(half) for half in np.split(X, 2)]
    scales = [factor * np.median(np.sqrt(square)) for square in squares]
    options = {"n_normalizations": n_normalizations}
    K1, K2 = (rbf_kernel(s, scale, **options) for s, scale in zip(squares, scales, strict=True))
    best = np.argsort(-np.linalg.norm(K1 - K2, axis=1))[: len(relevant)]
    return len({*best} & {*relevant})


def test_chance_sets_near_copies_apart_and_large_variances_if_kernels_are_normalised():
    """Of ten relevant among 60 features; a random choice finds 1.7."""
    copies, large = [], []
    for _ in range(20):
        X = RNG.normal(size=(80, 60))
        X[:, 5:10] = X[:, :5] + 0.15 * X[:, 5:10]
        copies.append(first_by_chance(standardised(X), range(10), 0.1))
        X = RNG.normal(size=(80, 60))
        X[:, :10] *= 2
        large.append(first_by_chance(X, range(10), 1.0, n_normalizations=3))
    assert np.mean(copies) > 9
    assert np.mean(large) > 9
