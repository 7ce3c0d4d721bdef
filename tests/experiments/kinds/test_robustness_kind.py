"""Recovery from fewer or worse samples: how they are changed, tuned on, judged, summarised."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from omegaconf import open_dict
from sklearn.metrics import average_precision_score
from sklearn.svm import SVC

from baselines import get
from experiments.config import ConfigError
from experiments.evaluation import draws
from experiments.evaluation.control import Control
from experiments.evaluation.draws import Altered, Drawn, relabelled
from experiments.evaluation.method_config import resolve
from experiments.evaluation.methods import Method, Part
from experiments.evaluation.rows import inner_folds, ranking_rows
from experiments.evaluation.tuned import Tuning, tune_and_judge, unit_of
from experiments.kinds import facts, validate
from experiments.kinds.base import tables_of
from experiments.kinds.robustness import KIND, cases_of, with_case
from tests.experiments.conftest import composed
from tests.experiments.kinds.conftest import assert_refused, judged

DRAW = Drawn.of("hypercube", {"n_samples": 120, "n_features": 12, "n_informative": 3}, 0, 3)
DRAWN = DRAW.samples()
RELEVANT = np.array(DRAWN.relevant)
USUAL = Altered(DRAW, pool=60, samples_ranked=30)
TUNING = Tuning("standard", 3, (1, 4), (-3, 0))
RELIEFF = Method("relieff", "ReliefF", (Part("relieff", "relieff", {}, {"k": [1, 5, 10]}),))
BY_POSITION = Method("p", "p", (Part("p", "tests.experiments.scorers:by_position", {}, {}),))
TWO = ["method=[manifest_regularized,laplacian,manifest_relieff_regularized,rank_average]"]
SMOKE = ["profile=smoke", "workers=1"]


def test_copies_are_the_feature_and_noise_and_fewer_are_the_first_of_more():
    d, k = DRAWN.X.shape[1], len(RELEVANT)
    two = replace(USUAL, copies=2, copy_noise=0.3)
    X, origin = two.samples().X, two.origin()
    assert X.shape[1] == len(origin) == d + 2 * k
    np.testing.assert_array_equal(X[:, :d], DRAWN.X)
    np.testing.assert_array_equal(origin[d:], np.tile(RELEVANT, 2))
    np.testing.assert_array_equal(np.flatnonzero(origin[:d] >= 0), RELEVANT)
    noise = (X[:, d:] - DRAWN.X[:, origin[d:]]) / DRAWN.X[:, origin[d:]].std(axis=0)
    assert noise.std(axis=0) == pytest.approx(0.3, rel=0.3)
    fewer = replace(two, copies=1).samples().X
    np.testing.assert_array_equal(fewer, X[:, : d + k])


def test_the_control_copies_irrelevant_features_of_the_same_draw():
    control = Control(DRAW.dataset, DRAW.params, DRAW.draw, DRAW.seed)
    samples = control.samples()
    np.testing.assert_array_equal(samples.X, DRAWN.X)
    assert samples.relevant is not None
    assert len(samples.relevant) == len(RELEVANT)
    assert not np.intersect1d(samples.relevant, RELEVANT).size
    copied, relevant = (
        replace(USUAL, drawn=drawn, copies=3, copy_noise=0.3) for drawn in (control, DRAW)
    )
    for mine, theirs in zip(copied.rows(), relevant.rows(), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert unit_of(copied, RELIEFF, TUNING).key != unit_of(relevant, RELIEFF, TUNING).key
    found = tune_and_judge(copied, BY_POSITION, TUNING)
    assert found["recovered"] == found["n_relevant"] == 3


def test_a_batch_shift_moves_half_of_the_features_in_half_of_the_samples():
    moved = {shift: replace(USUAL, batch_shift=shift).samples().X - DRAWN.X for shift in (1, 3)}
    np.testing.assert_allclose(moved[3], 3 * moved[1], atol=1e-12)
    inside = np.abs(moved[1]) > 1e-9
    np.testing.assert_array_equal(inside, np.outer(inside.any(axis=1), inside.any(axis=0)))
    assert inside.any(axis=1).sum() == 60
    assert inside.any(axis=0).sum() == 6
    expected = np.where(inside, DRAWN.X.std(axis=0), 0)
    np.testing.assert_allclose(moved[1], expected, atol=1e-9)


@given(share=st.floats(0, 0.5), more=st.floats(0, 0.5), n=st.integers(4, 60))
def test_a_share_of_the_labels_is_wrong_and_stays_so_at_larger_shares(share, more, n):
    y, rows = np.arange(80) % 2, np.arange(10, 10 + n)

    def wrong(share):
        return relabelled(y, rows, share, np.random.default_rng(1)) != y

    assert wrong(share)[rows].sum() == wrong(share).sum() == round(share * n)
    assert not (wrong(min(share, more)) & ~wrong(max(share, more))).any()


def test_tuning_is_a_loop_over_candidates_folds_and_cells():
    X, y, _ = DRAWN
    row = tune_and_judge(USUAL, RELIEFF, replace(TUNING, scaling="none"))
    rows = ranking_rows(y, np.arange(60), DRAW.fingerprint, 3, 0, 30 / 60)
    folds = inner_folds(y, rows, DRAW.fingerprint, 3, 0, 3)

    def right(k, C, gamma, train, test):
        order = np.argsort(-get("relieff")(X[train], y[train], k=k))[:3]
        svm = SVC(C=C, gamma=gamma).fit(X[train][:, order], y[train])
        return svm.score(X[test][:, order], y[test])

    cells = [(k, 2.0**C, 2.0**g) for k in (1, 5, 10) for C in (1, 4) for g in (-3, 0)]
    means = [np.mean([right(*cell, *fold) for fold in folds]) for cell in cells]
    best = cells[int(np.argmax(np.round(means, 9)))]
    assert row["validation"] == pytest.approx(max(means))
    assert row["parameters"] == f"k={best[0]}"
    assert row["accuracy"] == right(*best, rows, np.arange(60, 120))
    scores = get("relieff")(X[rows], y[rows], k=best[0])
    relevant = np.isin(np.arange(12), RELEVANT)
    assert row["recovered"] == relevant[np.argsort(-scores)[:3]].sum()
    assert row["average_precision"] == pytest.approx(average_precision_score(relevant, scores))


def test_test_samples_touch_nothing_but_the_accuracy(monkeypatch):
    honest = tune_and_judge(USUAL, RELIEFF, TUNING)
    X, y = DRAWN.X.copy(), DRAWN.y.copy()
    rng = np.random.default_rng(0)
    X[60:], y[60:] = rng.normal(size=X[60:].shape), 1 - y[60:]
    monkeypatch.setattr(draws, "_drawn", lambda _: DRAWN._replace(X=X, y=y))
    disturbed = tune_and_judge(USUAL, RELIEFF, TUNING)
    accuracies = honest.pop("accuracy"), disturbed.pop("accuracy")
    assert abs(accuracies[0] - accuracies[1]) > 0.1
    np.testing.assert_array_equal(honest.pop("order"), disturbed.pop("order"))
    assert honest == disturbed


def test_copies_of_one_feature_count_once():
    """The last columns are copies: a scorer that prefers them finds as many as it has origins."""
    row = tune_and_judge(replace(USUAL, copies=3), BY_POSITION, TUNING)
    assert row["recovered"] == 3
    assert tune_and_judge(USUAL, BY_POSITION, TUNING)["recovered"] < 3
    exact = tune_and_judge(replace(USUAL, copies=3), RELIEFF, TUNING)
    assert exact["recovered"] < 3  # Exact copies tie, and take the places of other features.


def test_a_sum_tunes_its_parts_in_their_order():
    parts = (*RELIEFF.parts, Part("anova", "anova", {}, {}))
    sum_of_two = Method("sum", "sum", parts, alone=("relieff",))
    alone = tune_and_judge(USUAL, RELIEFF, TUNING)["parameters"]
    assert tune_and_judge(USUAL, sum_of_two, TUNING)["parameters"] == f"relieff.{alone}"


def test_a_case_sets_manifest_wherever_it_is_computed_and_the_command_line_comes_first(compose):
    def fixed(*overrides):
        config = compose("experiment=robustness", *SMOKE, *TWO, *overrides)
        case = cases_of(config)["xor100"]
        methods = [with_case(method, case["manifest"], config) for method in resolve(config)]
        return {part.name: (part.fixed, list(part.grid)) for m in methods for part in m.parts}

    found = fixed()
    for name in ("manifest_regularized", "manifest", "rank_average"):
        values, grid = found[name]
        assert values["scale_factor"] == 0.1
        assert values["percentile"] is None
        assert grid == []
    assert found["laplacian"][1] == ["percentile"]
    assert fixed("method.scale_factor=0.5")["rank_average"][0]["scale_factor"] == 0.5


SMALL = ["experiment=robustness", *SMOKE, "method=[anova,laplacian,random]"]
SMALL += ["protocol.n_repetitions=2", "~protocol.cases.expression_like"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Config, tables, rows and outcome of a small run of `robustness`."""
    config = composed(*SMALL)
    return config, *judged(config, tmp_path_factory.mktemp("robustness"))


