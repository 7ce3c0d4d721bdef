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
LABELS = ("label", "case", "case_label", "condition_label", "name_1", "name_2")


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
    config = provenance_of(folder).get("config", {})
    of_run = (config.get("method") or {}).get("scorers") or {}
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


def ranked(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that belong to a ranking and have a result."""
    return table[(table["method"] != ALL_FEATURES) & table["n_features"].notna()]


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
    config = provenance_of(folder).get("config", {})
    paper = (config.get("published") or {}).get("methods") or []
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
    points = table.set_index(["method", key])[values].unstack(key).round(9)
    first: dict[tuple, str] = {}
    joined: dict[str, list[str]] = {}
    for name, label in labels_of(table).items():
        of_method = tuple(points.loc[name].fillna(-1.0))
        joined.setdefault(first.setdefault(of_method, name), []).append(label)
    labels = {name: " = ".join(words) for name, words in joined.items()}
    kept = table[table["method"].isin(list(labels))]
    return kept.assign(label=kept["method"].map(labels))


def name_of(folder: Path) -> str:
    """Return the title of a run's experiment."""
    config = provenance_of(folder).get("config", {})
    return config.get("title") or config.get("name", "")


def set_title(figure: Figure, folder: Path, what: str, title: str = "") -> None:
    """Write the run's title, or another, and what is drawn above the panels, for which it grows."""
    title = title or name_of(folder)
    width, height = figure.get_size_inches()
    text = f"{title}: {what}" if title else what[:1].upper() + what[1:]
    text = fill(text.replace("$", r"\$"), int(13.5 * width))
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
