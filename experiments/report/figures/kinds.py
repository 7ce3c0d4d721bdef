"""Methods by kinds of difference: how many of ten relevant features each one finds."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from experiments.report.figures import curves
from experiments.report.figures.style import (
    DARK,
    TEXT,
    own_first,
    read_table,
    set_title,
)

#: The number of samples of both classes in the first figure.
SAMPLES = 40
#: Cases whose features do not differ: they stand apart, and do not count in the order.
NONE = "none"


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from curves.csv: a cell for each method and kind at 40 samples, and all samples."""
    table = read_table(folder / "curves.csv")
    nearest = min(table["value"].unique(), key=lambda n: abs(n - SAMPLES))
    cells = table[table["value"] == nearest]
    order = own_first(cells)
    wide = 10 * cells.pivot(index="method", columns="case", values="recovered").loc[order]
    wide = wide[list(dict.fromkeys(cells["case"]))]
    labels = cells.drop_duplicates("method").set_index("method")["label"]
    kinds = cells.drop_duplicates("case").set_index("case")["case_label"]
    counted = [case for case in wide if not case.startswith(NONE)]
    rank = wide[counted].mean(axis=1).sort_values(ascending=False, kind="stable").index
    wide = wide.loc[rank]
    figure, axis = plt.subplots(figsize=(TEXT, 0.22 * len(wide) + 1.5))
    axis.imshow(wide, cmap="Blues", vmin=0, vmax=10, aspect="auto")
    for (i, j), value in np.ndenumerate(wide.to_numpy()):
        color = "white" if value > 6 else DARK
        axis.text(j, i, f"{value:.1f}", ha="center", va="center", fontsize=6, color=color)
    axis.set_yticks(range(len(wide)), labels[wide.index])
    for name, text in zip(wide.index, axis.get_yticklabels(), strict=True):
        text.set_fontweight("bold" if name.startswith("manifest") else "normal")
    axis.set_xticks(range(wide.shape[1]), kinds[wide.columns], rotation=45, ha="left", fontsize=6.5)
    axis.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    for j, case in enumerate(wide):
        if case.startswith(NONE) and j < wide.shape[1] - 1:
            axis.axvline(j + 0.5, color="white", linewidth=4)
    what = f"{nearest / 2:.0f} samples a class, relevant among ten"
    set_title(figure, folder, what)
    over_samples = curves.draw(
        folder,
        x="value",
        y="recovered",
        by="case",
        xlabel="Samples ranked from",
        ylabel="Relevant features found (%)",
    )
    return {"figure": figure, **{f"{stem}_samples": one for stem, one in over_samples.items()}}
