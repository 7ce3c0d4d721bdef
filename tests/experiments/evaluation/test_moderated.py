"""Moderated statistics: those of limma, classical ones without a prior, and what gaps leave."""

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from experiments.evaluation import moderated as module
from experiments.evaluation.moderated import inverse_trigamma, moderated, p_and_q, rank_test

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1, 1, 2, 2, 2], 5)
X = RNG.normal(size=(30, 40)) * RNG.gamma(2, size=40) + 7


@pytest.fixture
def reference(mirror):
    folder = mirror.parent / "reference"
    if not (folder / "limma_golub.csv").is_file():
        pytest.skip(f"no reference values at {folder}")
    return folder


def check(found, known, columns):
    for name, column in columns.items():
        np.testing.assert_allclose(getattr(found, name), known[column], rtol=1e-8, err_msg=name)


def test_the_statistics_are_those_of_limma(mirror, reference):
    both = {"p": "p", "q": "q"}
    two = {"effect": "difference", "low": "ci_low", "high": "ci_high", "statistic": "t", **both}
    for name, columns in (("golub", two), ("tissue_gene_expression", {"statistic": "F", **both})):
        with np.load(mirror / f"{name}.npz", allow_pickle=True) as data:
            table, y = data["X"].astype(float), np.unique(data["y"], return_inverse=True)[1]
        known = pd.read_csv(reference / f"limma_{name.partition('_')[0]}.csv")
        check(moderated(table, y), known, columns)
        np.testing.assert_allclose(p_and_q(table, y)[0], known["p"], rtol=1e-8)
    table = pd.read_csv(reference / "adjusted_table.csv")
    covariates = np.column_stack([table["batch"] == "b", table["age"]]).astype(float)
    y = (table["status"] == "case").to_numpy().astype(int)
    found = moderated(table.filter(regex=r"^f\d").to_numpy(float), y, covariates)
    check(found, pd.read_csv(reference / "limma_adjusted.csv"), two)
    assert np.isinf(found.prior.df)


def test_one_feature_alone_has_the_classical_statistic():
    """There is nothing to learn a prior from; more classes have the F of scipy."""
    for classes in ((0, 1), (0, 1, 2)):
        rows = np.isin(Y, classes)
        parts = [X[label == Y, 0] for label in classes]
        found = moderated(X[rows][:, :1], Y[rows])
        np.testing.assert_allclose(found.p[0], stats.f_oneway(*parts).pvalue)
        squares = sum(part.var() * part.size for part in parts)
        np.testing.assert_allclose(found.deviation[0] ** 2 * (rows.sum() - len(classes)), squares)
    t = stats.ttest_ind(X[Y == 1, 0], X[Y == 0, 0])
    rows = Y < 2
    found = moderated(X[rows][:, :1], Y[rows])
    ends = t.confidence_interval()
    np.testing.assert_allclose([found.low[0], found.high[0]], [ends.low, ends.high])
    # Scheffé: all intervals hold zero if F is not significant.
    found = moderated(X, Y)
    wide = np.asarray(stats.f.ppf(0.95, 2, found.df))
    quiet = found.statistic < wide
    assert (found.low[quiet] < 0).all()
    half = (found.high - found.low)[0] / 2
    u = np.diag(module.fitted(X[:, :1], Y).unscaled[0])[[found.higher[0], found.lower[0]]].sum()
    np.testing.assert_allclose(half**2, 2 * wide[0] * u * found.deviation[0] ** 2)


def test_units_change_effects_and_nothing_else():
    one = moderated(X, Y)
    for shift, scale in ((0.0, 1e3), (-1e3, 1.0), (50.0, 1e-3)):
        other = moderated(scale * X + shift, Y)
        for name in ("statistic", "p", "q", "df", "p_rank"):
            old = getattr(one, name)
            np.testing.assert_allclose(getattr(other, name), old, rtol=1e-5, atol=1e-12)
        np.testing.assert_allclose(other.effect, scale * one.effect, rtol=1e-6)


