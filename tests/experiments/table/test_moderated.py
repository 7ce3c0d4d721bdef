"""Moderated statistics: those of limma, classical ones without a prior, and what gaps leave."""

import os

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from experiments.table.moderated import fitted, moderated, prior_of

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1, 1, 2, 2, 2], 5)
X = RNG.normal(size=(30, 40)) * RNG.gamma(2, size=40) + 7
TWO = {"effect": "difference", "low": "ci_low", "high": "ci_high", "statistic": "t", "p": "p"}


@pytest.fixture
def known(mirror):
    """A function that reads a table that was made with limma, beside the data."""

    def read(name):
        path = mirror.parent / "reference" / name
        if not path.is_file() and not os.environ.get("CI"):
            pytest.skip(f"no reference values at {path}")
        return pd.read_csv(path)

    return read


def check(found, table, columns, prior):
    for name, column in columns.items():
        np.testing.assert_allclose(getattr(found, name), table[column], rtol=1e-6, err_msg=name)
    np.testing.assert_allclose(stats.false_discovery_control(found.p), table["q"], rtol=1e-6)
    np.testing.assert_allclose(found.prior, prior, rtol=1e-6)


@pytest.mark.parametrize(("name", "columns", "prior"), [
    ("golub", TWO, (5.802035, 0.2017214)),
    ("tissue_gene_expression", {"statistic": "F", "p": "p"}, (2.945011, 0.07517889)),
])  # fmt: skip
def test_the_statistics_are_those_of_limma(name, columns, prior, mirror, known):
    with np.load(mirror / f"{name}.npz", allow_pickle=True) as data:
        y = np.unique(data["y"], return_inverse=True)[1]
        found = moderated(data["X"].astype(float), y)
    check(found, known(f"limma_{name.partition('_')[0]}.csv"), columns, prior)


def test_covariates_in_the_design_are_those_of_limma(known):
    table = known("adjusted_table.csv")
    covariates = np.column_stack([table["batch"] == "b", table["age"]]).astype(float)
    y = (table["status"] == "case").to_numpy().astype(int)
    found = moderated(table.filter(regex=r"^f\d").to_numpy(float), y, covariates)
    check(found, known("limma_adjusted.csv"), TWO, (np.inf, 1.008182))


def test_one_feature_alone_has_the_classical_statistic():
    """There is nothing to learn a prior from."""
    parts = [X[label == Y, 0] for label in range(3)]
    for n_classes in (3, 2):
        found = moderated(X[n_classes > Y][:, :1], Y[n_classes > Y])
        np.testing.assert_allclose(found.p[0], stats.f_oneway(*parts[:n_classes]).pvalue)
    ends = stats.ttest_ind(parts[1], parts[0]).confidence_interval()
    np.testing.assert_allclose([found.low[0], found.high[0]], [ends.low, ends.high])


def test_intervals_of_several_classes_hold_zero_if_f_is_not_significant():
    """They are Scheffé's, for the highest mean less the lowest."""
    found = moderated(X, Y)
    quiet = found.p > 0.05
    assert quiet.any()
    assert (found.low[quiet] < 0).all()
    means = np.array([X[c == Y].mean(axis=0) for c in range(3)])
    np.testing.assert_allclose(found.effect, np.ptp(means, axis=0))
    np.testing.assert_array_equal(found.higher, means.argmax(axis=0))


def test_units_change_effects_and_nothing_else():
    one = moderated(X, Y)
    for shift, scale in ((0.0, 1e3), (-1e3, 1.0), (50.0, 1e-3)):
        other = moderated(scale * X + shift, Y)
        for name in ("statistic", "p"):
            np.testing.assert_allclose(getattr(other, name), getattr(one, name), rtol=1e-5)
        np.testing.assert_allclose(other.effect, scale * one.effect, rtol=1e-6)


def test_a_gap_leaves_its_sample_out_of_its_feature():
    table = X.copy()
    table[:3, 4] = np.nan
    table[Y == 1, 9] = np.nan
    gappy, short = fitted(table, Y), fitted(X[3:], Y[3:])
    for of_gappy, of_short in zip(gappy, short, strict=True):
        np.testing.assert_allclose(of_gappy[4], of_short[4])
    found = moderated(table, Y)
    assert np.isnan(found.effect[9])
    assert found.higher[9] == -1
    assert np.flatnonzero(np.isnan(found.p)).tolist() == [9]


def test_a_covariate_that_a_gap_makes_constant_or_equal_to_the_class():
    """The first one counts for nothing; with the second one there is no test."""
    y = np.repeat([0, 1], 10)
    table, batch = RNG.normal(size=(20, 6)), np.tile([0.0, 1.0], 10)[:, None]
    table[::2, 2] = np.nan
    alone = fitted(table[1::2], y[1::2])
    for of_batch, without in zip(fitted(table, y, batch), alone, strict=True):
        np.testing.assert_allclose(of_batch[2], without[2])
    table[(batch[:, 0] != y), 3] = np.nan
    assert np.isnan(moderated(table, y, batch).p).tolist() == [j == 3 for j in range(6)]


def test_features_without_spread_are_told_apart():
    """A constant has no test; one that is constant within the classes has a small p."""
    y = np.repeat([0, 1], 20)
    table = np.random.default_rng(4).normal(size=(40, 11)) * np.linspace(10, 60, 11)
    perfect, almost = table.copy(), table.copy()
    perfect[:, 10] = almost[:, 10] = y
    almost[0, 10] = 1
    found = moderated(np.column_stack([perfect, np.full(40, 3.7)]), y)
    assert max(found.p[10], moderated(almost, y).p[10]) < 1e-9
    assert found.low[10] < found.effect[10] < found.high[10]
    assert found.effect[10] == pytest.approx(1)
    assert np.isnan([found.p[11], found.low[11]]).all()
    np.testing.assert_allclose(found.p[:11], moderated(perfect, y).p, rtol=1e-12)


def test_a_feature_in_other_units_keeps_its_own_variance():
    """Laboratory values have units of all sizes: the prior of most must not hide the others."""
    units, y = np.array([12, 60, 400, 20, 5, 1.5, 30, 8, 100, 3, 0.04, 2e-5]), np.repeat([0, 1], 20)
    table = np.random.default_rng(3).normal(size=(40, 12)) * units
    table[y == 1, 10:] += 1.5 * units[10:]
    found = moderated(table, y)
    classical = stats.ttest_ind(table[y == 1, 10:], table[y == 0, 10:]).pvalue
    np.testing.assert_allclose(found.p[10:], classical, rtol=1e-8)


def test_the_prior_is_found_again():
    """Variances that are drawn from a prior give it back, whatever their degrees of freedom."""
    rng = np.random.default_rng(1)
    df = rng.choice([3.0, 10.0, 40.0], size=20_000)
    true = 5.0 * 8 / rng.chisquare(8, size=df.size)
    assert prior_of(true * rng.chisquare(df) / df, df) == pytest.approx((8, 5), rel=0.1)
