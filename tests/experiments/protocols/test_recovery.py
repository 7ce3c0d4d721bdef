"""The recovery protocol: what is counted, tuned, compared and judged, against the definitions."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from experiments.protocols.recovery.tables import RankedCandidates
from experiments.protocols.recovery.units import accuracy, drawn, embedding, ranking
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from baselines import anova
from experiments.config import ConfigError
from experiments.evaluation.method_config import resolve
from experiments.evaluation.splits import inner_folds
from experiments.evaluation.statistics import mean_interval
from experiments.protocols import validate

TOY = ["experiment=toy", "profile=smoke"]
CUBE = [
    "experiment=hypercube",
    "profile=smoke",
    "dataset.params={n_samples: 120, n_features: 24, n_informative: 4}",
    "protocol.ranking_samples=40",
    "protocol.n_repetitions=3",
    "protocol.judged_draws=2",
    "protocol.log2_C=[-2,1,4]",
    "protocol.grid_size=2",
]
AXES: dict[str, Any] = {
    "seed": 0,
    "dataset": "hypercube",
    "params": {
        "n_samples": 120,
        "n_features": 24,
        "n_informative": 4,
        "n_clusters_per_class": 2,
    },
    "scaling": "none",
    "test_size": 0.25,
    "draw": 1,
}
SVM: dict[str, Any] = {"inner_folds": 3, "log2_C": [-2, 1, 4], "log2_gamma": [-6, -3, 0]}


@pytest.fixture
def cube(run):
    """Tables of a small hypercube run with four methods, two of which order alike."""

    def tables(*overrides):
        methods = "method=[anova,fisher,relieff,manifest]"
        folder, failed = run(*CUBE, methods, *overrides)
        assert failed == 0
        named = {path.stem: pd.read_csv(path) for path in folder.glob("*.csv")}
        return named, pd.read_parquet(folder / "rows.parquet")

    return tables


@pytest.fixture
def resolved(compose):
    """A function from overrides to the methods of the small hypercube."""
    return lambda *overrides: resolve(compose(*CUBE, *overrides))


def test_no_method_selects_more_than_there_is_and_tuning_takes_the_best(cube):
    tables, rows = cube()
    assert rows["correct"].between(0, 4).all()
    means = rows.groupby(["method", "parameters"])["correct"].mean()
    summary = tables["summary"].set_index("method")
    for method in ("anova", "relieff", "manifest"):
        assert summary.loc[method, "correct"] == pytest.approx(means[method].max(), rel=1e-5)
    tuned = rows[rows["tuned"]].groupby("method")["correct"]
    assert (tuned.count() == 3).all()
    for name, share in (("q25", 0.25), ("median", 0.5), ("q75", 0.75)):
        found = summary[name].drop("all_features")
        assert found.to_dict() == pytest.approx(tuned.quantile(share).to_dict())


def test_counts_are_of_the_scores_that_are_written_down(cube):
    """From scores and axes alone: the best by score, and which of them matter."""
    _, rows = cube()
    axes = {name: value for name, value in AXES.items() if name != "draw"}
    for row in rows[rows["tuned"]].itertuples():
        relevant = drawn({**axes, "draw": row.draw}).relevant
        best = np.argsort(-np.asarray(row.scores))[:4]
        assert row.correct == np.isin(best, relevant).sum()
    assert rows.loc[~rows["tuned"], "scores"].isna().all()


def test_pairs_are_differences_draw_by_draw(cube):
    tables, rows = cube()
    pairs = tables["pairs"].set_index("other")
    assert sorted(pairs.index) == ["anova", "fisher", "relieff"]
    correct = rows[rows["tuned"]].pivot(index="draw", columns="method", values="correct")
    for other, pair in pairs.iterrows():
        difference = (correct["manifest"] - correct[other]).to_numpy()
        assert pair["method"] == "manifest"
        assert pair["difference"] == pytest.approx(difference.mean(), rel=1e-5, abs=1e-9)
        expected = mean_interval(difference)
        assert (pair["ci_low"], pair["ci_high"]) == pytest.approx(expected, rel=1e-5)
        assert 0 <= pair["p_value"] <= pair["p_holm"] <= 1


def test_equal_selections_are_judged_once_and_alike(cube, tmp_path):
    """Fisher orders as ANOVA does: one SVM serves both."""
    tables, rows = cube()
    judged = rows[rows["tuned"] & (rows["draw"] < 2)].set_index(["method", "draw"])
    assert judged["accuracy"].between(0, 1).all()
    pd.testing.assert_series_equal(
        judged.loc["anova", "accuracy"], judged.loc["fisher", "accuracy"]
    )
    assert rows.loc[rows["draw"] == 2, "accuracy"].isna().all()
    summary = tables["summary"].set_index("method")
    assert (summary["n_judged"] == 2).all()
    assert np.isnan(summary.loc["all_features", "correct"])
    n_rankings, n_pictures = 3 * (1 + 1 + 2 + 2), 3
    units = json.loads((tmp_path / "run" / "provenance.json").read_text())["units"]
    n_svms = units["computed"] - n_rankings - n_pictures
    assert n_svms <= 2 * 4  # all features, ANOVA and Fisher, ReliefF, ManiFeSt


def test_the_svm_is_a_grid_search_on_the_training_rows():
    draw = drawn(AXES)
    columns = [1, 5, 8, 20]
    found = accuracy(AXES, columns, SVM)
    folds = inner_folds(draw.y, draw.train, draw.name, 0, 0, 3)
    grid = {"C": [2.0**p for p in SVM["log2_C"]], "gamma": [2.0**p for p in SVM["log2_gamma"]]}
    X = draw.X[:, columns]
    search = GridSearchCV(SVC(), grid, cv=folds, refit=False).fit(X, draw.y)
    assert found["validation"] == pytest.approx(search.best_score_)
    assert 2.0 ** found["log2_C"] == search.best_params_["C"]
    assert 2.0 ** found["log2_gamma"] == search.best_params_["gamma"]
    svm = SVC(**search.best_params_).fit(X[draw.train], draw.y[draw.train])
    assert found["accuracy"] == svm.score(X[draw.test], draw.y[draw.test])


def test_rankings_see_so_many_training_rows_of_each_class_and_no_others(resolved, monkeypatch):
    seen = {}

    def spy(X, y):
        seen["X"], seen["y"] = X, y
        return anova(X, y)

    monkeypatch.setattr("experiments.evaluation.methods.get", lambda name: spy)
    draw = drawn(AXES)
    (method,) = resolved("method=anova")
    row = ranking(AXES, 40, method, method.candidates()[0])
    train = {tuple(x) for x in draw.X[draw.train]}
    assert len(draw.test) == 30
    assert not set(draw.train) & set(draw.test)
    assert {tuple(x) for x in seen["X"]} <= train
    assert len(seen["X"]) == 40
    assert abs(np.mean(seen["y"]) - np.mean(draw.y)) < 0.03
    np.testing.assert_array_equal(np.sort(row["order"]), np.arange(24))
    assert (np.diff(row["scores"][row["order"]]) <= 0).all()
    ranking(AXES, None, method, method.candidates()[0])
    assert len(seen["X"]) == len(draw.train)


def test_pictures_show_the_test_rows_of_the_first_draw(cube):
    tables, rows = cube()
    y = drawn({**AXES, "draw": 0}).y[drawn({**AXES, "draw": 0}).test]
    assert tables["panels"]["panel"].tolist() == ["all_features", "relieff", "manifest"]
    for _, points in tables["tsne"].groupby("panel"):
        assert points["class"].tolist() == y.tolist()
        assert np.isfinite(points[["x", "y"]].to_numpy()).all()
    first = rows[rows["tuned"] & (rows["draw"] == 0)].set_index("method")
    panels = tables["panels"].set_index("panel")
    assert panels["n_selected"].to_dict() == {"all_features": 24, "relieff": 4, "manifest": 4}
    for method in ("relieff", "manifest"):
        assert panels.loc[method, "correct"] == first.loc[method, "correct"]
        assert panels.loc[method, "accuracy"] == pytest.approx(first.loc[method, "accuracy"], 1e-5)


def test_an_embedding_is_a_function_of_its_axes():
    with threadpool_limits(1):
        one, same, other = (embedding(AXES, c) for c in ([0, 1], [0, 1], [2, 3]))
    np.testing.assert_array_equal(one["x"], same["x"])
    assert not np.array_equal(one["x"], other["x"])


def test_a_case_is_the_experiment_with_its_parameters(run):
    folder, _ = run(*TOY, folder="cases")
    alone, _ = run(
        *("name=toy", "figure=score_panels", "dataset=toy", "protocol=recovery", "method=manifest"),
        *("dataset.params.constant=4", "protocol.n_repetitions=3", "protocol.n_selected=2"),
        "+parameters={manifest: {scale_factor: 1.0, percentile: null}}",
        folder="alone",
        store="alone",
    )
    both, single = (pd.read_csv(path / "summary.csv") for path in (folder, alone))
    assert both["case"].tolist() == ["a", "b"]
    assert "case" not in single
    shared = [name for name in single if name in both]
    assert shared == single.columns.tolist()
    pd.testing.assert_frame_equal(
        both.loc[both["case"] == "b", shared].reset_index(drop=True), single
    )
    features = pd.read_csv(folder / "features.csv")
    for _, of_case in features.groupby("case"):
        assert of_case["selected"].sum() == pytest.approx(2, rel=1e-5)  # two in each draw
        assert of_case["place"].sum() == pytest.approx(20 * 21 / 2, rel=1e-5)
    correct = both.set_index("case")["correct"]
    first = features[features["feature"] == 1].set_index("case")["selected"]
    assert correct.to_dict() == pytest.approx(first.to_dict(), rel=1e-5)


def test_features_are_not_averaged_where_their_numbers_mean_nothing(cube, run):
    """Relevant features of the hypercube change places from draw to draw; those of XOR do not."""
    tables, _ = cube()
    assert "features" not in tables
    folder, _ = run("experiment=xor100", "profile=smoke", "method=[gini,anova]", folder="xor")
    features = pd.read_csv(folder / "features.csv")
    assert features.columns.tolist() == ["method", "feature", "mean", "std"]
    assert not (folder / "tsne.csv").exists()
    assert "accuracy" not in pd.read_csv(folder / "summary.csv")


def test_the_first_of_equal_candidates_is_taken():
    def rows(*orders):
        return [{"order": np.array(order), "relevant": np.array([0, 1])} for order in orders]

    candidates = [
        ({"a": {"k": 1}}, rows([2, 3, 0, 1], [0, 2, 1, 3])),
        ({"a": {"k": 2}}, rows([0, 1, 2, 3], [2, 3, 0, 1])),
        ({"a": {"k": 3}}, rows([2, 0, 1, 3], [2, 1, 0, 3])),
    ]
    judged = RankedCandidates(candidates)
    np.testing.assert_array_equal(judged.correct, [[0, 1], [2, 0], [1, 1]])
    assert judged.parameters == {"a": {"k": 2}}
    assert RankedCandidates(candidates, n_selected=3).correct.tolist() == [[1, 2], [2, 1], [2, 2]]


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["protocol.test_size=null"], "protocol.test_size must be a share"),
        (["protocol.test_size=1.5"], r"protocol.test_size must lie in \(0, 1\)"),
        (["protocol.inner_folds=1"], "protocol.inner_folds must be at least 2"),
        (["protocol.n_selected=0"], "protocol.n_selected must be at least 1"),
        (["protocol.ranking_samples=2"], "protocol.ranking_samples must be at least 4"),
        (["protocol.log2_C=[4,1]"], "protocol.log2_C must be increasing"),
    ],
)
def test_configs_that_make_no_sense_are_refused(compose, overrides, message):
    with pytest.raises(ConfigError, match=message):
        validate(compose(*CUBE, *overrides))


def test_more_neighbours_than_samples_are_refused(run):
    """Values of a grid are not: its largest is above the 50 samples of XOR-100."""
    xor = ["experiment=xor100", "profile=smoke"]
    with pytest.raises(ConfigError, match=r"^method\.k=51 asks relieff .* at most 50$"):
        run(*xor, "method=relieff", "method.k=51")
    assert run(*xor, "method=relieff", "method.k=50")[1] == 0
    assert run(*xor, "method=relieff", "protocol.grid_size=null")[1] == 0


def test_workers_do_not_change_a_byte_of_judgements(run):
    cube = [*CUBE, "method=relieff", "protocol.n_repetitions=2"]
    one, _ = run(*cube, folder="one", store="one", workers=0)
    two, _ = run(*cube, folder="two", store="two", workers=2)
    for path in one.glob("*.csv"):
        assert path.read_bytes() == (two / path.name).read_bytes(), path.name
