"""Normalised scores of all features, one panel for each method and case.

Green circles are means over the draws, and red dashes are one standard deviation to either side.
The number in parentheses is the mean number of relevant features among as many best features. Thin
lines are at the relevant features.
"""

import json
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator

from experiments.report.figures._forms import apart, families
from experiments.report.figures.style import handle, legend, panels, read_table

_MEAN: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 2.6, "color": "#009E73"}
_END: dict[str, Any] = {"linestyle": "none", "marker": "_", "markersize": 3, "color": "#CC2222"}
_LINE: dict[str, Any] = {"linewidth": 0.8, "color": "#999999", "zorder": 0}


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from summary.csv, features.csv and, for the relevant features, provenance.json."""
    features, marked = read_table(folder / "features.csv"), relevant(folder)
    return {
        f"figure{stem}": _figure(part, features, marked)
        for stem, part in apart(read_table(folder / "summary.csv")).items()
    }


def _figure(summary, features, marked):
    groups = [part for _, part in summary.groupby("method", sort=False)]
    n_cases = max(len(part) for part in groups)
    largest = max(len(family) for family in families(summary["method"]).values())
    columns = next((n for n in (n_cases, largest) if n > 1), 3)
    figure, axes = panels(len(summary), 0.45, "Feature", "Normalised score", columns=columns)
    rows = [row for part in groups for row in part.itertuples()]
    for axis, row in zip(axes, rows, strict=True):
        scores, title = features[features["method"] == row.method], row.label
        if n_cases > 1:
            scores = scores[scores["case"] == row.case]
            of_method = f"{title}: " if len(groups) > 1 else ""
            title = f"({row.case}) {of_method}{row.case_label}"
        if row.failed:
            axis.set_title(f"{title} (failed)")
            continue
        _panel(axis, scores, marked)
        axis.set_title(f"{title} ({row.correct:.1f})")
    names = ", ".join(map(str, marked))
    handles = [
        handle("mean over the draws", **_MEAN),
        handle("± one standard deviation", **_END),
        *([handle(f"relevant: {names}", **_LINE)] if names else []),
        handle("(n): mean number of correct selections", linestyle="none"),
    ]
    legend(figure, handles)
    return figure


def relevant(folder: Path) -> list[int]:
    """The features that the run's data are said to depend on, from 1; none where none is named."""
    path = folder / "provenance.json"
    data = json.loads(path.read_text("utf-8"))["data"] if path.is_file() else {}
    return [index + 1 for index in (data.get("params") or {}).get("relevant") or ()]


def _panel(axis: Axes, scores: pd.DataFrame, marked: list[int]) -> None:
    """Draw the mean and the standard deviation of the normalised score of each feature."""
    for feature in marked:
        axis.axvline(feature, **_LINE)
    for sign in (-1, 1):
        axis.plot(scores["feature"], scores["mean"] + sign * scores["std"], **_END)
    axis.plot(scores["feature"], scores["mean"], **_MEAN)
    axis.set_ylim(-0.2, 1.2)
    axis.set_yticks([0, 0.5, 1])
    last = int(scores["feature"].max())
    step = 20 if last > 30 else 5
    axis.set_xlim(1 - 0.02 * last, 1.02 * last)
    axis.xaxis.set_major_locator(FixedLocator([1, *range(step, last + 1, step)]))
