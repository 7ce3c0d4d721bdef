"""What an answer is made from: splits, subsamples, shuffled labels, gaps and blocks."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from experiments.command_line import normalise_overrides
from experiments.config import ConfigError
from experiments.evaluation.method_config import in_blocks, resolve
from experiments.evaluation.ranking import rank_and_judge
from experiments.evaluation.rows import Subsample, prepared
from experiments.evaluation.sources import Samples, Shuffled
from experiments.kinds import validate


@dataclass(frozen=True)
class Given:
    """A source of samples that are there already."""

    X: np.ndarray
    y: np.ndarray
    fingerprint: str = "given"

    @property
    def axes(self):
        return (self.fingerprint,)

    def samples(self):
        return Samples(self.X, self.y)


@pytest.mark.parametrize("missing", ["median", "drop"])
@pytest.mark.parametrize("scaling", ["none", "standard"])
def test_what_gaps_become_is_learned_on_training_rows(missing, scaling):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 9))
    X[rng.random(X.shape) < 0.05] = np.nan
    X[3, 2] = np.nan
    train, test = np.arange(12), np.arange(12, 20)
    found, kept = prepared(X, train, f"{missing} {scaling}")
    assert np.isfinite(found).all()
    if missing == "drop":
        assert not np.isnan(X[train][:, kept]).any()
        assert 2 not in kept
    disturbed = X.copy()
    disturbed[test] = 1e3 * rng.normal(size=(8, 9))
    other, other_kept = prepared(disturbed, train, f"{missing} {scaling}")
    np.testing.assert_array_equal(kept, other_kept)
    np.testing.assert_array_equal(found[train], other[train])
    filled = np.where(np.isnan(X), np.nanmedian(X[train], axis=0), X)[:, kept]
    if scaling == "none":
        np.testing.assert_array_equal(found, filled)


@pytest.mark.parametrize("fold", [None, 1])
def test_without_gaps_the_treatment_of_gaps_changes_nothing(small, fold):
    _, run, setup, (X, y, _) = small("method=anova", "dataset.scaling=standard")
    (method,) = run.methods
    problem = replace(setup.problem(0), source=Given(X, y))
    problem = problem if fold is None else problem.folds[fold]
    arguments = (method, method.candidates()[0], run.store)
    known = rank_and_judge(problem, *arguments)
    for missing in ("median", "drop"):
        row = rank_and_judge(replace(problem, scaling=f"{missing} standard"), *arguments)
        assert row.keys() == known.keys()
        for name, value in known.items():
            np.testing.assert_array_equal(row[name], value)


def test_features_that_gaps_leave_out_stay_out_of_rankings(small):
    _, run, setup, (X, y, _) = small("method=anova")
    (method,) = run.methods
    X = X.copy()
    X[:, 2] = np.where(np.arange(len(X)) % 3, X[:, 2], np.nan)
    problem = replace(setup.problem(0), source=Given(X, y), scaling="drop none")
    row = rank_and_judge(problem, method, method.candidates()[0], run.store)
    assert sorted([*row["order"], 2]) == list(range(12))
    assert row["test"].shape[0] == len(setup.judge.sizes)
    assert row["test"][-1].size == 9


def test_subsamples_are_stratified_and_differ_by_their_number():
    y = np.repeat([0, 1, 2], [3, 10, 20])
    plan = Subsample(0.8)
    one, again, other = (plan.rows(y, "f", 0, number, None).rank for number in (0, 0, 1))
    assert np.bincount(y[one]).tolist() == [2, 8, 16]
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)


def test_labels_are_shuffled_for_the_whole_procedure(small):
    _, _, setup, (X, y, _) = small("method=anova")
    shuffled = Shuffled(setup.source, 0, 1)
    same, labels, _ = shuffled.samples()
    np.testing.assert_array_equal(same, X)
    np.testing.assert_array_equal(np.bincount(labels), np.bincount(y))
    assert not np.array_equal(labels, y)
    np.testing.assert_array_equal(labels, shuffled.samples()[1])


def test_what_the_kind_does_not_do_is_refused(compose):
    for change in (
        "protocol.readings=[paper]",
        "protocol.ranking_shares=[0.5]",
        "protocol.near=1.5",
        "protocol.n_resamples=1",
    ):
        with pytest.raises(ConfigError, match=change.partition("=")[0]):
            validate(compose("experiment=select", change))


def test_many_features_are_scored_in_blocks_unless_the_user_says_otherwise(compose):
    config = compose("experiment=select")
    methods = resolve(config)
    assert in_blocks(methods, 1000, config.protocol) == (methods, [])
    changed, (told,) = in_blocks(methods, 30_000, config.protocol)
    labels = " and ".join(method.label for method in methods[:2])
    assert told.startswith(f"30000 features: {labels} in random blocks of {config.protocol.block}")
    manifest, both, *others = changed
    assert manifest.parts[0].fixed["approximation"] == "context"
    assert both.parts[0].fixed["approximation"] == "context"
    assert others == methods[2:]
    exact = resolve(compose("experiment=select", "method=manifest"))
    assert in_blocks(exact, 30_000, config.protocol) == (exact, [])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("path", "~/my table (1), größe [cm]'s.csv"),
        ("target", "size [cm]=a"),
        ("features", "gene_*"),
        ("separator", ";"),
        ("decimal", ","),
    ],
)
def test_paths_and_names_are_taken_as_they_are(compose, name, value):
    config = compose("experiment=select", *normalise_overrides([f"dataset.{name}={value}"]))
    assert config.dataset[name] == value
    assert normalise_overrides([f"dataset.{name}=null"]) == [f"dataset.{name}=null"]
