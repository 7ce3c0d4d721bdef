"""Few samples of each class: accuracy on digits, and recovery of what is relevant."""

import itertools

import numpy as np
import pytest
from sklearn.metrics import average_precision_score
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from baselines import get, random_choice
from experiments.evaluation.division import inner_folds, ranking_rows
from experiments.evaluation.methods import Method, Part, resolve
from experiments.evaluation.samples import Drawn
from experiments.evaluation.svm.evaluators import held_out_accuracy
from experiments.kinds.accuracy import overlap_of
from experiments.kinds.base import tables_of
from experiments.kinds.few_sample_recovery import KIND, with_case
from experiments.kinds.few_sample_recovery.tuned import Setting, tune_and_evaluate
from tests.experiments.conftest import composed
from tests.experiments.kinds.conftest import DIGITS, evaluated


def test_the_accuracy_of_chunks_is_that_of_an_svm(monkeypatch):
    monkeypatch.setattr("experiments.evaluation.svm.evaluators.ROWS", 37)
    rng, train, test = np.random.default_rng(0), np.arange(150), np.arange(150, 300)
    for n_classes, C, gamma in itertools.product((2, 10), (0.1, 8.0), (0.05, 1.0)):
        y = rng.integers(n_classes, size=300)
        X = rng.normal(size=(300, 5)) + y[:, None] * rng.normal(size=5) / 2
        expected = SVC(C=C, gamma=gamma).fit(X[train], y[train]).score(X[test], y[test])
        assert held_out_accuracy(X, y, train, test, C=C, gamma=gamma) == expected


def test_a_seed_gives_another_random_choice_and_nothing_prefers_a_feature():
    """Features of as many ones are told apart; means of 50 uniform numbers deviate by 0.041."""
    X = np.random.default_rng(0).integers(0, 2, size=(30, 400))
    scores = np.array([random_choice(X, np.arange(30) % 2, seed=seed) for seed in range(50)])
    assert len(np.unique(scores[0])) > 390
    assert np.abs(scores.mean(axis=0) - 0.5).max() < 0.2
    assert np.abs(np.corrcoef(scores)[np.triu_indices(50, 1)]).max() < 0.3


def test_accuracies_are_means_over_draws_paired_with_the_first_method(result):
    tables = result(*DIGITS, "method=[manifest_max,anova]")
    table, rows = tables["accuracies"].set_index(["method", "n_features"]), tables["rows"]
    tests = rows.pivot(index="split", columns=["method", "n_features"], values="test")
    assert len(table) == 6
    assert overlap_of(rows, composed(*DIGITS)) == 0  # few of many samples train
    assert table["accuracy"].to_dict() == pytest.approx(tests.mean().to_dict(), rel=1e-5)
    assert table["accuracy"].between(table["ci_low"], table["ci_high"]).all()
    apart = tests.mean()["manifest_max"] - tests.mean()["anova"]
    assert table["difference"]["anova"].to_dict() == pytest.approx(apart.to_dict(), abs=1e-6)


DRAW = Drawn.of("hypercube", {"n_samples": 120, "n_features": 12, "n_informative": 3}, 0, 3)
DRAWN = DRAW.samples()
RELEVANT = np.array(DRAWN.relevant)
SETTING = Setting(60, 30, "standard", 3, (1, 4), (-3, 0))
RELIEFF = Method("relieff", "ReliefF", (Part("relieff", "relieff", {}, {"k": [1, 5, 10]}),))
SMOKE = ["experiment=recovery_few_samples", "profile=smoke", "workers=1"]


def test_tuning_is_a_loop_over_candidates_folds_and_cells():
    X, y = DRAWN.X, DRAWN.y
    rows = ranking_rows(y, np.arange(60), DRAW.fingerprint, 3, 0, 30 / 60)
    row = tune_and_evaluate(DRAW, RELIEFF, SETTING)
    folds = inner_folds(y, rows, DRAW.fingerprint, 3, 0, 3)

    def right(k, C, gamma, train, test):
        Z = StandardScaler().fit(X[train]).transform(X)
        scores = get("relieff")(Z[train], y[train], k=k)
        Z = Z[:, np.argsort(-scores)[:3]]
        return SVC(C=C, gamma=gamma).fit(Z[train], y[train]).score(Z[test], y[test]), scores

    cells = [(k, 2.0**C, 2.0**g) for k in (1, 5, 10) for C in (1, 4) for g in (-3, 0)]
    means = [np.mean([right(*cell, *fold)[0] for fold in folds]) for cell in cells]
    best = cells[int(np.argmax(np.round(means, 9)))]
    assert row["validation"] == pytest.approx(max(means))
    assert row["parameters"] == f"k={best[0]}"
    accuracy, scores = right(*best, rows, np.arange(60, 120))
    assert row["accuracy"] == accuracy
    relevant = np.isin(np.arange(12), RELEVANT)
    assert row["recovered"] == relevant[np.argsort(-scores)[:3]].sum()
    assert row["average_precision"] == pytest.approx(average_precision_score(relevant, scores))


