"""Sources of generated samples: draws of a generator, and draws that are made worse."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from experiments import seeds
from experiments.datasets.generators import generate
from experiments.evaluation.rows import ranking_rows
from experiments.evaluation.sources import Samples


@dataclass(frozen=True)
class Drawn:
    """A draw of a generator, by its number; `params` are its arguments as canonical JSON."""

    dataset: str
    params: str
    draw: int
    seed: int

    @classmethod
    def of(cls, dataset: str, params: Mapping[str, Any], draw: int, seed: int) -> "Drawn":
        """The draw of a generator with these arguments."""
        return cls(dataset, seeds.canonical_json(dict(params)), draw, seed)

    @cached_property
    def fingerprint(self) -> str:
        return seeds.canonical_json([self.dataset, self.params, self.draw])

    @property
    def axes(self) -> Sequence:
        return (self.dataset, self.params, self.draw)

    def samples(self) -> Samples:
        """The samples, read-only, since units that share a draw share it in memory."""
        return _drawn(self)


@lru_cache(maxsize=2)
def _drawn(source: Drawn) -> Samples:
    rng = seeds.generator(source.seed, "sample", *source.axes)
    sample = generate(source.dataset, rng, **json.loads(source.params))
    sample.X.flags.writeable = False
    return Samples(sample.X, sample.y, np.array(sample.relevant))


@dataclass(frozen=True)
class Altered:
    """A draw with fewer or worse samples; all else is the draw's."""

    drawn: Drawn
    #: Number of its first samples, of which some are ranked. All after these are for tests.
    pool: int
    samples_ranked: int
    #: Share of the labels of the ranked samples that are wrong.
    label_noise: float = 0.0
    #: Number of copies of each relevant feature.
    copies: int = 0
    #: Deviation of the noise on a copy, in standard deviations of its feature.
    copy_noise: float = 0.0
    #: Shift of half of the features in half of the samples, in standard deviations.
    batch_shift: float = 0.0

    @cached_property
    def fingerprint(self) -> str:
        return seeds.canonical_json(asdict(self))

    @property
    def axes(self) -> Sequence:
        return (self.drawn.fingerprint,)

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows that are ranked, stratified by their true labels, and the test rows."""
        y, share = self.drawn.samples().y, min(1, self.samples_ranked / self.pool)
        pool, test = np.split(np.arange(len(y)), [self.pool])
        at = (self.drawn.fingerprint, self.drawn.seed)
        return ranking_rows(y, pool, *at, 0, share), test

    def samples(self) -> Samples:
        """The altered features and labels; `relevant` holds the relevant features, not copies."""
        _, y, relevant = self.drawn.samples()
        rows, _ = self.rows()
        at = (self.drawn.seed, "labels", self.drawn.fingerprint, len(rows))
        y = relabelled(y, rows, self.label_noise, seeds.generator(*at))
        return Samples(self._features(), y, relevant)

    def origin(self) -> np.ndarray:
        """The relevant feature that each feature is, or is a copy of; -1 for all others."""
        X, _, relevant = self.drawn.samples()
        origin = np.full(X.shape[1], -1)
        origin[relevant] = relevant
        return np.concatenate([origin, np.tile(relevant, self.copies)])  # type: ignore[arg-type]

    def _features(self) -> np.ndarray:
        """X with copies, each the feature plus normal noise, and with a batch shift.

        The shifted samples and features are independent of the classes and the same for all shifts.
        """
        X, _, relevant = self.drawn.samples()
        name, seed, spread = self.drawn.fingerprint, self.drawn.seed, X.std(axis=0)
        parts, copied = [X], X[:, relevant]
        for number in range(self.copies):
            noise = seeds.generator(seed, "copy", name, number).standard_normal(copied.shape)
            parts.append(copied + self.copy_noise * spread[relevant] * noise)
        X = np.hstack(parts)
        if self.batch_shift:
            rng = seeds.generator(seed, "batches", name)
            in_batch, moved = (rng.permutation(size) < size // 2 for size in X.shape)
            X = X + self.batch_shift * np.outer(in_batch, moved * X.std(axis=0))
        return X


def relabelled(y, rows, share, rng) -> np.ndarray:
    """Labels of two classes with a random share of the rows flipped.

    Rows flipped at a small share are flipped at every larger one.
    """
    labels = y.copy()
    wrong = rng.permutation(rows)[: round(share * len(rows))]
    labels[wrong] = y.min() + y.max() - y[wrong]
    return labels
