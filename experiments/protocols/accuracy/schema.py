"""Judge a ranking by the accuracy of an SVM on its nested subsets."""

from dataclasses import dataclass, field
from typing import Any

from omegaconf import DictConfig

from experiments.config import (
    CONFIGS,
    ConfigError,
    ProtocolConfig,
    at_least,
    increasing,
    one_of,
    share,
)

READINGS = ("paper", "icml", "nested")


@dataclass
class Schema(ProtocolConfig):
    """Splits of a data set, the SVM's grid, and how the units are read."""

    kind: str = "accuracy"
    test_size: float = 0.1
    inner_folds: int = 10
    #: How often the inner folds are drawn. Validation under "paper" and "icml" is the mean over all
    #: of them; "nested" and `classifiers` take the folds of the first repeat, because each fold
    #: costs new rankings, or new fits.
    inner_repeats: int = 1
    #: Which of the SVM's cells are fitted on the whole training part: "all", or for each number of
    #: features only the "best" by validation, which takes less time. The results are the same, but
    #: "nested" needs all.
    refit: str = "all"
    sizes: list[int] = field(default_factory=list)
    log2_C: list[float] = field(default_factory=list)
    log2_gamma: list[float] = field(default_factory=list)
    #: Which of READINGS are computed; "nested" ranks inner_folds times more often, "icml" reads the
    #: units of "paper".
    readings: list[str] = field(default_factory=lambda: ["paper", "nested"])
    #: Shares of the training rows that rankings are made from; the SVM always sees all of them.
    ranking_shares: list[float] = field(default_factory=lambda: [1.0])
    #: On so many splits, the first ones, a method with `column_orders` is repeated in that many
    #: random orders of the features, under the reading "paper".
    order_splits: int = 0
    #: Method or reading -> on how many splits, the first ones, it is judged: those that are dear
    #: beside all others. What is not named has all splits.
    fewer_splits: dict[str, int] = field(default_factory=dict)
    #: Classifiers that select features themselves, judged on the same splits, by name.
    classifiers: dict[str, Any] = field(default_factory=dict)


def must_stay(config: DictConfig, **expected: Any) -> None:
    """Raise a ConfigError where an option is set that a kind made of this one does not have."""
    protocol = config.protocol
    for key, value in expected.items():
        if protocol[key] != value:
            raise ConfigError(
                f"protocol.{key} must stay {value} under the protocol {protocol.kind}, got "
                f"{protocol[key]}; the protocol accuracy has others"
            )


def check(config: DictConfig) -> None:
    """Splits, folds, grids and readings must make sense."""
    share(config, "protocol.test_size")
    check_rankings(config)


def check_rankings(config: DictConfig) -> None:
    """Everything but the splits."""
    for key, least in (("inner_folds", 2), ("inner_repeats", 1), ("order_splits", 0)):
        at_least(config, f"protocol.{key}", least)
    for key in ("sizes", "log2_C", "log2_gamma", "ranking_shares"):
        increasing(config, f"protocol.{key}")
    at_least(config, "protocol.sizes[0]", 1)
    shares = list(config.protocol.ranking_shares)
    if not (shares[0] > 0 and shares[-1] <= 1):
        raise ConfigError(f"protocol.ranking_shares must lie in (0, 1], got {shares}")
    readings = list(config.protocol.readings)
    if not readings or not set(readings) <= set(READINGS):
        raise ConfigError(
            f"protocol.readings must name at least one of {', '.join(READINGS)}, got {readings}"
        )
    for name, n_splits in config.protocol.fewer_splits.items():
        # What an experiment says of a method stays where other methods are chosen.
        if not (CONFIGS / "method" / f"{name}.yaml").exists():
            one_of(name, (*config.method.scorers, *READINGS), "protocol.fewer_splits")
        if n_splits < 1:
            raise ConfigError(f"protocol.fewer_splits.{name} must be at least 1, got {n_splits}")
    one_of(config.protocol.refit, ("all", "best"), "protocol.refit")
    if "nested" in readings and config.protocol.refit != "all":
        raise ConfigError(
            f"the reading nested needs protocol.refit=all, got {config.protocol.refit}; it takes "
            "cells that need not be the best under the ranking of the whole training part"
        )
