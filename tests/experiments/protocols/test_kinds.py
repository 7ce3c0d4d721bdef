"""A kind of experiment is one folder: what each offers, and one that is added and run."""

import ast
import dataclasses
import json
import os
import subprocess
import sys

import pandas as pd
import pytest

from experiments import config as base_config
from experiments import protocols
from experiments.protocols.base import Results
from tests.experiments.conftest import CONFIGS, project_copy


@pytest.mark.parametrize("name", protocols.names())
def test_every_kind_offers_what_the_contract_asks_for(name):
    kind = protocols.load(name)
    assert callable(kind.run)
    assert kind.SUMMARY
    assert kind.HEADLINE is None or isinstance(kind.HEADLINE, str)
    schema = protocols.schema(name)
    assert schema.Schema().kind == name
    assert callable(schema.check)


def test_a_summary_without_its_columns_is_a_fault():
    kind = protocols.load("recovery")
    table = pd.DataFrame([{"method": "anova", "failed": False}])
    with pytest.raises(TypeError, match="has no column correct, label, n_draws"):
        Results(table, {"summary": table}, table, {}).check(kind)
    with pytest.raises(TypeError, match="must give a table 'summary'"):
        Results(table, {}, table, {}).check(kind)


def attributes(*folders):
    """Every attribute, key and keyword that the code in some folders names."""
    found = set()
    for path in (file for folder in folders for file in (CONFIGS.parent / folder).rglob("*.py")):
        if path.name in ("schema.py", "config.py"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.update(node.value.split("."))
    return found


@pytest.mark.parametrize("name", protocols.names())
def test_every_key_of_a_kind_is_read(name):
    """A key that is accepted and never read would promise what nothing does."""
    general = {field.name for field in dataclasses.fields(base_config.ProtocolConfig)}
    # A kind that builds on another one has that kind's keys, which its folder may read.
    schemas = [s for s in protocols.schema(name).Schema.__mro__ if s.__module__ != "builtins"]
    kinds = {s.__module__.split(".")[2] for s in schemas[:-1]}
    own = {field.name for field in dataclasses.fields(schemas[0])} - general
    assert own <= attributes(*(f"experiments/protocols/{kind}" for kind in kinds))


def test_every_key_that_all_experiments_have_is_read():
    known = attributes("experiments")
    for schema in vars(base_config).values():
        if dataclasses.is_dataclass(schema):
            assert {field.name for field in dataclasses.fields(schema)} <= known


SCHEMA = """
from dataclasses import dataclass
from experiments.config import ProtocolConfig, at_least

@dataclass
class Schema(ProtocolConfig):
    kind: str = "counting"
    up_to: int = 3

def check(config):
    at_least(config, "protocol.up_to", 1)
"""
UNITS = """
def count(number):
    return {"square": number**2}
"""
RUN = """
from functools import partial
import pandas as pd
from experiments.engine.keys import Unit, key_of
from experiments.protocols.base import Results
from experiments.protocols.counting.units import count

HEADLINE = "square"
SUMMARY = ("label", "square")

def run(run):
    numbers = range(1, run.config.protocol.up_to + 1)
    units = [Unit(key_of("counting", [count], number=n), partial(count, n)) for n in numbers]
    run.complete(units, "numbers")
    rows = [{"label": f"{n} squared", **run.rows([unit])[0]} for n, unit in zip(numbers, units)]
    table = pd.DataFrame(rows)
    return Results(table, {"summary": table}, table, {"name": "numbers", "generated": True})
"""
FIGURE = """
import matplotlib.pyplot as plt
import pandas as pd

def draw(folder):
    figure, axis = plt.subplots()
    axis.plot(pd.read_csv(folder / "summary.csv")["square"])
    return {"figure": figure}
"""
EXPERIMENT = """
# @package _global_
defaults:
  - override /protocol: counting
name: counting
figure: squares
protocol: {up_to: 5}
"""


def test_a_kind_is_a_folder_a_config_and_a_figure(tmp_path):
    """Nothing else of the repository names it."""
    folder = project_copy(tmp_path / "project")
    kind = folder / "experiments" / "protocols" / "counting"
    kind.mkdir()
    for name, text in {"__init__": "", "schema": SCHEMA, "units": UNITS, "run": RUN}.items():
        (kind / f"{name}.py").write_text(text)
    (folder / "experiments" / "report" / "figures" / "squares.py").write_text(FIGURE)
    (folder / "configs" / "protocol" / "counting.yaml").write_text("defaults: [counting_schema]")
    (folder / "configs" / "experiment" / "counting.yaml").write_text(EXPERIMENT)
    command = [sys.executable, "run.py", "-m", "experiment=counting", "hydra.sweep.dir=sweep"]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "5 squared square 25.000" in done.stdout
    (record,) = (folder / "sweep").rglob("provenance.json")
    assert json.loads(record.read_text())["units"]["computed"] == 5
    assert record.with_name("figure.png").exists()
