"""Both algorithms against the paper's, transcribed, and the theorems that they must satisfy."""

import numpy as np

from manifest import operators
from manifest.linalg import fill_upper
from manifest.spd import congruence, difference_weights, mean_weights
from manifest.spsd import spsd_pencil
from tests import oracle
from tests.cases import over


def two_classes(n, d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = np.arange(n) % 2
    X[y == 1, :3] += X[y == 1, 3:6]
    return X, y


def frobenius(a, b):
    return np.linalg.norm(a - b) / np.linalg.norm(b)


def of_pencil(ours):
    """M and D, of shape (d, d)."""
    D = fill_upper(congruence(ours.F, difference_weights(ours.h)))
    D = D if ours.basis is None else ours.basis @ D @ ours.basis.T
    return ours.carry(congruence(ours.F, mean_weights(ours.h))), D


SIZES = [(20, 20), (20, 100), (20, 160), (60, 80), (100, 130), (300, 20), (130, 100)]
ALGORITHMS = {"spd": oracle.algorithm_1, "spsd": oracle.algorithm_2}


@over("geometry", ["spd", "spsd"])
@over("given", [
    *({"scale_factor": factor} for factor in (0.3, 1.0, 2.0)),
    *({"percentile": p, "n_normalizations": n} for p in (5, 95) for n in (0, 3)),
])  # fmt: skip
@over(("n", "d"), SIZES)
def test_agrees_with_the_paper(n, d, given, geometry):
    X, y = two_classes(n, d)
    K1, K2 = (oracle.kernel(X[y == label], **given)[0] for label in (0, 1))
    M, D = ALGORITHMS[geometry](K1, K2)
    # Exchanging the classes negates D in exact arithmetic. What the transcription misses of that is
    # its own rounding error; at 10 samples a class and twice the median it exceeds 1e-8.
    own_error = frobenius(-ALGORITHMS[geometry](K2, K1)[1], D)
    tolerance = max(1e-8, 5 * own_error)
    assert own_error < 1e-6
    ours, score = operators(X, y, geometry=geometry, **given), oracle.score(D)
    assert np.abs(ours.score - score).max() <= tolerance * score.max()
    assert frobenius(ours.mean, M) <= tolerance
    assert frobenius(ours.difference, D) <= tolerance
    assert ours.n_ambiguous == 0


@over(("d", "k", "more"), [
    (40, 39, 0), (40, 35, 0), (40, 30, 0), (40, 29, 0), (40, 8, 0), (60, 55, 0), (30, 27, 13),
])  # fmt: skip
def test_spsd_agrees_with_the_paper_on_low_rank_kernels(d, k, more):
    """Few dropped directions, and many; what a kernel has beyond the smaller rank is dropped."""
    rng = np.random.default_rng(0)
    base = rng.normal(size=(d, k))
    G1, G2 = base, np.hstack([base + 0.3 * rng.normal(size=(d, k)), rng.normal(size=(d, more))])
    for A, B in ((G1 @ G1.T, G2 @ G2.T), (G2 @ G2.T, G1 @ G1.T)):
        ours = spsd_pencil(A.copy(), B.copy())
        assert (ours.basis is None) == (d - k <= d / 4)
        for mine, papers in zip(of_pencil(ours), oracle.algorithm_2(A, B), strict=True):
            assert frobenius(mine, papers) < 1e-9
        cosines = np.linalg.svd(oracle.leading(B, k).T @ oracle.leading(A, k))[1]
        np.testing.assert_allclose(np.cos(ours.principal_angles), cosines, atol=1e-12)
        assert (np.diff(ours.principal_angles) >= -1e-7).all()
