"""The operators M and D of ManiFeSt: as images, against the paper's propositions, in the cone."""

import inspect
from collections.abc import Sequence
from typing import Any

from experiments.config import ConfigError
from experiments.evaluation.methods import Method
from manifest import manifest_score


def operator_candidates(
    methods: Sequence[Method], kind: str
) -> list[tuple[Method, dict[str, Any]]]:
    """Every method with the keywords of each of its candidates.

    Raises
    ------
    ConfigError
        If a method is anything but ManiFeSt: other filters have no operators M and D.
    """
    default = inspect.signature(manifest_score).parameters["geometry"].default
    candidates = []
    for method in methods:
        if method.scorers() != [manifest_score]:
            raise ConfigError(
                f"the protocol {kind} looks at the operators of ManiFeSt, which the method "
                f"{method.name} has none of; run with method=manifest"
            )
        (part,) = method.parts
        candidates += [
            (method, {"geometry": default, **parameters[part.name]})
            for parameters in method.candidates()
        ]
    return candidates
