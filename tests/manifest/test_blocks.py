"""Many features: blocks, each scored exactly and alone; memory, estimated, and too much of it."""

import tracemalloc
from functools import partial
from unittest import mock

import numpy as np
import pytest

from manifest import (
    AmbiguousScoreWarning,
    ManiFeSt,
    ManiFeStSet,
    MeanNotConvergedWarning,
    UninformativeScoreWarning,
    manifest_score,
    operators,
    validation,
)
from manifest.blocks import draw_blocks
from manifest.composition import n_arrays
from manifest.relevance import calibrated_relevance
from tests.oracle import classes


@pytest.mark.parametrize(("d", "block"), [(60, 20), (61, 20), (4, 3), (5, 3), (7, 3), (100, 99)])
def test_blocks_are_a_partition_into_the_fewest_of_at_most_so_many(d, block):
    X = np.random.default_rng(0).normal(size=(40, d))
    drawn, again, other = (draw_blocks(X, block, seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(np.sort(np.concatenate(drawn)), np.arange(d))
    sizes = [len(part) for part in drawn]
    assert len(drawn) == -(-d // block)
    assert 2 <= min(sizes) <= max(sizes) <= min(block, min(sizes) + 1)
    assert all((np.diff(part) > 0).all() for part in drawn)
    assert all(map(np.array_equal, drawn, again))
    if d > 10:
        assert not all(map(np.array_equal, drawn, other))


@pytest.mark.parametrize(("n_classes", "given"), [
    (2, {}), (2, {"percentile": 10, "n_normalizations": 2}),
    (2, {"geometry": "spd", "aggregate": "sum"}), (3, {}),
    (3, {"multiclass": "ovo", "aggregate": "none"}),
])  # fmt: skip
def test_a_feature_has_the_exact_score_that_it_has_in_its_block_alone(n_classes, given):
    X, y = classes(n_classes, d=60)
    found = manifest_score(X, y, block=25, random_state=3, **given)
    for part in draw_blocks(X, 25, 3):
        np.testing.assert_array_equal(found[..., part], manifest_score(X[:, part], y, **given))
    if given.get("aggregate") != "none":
        selector = ManiFeSt(7, block=25, random_state=3, **given).fit(X, y)
        np.testing.assert_array_equal(selector.scores_, found)
        assert selector.scales_ == ()
    one = manifest_score(X, y, block=60, random_state=5, **given)
    np.testing.assert_array_equal(one, manifest_score(X, y, **given))


def test_blocks_have_the_warnings_of_the_exact_score():
    X, y = classes(d=90)
    with pytest.warns(UninformativeScoreWarning):
        assert not ManiFeSt(5, block=30, scale_factor=1e9).fit(X, y).informative_
    with (
        mock.patch("manifest.mean.TOLERANCE", 0.0),
        pytest.warns(MeanNotConvergedWarning) as caught,
    ):
        manifest_score(*classes(3, d=90), block=45)
    assert len(caught) == 1
    X = np.random.default_rng(0).integers(0, 2, (12, 80)).astype(float)
    with pytest.warns(AmbiguousScoreWarning):
        selector = ManiFeSt(5, block=40, geometry="spsd").fit(X, np.arange(12) % 2)
    assert selector.n_ambiguous_ > 0


@pytest.mark.filterwarnings("error")
def test_a_block_alone_that_is_rounding_is_no_warning():
    X, y = classes(d=100)
    own = draw_blocks(X, 50)[0]
    X[20:, own] = X[:20, own]  # the same in both classes
    with pytest.warns(UninformativeScoreWarning):
        manifest_score(X[:, own], y)
    blocks = [own, np.setdiff1d(range(100), own)]
    with mock.patch("manifest.score.draw_blocks", return_value=blocks):
        assert manifest_score(X, y, block=50)[own].max() < 1e-9


def peak(function, d):
    """Peak memory of a call in arrays of d x d float64 numbers."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1] / (8 * d**2)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("n_classes", "parameters"), [
    (2, {"geometry": "spd"}), (2, {}), (3, {}), (4, {"multiclass": "ovo"}), (5, {}),
    # Few and many dropped directions of Algorithm 2.
    *((2, {"geometry": "spsd", "blank": blank}) for blank in (0, 0.2, 0.3, 0.6)),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore::manifest.AmbiguousScoreWarning")
def test_the_estimate_is_what_a_score_takes(n_classes, parameters):
    X, y = classes(n_classes, n=10, d=300)
    X[:, : int(parameters.pop("blank", 0) * 300)] = 0.0
    found = peak(partial(manifest_score, X, y, percentile=95, **parameters), 300)
    estimate = n_arrays(n_classes, parameters.get("multiclass"))
    most = 1.3 if parameters.get("geometry") == "spsd" else 1.1
    assert 0.75 * estimate < found < most * estimate


def test_blocks_take_the_samples_and_one_block():
    small, large = (
        peak(partial(manifest_score, *classes(n=5, d=d), block=200), 4000) for d in (1000, 4000)
    )
    assert large < 1 / 16
    # What grows are the samples, their ranks and digests, and no array of features by features.
    assert large - small < 12 * 10 * 3000 / 4000**2


def test_the_relevance_takes_a_fifth_more_than_one_score(monkeypatch):
    monkeypatch.setattr("manifest.relevance.SCALE_FACTORS", (1.0,))
    X, y = classes(d=500)
    found = peak(partial(calibrated_relevance, X, y, block=500, n_permutations=1), 500)
    assert found < 1.2 * peak(partial(manifest_score, X, y), 500)


@pytest.mark.parametrize("call", [
    manifest_score, operators, calibrated_relevance,
    lambda X, y, **given: ManiFeSt(**given).fit(X, y),
    lambda X, y, **given: ManiFeStSet(**given).fit(X, y),
])  # fmt: skip
def test_more_features_than_memory_holds_are_refused_before_anything_is_allocated(call):
    assert validation.available_memory() > 2**28
    X, y = classes(d=300)

    def refused():
        with pytest.raises(MemoryError, match=r"GiB.*block=[12]000"):
            call(X, y)

    with mock.patch.object(validation, "available_memory", return_value=4 * 8 * 300**2):
        assert peak(refused, 300) < 1
        if call is not operators:
            call(X, y, block=100)
