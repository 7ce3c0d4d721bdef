"""Scores of blocks are made comparable, and two approximations are compared."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from manifest.blocks import Block
from manifest.context import Agreement, ContextScore, agreement, aligned


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
