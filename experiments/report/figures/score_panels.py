"""Draw normalised scores of all features, a panel for each method and each kind of samples.

Points are means over the draws, lines one standard deviation to either side. A title gives the mean
number of relevant features among the best ones, which are as many as the relevant ones; or the
share of the draws in which each feature that its words name is among the best ones.
"""

import re
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.report.figures import style
from experiments.report.stored import provenance_of

#: The methods of a second, smaller figure.
THREE = ["manifest", "relieff", "anova"]


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from summary.csv, features.csv and, for the relevant features, provenance.json."""
    features, summary = (style.read_table(folder / f"{t}.csv") for t in ("features", "summary"))
    summary = style.of_paper(folder, summary)
    figures = {"figure": _figure(folder, summary, features)}
    if len(summary) > 4 and set(THREE) <= set(summary["method"]):
        three = summary.set_index("method").loc[THREE].reset_index()
        figures["figure_three"] = _figure(folder, three, features)
    return figures


def _figure(folder, summary, features):
    has_cases = "case" in summary
    if has_cases:
        words, brackets = " ".join(summary["case_label"]), "draws that select it"
        marked = sorted({int(number) for number in re.findall(r"f(\d+)", words)})
    else:
        params = provenance_of(folder).get("data", {}).get("params") or {}
        marked = [index + 1 for index in params.get("relevant") or ()]
        brackets = "relevant features found"
    height, columns = (1.2 if len(summary) > 6 else 1.55), (2 if has_cases else 3)
    figure, axes = style.panels(len(summary), 0.6, "Feature", "Normalised score", columns, height)
    for axis, row in zip(axes, summary.itertuples(), strict=True):
        scores = features[features["method"] == row.method]
        color = style.DARK if has_cases or row.method != "manifest" else style.STRONG
        title = row.label
        if has_cases:
            scores = scores[scores["case"] == row.case]
            title = f"({row.case}) {row.case_label}"
        if row.failed:
            axis.set_title(f"{title}: failed")
            continue
        _panel(axis, scores, marked)
        found = f" ({row.correct:.2f} of {len(marked)})"
        if has_cases:
            shares = 100 * scores.set_index("feature")["selected"]
            found = f"\n({', '.join(f'f{n} in {shares[n]:.0f} %' for n in marked)})"
        axis.set_title(f"{title}{found}", color=color)
    which = ", ".join(f"f{number}" for number in marked)
    marks = [
        style.dot(which if has_cases else f"relevant feature: {which}", style.STRONG),
        style.dot("other feature", style.GREY, markersize=3),
        style.handle("± one standard deviation over the draws", color=style.GREY, linewidth=1),
    ]
    what = f"normalised scores (in brackets: {brackets})"
    return style.finish(figure, folder, what, marks if marked else marks[1:])


def _panel(axis: Axes, scores: pd.DataFrame, marked: list[int]) -> None:
    """Draw the mean and the standard deviation of the normalised score of each feature."""
    for is_marked, color, size in ((False, style.GREY, 2.2), (True, style.STRONG, 4.5)):
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
