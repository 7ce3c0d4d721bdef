"""Recovery of relevant features, against what makes it harder."""

from dataclasses import dataclass, field
from typing import Any

from omegaconf import DictConfig

from experiments.config import (
    SCALINGS,
    ConfigError,
    ProtocolConfig,
    at_least,
    increasing,
    one_of,
)

#: What a condition may vary -> the least and the largest value that it may have.
LIMITS = {
    "samples": (4, float("inf")),
    "label_noise": (0, 0.5),
    "copies": (0, float("inf")),
    "batch_shift": (0, float("inf")),
}
#: Conditions whose values are whole numbers.
WHOLE = ("samples", "copies")


@dataclass
class Case:
    """One generator: what it is called, and how its samples are drawn and scaled."""

    label: str = ""
    dataset: str = ""
    scaling: str = "none"
    #: Arguments of the generator; protocol.pool and protocol.test_samples say how many samples.
    params: dict[str, Any] = field(default_factory=dict)
    #: Parameters of ManiFeSt here, alone and in every combination, in place of their grids; those
    #: of the command line come first.
    manifest: dict[str, Any] = field(default_factory=dict)


@dataclass
class Condition:
    """What gets harder: its name in figures, and its values, step by step."""

    label: str = ""
    steps: list[float] = field(default_factory=list)


@dataclass
class Schema(ProtocolConfig):
    """Generators, conditions, and the SVM that tunes and judges."""

    kind: str = "robustness"
    #: The generators, by name; that of the data set where null.
    cases: dict[str, Case] | None = None
    #: By name: samples (how many rank and train), label_noise (the share of their labels that is
    #: wrong), copies (of each relevant feature) and batch_shift (in standard deviations).
    conditions: dict[str, Condition] = field(default_factory=dict)
    #: How many samples rank and train where the condition is another one.
    samples: int = 100
    #: How many samples of a draw are for ranking and training; few of them are a part of many.
    pool: int = 200
    #: How many further samples of a draw test the SVM.
    test_samples: int = 500
    #: Deviation of the noise on a copy, in standard deviations of its feature.
    copy_noise: float = 0.3
    #: Folds of the ranking samples, in each of which candidates are ranked again and compared.
    inner_folds: int = 3
    log2_C: list[float] = field(default_factory=list)
    log2_gamma: list[float] = field(default_factory=list)


def check(config: DictConfig) -> None:
    """Values, numbers of samples and grids must make sense."""
    protocol = config.protocol
    for key, least in (("samples", 4), ("test_samples", 1), ("copy_noise", 0), ("inner_folds", 2)):
        at_least(config, f"protocol.{key}", least)
    for key in ("log2_C", "log2_gamma"):
        increasing(config, f"protocol.{key}")
    if not protocol.conditions:
        raise ConfigError(f"protocol.conditions must have at least one of {', '.join(LIMITS)}")
    for name, condition in protocol.conditions.items():
        one_of(name, LIMITS, "condition")
        key = f"protocol.conditions.{name}.steps"
        increasing(config, key)
        least, largest = LIMITS[name]
        for value in condition.steps:
            if not least <= value <= largest or (name in WHOLE and value != round(value)):
                whole = "whole numbers" if name in WHOLE else "numbers"
                raise ConfigError(f"{key} must be {whole} of {least} to {largest}, got {value:g}")
    varied = protocol.conditions.get("samples")
    usual = [] if set(protocol.conditions) == {"samples"} else [protocol.samples]
    at_least(config, "protocol.pool", max([*usual, *(varied.steps if varied else [])]))
    for case in (protocol.cases or {}).values():
        one_of(case.scaling, SCALINGS, "scaling of a case")
