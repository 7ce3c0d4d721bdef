"""All filters over the data sets of the arena: mean rank, and mean accuracy.

Rank 1 is best, and the bars are as long as the critical difference of Nemenyi's test at 5 % (Demsar
2006): two methods differ significantly if their bars do not overlap.
"""

from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from experiments.evaluation.accuracies import ALL_FEATURES
from experiments.report.figures import style
from experiments.report.figures.points import rows

TOGETHER = "together"


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from ranks.csv and summary.csv: the held-out data sets, if there are any.

    There is no figure for a single data set.
    """
    ranks, summary = (style.read_table(folder / f"{name}.csv") for name in ("ranks", "summary"))
    is_first = ranks["problems"] == ranks["problems"].iloc[0]
    ranks = ranks[is_first & ranks["n_train"].astype(str).eq(TOGETHER) & (ranks["n_data_sets"] > 1)]
    if ranks.empty:
        return {}
    size = (style.TEXT, 0.17 * len(ranks) + 1.1)
    figure, (left, right) = plt.subplots(1, 2, figsize=size, sharey=True, width_ratios=[1.3, 1])
    half, colour_of = ranks["critical_difference"] / 2, dict.fromkeys(style.OWN, style.STRONG)
    bars = ranks.assign(ci_low=ranks["mean_rank"] - half, ci_high=ranks["mean_rank"] + half)
    rows(left, bars, "mean_rank", colour_of)
    left.set_xlabel("Mean rank (1 is best)")
    rows(right, ranks, "accuracy", colour_of)
    right.set_xlabel("Mean test accuracy (%)")
    words = "critical difference (5 %): methods differ if their bars do not overlap"
    handles = [style.handle(words, color=style.DARK, alpha=0.35, linewidth=4)]
    for level in 100 * summary.loc[summary["method"] == ALL_FEATURES, "accuracy"]:
        look = {"color": style.DARK, "linestyle": ":", "linewidth": 1}
        right.axvline(level, **look)
        handles.append(style.handle(f"SVM on all features: {level:.1f} %", **look))
    held_out = "held-out " if ranks["problems"].iloc[0] == "held-out" else ""
    what = f"mean rank and accuracy over {ranks['n_data_sets'].iloc[0]} {held_out}data sets"
    return {"figure": style.finish(figure, folder, what, handles)}
