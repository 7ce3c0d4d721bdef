"""ManiFeSt: manifold-based feature selection for small data sets.

The score of Cohen, Shnitzer, Kluger and Talmon (2022): one RBF kernel over the *features* of each
class, the Riemannian midpoint of the two kernels, the logarithmic map of one kernel at it, and the
diagonal of that operator's absolute value as one score a feature.

>>> import numpy as np
>>> from manifest import manifest_score
>>> X = np.random.default_rng(0).integers(0, 2, (50, 100))
>>> y = X[:, 0] ^ X[:, 4]
>>> sorted(np.argsort(manifest_score(X, y, scale_factor=0.1, geometry="regularized"))[-2:].tolist())
[0, 4]
"""

from manifest.approximation import ApproximationWarning
from manifest.composition import Operators, operators
from manifest.linalg import NotPositiveDefiniteError
from manifest.score import manifest_score, manifest_scores
from manifest.selector import ManiFeSt
from manifest.spsd import AmbiguousScoreWarning

__all__ = [
    "AmbiguousScoreWarning",
    "ApproximationWarning",
    "ManiFeSt",
    "NotPositiveDefiniteError",
    "Operators",
    "manifest_score",
    "manifest_scores",
    "operators",
]
