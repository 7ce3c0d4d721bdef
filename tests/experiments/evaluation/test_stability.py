"""Stability selection: bounds as published, halves that are complementary."""

import numpy as np
import pandas as pd
import pytest

from experiments.evaluation.moderated import p_and_q
from experiments.evaluation.stability import (
    complementary_pairs,
    false_selections,
    selected_shares,
    threshold_for,
)


def test_the_bounds_are_those_of_stabs(mirror):
    """Its search of the r-concave bound ends up to 3 % below the largest tail.

    It looks for the largest tail with a tolerance of 1e-4 in the parameter a, and its end, where
    the largest tail may lie, is never tried.
    """
    path = mirror.parent / "reference" / "stabs_bounds.csv"
    if not path.is_file():
        pytest.skip(f"no reference values at {path}")
    known = pd.read_csv(path)
    known = known[known["sampling"].eq("SS") & known["assumption"].eq("r-concave")]
    assert len(known)
    for row in known.to_dict("records"):
        found = false_selections(*[row[name] for name in ("n_features", "q", "threshold", "B")])
        assert 0.995 * row["pfer"] <= found <= 1.03 * row["pfer"]


def test_no_r_concave_distribution_has_a_larger_tail():
    """Random members of the family, of the same mean, stay below the bound."""
    rng = np.random.default_rng(0)
    n, q, p, threshold = 20, 10, 100, 0.8
    bound = false_selections(p, q, threshold, n) / p
    numbers = np.arange(2 * n + 1)
    for _ in range(500):
        # A concave power of the weights, decreasing from the start, is -1/4-concave.
        power = rng.gamma(1, size=2 * n + 1).cumsum() * rng.uniform(0, 3) + rng.uniform(0.01, 5)
        weights = np.cumsum(power) ** -4.0
        share = weights / weights.sum()
        if share @ numbers / (2 * n) <= q / p:
            assert share[round(2 * n * threshold) :].sum() <= bound or bound < 1e-4


def test_the_bound_falls_with_the_threshold_and_holds_for_random_selections():
    p, q, n = 40, 4, 25
    bounds = [false_selections(p, q, t, n) for t in np.arange(26, 51) / 50]
    assert (np.diff(bounds) <= 1e-9).all()
    least = threshold_for(p, q, n, 0.2)
    assert least is not None
    assert false_selections(p, q, least, n) <= 0.2 < false_selections(p, q, least - 0.02, n)
    # Features that matter nothing, to a selector that sees the samples.
    rng, stable = np.random.default_rng(0), []
    y, groups = np.repeat([0, 1], 20), np.arange(40)
    for _ in range(20):
        X = rng.normal(size=(40, p))

        def best(rows, X=X):
            return np.argsort(p_and_q(X[rows], y[rows])[0])[:q]

        shares = selected_shares(best, complementary_pairs(y, groups, n, rng), p)
        assert shares.sum() == pytest.approx(q)
        stable.append((shares >= least).sum())
    assert np.mean(stable) <= 0.2 + 3 * np.std(stable) / np.sqrt(20)


def test_halves_are_stratified_and_share_no_group():
    y = np.repeat([0, 0, 1, 1], [3, 4, 5, 6])
    groups = np.concatenate([np.arange(7) // 2, 10 + np.arange(11) // 2])
    halves = list(complementary_pairs(y, groups, 5, np.random.default_rng(0)))
    assert len(halves) == 10
    for one, other in zip(halves[::2], halves[1::2], strict=True):
        assert not set(groups[one]) & set(groups[other])
        for half in (one, other):
            assert [len(set(groups[half][y[half] == c])) for c in (0, 1)] == [2, 3]
            assert set(np.flatnonzero(np.isin(groups, groups[half]))) == set(half)


def test_arguments_out_of_range_are_refused():
    for arguments in ((10, 11, 0.8, 5), (10, 2, 0.5, 5), (10, 2, 0.8, 1)):
        with pytest.raises(ValueError, match="q must be 1 to 10"):
            false_selections(*arguments)
    assert threshold_for(3, 3, 10, 0.1) is None
