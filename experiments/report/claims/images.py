"""Claims about pictures: where the score of pixels is high."""

import numpy as np
from scipy import stats

from experiments.report.claims.results_folder import Stored
from experiments.report.claims.verdict import Measured, Missing, undecided

#: Experiment -> the two classes that the paper shows.
CLASSES = {"mnist": (4, 9), "fashion_mnist": (1, 6)}
#: That of the paper's Algorithm 2.
GEOMETRY = "spsd"


def shown(stored: Stored, region: str) -> Measured:
    """The share of the score in a region, relative to the region's share of the ink.

    Ink is the mean of all pixels. A score that only follows where there is something to see has as
    much of both; relative to the area, any region near the middle would stand out.
    """
    looking = Missing(f"a matter of looking: see the figures in results/{stored.folder.name}")
    try:
        regions = _of(stored, stored.table("regions"))
    except Missing:
        raise looking from None
    regions = regions[regions["region"] == region]
    draws = _of(stored, stored.summary)["n_draws"]
    if regions.empty or draws.empty or draws.iloc[0] < 2:
        raise looking
    row, n = regions.iloc[0], int(draws.iloc[0])
    half = stats.t.ppf(0.975, n - 1) * row["score_std"] / np.sqrt(n)
    value, low, high = (
        x / row["ink"] for x in (row["score"], row["score"] - half, row["score"] + half)
    )
    rule = (
        f"share of the score in the region {region} over its share of the ink; rule: the interval "
        "over the draws lies above 1; over its share of the area it is "
        f"{row['score'] / row['area']:.2f}{undecided(low, high, 1)}"
    )
    return Measured(value, low, high, rule, low > 1)


def _of(stored, table):
    first, second = CLASSES[stored.folder.name]
    return table[
        (table["class_1"] == first) & (table["class_2"] == second) & (table["geometry"] == GEOMETRY)
    ]
