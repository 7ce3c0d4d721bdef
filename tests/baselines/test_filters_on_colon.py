"""The own forms against the wrapped ones on real data: ternary genes, many of them tied."""

import numpy as np
import pytest

from baselines import fisher_score, gini_index, laplacian_score, relieff

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def colon(mirror):
    with np.load(mirror / "colon.npz", allow_pickle=False) as stored:
        return stored["X"].astype(float), stored["y"]


def test_gini_index_ranks_as_skfeature_to_the_last_tie(colon):
    X, y = colon
    order = np.argsort(-gini_index(X, y))
    by_skfeature = np.argsort(-gini_index(X, y, engine="skfeature"))
    np.testing.assert_array_equal(order, by_skfeature)


@pytest.mark.parametrize("k", [1, 5, 20])
def test_relieff_has_skfeatures_scores(colon, k):
    wrapped = relieff(*colon, k=k, engine="skfeature")
    np.testing.assert_allclose(relieff(*colon, k=k), wrapped, rtol=0, atol=1e-10)


@pytest.mark.parametrize("scorer", [fisher_score, laplacian_score])
def test_fisher_and_laplacian_follow_skfeatures_order(colon, scorer):
    order = np.argsort(-scorer(*colon, engine="skfeature"))
    assert np.diff(scorer(*colon)[order]).max() <= 1e-12
