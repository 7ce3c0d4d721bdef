"""The one style of all figures, the colours of methods, and how figures are written."""

import json
import math
import re
from collections.abc import Iterable
from functools import cache
from itertools import cycle
from pathlib import Path
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
from omegaconf import OmegaConf

from experiments.config import ConfigError, plain

STYLE_SHEET = Path(__file__).with_name("paper.mplstyle")

#: Widths, in inches, of a column and of the text of a paper.
COLUMN, TEXT = 3.5, 7.0

#: Columns of tables whose texts stand in figures.
LABELS = ("label", "case", "case_label", "condition_label", "name_1", "name_2")

#: The files in which methods have their colours and markers.
METHODS = Path(__file__).resolve().parents[3] / "configs" / "method"
#: The row of a summary that belongs to no ranking; it is the SVM on all features.
ALL_FEATURES = "all_features"
DEVIATION = "± one standard deviation over the splits"
#: The paper's method, alone and in a sum, is drawn in front of the others.
EMPHASISED = ("manifest", "manifest_regularized", "manifest_relieff")
# Colours for methods that have none; like the colours in configs/method they are from palettes
# that the colour-blind can tell apart.
_SPARE_COLOURS = ("#117733", "#882255", "#44AA99", "#DDCC77")
_SPARE_MARKER = "h"


def marks(folder: Path, methods: Iterable[str]) -> dict[str, dict[str, str]]:
    """Colour and marker of each method, as keywords for matplotlib.

    A method's colour and marker are those of the run's config. If the run has none, they are those
    of ``configs/method/METHOD.yaml``, and if there is no such file, they are spare ones.

    Parameters
    ----------
    folder : Path
        Folder of the run.
    methods : iterable of str

    Returns
    -------
    dict of str to dict
        Method -> ``{"color": ..., "marker": ...}``, in the order of the methods.

    Raises
    ------
    ConfigError
        If matplotlib does not know a colour or a marker.
    """
    path = folder / "provenance.json"
    config = json.loads(path.read_text("utf-8"))["config"] if path.is_file() else {}
    of_run = (config.get("method") or {}).get("scorers") or {}
    spare = cycle(_SPARE_COLOURS)
    marks = {}
    for method in methods:
        given = {key: value for key, value in (of_run.get(method) or {}).items() if value}
        entry = {**entry_of(method), **given}
        color = entry.get("color") or next(spare)
        marker = entry.get("marker") or _SPARE_MARKER
        # A marker is one of Matplotlib's own, or a formula such as $\mu$.
        is_marker = marker in Line2D.markers or re.fullmatch(r"\$[^$]+\$", str(marker))
        for key, value, is_known, example in (
            ("color", color, is_color_like(color), "#E69F00"),
            ("marker", marker, is_marker, "s"),
        ):
            if not is_known:
                raise ConfigError(
                    f"method {method}: {key} must be one that matplotlib knows, such as "
                    f"{example!r}, got {value!r}"
                )
        marks[method] = {"color": color, "marker": marker}
    return marks


def look(mark: dict[str, str], strong: bool) -> dict[str, Any]:
    """Colour, marker and strength of a line: a strong one stands out, the others step back."""
    if strong:
        return {**mark, "markersize": 4, "linewidth": 1.8, "alpha": 1, "zorder": 3}
    return {**mark, "markersize": 3, "linewidth": 0.8, "alpha": 0.8, "zorder": 2}


def methods(table: pd.DataFrame) -> dict[str, str]:
    """The name and the label of each method, in the order of the table."""
    first = table.drop_duplicates("method")
    return dict(zip(first["method"], first["label"], strict=True))


@cache
def entry_of(method: str) -> dict[str, Any]:
    """The entry of a method in configs/method, empty if there is none."""
    path = METHODS / f"{method}.yaml"
    config = plain(OmegaConf.load(path)) if path.is_file() else {}
    return (config.get("scorers") or {}).get(method) or {}


def read_table(path: Path) -> pd.DataFrame:
    """A run's table; dollars in labels are escaped, as Matplotlib reads formulas between them."""
    table = pd.read_csv(path, dtype=dict.fromkeys(LABELS, str))
    escaped = {name: table[name].str.replace("$", r"\$") for name in LABELS if name in table}
    return table.assign(**escaped)


def handle(label: str, **style: Any) -> Line2D:
    """An entry of a legend: a line, or a marker, of that style."""
    return Line2D([], [], label=label, **style)


def legend(figure: Figure, handles: Iterable[Artist]) -> None:
    """The legend of a figure: below the panels, with as few lines as the figure's width allows."""
    handles = list(handles)
    for lines in range(1, len(handles) + 1):
        box = figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=math.ceil(len(handles) / lines),
            handlelength=2.5,
            columnspacing=1.4,
        )
        if lines == len(handles) or box.get_window_extent().width <= figure.bbox.width:
            return
        box.remove()


def panels(
    number: int, margin: float, xlabel: str, ylabel: str, columns: int = 3
) -> tuple[Figure, list[Axes]]:
    """Panels with common axes, as wide as the text of a paper.

    Parameters
    ----------
    number : int
        How many panels.
    margin : float
        Height, in inches, of what stands above and below the panels.
    xlabel, ylabel : str
        The labels of the common axes.
    columns : int
        At most so many panels stand in a row.

    Returns
    -------
    figure : Figure
    axes : list of Axes
        As many as asked for, row by row.
    """
    columns = min(columns, number)
    rows = math.ceil(number / columns)
    size = (TEXT, 1.55 * rows + margin)
    figure, axes = plt.subplots(
        rows, columns, figsize=size, sharex=True, sharey=True, squeeze=False
    )
    shown, spare = np.split(axes.ravel(), [number])
    for axis in spare:
        axis.set_visible(False)
    for axis in shown[-columns:]:  # the lowest in each column
        axis.tick_params(labelbottom=True)
        axis.set_xlabel(xlabel)
    figure.supylabel(ylabel, fontsize=8)
    return figure, list(shown)
