"""Differences of the paper's geometry to other forms, part by part, in units of the margin."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from experiments.report.figures.style import (
    DARK,
    TEXT,
    colours,
    dot,
    handle,
    labels_of,
    legend,
    read_table,
    set_title,
)

#: Differences are drawn up to so many margins.
MOST = 12.0


def draw(folder: Path) -> dict[str, Figure]:
    """Draw pairs.csv: a row for each part, a point with its 90 % interval for each form."""
    pairs = read_table(folder / "pairs.csv")
    labels = labels_of(read_table(folder / "summary.csv"))
    others = list(dict.fromkeys(pairs["other"]))
    colour_of = colours(folder, others)
    parts = list(dict.fromkeys(pairs["part_label"]))
    figure, axis = plt.subplots(figsize=(TEXT, 0.3 * len(parts) + 1.1))
    axis.axvspan(-1, 1, color="#E9E9E9", zorder=0)
    axis.axvline(0, color=DARK, linewidth=0.6)
    for row in pairs.to_dict("records"):
        place = parts.index(row["part_label"]) + 0.22 * (others.index(row["other"]) - 1)
        ends = np.array([row["ci_low"], row["ci_high"]]) / row["margin"]
        color = colour_of[row["other"]]
        axis.plot(np.clip(ends, -MOST, MOST), [place, place], color=color, alpha=0.5, linewidth=3)
        point = np.clip(row["difference"] / row["margin"], -MOST, MOST)
        axis.plot(point, place, "o", color=color, markersize=4.5)
    axis.set_yticks(range(len(parts)), parts)
    axis.set_ylim(len(parts) - 0.4, -0.6)
    axis.set_xlim(-MOST - 0.5, MOST + 0.5)
    sides = ("\u2190 the other form is better", "Algorithm 2 is better \u2192")
    axis.set_xlabel("      difference, in margins      ".join(sides))
    axis.grid(axis="x")
    axis.set_axisbelow(True)
    handles = [dot(labels.get(name, name), colour_of[name]) for name in others]
    legend(figure, [*handles, handle("margin", color="#E9E9E9", linewidth=8)])
    set_title(figure, folder, "Algorithm 2 less each other form, with 90 % intervals")
    return {"figure": figure}
