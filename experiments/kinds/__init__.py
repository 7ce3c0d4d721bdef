"""The kinds of experiment: each one a module or a folder here, found by its name.

A kind is a :class:`experiments.kinds.base.Kind`, the constant KIND of its module. It declares its
schema, its problems, its summary and the tables that only it has. Nothing else in the repository
names it.
"""

import importlib
import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from hydra.core.config_store import ConfigStore
from omegaconf import DictConfig

from experiments import config as base_config
from experiments import protocols

if TYPE_CHECKING:
    from experiments.kinds.base import Kind

_DECLARATION = re.compile(r"^KIND\b.*=", re.MULTILINE)


@cache
def _modules() -> dict[str, str]:
    """Kind -> its module: every module or package below this one that assigns KIND."""
    here, found = Path(__file__).parent, {}
    for path in sorted(here.rglob("*.py")):
        if _DECLARATION.search(path.read_text(encoding="utf-8")):
            parts = path.relative_to(here).with_suffix("").parts
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            if parts:
                found[parts[-1]] = ".".join([__name__, *parts])
    return found


def names() -> tuple[str, ...]:
    """The names of all kinds."""
    return tuple(sorted({*_modules(), *protocols.names()}))


def load(name: str) -> "Kind":
    """The kind of a name; an unknown name is a ConfigError that lists the known ones."""
    if (module := _modules().get(base_config.one_of(name, names(), "protocol"))) is None:
        return _of_protocol(name)
    return importlib.import_module(module).KIND


@cache
def _of_protocol(name):
    """The kind select, which is still a folder of experiments/protocols."""
    from experiments.evaluation.summary import Summary
    from experiments.kinds.base import Kind, Results

    schema, last = protocols.schema(name), {}

    def run(run):
        old = last["results"] = protocols.load(name).run(run)
        return Results(old.rows, old.data, old.tables, old.files, old.text)

    return Kind(
        schema.Schema,
        schema.check,
        run,
        Summary("accuracy", "split"),
        tables=lambda rows, config: {"pairs": pd.DataFrame(), **last["results"].tables},
        findings=_sentences,
        shown=lambda tables: last["results"].shown,
    )


def _sentences(tables, config, folder):
    path = folder / "answer.json"
    answer = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return {"": " ".join(answer["sentences"])} if answer else {}


def register() -> None:
    """Make all schemas and the resolvers known to Hydra; it does no harm to do so twice."""
    base_config.register()
    store = ConfigStore.instance()
    for name in names():
        store.store(group="protocol", name=f"{name}_schema", node=load(name).schema)


def validate(config: DictConfig) -> None:
    """Raise a ConfigError if a value is out of range.

    Hydra has checked types and keys against the schemas when it composed the config.
    """
    base_config.validate(config)
    load(config.protocol.kind).check(config)