def test_a_gap_leaves_its_sample_out_of_its_feature():
    table = X.copy()
    table[:3, 4] = np.nan
    table[Y == 1, 9] = np.nan
    fit = module.fitted(table, Y)
    short = module.fitted(X[3:], Y[3:])
    for name in ("variance", "df"):
        np.testing.assert_allclose(getattr(fit, name)[4], getattr(short, name)[4])
    found = moderated(table, Y)
    assert found.p[9] == 1
    assert np.isnan(found.effect[9])
    assert np.isfinite(found.p).all()
    kruskal = stats.kruskal(*(table[c == Y, :9] for c in range(3)), nan_policy="omit")
    np.testing.assert_allclose(rank_test(table[:, :9], Y), kruskal.pvalue)
    rows = Y < 2
    table[:, 5] = table[:, 5].round()  # Ties in one feature change no exact p of the others.
    own = [
        stats.mannwhitneyu(feature[Y == 0], feature[Y == 1], nan_policy="omit").pvalue
        for feature in table.T[:9]
    ]
    np.testing.assert_allclose(rank_test(table[rows][:, :9], Y[rows]), own)


def test_features_without_spread_are_told_apart():
    """A constant has p = 1; a feature that is constant within the classes has a small one."""
    table = np.column_stack([X[:, :8], np.full(30, 3.7), Y == 1])
    found = moderated(table, Y)
    assert found.means[[0, 2], 9].tolist() == [0, 0]
    equal = np.tile([0.1] * 7 + [0.4] * 13, 2)[:, None]
    same = moderated(equal, np.repeat([0, 1], 20))
    assert (same.effect[0], same.p[0]) == (0, 1)
    assert found.p[8] == 1
    assert found.p[9] < 1e-6
    assert found.p_rank[8] == 1
    np.testing.assert_array_equal(found.p[:8], p_and_q(table, Y)[0][:8])


def test_a_sign_that_is_constant_in_each_class_differs_as_one_with_an_error_does():
    """Among measurements with large variances, a prior alone would hide a perfect 0/1 feature."""
    y = np.repeat([0, 1], 20)
    table = np.random.default_rng(4).normal(size=(40, 11)) * np.linspace(10, 60, 11)
    perfect, almost = table.copy(), table.copy()
    perfect[:, 10] = almost[:, 10] = y
    almost[0, 10] = 1
    found = moderated(perfect, y)
    assert max(found.p[10], moderated(almost, y).p[10]) < 1e-9
    assert found.low[10] < found.effect[10] == 1 < found.high[10]
    constant = moderated(np.column_stack([table, np.full(40, 3.0)]), y)
    assert not constant.is_tested[11]
    assert np.isnan([constant.low[11], constant.high[11]]).all()


def test_a_feature_in_other_units_keeps_its_own_variance():
    """Laboratory values have units of all sizes: the prior of most must not hide the others."""
    rng = np.random.default_rng(3)
    units = np.array([12, 60, 400, 20, 5, 1.5, 30, 8, 100, 3, 0.04, 2e-5])
    y = np.repeat([0, 1], 20)
    table = rng.normal(size=(40, 12)) * units
    table[y == 1, 10:] += 1.5 * units[10:]
    found = moderated(table, y)
    assert np.isfinite(found.prior.df)
    classical = stats.ttest_ind(table[y == 1, 10:], table[y == 0, 10:]).pvalue
    np.testing.assert_allclose(found.p[10:], classical, rtol=1e-8)
    assert (found.q[10:] < 0.01).all()
    assert found.is_other[10:].all()
    assert not moderated(X, Y).is_other.any()


def test_what_cannot_be_tested_does_not_count_in_q():
    table = np.column_stack([X[:, :8], np.full((30, 40), 2.0)])
    found = moderated(table, Y)
    assert found.is_tested.tolist() == [True] * 8 + [False] * 40
    np.testing.assert_allclose(found.q[:8], stats.false_discovery_control(found.p[:8]))
    np.testing.assert_array_equal(found.q[8:], 1)
    np.testing.assert_array_equal(found.q, p_and_q(table, Y)[1])


