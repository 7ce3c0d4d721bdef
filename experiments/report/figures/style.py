"""The one style of all figures: sizes, the colours of methods, legends, panels."""

import math
from collections.abc import Iterable, Iterator
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
from matplotlib.colors import is_color_like
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.config import ConfigError, entry_of
from experiments.report.names import EMPHASISED, GREY, SPARE, STRONG
from experiments.report.stored import provenance_of

STYLE_SHEET = Path(__file__).with_name("paper.mplstyle")

#: Widths, in inches, of a column and of the text of a paper.
COLUMN, TEXT = 3.5, 7.0

#: Columns of tables whose texts are written in figures.
LABELS = ("label", "case", "case_label", "condition_label", "name_1", "name_2")


def colours(folder: Path, methods: Iterable[str]) -> dict[str, str]:
    """Colour of each method, in their order; a ConfigError if matplotlib does not know one.

    It is that of ``configs/method/METHOD.yaml``, or else that of the config in the run's folder. If
    none is the strong one, the only form of ManiFeSt takes it. A method that has none is grey, or
    takes a spare colour if the figure has few methods.
    """
    of_run = (provenance_of(folder).get("config", {}).get("method") or {}).get("scorers") or {}
    known = {}
    for method in dict.fromkeys(methods):
        entry = entry_of(method) or of_run.get(method) or {}
        known[method] = color = entry.get("color")
        if color and not is_color_like(color):
            raise ConfigError(
                f"method {method}: color must be one that matplotlib knows, such as '#E69F00', "
                f"got {color!r}"
            )
    own = [name for name in known if name.startswith("manifest") and "relieff" not in name]
    if len(own) == 1 and STRONG not in known.values():
        known[own[0]] = STRONG
    spare: Iterator[str] = iter(SPARE if len(known) <= len(SPARE) else ())
    return {method: color or next(spare, GREY) for method, color in known.items()}


def look(name: str, color: str) -> dict[str, Any]:
    """Keywords of a method's line: ManiFeSt's is strong, and grey ones are in the background."""
    if name in EMPHASISED or color == STRONG:
        # The line of a sum has gaps, through which that of ManiFeSt is seen.
        dashes: Any = (0, (3, 1.5)) if "relieff" in name else "-"
        return {"color": color, "linewidth": 2.2, "linestyle": dashes, "zorder": 4}
    return {
        "color": color,
        "linewidth": 1.3 if color != GREY else 0.7,
        "zorder": 3 - (color == GREY),
    }


def methods(table: pd.DataFrame) -> dict[str, str]:
    """The name and the label of each method, in the order of the table."""
    first = table.drop_duplicates("method")
    return dict(zip(first["method"], first["label"], strict=True))


def read_table(path: Path) -> pd.DataFrame:
    """A run's table; dollars in labels are escaped, as Matplotlib reads formulas between them."""
    table = pd.read_csv(path, dtype=dict.fromkeys(LABELS, str))
    escaped = {name: table[name].str.replace("$", r"\$") for name in LABELS if name in table}
    return table.assign(**escaped)


def handle(label: str, **style: Any) -> Line2D:
    """An entry of a legend: a line, or a marker, of that style."""
    return Line2D([], [], label=label, **style)


def dot(label: str, color: str, marker: str = "o", markersize: float = 4, **style: Any) -> Line2D:
    """An entry of a legend: a point."""
    look: dict[str, Any] = {"marker": marker, "markersize": markersize, "linestyle": "none"}
    return handle(label, color=color, **look, **style)


def legend(figure: Figure, handles: Iterable[Artist]) -> None:
    """The legend of a figure: below the panels, with as few lines as the figure's width allows."""
    handles = list(handles)
    for lines in range(1, len(handles) + 1):
        box = figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=math.ceil(len(handles) / lines),
            handlelength=2,
            columnspacing=1.4,
        )
        if lines == len(handles) or box.get_window_extent().width <= figure.bbox.width:
            return
        box.remove()


def set_title(figure: Figure, text: str) -> None:
    """Write a sentence above the panels of a figure, which becomes as much higher."""
    width, height = figure.get_size_inches()
    told = fill(text.replace("$", r"\$"), int(13.5 * width))
    figure.set_figheight(height + 0.1 + 0.15 * len(told.splitlines()))
    figure.suptitle(told, x=0.01, horizontalalignment="left", fontsize=8.5, fontweight="bold")


def panels(
    number: int, margin: float, xlabel: str, ylabel: str, columns: int = 3, height: float = 1.55
) -> tuple[Figure, list[Axes]]:
    """Panels with a common vertical axis, as wide as the text of a paper; columns share the other.

    Parameters
    ----------
    number : int
        The number of panels.
    margin : float
        Height, in inches, of what is above and below the panels.
    xlabel, ylabel : str
        The labels of the common axes.
    columns : int
        The largest number of panels in a row.
    height : float
        Height of a panel, in inches.

    Returns
    -------
    figure : Figure
    axes : list of Axes
    """
    columns = min(columns, number)
    rows = math.ceil(number / columns)
    figure, axes = plt.subplots(
        *(rows, columns),
        figsize=(TEXT, height * rows + margin),
        sharex="col",
        sharey=True,
        squeeze=False,
    )
    shown, spare = np.split(axes.ravel(), [number])
    for axis in spare:
        axis.set_visible(False)
    for axis in shown[-columns:]:  # the lowest in each column
        axis.tick_params(labelbottom=True)
        axis.set_xlabel(xlabel)
    figure.supylabel(ylabel, fontsize=8)
    return figure, list(shown)
