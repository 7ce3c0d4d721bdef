"""The generators: what they promise, and that they depend on their Generator alone."""

import numpy as np
import pytest

from experiments.datasets import GENERATORS, DataError, generate, load


def drawn(name, seed=0, **params):
    return generate(name, np.random.default_rng(seed), **params)


@pytest.mark.parametrize("name", GENERATORS)
def test_a_sample_depends_on_the_seed_alone(name):
    params = {"n_features": 205} if name == "expression_like" else {}
    one, same, other = (load(name, params=params, seed=seed) for seed in (1, 1, 2))
    assert one.fingerprint == same.fingerprint != other.fingerprint
    assert drawn(name, 1, **params).relevant == drawn(name, 1, **params).relevant


def test_there_are_two_samples_of_each_class_however_small():
    for name, params in (("xor", {"relevant": (0, 1)}), ("toy", {})):
        for seed in range(100):
            y = drawn(name, seed, n_samples=4, n_features=2, **params).y
            assert np.bincount(y).tolist() == [2, 2], (name, seed)


def test_xor_is_xor():
    X, _, relevant = drawn("xor")
    assert (X.shape, relevant) == ((50, 100), (0, 4))
    X, y, relevant = drawn("xor", n_samples=400, n_features=10, relevant=(7, 2))
    assert relevant == (2, 7)
    assert set(np.unique(X)) == {0.0, 1.0}
    assert np.array_equal(y, X[:, 2] != X[:, 7])
    # No feature alone, relevant or not, tells the classes apart: 5 standard deviations.
    assert np.abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0)).max() < 5 / np.sqrt(400)


def test_toy_is_its_first_feature_and_perhaps_a_constant():
    for constant, exchanged in ((None, False), (4, False), (4, True), (19, False)):
        X, y, relevant = drawn("toy", constant=constant, exchanged=exchanged)
        assert X.shape == (500, 20)
        assert relevant == (0,)
        assert np.array_equal(y, 1 - X[:, 0] if exchanged else X[:, 0])
        equal = np.flatnonzero(X.max(axis=0) == X.min(axis=0))
        assert equal.tolist() == [constant] * bool(constant)
        assert set(np.unique(X)) == {0.0, 1.0}
        # The others are fair coins that know nothing of the label: 5 standard deviations.
        for part in (X[y == 0], X[y == 1]):
            means = np.delete(part.mean(axis=0), [0, *equal])
            assert np.abs(means - 0.5).max() < 5 * 0.5 / np.sqrt(len(part))


def test_hypercube_knows_which_features_are_noise():
    """Noise is standard normal in either class; informative features have a wider spread."""
    for seed in range(5):
        X, y, relevant = drawn("hypercube", seed)
        assert X.shape == (2000, 200)
        assert len(relevant) == 10
        assert [*relevant] == sorted({*relevant})
        # One label in a hundred is drawn anew, half of which stay: 20 at most change classes.
        assert abs(np.bincount(y)[1] - 1000) <= 20
        noise = np.delete(X, relevant, axis=1)
        for members in (noise[y == 0], noise[y == 1]):
            n = len(members)
            assert np.abs(members.mean(axis=0)).max() < 5 / np.sqrt(n)
            assert np.abs(members.var(axis=0) - 1).max() < 5 * np.sqrt(2 / n)
        correlations = np.corrcoef(noise, rowvar=False) - np.eye(190)
        assert np.abs(correlations).max() < 6 / np.sqrt(2000)
        assert X[:, relevant].var(axis=0).min() > 1 + 5 * np.sqrt(2 / 2000)


def test_hypercube_puts_no_feature_and_no_class_first():
    counts, classes = np.zeros(20), np.zeros(40)
    for seed in range(400):
        _, y, relevant = drawn("hypercube", seed, n_samples=40, n_features=20, n_informative=5)
        counts[list(relevant)] += 1
        classes += y
    for found, share in ((counts / 400, 0.25), (classes / 400, 0.5)):
        assert np.abs(found - share).max() < 5 * np.sqrt(share * (1 - share) / 400)


def test_correlation_depends_on_the_class_in_relevant_blocks_alone_and_no_mean_or_variance():
    X, y, relevant = drawn(
        "expression_like", n_samples=4001, n_features=310, n_relevant_blocks=4, correlation=0.6
    )
    assert np.bincount(y).tolist() == [2001, 2000]
    assert len(relevant) == 80
    assert [*relevant] == sorted({*relevant})
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    for moment, variance in ((np.mean, 2), (np.var, 4)):
        change = moment(Z[y == 0], axis=0) - moment(Z[y == 1], axis=0)
        assert np.abs(change).max() < 5 * np.sqrt(variance / 2000)
    one, other = (np.corrcoef(X[y == label], rowvar=False) for label in (0, 1))
    change = np.abs(one - other)
    matters = np.isin(np.arange(310), relevant)
    noise = 6 * np.sqrt(2 / 2000)
    assert change[~matters].max() < noise
    # Each relevant feature has 19 others whose correlation with it changes by 0.6.
    assert ((change[matters] > 0.5).sum(axis=1) == 19).all()
    assert np.abs(change[change > 0.5] - 0.6).max() < noise
    # Either class is the correlated one, and other blocks are correlated as much in both.
    higher = (one - other)[change > 0.5]
    assert higher.min() < 0 < higher.max()
    others = np.abs(one[~matters][:, ~matters]) - np.eye((~matters).sum())
    assert 0.3 < others.max() < 0.6 + noise


@pytest.mark.parametrize(("name", "params", "says"), [
    ("xor", {"n_sample": 3}, "'n_samples'"), ("xor", {"rng": 1}, "'rng'"),
    ("xor", {"n_samples": 3}, "n_samples=3"), ("xor", {"n_samples": 5.0}, "n_samples=5.0"),
    ("xor", {"n_features": True}, "n_features=True"), ("toy", {"constant": 0}, "constant=0"),
    *(("xor", {"relevant": r}, "distinct") for r in ((0, 100), (3, 3), (-1, 3), (1, 2, 3))),
    ("toy", {"constant": 20}, "'constant': 20"), ("expression_like", {"block": 1}, "block=1"),
    ("hypercube", {"n_informative": 201}, "'n_informative': 201"),
    ("expression_like", {"n_features": 99}, "'n_features': 99"),
    ("expression_like", {"correlation": 1.0}, "'correlation': 1.0"),
])  # fmt: skip
def test_what_is_out_of_range_is_refused_by_its_name(name, params, says):
    with pytest.raises(DataError, match=says):
        load(name, params=params)
