"""Normalised scores of all features, one panel for each method (XOR-100).

Green circles are means over the draws, and red dashes are one standard deviation to either side.
The number in parentheses is the mean number of relevant features among as many best features. Thin
lines are at the relevant features.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator

from experiments.report.figures._forms import apart, families
from experiments.report.figures.style import legend, panels, read_table

_MEAN: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 2.6, "color": "#009E73"}
_END: dict[str, Any] = {"linestyle": "none", "marker": "_", "markersize": 3, "color": "#CC2222"}
_LINE: dict[str, Any] = {"linewidth": 0.8, "color": "#999999", "zorder": 0}


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from summary.csv, features.csv and, for the relevant features, provenance.json."""
    features = read_table(folder / "features.csv")
    marked = relevant(folder)
    return {
        f"figure{stem}": _figure(part, features, marked)
        for stem, part in apart(read_table(folder / "summary.csv")).items()
    }


def _figure(summary, features, marked):
    largest = max(len(family) for family in families(summary["method"]).values())
    figure, axes = panels(
        len(summary), 0.45, "Feature", "Normalised score", columns=largest if largest > 1 else 3
    )
    for axis, method in zip(axes, summary.itertuples(), strict=True):
        scores = features[features["method"] == method.method]
        if method.failed:
            axis.set_title(f"{method.label} (failed)")
            continue
        panel(axis, scores, marked)
        axis.set_title(f"{method.label} ({method.correct:.1f})")
    found = Line2D([], [], linestyle="none", label="(n): mean number of correct selections")
    legend(figure, [*handles(marked), found])
    return figure


def relevant(folder: Path) -> list[int]:
    """The features that the run's data are said to depend on, from 1; none where none is named."""
    path = folder / "provenance.json"
    data = json.loads(path.read_text("utf-8"))["data"] if path.is_file() else {}
    return [index + 1 for index in (data.get("params") or {}).get("relevant") or ()]


def panel(axis: Axes, scores: pd.DataFrame, marked: Iterable[int] = ()) -> None:
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


def handles(marked: Iterable[int] = ()) -> list[Line2D]:
    """Legend entries of what a panel shows."""
    found = [
        Line2D([], [], **_MEAN, label="mean over the draws"),
        Line2D([], [], **_END, label="± one standard deviation"),
    ]
    names = ", ".join(str(feature) for feature in marked)
    return [*found, Line2D([], [], **_LINE, label=f"relevant: {names}")] if names else found