def test_tables_are_means_over_the_draws_of_the_rows(finished):
    _, tables, rows, _ = finished
    share = rows["recovered"] / rows["n_relevant"]
    axes = ["case", "condition", "value", "method"]
    curves = tables["curves"].set_index(axes)
    expected = rows.assign(share=share).groupby(axes)["share"].mean()
    assert curves["recovered"].to_dict() == pytest.approx(expected.to_dict(), abs=1e-6)
    ends = {"recovered": "ci", "average_precision": "precision", "accuracy": "accuracy"}
    for name, end in ends.items():
        assert curves[name].between(curves[f"{end}_low"], curves[f"{end}_high"]).all(), name
    summary = tables["summary"].set_index(["case", "condition", "method"])
    means = curves["recovered"].groupby(["case", "condition", "method"]).mean()
    assert summary["recovered"].to_dict() == pytest.approx(means.to_dict(), abs=1e-5)
    pairs = tables["pairs"].set_index(["case", "condition", "other"])
    assert set(pairs["method"]) == {"anova"}
    found = summary["recovered"].to_dict()
    for row in pairs.reset_index().itertuples():
        place = row.case, row.condition
        expected = found[*place, "anova"] - found[*place, row.other]
        assert row.difference == pytest.approx(expected, abs=1e-5)


