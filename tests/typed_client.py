"""A program that uses every public name, for a strict check of its types."""

import numpy as np
from numpy.typing import NDArray

import manifest
from manifest import ManiFeSt, ManiFeStSet, Operators, manifest_score, manifest_scores, operators

X: NDArray[np.float64] = np.eye(6)
y = [0, 1, 0, 1, 0, 1]
scores: NDArray[np.float64] = manifest_score(X, y, percentile=50.0)
several: NDArray[np.float64] = manifest_scores(X, y, percentiles=[10.0, None])
both: Operators = operators(X, y)
mean: NDArray[np.float64] = both.mean
selector: ManiFeSt = ManiFeSt(2, scale_factor=0.5).fit(X, y)
chosen: ManiFeStSet = ManiFeStSet(2, n_permutations=3).fit(X, y)
name: str = manifest.__version__
warnings: list[type[Warning]] = [
    manifest.AmbiguousScoreWarning,
    manifest.MeanNotConvergedWarning,
    manifest.UninformativeScoreWarning,
]
error: type[ValueError] = manifest.NotPositiveDefiniteError
