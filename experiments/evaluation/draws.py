"""Sources of generated samples: draws of a generator."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from experiments import seeds
from experiments.datasets.generators import generate
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
        """The samples, read-only, since tasks that share a draw share it in memory."""
        return _drawn(self)


@lru_cache(maxsize=2)
def _drawn(source: Drawn) -> Samples:
    rng = seeds.generator(source.seed, "sample", *source.axes)
    sample = generate(source.dataset, rng, **json.loads(source.params))
    sample.X.flags.writeable = False
    return Samples(sample.X, sample.y, np.array(sample.relevant))
