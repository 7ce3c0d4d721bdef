"""Count the relevant features among the best, on samples drawn anew each time."""

from dataclasses import dataclass, field
from typing import Any

from omegaconf import DictConfig

from experiments.config import ConfigError, ProtocolConfig, at_least, increasing, share


@dataclass
class Case:
    """One part of an experiment: what it is called and how its samples differ."""

    label: str = ""
    #: Arguments of the generator, over those of the data set.
    params: dict[str, Any] = field(default_factory=dict)


@dataclass
class Schema(ProtocolConfig):
    """Draws of a generator that knows which features matter."""

    kind: str = "recovery"
    #: How many of the best features are selected; as many as are relevant where null.
    n_selected: int | None = None
    #: Parts of the experiment, by name, each summarised on its own; one unnamed part where empty.
    cases: dict[str, Case] = field(default_factory=dict)
    #: Share of the samples that neither rankings nor SVMs see; none where null.
    test_size: float | None = None
    #: How many of the other samples rankings are made from, stratified; all where null.
    ranking_samples: int | None = None
    #: In how many draws, the first ones, an SVM on the selected features is tested.
    judged_draws: int = 0
    inner_folds: int = 10
    log2_C: list[float] = field(default_factory=list)
    log2_gamma: list[float] = field(default_factory=list)
    #: Methods whose selection in the first draw is shown by t-SNE, beside all features.
    embedded: list[str] = field(default_factory=list)


def check(config: DictConfig) -> None:
    """Numbers of draws, rows, features and folds must make sense."""
    for key, least in (
        ("n_selected", 1),
        ("ranking_samples", 4),
        ("judged_draws", 0),
        ("inner_folds", 2),
    ):
        at_least(config, f"protocol.{key}", least)
    for key in ("log2_C", "log2_gamma"):
        increasing(config, f"protocol.{key}")
    if config.protocol.test_size is not None:
        share(config, "protocol.test_size")
    elif config.protocol.judged_draws or config.protocol.embedded:
        raise ConfigError(
            "protocol.test_size must be a share in (0, 1) where an SVM is tested (judged_draws) or "
            "test samples are shown (embedded), got null"
        )
