"""The one style of all figures, the colours of methods, and how figures are written."""

import json
import math
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
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

from experiments.atomic import atomic_write
from experiments.config import ConfigError, plain

STYLE_SHEET = Path(__file__).with_name("paper.mplstyle")

# Files hold no date, so that the same tables give the same file.
_FORMATS = {".png": {"Software": None}, ".pdf": {"CreationDate": None}}

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
    found: dict[str, dict[str, str]] = {}
    n_spare = 0
    for method in methods:
        spare = _SPARE_COLOURS[n_spare % len(_SPARE_COLOURS)]
        found[method] = mark(method, of_run.get(method), spare)
        n_spare += found[method]["color"] == spare
    return found


def mark(method: str, entry: dict | None = None, spare: str = _SPARE_COLOURS[0]) -> dict[str, str]:
    """Colour and marker of one method: those of its entry, else of its file, else spare ones."""
    entries = (entry or {}, entry_of(method), {"color": spare, "marker": _SPARE_MARKER})
    found = {
        key: next(entry[key] for entry in entries if entry.get(key)) for key in ("color", "marker")
    }
    for key, known, example in (
        ("color", is_color_like(found["color"]), "#E69F00"),
        ("marker", _is_marker(found["marker"]), "s"),
    ):
        if not known:
            raise ConfigError(
                f"method {method}: {key} must be one that matplotlib knows, such as {example!r}, "
                f"got {found[key]!r}"
            )
    return found


def look(mark: dict[str, str], strong: bool) -> dict[str, Any]:
    """Colour, marker and strength of a line: a strong one stands out, the others step back."""
    if strong:
        return {**mark, "markersize": 4, "linewidth": 1.8, "alpha": 1, "zorder": 3}
    return {**mark, "markersize": 3, "linewidth": 0.8, "alpha": 0.8, "zorder": 2}


def methods(table: pd.DataFrame) -> dict[str, str]:
    """The name and the label of each method, in the order of the table."""
    first = table.drop_duplicates("method")
    return dict(zip(first["method"], first["label"], strict=True))


def _is_marker(marker):
    """True if Matplotlib draws it: one of its own markers, or a formula such as $\\mu$."""
    return marker in Line2D.markers or re.fullmatch(r"\$[^$]+\$", str(marker)) is not None


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


def legend(figure: Figure, handles: Iterable[Artist]) -> None:
    """The legend of a figure: below the panels, with as few lines as the figure's width allows.

    Parameters
    ----------
    figure : Figure
    handles : iterable of Artist
        What is explained, each with its label.
    """
    handles = list(handles)
    for lines in range(1, len(handles) + 1):
        found = figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=math.ceil(len(handles) / lines),
            handlelength=2.5,
            columnspacing=1.4,
        )
        if lines == len(handles) or found.get_window_extent().width <= figure.bbox.width:
            return
        found.remove()


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


def write(module: ModuleType, folder: Path, options: Mapping[str, Any]) -> list[Path]:
    """Write the figures of a module; see :func:`experiments.report.figures.draw`."""
    written = []

    def save(figure: Figure, stem: str, suffix: str) -> None:
        path = folder / f"{stem}{suffix}"
        with atomic_write(path) as part:
            figure.savefig(part, metadata=_FORMATS[suffix])
        written.append(path)

    first, *others = _FORMATS
    with plt.style.context(STYLE_SHEET):
        for stem, figure in module.draw(folder, **options).items():
            save(figure, stem, first)
            # All formats have the layout of the first. A figure with a layout of its own is drawn
            # twice for each format, and one without is drawn once.
            with matplotlib.rc_context({"figure.constrained_layout.use": False}):
                figure.set_layout_engine(None)
                for suffix in others:
                    save(figure, stem, suffix)
            plt.close(figure)
    return written
