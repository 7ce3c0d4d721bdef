"""Differences of the paper's geometry to other forms, part by part, in units of the margin."""

from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from experiments.report.figures import style

#: Differences are drawn up to so many margins.
MOST = 12.0


def draw(folder: Path) -> dict[str, Figure]:
    """Draw pairs.csv: a row for each part, a point with its 90 % interval for each form."""
    pairs = style.read_table(folder / "pairs.csv")
    labels = style.labels_of(style.read_table(folder / "summary.csv"))
    others = list(dict.fromkeys(pairs["other"]))
    colour_of = style.colours(folder, others)
    points = {"value": pairs["difference"], "low": pairs["ci_low"], "high": pairs["ci_high"]}
    points = {key: (x / pairs["margin"]).clip(-MOST, MOST) for key, x in points.items()}
    shifts = 0.22 * (pairs["other"].map(others.index) - 1)
    table = pairs.assign(color=pairs["other"].map(colour_of), shift=shifts, **points)
    size = (style.TEXT, 0.3 * pairs["part"].nunique() + 1.1)
    figure, axis = plt.subplots(figsize=size)
    axis.axvspan(-1, 1, color="#E9E9E9", zorder=0)
    axis.axvline(0, color=style.DARK, linewidth=0.6)
    style.dots(axis, table.assign(label=pairs["part_label"]))
    axis.set_xlim(-MOST - 0.5, MOST + 0.5)
    sides = ("\u2190 the other form is better", "Algorithm 2 is better \u2192")
    axis.set_xlabel("      difference, in margins      ".join(sides))
    handles = [style.dot(labels.get(name, name), colour_of[name]) for name in others]
    handles.append(style.handle("margin", color="#E9E9E9", linewidth=8))
    what = "Algorithm 2 less each other form, with 90 % intervals"
    return {"figure": style.finish(figure, folder, what, handles)}