def test_where_nothing_is_changed_all_conditions_are_one_unit(finished):
    _, _, rows, outcome = finished
    # The control counts other features.
    unchanged = rows[(rows["value"] == 0) & (rows["condition"] != "irrelevant_copies")]
    same = unchanged.groupby(["case", "method", "draw"])
    assert (same["average_precision"].nunique() == 1).all()
    # Three conditions of two values, of which the first is common: four settings. Two controls.
    assert outcome.computed == 2 * (4 + 2) * 3 * 2


def test_a_method_with_a_value_that_failed_has_failed_there_and_is_compared_with_none(finished):
    config, _, rows, _ = finished
    lost = (rows["method"] == "random") & (rows["condition"] == "copies") & (rows["value"] == 0)
    tables = tables_of(KIND, rows[~lost], config)
    summary = tables["summary"].set_index(["case", "condition", "method"])
    assert (summary["failed"] == summary["recovered"].isna()).all()
    failed = summary.index[summary["failed"]].tolist()
    assert failed == [(case, "copies", "random") for case in ("xor100", "hypercube")]
    pairs = tables["pairs"]
    assert "random" not in set(pairs.loc[pairs["condition"] == "copies", "other"])
    curves = tables["curves"]
    of_random = curves[(curves["method"] == "random") & (curves["condition"] == "copies")]
    assert 0 not in set(of_random["value"])
    assert len(of_random) == 2


def test_the_page_tells_the_best_of_each_case(finished):
    _, tables, _, _ = finished
    said = facts(KIND, tables, Path()).findings[""]
    assert "XOR-100, Share of wrong labels: " in said
    assert "% of the relevant features on average" in said


def test_one_generator_of_the_command_line_is_enough(result):
    tables = result(
        *("experiment=robustness", *SMOKE, "dataset=toy", "protocol.cases=null"),
        *("method=anova", "~protocol.conditions.label_noise", "~protocol.conditions.batch_shift"),
        "~protocol.conditions.irrelevant_copies",
    )
    summary = tables["summary"]
    assert summary["case"].tolist() == ["toy"]
    assert summary["condition"].tolist() == ["copies"]
    assert summary["recovered"].item() == 1
    assert "pairs" not in tables


def test_what_makes_no_sense_is_refused(result):
    refused = {
        "protocol.conditions.copies.steps=[0,1.5]": "copies.steps must be whole numbers of 0",
        "protocol.conditions.label_noise.steps=[0,0.6]": "numbers of 0 to 0.5, got 0.6",
        "protocol.conditions.label_noise.steps=[0.2,0.1]": "must be increasing numbers",
        "protocol.pool=20": "protocol.pool must be at least 24",
        "protocol.cases.xor100.scaling=some": "there is no scaling of a case 'some'",
        "+protocol.cases.xor100.params.n_samples=9": "change protocol.pool and protocol.test_samp",
        "dataset.scaling=standard": "scaling=standard would have no effect .* change protocol.c",
        "protocol.inner_folds=13": "inner_folds=13 needs two samples a fold, got 24",
        "dataset.params.n_features=7": "'n_features': 7, .* would have no effect",
        "dataset.max_samples=50": "max_samples=50 would have no effect",
    }
    assert_refused(refused, "experiment=robustness", *SMOKE)
    refused = {"dataset.params.n_samples=9": "no effect under .* change protocol.pool and"}
    assert_refused(refused, "experiment=robustness", *SMOKE, "protocol.cases=null")
    assert_refused({"name=none": "must have at least one of samples"}, "protocol=robustness")
    config = composed("experiment=robustness", *SMOKE)
    with open_dict(config):
        config.protocol.conditions["dust"] = config.protocol.conditions["copies"]
    with pytest.raises(ConfigError, match="there is no condition 'dust'"):
        validate(config)
    refused = {
        "dataset=colon": "draws its samples as protocol.cases says; for dataset=colon alone",
        "protocol.cases.hypercube.dataset=colon": "there is no generator 'colon'",
    }
    assert_refused(refused, "experiment=robustness", *SMOKE, "method=anova", run=result)
