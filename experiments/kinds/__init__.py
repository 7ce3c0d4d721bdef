"""The kinds of experiment: each one a module or a folder here, found by its name.

A kind is a :class:`experiments.kinds.base.Kind`, the constant KIND of its module. It declares its
schema, its problems, its summary and the tables that only it has. Nothing else in the repository
names it.
"""

import importlib
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from hydra.core.config_store import ConfigStore
from omegaconf import DictConfig

from experiments import config as base_config

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
    return tuple(sorted(_modules()))


def load(name: str) -> "Kind":
    """The kind of a name; an unknown name is a ConfigError that lists the known ones."""
    return importlib.import_module(_modules()[base_config.one_of(name, names(), "protocol")]).KIND


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
