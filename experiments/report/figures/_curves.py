"""What the figures of the accuracy protocol share: reading tables, readings, legends and axes."""

from collections.abc import Callable, Iterable
from pathlib import Path

import matplotlib.axes
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullFormatter, ScalarFormatter

from experiments.report.figures.style import read_table

#: The row of the summary that belongs to no ranking; it is the SVM on all features.
ALL_FEATURES = "all_features"


def read(folder: Path, name: str) -> pd.DataFrame:
    """A table of a run, without rows that belong to no ranking or have no result."""
    table = read_table(folder / f"{name}.csv")
    ranked = (table["method"] != ALL_FEATURES) & table["n_features"].notna()
    return table[ranked]


def all_rows(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of rankings that were made from the largest share of the training rows."""
    return table[table["ranking_share"] == table["ranking_share"].max()]


def by_reading(
    table: pd.DataFrame, draw: Callable[[pd.DataFrame], Figure], stem: str = "figure"
) -> dict[str, Figure]:
    """One figure for each reading of the protocol, since readings answer different questions."""
    parts = table.groupby("reading", sort=False)
    return {f"{stem}_{reading}": draw(part) for reading, part in parts}


def methods(table: pd.DataFrame) -> dict[str, str]:
    """The name and the label of each method, in the order of the table."""
    first = table.drop_duplicates("method")
    return dict(zip(first["method"], first["label"], strict=True))


def line_handles() -> list[Line2D]:
    """Legend entries of the two kinds of lines."""
    return [
        Line2D([], [], color="black", linestyle="-", label="validation"),
        Line2D([], [], color="black", linestyle="--", label="test"),
    ]


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
