"""A kind of experiment is one module and a YAML file; each key of a kind is read."""

import ast
import dataclasses
import json
import os
import subprocess
import sys

from experiments import config as base_config
from experiments import kinds
from tests.experiments.conftest import CONFIGS, project_copy


def test_every_kind_declares_what_the_contract_asks_for():
    for name in kinds.names():
        kind = kinds.load(name)
        assert kind.schema().kind == name, name
        assert callable(kind.check), name
        assert callable(kind.run), name
        assert kind.summary is not None or kind.tables is not None, name


def attributes(*folders):
    """Every attribute, key and keyword that the code in some folders names."""
    named = set()
    for path in (file for folder in folders for file in (CONFIGS.parent / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute):
                named.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                named.update(node.value.split("."))
    return named


def test_every_key_of_a_kind_is_read():
    """A key that is accepted and never read would promise what nothing does."""
    general = {field.name for field in dataclasses.fields(base_config.ProtocolConfig)}
    known = attributes("experiments/kinds", "experiments/evaluation")
    for name in kinds.names():
        keys = {field.name for field in dataclasses.fields(kinds.load(name).schema)} - general
        assert keys <= known, (name, keys - known)


def test_every_key_that_all_experiments_have_is_read():
    known = attributes("experiments")
    for schema in vars(base_config).values():
        if dataclasses.is_dataclass(schema):
            assert {field.name for field in dataclasses.fields(schema)} <= known, schema


UNIT = """
def count(number):
    return {"square": float(number**2)}
"""
KIND = """
from dataclasses import dataclass
from functools import partial
import pandas as pd
from counting_unit import count
from experiments.config import ProtocolConfig, at_least
from experiments.engine.keys import Unit, key_of
from experiments.evaluation.summary import Summary
from experiments.kinds.base import Kind, Results

@dataclass
class Schema(ProtocolConfig):
    kind: str = "counting"
    up_to: int = 3

def check(config):
    at_least(config, "protocol.up_to", 1)

def run(run):
    numbers = range(1, run.config.protocol.up_to + 1)
    units = [Unit(key_of("counting", [count], number=n), partial(count, n)) for n in numbers]
    run.complete(units, "numbers")
    rows = [
        {"method": method.name, "draw": draw, **run.rows([unit])[0]}
        for method in run.methods
        for draw, unit in enumerate(units)
    ]
    return Results(pd.DataFrame(rows), {"name": "numbers", "generated": True})

KIND = Kind(Schema, check, run, Summary("square", "draw", words="{} squared", is_share=False))
"""
EXPERIMENT = """
# @package _global_
defaults:
  - override /protocol: counting
  - override /method: [anova, gini]
name: counting
figure: intervals
protocol: {up_to: 5}
"""


def test_a_kind_is_a_module_and_a_config(tmp_path):
    """It gives a table, a figure, a page and a sweep's number; nothing else of ours names it."""
    folder = project_copy(tmp_path / "project")
    (folder / "counting_unit.py").write_text(UNIT)
    (folder / "experiments" / "kinds" / "counting.py").write_text(KIND)
    (folder / "configs" / "protocol" / "counting.yaml").write_text("defaults: [counting_schema]")
    (folder / "configs" / "experiment" / "counting.yaml").write_text(EXPERIMENT)
    command = [sys.executable, "run.py", "-m", "experiment=counting", "hydra.sweep.dir=sweep"]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "ANOVA square 11.000" in done.stdout
    (record,) = (folder / "sweep").rglob("provenance.json")
    assert json.loads(record.read_text())["units"]["computed"] == 5
    assert record.with_name("figure.png").exists()
    summary = record.with_name("summary.csv").read_text().splitlines()
    assert summary[0].startswith("method,label,square,std,ci_low,ci_high,n_draws")
    assert len(summary) == 3
    assert len(record.with_name("pairs.csv").read_text().splitlines()) == 2
    assert "ANOVA" in record.with_name("report.html").read_text()