def test_an_interval_in_deviations_inverts_the_noncentral_t():
    """Its ends leave 2.5 % beyond t; in new tables it holds the true effect in 95 %."""
    rows = Y < 2
    found = moderated(X[rows], Y[rows])
    size = np.sqrt(1 / 5 + 1 / 10)
    for ends, share in ((found.scaled_low, 0.975), (found.scaled_high, 0.025)):
        below = stats.nct.cdf(found.statistic, found.df, ends / size)
        np.testing.assert_allclose(below, share, atol=1e-4)
    assert np.isnan(moderated(X, Y).scaled_low).all()
    rng, y, delta, d = np.random.default_rng(5), np.repeat([0, 1], 6), 3.0, 4000
    spread = np.sqrt(1 / rng.gamma(2, 0.5, size=d))
    found = moderated(spread * (rng.normal(size=(12, d)) + delta * y[:, None]), y)
    inside = (found.scaled_low <= delta) & (delta <= found.scaled_high)
    assert abs(inside.mean() - 0.95) < 4 * np.sqrt(0.05 * 0.95 / d)


def test_the_rank_test_has_the_covariates_of_the_statistic():
    """It is uniform if only covariates differ, and that of Kruskal and Wallis without any."""
    rng = np.random.default_rng(2)
    kruskal = stats.kruskal(*(X[c == Y] for c in range(3)))
    np.testing.assert_allclose(rank_test(X, Y), kruskal.pvalue)
    batch = np.repeat([0, 1, 2], 30)
    y = (rng.random(90) < np.where(batch == 1, 0.8, 0.2)).astype(int)
    table = rng.normal(size=(90, 1000)) + 2 * (batch == 1)[:, None]
    columns = np.eye(3)[batch][:, 1:]
    p = moderated(table, y, columns).p_rank
    assert abs((p < 0.05).mean() - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 1000)
    assert (rank_test(table, y) < 0.05).mean() > 0.5
    # Monotone functions change nothing, and neither does a constant or a gap in another feature.
    np.testing.assert_allclose(rank_test(np.exp(table[:, :9]), y, np.exp(columns)), p[:9])
    table[0, 0], table[:, 1] = np.nan, 3.7
    again = rank_test(table[:, :9], y, columns)
    np.testing.assert_allclose(again[2:], p[2:9])
    assert again[1] == 1


def test_covariates_that_follow_from_others_count_once():
    """Half of the samples may lack a batch; the class may not follow from covariates."""
    batch = np.tile([0, 1, 2], 10)
    columns, y = np.eye(3)[batch][:, 1:], np.repeat([0, 1], 15)
    rows = batch < 2
    wanted = p_and_q(X[rows], y[rows], columns[rows][:, :1])
    np.testing.assert_allclose(p_and_q(X[rows], y[rows], columns[rows]), wanted)
    twice = np.hstack([columns, columns @ [[1.0], [2.0]]])
    np.testing.assert_allclose(p_and_q(X, y, twice), p_and_q(X, y, columns))
    assert (np.array(p_and_q(X, y, y[:, None].astype(float))) == 1).all()


def test_the_inverse_of_trigamma_is_one():
    for x in (1e-6, 0.3, 2.0, 1e5):
        assert inverse_trigamma(float(special.polygamma(1, x))) == pytest.approx(x, rel=1e-9)


def test_p_are_uniform_where_nothing_differs():
    """With a covariate that follows the class, too, which the plain test calls a difference."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 15)
    age = rng.normal(size=(30, 1)) + y[:, None]
    table = rng.normal(size=(30, 2000)) + age
    assert stats.kstest(moderated(table, y, age).p, "uniform").pvalue > 1e-3
    assert (moderated(table, y).p < 0.05).mean() > 0.1
