"""Experiments about the operators M and D: images and the cone."""

import inspect
from collections.abc import Sequence
from typing import Any

from baselines import get
from experiments.config import ConfigError
from experiments.evaluation.methods import Method
from manifest import manifest_score


def operator_candidates(
    methods: Sequence[Method], kind: str
) -> list[tuple[Method, dict[str, Any]]]:
    """Return every method with the keywords of each of its candidates.

    Raises
    ------
    ConfigError
        If a method is not ManiFeSt, because other filters have no operators M and D.
    """
    default = inspect.signature(manifest_score).parameters["geometry"].default
    candidates = []
    for method in methods:
        if [get(part.call) for part in method.parts] != [manifest_score]:
            raise ConfigError(
                f"the protocol {kind} needs the operators of ManiFeSt, which the method "
                f"{method.name} does not have; run with method=manifest"
            )
        (part,) = method.parts
        for parameters in method.candidates():
            keywords = {"geometry": default, **parameters[part.name]}
            candidates.append((method, keywords))
    return candidates
