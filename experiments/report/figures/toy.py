"""Normalised scores of all features, one panel for each case (toy example).

Green circles are means over the draws, and red dashes are one standard deviation to either side.
"""

from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from experiments.report.figures.score_panels import panel
from experiments.report.figures.style import TEXT, read_table


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from summary.csv and features.csv; a row of panels for each method."""
    summary = read_table(folder / "summary.csv")
    features = read_table(folder / "features.csv")
    methods, cases = (list(dict.fromkeys(summary[name])) for name in ("method", "case"))
    figure, axes = plt.subplots(
        len(methods),
        len(cases),
        figsize=(TEXT, 1.9 * len(methods) + 0.3),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    for row in summary.itertuples():
        axis = axes[methods.index(row.method), cases.index(row.case)]
        name = f"{row.label}: " if len(methods) > 1 else ""
        if row.failed:
            axis.set_title(f"({row.case}) {name}failed")
            continue
        chosen = (features["method"] == row.method) & (features["case"] == row.case)
        panel(axis, features[chosen])
        axis.set_title(f"({row.case}) {name}{row.case_label}")
        axis.set_xticks([1, *range(5, int(features["feature"].max()) + 1, 5)])
    figure.supxlabel("Feature", fontsize=8)
    figure.supylabel("Normalised score", fontsize=8)
    return {"figure": figure}
