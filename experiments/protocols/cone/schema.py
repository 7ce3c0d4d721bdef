"""Show M and D on the cone of symmetric positive-definite 2 x 2 matrices."""

from dataclasses import dataclass, field
from typing import Any

from omegaconf import DictConfig

from experiments.config import ConfigError, ProtocolConfig, at_least


@dataclass
class Schema(ProtocolConfig):
    """Two matrices to draw."""

    kind: str = "cone"
    #: K1 and K2, 2 x 2, symmetric positive definite, of equal determinants.
    matrices: dict[str, Any] = field(default_factory=dict)
    #: Points on the geodesic.
    n_points: int = 61


def check(config: DictConfig) -> None:
    """The matrices must be what can be drawn on one sheet of the cone."""
    at_least(config, "protocol.n_points", 3)
    matrices = config.protocol.matrices
    if set(matrices) != {"K1", "K2"}:
        raise ConfigError(f"protocol.matrices must be K1 and K2, got {', '.join(matrices)}")
    determinants = []
    for name, ((a, b), (c, d)) in matrices.items():
        if b != c or a <= 0 or a * d - b * c <= 0:
            raise ConfigError(
                f"protocol.matrices.{name} must be symmetric positive definite, "
                f"got [[{a}, {b}], [{c}, {d}]]"
            )
        determinants.append(a * d - b * c)
    if abs(determinants[0] - determinants[1]) > 1e-9 * max(determinants):
        raise ConfigError(
            "protocol.matrices must have equal determinants, so that their geodesic stays on one "
            f"surface that can be drawn, got {determinants[0]} and {determinants[1]}"
        )
