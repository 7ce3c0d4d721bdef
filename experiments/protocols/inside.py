"""What the protocols that look inside ManiFeSt share: they take it, and nothing else."""

import baselines
from experiments.methods import Method
from experiments.protocols.common import Run
from experiments.schemas import ConfigError
from manifest import manifest_score


def candidates(run: Run) -> list[tuple[Method, dict]]:
    """Every method of a run with the keywords of each of its candidates.

    Raises
    ------
    ConfigError
        If a method is anything but ManiFeSt: other filters have no operators M and D.
    """
    found = []
    for method in run.methods:
        if [baselines.get(part.call) for part in method.parts] != [manifest_score]:
            raise ConfigError(
                f"the protocol {run.config.protocol.kind} looks at the operators of ManiFeSt, which"
                f" the method {method.name} has none of; run with method=manifest"
            )
        (part,) = method.parts
        found += [(method, parameters[part.name]) for parameters in method.candidates()]
    return found
