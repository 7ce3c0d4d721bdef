"""ManiFeSt: manifold-based feature selection for small data sets.

The score of Cohen, Shnitzer, Kluger and Talmon (2022, 2023): one RBF kernel over the *features* of
each class, the Riemannian mean of the kernels, the logarithmic map of each kernel at it, and the
diagonal of that operator's absolute value as one score for each feature.

>>> import numpy as np
>>> from manifest import manifest_score
>>> X = np.random.default_rng(0).integers(0, 2, (50, 100))
>>> y = X[:, 0] ^ X[:, 4]
>>> sorted(np.argsort(manifest_score(X, y, scale_factor=0.1))[-2:].tolist())
[0, 4]
"""

from manifest.composition import Operators, operators
from manifest.linalg import NotPositiveDefiniteError
from manifest.score import manifest_score, manifest_scores
from manifest.selector import ManiFeSt, ManiFeStSet
from manifest.trust import (
    AmbiguousScoreWarning,
    MeanNotConvergedWarning,
    UninformativeScoreWarning,
)

__version__ = "1.0.0"

__all__ = [
    "AmbiguousScoreWarning",
    "ManiFeSt",
    "ManiFeStSet",
    "MeanNotConvergedWarning",
    "NotPositiveDefiniteError",
    "Operators",
    "UninformativeScoreWarning",
    "manifest_score",
    "manifest_scores",
    "operators",
]
