"""Bad input: each a clear error, or a finite and sensible score."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from manifest import ManiFeSt, manifest_score, manifest_scores, operators
from tests.cases import over
from tests.manifest.entries import ENTRIES, fitted, scores_at

RNG = np.random.default_rng(0)
X = RNG.normal(size=(24, 12))
Y = np.arange(24) % 2


IS_LAST = np.arange(12) == 11
#: Samples, labels, and the sentence that refuses them.
WRONG = {
    "NaN": (np.where(X[3, 5] == X, np.nan, X), Y, "NaN"),
    "one sample in a class": (X, np.r_[7, Y[1:]], "class 7 has 1 .* 2 samples"),
    "one feature": (X[:, :1], Y, "minimum of 2"),
    "all features identical": (np.repeat(X[:, :1], 5, axis=1), Y, "scale of class 0"),
    "all values equal": (np.ones((24, 5)), Y, "scale of class 0 is zero"),
    "one feature beyond squares of the others": (
        np.where(IS_LAST, 1e170 * X, X),
        Y,
        r"zero to rounding: .* 12 features is lost, too small next to values of up to .*e\+170 "
        r".*Rescale features that are far larger",
    ),
    "one feature whose squares leave nothing of the others": (
        np.where(IS_LAST, 1e161 * X, X),
        Y,
        r"zero to rounding: .* 12 features is [\d.]+, too small next to values of up to .*e\+161 ",
    ),
    "text": (np.full((24, 12), "a"), Y, "could not convert"),
}


@pytest.mark.filterwarnings("error")
@over("name", WRONG)
def test_wrong_data_end_with_a_sentence(name):
    bad, labels, message = WRONG[name]
    for score in ENTRIES:
        with pytest.raises(ValueError, match=message):
            score(bad, labels)


@over(
    ("parameters", "message"),
    [
        ({"scale_factor": 0}, "scale_factor must be a positive"),
        ({"scale_factor": 1e155}, "scale_factor must be a positive number of at most 1e.100"),
        ({"scale_factor": -1}, "scale_factor"),
        ({"scale_factor": np.nan}, "scale_factor"),
        ({"scale_factor": "large"}, "scale_factor"),
        ({"scale_factor": 1e-170}, "scale of class 0 is zero"),
        ({"percentile": 101}, r"percentile must be None or lie in \[0, 100\]"),
        ({"percentile": -1}, "percentile"),
        ({"n_normalizations": -1}, "n_normalizations"),
        ({"n_normalizations": 1.5}, "n_normalizations"),
        ({"geometry": "flat"}, "geometry must be one of auto, spd, spsd, regularized"),
        ({"aggregate": "mean"}, "aggregate must be one of max, sum, none, got 'mean'"),
        ({"aggregate": np.max}, "aggregate must be one of"),
    ],
)
def test_parameters_out_of_range_end_with_a_sentence(parameters, message):
    for score in ENTRIES:
        with pytest.raises(ValueError, match=message):
            score(X, Y, **parameters)


def test_what_one_entry_refuses_alone():
    for score in (manifest_score, scores_at, fitted):
        with pytest.raises(ValueError, match="multiclass must be one of mean, ovo, got 'ovr'"):
            score(X, Y, multiclass="ovr")
        for name, values in {"block": (2, 20.0, True), "random_state": (-1, None)}.items():
            for value in values:
                given: dict[str, Any] = {"block": 20, name: value}
                with pytest.raises(ValueError, match=name):
                    score(X, Y, **given)
    with pytest.raises(ValueError, match="at least one percentile"):
        manifest_scores(X, Y, percentiles=[])
    with pytest.raises(ValueError, match='aggregate="none" does not make'):
        ManiFeSt(aggregate="none").fit(X, Y)


SENSIBLE = {
    "constant features": np.where(np.isin(np.arange(12), [2, 7]), 3.0, X),
    "duplicated features": np.hstack([X, X[:, :4]]),
    "negative": -np.abs(X),
    "huge": X * 1e150,
    "as large as numbers can be": X / np.abs(X).max() * 1.7e308,
    "tiny": X * 1e-150,
    "huge and small": np.hstack([X[:, :6] * 1e150, X[:, 6:]]),
    "two features": X[:, :2],
    "read-only": np.broadcast_to(X, X.shape),
    "Fortran order": np.asfortranarray(X),
}


# The sum of scikit-learn's own check overflows.
@pytest.mark.filterwarnings("ignore:invalid value encountered in reduce")
@pytest.mark.filterwarnings("ignore::manifest.AmbiguousScoreWarning")
@pytest.mark.filterwarnings("ignore::manifest.UninformativeScoreWarning")
@over("name", SENSIBLE)
def test_unusual_data_have_finite_scores_and_are_not_changed(name):
    data = SENSIBLE[name]
    before = np.array(data, copy=True)
    for geometry in ("auto", "spsd", "regularized"):
        score = manifest_score(data, Y, geometry=geometry)
        assert score.shape == (before.shape[1],), geometry
        assert score.dtype == np.float64, geometry
        assert np.isfinite(score).all(), geometry
        assert (score >= 0).all(), geometry
        np.testing.assert_array_equal(np.array(data), before, err_msg=geometry)


def test_categorical_labels_are_labels():
    labels = pd.Series(np.where(Y, "tumour", "normal"), dtype="category")
    np.testing.assert_array_equal(manifest_score(X, labels), manifest_score(X, Y))


def test_classes_are_in_sorted_order_and_exchanging_them_negates_the_difference():
    forth, back = operators(X, Y), operators(X, np.where(Y, "a", "b"))
    assert back.classes == ("a", "b")
    np.testing.assert_allclose(forth.mean, back.mean, atol=1e-13)
    np.testing.assert_allclose(forth.difference, -back.difference, atol=1e-12)
    assert forth.scales == back.scales[::-1]
