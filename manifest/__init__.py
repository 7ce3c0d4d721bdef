"""ManiFeSt: manifold-based feature selection for small data sets.

The package computes the score of Cohen, Shnitzer, Kluger and Talmon (2022, 2023). Each class has an
RBF kernel over the *features*. Each kernel is mapped by the logarithm at the Riemannian mean of all
kernels. The diagonal of this operator's absolute value is the score of the features.

>>> import numpy as np
>>> from manifest import manifest_score
>>> X = np.random.default_rng(0).integers(0, 2, (50, 100))
>>> y = X[:, 0] ^ X[:, 4]
>>> sorted(np.argsort(manifest_score(X, y, scale_factor=0.1))[-2:].tolist())
[0, 4]
"""

from manifest.composition import Operators, operators
from manifest.linalg import NotPositiveDefiniteError
from manifest.score import manifest_score
from manifest.selector import ManiFeSt, ManiFeStSet
from manifest.trust import (
    AmbiguousScoreWarning,
    HiddenPairWarning,
    MeanNotConvergedWarning,
    UninformativeScoreWarning,
)

__version__ = "1.0.0"

__all__ = [
    "AmbiguousScoreWarning",
    "HiddenPairWarning",
    "ManiFeSt",
    "ManiFeStSet",
    "MeanNotConvergedWarning",
    "NotPositiveDefiniteError",
    "Operators",
    "UninformativeScoreWarning",
    "manifest_score",
    "operators",
]
