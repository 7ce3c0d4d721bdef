"""Recovery from fewer or worse samples: how they are changed, tuned on, judged, summarised."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from experiments.protocols.recovery.units import drawn
from experiments.protocols.robustness import run as kind
from experiments.protocols.robustness import units
from experiments.protocols.robustness.schema import Condition
from experiments.protocols.robustness.units import altered, judge, relabelled
from hypothesis import given
from hypothesis import strategies as st
from omegaconf import open_dict
from sklearn.metrics import average_precision_score
from sklearn.svm import SVC

from baselines import get
from experiments.config import ConfigError
from experiments.evaluation.method_config import resolve
from experiments.evaluation.methods import Method, Part
from experiments.evaluation.splits import inner_folds, ranking_rows
from experiments.protocols import validate
from experiments.runner import run_experiment

AXES = {
    "seed": 3,
    "dataset": "hypercube",
    "params": {"n_samples": 120, "n_features": 12, "n_informative": 3},
    "draw": 0,
    "scaling": "none",
    "test_size": None,
}
USUAL = {"samples": 30, "label_noise": 0.0, "copies": 0, "copy_noise": 0.0, "batch_shift": 0.0}
PLAN = {
    "pool": 60,
    "scaling": "standard",
    "inner_folds": 3,
    "log2_C": [1, 4],
    "log2_gamma": [-3, 0],
}
RELIEFF = Method("relieff", "ReliefF", (Part("relieff", "relieff", {}, {"k": [1, 5, 10]}),))
TWO = ["method=[manifest_regularized,laplacian,manifest_relieff_regularized,rank_average]"]
SMOKE = ["profile=smoke", "workers=0"]


def test_copies_are_the_feature_and_noise_and_fewer_are_the_first_of_more():
    draw = drawn(AXES)
    d, k = draw.X.shape[1], len(draw.relevant)
    X, origin = altered(draw, 3, {**USUAL, "copies": 2, "copy_noise": 0.3})
    assert X.shape[1] == len(origin) == d + 2 * k
    np.testing.assert_array_equal(X[:, :d], draw.X)
    np.testing.assert_array_equal(origin[d:], np.tile(draw.relevant, 2))
    np.testing.assert_array_equal(np.flatnonzero(origin[:d] >= 0), draw.relevant)
    noise = (X[:, d:] - draw.X[:, origin[d:]]) / draw.X[:, origin[d:]].std(axis=0)
    assert noise.std(axis=0) == pytest.approx(0.3, rel=0.3)
    fewer, _ = altered(draw, 3, {**USUAL, "copies": 1, "copy_noise": 0.3})
    np.testing.assert_array_equal(fewer, X[:, : d + k])


def test_a_batch_shift_moves_half_of_the_features_in_half_of_the_samples():
    draw = drawn(AXES)
    moved = {
        shift: altered(draw, 3, {**USUAL, "batch_shift": shift})[0] - draw.X for shift in (1, 3)
    }
    np.testing.assert_allclose(moved[3], 3 * moved[1], atol=1e-12)
    inside = np.abs(moved[1]) > 1e-9
    np.testing.assert_array_equal(inside, np.outer(inside.any(axis=1), inside.any(axis=0)))
    assert inside.any(axis=1).sum() == 60
    assert inside.any(axis=0).sum() == 6
    expected = np.where(inside, draw.X.std(axis=0), 0)
    np.testing.assert_allclose(moved[1], expected, atol=1e-9)


@given(share=st.floats(0, 0.5), more=st.floats(0, 0.5), n=st.integers(4, 60))
def test_a_share_of_the_labels_is_wrong_and_stays_so_at_larger_shares(share, more, n):
    y, rows = np.arange(80) % 2, np.arange(10, 10 + n)

    def wrong(share):
        return relabelled(y, rows, share, np.random.default_rng(1)) != y

    assert wrong(share)[rows].sum() == wrong(share).sum() == round(share * n)
    assert not (wrong(min(share, more)) & ~wrong(max(share, more))).any()


def test_tuning_is_a_loop_over_candidates_folds_and_cells():
    draw = drawn(AXES)
    row = judge(AXES, USUAL, RELIEFF, {**PLAN, "scaling": "none"})
    rows = ranking_rows(draw.y, np.arange(60), draw.name, 3, 0, 30 / 60)
    folds = inner_folds(draw.y, rows, draw.name, 3, 0, 3)

    def right(k, C, gamma, train, test):
        order = np.argsort(-get("relieff")(draw.X[train], draw.y[train], k=k))[:3]
        svm = SVC(C=C, gamma=gamma).fit(draw.X[train][:, order], draw.y[train])
        return svm.score(draw.X[test][:, order], draw.y[test])

    cells = [(k, 2.0**C, 2.0**g) for k in (1, 5, 10) for C in (1, 4) for g in (-3, 0)]
    means = [np.mean([right(*cell, *fold) for fold in folds]) for cell in cells]
    best = cells[int(np.argmax(np.round(means, 9)))]
    assert row["validation"] == pytest.approx(max(means))
    assert row["parameters"] == f"k={best[0]}"
    assert row["accuracy"] == right(*best, rows, np.arange(60, 120))
    scores = get("relieff")(draw.X[rows], draw.y[rows], k=best[0])
    relevant = np.isin(np.arange(12), draw.relevant)
    assert row["recovered"] == relevant[np.argsort(-scores)[:3]].sum()
    assert row["average_precision"] == pytest.approx(average_precision_score(relevant, scores))


def test_test_samples_touch_nothing_but_the_accuracy(monkeypatch):
    honest = judge(AXES, USUAL, RELIEFF, PLAN)
    draw = drawn(AXES)
    X, y = draw.X.copy(), draw.y.copy()
    rng = np.random.default_rng(0)
    X[60:], y[60:] = rng.normal(size=X[60:].shape), 1 - y[60:]
    monkeypatch.setattr(units, "drawn", lambda _: replace(draw, X=X, y=y))
    disturbed = judge(AXES, USUAL, RELIEFF, PLAN)
    accuracies = honest.pop("accuracy"), disturbed.pop("accuracy")
    assert abs(accuracies[0] - accuracies[1]) > 0.1
    np.testing.assert_array_equal(honest.pop("order"), disturbed.pop("order"))
    assert honest == disturbed


def test_copies_of_one_feature_count_once():
    """The last columns are copies: a scorer that prefers them finds as many as it has origins."""
    by_position = Method("p", "p", (Part("p", "tests.experiments.scorers:by_position", {}, {}),))
    row = judge(AXES, {**USUAL, "copies": 3}, by_position, PLAN)
    assert row["recovered"] == 3
    assert judge(AXES, USUAL, by_position, PLAN)["recovered"] < 3
    exact = judge(AXES, {**USUAL, "copies": 3}, RELIEFF, PLAN)
    assert exact["recovered"] < 3  # Exact copies tie, and take the places of other features.


def test_a_sum_tunes_its_parts_in_their_order():
    sum_of_two = Method(
        "sum",
        "sum",
        (*RELIEFF.parts, Part("anova", "anova", {}, {})),
        alone=("relieff",),
    )
    alone = judge(AXES, USUAL, RELIEFF, PLAN)["parameters"]
    assert judge(AXES, USUAL, sum_of_two, PLAN)["parameters"] == f"relieff.{alone}"


def test_a_case_sets_manifest_wherever_it_is_computed_and_the_command_line_comes_first(compose):
    def fixed(*overrides):
        config = compose("experiment=robustness", *SMOKE, *TWO, *overrides)
        case = kind._cases(config)["xor100"]
        methods = [kind._with(method, case, config) for method in resolve(config)]
        return {part.name: (part.fixed, list(part.grid)) for m in methods for part in m.parts}

    found = fixed()
    for name in ("manifest_regularized", "manifest", "rank_average"):
        values, grid = found[name]
        assert values["scale_factor"] == 0.1
        assert values["percentile"] is None
        assert grid == []
    assert found["laplacian"][1] == ["percentile"]
    assert fixed("method.scale_factor=0.5")["rank_average"][0]["scale_factor"] == 0.5


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a small run of `robustness` and its tables."""
    from tests.experiments.conftest import composed

    folder = tmp_path_factory.mktemp("robustness")
    config = composed(
        "experiment=robustness",
        *SMOKE,
        "method=[anova,laplacian,random]",
        "protocol.n_repetitions=2",
        "~protocol.cases.expression_like",
        f"store={folder / 'store'}",
    )
    assert run_experiment(config, folder) == 0
    return folder


