"""The style of all figures: sizes, colours of methods, legends, panels and titles."""

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
from matplotlib.colors import is_color_like
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from experiments.config import ConfigError, entry_of
from experiments.report.stored import provenance_of

#: Sizes for the text of a paper; readable in grey.
STYLE: dict[str, Any] = {
    "figure.constrained_layout.use": True,
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.titlelocation": "left",
    "axes.labelsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#555555",
    "axes.linewidth": 0.6,
    "axes.axisbelow": True,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.5,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.color": "#333333",
    "ytick.color": "#333333",
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
}
#: Width, in inches, of the text of a paper.
TEXT = 7.0
# Colours that the colour-blind tell apart: most are Okabe and Ito's, the others Tol's.
BLUE, GREEN, YELLOW = "#0072B2", "#009E73", "#E69F00"
#: The colour of ManiFeSt, and of no other method.
STRONG = "#D55E00"
#: Colours of methods that have none, if they are few.
SPARE = ("#CC79A7", "#44AA99", "#332288", "#999933", "#661100")
#: The colours of words and axes, of names in the background, and of methods in the background.
DARK, MIDDLE, GREY = "#333333", "#777777", "#B0B0B0"
#: The pattern of a dashed line.
DASHED: Any = (0, (4, 1.5))
#: The forms of ManiFeSt's score that stand for it beside other methods.
OWN = ("manifest", "manifest_regularized")
#: Columns of tables whose texts appear in figures.
LABELS = ("label", "case", "case_label", "name_1", "name_2")


def config_of(folder: Path) -> dict[str, Any]:
    """Return the config of a run."""
    return provenance_of(folder).get("config", {})


def is_own(method: str) -> bool:
    """Return True for a form of ManiFeSt that is no sum with another score."""
    return method.startswith("manifest") and "relieff" not in method


def colours(folder: Path, methods: Iterable[str]) -> dict[str, str]:
    """Return the colour of each method.

    It is taken from ``configs/method/METHOD.yaml``, or else from the config in the run's folder. A
    method without a colour is grey, or has a spare colour if the figure has few methods.

    Raises
    ------
    ConfigError
        If matplotlib does not know a colour, or if another method has that of ManiFeSt.
    """
    of_run = (config_of(folder).get("method") or {}).get("scorers") or {}
    known = {}
    for method in dict.fromkeys(methods):
        color = (entry_of(method) or of_run.get(method) or {}).get("color")
        if color and (not is_color_like(color) or (color == STRONG and not is_own(method))):
            raise ConfigError(
                f"method {method}: color must be one that matplotlib knows, such as '#E69F00', "
                f"and not {STRONG}, the colour of ManiFeSt, got {color!r}"
            )
        known[method] = color
    own = [name for name in known if is_own(name)]
    if len(own) == 1:
        known[own[0]] = STRONG
    spare = iter(SPARE if len(known) <= len(SPARE) else ())
    return {method: color or next(spare, GREY) for method, color in known.items()}


def look(name: str, color: str) -> dict[str, Any]:
    """Return the keywords of a method's line: ManiFeSt's is strong, grey ones are thin."""
    if name in OWN or color == STRONG:
        return {"color": color, "linewidth": 2.2, "zorder": 4}
    is_grey = color == GREY
    dashes: Any = (0, (3, 1.5)) if name.startswith("manifest_relieff") else "-"
    width = 0.7 if is_grey else 1.3
    return {"color": color, "linewidth": width, "linestyle": dashes, "zorder": 3 - is_grey}


def read_table(path: Path) -> pd.DataFrame:
    """Return a run's table; dollars are escaped, as Matplotlib reads formulas between them."""
    table = pd.read_csv(path, dtype=dict.fromkeys(LABELS, str))
    escaped = {name: table[name].str.replace("$", r"\$") for name in LABELS if name in table}
    return table.assign(**escaped)


def labels_of(table: pd.DataFrame) -> dict[str, str]:
    """Return the name and the label of each method, in the order of the table."""
    first = table.drop_duplicates("method")
    return dict(zip(first["method"], first["label"], strict=True))


def of_all_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of rankings that were made from the largest share of the training rows."""
    shares = table["ranking_share"].fillna(1)
    return table[shares == shares.max()]


def without_variants(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of methods that are not a variant (``form_of``) of another in the table."""
    here = set(table["method"])
    left_out = [name for name in here if entry_of(name).get("form_of") in here]
    return table[~table["method"].isin(left_out)]


