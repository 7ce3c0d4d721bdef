"""The kinds of experiment: each one a folder here, found by its name.

A folder has four modules. ``schema`` says what its config may hold: a dataclass ``Schema`` and a
function ``check(config)``. ``units`` holds the functions that workers run. ``run`` turns a config
into units and units into results, and offers what :class:`experiments.protocols.base.Kind` asks
for. ``tables`` turns what the units found into tables. A kind that needs no units or tables of its
own leaves that module out.
"""

import importlib
import pkgutil
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, cast

from hydra.core.config_store import ConfigStore
from omegaconf import DictConfig

from experiments import config as base_config

if TYPE_CHECKING:
    from experiments.protocols.base import Kind


@cache
def names() -> tuple[str, ...]:
    """The names of all kinds."""
    return tuple(found.name for found in pkgutil.iter_modules(__path__) if found.ispkg)


def schema(kind: str) -> ModuleType:
    """The schema module of a kind; an unknown kind is a ConfigError that lists the known ones."""
    return importlib.import_module(
        f"{__name__}.{base_config.one_of(kind, names(), 'protocol')}.schema"
    )


def load(kind: str) -> "Kind":
    """The run module of a kind, which imports all that its experiments need."""
    return cast(
        "Kind",
        importlib.import_module(f"{__name__}.{base_config.one_of(kind, names(), 'protocol')}.run"),
    )


def register() -> None:
    """Make all schemas and the resolvers known to Hydra; it does no harm to do so twice."""
    base_config.register()
    store = ConfigStore.instance()
    for kind in names():
        store.store(group="protocol", name=f"{kind}_schema", node=schema(kind).Schema)


def validate(config: DictConfig) -> None:
    """Raise a ConfigError where a value is out of range.

    Hydra has checked types and keys against the schemas when it composed the config.
    """
    base_config.validate(config)
    schema(config.protocol.kind).check(config)
