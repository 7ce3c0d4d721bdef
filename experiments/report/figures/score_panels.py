"""Normalised scores of all features; orange are the relevant ones, or those that a title names.

A method works if the orange points are above all grey ones. Points are means over the draws of the
samples, and lines are one standard deviation to either side. A title gives the mean number of
relevant features among the best ones, which are as many as the relevant ones; or the share of the
draws in which each named feature is among the best ones.
"""

import re
from pathlib import Path
from textwrap import fill

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator

from experiments.report.figures._forms import first_and_others, without_variants
from experiments.report.figures.style import dot, handle, legend, panels, read_table
from experiments.report.names import DARK, GREY, STRONG
from experiments.report.stored import provenance_of


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from summary.csv, features.csv and, for the relevant features, provenance.json."""
    features, summary = read_table(folder / "features.csv"), read_table(folder / "summary.csv")
    parts = first_and_others(without_variants(summary), most=3)
    marked = relevant(folder)
    return {f"figure{stem}": _figure(part, features, marked) for stem, part in parts.items()}


def _figure(summary, features, marked):
    many = "case" in summary and summary["case"].nunique() > 1
    figure, axes = panels(
        len(summary), 0.55, "Feature", "Normalised score", columns=2 if many else 3
    )
    for axis, row in zip(axes, summary.itertuples(), strict=True):
        scores, title = features[features["method"] == row.method], row.label
        own, named = marked, []
        if many:
            scores = scores[scores["case"] == row.case]
            title = fill(f"({row.case}) {row.label}:", 44) + f"\n{row.case_label}"
            named = [int(number) for number in re.findall(r"f(\d+)", row.case_label)]
            own = named or marked
        if row.failed:
            axis.set_title(f"{title} (failed)")
            continue
        _panel(axis, scores, own)
        found = f"finds {row.correct:.2f}{f' of {len(own)}' if marked else ' on average'}"
        if named:
            share = scores.set_index("feature")["selected"]
            found = ", ".join(f"f{number} in {100 * share[number]:.0f} %" for number in named)
            found = f"finds {found} of the draws"
        axis.set_title(f"{title}\n{found}", color=STRONG if row.method == "manifest" else DARK)
    names = ": " + ", ".join(f"f{number}" for number in marked) if marked else ""
    said = "named in the title" if many else f"relevant{names}"
    # A case may name a feature that is not relevant, such as a constant one.
    handles = [
        dot(said, STRONG),
        dot("other feature", GREY, markersize=3),
        handle("± one standard deviation", color=GREY, linewidth=1),
    ]
    legend(figure, handles)
    return figure


def relevant(folder: Path) -> list[int]:
    """The features that the run's data are said to depend on, from 1; none where none is named."""
    data = provenance_of(folder).get("data", {})
    return [index + 1 for index in (data.get("params") or {}).get("relevant") or ()]


def _panel(axis: Axes, scores: pd.DataFrame, marked: list[int]) -> None:
    """Draw the mean and the standard deviation of the normalised score of each feature."""
    for is_relevant, color, size in ((False, GREY, 2.2), (True, STRONG, 4.5)):
        part = scores[scores["feature"].isin(marked) == is_relevant]
        # A normalised score is in [0, 1], and its mean plus its deviation need not be.
        ends = np.clip([part["mean"] - part["std"], part["mean"] + part["std"]], 0, 1)
        axis.vlines(part["feature"], *ends, color=color, linewidth=size / 3, alpha=0.6)
        axis.plot(part["feature"], part["mean"], "o", color=color, markersize=size, zorder=3)
    axis.set_ylim(-0.04, 1.08)
    axis.set_yticks([0, 0.5, 1])
    last = int(scores["feature"].max())
    step = 5 if last <= 30 else 20 if last <= 200 else 100
    axis.set_xlim(1 - 0.03 * last, 1.02 * last)
    axis.xaxis.set_major_locator(FixedLocator([1, *range(step, last + 1, step)]))
