"""The mean of each method with its 95 % interval, from the best to the worst.

The measure is that of the summary. Groups, such as cases or readings, have a panel each.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from experiments.report.figures.style import COLUMN, TEXT, marks, read_table

#: Columns that name a group of rows.
GROUPS = ("case", "condition", "reading", "ranking_share")


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from summary.csv: its measure is the column before its standard deviation."""
    summary = read_table(folder / "summary.csv")
    columns = [str(name) for name in summary]
    measure = columns[columns.index("std") - 1]
    summary = summary[summary[measure].notna()]
    by = [name for name in GROUPS if name in summary and summary[name].nunique() > 1]
    groups = list(summary.groupby(by, sort=False)) if by else [((), summary)]
    width = COLUMN if len(groups) == 1 else TEXT
    height = 0.8 + 0.2 * max(len(part) for _, part in groups)
    figure, axes = plt.subplots(1, len(groups), figsize=(width, height), squeeze=False)
    mark_of = marks(folder, summary["method"].unique())
    for axis, (group, part) in zip(axes.flat, groups, strict=True):
        _panel(axis, part.sort_values(measure, kind="stable"), measure, mark_of)
        axis.set_title(", ".join(map(str, group)))
        axis.set_xlabel(measure.replace("_", " "))
    return {"figure": figure}


def _panel(axis, part: pd.DataFrame, measure: str, mark_of) -> None:
    for place, row in enumerate(part.to_dict("records")):
        mark = mark_of[row["method"]]
        axis.plot([row["ci_low"], row["ci_high"]], [place, place], color=mark["color"], linewidth=1)
        axis.plot(row[measure], place, linestyle="", markersize=4, **mark)
    axis.set_yticks(range(len(part)), part["label"])
