"""The bound of the entries of a mean, and the numbers in the warning about rounding."""

import numpy as np
import pytest

from manifest import UninformativeScoreWarning, manifest_score
from manifest.linalg import EPS
from manifest.spd import mean_and_difference
from manifest.trust import SHARE, magnitude_of, pending_warnings, rounding_of


def test_the_entries_of_a_mean_are_bounded_feature_by_feature():
    """The bound is the largest geometric mean of a feature's two diagonal entries."""
    diagonals = [np.array([1.0, 100.0, 4.0]), np.array([100.0, 1.0, 9.0])]
    assert magnitude_of(diagonals) == pytest.approx(10)
    assert magnitude_of([np.array([2.0, 3.0])] * 3) == pytest.approx(3)
    rng = np.random.default_rng(0)
    for _ in range(20):
        A, B = (part @ part.T + 0.1 * np.eye(6) for part in rng.normal(size=(2, 6, 6)))
        M, _ = mean_and_difference(A, B)
        assert np.abs(M).max() <= magnitude_of([np.diag(A), np.diag(B)]) * (1 + 1e-12)


def test_the_warning_has_the_largest_score_and_the_size_of_rounding():
    scores, rounding = np.full(200, 3e-12), rounding_of(200, 7.0)
    ((category, text),) = pending_warnings([], scores, rounding)
    assert category is UninformativeScoreWarning
    assert f"{3e-12:.1e}" in text
    assert f"{200 * EPS * 7.0:.1e}" in text
    enough = np.full(200, 1.01 * rounding / SHARE)
    assert pending_warnings([], enough, rounding) == []


def test_a_scale_of_zero_names_class_median_and_factor():
    """The median is that of the distances, whatever the factor it is multiplied by."""
    X = np.zeros((20, 9))
    X[:, 0] = np.arange(20)
    y = np.repeat(["ill", "well"], 10)
    with pytest.raises(ValueError, match="class 'ill' is zero") as caught:
        manifest_score(X, y, scale_factor=0.25)
    assert "the median of the distances between its 9 features is 0, " in str(caught.value)
    assert "scale_factor=0.25" in str(caught.value)
