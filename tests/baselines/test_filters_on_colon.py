"""The own forms against the wrapped ones on real data: ternary genes, many of them tied."""

from functools import partial

import numpy as np
import pytest

from baselines import fisher_score, gini_index, information_gain, laplacian_score, relieff

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
def test_relieff_has_skfeatures_scores_where_noise_parts_equal_distances(colon, k):
    X, y = colon
    X = X + 1e-3 * np.random.default_rng(0).normal(size=X.shape)
    wrapped = relieff(X, y, k=k, scale=False, engine="skfeature")
    np.testing.assert_allclose(relieff(X, y, k=k, scale=False), wrapped, rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    "scorer", [fisher_score, partial(laplacian_score, neighbors=None)], ids=["fisher", "laplacian"]
)
def test_fisher_and_laplacian_follow_skfeatures_order(colon, scorer):
    order = np.argsort(-scorer(*colon, engine="skfeature"))
    assert np.diff(scorer(*colon)[order]).max() <= 1e-12


def test_noise_decides_which_genes_are_best_by_scikit_learns_information_gain(colon):
    """Why counting the ties is the default: permuting the columns changes half of the best 50."""
    X, y = colon
    order = np.random.default_rng(0).permutation(X.shape[1])

    def kept(ties):
        best, again = (
            np.argsort(-information_gain(columns, y, ties=ties), kind="stable")[:50]
            for columns in (X, X[:, order])
        )
        return np.intersect1d(best, order[again]).size

    assert kept("noise") < 25
    scores = information_gain(X, y)
    np.testing.assert_allclose(information_gain(X[:, order], y), scores[order], atol=1e-12)
