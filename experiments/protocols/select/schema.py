"""How features are chosen, judged and compared with chance."""

from dataclasses import dataclass, field

from omegaconf import DictConfig

from experiments.config import at_least, share
from experiments.protocols.accuracy import schema as accuracy


@dataclass
class Schema(accuracy.Schema):
    """Splits and grids of the protocol accuracy, read as nested, and what the answer rests on."""

    kind: str = "select"
    readings: list[str] = field(default_factory=lambda: ["nested"])
    #: How many features to keep; chosen by their accuracy where it is null.
    n_features: int | None = None
    #: Stratified subsamples that are ranked again, and their share of the samples.
    n_resamples: int = 50
    resample_share: float = 0.8
    #: How often the whole procedure runs on shuffled labels.
    n_shuffles: int = 10
    #: With more features, ManiFeSt scores them in random blocks of so many.
    exact_features: int = 1000
    block: int = 400
    #: Features with at least this correlation, of either sign, count as near-identical.
    near: float = 0.95


def check(config: DictConfig) -> None:
    """Numbers must make sense, and only what this kind does may be asked for."""
    accuracy.check(config)
    accuracy.must_stay(
        config, readings=["nested"], ranking_shares=[1.0], classifiers={}, fewer_splits={}
    )
    for key, least in (
        ("n_features", 1),
        ("n_resamples", 2),
        ("n_shuffles", 1),
        ("exact_features", 2),
        ("block", 50),
    ):
        at_least(config, f"protocol.{key}", least)
    for key in ("resample_share", "near"):
        share(config, f"protocol.{key}")
