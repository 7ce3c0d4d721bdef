"""The comparison of all pairs against scikit-learn's trees."""

import numpy as np
import pytest
from scipy.special import digamma
from sklearn.preprocessing import scale

from baselines import information_gain


def data(kind, n, n_classes):
    rng = np.random.default_rng(n)
    y = np.arange(n) % n_classes
    X = {
        "continuous": rng.normal(size=(n, 30)),
        "binary": rng.integers(0, 2, (n, 30)).astype(float),
        "ternary": 2.0 * rng.integers(-1, 2, (n, 30)),
        "skewed": np.exp(3 * rng.normal(size=(n, 30))),
    }[kind]
    X[:, :8] += y[:, None]
    return X, y


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n", [24, 56, 200])
@pytest.mark.parametrize("kind", ["continuous", "binary", "ternary", "skewed"])
def test_all_pairs_are_scikit_learns_trees(kind, n, n_classes):
    X, y = data(kind, n, n_classes)
    for k in (1, 3, n // n_classes // 2 - 1):
        ours, theirs = (information_gain(X, y, k=k, engine=e) for e in ("numpy", "sklearn"))
        np.testing.assert_array_equal(ours, theirs)


def ross(X, y, k, seed=0):
    """Ross (2014), sample by sample, with the scaling and the noise of scikit-learn."""
    X = scale(X, with_mean=False)
    noise = np.random.RandomState(seed).standard_normal(size=X.shape)
    X = X + 1e-10 * np.maximum(1, np.abs(X).mean(axis=0)) * noise
    keep = np.array([(y == label).sum() > 1 for label in y])
    X, y = X[keep], y[keep]
    scores = []
    for x in X.T:
        terms = []
        for i, label in enumerate(y):
            inside = np.sort(np.abs(x[y == label] - x[i]))
            k_i = min(k, len(inside) - 1)
            m = (np.abs(x - x[i]) < inside[k_i]).sum()
            terms.append(digamma(k_i) - digamma(len(inside)) - digamma(m))
        scores.append(max(0.0, digamma(len(y)) + np.mean(terms)))
    return np.array(scores)


@pytest.mark.parametrize("k", [1, 5, 11, 12, 13, 30, 100])
@pytest.mark.parametrize("kind", ["continuous", "binary", "ternary"])
def test_is_the_formula_for_any_number_of_neighbours(kind, k):
    X, y = data(kind, 25, 2)
    y[3] = 7
    np.testing.assert_allclose(information_gain(X, y, k=k), ross(X, y, k), atol=1e-12)


def test_scikit_learn_departs_from_it_on_discrete_values_from_half_of_a_class_on():
    """Pins the trap: its distances there, of norms and products, drown the noise between ties."""
    X, y = data("binary", 24, 2)
    for k, agrees in ((5, True), (6, False), (11, False)):
        theirs = information_gain(X, y, k=k, engine="sklearn")
        assert (np.abs(theirs - ross(X, y, k)).max() < 1e-9) == agrees
        np.testing.assert_allclose(information_gain(X, y, k=k), ross(X, y, k), atol=1e-12)


def test_agrees_on_the_real_genes(mirror):
    with np.load(mirror / "colon.npz") as colon:
        X, y = colon["X"][:, :300].astype(float), colon["y"]
    for k in (1, 5, 10):
        np.testing.assert_array_equal(
            information_gain(X, y, k=k), information_gain(X, y, k=k, engine="sklearn")
        )


def test_an_unknown_engine_ends_with_a_sentence():
    X, y = data("binary", 24, 2)
    with pytest.raises(ValueError, match='"numpy" or "sklearn", got \'skfeature\''):
        information_gain(X, y, engine="skfeature")
