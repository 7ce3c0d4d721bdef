"""Scores of many features, block by block: exact where they can be, and honest where not."""

from functools import partial
from typing import Any
from unittest import mock

import numpy as np
import pytest
from scipy.stats import spearmanr

from manifest import (
    ApproximationWarning,
    ManiFeSt,
    MeanNotConvergedWarning,
    UninformativeScoreWarning,
    manifest_score,
)
from manifest.blocks import PAIRS, Block, ClassSamples, draw_blocks, score_block
from manifest.context import Agreement, ContextScore, agreement, aligned, context_score
from manifest.validation import split_classes
from tests.cases import over
from tests.manifest.test_linalg import peak

SEED = np.random.SeedSequence(0)


def samples(n=40, d=60):
    """Features that hang together in groups of five, in the first class only."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, d))
    X[y == 0] += np.repeat(rng.normal(size=(n // 2, -(-d // 5))), 5, axis=1)[:, :d]
    return X, y


@over("sizes", [{"block": 60}, {"block": 99}, {"block": 20, "context": 40}])
@over("parameters", [{}, {"percentile": 10, "n_normalizations": 2}, {"scale_factor": 3.0}])
def test_all_features_together_are_the_exact_score(sizes, parameters):
    X, y = samples()
    found = context_score(X, y, **sizes, **parameters)
    exact = manifest_score(X, y, geometry="regularized", **parameters)
    np.testing.assert_allclose(found.scores, exact, rtol=1e-9, atol=1e-12)
    assert found.is_exact
    assert (found.error == 0).all()
    assert found.agreement() == found.agreement_of_sizes() == Agreement(1.0, 1.0)
    assert found.warnings() == []


def score_one(X, y, block, n_normalizations=0, n_features=None):
    """Scores and similarities of a block."""
    ready = [
        ClassSamples.of(part, label, SEED, scale_factor=1.0, percentile=None, every_pair=True)
        for label, part in zip(*split_classes(X, y), strict=True)
    ]
    return score_block(
        [one.of_features(block.together) for one in ready],
        [one.scale for one in ready],
        block,
        tuple(np.unique(y)),
        n_features=n_features or X.shape[1],
        n_normalizations=n_normalizations,
        one_thread=True,
    )


def test_a_context_of_all_others_gives_a_block_the_exact_score():
    X, y = samples()
    own = np.array([3, 7, 50])
    block = Block(own, np.setdiff1d(np.arange(60), own), is_exact=True)
    for times in (0, 3):
        exact = manifest_score(X, y, geometry="regularized", n_normalizations=times)
        found = score_one(X, y, block, times)
        assert found.similarity.shape == (3, 2)
        np.testing.assert_allclose(found.scores, exact[own], rtol=1e-9)


def test_swapping_the_classes_and_common_factors_change_nothing():
    X, y = samples()
    parameters = {"block": 25, "context": 10}
    found = context_score(X, y, **parameters)
    assert not found.is_exact
    swapped = context_score(X, 1 - y, **parameters)
    np.testing.assert_allclose(swapped.scores, found.scores, rtol=1e-7)
    larger = context_score(3e100 * X, y, **parameters)
    np.testing.assert_allclose(larger.scores, found.scores, rtol=1e-7)
    np.testing.assert_allclose(larger.scales, 3e100 * np.array(found.scales))


def test_a_feature_of_weight_w_is_w_equal_features():
    """The measure of a point of weight 3 is that of three points of weight 1 at its place."""
    X, y = samples(d=12)
    four, eight = np.arange(4), np.arange(4, 12)
    weighted, copied = (
        score_one(X, y, block, n_normalizations=1, n_features=12 + 16)
        for block in (Block(four, eight, 3.0), Block(four, np.tile(eight, 3)))
    )
    np.testing.assert_allclose(weighted.scores, copied.scores, rtol=1e-6)
    np.testing.assert_allclose(weighted.similarity, copied.similarity, rtol=1e-9)


@over(("d", "block", "context"), [(60, 20, 15), (61, 20, 0), (10, 3, 99)])
def test_blocks_are_a_partition_and_a_context_stands_for_the_others(d, block, context):
    drawn, again, other = (
        draw_blocks(d, block, context, np.random.SeedSequence(seed)) for seed in (0, 0, 1)
    )
    features = np.concatenate([b.features for b in drawn])
    np.testing.assert_array_equal(np.sort(features), np.arange(d))
    for one in drawn:
        assert 1 <= len(one.features) <= block
        assert len(one.context) == min(context, d - len(one.features))
        assert not np.intersect1d(one.features, one.context).size
        assert len(np.unique(one.context)) == len(one.context)
        if context:
            assert one.weights.sum() == pytest.approx(d)
            assert one.weights[len(one.features) :].sum() == pytest.approx(d - len(one.features))
    first, *others = (np.concatenate([b.together for b in run]) for run in (drawn, again, other))
    assert [np.array_equal(first, one) for one in others] == [True, False]


def test_the_same_bits_and_warnings_whatever_the_number_of_processes():
    X, y = samples(d=500)
    parameters = {"block": 120, "context": 40, "repeats": 3}
    one, two = (context_score(X, y, n_jobs=n, **parameters) for n in (None, 2))
    for name in ("scores", "error", "repeats", "half_size"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    rounding = [context_score(X, y, block=250, scale_factor=1e9, n_jobs=n) for n in (None, 2)]
    for found in rounding:
        ((category, _),) = found.warnings()
        assert category is UninformativeScoreWarning
    assert (context_score(X, y, random_state=1, **parameters).scores != one.scores).all()


def test_an_approximation_has_the_warnings_of_the_exact_score_and_its_own():
    X, y = samples(d=90)
    three = np.arange(len(y)) % 3
    rounding: dict[str, Any] = {"block": 30, "scale_factor": 1e9}
    with pytest.warns(UninformativeScoreWarning):
        manifest_score(X, y, scale_factor=1e9)
    with pytest.warns(UninformativeScoreWarning):
        selector = ManiFeSt(5, approximation="context", **rounding).fit(X, y)
    assert not selector.informative_
    assert ManiFeSt(5, approximation="context", block=99).fit(X, y).informative_
    with mock.patch("manifest.mean.TOLERANCE", 0.0):
        ((category, _), *_) = context_score(X, three, block=45).warnings()
    assert category is MeanNotConvergedWarning


def test_repeats_are_independent_and_they_and_larger_blocks_bring_the_score_nearer():
    X, y = samples(n=60, d=400)
    exact = manifest_score(X, y, geometry="regularized")
    many = context_score(X, y, block=100, repeats=12)
    assert many.repeats.shape == (12, 400)
    np.testing.assert_allclose(many.scores, many.repeats.mean(axis=0))
    np.testing.assert_allclose(many.error, many.repeats.std(axis=0, ddof=1) / np.sqrt(12))
    alone = np.mean([spearmanr(run, exact)[0] for run in many.repeats])
    assert spearmanr(many.scores, exact)[0] > alone
    # Halves of six repeats differ by their standard errors, up to chance.
    halves = many.repeats[::2].mean(axis=0) - many.repeats[1::2].mean(axis=0)
    assert 0.7 < np.sqrt(np.mean(halves**2) / np.mean((2 * many.error) ** 2)) < 1.3
    near = [
        agreement(context_score(X, y, block=b, repeats=4).scores, exact) for b in (25, 100, 200)
    ]
    assert near[0].spearman < near[1].spearman < near[2].spearman
    assert near[2].spearman > 0.9


def test_the_scale_of_many_features_is_that_of_random_pairs():
    rng = np.random.default_rng(0)
    X = rng.gamma(2.0, size=(12, 2000)) * rng.lognormal(size=2000)
    assert PAIRS < 2000 * 1999 // 2
    sampled, exact, low, high = (
        ClassSamples.of(X, 0, SEED, scale_factor=2.0, percentile=p, every_pair=every).scale
        for p, every in ((30, False), (30, True), (29.8, True), (30.2, True))
    )
    assert sampled != exact
    # Five standard errors of the share of pairs below it are 0.22 %.
    assert low < sampled < high


def test_memory_is_that_of_the_samples_and_one_block():
    peaks = []
    for d in (2000, 4000):
        call = partial(context_score, *samples(n=10, d=d), block=100, context=100, repeats=1)
        peaks.append(peak(call, 4000))
    assert max(peaks) < 1 / 2
    # A million pairs of features and one block are the same for both.
    assert peaks[1] - peaks[0] < 50 * 2000 / 4000**2


def test_progress_counts_blocks():
    told: list[tuple[int, int]] = []
    X, y = samples()
    found = context_score(X, y, block=20, repeats=2, progress=lambda *at: told.append(at))
    # Two repeats of three blocks, and six blocks of half the size.
    assert told == [(i, 12) for i in range(1, 13)]
    assert found.n_blocks == 3


@over("d", [60, 1500])
def test_a_scale_of_zero_is_said(d):
    X, y = samples(d=d)
    X[y == 1] = 0.0
    with pytest.raises(ValueError, match=f"scale of class 1 is zero.* between its {d} features"):
        context_score(X, y, block=20)


def test_features_far_smaller_than_others_are_scored_like_constants():
    X, y = samples(d=100)
    X[:, :50] *= 1e-200
    found = context_score(X, y, block=20)
    assert np.isfinite(found.scores).all()
    assert (found.scores >= 0).all()


@over("geometry", ["auto", "regularized"])
def test_the_function_and_the_selector_approximate_on_request_and_are_exact_without(geometry):
    X, y = samples()
    given = {"geometry": geometry, "approximation": "context", "block": 25, "repeats": 4}
    found = context_score(X, y, block=25, repeats=4)
    with pytest.warns(ApproximationWarning, match="Take larger blocks"):
        scores = manifest_score(X, y, **given)
    np.testing.assert_array_equal(scores, found.scores)
    with pytest.warns(ApproximationWarning, match="Take larger blocks"):
        selector = ManiFeSt(7, **given).fit(X, y)
    np.testing.assert_array_equal(selector.scores_, found.scores)
    np.testing.assert_array_equal(selector.score_error_, found.error)
    assert selector.agreement_ == found.agreement(7)
    assert selector.agreement_of_sizes_ == found.agreement_of_sizes(7)
    assert selector.scales_ == found.scales
    assert selector.geometry_ == "regularized"
    assert selector.transform(X).shape == (40, 7)
    exact = ManiFeSt().fit(X, y)
    assert (exact.score_error_ == 0).all()
    assert exact.agreement_ == exact.agreement_of_sizes_ == (1.0, 1.0)


REFUSED = [
    ({"block": 1}, "block must be an integer >= 2, got 1"),
    ({"block": 20.0}, "block must be an integer >= 2, got 20.0"),
    ({"context": -1}, "context must be an integer >= 0, got -1"),
    ({"repeats": 0}, "repeats must be an integer >= 1, got 0"),
    ({"repeats": True}, "repeats must be an integer >= 1, got True"),
    ({"random_state": None}, "random_state must be an integer >= 0, got None"),
    ({"n_jobs": 0}, "n_jobs must be None, a number of processes, or -1"),
    ({"percentile": 101}, "percentile must be None or lie in"),
    ({"approximation": "nystroem"}, "approximation must be None or 'context', got 'nystroem'"),
    ({"geometry": "spsd"}, "geometry='spsd' has no approximation"),
]


@over(("parameters", "message"), REFUSED)
def test_what_cannot_be_approximated(parameters, message):
    X, y = samples()
    parameters = {"approximation": "context", **parameters}
    for fit in (manifest_score, lambda X, y, **given: ManiFeSt(**given).fit(X, y)):
        with pytest.raises(ValueError, match=message):
            fit(X, y, **parameters)


def test_aligned_blocks_have_one_distribution_and_keep_their_order():
    rng = np.random.default_rng(0)
    blocks = [Block(np.arange(200), np.arange(0)), Block(np.arange(200, 400), np.arange(0))]
    similarity = rng.normal(size=(400, 2))
    truth = np.exp(similarity @ [0.5, -0.2] + 0.1 * rng.normal(size=400))
    truth[7] = 50.0
    found = [
        [
            (truth[:200] * np.exp(0.3 + 0.4 * similarity[:200, 0]), similarity[:200]),
            (truth[200:] * np.exp(-0.3 - 0.4 * similarity[200:, 0]), similarity[200:]),
        ]
    ]
    (result,) = aligned([blocks], found, 400)
    mistaken = np.concatenate([scores for scores, _ in found[0]])
    assert spearmanr(mistaken, truth)[0] < 0.9 < 0.98 < spearmanr(result, truth)[0]
    # A single feature that stands out keeps standing out, and the other block gets none.
    assert np.argmax(result) == 7
    assert result[7] > 10 * result[200:].max()


def test_scores_of_zero_stay_zero():
    blocks = [Block(np.arange(3), np.arange(0)), Block(np.arange(3, 6), np.arange(0))]
    similarity = np.ones((3, 2))
    (result,) = aligned([blocks], [[(np.zeros(3), similarity), (np.zeros(3), similarity)]], 6)
    np.testing.assert_array_equal(result, 0)
    half = [(np.array([0.0, 1.0, 2.0]), similarity), (np.array([1.0, 0.0, 2.0]), similarity)]
    (result,) = aligned([blocks], [half], 6)
    np.testing.assert_array_equal(result == 0, [True, False, False, False, True, False])
    assert np.isfinite(result).all()


def test_agreement_is_one_for_equal_and_low_for_unrelated_scores():
    rng = np.random.default_rng(0)
    one, other = rng.random((2, 1000))
    assert agreement(one, one) == pytest.approx(Agreement(1.0, 1.0))
    assert agreement(one, -one) == pytest.approx(Agreement(-1.0, 0.0))
    low = agreement(one, other, k=500)
    assert abs(low.spearman) < 5 / np.sqrt(1000)
    assert abs(low.top - 0.5) < 5 * 0.5 / np.sqrt(1000)
    assert np.isnan(agreement(np.ones(9), one[:9]).spearman)


def test_little_agreement_is_complained_about():
    def result(*repeats, half_size):
        table = np.array(repeats)
        return ContextScore(table.mean(axis=0), table.std(axis=0), table, half_size, (1.0, 1.0), 2)

    rng = np.random.default_rng(0)
    good, other = rng.random((2, 300))
    assert result(good, good, half_size=good).warnings() == []
    ((_, by_chance),) = result(good, other, half_size=(good + other) / 2).warnings()
    assert "between two independent halves" in by_chance
    ((_, by_size),) = result(good, good, half_size=other).warnings()
    assert "and blocks of half the size" in by_size
    # One repeat says nothing about chance, which is no agreement and no warning.
    single = result(good, half_size=good)
    assert np.isnan(single.agreement()).all()
    assert single.warnings() == []
