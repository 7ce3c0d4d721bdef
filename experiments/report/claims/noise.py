"""Noise between two studies of the same samples: the interval that each kind of it leaves.

A noise is estimated from our repetitions and gives the interval of a value from any number of
repetitions. So it holds for the published number, too, whose repetitions are not known one by one.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from scipy import stats

from experiments.evaluation.statistics import quantile_interval

RESAMPLES = 4000


@dataclass(frozen=True)
class MeanNoise:
    """The noise of a mean over repetitions: ``value +- t s sqrt(b / n)``.

    If all repetitions are equal, s says nothing. Then repetitions that were not seen have at most
    the share that Clopper and Pearson's interval leaves them, and may lie at either limit.
    """

    word: str
    #: s, the standard deviation of one repetition or of the mean of a block of them.
    deviation: float
    #: Our number of repetitions.
    n: int
    #: b, the number of repetitions in a block, such as the ten splits of one cross-validation.
    block: int = 1
    #: Degrees of freedom of s, by default n - 1.
    freedom: float | None = None
    #: The smallest and the largest value of a repetition.
    limits: tuple[float, float] = (0.0, 100.0)

    @classmethod
    def of_draws(cls, values, low: float, high: float) -> "MeanNoise":
        """The noise of the mean of independent draws, each of them from low to high."""
        deviation = float(values.std(ddof=1))
        return cls("draws", deviation, len(values), limits=(low, high))

    def interval(self, value, n, level):
        low, high = self.limits
        if self.deviation == 0:
            unseen = 1 - stats.binomtest(n, n).proportion_ci(level).low
            return value - unseen * max(0, value - low), value + unseen * max(0, high - value)
        t = stats.t.ppf((1 + level) / 2, self.freedom or self.n - 1)
        half = t * self.deviation * np.sqrt(self.block / n)
        return float(max(value - half, min(low, value))), float(min(value + half, max(high, value)))

    def known_from(self, n):
        return replace(self, n=n, freedom=None)


@dataclass(frozen=True)
class QuantileNoise:
    """The noise of a quantile of n draws, by our order statistics."""

    values: np.ndarray
    share: float
    word: str = "draws, order statistics"

    @property
    def n(self):
        return len(self.values)

    def interval(self, value, n, level):
        own = np.quantile(self.values, self.share)
        low, high = quantile_interval(self.values, self.share, n, level)
        return value + min(0, low - own), value + max(0, high - own)

    def known_from(self, n):
        return self


#: The noise of one number of a study.
Noise = MeanNoise | QuantileNoise


@lru_cache(maxsize=8)
def resamples(n_values, n):
    """Counts of each value in each resample of n values; the same at every call."""
    rng = np.random.default_rng(0)
    return rng.multinomial(n, np.full(n_values, 1 / n_values), size=RESAMPLES).astype(np.float64)


def middle(values, level: float) -> tuple[float, float]:
    """The interval that holds a share of the values; its ends are two of them."""
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], method="nearest")
    return float(low), float(high)
