"""Which data sets the methods meet on, from how many samples, and what is reported."""

from dataclasses import dataclass, field
from typing import Any

from omegaconf import DictConfig

from experiments.config import ConfigError, at_least, increasing
from experiments.protocols.accuracy import schema as accuracy

#: The word for as many training samples as there are.
ALL = "all"


@dataclass
class Schema(accuracy.Schema):
    """Splits and grids of the protocol accuracy, read as nested, on each of several data sets."""

    kind: str = "arena"
    readings: list[str] = field(default_factory=lambda: ["nested"])
    #: The data sets, by their files in configs/dataset or by their names in `sets`.
    datasets: list[str] = field(default_factory=list)
    #: Name -> what is other than in the file of that name: keys of a data set; `dataset`, the file
    #: of another name; `classes`, some of its classes; `unit`, what all values are divided by;
    #: `percentiles`, those that ManiFeSt's scale is tuned over; `label`, its name in tables.
    sets: dict[str, Any] = field(default_factory=dict)
    #: Numbers of training samples; "all" leaves `test_size` for the test.
    n_train: list[Any] = field(default_factory=lambda: [20, 50, ALL])
    #: "all" are at most so many; the others of a data set are then test samples.
    max_train: int = 500
    #: Numbers of features at which accuracy and stability are told.
    reported: list[int] = field(default_factory=lambda: [10, 20, 50])
    #: Methods that all others are compared with, data set by data set. Those that a run has not are
    #: passed over; the first method of the run takes the place of none.
    references: list[str] = field(default_factory=list)
    #: Method -> it is left out where there are more features than this.
    feature_limits: dict[str, int] = field(default_factory=dict)
    #: With more features, ManiFeSt scores them in random blocks of so many.
    exact_features: int = 1000
    block: int = 400


def check(config: DictConfig) -> None:
    """Names and numbers must make sense, and only what this kind does may be asked for."""
    accuracy.check(config)
    protocol = config.protocol
    accuracy.must_stay(
        config,
        readings=["nested"],
        ranking_shares=[1.0],
        classifiers={},
        inner_repeats=1,
        order_splits=0,
        fewer_splits={},
    )
    if config.dataset.name:
        raise ConfigError(
            f"the protocol arena has several data sets, and dataset={config.dataset.name} names "
            f"one; give protocol.datasets=[{config.dataset.name}] or more of them"
        )
    names = list(protocol.datasets)
    if not names or len(set(names)) < len(names):
        raise ConfigError(f"protocol.datasets must name data sets, each once, got {names}")
    wanted = list(protocol.n_train)
    numbers = [n for n in wanted if n != ALL]
    whole = all(type(n) is int and n >= 2 * protocol.inner_folds for n in numbers)
    if not wanted or not whole or wanted != [*sorted(set(numbers)), *wanted[len(numbers) :]]:
        raise ConfigError(
            f"protocol.n_train must be increasing numbers of at least {2 * protocol.inner_folds}, "
            f"two a fold, and {ALL!r} at the end where it is wanted, got {wanted}"
        )
    increasing(config, "protocol.reported")
    missing = [size for size in protocol.reported if size not in protocol.sizes]
    if missing:
        raise ConfigError(
            f"protocol.reported must be among protocol.sizes {list(protocol.sizes)}, got {missing}"
        )
    for key, least in (("max_train", 4), ("exact_features", 2), ("block", 50)):
        at_least(config, f"protocol.{key}", least)
