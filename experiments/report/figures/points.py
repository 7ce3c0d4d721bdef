"""Draw the mean of each method with its 95 % interval, from the best to the worst.

The measure is that of the table. Ways of tuning have a figure each. Hollow points are published
numbers, in the row of their method if this was measured, too.
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
from experiments.report.figures import style

#: The end of the name of a published number; the name without it is that of the method.
QUOTED = "_quoted"


def draw(folder: Path, *, table: str = "summary", by: str = "") -> dict[str, Figure]:
    """Draw from a table, a figure for each way of tuning.

    Parameters
    ----------
    folder : Path
    table : str
        The name of the table.
    by : str
        A column whose values have a panel each.
    """
    means = style.without_variants(style.of_all_rows(style.read_table(folder / f"{table}.csv")))
    measure = measure_of(means)
    means = means[means[measure].notna()]
    if by:
        means = style.alike(means, by, [measure, "ci_low", "ci_high"])
    if "tuning" not in means:
        return {"figure": _figure(folder, means, measure, by)}
    parts = means.groupby("tuning", sort=False)
    return {f"figure_{tuning}": _figure(folder, part, measure, by) for tuning, part in parts}


def _figure(folder: Path, means: pd.DataFrame, measure: str, by: str) -> Figure:
    """A panel for each value of `by`; a row has one label in all panels, published ones last."""
    is_quoted = means.get("quoted", pd.Series(False, means.index)).eq(True)
    own = means["method"].str.removesuffix(QUOTED)
    labels = own.map(style.labels_of(means)).fillna(means["label"])
    means = means.assign(method=own, label=labels, filled=~is_quoted)
    measured = means[~is_quoted].groupby("label", sort=False)[measure].mean()
    best = measured.sort_values(ascending=False, kind="stable").index
    order = list(dict.fromkeys([*map(str, best), *means["label"]]))
    parts = list(means.groupby(by, sort=False)) if by else [("", means)]
    size = (style.TEXT, 0.19 * len(order) + 0.8)
    figure, axes = plt.subplots(1, len(parts), figsize=size, sharey=True, squeeze=False)
    # A point has a name, so only ManiFeSt needs a colour.
    colour_of = {name: style.STRONG for name in own if style.is_own(name)}
    for axis, (value, part) in zip(axes.flat, parts, strict=True):
        rows(axis, part, measure, colour_of, order)
        axis.set_title(f"{value!s} {heading(by)}" if by else "")
    words = heading(measure).removesuffix(", %")
    if is_quoted.any():
        both = ("here, with its 95 % interval", style.DARK), ("published", "white")
        look: dict[str, Any] = {"color": style.DARK, "markersize": 4.5}
        style.legend(figure, [style.dot(text, markerfacecolor=face, **look) for text, face in both])
        style.set_title(figure, folder, f"{words}, here and as published")
    else:
        style.set_title(figure, folder, f"{words} (bars: 95 % intervals)")
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
    scale, looks = 100 if is_percent(measure) else 1, {}
    for row in table.to_dict("records"):
        place, color = places[row["label"]], colour_of.get(row["method"], style.DARK)
        color = style.MIDDLE if color == style.GREY else color
        ends = scale * np.array([row.get("ci_low", np.nan), row.get("ci_high", np.nan)])
        bar: dict[str, Any] = {"alpha": 0.35, "linewidth": 4, "solid_capstyle": "butt"}
        axis.plot(ends, [place, place], color=color, zorder=2, **bar)
        face = color if row.get("filled", True) else "white"
        point: dict[str, Any] = {"color": color, "markerfacecolor": face, "zorder": 4}
        axis.plot(scale * row[measure], place, "o", markersize=4.5, **point)
        weight = "bold" if color == style.STRONG else "normal"
        looks[row["label"]] = {"color": color, "fontweight": weight}
    for name in axis.get_yticklabels():
        name.set(**looks.get(name.get_text(), {}))
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x")
    axis.set_axisbelow(True)
    axis.set_xlabel(heading(measure).capitalize().replace(", %", " (%)"))
    if is_percent(measure):
        axis.set_xlim(right=min(axis.get_xlim()[1], 101))
