"""Accuracy against the number of features, and how often the best features are chosen.

The shaded area is one standard deviation over the splits to either side of the method that the
answer comes from.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from experiments.report.figures import _selected
from experiments.report.figures.curves import band_handle, line, number_axis
from experiments.report.figures.style import TEXT, colours, legend, look, methods, read_table

#: The curve that chooses among the methods anew in each split.
PROCEDURE = "procedure"
#: Features whose frequencies are shown.
SHOWN = 20
CHOSEN, OTHER = "#009E73", "#BBBBBB"


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from curves.csv, summary.csv and features.csv, and from the reduced table."""
    curves, summary = read_table(folder / "curves.csv"), read_table(folder / "summary.csv")
    # A feature may be called NA.
    ranked = pd.read_csv(folder / "features.csv", keep_default_na=False)
    features = ranked.head(SHOWN)
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(TEXT, 3.6), gridspec_kw={"width_ratios": [3, 2]}
    )
    single = curves[curves["method"] != PROCEDURE]
    labels = methods(single)
    handles: list[Artist] = []
    answer = set(summary.loc[summary["answer"].eq(True), "method"])
    for name, color in colours(folder, labels).items():
        curve, is_answer = single[single["method"] == name], name in answer
        style = {**look(name, color), "label": labels[name]}
        handles.append(line(left, curve, style, banded=is_answer))
    for name, dashes, label in (
        ("majority", ":", "majority vote"),
        ("shuffled", "--", "shuffled labels"),
    ):
        row = summary[summary["method"] == name]
        if row["accuracy"].notna().any():
            level = 100 * float(row["accuracy"].iloc[0])
            handles += [left.axhline(level, color="grey", linestyle=dashes, label=label)]
    number_axis(left, curves["n_features"])
    left.set_xlabel("Number of features")
    left.set_ylabel("Accuracy on held-out samples (%)")
    places = range(len(features))
    fills = [CHOSEN if chosen else OTHER for chosen in features["chosen"]]
    right.barh(places, 100 * pd.to_numeric(features["frequency"]), color=fills)
    right.set_yticks(list(places), [_selected.shortened(n, 18) for n in features["feature"]])
    right.tick_params(axis="y", labelsize="x-small")
    right.invert_yaxis()
    right.set_xlim(0, 100)
    right.set_xlabel("Chosen in subsamples (%)")
    handles += [
        band_handle(),
        Patch(color=CHOSEN, label="feature of the answer"),
        Patch(color=OTHER, label="another feature"),
    ]
    legend(figure, handles)
    return {"figure": figure, **_selected.draw(folder, ranked)}
