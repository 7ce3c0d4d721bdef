"""Calls to LAPACK and BLAS in place; the memory that a score takes; several scales at once."""

import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifest import AmbiguousScoreWarning, manifest_score
from manifest.linalg import exceeds, fill_upper, product
from manifest.spd import congruence, pencil
from tests.cases import over
from tests.manifest import entries

ORDERS = st.sampled_from("CF")


@given(st.integers(0, 99), ORDERS, ORDERS, st.booleans())
def test_product_of_any_layout_is_numpys(seed, first, second, sliced):
    rng = np.random.default_rng(seed)
    A, B = rng.normal(size=(7, 5)), rng.normal(size=(5, 6))
    if sliced:
        A, B = A[:, 1:], B[:4, ::2]
    ours = product(np.array(A, order=first), np.array(B, order=second))
    np.testing.assert_allclose(ours, A @ B, rtol=1e-13, atol=1e-13)


@over("d", [1, 2, 127, 128, 129, 300])
@over("order", ["C", "F"])
def test_fill_upper_mirrors_the_lower_triangle_in_place(d, order):
    A = np.array(np.random.default_rng(d).normal(size=(d, d)), order=order)
    lower = np.tril(A)
    filled = fill_upper(A)
    assert filled is A
    np.testing.assert_array_equal(filled, lower + np.tril(lower, -1).T)


@over("order", ["C", "F"])
def test_what_is_only_looked_at_is_not_changed(order):
    A = np.random.default_rng(0).normal(size=(20, 30))
    K1, K2 = (np.array(B @ B.T, order=order) for B in (A, A[::-1] + 1))
    before = K1.copy(), K2.copy()
    assert exceeds(K1, 0)
    assert not exceeds(K1, 1e3)
    F, h = pencil(K1, K2)
    np.testing.assert_array_equal([K1, K2], before)
    again, h_again = pencil(K1, K2, overwrite=True)
    np.testing.assert_array_equal([*F, h], [*again, h_again])


@given(st.lists(st.floats(-2, 0), max_size=5), st.lists(st.floats(0, 2), max_size=5))
def test_congruence_of_weights_of_either_sign(negative, positive):
    weights = np.array([0.0, *negative, 0.0, *positive])
    F = np.asfortranarray(np.random.default_rng(len(weights)).normal(size=(6, len(weights))))
    expected = F @ np.diag(weights) @ F.T
    np.testing.assert_allclose(congruence(F, weights), np.tril(expected), atol=1e-12)


def peak(function, d):
    """Peak memory of a call in arrays of d x d float64 numbers."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1] / (8 * d**2)
    finally:
        tracemalloc.stop()


@over("blank", [0.0, 0.2, 0.3, 0.6])
@over("geometry", ["spd", "spsd", "regularized"])
def test_a_score_takes_six_arrays_at_most(geometry, blank):
    """Algorithm 2 with few and with many dropped directions, too."""
    d = 300
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, d)), np.arange(40) % 2
    if blank and geometry == "spd":
        return  # Singular kernels have no score by Algorithm 1.
    X[:, : int(blank * d)] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AmbiguousScoreWarning)
        # Vectors and the samples themselves, a tenth of such an array, come on top.
        found = peak(lambda: manifest_score(X, y, percentile=95, geometry=geometry), d)
    assert found < 6.5


def test_every_entry_warns_where_it_was_called():
    X = np.random.default_rng(0).integers(0, 2, (50, 100)).astype(float)
    y = X[:, 0] != X[:, 4]
    for call in entries.ENTRIES:
        with pytest.warns(AmbiguousScoreWarning) as caught:
            call(X, y, geometry="spsd", scale_factor=0.1)
        assert {warning.filename for warning in caught} <= {__file__, entries.__file__}
