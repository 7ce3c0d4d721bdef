"""Experiments about the operators M and D: images and the cone."""

import inspect
from typing import Any

from omegaconf import DictConfig

from baselines import get
from experiments.config import ConfigError
from experiments.evaluation.methods import Method, resolve
from manifest import manifest_score


def chosen_of(config: DictConfig) -> tuple[Method, dict[str, Any]]:
    """Return the only method of a config, and the keywords of its only candidate.

    Raises
    ------
    ConfigError
        If a method is not ManiFeSt, because other filters have no operators M and D, or if there
        are several candidates.
    """
    kind = config.protocol.kind
    default = inspect.signature(manifest_score).parameters["geometry"].default
    candidates = []
    for method in resolve(config):
        if [get(part.call) for part in method.parts] != [manifest_score]:
            raise ConfigError(
                f"the protocol {kind} needs the operators of ManiFeSt, which the method "
                f"{method.name} does not have; run with method=manifest"
            )
        (part,) = method.parts
        for parameters in method.candidates():
            keywords = {"geometry": default, **parameters[part.name]}
            candidates.append((method, keywords))
    if len(candidates) != 1:
        raise ConfigError(
            f"the protocol {kind} shows one method with fixed parameters, got "
            f"{len(candidates)} candidates; fix them, as in method.percentile=50"
        )
    return candidates[0]
