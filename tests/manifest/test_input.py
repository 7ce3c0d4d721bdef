"""Bad input: each a clear error, or a finite and sensible score."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from manifest import ManiFeSt, manifest_score, operators
from manifest.relevance import calibrated_relevance


def fitted(X, y, **parameters):
    return ManiFeSt(**parameters).fit(X, y)


#: The ways to a score.
ENTRIES = (manifest_score, operators, fitted)
FLAT = ["euclidean", "log_euclidean"]
X = np.random.default_rng(0).normal(size=(24, 12))
Y = np.arange(24) % 2
#: Labels and factors of the last feature, or samples, and the sentence that refuses them.
TOO_LARGE = r"zero to rounding beside values of up to .*e\+16.* its features, [\w.]+\. Rescale"
WRONG = [
    (X, np.r_[7, Y[1:]], "class 7 has 1 .* 2 samples"),
    (X[:, :1], Y, "minimum of 2"),
    (np.ones((24, 5)), Y, "scale of class 0 is zero"),
    # Nothing is left of the other features beside one that is far larger.
    *((X * np.where(np.arange(12) == 11, factor, 1), Y, TOO_LARGE) for factor in (1e161, 1e169)),
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("bad", "labels", "message"), WRONG)
def test_wrong_data_end_with_a_sentence(bad, labels, message):
    for score in ENTRIES:
        with pytest.raises(ValueError, match=message):
            score(bad, labels)


#: What has blocks and a seed of them.
SEEDED = (manifest_score, fitted, calibrated_relevance)
#: A parameter, the functions that have it, and values out of range.
BEYOND: dict[str, tuple[tuple, tuple]] = {
    "scale_factor": (ENTRIES, (0, -1, 1e155, np.nan, "large")),
    "percentile": (ENTRIES, (-1, 101)),
    "n_normalizations": (ENTRIES, (-1, 1.5)),
    "geometry": ((*ENTRIES, calibrated_relevance), ("flat", "auto")),
    "aggregate": (ENTRIES, ("mean", np.max)),
    "multiclass": (SEEDED[:2], ("ovr",)),
    "block": (SEEDED, (2, 20.0, True)),
    "random_state": (SEEDED, (-1, 1.5, "now")),
    "n_selected": ((calibrated_relevance,), (0, None)),
    "n_permutations": ((calibrated_relevance,), (0, "many")),
    "scorers": ((calibrated_relevance,), ([lambda *_: [1.0]], [lambda *_: np.full(12, np.inf)])),
}


@pytest.mark.parametrize("name", BEYOND)
def test_parameters_out_of_range_end_with_a_sentence(name):
    for score, value in product(*BEYOND[name]):
        given: dict[str, Any] = {name: value}
        with pytest.raises(ValueError, match=name.removesuffix("s")):
            score(X, Y, **given)


def test_a_scale_of_zero_and_a_table_of_scores_are_refused():
    for score in ENTRIES:
        with pytest.raises(ValueError, match="scale of class 0 is zero"):
            score(X, Y, scale_factor=1e-170)
    with pytest.raises(ValueError, match='aggregate="none" does not make'):
        ManiFeSt(aggregate="none").fit(X, Y)


# The sum of scikit-learn's own check overflows.
@pytest.mark.filterwarnings("ignore:invalid value encountered in reduce")
@pytest.mark.filterwarnings("ignore::manifest.AmbiguousScoreWarning")
@pytest.mark.filterwarnings("ignore::manifest.UninformativeScoreWarning")
@pytest.mark.parametrize("geometry", ["spsd", "regularized"])
def test_numbers_of_any_size_have_finite_scores(geometry):
    largest = X / np.abs(X).max() * 1.7e308
    for values in (largest, X * np.where(np.arange(12) < 6, 1e150, 1)):
        score = manifest_score(values, Y, geometry=geometry)
        assert np.isfinite(score).all()
        assert (score >= 0).all()
