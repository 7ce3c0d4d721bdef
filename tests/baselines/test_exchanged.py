"""The exchange of the classes: it moves Algorithm 2 on singular kernels, and no other score."""

import numpy as np

from baselines import get
from manifest import manifest_score

exchanged = get("baselines.exchanged:manifest_score")


def samples():
    """The toy example of the paper in its second case: y is f1, and f5 is constant."""
    X = np.random.default_rng(0).integers(0, 2, (200, 20)).astype(float)
    X[:, 4] = 0
    return X, X[:, 0].astype(int)


def test_it_is_the_score_of_the_other_labels():
    X, y = samples()
    for labels in (y, np.where(y, "tumour", "normal"), 3 - 2 * y):
        other = np.where(labels == np.unique(labels)[0], 1, 0)
        for parameters in ({"geometry": "regularized", "percentile": 10}, {"scale_factor": 2.0}):
            found = exchanged(X, labels, **parameters)
            np.testing.assert_array_equal(found, manifest_score(X, other, **parameters))


def test_on_singular_kernels_it_is_not_sufficient_for_algorithm_2():
    """The kernel of a class whose features coincide has a smaller range than the other's."""
    X, y = samples()
    moved = {}
    for geometry in ("spsd", "regularized"):
        score = manifest_score(X, y, geometry=geometry)
        moved[geometry] = np.abs(exchanged(X, y, geometry=geometry) - score).max() / score.max()
    assert moved["regularized"] <= 1e-6 < 0.01 < moved["spsd"]
