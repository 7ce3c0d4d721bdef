"""Count the relevant features among as many with the highest scores."""

from dataclasses import dataclass

from omegaconf import DictConfig

from experiments.schemas import ProtocolConfig


@dataclass
class Schema(ProtocolConfig):
    """Draws of a generator that knows which features matter."""

    kind: str = "recovery"


def check(config: DictConfig) -> None:
    """Nothing but what all protocols share."""
