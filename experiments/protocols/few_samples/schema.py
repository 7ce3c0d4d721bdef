"""Rank and train on a few samples of each class, test on all others."""

from dataclasses import dataclass, field

from omegaconf import DictConfig

from experiments.config import at_least
from experiments.protocols.accuracy import schema as accuracy


@dataclass
class Schema(accuracy.Schema):
    """How many samples of each class are drawn, the SVM's grid, and what pictures show."""

    kind: str = "few_samples"
    #: Training samples of each class; all others are test samples.
    n_per_class: int = 300
    #: Not of this kind: `n_per_class` says how many samples are left to test on.
    test_size: float | None = None  # type: ignore[assignment]
    readings: list[str] = field(default_factory=lambda: ["paper"])
    #: Rows and columns of an image; without them, no operators are shown.
    shape: list[int] = field(default_factory=list)
    #: Leading eigenvectors of M and of each D that are shown.
    n_mean: int = 2
    n_difference: int = 1


def check(config: DictConfig) -> None:
    """Numbers and grids must make sense, and nothing may be asked for that this kind has not."""
    protocol = config.protocol
    accuracy.check_rankings(config)
    accuracy.must_stay(
        config,
        test_size=None,
        readings=["paper"],
        classifiers={},
        inner_repeats=1,
        refit="all",
    )
    at_least(config, "protocol.n_per_class", protocol.inner_folds)
    for key in ("n_mean", "n_difference"):
        at_least(config, f"protocol.{key}", 1)
