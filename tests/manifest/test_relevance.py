"""References, calibration and relevance: theorems about what each of them sees."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.distance import pdist, squareform

from manifest import UninformativeScoreWarning, manifest_score
from manifest.blocks import ranks
from manifest.references import SCALE_FACTORS, LabelledDistances, parts_of, with_references
from manifest.regularized import FLOOR, regularization
from manifest.relevance import calibrated_relevance, permuted_labels, shrunk
from tests import oracle

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("shift", [0.0, 0.5, 3.0])
def test_without_references_a_shift_is_not_seen_at_all(shift):
    """In each class the features have variance 1 and no correlation, as samples tend to have."""
    rng, y = np.random.default_rng(0), np.repeat([0, 1], 20)
    X = np.vstack([np.linalg.qr(Z - Z.mean(axis=0))[0] for Z in rng.normal(size=(2, 20, 12))])
    X = np.sqrt(20) * X + shift * (y[:, None] - 0.5) * (np.arange(12) < 3)
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


@pytest.mark.parametrize("factor", [0.3, 1.0])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_parts_are_entries_of_the_operators_as_they_are_written(n_classes, factor):
    """Of any labels, by distances that were computed for others; two of the features are equal."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(36, 9)), rng.integers(n_classes, size=36)
    X[:, :3] += 0.5 * y[:, None]
    X[:, 8] = X[:, 7]
    references = np.tile(X.mean() + np.array([-2, 2]) * X.std(), (36, 1))
    columns, kernels, labels = np.column_stack([references, X]), [], tuple(range(n_classes))
    for label in labels:
        scale = factor * np.median(pdist(X[y == label].T))
        squared = squareform(pdist(columns[y == label].T, "sqeuclidean"))
        kernels.append(np.exp(-squared / (2 * scale**2)))
    whole, unit = with_references(X)
    distances = LabelledDistances(whole, rng.permutation(y))
    distances.label(y)

    def check(geometry, M, D, associations, **tolerance):
        given = distances.kernels(factor, labels, unit), labels, geometry
        ours = parts_of(*given, similarity=True)
        mean = np.max([abs(one[2:, 0] - one[2:, 1]) for one in D], axis=0)
        S, sizes = M[2:, 2:], np.sqrt(np.diag(M)[2:])
        for mine, expected in (
            (ours.association, np.max(associations, axis=0)),
            (ours.mean, mean),
            (ours.similarity, S / np.outer(sizes, sizes)),
        ):
            np.testing.assert_allclose(mine, expected, **tolerance)
        assert np.linalg.eigvalsh(ours.similarity)[0] > -1e-6
        return ours.similarity

    M = np.mean(kernels, axis=0)
    D = [K - M for K in kernels]
    largest = [np.sort(abs(one[2:, 2:]), axis=1)[:, -3:].mean(axis=1) for one in D]
    check("euclidean", M, D, largest, rtol=0, atol=1e-13)
    delta = regularization(*kernels)
    assert delta == pytest.approx(FLOOR)
    kernels = [K + delta * np.eye(11) for K in kernels]
    M = kernels[0]
    for _ in range(1 if n_classes == 2 else 25):  # a fixed point; two matrices take one step
        step = np.mean([oracle.log_spd(M, K) for K in kernels], axis=0)
        M = M @ expm(np.linalg.solve(M, step))
    D = [oracle.log_spd(M, K) for K in kernels]
    associations, shared = [oracle.score(one[2:, 2:]) for one in D], M - delta * np.eye(11)
    S = check("regularized", shared, D, associations, rtol=1e-6, atol=1e-9)
    assert S[7, 8] == pytest.approx(1, abs=1e-6)


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


@settings(max_examples=25)
@given(seed=st.integers(0, 999))
def test_permuted_labels_follow_the_rows_though_some_have_a_copy_in_another_class(seed):
    rng = np.random.default_rng(seed)
    X, codes = rng.normal(size=(15, 6)), rng.integers(3, size=15)
    X[10:], codes[10:] = X[:5], (codes[:5] + 1) % 3
    rows, columns = rng.permutation(15), rng.permutation(6)
    moved = ranks((3 * X + 1)[np.ix_(rows, columns)])
    one, of_next = (next(permuted_labels(ranks(X), codes, 1, s)) for s in (seed, seed + 1))
    other = next(permuted_labels(moved, codes[rows], 1, seed))
    assert (of_next != one).any()
    np.testing.assert_array_equal(np.bincount(one), np.bincount(codes))
    np.testing.assert_array_equal(one[rows], other)


def test_the_relevance_is_the_sum_of_its_parts_whatever_the_units_of_other_scorers():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    X = rng.normal(size=(30, 8)) + (np.arange(8) == 2) * y[:, None]
    X[:, 3] = 3.0

    def gap(X, labels):
        return abs(X[labels == 0].mean(axis=0) - X[labels == 1].mean(axis=0))

    def calibrated(*scorers):
        return calibrated_relevance(X, y, scorers=scorers, n_permutations=1)

    once = calibrated(gap)
    other = calibrated(lambda X, labels: 7 - 5 * -gap(X, labels))
    np.testing.assert_allclose(once.others, other.others, rtol=1e-9)
    varies = np.arange(8) != 3
    np.testing.assert_allclose(calibrated(gap, gap).others[varies], 2 * once.others[varies])
    assert np.argmax(once.others) == 2
    total = once.association + once.mean + once.others
    np.testing.assert_allclose(total[varies], once.relevance[varies])
    assert once.relevance[3] < once.relevance[varies].min()
    assert once.steps[3] > once.steps[varies].max()
    # A scorer counts as much as the mean over the four scales and the two parts.
    whole, unit = with_references(X[:, varies])
    distances = LabelledDistances(whole, y)
    permuted = next(permuted_labels(ranks(X[:, varies]), y, 1, 0))

    def parts(factor, labels):
        distances.label(labels)
        return parts_of(distances.kernels(factor, (0, 1), unit), (0, 1), "euclidean")

    effects: dict = {"association": [], "mean": []}
    for factor in SCALE_FACTORS:
        real, null = parts(factor, y), parts(factor, permuted)
        for part, found in effects.items():
            found.append(shrunk(getattr(real, part), getattr(null, part), real.rounding)[0])
    for part, found in effects.items():
        expected = np.sum(found, axis=0) / (2 * len(SCALE_FACTORS))
        np.testing.assert_allclose(getattr(once, part)[varies], expected, rtol=1e-9)


def test_two_features_are_too_few(monkeypatch):
    monkeypatch.setattr("manifest.relevance.SCALE_FACTORS", (0.01,))
    X, y = np.random.default_rng(0).integers(2, size=(20, 2)).astype(float), np.arange(20) % 2
    with pytest.warns(UninformativeScoreWarning, match="Two features"):
        result = calibrated_relevance(X, y)
    assert np.isfinite(result.relevance).all()
