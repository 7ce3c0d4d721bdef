"""The memory that a score takes."""

import tracemalloc
import warnings

import numpy as np

from manifest import AmbiguousScoreWarning, manifest_score
from tests.cases import over


def peak(function, d):
    """Peak memory of a call in arrays of d x d float64 numbers."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1] / (8 * d**2)
    finally:
        tracemalloc.stop()


@over(
    ("geometry", "blank"),
    [("spd", 0), ("regularized", 0), *(("spsd", share) for share in (0, 0.2, 0.3, 0.6))],
)
def test_a_score_takes_six_arrays_at_most(geometry, blank):
    """Algorithm 2 with few and with many dropped directions, too."""
    d = 300
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, d)), np.arange(40) % 2
    X[:, : int(blank * d)] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AmbiguousScoreWarning)
        # Vectors and the samples themselves, a tenth of such an array, come on top.
        found = peak(lambda: manifest_score(X, y, percentile=95, geometry=geometry), d)
    assert found < 6.5
