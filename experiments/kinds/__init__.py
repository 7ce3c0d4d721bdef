"""The kinds of experiments, by name.

A kind is a :class:`experiments.kinds.base.Kind`, the constant KIND of its module. It declares its
schema, its run and its tables.
"""

from contextlib import nullcontext
from importlib import import_module
from typing import TYPE_CHECKING

from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from omegaconf import DictConfig

from experiments import config as base_config
from experiments.schemas import SCHEMAS

if TYPE_CHECKING:
    from experiments.cache import Run
    from experiments.files import Outputs
    from experiments.kinds.base import Kind

#: The name in ``protocol.kind`` -> the module of the kind.
KINDS = {
    "ablation": "ablation",
    "accuracy": "accuracy",
    "arena": "arena",
    "cone": "operators.cone",
    "few_sample_recovery": "few_sample_recovery",
    "images": "operators.images",
    "recovery": "recovery",
}


def load(name: str) -> "Kind":
    """Return the kind of a name; an unknown name raises a ConfigError that lists all."""
    module = KINDS[base_config.one_of(name, KINDS, "protocol")]
    return import_module(f"experiments.kinds.{module}").KIND


def register() -> None:
    """Register all schemas and the resolvers with Hydra; calling it twice is harmless."""
    base_config.register()
    store = ConfigStore.instance()
    for schema in SCHEMAS:
        store.store(group="protocol", name=f"{schema.kind}_schema", node=schema)


def composed(*overrides: str) -> DictConfig:
    """Return the config that Hydra composes from these overrides, inside a run of Hydra or not."""
    register()
    is_ready = GlobalHydra.instance().is_initialized()
    folder = str(base_config.CONFIGS)
    with nullcontext() if is_ready else initialize_config_dir(folder, version_base="1.3"):
        return compose("config", list(overrides))


def validate(config: DictConfig) -> None:
    """Raise a ConfigError if a value is out of range.

    Hydra has checked types and keys against the schemas when it composed the config.
    """
    base_config.validate(config)
    load(config.protocol.kind).check(config)


def outputs(run: "Run") -> "Outputs":
    """Run an experiment of the kind that its protocol names."""
    from experiments.kinds import base

    return base.outputs(load(run.config.protocol.kind), run)