def test_tables_are_means_over_the_draws_of_the_rows(finished):
    rows = pd.read_parquet(finished / "rows.parquet")
    share = rows["recovered"] / rows["n_relevant"]
    axes = ["case", "condition", "value", "method"]
    curves = pd.read_csv(finished / "curves.csv").set_index(axes)
    expected = rows.assign(share=share).groupby(axes)["share"].mean()
    assert curves["recovered"].to_dict() == pytest.approx(expected.to_dict(), abs=1e-6)
    for low, name, high in (
        ("ci_low", "recovered", "ci_high"),
        ("precision_low", "average_precision", "precision_high"),
        ("accuracy_low", "accuracy", "accuracy_high"),
    ):
        assert (curves[low] <= curves[name]).all()
        assert (curves[name] <= curves[high]).all()
    summary = pd.read_csv(finished / "summary.csv").set_index(["case", "condition", "method"])
    means = curves["recovered"].groupby(["case", "condition", "method"]).mean()
    assert summary["recovered"].to_dict() == pytest.approx(means.to_dict(), abs=1e-5)
    pairs = pd.read_csv(finished / "pairs.csv").set_index(["case", "condition", "other"])
    assert set(pairs["method"]) == {"anova"}
    found = summary["recovered"].to_dict()
    for row in pairs.reset_index().itertuples():
        place = row.case, row.condition
        expected = found[*place, "anova"] - found[*place, row.other]
        assert row.difference == pytest.approx(expected, abs=1e-5)


