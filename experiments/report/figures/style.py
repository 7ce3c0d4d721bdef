"""The one style of all figures, the colours of methods, and how figures are written."""

import importlib
import math
import pkgutil
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.atomic import atomic_write
from experiments.config import one_of
from experiments.report import figures as package

STYLE_SHEET = Path(__file__).with_name("paper.mplstyle")

# Nothing that changes from run to run: the same tables give the same file.
_FORMATS = {".png": {"Software": None}, ".pdf": {"CreationDate": None}}

#: Widths, in inches, of a column and of the text of a paper.
COLUMN, TEXT = 3.5, 7.0

# Okabe and Ito's palette, which the colour-blind tell apart; markers tell methods apart in grey.
_MARKS = {
    "gini": ("#E69F00", "s"),
    "anova": ("#56B4E9", "^"),
    "pearson": ("#009E73", "v"),
    "ttest": ("#CC79A7", "<"),
    "fisher": ("#0072B2", ">"),
    "ig": ("#8C6D31", "D"),
    "laplacian": ("#999999", "P"),
    "relieff": ("#332288", "X"),
    "manifest": ("#D55E00", "o"),
    "manifest_relieff": ("#AA0000", "*"),
}
#: The paper's method, alone and in a sum, is drawn before the others.
EMPHASISED = ("manifest", "manifest_relieff")
_SPARE = ["#117733", "#882255", "#44AA99", "#DDCC77"]


def mark(method: str, position: int = 0) -> dict:
    """Colour and marker of a method, the same in all figures; spare ones for a new method."""
    colour, marker = _MARKS.get(method, (_SPARE[position % len(_SPARE)], "h"))
    return {"color": colour, "marker": marker}


def panels(number: int, margin: float) -> tuple[Figure, list[Axes]]:
    """So many panels with common axes, at most three a row, in the width of the text.

    Parameters
    ----------
    number : int
    margin : float
        Height, in inches, of what stands beside the panels.

    Returns
    -------
    figure : Figure
    axes : list of Axes
        As many as asked for, row by row.
    """
    n_columns = min(3, number)
    n_rows = math.ceil(number / n_columns)
    figure, axes = plt.subplots(
        n_rows,
        n_columns,
        figsize=(TEXT, 1.55 * n_rows + margin),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    shown, spare = np.split(axes.ravel(), [number])
    for axis in spare:
        axis.set_visible(False)
    return figure, list(shown)


def names() -> list[str]:
    """The figures there are."""
    return sorted(
        module.name
        for module in pkgutil.iter_modules(package.__path__)
        if module.name != "style" and not module.name.startswith("_")
    )


def draw(name: str, folder: Path) -> list[Path]:
    """Draw a figure from the tables in a folder and write it there, as PNG and PDF.

    Parameters
    ----------
    name : str
        One of :func:`names`.
    folder : Path
        Of a run.

    Returns
    -------
    list of Path
        The files, PNG before PDF.

    Raises
    ------
    ConfigError
        If there is no figure of that name.
    """
    module = importlib.import_module(
        f"experiments.report.figures.{one_of(name, names(), 'figure')}"
    )
    written = []
    with plt.style.context(STYLE_SHEET):
        for stem, figure in module.draw(Path(folder)).items():
            for suffix, metadata in _FORMATS.items():
                path = Path(folder) / f"{stem}{suffix}"
                with atomic_write(path) as part:
                    figure.savefig(part, metadata=metadata)
                written.append(path)
            plt.close(figure)
    return written
