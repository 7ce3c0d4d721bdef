"""The exchange of the classes, beside the classes as coded: what it does to a number.

Which class is class 1 is as arbitrary as the order of the columns. The score of Algorithm 1 does
not depend on it; that of Algorithm 2 does, on singular kernels. Either study has one of the two
codings, so that the deviation over both is a part of the noise of a number.
"""

import numpy as np
import pandas as pd
from scipy import stats

from experiments.report.claims.outcome import Interval

METHOD, EXCHANGED = "manifest", "manifest_exchanged"


def deviation(as_coded, exchanged):
    """The standard deviation over the two codings: ``|a - b| / sqrt(2)``."""
    return np.abs(as_coded - exchanged) / np.sqrt(2)


def widened(
    interval: Interval, value: float, moved: float, low: float = -np.inf, high: float = np.inf
) -> Interval:
    """An interval with a further deviation s: ``sqrt(w^2 + (z s)^2)`` on each side of width w.

    It reaches neither below `low` nor above `high`, the limits of the value.
    """
    if not moved:
        return interval

    def both(level: float) -> tuple[float, float]:
        first, last = interval(level)
        half = stats.norm.ppf((1 + level) / 2) * moved
        below, above = np.hypot(value - first, half), np.hypot(last - value, half)
        return max(low, value - float(below)), min(high, value + float(above))

    return both


def largest_changes(rows: pd.DataFrame, method: str, exchanged: str) -> pd.Series:
    """The largest change of a score in each draw, as a share of the draw's largest score.

    The result is by case and draw; it is empty if either method is not there.
    """
    draws = rows.set_index(["case", "draw"])
    return changes(*(draws.loc[draws["method"] == name, "scores"] for name in (method, exchanged)))


def changes(one: pd.Series, other: pd.Series) -> pd.Series:
    """The largest change of a score from one series of arrays to another, for each common key.

    It is a share of the largest score of the first series.
    """
    both = pd.concat([one, other], axis=1, join="inner").dropna()
    return pd.Series(
        [np.abs(a - b).max() / a.max() for a, b in both.itertuples(index=False)],
        index=both.index,
        dtype=float,
    )
