"""The generators: what they promise, and that they depend on their Generator alone."""

import numpy as np
import pytest

from experiments.datasets import GENERATORS, DataError, generate, load

SMALL = {"xor": {}, "gisette_like": {"n_samples": 300, "n_features": 201}}


@pytest.mark.parametrize("name", GENERATORS)
def test_same_generator_same_sample(name):
    one, same, other = (generate(name, np.random.default_rng(s), **SMALL[name]) for s in (1, 1, 2))
    assert np.array_equal(one.X, same.X)
    assert np.array_equal(one.y, same.y)
    assert one.relevant == same.relevant
    assert not np.array_equal(one.X, other.X)


@pytest.mark.parametrize("name", GENERATORS)
def test_load_draws_by_seed(name):
    one, same, other = (load(name, params=SMALL[name], seed=seed) for seed in (1, 1, 2))
    assert one.fingerprint == same.fingerprint != other.fingerprint
    assert one.synthetic
    assert not one.verified


@pytest.mark.parametrize("relevant", [(0, 4), (7, 2)])
def test_xor_is_xor(relevant):
    sample = generate(
        "xor", np.random.default_rng(0), n_samples=400, n_features=10, relevant=relevant
    )
    one, other = sample.relevant
    assert sample.relevant == tuple(sorted(relevant))
    assert set(np.unique(sample.X)) == {0.0, 1.0}
    assert np.array_equal(sample.y, sample.X[:, one] != sample.X[:, other])
    # No feature alone, relevant or not, tells the classes apart: 5 standard deviations.
    means = [sample.X[sample.y == label].mean(axis=0) for label in (0, 1)]
    assert np.abs(means[0] - means[1]).max() < 5 / np.sqrt(400)


def test_xor_has_the_paper_s_shape():
    sample = generate("xor", np.random.default_rng(0))
    assert sample.X.shape == (50, 100)
    assert sample.relevant == (0, 4)


def test_xor_has_two_of_each_class_however_small():
    for seed in range(200):
        y = generate(
            "xor", np.random.default_rng(seed), n_samples=4, n_features=2, relevant=(0, 1)
        ).y
        assert np.bincount(y).tolist() == [2, 2]


def test_gisette_like_has_the_shape_of_gisette():
    sample = generate("gisette_like", np.random.default_rng(3), n_samples=2000, n_features=1001)
    X, y, relevant = sample
    assert X.dtype == np.float64
    assert np.array_equal(X, np.rint(X))
    assert X.min() == 0
    assert X.max() == 999
    assert 0.08 < (X > 0).mean() < 0.22
    assert np.bincount(y).tolist() == [1000, 1000]
    assert len(set(relevant)) == 501


def test_gisette_like_s_probes_know_nothing_of_the_classes():
    X, y, relevant = generate(
        "gisette_like", np.random.default_rng(4), n_samples=4000, n_features=1000
    )
    varying = X.std(axis=0) > 0
    correlation = np.zeros(X.shape[1])
    correlation[varying] = [np.corrcoef(column, y)[0, 1] for column in X.T[varying]]
    informative = np.zeros(X.shape[1], dtype=bool)
    informative[list(relevant)] = True
    assert np.abs(correlation[~informative]).max() < 5 / np.sqrt(4000)
    assert np.median(np.abs(correlation[informative])) > 5 / np.sqrt(4000)


def test_gisette_like_says_that_it_is_synthetic():
    data = load("gisette_like", params=SMALL["gisette_like"])
    assert data.synthetic
    assert "SYNTHETIC" in data.source
    assert data.citation == ""


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("xro", {}, r"no generator called 'xro'\. Did you mean 'xor'\? Choose from: xor"),
        ("xor", {"n_sample": 3}, r"'xor' called 'n_sample'\. Did you mean 'n_samples'"),
        ("xor", {"n_samples": 3}, "n_samples=3 must be an integer of at least 4"),
        ("xor", {"n_samples": 5.0}, "n_samples=5.0 must be an integer"),
        ("xor", {"n_features": True}, "n_features=True must be an integer"),
        ("xor", {"relevant": (0, 100)}, r"two distinct feature indices in 0\.\.99"),
        ("xor", {"relevant": (3, 3)}, "two distinct"),
        ("xor", {"relevant": (-1, 3)}, "two distinct"),
        ("xor", {"relevant": (1, 2, 3)}, "two distinct"),
        ("gisette_like", {"n_features": 1}, "n_features=1 must be an integer of at least 2"),
        ("gisette_like", {"rng": 1}, "no parameter of generator 'gisette_like' called 'rng'"),
    ],
)
def test_bad_input(name, params, message):
    with pytest.raises(DataError, match=message):
        load(name, params=params) if name in GENERATORS else generate(
            name, np.random.default_rng(0), **params
        )
