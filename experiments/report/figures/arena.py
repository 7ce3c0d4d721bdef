"""Draw the mean rank and the mean accuracy of all filters over the data sets of the arena.

Rank 1 is best, and the bars are as long as the critical difference of Nemenyi's test at 5 % (Demsar
2006): two methods differ significantly if their bars do not overlap.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from experiments.report.figures.points import rows
from experiments.report.figures.style import (
    DARK,
    OWN,
    STRONG,
    TEXT,
    handle,
    legend,
    name_of,
    read_table,
    set_title,
)
from experiments.report.stored import ALL_FEATURES

TOGETHER = "together"
COLOUR_OF = dict.fromkeys(OWN, STRONG)


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from ranks.csv and summary.csv: the held-out data sets, if there are any.

    There is no figure for a single data set.
    """
    ranks, summary = (read_table(folder / f"{name}.csv") for name in ("ranks", "summary"))
    is_first = ranks["problems"] == ranks["problems"].iloc[0]
    ranks = ranks[is_first & ranks["n_train"].astype(str).eq(TOGETHER) & (ranks["n_data_sets"] > 1)]
    everything = summary.loc[summary["method"] == ALL_FEATURES, "accuracy"]
    return {"figure": _figure(folder, ranks, everything)} if len(ranks) else {}


def _figure(folder: Path, ranks: pd.DataFrame, everything: pd.Series) -> Figure:
    """The mean rank of each method, and its mean accuracy beside that of no selection."""
    size = (TEXT, 0.17 * len(ranks) + 1.1)
    figure, (left, right) = plt.subplots(1, 2, figsize=size, sharey=True, width_ratios=[1.3, 1])
    half = ranks["critical_difference"] / 2
    bars = ranks.assign(ci_low=ranks["mean_rank"] - half, ci_high=ranks["mean_rank"] + half)
    rows(left, bars, "mean_rank", COLOUR_OF)
    left.set_xlabel("Mean rank (1 is best)")
    rows(right, ranks, "accuracy", COLOUR_OF)
    right.set_xlabel("Mean test accuracy (%)")
    words = "critical difference (5 %): methods differ if their bars do not overlap"
    handles = [handle(words, color=DARK, alpha=0.35, linewidth=4)]
    for level in 100 * everything:
        look = {"color": DARK, "linestyle": ":", "linewidth": 1}
        right.axvline(level, **look)
        handles.append(handle(f"SVM on all features: {level:.1f} %", **look))
    legend(figure, handles)
    held_out = "held-out " if ranks["problems"].iloc[0] == "held-out" else ""
    n = ranks["n_data_sets"].iloc[0]
    set_title(figure, name_of(folder), f"mean rank and accuracy over {n} {held_out}data sets")
    return figure
