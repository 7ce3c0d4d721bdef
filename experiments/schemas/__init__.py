"""What the config of each protocol may hold: one module a protocol, named as the protocol is.

A module has a dataclass ``Schema``, whose ``kind`` is its name, and a function ``check(config)``,
which raises a ConfigError where a value is out of range. Nothing slow is imported here.
"""

import importlib
import pkgutil
from dataclasses import dataclass
from functools import cache
from types import ModuleType

from omegaconf import DictConfig, OmegaConf


class ConfigError(ValueError):
    """A config that cannot be run; its text is one sentence with the valid choices."""


@dataclass
class ProtocolConfig:
    """How a ranking is judged."""

    kind: str = ""
    #: How many draws, or splits.
    n_repetitions: int = 1
    #: At most this many values of each tuning grid, evenly spread; all where null.
    grid_size: int | None = None


@cache
def modules() -> dict[str, ModuleType]:
    """The protocols there are, by name."""
    return {
        found.name: importlib.import_module(f"{__name__}.{found.name}")
        for found in pkgutil.iter_modules(__path__)
    }


def at_least(config: DictConfig, key: str, least: float) -> None:
    """Raise a ConfigError if there is a value at the key and it is smaller."""
    value = OmegaConf.select(config, key)
    if value is not None and value < least:
        raise ConfigError(f"{key} must be at least {least}, got {value}")


def increasing(config: DictConfig, key: str) -> None:
    """Raise a ConfigError unless the key holds increasing numbers, at least one."""
    values = list(OmegaConf.select(config, key))
    if not values or sorted(set(values)) != values:
        raise ConfigError(f"{key} must be increasing numbers, got {values}")


def share(config: DictConfig, key: str) -> None:
    """Raise a ConfigError unless the key holds a number strictly between 0 and 1."""
    value = OmegaConf.select(config, key)
    if not 0 < value < 1:
        raise ConfigError(f"{key} must lie in (0, 1), got {value}")
