"""Draw the mean of each method with its 95 % interval, from the best to the worst.

The measure is that of the summary. Each way of tuning has a figure, and each case a panel. Hollow
points are published numbers, in the row of their method if it was also measured.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.report.columns import heading, is_percent, measure_of
from experiments.report.figures.style import (
    COLUMN,
    DARK,
    GREY,
    MIDDLE,
    STRONG,
    TEXT,
    colours,
    dot,
    labels_of,
    legend,
    name_of,
    read_table,
    set_title,
    without_variants,
)

#: Columns whose values have a panel each.
GROUPS = ("case", "condition", "ranking_share")
#: The end of the name of a published number; the name without it is that of the method.
QUOTED = "_quoted"
#: A figure with one panel and at most this many rows is narrower than the text.
_FEW = 12


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from summary.csv: its measure is the column before its standard deviation."""
    summary = without_variants(read_table(folder / "summary.csv"))
    measure = measure_of(summary)
    summary = summary[summary[measure].notna()]
    if "tuning" not in summary:
        return {"figure": _figure(folder, measure, summary)}
    parts = summary.groupby("tuning", sort=False)
    return {f"figure_{tuning}": _figure(folder, measure, part) for tuning, part in parts}


def _figure(folder: Path, measure: str, summary: pd.DataFrame) -> Figure:
    by = [name for name in GROUPS if name in summary and summary[name].nunique() > 1]
    own = summary["method"].str.removesuffix(QUOTED)
    is_quoted = summary.get("quoted", pd.Series(False, summary.index)).eq(True)
    labels = own.map(labels_of(summary)).fillna(summary["label"])
    summary = summary.assign(method=own, label=labels, filled=~is_quoted)
    # A point has a name, so only ManiFeSt needs a colour.
    colour_of = {name: c for name, c in colours(folder, own).items() if name.startswith("manifest")}
    figure = panels_of(summary, by, measure, colour_of)
    if is_quoted.any():
        explain(figure, "here, with its 95 % interval", "published")
    words = heading(measure).removesuffix(", %")
    published = ", here and as published" if is_quoted.any() else ""
    set_title(figure, name_of(folder), f"{words}{published}")
    return figure


def panels_of(
    table: pd.DataFrame,
    by: Sequence[str],
    measure: str,
    colour_of: Mapping[str, str],
    titles: str = "{}",
    *,
    ascending: bool = False,
) -> Figure:
    """Return a panel for each group of a table; a row has the results of one label in all panels.

    Rows are in the order of their means over the groups; published numbers come last.

    Parameters
    ----------
    table : DataFrame
        As :func:`rows` takes it, with the columns of the groups.
    by : sequence of str
        The columns of the groups.
    measure : str
        The column of the means.
    colour_of : mapping of str to str
        Method -> colour.
    titles : str
        The title of a panel; the values of the group replace the braces.
    ascending : bool
        True if the least mean is the best.
    """
    measured = table[table["filled"]] if "filled" in table else table
    means = measured.groupby("label", sort=False)[measure].mean()
    order = means.sort_values(ascending=ascending, kind="stable").index
    labels = list(dict.fromkeys([*order, *table["label"]]))
    groups = list(table.groupby(list(by), sort=False)) if by else [((), table)]
    is_small = len(groups) == 1 and len(labels) <= _FEW
    size = (1.3 * COLUMN if is_small else TEXT, 0.19 * len(labels) + 0.8)
    figure, axes = plt.subplots(1, len(groups), figsize=size, sharey=True, squeeze=False)
    for axis, (group, part) in zip(axes.flat, groups, strict=True):
        rows(axis, part, measure, colour_of, labels)
        axis.set_title(titles.format(", ".join(map(str, group))))
    return figure


def rows(
    axis: Axes,
    table: pd.DataFrame,
    measure: str,
    colour_of: Mapping[str, str],
    labels: Sequence[str] = (),
) -> None:
    """Draw a row for each label, the first one above: the mean as a point on its 95 % interval.

    Names have the colours of their methods; ManiFeSt's are bold.

    Parameters
    ----------
    axis : Axes
    table : DataFrame
        Columns label, method, the measure and, if they are known, ci_low and ci_high. A row is
        hollow if its "filled" is false.
    measure : str
        The column of the means.
    colour_of : mapping of str to str
        Method -> colour.
    labels : sequence of str
        The labels of all rows, if the table has not all of them or not in this order.
    """
    labels = list(labels or table["label"])
    places = {label: place for place, label in enumerate(labels)}
    axis.set_yticks(range(len(labels)), labels)
    axis.set_ylim(len(labels) - 0.4, -0.6)
    scale, looks = 100 if is_percent(measure) else 1, dict[str, Any]()
    for row in table.to_dict("records"):
        place, color = places[row["label"]], colour_of.get(row["method"], DARK)
        color = MIDDLE if color == GREY else color
        ends = scale * np.array([row.get("ci_low", np.nan), row.get("ci_high", np.nan)])
        bar: dict[str, Any] = {"alpha": 0.35, "linewidth": 4, "solid_capstyle": "butt"}
        axis.plot(ends, [place, place], color=color, zorder=2, **bar)
        face = color if row.get("filled", True) else "white"
        point: dict[str, Any] = {"color": color, "markerfacecolor": face, "zorder": 4}
        axis.plot(scale * row[measure], place, "o", markersize=4.5, **point)
        looks[row["label"]] = {
            "color": color,
            "fontweight": "bold" if color == STRONG else "normal",
        }
    for name in axis.get_yticklabels():
        name.set(**looks.get(name.get_text(), {}))
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x")
    axis.set_axisbelow(True)
    axis.set_xlabel(heading(measure).capitalize().replace(", %", " (%)"))
    if is_percent(measure):
        axis.set_xlim(right=min(axis.get_xlim()[1], 101))


def explain(figure: Figure, filled: str, hollow: str) -> None:
    """Say below the panels what filled and hollow points are."""
    both = (filled, DARK), (hollow, "white")
    legend(figure, [dot(t, DARK, markersize=4.5, markerfacecolor=face) for t, face in both])
