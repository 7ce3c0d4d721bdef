"""Draw normalised scores of all features, a panel for each method and each kind of samples.

Points are means over the draws, lines one standard deviation to either side. A title gives the mean
number of relevant features among the best ones, which are as many as the relevant ones; or the
share of the draws in which each named feature is among the best ones.
"""

import re
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.report.figures.style import (
    DARK,
    GREY,
    STRONG,
    dot,
    handle,
    legend,
    name_of,
    of_paper,
    panels,
    read_table,
    set_title,
)
from experiments.report.stored import provenance_of

#: The methods of a second, smaller figure.
THREE = ["manifest", "relieff", "anova"]


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from summary.csv, features.csv and, for the relevant features, provenance.json."""
    features, summary = read_table(folder / "features.csv"), read_table(folder / "summary.csv")
    summary = of_paper(folder, summary)
    figures = {"figure": _figure(folder, summary, features)}
    if len(summary) > 4 and set(THREE) <= set(summary["method"]):
        three = summary.set_index("method").loc[THREE].reset_index()
        figures["figure_three"] = _figure(folder, three, features)
    return figures


def _figure(folder, summary, features):
    data = provenance_of(folder).get("data", {})
    relevant = [index + 1 for index in (data.get("params") or {}).get("relevant") or ()]
    has_cases = "case" in summary and summary["case"].nunique() > 1
    text = " ".join(summary.get("case_label", pd.Series(dtype=str)).dropna())
    named = sorted({int(number) for number in re.findall(r"f(\d+)", text)}) if has_cases else []
    height = 1.2 if len(summary) > 6 else 1.55
    figure, axes = panels(
        len(summary), 0.6, "Feature", "Normalised score", 2 if has_cases else 3, height
    )
    for axis, row in zip(axes, summary.itertuples(), strict=True):
        scores = features[features["method"] == row.method]
        if has_cases:
            scores = scores[scores["case"] == row.case]
        title = f"({row.case}) {row.case_label}" if has_cases else row.label
        if row.failed:
            axis.set_title(f"{title}: failed")
            continue
        _panel(axis, scores, named or relevant)
        found = f"{row.correct:.2f} of {len(relevant)}" if relevant else f"{row.correct:.2f}"
        if named:
            shares = scores.set_index("feature")["selected"]
            found = ", ".join(f"f{n} in {100 * shares[n]:.0f} %" for n in named)
            title = f"{title}\n"
        color = STRONG if row.method == "manifest" and not has_cases else DARK
        axis.set_title(f"{title}({found})" if named else f"{title} ({found})", color=color)
    which = ", ".join(f"f{number}" for number in named or relevant)
    deviation = handle("± one standard deviation over the draws", color=GREY, linewidth=1)
    marks = [
        dot(which if named else f"relevant feature: {which}", STRONG),
        dot("other feature", GREY, markersize=3),
        deviation,
    ]
    legend(figure, marks if which else marks[1:])
    brackets = "draws that select it" if named else "relevant features found"
    set_title(figure, name_of(folder), f"normalised scores (in brackets: {brackets})")
    return figure


def _panel(axis: Axes, scores: pd.DataFrame, marked: list[int]) -> None:
    """Draw the mean and the standard deviation of the normalised score of each feature."""
    for is_marked, color, size in ((False, GREY, 2.2), (True, STRONG, 4.5)):
        part = scores[scores["feature"].isin(marked) == is_marked]
        # A normalised score is in [0, 1], and its mean plus its deviation need not be.
        ends = np.clip([part["mean"] - part["std"], part["mean"] + part["std"]], 0, 1)
        axis.vlines(part["feature"], *ends, color=color, linewidth=size / 3, alpha=0.6)
        axis.plot(part["feature"], part["mean"], "o", color=color, markersize=size, zorder=3)
    axis.set_ylim(-0.04, 1.08)
    axis.set_yticks([0, 0.5, 1])
    last = int(scores["feature"].max())
    step = 5 if last <= 30 else 20 if last <= 200 else 100
    axis.set_xlim(1 - 0.03 * last, 1.02 * last)
    axis.set_xticks([1, *range(step, last + 1, step)])
