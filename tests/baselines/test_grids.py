"""Filters that score many values of a parameter at once: each row is the filter's for its value."""

import importlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from baselines import get, names
from tests.cases import over

GRIDS = {name: grid for name in names() if (grid := getattr(get(name), "grid", None))}
VALUES = st.lists(st.integers(1, 40), min_size=1, max_size=6)


@st.composite
def problems(draw):
    """Samples of two or three classes, the first of two samples or more."""
    n, d = draw(st.integers(3, 30)), draw(st.integers(1, 5))
    y = np.array([0, 0, 1, *draw(st.lists(st.integers(0, 2), min_size=n - 3, max_size=n - 3))])
    values = draw(st.sampled_from([st.integers(-2, 2), st.floats(-1, 1), st.floats(0, 1e150)]))
    return draw(arrays(np.float64, (n, d), elements=values)), y


@pytest.mark.parametrize("name", GRIDS)
@settings(max_examples=60)
@given(problem=problems(), values=VALUES)
def test_a_row_is_the_scorer_for_its_value(name, problem, values):
    X, y = problem
    parameter, grid = GRIDS[name]
    rows = grid(X, y, values)
    assert rows.shape == (len(values), X.shape[1])
    for value, row in zip(values, rows, strict=True):
        np.testing.assert_array_equal(row, get(name)(X, y, **{parameter: value}))


@over("name", GRIDS)
def test_blocks_of_another_size_change_nothing_but_the_rounding_of_sums(name, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.integers(3, size=(50, 30)), rng.integers(3, size=50)
    _, grid = GRIDS[name]
    expected = grid(X, y, [1, 5, 50])
    monkeypatch.setattr(importlib.import_module(f"baselines.filters.{name}"), "_CHUNK", 200)
    np.testing.assert_allclose(grid(X, y, [1, 5, 50]), expected, rtol=0, atol=1e-12)


@over("name", GRIDS)
def test_every_value_is_checked_and_an_empty_grid_is_refused(name):
    _, grid = GRIDS[name]
    for k, error in ((0, ValueError), (1.5, TypeError), (True, TypeError)):
        with pytest.raises(error, match="k must be"):
            grid(np.eye(4), [0, 1, 0, 1], [1, k])
    with pytest.raises(ValueError, match="at least one k"):
        grid(np.eye(4), [0, 1, 0, 1], [])
