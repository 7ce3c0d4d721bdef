"""Draw the mean of each method with its 95 % interval, from the best to the worst.

The measure is that of the table. Ways of tuning have a figure each. Hollow points are published
numbers, in the row of their method if this was measured, too.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.report.columns import axis_label, heading, is_percent, measure_of
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
    means = means.assign(method=own, label=labels, is_quoted=is_quoted)
    measured = means[~is_quoted].groupby("label", sort=False)[measure].mean()
    best = measured.sort_values(ascending=False, kind="stable").index
    order = list(dict.fromkeys([*best, *means["label"]]))
    parts = list(means.groupby(by, sort=False)) if by else [("", means)]
    size = (style.TEXT, 0.19 * len(order) + 0.8)
    figure, axes = plt.subplots(1, len(parts), figsize=size, sharey=True, squeeze=False)
    # A point has a name, so only ManiFeSt needs a colour.
    colour_of = {name: style.STRONG for name in own if style.is_own(name)}
    for axis, (value, part) in zip(axes.flat, parts, strict=True):
        rows(axis, part, measure, colour_of, order)
        axis.set_title(f"{value!s} {heading(by)}" if by else "")
    words, handles = heading(measure).removesuffix(", %"), []
    if is_quoted.any():
        handles = [
            style.dot("here, with its 95 % interval", style.DARK),
            style.dot("published", style.DARK, markerfacecolor="white"),
        ]
    words += ", here and as published" if handles else " (bars: 95 % intervals)"
    return style.finish(figure, folder, words, handles)


def rows(
    axis: Axes,
    table: pd.DataFrame,
    measure: str,
    colour_of: Mapping[str, str],
    order: Iterable[str] = (),
) -> None:
    """Draw a row for each method, with its mean as a point on its 95 % interval.

    Names have the colours of their methods; ManiFeSt's are bold.

    Parameters
    ----------
    axis : Axes
    table : DataFrame
        Columns label, method, the measure and, if they are known, ci_low, ci_high and is_quoted.
    measure : str
        The column of the means.
    colour_of : mapping of str to str
        Method -> colour.
    order : iterable of str
        As :func:`style.dots` takes it.
    """
    scale = 100 if is_percent(measure) else 1
    colors = table["method"].map(colour_of).fillna(style.DARK).replace(style.GREY, style.MIDDLE)
    ends = {end: scale * table.get(f"ci_{end}", np.nan) for end in ("low", "high")}
    faces = colors.mask(table.get("is_quoted", colors.isna()), "white")
    points = table.assign(value=scale * table[measure], color=colors, face=faces, **ends)
    style.dots(axis, points, order)
    color_of = dict(zip(table["label"], colors, strict=True))
    for name in axis.get_yticklabels():
        color = color_of.get(name.get_text(), style.DARK)
        name.set(color=color, fontweight="bold" if color == style.STRONG else "normal")
    axis.set_xlabel(axis_label(measure))
    if is_percent(measure):
        axis.set_xlim(right=min(axis.get_xlim()[1], 101))
