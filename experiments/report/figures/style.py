"""The style of all figures: sizes, colours of methods, titles, legends and panels."""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.config import entry_of, family_of, is_own, published
from experiments.report.stored import provenance_of

#: Sizes for the text of a paper; readable in grey.
STYLE: dict[str, Any] = {
    "figure.constrained_layout.use": True,
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#555555",
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
}
#: Width, in inches, of the text of a paper.
TEXT = 7.0
# Colours that the colour-blind tell apart: most are Okabe and Ito's, the others Tol's.
BLUE, GREEN, YELLOW = "#0072B2", "#009E73", "#E69F00"
#: The colour of ManiFeSt, and of no method of others.
STRONG = "#D55E00"
#: Colours of methods that have none, if they are few.
SPARE = ("#44AA99", "#117733", "#999933", "#661100", "#332288")
#: The colours of words and axes, and of methods in the background.
DARK, GREY = "#333333", "#B0B0B0"
DASHED: Any = (0, (4, 1.5))
#: The look of intervals beneath points.
BAR: dict[str, Any] = {"alpha": 0.35, "linewidth": 4}
#: The line of an SVM on all features.
DOTTED: dict[str, Any] = {"color": "#777777", "linestyle": ":", "linewidth": 1}


def colours(methods: Iterable[str]) -> dict[str, str]:
    """Return the colours of methods that have one: of their file, or a spare one if all are few."""
    names = dict.fromkeys(methods)
    spare = iter(SPARE if len(names) <= len(SPARE) else ())
    colour_of = {}
    for name in names:
        color = entry_of(name).get("color") or next(spare, None)
        if color is not None:
            colour_of[name] = color
    return colour_of


def labels_of(table: pd.DataFrame) -> dict[str, str]:
    """Return the name and the label of each method, in the order of the table."""
    first = table.drop_duplicates("method")
    return dict(zip(first["method"], first["label"], strict=True))


def of_equal(table: pd.DataFrame, measure: str, labels: dict[str, str]) -> dict[str, str]:
    """Return the first of these methods that have the same values, with the labels of all."""
    values = table.groupby("method")[measure].agg(tuple)[[*labels]]
    label_of = {}
    for _, methods in values.groupby(values, sort=False):
        names = methods.index
        label_of[names[0]] = ", ".join(names.map(labels))
    return label_of


def shown(folder: Path, table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of methods that are no control of the run, and no variant of another one."""
    controls = provenance_of(folder)["config"].get("controls", [])
    return without_variants(table[~table["method"].isin(controls)])


def without_variants(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of methods that are not a variant (``form_of``) of another in the table."""
    here = set(table["method"])
    left_out = [name for name in here if entry_of(name).get("form_of") in here]
    return table[~table["method"].isin(left_out)]


def of_paper(folder: Path, table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the paper's methods, ManiFeSt first; without any, of all that are shown.

    The paper's methods are those of :func:`experiments.config.published`.
    """
    experiment = provenance_of(folder)["config"]["name"]
    methods = published(experiment).get("methods") or []
    table = shown(folder, table)
    rows = table[table["method"].isin(methods)]
    if rows["method"].nunique() > 1:
        table = rows
    order = own_first(table)
    return table.sort_values("method", key=lambda names: names.map(order.index), kind="stable")


def parts_of(table: pd.DataFrame, by: str, words: str = "{}") -> dict[str, pd.DataFrame]:
    """Return the rows of each value of a column, in words; all rows if there is no such column."""
    if by not in table:
        return {"": table}
    return {words.format(value): rows for value, rows in table.groupby(by, sort=False)}


def own_first(table: pd.DataFrame) -> list[str]:
    """Return the methods of a table: ManiFeSt, its forms and sums, then the others."""
    names = dict.fromkeys(table["method"])

    def place(name: str) -> int:
        if not is_own(name):
            return 2
        return 0 if family_of(name) == "manifest" else 1

    return sorted(names, key=place)


def finish(figure: Figure, run: Path | str, what: str, handles: Sequence[Artist] = ()) -> Figure:
    """Write a title above all panels and a legend below them, and return the figure.

    The title of the run, which is given by its folder or as text, comes before what is drawn. The
    legend has the handles.
    """
    title = run if isinstance(run, str) else provenance_of(run)["config"]["title"]
    words = f"{title}: {what}" if title else what[0].upper() + what[1:]
    width = figure.get_figwidth()
    _say_starts(figure)
    text = fill(words, int(13.5 * width))
    figure.suptitle(text, x=0.01, horizontalalignment="left", fontsize=8.5, fontweight="bold")
    if handles:
        labels = [str(handle.get_label()) for handle in handles]
        look: dict[str, Any] = {"ncols": _columns(labels, width), "columnspacing": 1.4}
        figure.legend(handles=handles, loc="outside lower center", **look)
    return figure


def _columns(labels: list[str], width: float) -> int:
    """Return the largest number of columns in which a legend fits into a width in inches."""
    for number in (5, 4, 3, 2):
        widths = []
        for column in np.array_split(labels, number):
            lines = "\n".join(column).split("\n")
            widths.append(max(map(len, lines)) + 8)
        if sum(widths) <= 17 * width:
            return number
    return 1


def mark(axis: Axes, labels: set[str]) -> None:
    """Write these labels of rows in the colour of ManiFeSt."""
    for name in axis.get_yticklabels():
        if name.get_text() in labels:
            name.set(color=STRONG, fontweight="bold")


def _say_starts(figure: Figure) -> None:
    """Let axes of percent begin at a whole number, and their labels say it if this is not 0."""
    shared = figure.get_supylabel()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            is_y = axis is axes.yaxis
            own_text = axis.get_label_text()
            text = own_text or (shared if is_y else "")
            low, high = axis.get_view_interval()
            if text.endswith("(%)") and low > 0:
                start = math.floor(low)
                set_limits = axes.set_ylim if is_y else axes.set_xlim
                set_limits(start, high)
                words = f"{text}, axis from {start}"
                if own_text:
                    axis.set_label_text(words)
                else:
                    figure.supylabel(words, fontsize=8)


def handle(label: str, color: str, **look: Any) -> Line2D:
    """Return an entry of a legend: a line, or an area if it is wide and pale."""
    return Line2D([], [], label=label, color=color, **look)


def dot(label: str, color: str, **look: Any) -> Line2D:
    """Return an entry of a legend: a point."""
    point = {"marker": "o", "markersize": 4, "linestyle": ""}
    return handle(label, color, **{**point, **look})


def panels(
    number: int, xlabel: str, ylabel: str, columns: int = 3, height: float = 1.5
) -> tuple[Figure, list[Axes]]:
    """Return a figure and its panels, at most so many in a row, with rows of a height in inches."""
    columns = min(columns, number)
    rows = math.ceil(number / columns)
    size = (TEXT, height * rows + 0.9)
    figure, grid = plt.subplots(rows, columns, figsize=size, sharey=True, squeeze=False)
    for place, axis in enumerate(grid.flat):
        is_lowest = number > place >= number - columns
        axis.set_visible(place < number)
        axis.tick_params(labelbottom=is_lowest)
        axis.set_xlabel(xlabel if is_lowest else "")
    figure.supylabel(ylabel, fontsize=8)
    return figure, list(grid.flat[:number])
