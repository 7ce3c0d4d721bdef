"""A kind of experiment is one module and a YAML file; each key of a kind is read."""

import ast
import dataclasses

from experiments import config as base_config
from experiments import kinds
from tests.experiments.conftest import CONFIGS


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
    for name, kind in kinds.KINDS.items():
        keys = {field.name for field in dataclasses.fields(kind.schema)} - general
        assert keys <= known, (name, keys - known)
    known = attributes("experiments")
    for schema in vars(base_config).values():
        if dataclasses.is_dataclass(schema):
            assert {field.name for field in dataclasses.fields(schema)} <= known, schema
