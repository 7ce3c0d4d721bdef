"""Which rankings are judged on which splits: the units of a config, and what they have found."""

import logging
from functools import partial
from typing import ClassVar

import numpy as np

from experiments.config import ConfigError
from experiments.datasets import Dataset
from experiments.engine.keys import Unit, key_of
from experiments.evaluation.samples import Source
from experiments.evaluation.splits import outer_split
from experiments.protocols.accuracy.units import judge_ranking
from experiments.protocols.base import Run

log = logging.getLogger(__name__)


class AccuracyUnits:
    """The units of a config: of a method's candidate, on a split's whole training part or folds."""

    #: What judges a ranking, and the name under which its rows are stored.
    judge: ClassVar = staticmethod(judge_ranking)
    stored_as: ClassVar[str] = "accuracy"
    #: The protocol's options that determine the rows of a split.
    split_by: ClassVar[tuple[str, ...]] = ("test_size", "inner_folds", "inner_repeats", "refit")

    def __init__(self, run: Run, source: Source, data: Dataset):
        protocol = run.config.protocol
        self.run, self.source, self.y = run, source, data.y
        self.sizes = [size for size in protocol.sizes if size <= data.X.shape[1]]
        if len(self.sizes) < len(protocol.sizes):
            left_out = ", ".join(map(str, protocol.sizes[len(self.sizes) :]))
            log.info(
                "%s has %d features; sizes %s are left out", data.name, data.X.shape[1], left_out
            )
        self.axes = {
            "fingerprint": data.fingerprint,
            "seed": run.config.seed,
            **{name: protocol[name] for name in self.split_by},
            "scaling": run.config.dataset.scaling,
            "sizes": self.sizes,
            "log2_C": list(protocol.log2_C),
            "log2_gamma": list(protocol.log2_gamma),
        }
        self.n_folds = protocol.inner_folds
        self.readings = list(protocol.readings)
        self.shares = list(protocol.ranking_shares)
        self.n_features = data.X.shape[1]

    def unit(self, method, parameters, share, split, fold, columns=None) -> Unit:
        """One unit; fold None is the whole training part, columns None the features' own order."""
        axes = {**self.axes, "share": share, "split": split, "fold": fold}
        if fold is not None:
            # A fold is one of the first repeat and tests all cells, whatever the whole part does.
            axes = {name: axes[name] for name in axes if name not in ("inner_repeats", "refit")}
        if columns is not None:
            axes["columns"] = columns
        runs = [self.judge, *method.scorers()]
        key = key_of(self.stored_as, runs, axes=axes, method=method.identity(parameters))
        return Unit(key, partial(self.judge, self.source, axes, method, parameters, self.run.store))

    def check(self) -> None:
        """Raise a ConfigError where the data are too few for the folds that the config asks for."""
        protocol = self.run.config.protocol
        _, counts = np.unique(self.y, return_counts=True)
        least = int(counts.min() * (1 - protocol.test_size))
        if least < protocol.inner_folds:
            raise ConfigError(
                f"protocol.inner_folds={protocol.inner_folds} needs as many training samples of "
                f"each class, the smallest class of {self.run.config.dataset.name} leaves {least}"
            )

    def splits_of(self, method: str, reading: str) -> range:
        """The splits that a method is judged on under a reading."""
        protocol = self.run.config.protocol
        fewer = [n for name, n in protocol.fewer_splits.items() if name in (method, reading)]
        return range(min([protocol.n_repetitions, *fewer]))

    def axes_of(self, method: str) -> list[tuple[float, int, str]]:
        """Share, split and reading of all that is judged of a method."""
        return [
            (share, split, reading)
            for share in self.shares
            for reading in self.readings
            for split in self.splits_of(method, reading)
        ]

    def rows(self, split: int) -> tuple[np.ndarray, np.ndarray]:
        """The training and the test rows of a split."""
        axes = self.axes
        return outer_split(self.y, axes["fingerprint"], axes["seed"], split, axes["test_size"])

    def test_share(self) -> float:
        """What the intervals over splits are corrected by: test rows over training rows."""
        train, test = self.rows(0)
        return len(test) / len(train)

    def needed(self, method, parameters, share, split, reading, columns=None) -> list[Unit]:
        """The units that a reading needs; the whole training part first."""
        folds = [None, *range(self.n_folds)] if reading == "nested" else [None]
        return [self.unit(method, parameters, share, split, fold, columns) for fold in folds]

    def arrays(self, method, parameters, *at):
        """Validation and test accuracies of a candidate, and its row; None if a unit failed.

        Further arguments are those of :meth:`needed`.
        """
        found = self.run.rows(self.needed(method, parameters, *at))
        if found is None:
            return None
        whole, *folds = found
        inside = np.mean([row["test"] for row in folds], axis=0) if folds else whole["validation"]
        return self.shaped(inside), self.shaped(whole["test"]), whole

    def shaped(self, accuracies) -> np.ndarray:
        """The accuracies of all cells, shape (sizes, C, gamma)."""
        shape = (len(self.sizes), len(self.axes["log2_C"]), len(self.axes["log2_gamma"]))
        return accuracies.reshape(shape)
