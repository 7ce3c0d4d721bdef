"""References, calibration and relevance: theorems about what each of them sees."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.distance import pdist, squareform

from manifest import UninformativeScoreWarning, manifest_score
from manifest.blocks import ranks
from manifest.kernels import squared_feature_distances
from manifest.references import LabelledDistances, parts_of, similarity_of, with_references
from manifest.regularized import regularization
from manifest.relevance import calibrated_relevance, permuted_labels, shrunk
from tests import oracle

pytestmark = pytest.mark.filterwarnings("error")


def exact_moments(shifts, n=40, seed=0):
    """Two balanced classes: in each, features of variance 1 without correlation, +-shift / 2 apart.

    They are what samples tend to: distances take the place of their expectations.
    """
    rng, d = np.random.default_rng(seed), len(shifts)
    halves = []
    for sign in (1, -1):
        Z = rng.normal(size=(n // 2, d))
        Q, _ = np.linalg.qr(Z - Z.mean(axis=0))
        halves.append(Q * np.sqrt(n / 2) + sign * np.asarray(shifts) / 2)
    return np.vstack(halves), np.repeat([0, 1], n // 2)


def parts(X, y, factor, geometry="regularized"):
    """The parts at one scale."""
    labels = tuple(np.unique(y).tolist())
    whole, unit = with_references(X)
    kernels = LabelledDistances(whole, np.searchsorted(labels, y)).kernels(factor, labels, unit)
    return parts_of(kernels, labels, geometry, similarity=True)


@pytest.mark.parametrize("shift", [0.0, 0.5, 3.0])
def test_without_references_a_shift_is_not_seen_at_all(shift):
    X, y = exact_moments([shift] * 3 + [0] * 9)
    K1, K2 = (oracle.kernel(X[y == label])[0] for label in (0, 1))
    np.testing.assert_allclose(K1, K2, atol=1e-12)
    with pytest.warns(UninformativeScoreWarning):
        assert manifest_score(X, y).max() < 1e-12


def test_an_exclusive_or_of_three_is_not_seen_by_pairs():
    X = np.array(list(product([0.0, 1.0], repeat=5)))
    pair, three = (X[:, :k].sum(axis=1).astype(int) % 2 for k in (2, 3))
    with pytest.warns(UninformativeScoreWarning):
        assert manifest_score(X, three).max() < 1e-9
    found = manifest_score(X, pair)
    assert found[:2].min() > 10 * found[2:].max()


@pytest.mark.parametrize(("shift", "factor"), [(0.2, 0.25), (0.5, 0.25), (1.0, 0.28)])
def test_the_mean_part_at_small_scales_has_a_closed_form(shift, factor):
    """D is (K1 - K2) / 2 if K is near the identity, and r at m +- 2s has squared distance
    n_l (1 + (mean_l - r)^2), against n_l 2 between features: with a = shift / 2,

        k(i, r) = exp(-(1 + (+-a - r)^2) / (4 f^2)),  mean part = |k(a, 2s) - k(-a, 2s)|.
    """
    X, y = exact_moments([shift] + [0] * 7)
    r, a = 2 * X.std(), shift / 2
    near, far = (np.exp(-(1 + (c - r) ** 2) / (4 * factor**2)) for c in (a, -a))
    np.testing.assert_allclose(parts(X, y, factor).mean[0], near - far, rtol=5e-3)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_parts_are_entries_of_the_operators_as_they_are_written(n_classes):
    rng = np.random.default_rng(0)
    y = np.arange(36) % n_classes
    X = rng.normal(size=(36, 9)) + 0.5 * y[:, None] * (np.arange(9) < 3)
    references = np.tile(X.mean() + np.array([-2, 2]) * X.std(), (36, 1))
    whole, kernels = np.column_stack([references, X]), []
    for label in range(n_classes):
        _, scale = oracle.kernel(X[y == label])
        squared = squareform(pdist(whole[y == label].T, "sqeuclidean"))
        kernels.append(np.exp(-squared / (2 * scale**2)))
    plain = [K - np.mean(kernels, axis=0) for K in kernels]
    flat = parts(X, y, 1.0, "euclidean")
    largest = [np.sort(abs(one[2:, 2:]), axis=1)[:, -3:].mean(axis=1) for one in plain]
    np.testing.assert_allclose(flat.association, np.max(largest, axis=0), atol=1e-13)
    mean = np.max([abs(one[2:, 0] - one[2:, 1]) for one in plain], axis=0)
    np.testing.assert_allclose(flat.mean, mean, atol=1e-13)
    np.testing.assert_allclose(flat.similarity, np.mean(kernels, axis=0)[2:, 2:], atol=1e-13)
    kernels = [K + regularization(*kernels) * np.eye(11) for K in kernels]
    M = kernels[0]
    for _ in range(1 if n_classes == 2 else 25):  # a fixed point; two matrices take one step
        step = np.mean([oracle.log_spd(M, K) for K in kernels], axis=0)
        M = M @ expm(np.linalg.solve(M, step))
    D = [oracle.log_spd(M, K) for K in kernels]
    mean = np.max([abs(one[2:, 0] - one[2:, 1]) for one in D], axis=0)
    association = np.max([oracle.score(one[2:, 2:]) for one in D], axis=0)
    ours = parts(X, y, 1.0)
    np.testing.assert_allclose(ours.association, association, rtol=1e-6)
    np.testing.assert_allclose(ours.mean, mean, rtol=1e-6, atol=1e-9)


def test_distances_of_permuted_labels_are_the_total_less_those_of_the_other_classes():
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(40, 7)), rng.integers(3, size=40)
    whole, unit = with_references(X)
    distances = LabelledDistances(whole, codes)
    permuted = rng.permutation(codes)
    distances.label(permuted)
    labels = (0, 1, 2)
    for (K, scale), label in zip(distances.kernels(0.7, labels, unit), labels, strict=True):
        squared = squared_feature_distances(whole[permuted == label])
        expected = np.exp(-squared / (2 * (scale / unit) ** 2))
        np.testing.assert_allclose(K, expected, atol=1e-13)


@given(d=st.integers(2, 12), shift=st.floats(0, 0.1), seed=st.integers(0, 99))
def test_the_similarity_is_positive_semi_definite_and_that_of_copies_is_1(d, shift, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, d))
    X = np.column_stack([X, X[:, 0]])
    K = [oracle.kernel(part)[0] + shift * np.eye(d + 1) for part in (X[:15], X[15:])]
    K = [np.pad(one, ((2, 0), (2, 0))) + np.diag([1.0, 1.0, *np.zeros(d + 1)]) for one in K]
    delta = regularization(*K)
    M = oracle.algorithm_1(*(one + delta * np.eye(d + 3) for one in K))[0]
    S = similarity_of(SimpleNamespace(mean_operator=lambda: M, delta=delta + shift))
    assert np.linalg.eigvalsh(S).min() > -1e-6
    np.testing.assert_allclose(S[0, -1], 1, atol=1e-6)


@given(d=st.integers(3, 500), effect=st.floats(0, 5), seed=st.integers(0, 999))
def test_a_calibrated_score_is_the_estimator_of_james_and_stein(d, effect, seed):
    rng = np.random.default_rng(seed)
    null = rng.normal(3, 0.5, size=(3, d))
    score = rng.normal(3, 0.5, size=d) + effect * rng.normal(size=d)
    z = (score - null.mean()) / null.std()
    expected = z * max(1 - d / (z @ z), 1 / d)
    effects, weight = shrunk(score, null)
    np.testing.assert_allclose(effects, expected)
    assert 0 <= weight <= 1
    # A null without spread counts nothing.
    assert shrunk(np.arange(3.0), np.ones((2, 3))) == (pytest.approx([0, 0, 0]), 0.0)


def test_calibrated_scores_do_not_depend_on_the_units_of_the_scorers():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    X = rng.normal(size=(30, 8)) + (np.arange(8) == 2) * y[:, None]

    def gap(X, labels):
        return abs(X[labels == 0].mean(axis=0) - X[labels == 1].mean(axis=0))

    def calibrated(*scorers):
        return calibrated_relevance(X, y, scorers=scorers, n_permutations=1).others

    once = calibrated(gap)
    other = calibrated(lambda X, labels: 7 - 5 * -gap(X, labels))
    np.testing.assert_allclose(once, other, rtol=1e-9)
    np.testing.assert_allclose(calibrated(gap, gap), 2 * once)
    assert np.argmax(once) == 2


@settings(max_examples=25)
@given(seed=st.integers(0, 999), ternary=st.booleans())
def test_permuted_labels_follow_the_rows(seed, ternary):
    rng = np.random.default_rng(seed)
    X = rng.choice([-1.0, 0, 1], size=(15, 25)) if ternary else rng.normal(size=(15, 6))
    codes = rng.integers(3, size=15)
    X[10:], codes[10:] = X[:5], (codes[:5] + 1) % 3  # copies of another class
    rows, columns = rng.permutation(15), rng.permutation(X.shape[1])
    for one, other in zip(
        permuted_labels(ranks(X), codes, 2, 7),
        permuted_labels(ranks((3 * X + 1)[np.ix_(rows, columns)]), codes[rows], 2, 7),
        strict=True,
    ):
        np.testing.assert_array_equal(np.bincount(one), np.bincount(codes))
        np.testing.assert_array_equal(one[rows], other)


def test_the_relevance_is_the_sum_of_its_parts_and_least_for_a_constant_feature():
    X, y = exact_moments([1, 0.5, 0, 0, 0, 0])
    X[:, 3] = 3.0
    found = calibrated_relevance(X, y, n_permutations=1)
    total = np.delete(found.association + found.mean, 3)
    np.testing.assert_allclose(total, np.delete(found.relevance, 3))
    assert found.relevance[3] < np.delete(found.relevance, 3).min()
    assert found.steps[3] > np.delete(found.steps, 3).max()


@pytest.mark.parametrize(("name", "values"), [
    ("scorers", ([lambda X, y: [1.0]], [lambda X, y: [1, 2, np.inf]])),
    ("block", (1, 2, 20.0, True)), ("n_selected", (0, None)), ("n_permutations", (0, "many")),
    ("random_state", (-1, None)),
])  # fmt: skip
def test_what_makes_no_sense_is_refused(name, values):
    X, y = exact_moments([1, 0, 0])
    for value in values:
        with pytest.raises(ValueError, match=name.removesuffix("s")):
            calibrated_relevance(X, y, **{name: value})


def test_two_features_are_too_few(monkeypatch):
    monkeypatch.setattr("manifest.relevance.SCALE_FACTORS", (0.01,))
    X, y = np.random.default_rng(0).integers(2, size=(20, 2)).astype(float), np.arange(20) % 2
    with pytest.warns(UninformativeScoreWarning, match="Two features"):
        result = calibrated_relevance(X, y)
    assert np.isfinite(result.relevance).all()
