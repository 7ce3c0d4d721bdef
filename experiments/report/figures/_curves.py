"""What the figures of the accuracy protocol share: readings, curves, bands, axes and forms."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import matplotlib.axes
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, NullFormatter, ScalarFormatter

from experiments.report.figures._forms import apart, families
from experiments.report.figures.style import EMPHASISED, TEXT, legend, read_table

#: The row of the summary that belongs to no ranking; it is the SVM on all features.
ALL_FEATURES = "all_features"
DEVIATION = "± one standard deviation over the splits"
#: Dashes of methods in one panel, the first of which is solid.
DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (4, 1, 1, 1)))


def read(folder: Path, name: str) -> pd.DataFrame:
    """A table of a run, without rows that belong to no ranking or have no result."""
    table = read_table(folder / f"{name}.csv")
    ranked = (table["method"] != ALL_FEATURES) & table["n_features"].notna()
    return table[ranked]


def all_rows(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of rankings that were made from the largest share of the training rows."""
    return table[table["ranking_share"] == table["ranking_share"].max()]


def by_reading(
    table: pd.DataFrame,
    draw: Callable[[pd.DataFrame], Figure],
    forms: Callable[[pd.DataFrame], Figure] | None = None,
) -> dict[str, Figure]:
    """One figure for each reading of the protocol, since readings answer different questions.

    Other forms of methods have one more figure, which ``forms`` draws from the first reading.
    """
    parts = {str(key): apart(part) for key, part in table.groupby("reading", sort=False)}
    figures = {f"figure_{reading}": draw(part[""]) for reading, part in parts.items()}
    first = next(iter(parts.values()), {})
    if "_forms" in first:
        figures["figure_forms"] = (forms or draw)(first["_forms"])
    return figures


def methods(table: pd.DataFrame) -> dict[str, str]:
    """The name and the label of each method, in the order of the table."""
    first = table.drop_duplicates("method")
    return dict(zip(first["method"], first["label"], strict=True))


def look(method: str, mark: dict[str, str]) -> dict[str, Any]:
    """A method's colour, marker and strength: the paper's method stands out, filters step back."""
    strong = method in EMPHASISED
    return {
        **mark,
        "markersize": 4 if strong else 3,
        "linewidth": 1.8 if strong else 0.8,
        "alpha": 1 if strong else 0.8,
        "zorder": 3 if strong else 2,
    }


def band(axis: matplotlib.axes.Axes, x, mean, std, color) -> None:
    """Shade one standard deviation to either side of accuracies, as far as accuracies go."""
    low, high = np.clip(100 * (mean - std), 0, 100), np.clip(100 * (mean + std), 0, 100)
    axis.fill_between(x, low, high, color=color, alpha=0.15, linewidth=0)


def band_handle(label: str = DEVIATION, color: str = "#888888") -> Patch:
    """Legend entry of a shaded area."""
    return Patch(color=color, alpha=0.3, linewidth=0, label=label)


def line_handles() -> list[Line2D]:
    """Legend entries of the two kinds of lines."""
    return [
        Line2D([], [], color="black", linestyle="-", label="validation"),
        Line2D([], [], color="black", linestyle="--", label="test"),
    ]


def forms_figure(mark_of: dict[str, dict], curves: pd.DataFrame) -> Figure:
    """Test accuracy of methods in several forms, a panel for each method with its forms."""
    labels, groups = methods(curves), families(curves["method"])
    figure, axes = plt.subplots(1, len(groups), figsize=(TEXT, 3.0), sharey=True, squeeze=False)
    handles = []
    for axis, (first, names) in zip(axes.flat, groups.items(), strict=True):
        for i, name in enumerate(names):
            curve = curves[curves["method"] == name]
            x, mean, std = (curve[key] for key in ("n_features", "test_mean", "test_std"))
            style = {**mark_of[name], "linestyle": DASHES[i % len(DASHES)], "markersize": 3}
            band(axis, x, mean, std, mark_of[name]["color"])
            handles += axis.plot(x, 100 * mean, label=labels[name], **style)
        axis.set_title(labels[first])
        number_axis(axis, curves["n_features"], steps=(1,))
        axis.set_xlabel("Number of features")
    axes[0, 0].set_ylabel("Test accuracy (%)")
    legend(figure, [*handles, band_handle()])
    return figure


def number_axis(axis: matplotlib.axes.Axes, numbers: Iterable[int], steps=(1, 2, 5)) -> None:
    """A logarithmic x axis from the least to the largest number, with plain numbers at the steps.

    Parameters
    ----------
    axis : Axes
    numbers : iterable of int
        The numbers of features, or of samples, that the curves have.
    steps : sequence of int
        Which of 1..9 are labelled in each decade.
    """
    low, high = min(numbers), max(numbers)
    axis.set_xscale("log")
    axis.set_xlim(low / 1.15, high * 1.15)
    decades = [10**i for i in range(len(str(high)))]
    labelled = [step * decade for decade in decades for step in steps]
    axis.xaxis.set_major_locator(FixedLocator([n for n in labelled if low <= n <= high]))
    axis.xaxis.set_major_formatter(ScalarFormatter())
    axis.xaxis.set_minor_formatter(NullFormatter())
    if len(steps) > 1:
        axis.tick_params(axis="x", labelrotation=45)
