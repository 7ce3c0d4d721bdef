"""Normalised scores of all features, one panel for each case (toy example).

Green circles are means over the draws, and red dashes are one standard deviation to either side.
"""

from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from experiments.report.figures._forms import apart
from experiments.report.figures.score_panels import handles, panel
from experiments.report.figures.style import TEXT, legend, read_table


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from summary.csv and features.csv; a row of panels for each method."""
    features = read_table(folder / "features.csv")
    return {
        f"figure{stem}": _figure(part, features)
        for stem, part in apart(read_table(folder / "summary.csv")).items()
    }


def _figure(summary, features):
    methods, cases = (list(dict.fromkeys(summary[name])) for name in ("method", "case"))
    figure, axes = plt.subplots(
        len(methods),
        len(cases),
        figsize=(TEXT, 1.9 * len(methods) + 0.45),
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
    for axis in axes[-1]:
        axis.set_xlabel("Feature")
    figure.supylabel("Normalised score", fontsize=8)
    legend(figure, handles())
    return figure
