"""The own forms against the wrapped ones on real data: ternary genes, many of them tied."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from skfeature.function.similarity_based.fisher_score import fisher_score as wrapped_fisher
from skfeature.function.similarity_based.lap_score import lap_score
from skfeature.function.statistical_based.gini_index import gini_index as wrapped_gini
from skfeature.utility.construct_W import construct_W

from baselines import fisher_score, gini_index, information_gain, laplacian_score, relieff
from baselines._common import shifted
from tests.cases import over

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def colon(mirror):
    with np.load(mirror / "colon.npz", allow_pickle=False) as stored:
        return stored["X"].astype(float), stored["y"]


def test_gini_index_ranks_as_skfeature_to_the_last_tie(colon):
    X, y = colon
    order = np.argsort(-gini_index(X, y))
    np.testing.assert_array_equal(order, wrapped_gini(X, y, mode="index"))


@over("k", [1, 5, 20])
def test_relieff_has_skfeatures_scores_where_noise_parts_equal_distances(colon, k):
    X, y = colon
    X = X + 1e-3 * np.random.default_rng(0).normal(size=X.shape)
    wrapped = relieff(X, y, k=k, scale=False, engine="skfeature")
    np.testing.assert_allclose(relieff(X, y, k=k, scale=False), wrapped, rtol=0, atol=1e-10)


def test_fisher_and_laplacian_follow_skfeatures_order(colon):
    X, y = colon
    order = wrapped_fisher(shifted(X), y, mode="index")
    assert np.diff(fisher_score(X, y)[order]).max() <= 1e-12
    graph = {"metric": "euclidean", "neighbor_mode": "knn", "weight_mode": "heat_kernel"}
    W = construct_W(X, k=len(X) - 1, t=np.median(pdist(X)), **graph)
    order = lap_score(shifted(X), W=W, mode="index")
    assert np.diff(laplacian_score(X, neighbors=None)[order]).max() <= 1e-12


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
