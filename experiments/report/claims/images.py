"""Readers of claims about pictures: where the score of pixels is high."""

import numpy as np
from scipy import stats

from experiments.report.claims.results_folder import ResultsFolder
from experiments.report.claims.verdict import Estimate, Missing, undecided

#: What a claim may name as reader.
__all__ = ["region_stands_out"]

#: The geometry of the paper's Algorithm 2.
GEOMETRY = "spsd"


def region_stands_out(results: ResultsFolder, classes: list[int], region: str) -> Estimate:
    """Whether a region has a larger share of the score than it has of the ink.

    Ink is the mean of all images. A score that only follows where there is something to see has
    the same share of both. The region's share of the area is no measure: any region near the middle
    would stand out beside it.

    Parameters
    ----------
    results : ResultsFolder
    classes : list of int
        The two classes that the score tells apart.
    region : str
        A name in regions.csv.
    """
    looking = Missing(f"a matter of looking: see the figures in results/{results.folder.name}")
    draws = _of(classes, results.summary)["n_draws"]
    try:
        regions = _of(classes, results.table("regions"))
    except Missing:
        raise looking from None
    regions = regions[regions["region"] == region]
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
    return Estimate(value, low, high, rule, low > 1)


def _of(classes, table):
    """The rows of two classes under the geometry of the paper."""
    first, second = classes
    return table[
        (table["class_1"] == first) & (table["class_2"] == second) & (table["geometry"] == GEOMETRY)
    ]
