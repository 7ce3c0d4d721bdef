"""Compute the interval of a claim for other splits or draws of the same samples.

The noise is estimated from our repetitions. It gives the interval of a mean of any number of
repetitions, and therefore also that of the published number. It covers only splits or draws,
because other samples would change both studies in the same way.
"""

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from scipy import stats

from experiments.evaluation.statistics import (
    Interval,
    difference_interval,
    interval_of_equal,
    repeat_ratio,
)

#: The level of the intervals shown with our values.
SHOWN = 0.95
#: Variance of the mean of one cross-validation, divided by that of as many independent splits, for
#: an accuracy and for the difference of two methods. A single cross-validation cannot estimate it.
#: Repeated ones give 0.15 to 0.28 on colon and prostate (results/), and 0.24 with an SVM on the
#: twelve best features of Madelon by ANOVA; for differences 0.46 to 0.81.
ONE_REPEAT, ONE_REPEAT_PAIRED = 0.25, 0.6


@dataclass(frozen=True)
class Mean:
    """A mean over repetitions, with the interval ``value +- t s sqrt(b / n)``.

    If all repetitions are equal, s is not informative. Unequal repetitions then have at most the
    share allowed by the interval of Clopper and Pearson, and may be at either limit.
    """

    value: float
    #: s, the standard deviation of one repetition, or of the mean of a block of them.
    deviation: float
    #: The number of repetitions.
    n: int
    #: Degrees of freedom of s.
    freedom: float
    #: b, the number of repetitions in a block, such as the ten splits of one cross-validation.
    block: int = 1
    #: The smallest and the largest value of a repetition; None for one without limits.
    limits: tuple[float, float] | None = (0.0, 100.0)
    #: What it is of, if not of a method alone, and the stored name of that method.
    name: str = ""
    method: str = ""
    #: Numbers of the same method: "std" and "features".
    beside: dict[str, str] = field(default_factory=dict)

    def interval(self, level: float) -> tuple[float, float]:
        """Return the interval of the mean."""
        value = self.value
        if self.deviation == 0:
            limits = self.limits or (value, value)
            return interval_of_equal(value, self.n, limits, level)
        t = stats.t.ppf((1 + level) / 2, self.freedom)
        half = float(t * self.deviation * np.sqrt(self.block / self.n))
        low, high = self.limits or (-np.inf, np.inf)
        lower = max(value - half, min(low, value))
        upper = min(value + half, max(high, value))
        return lower, upper

    def minus(self, published: float, repetitions: int | None = None) -> Interval:
        """Return the interval of the difference to a published mean, at any level.

        That mean has the same noise, and so many repetitions, by default as many as ours.
        """
        theirs = replace(self, value=published, n=repetitions or self.n)
        return lambda level: difference_interval(
            self.value, self.interval(level), published, theirs.interval(level)
        )


def mean_of(
    values: pd.Series,
    block: int,
    together: pd.DataFrame | None = None,
    *,
    most: float = 100.0,
    paired: bool = False,
    name: str = "",
) -> Mean:
    """Return the mean over splits or draws, given the samples.

    Splits of one cross-validation depend on each other, and their mean varies less than that of
    independent splits. The deviation of a split is therefore multiplied by the root of a ratio of
    variances, estimated from the repeated cross-validations of all methods.

    Parameters
    ----------
    values : Series
        One value for each split or draw.
    block : int
        The splits of one cross-validation; 0 for independent draws or random splits.
    together : DataFrame, optional
        A column for each value of the same kind, such as the accuracy of each method. Repeated
        cross-validations need it.
    most : float
        The largest possible value; the smallest is 0.
    paired : bool
        True for differences of two such values.
    name : str
    """
    n = len(values)
    deviation = float(values.std(ddof=1))
    freedom = n - 1.0
    if block:
        ratio = ONE_REPEAT_PAIRED if paired else ONE_REPEAT
        if n // block >= 2 and together is not None:
            n_whole = len(together) // block * block
            columns = together.to_numpy()[:n_whole].T
            ratio, freedom = repeat_ratio(columns, block)
        deviation *= np.sqrt(ratio / block)
    limits = (-most if paired else 0.0, most)
    return Mean(float(values.mean()), deviation, n, freedom, block or 1, limits, name)
