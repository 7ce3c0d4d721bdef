"""The table of features, and what counts as better than chance: identities and bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from experiments.kinds.select.answer import wrapped
from experiments.kinds.select.features import (
    differences,
    duplicates,
    groups,
    q_values,
    suspicions,
)
from experiments.kinds.select.tables import is_better, p_value
from experiments.report.text import cut, percent

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], [12, 8])
X = RNG.normal(size=(20, 6))


def test_differences_are_cohens_d_whatever_the_units():
    difference, higher, means = differences(X, Y)
    a, b = X[Y == 0], X[Y == 1]
    pooled = np.sqrt((11 * a.var(axis=0, ddof=1) + 7 * b.var(axis=0, ddof=1)) / 18)
    expected = (b.mean(axis=0) - a.mean(axis=0)) / pooled
    np.testing.assert_allclose(difference, np.abs(expected))
    np.testing.assert_array_equal(higher, expected > 0)
    np.testing.assert_allclose(means, [a.mean(axis=0), b.mean(axis=0)])
    np.testing.assert_allclose(differences(100 * X + 7, Y)[0], difference)


def test_differences_without_spread_or_values():
    table = np.array([[1.0, 5.0, np.nan], [1.0, 5.0, 1.0], [1.0, 6.0, 3.0], [1.0, 6.0, 5.0]])
    difference, _, means = differences(table, np.array([0, 0, 1, 1]))
    assert difference[0] == 0
    assert difference[1] == np.inf
    assert means[:, 2].tolist() == [1, 4]


def test_q_values_are_those_of_benjamini_and_hochberg():
    table = np.column_stack([X, np.ones(20)])
    p = [stats.f_oneway(x[Y == 0], x[Y == 1]).pvalue for x in X.T]
    np.testing.assert_allclose(
        q_values(table, Y), stats.false_discovery_control([*p, 1.0], method="bh")
    )
    table[0, 0] = np.nan
    p[0] = stats.f_oneway(table[1:12, 0], table[12:, 0]).pvalue
    np.testing.assert_allclose(
        q_values(table, Y), stats.false_discovery_control([*p, 1.0], method="bh")
    )


def test_duplicates_name_the_first_of_equal_columns():
    table = X[:, [0, 1, 0, 2, 1, 0]]
    assert duplicates(table).tolist() == [-1, -1, 0, -1, 1, 0]
    assert duplicates(np.array([[0.0, -0.0], [1.0, 1.0]])).tolist() == [-1, 0]


@given(st.permutations(range(12)), st.floats(0.5, 0.99))
def test_groups_stand_under_their_best_ranked_member(order, near):
    table = np.column_stack([X, -2 * X + 0.1 * np.cos(np.arange(20))[:, None]])
    found = groups(table, order, near)
    rank = np.argsort(order)
    correlation = np.abs(np.corrcoef(table.T))
    np.testing.assert_array_equal(found[found], found)
    for j, of in enumerate(found):
        assert rank[of] <= rank[j]
        assert correlation[j, of] >= near - 1e-9
        heads = [h for h in set(found.tolist()) if rank[h] < rank[of]]
        assert all(correlation[j, h] < near + 1e-9 for h in heads)


def test_constant_features_stand_for_themselves():
    table = np.column_stack([np.ones(20), np.ones(20), X[:, 0]])
    assert groups(table, [0, 1, 2], 0.9).tolist() == [0, 1, 2]


def test_suspicious_features_are_told():
    place = RNG.permutation(20)
    rows = np.arange(20)
    table = np.column_stack([X[:, 0], Y + 0.1 * X[:, 1] / np.abs(X).max(), 0.5 * place, -place])
    table[place == 19, 3] = -18.5
    found = suspicions(table, Y, place)
    assert found[:2] == ["", "separates the classes alone"]
    assert found[2:] == ["follows the order of the rows"] * 2
    assert suspicions(table, Y, None)[2:] == ["", ""]
    assert suspicions(rows[:, None].astype(float), Y, rows) == [
        "separates the classes alone; follows the order of the rows"
    ]


def test_a_class_without_values_separates_nothing():
    table = X[:, :1].copy()
    table[Y == 0] = np.nan
    assert suspicions(table, Y, None) == [""]


chances = arrays(float, st.integers(1, 30), elements=st.floats(0, 1))


@given(chances, st.floats(0, 1))
def test_better_than_chance_is_above_the_shuffles(chance, accuracy):
    p = p_value(accuracy, chance)
    assert 1 / (1 + len(chance)) <= p <= 1
    if is_better(accuracy, chance):
        assert accuracy > chance.mean()
        assert p <= max(0.05, 1 / (1 + len(chance)))
        assert is_better(min(1.0, accuracy + 0.1), chance)
    assert not is_better(chance.max(), chance) or len(chance) >= 20


def test_nothing_is_better_than_no_shuffle_that_worked():
    assert not is_better(1.0, np.array([]))


@given(st.text(), st.integers(1, 40))
def test_wrapped_lines_keep_their_width(text, width):
    assert all(len(line) < 100 for line in wrapped(10 * text).splitlines())
    assert len(cut(text, width)) <= width


@pytest.mark.parametrize(("value", "text"), [(1.0, "100 %"), (0.5, "50 %"), (0.8333, "83.3 %")])
def test_percent(value, text):
    assert percent(value) == text
