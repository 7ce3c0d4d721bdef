"""Check the paper's statements on eigenvalues of D on kernels of data."""

from dataclasses import dataclass, field
from typing import Any

from omegaconf import DictConfig

from experiments.config import SCALINGS, ConfigError, ProtocolConfig, at_least, increasing, one_of

#: What may be said of a data set.
KEYS = ("scaling", "classes", "alternative")


@dataclass
class Schema(ProtocolConfig):
    """Data sets to take kernels from, a random part of each for every repetition."""

    kind: str = "propositions"
    #: Name -> scaling (none or standard), classes (two labels) and alternative, each optional.
    datasets: dict[str, Any] = field(default_factory=dict)
    #: At most so many samples of a class, and features, at random.
    max_per_class: int = 500
    max_features: int = 200
    #: Angles, in radians, by which eigenvectors are turned away from being shared.
    angles: list[float] = field(default_factory=list)
    #: Shares of the way from the first kernel to the second, for proposition 3 of the version of
    #: 2023, which speaks of near kernels.
    near: list[float] = field(default_factory=list)


def check(config: DictConfig) -> None:
    """There must be data sets, known keys and sensible sizes."""
    protocol = config.protocol
    if config.dataset.name:
        raise ConfigError(
            "the propositions protocol takes its data sets from protocol.datasets, not from "
            f"dataset, got dataset={config.dataset.name}"
        )
    if not protocol.datasets:
        raise ConfigError("protocol.datasets names no data set; give one as {colon: {}}")
    for name, options in protocol.datasets.items():
        for key in options or {}:
            one_of(key, KEYS, f"option of protocol.datasets.{name}")
        one_of((options or {}).get("scaling", "none"), SCALINGS, "scaling")
        classes = (options or {}).get("classes")
        if classes is not None and len(set(classes)) != 2:
            raise ConfigError(
                f"protocol.datasets.{name}.classes must be two labels, got {list(classes)}"
            )
    at_least(config, "protocol.max_per_class", 2)
    at_least(config, "protocol.max_features", 2)
    increasing(config, "protocol.angles")
    increasing(config, "protocol.near")