def test_where_nothing_is_changed_all_conditions_are_one_unit(finished):
    rows = pd.read_parquet(finished / "rows.parquet")
    same = rows[rows["value"] == 0].groupby(["case", "method", "draw"])
    assert (same["average_precision"].nunique() == 1).all()
    record = json.loads((finished / "provenance.json").read_text())
    # Three conditions of two values, of which the first is common: four settings.
    assert record["units"]["computed"] == 2 * 4 * 3 * 2


def test_the_page_says_what_was_found_and_the_figure_is_there(finished):
    page = (finished / "report.html").read_text("utf-8")
    assert "XOR-100, share of wrong labels: " in page
    assert "% of the relevant features on average" in page
    assert (finished / "figure.png").is_file()


def test_one_generator_of_the_command_line_is_enough(run):
    folder, failed = run(
        *("experiment=robustness", "profile=smoke", "dataset=toy", "protocol.cases=null"),
        *("method=anova", "~protocol.conditions.label_noise", "~protocol.conditions.batch_shift"),
    )
    assert failed == 0
    summary = pd.read_csv(folder / "summary.csv")
    assert summary["case"].tolist() == ["toy"]
    assert summary["condition"].tolist() == ["copies"]
    assert summary["recovered"].item() == 1


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("protocol.conditions.copies.steps=[0,1.5]", "copies.steps must be whole numbers of 0"),
        ("protocol.conditions.label_noise.steps=[0,0.6]", "numbers of 0 to 0.5, got 0.6"),
        ("protocol.conditions.label_noise.steps=[0.2,0.1]", "must be increasing numbers"),
        ("protocol.pool=20", "protocol.pool must be at least 24"),
        ("protocol.cases.xor100.scaling=some", "there is no scaling of a case 'some'"),
    ],
)
def test_what_makes_no_sense_is_refused(compose, override, says):
    with pytest.raises(ConfigError, match=says):
        validate(compose("experiment=robustness", *SMOKE, override))


def test_a_condition_that_nothing_computes_is_refused(compose):
    config = compose("experiment=robustness", *SMOKE)
    with open_dict(config):
        config.protocol.conditions["dust"] = Condition(steps=[1])
    with pytest.raises(ConfigError, match="there is no condition 'dust'"):
        validate(config)


def test_without_a_condition_there_is_nothing_to_run(compose):
    with pytest.raises(ConfigError, match="must have at least one of samples, label_noise"):
        validate(compose("protocol=robustness", "name=none"))


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("dataset=colon", "draws its samples as protocol.cases says; for dataset=colon alone"),
        ("protocol.cases.hypercube.dataset=colon", "there is no generator 'colon'"),
    ],
)
def test_samples_that_no_generator_draws_are_refused(compose, override, says, tmp_path):
    config = compose("experiment=robustness", *SMOKE, "method=anova", override)
    with pytest.raises(ConfigError, match=says):
        run_experiment(config, tmp_path)
