"""The style of all figures: sizes, colours of methods, legends, panels and titles."""

import math
from collections.abc import Iterable, Iterator, Sequence
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
from experiments.report.stored import ALL_FEATURES, provenance_of

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
#: Widths, in inches, of a column and of the text of a paper.
COLUMN, TEXT = 3.5, 7.0
# Colours for colour-blind readers: most by Okabe and Ito, the others by Tol.
BLUE, GREEN, SKY = "#0072B2", "#009E73", "#56B4E9"
#: The colour of ManiFeSt, which no other method may have.
STRONG = "#D55E00"
#: Colours of series that are not methods, and of methods without a colour.
PALETTE = (BLUE, "#E69F00", GREEN, "#882255", SKY)
SPARE = ("#CC79A7", "#44AA99", "#332288", "#999933", "#661100")
#: The colours of words and axes, of names in the background, and of methods in the background.
DARK, MIDDLE, GREY = "#333333", "#777777", "#B0B0B0"
#: The forms of ManiFeSt's score, which are drawn in its colour.
OWN = ("manifest", "manifest_regularized")
#: Columns of tables whose texts appear in figures.
LABELS = ("label", "case", "case_label", "condition_label", "name_1", "name_2")


def colours(folder: Path, methods: Iterable[str]) -> dict[str, str]:
    """Return the colour of each method.

    It is taken from ``configs/method/METHOD.yaml``, or else from the config in the run's folder. A
    method without a colour is grey, or has a spare colour if the figure has few methods.

    Raises
    ------
    ConfigError
        If matplotlib does not know a colour, or if another method has that of ManiFeSt.
    """
    of_run = (provenance_of(folder).get("config", {}).get("method") or {}).get("scorers") or {}
    known = {}
    for method in dict.fromkeys(methods):
        color = (entry_of(method) or of_run.get(method) or {}).get("color")
        if color and not is_color_like(color):
            raise ConfigError(
                f"method {method}: color must be one that matplotlib knows, such as '#E69F00', "
                f"got {color!r}"
            )
        is_own = method.startswith("manifest") and "relieff" not in method
        if color == STRONG and not is_own:
            raise ConfigError(f"method {method}: {color} is the colour of ManiFeSt; choose another")
        known[method] = color
    own = [name for name in known if name.startswith("manifest") and "relieff" not in name]
    if len(own) == 1:
        known[own[0]] = STRONG
    spare: Iterator[str] = iter(SPARE if len(known) <= len(SPARE) else ())
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


def without_variants(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of methods that are not a variant (``form_of``) of another in the table."""
    here = set(table["method"])
    left_out = [name for name in here if entry_of(name).get("form_of") in here]
    return table[~table["method"].isin(left_out)]


def of_paper(folder: Path, table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the paper's methods, ManiFeSt first; without any, of all but variants.

    The paper's methods are listed under ``published`` in the config of the run.
    """
    config = provenance_of(folder).get("config", {})
    paper = (config.get("published") or {}).get("methods") or []
    own = table[table["method"].isin(paper)]
    table = without_variants(own if own["method"].nunique() > 1 else table)
    order = {name: place for place, name in enumerate(own_first(table))}
    return table.sort_values("method", key=lambda names: names.map(order), kind="stable")


def alike(table: pd.DataFrame, keys: list[str], values: list[str]) -> pd.DataFrame:
    """Return a table without methods that have the same values as an earlier one.

    The label of the earlier one names them all. The keys identify the rows of a method.
    """
    points = table.set_index(["method", *keys])[values].unstack(keys).round(9)
    first: dict[tuple, str] = {}
    joined: dict[str, list[str]] = {}
    for name, label in labels_of(table).items():
        key = tuple(points.loc[name].fillna(-1.0))
        joined.setdefault(first.setdefault(key, name), []).append(label)
    labels = {name: " = ".join(words) for name, words in joined.items()}
    kept = table[table["method"].isin(list(labels))]
    return kept.assign(label=kept["method"].map(labels))


def ranked(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that belong to a ranking and have a result."""
    return table[(table["method"] != ALL_FEATURES) & table["n_features"].notna()]


def own_first(table: pd.DataFrame) -> list[str]:
    """Return the methods of a table: ManiFeSt, its sums, then the others in their order."""
    names = list(dict.fromkeys(table["method"]))
    return sorted(names, key=lambda name: 2 - (name in OWN) - name.startswith("manifest"))


def name_of(folder: Path) -> str:
    """Return the title of a run's experiment."""
    config = provenance_of(folder).get("config", {})
    return config.get("title") or config.get("name", "")


def set_title(figure: Figure, *parts: str) -> None:
    """Write a title above the panels of a figure, and increase its height accordingly."""
    width, height = figure.get_size_inches()
    text = fill(": ".join(filter(None, parts)).replace("$", r"\$"), int(13.5 * width))
    figure.set_figheight(height + 0.1 + 0.15 * len(text.splitlines()))
    figure.suptitle(text, x=0.01, horizontalalignment="left", fontsize=8.5, fontweight="bold")


def handle(label: str, **style: Any) -> Line2D:
    """Return an entry of a legend: a line, or a marker, of that style."""
    return Line2D([], [], label=label, **style)


def dot(label: str, color: str, marker: str = "o", markersize: float = 4, **style: Any) -> Line2D:
    """Return an entry of a legend: a point."""
    look: dict[str, Any] = {"marker": marker, "markersize": markersize, "linestyle": "none"}
    return handle(label, color=color, **look, **style)


def band(label: str, color: str = GREY, alpha: float = 0.4) -> Patch:
    """Return an entry of a legend: a shaded area."""
    return Patch(color=color, alpha=alpha, linewidth=0, label=label)


def legend(figure: Figure, handles: Iterable[Artist]) -> None:
    """Draw the legend below the panels, with as few lines as the width of the figure allows."""
    handles = list(handles)
    for lines in range(1, len(handles) + 1):
        columns = math.ceil(len(handles) / lines)
        style: dict[str, Any] = {"ncols": columns, "handlelength": 2, "columnspacing": 1.4}
        box = figure.legend(handles=handles, loc="outside lower center", **style)
        if lines == len(handles) or box.get_window_extent().width <= figure.bbox.width:
            return
        box.remove()


def panels(
    number: int, margin: float, xlabel: str, ylabel: str, columns: int = 3, height: float = 1.55
) -> tuple[Figure, list[Axes]]:
    """Return panels with a common vertical axis, as wide as the text of a paper.

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
