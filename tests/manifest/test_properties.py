"""Whatever small, discrete, degenerate samples come: an error that says so, or sensible scores."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manifest import (
    AmbiguousScoreWarning,
    MeanNotConvergedWarning,
    UninformativeScoreWarning,
    manifest_score,
)
from tests.cases import tables

ELEMENTS = st.integers(-2, 2).map(float) | st.floats(-1e6, 1e6, width=32)


WARNINGS = (AmbiguousScoreWarning, MeanNotConvergedWarning, UninformativeScoreWarning)


@st.composite
def samples(draw, classes=(2,), scales=(0.05, 0.3, 1.0, 5.0)):
    n_classes = draw(st.sampled_from(classes))
    X = draw(tables(st.integers(2 * n_classes, 12), st.integers(2, 12), ELEMENTS))
    noise = draw(st.sampled_from([0.0, 0.0, 1e-3, 1.0]))
    X = X + noise * np.random.default_rng(0).normal(size=X.shape)
    scale = draw(st.sampled_from(scales))
    normalizations = draw(st.integers(0, 3))
    y = np.arange(len(X)) % n_classes
    return X, y, {"scale_factor": scale, "n_normalizations": normalizations}


def score_or_none(X, y, geometry, parameters, ignored=WARNINGS):
    """Finite scores of at least 0, or None if the scale of a class is zero."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for category in ignored:
            warnings.simplefilter("ignore", category)
        try:
            score = manifest_score(X, y, geometry=geometry, **parameters)
        except ValueError as error:
            if "scale of class" not in str(error):
                raise
            return None
    assert score.shape == (X.shape[1],)
    assert np.isfinite(score).all()
    assert (score >= 0).all()
    return score


# The other tests see what "regularized" gives.
@pytest.mark.parametrize(("geometry", "n_classes"), [("auto", 2), ("spsd", 2), ("auto", 3)])
@settings(max_examples=60)
@given(draw=st.data())
def test_scores_are_finite_or_the_scale_is_zero(geometry, n_classes, draw):
    X, y, parameters = draw.draw(samples(classes=(n_classes,)))
    score_or_none(X, y, geometry, parameters)


@settings(max_examples=150)
@given(
    data=samples(classes=(2, 3, 4), scales=(0.05, 0.3, 1.0, 5.0, 1e3)),
    multiclass=st.sampled_from(["mean", "ovo"]),
    seed=st.integers(0, 99),
)
def test_without_a_warning_no_order_of_features_or_classes_moves_a_score(data, multiclass, seed):
    """It moves none by more than 1e-6 of the largest; with a warning, it may."""
    X, y, parameters = data
    parameters = {**parameters, "multiclass": multiclass}
    order = np.random.default_rng(seed).permutation(X.shape[1])
    try:
        score = score_or_none(X, y, "regularized", parameters, ignored=())
    except WARNINGS:
        score_or_none(X, y, "regularized", parameters)
        return
    permuted = score_or_none(X[:, order], y, "regularized", parameters)
    swapped = score_or_none(X, y.max() - y, "regularized", parameters)
    if score is None:
        assert permuted is swapped is None
        return
    np.testing.assert_allclose(permuted, score[order], rtol=0, atol=1e-6 * score.max())
    np.testing.assert_allclose(swapped, score, rtol=0, atol=1e-6 * score.max())
