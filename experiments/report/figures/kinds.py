"""Methods by kinds of difference: how many of ten relevant features each one finds."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from experiments.report.figures import curves, style

#: The number of samples of both classes in the first figure.
SAMPLES = 40
#: Cases whose features do not differ: they stand apart, and do not count in the order.
NONE = "none"


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from curves.csv: a cell for each method and kind at 40 samples, and all samples."""
    table = style.read_table(folder / "curves.csv")
    nearest = min(table["value"].unique(), key=lambda n: abs(n - SAMPLES))
    cells = table[table["value"] == nearest]
    kinds = dict(zip(cells["case"], cells["case_label"], strict=True))
    found = 10 * cells.pivot(index="method", columns="case", values="recovered")
    found = found.loc[style.own_first(cells), [*kinds]]
    means = found[[case for case in kinds if not case.startswith(NONE)]].mean(axis=1)
    found = found.loc[means.sort_values(ascending=False, kind="stable").index]
    figure, axis = plt.subplots(figsize=(style.TEXT, 0.22 * len(found) + 1.5))
    axis.imshow(found, cmap="Blues", vmin=0, vmax=10, aspect="auto")
    for (i, j), value in np.ndenumerate(found.to_numpy()):
        color = "white" if value > 6 else style.DARK
        axis.text(j, i, f"{value:.1f}", ha="center", va="center", fontsize=6, color=color)
    axis.set_yticks(range(len(found)), found.index.map(style.labels_of(cells)))
    for name, text in zip(found.index, axis.get_yticklabels(), strict=True):
        text.set_fontweight("bold" if name.startswith("manifest") else "normal")
    axis.set_xticks(range(len(kinds)), kinds.values(), rotation=45, ha="left", fontsize=6.5)
    axis.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    for j, case in enumerate(kinds):
        if case.startswith(NONE) and j < len(kinds) - 1:
            axis.axvline(j + 0.5, color="white", linewidth=4)
    style.finish(figure, folder, f"{nearest / 2:.0f} samples a class, relevant among ten")
    axes = ("value", "recovered", "Samples ranked from", "Relevant features found (%)", "case")
    if table["value"].nunique() == 1:
        return {"figure": figure}
    return {"figure": figure, "figure_samples": curves.with_intervals(folder, table, *axes)}