def test_a_sum_tunes_its_parts_in_their_order():
    parts = (*RELIEFF.parts, Part("anova", "anova", {}, {}))
    sum_of_two = Method("sum", "sum", parts, alone=("relieff",))
    alone = tune_and_evaluate(DRAW, RELIEFF, SETTING)["parameters"]
    assert tune_and_evaluate(DRAW, sum_of_two, SETTING)["parameters"] == f"relieff.{alone}"


def test_a_case_sets_manifest_wherever_it_is_computed_and_the_command_line_comes_first(compose):
    def parts(*overrides):
        methods = "method=[manifest_regularized,laplacian,manifest_relieff_regularized]"
        config = compose(*SMOKE, methods, *overrides)
        manifest = config.protocol.cases.xor100.manifest
        chosen = [with_case(method, manifest, config) for method in resolve(config)]
        return {part.name: part for method in chosen for part in method.parts}

    found = parts()
    for name in ("manifest_regularized", "manifest"):
        assert found[name].fixed.items() >= {"scale_factor": 0.1, "percentile": None}.items()
        assert not found[name].grid
    assert list(found["laplacian"].grid) == ["percentile"]
    assert parts("method.scale_factor=0.5")["manifest"].fixed["scale_factor"] == 0.5


SMALL = [*SMOKE, "method=[anova,laplacian,random]", "protocol.n_repetitions=2"]
SMALL += [f"~protocol.cases.{name}" for name in ("expression_like", "xor500", "hypercube_scaled")]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Config, tables, rows and outcome of a small run."""
    config = composed(*SMALL)
    tables, stored, outcome = evaluated(config, tmp_path_factory.mktemp("few"))
    return config, tables, stored["rows"], outcome


def test_tables_are_means_over_the_draws_of_the_rows(finished):
    _, tables, rows, outcome = finished
    assert outcome.computed == len(rows) == 2 * 2 * 3 * 2
    axes = ["case", "value", "method"]
    curves = tables["curves"].set_index(axes)
    rows = rows.assign(recovered=rows["recovered"] / rows["n_relevant"])
    for name in ("recovered", "average_precision", "accuracy"):
        means = rows.groupby(axes)[name].mean()
        assert curves[name].to_dict() == pytest.approx(means.to_dict(), abs=1e-6)
        low, high = {"recovered": ("ci_low", "ci_high")}.get(name, (f"{name}_low", f"{name}_high"))
        assert curves[name].between(curves[low], curves[high]).all()
    summary = tables["summary"].set_index(["case", "method"])["recovered"]
    means = curves["recovered"].groupby(["case", "method"]).mean()
    assert summary.to_dict() == pytest.approx(means.to_dict(), abs=1e-5)
    assert set(tables["pairs"]["method"]) == {"anova"}
    for row in tables["pairs"].itertuples():
        expected = summary[row.case, "anova"] - summary[row.case, row.other]
        assert row.difference == pytest.approx(expected, abs=1e-5)


def test_a_method_with_a_value_that_failed_has_failed_there_and_is_compared_with_none(finished):
    config, _, rows, _ = finished
    lost = (rows["method"] == "random") & (rows["case"] == "xor100") & (rows["value"] == 12)
    tables = tables_of(KIND, {"rows": rows[~lost]}, config)
    summary = tables["summary"].set_index(["case", "method"])
    assert (summary["failed"] == summary["recovered"].isna()).all()
    assert summary.index[summary["failed"]].tolist() == [("xor100", "random")]
    assert ("xor100", "random") not in tables["pairs"].set_index(["case", "other"]).index
    of_random = tables["curves"].set_index(["case", "method"]).loc[[("xor100", "random")]]
    assert of_random["value"].tolist() == [40]
