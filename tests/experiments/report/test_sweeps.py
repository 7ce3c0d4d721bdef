"""Tables and figures of sweeps: the seed is a replicate, and no figure goes missing in silence."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from experiments.config import ConfigError
from experiments.report import figures
from experiments.report.comparison import side_by_side
from experiments.report.figures import curves
from experiments.report.stored import runs_in
from experiments.report.sweeps import COLUMNS, figure_of, jobs_of, means, varied
from scripts import compare

METHODS = ["manifest", "relieff"]


def swept(**settings):
    """A row for each combination of settings and each method, as sweep.csv has them."""
    values, rows = itertools.product(*settings.values()), []
    for (job, at), method in itertools.product(enumerate(values), METHODS):
        setting = dict(zip(settings, map(str, at), strict=True))
        found = {"method": method, "measure": "correct", "mean": 10.0 * job + len(method)}
        rows.append({"job": job, **setting, **found, "status": "finished", "folder": str(job)})
    return pd.DataFrame(rows).reindex(columns=["job", *settings, *COLUMNS])


def test_the_seed_is_a_replicate_and_one_that_failed_is_not_counted():
    table = swept(**{"method.scale_factor": [0.1, 1], "seed": [0, 1, 2]})
    assert varied(table) == ["method.scale_factor"]
    found = means(table, ())
    assert len(found) == 2 * len(METHODS)
    row = found[(found["method"] == "relieff") & (found["method.scale_factor"] == "1")].iloc[0]
    values = np.array([30.0, 40, 50]) + len("relieff")
    half = stats.t.ppf(0.975, 2) * values.std(ddof=1) / np.sqrt(3)
    ends = row[["mean", "ci_low", "ci_high", "n_seeds"]].astype(float)
    np.testing.assert_allclose(ends, [values.mean(), values.mean() - half, values.mean() + half, 3])
    assert means(swept(seed=[0], a=[1, 2]), ()).empty
    table.loc[table["job"] == 0, "mean"] = np.nan
    assert sorted(means(table, ())["n_seeds"]) == [2, 2, 3, 3]


def test_a_second_setting_is_a_panel(tmp_path):
    table = swept(dataset=["colon", "wine"], seed=[0, 1], **{"method.k": [1, 5, 20]})
    figure, reason = figure_of(table, ())
    assert (figure["x"], figure["groups"], reason) == ("method.k", ["dataset"], "")
    table.to_csv(tmp_path / "sweep.csv", index=False)
    means(table, ()).to_csv(tmp_path / "sweep_mean.csv", index=False)
    figures.check(figure)
    axes = curves.sweep(tmp_path, x="method.k", groups=["dataset"])["sweep"].axes
    assert [axis.get_title() for axis in axes] == ["colon", "wine"]
    lines = {len(np.asarray(line.get_xdata())) for axis in axes for line in axis.lines}
    assert lines == {3}


@pytest.mark.parametrize(("settings", "told"), [
    ({"dataset": ["colon", "wine"]}, "numbers"),
    ({"seed": [0, 1]}, "numbers"),
    ({"a": [1, 2], "b": [*range(5)], "c": [*range(5)], "d": [*range(3)]}, "panels"),
])  # fmt: skip
def test_where_no_figure_can_be_drawn_a_reason_is_given(settings, told):
    figure, reason = figure_of(swept(**settings), ())
    assert figure == {}
    assert told in reason
    nothing = swept(a=[1, 2]).assign(mean=np.nan)
    assert "measured" in figure_of(nothing, ())[1]


def summary(shift=0.0, methods=METHODS):
    rows = [
        {"method": name, "label": name, "accuracy": 0.5 + shift, "std": 0.1}
        | {"ci_low": 0.4 + shift, "ci_high": 0.6 + shift}
        for name in methods
    ]
    return pd.DataFrame(rows)


def test_runs_are_compared_with_the_first_and_have_an_interval_of_the_difference():
    text = side_by_side({"a": summary(), "b": summary(0.1), "c": summary(0.2, ["anova"])})
    rows = {line.split()[0]: line for line in text.splitlines()}
    half = 100 * np.hypot(0.1, 0.1)
    assert f"[{10 - half:.1f}, {10 + half:.1f}]" in rows["relieff"]
    assert {*rows} == {"method", "relieff", "manifest", "anova"}
    assert "c minus a" not in rows["method"]
    with pytest.raises(ConfigError, match="measure"):
        side_by_side({"a": summary(), "b": pd.concat([summary(), summary()])})
    other = side_by_side({"a": summary(), "b": summary().rename(columns={"accuracy": "correct"})})
    assert "minus" not in other


def test_the_folder_of_a_sweep_stands_for_its_runs(tmp_path, capsys):
    table = swept(a=[1, 2, 3])
    table.to_csv(tmp_path / "sweep.csv", index=False)
    for job in "01":
        (tmp_path / job).mkdir()
        (tmp_path / job / "provenance.json").write_text("{}")
        summary(int(job) / 10).to_csv(tmp_path / job / "summary.csv", index=False)
    assert [*runs_in(str(tmp_path), tmp_path)] == [f"{tmp_path}/0", f"{tmp_path}/1"]
    compare.main([str(tmp_path)])
    assert "1 minus 0" in capsys.readouterr().out


def test_a_table_of_jobs_needs_no_order(tmp_path):
    (tmp_path / "jobs").mkdir()
    for job in (2, 0):
        rows = swept(a=[1]).assign(job=job)
        (tmp_path / "jobs" / f"{job:06d}.json").write_text(rows.to_json(orient="records"))
    assert jobs_of(tmp_path)["job"].tolist() == [0, 0, 2, 2]
