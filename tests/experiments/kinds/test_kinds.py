"""A kind of experiment is one module and a YAML file; each key of a kind is read."""

import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest

from tests.commands import python
from tests.experiments.conftest import CONFIGS


def project_copy(folder):
    """A copy of all that a run needs, with the files of CONTRIBUTING.md, whose blocks name them."""
    for name in ("manifest", "baselines", "experiments", "configs"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(CONFIGS.parent / name, folder / name, ignore=ignored)
    shutil.copy(CONFIGS.parent / "run.py", folder)
    text = (CONFIGS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for block in re.findall(r"```(?:python|yaml)\n# (.*?)```", text, re.DOTALL):
        path, _, content = block.partition("\n")
        (folder / path).write_text(content, encoding="utf-8")
    return folder


def run_in(folder, *overrides):
    """The output of a sweep in a copy of the repository."""
    done = python("run.py", "-m", "hydra.sweep.dir=sweep", *overrides, at=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_kind_in_contributing_gives_a_table_a_figure_a_page_and_a_number(tmp_path):
    folder = project_copy(tmp_path / "project")
    kinds_of = folder / "experiments" / "kinds" / "__init__.py"
    source = kinds_of.read_text().replace("    accuracy,\n", "    accuracy,\n    counting,\n")
    line = ' = {\n    "counting": counting.KIND,\n'
    kinds_of.write_text(source.replace(" = {\n", line, 1))
    assert "anova" in run_in(folder, "experiment=counting")
    (record,) = (folder / "sweep").rglob("provenance.json")
    assert json.loads(record.read_text())["tasks"]["computed"] == 5
    assert record.with_name("figure.png").exists()
    summary = pd.read_csv(record.with_name("summary.csv"))
    assert list(summary)[:7] == ["method", "label", "square", "std", "ci_low", "ci_high", "n_draws"]
    assert summary["square"].tolist() == [11, 11]
    assert len(record.with_name("pairs.csv").read_text().splitlines()) == 2
    assert "ANOVA" in record.with_name("report.html").read_text()


@pytest.mark.slow
def test_the_method_and_the_data_set_in_contributing_run_in_an_experiment(tmp_path):
    folder = project_copy(tmp_path / "project")
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(48, 6)), columns=[f"gene{i}" for i in range(6)])
    table["status"] = ["ill", "well"] * 24
    table.loc[table["status"] == "ill", "gene3"] += 3
    table.to_csv(folder / "my_table.csv", index=False)
    chosen = ["experiment=colon", "dataset=mine", "method=[anova,mine]", "profile=smoke"]
    run_in(folder, *chosen, "protocol.sizes=[1,2]", "draw=false")
    (path,) = (folder / "sweep").rglob("rows.parquet")
    assert "Spread of the means" in path.with_name("summary.csv").read_text()
    rows = pd.read_parquet(path)
    powers = {f"power={power}" for power in (1, 2, 4)}
    assert set(rows.loc[rows["method"] == "mine", "parameters"]) <= powers
    assert rows.loc[(rows["method"] == "anova") & (rows["n_features"] == 1), "test"].mean() > 0.8