def of_paper(folder: Path, table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the paper's methods, ManiFeSt first; without any, of all but variants.

    The paper's methods are listed under ``published`` in the config of the run.
    """
    paper = (config_of(folder).get("published") or {}).get("methods") or []
    own = table[table["method"].isin(paper)]
    table = without_variants(own if own["method"].nunique() > 1 else table)
    order = {name: place for place, name in enumerate(own_first(table))}
    return table.sort_values("method", key=lambda names: names.map(order), kind="stable")


def own_first(table: pd.DataFrame) -> list[str]:
    """Return the methods of a table: ManiFeSt, its sums, then the others in their order."""
    names = list(dict.fromkeys(table["method"]))
    return sorted(names, key=lambda name: 2 - (name in OWN) - name.startswith("manifest"))


def alike(table: pd.DataFrame, key: str, values: list[str]) -> pd.DataFrame:
    """Return a table without the methods whose values are those of an earlier one.

    The label of the earlier one names them all. The key tells the rows of a method apart.
    """
    points = table.set_index(["method", key])[values].unstack(key).round(9).fillna(-1.0)
    labels = pd.Series(labels_of(table))
    groups = labels.groupby(points.loc[labels.index].apply(tuple, axis=1), sort=False)
    joined = {group.index[0]: " = ".join(group) for _, group in groups}
    kept = table[table["method"].isin([*joined])]
    return kept.assign(label=kept["method"].map(joined))


def name_of(folder: Path) -> str:
    """Return the title of a run's experiment."""
    config = config_of(folder)
    return config.get("title") or config.get("name", "")


def finish(
    figure: Figure, folder: Path, what: str, handles: Iterable[Artist] = (), title: str = ""
) -> Figure:
    """Write a title and a legend, and return the figure, which grows by the lines of the title.

    Parameters
    ----------
    figure : Figure
    folder : Path
        The folder of the run.
    what : str
        What is drawn; the title begins with that of the run.
    handles : iterable of Artist
        The entries of the legend. It is below the panels, with as few lines as the width allows.
    title : str
        Replaces the title of the run.
    """
    handles = list(handles)
    for lines in range(1, len(handles) + 1):
        look: dict[str, Any] = {"handlelength": 2, "columnspacing": 1.4}
        look["ncols"] = math.ceil(len(handles) / lines)
        legend = figure.legend(handles=handles, loc="outside lower center", **look)
        if lines == len(handles) or legend.get_window_extent().width <= figure.bbox.width:
            break
        legend.remove()
    title = title or name_of(folder)
    whole = what[:1].upper() + what[1:]
    text = f"{title} {whole}" if title.endswith("?") else f"{title}: {what}" if title else whole
    width, height = figure.get_size_inches()
    text = fill(text.replace("$", r"\$"), int(13.5 * width))
    figure.set_figheight(height + 0.1 + 0.15 * len(text.splitlines()))
    figure.suptitle(text, x=0.01, horizontalalignment="left", fontsize=8.5, fontweight="bold")
    return figure


def handle(label: str, **style: Any) -> Line2D:
    """Return an entry of a legend: a line, or a marker, of that style."""
    return Line2D([], [], label=label, **style)


def dot(label: str, color: str, **style: Any) -> Line2D:
    """Return an entry of a legend: a point."""
    look: dict[str, Any] = {"marker": "o", "markersize": 4, "linestyle": "none", **style}
    return handle(label, color=color, **look)


def band(label: str, color: str = GREY, alpha: float = 0.4) -> Patch:
    """Return an entry of a legend: a shaded area."""
    return Patch(color=color, alpha=alpha, linewidth=0, label=label)


def dots(axis: Axes, table: pd.DataFrame, order: Iterable[str] = ()) -> None:
    """Draw a row for each label, the first one above, with points on their intervals.

    Parameters
    ----------
    axis : Axes
    table : DataFrame
        A point for each row: the columns label, value and color; and, if they are known, low and
        high, the ends of the interval, face, marker, and shift, how far below its place it is.
    order : iterable of str
        The labels of all rows, if the table has not all of them or not in this order.
    """
    order = list(dict.fromkeys(order or table["label"]))
    for row in table.to_dict("records"):
        place = order.index(row["label"]) + row.get("shift", 0)
        color, ends = row["color"], (row.get("low", np.nan), row.get("high", np.nan))
        bar: dict[str, Any] = {"alpha": 0.35, "linewidth": 4, "solid_capstyle": "butt"}
        axis.plot(ends, (place, place), color=color, zorder=2, **bar)
        face, marker = row.get("face", color), row.get("marker", "o")
        point: dict[str, Any] = {"color": color, "markerfacecolor": face, "zorder": 4}
        axis.plot(row["value"], place, marker, markersize=4.5, **point)
    axis.set_yticks(range(len(order)), order)
    axis.set_ylim(len(order) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x")


def panels(
    number: int, margin: float, xlabel: str, ylabel: str, columns: int = 3, height: float = 1.55
) -> tuple[Figure, list[Axes]]:
    """Return a figure and its panels with a common vertical axis, as wide as the text of a paper.

    Parameters
    ----------
    number : int
        The number of panels.
    margin, height : float
        Heights, in inches, of what is around the panels, and of a panel.
    xlabel, ylabel : str
        The labels of the common axes.
    columns : int
        The largest number of panels in a row.
    """
    columns = min(columns, number)
    rows = math.ceil(number / columns)
    size = (TEXT, height * rows + margin)
    shared: dict[str, Any] = {"sharex": "col", "sharey": True, "squeeze": False}
    figure, axes = plt.subplots(rows, columns, figsize=size, **shared)
    shown, spare = np.split(axes.ravel(), [number])
    for axis in spare:
        axis.set_visible(False)
    for axis in shown[-columns:]:  # the lowest in each column
        axis.tick_params(labelbottom=True)
        axis.set_xlabel(xlabel)
    figure.supylabel(ylabel, fontsize=8)
    return figure, list(shown)


def number_axis(axis: Axes, numbers: Iterable[int], steps: Sequence[int] = (1,)) -> None:
    """Make a logarithmic x axis over the numbers, labelled at these steps of each decade."""
    low, high = min(numbers), max(numbers)
    axis.set_xscale("log")
    axis.set_xlim(low / 1.15, high * 1.15)
    labelled = [step * 10**i for i in range(len(str(high))) for step in steps]
    ticks = [n for n in labelled if low <= n <= high]
    axis.set_xticks(ticks, [str(n) for n in ticks])
    axis.xaxis.set_minor_formatter("")
    axis.grid(axis="y")
