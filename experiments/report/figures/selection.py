"""Accuracy against the number of features, and how often the best features are chosen."""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from experiments.report.figures import _selected
from experiments.report.figures._curves import methods, number_axis
from experiments.report.figures.style import TEXT, marks, read_table

#: The curve that chooses among the methods anew in each split.
PROCEDURE = "procedure"
#: Features whose frequencies are shown.
SHOWN = 20


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
    answer = set(summary.loc[summary["answer"].eq(True), "method"])
    for name, style in marks(folder, labels).items():
        curve = single[single["method"] == name]
        strong = name in answer
        left.plot(
            curve["n_features"],
            100 * curve["test_mean"],
            label=labels[name],
            markersize=3,
            linewidth=1.8 if strong else 0.8,
            zorder=3 if strong else 2,
            **style,
        )
    for name, dashes, label in (("majority", ":", "majority vote"), ("shuffled", "--", "shuffled")):
        row = summary[summary["method"] == name]
        if row["accuracy"].notna().any():
            left.axhline(
                100 * float(row["accuracy"].iloc[0]), color="grey", linestyle=dashes, label=label
            )
    number_axis(left, curves["n_features"], steps=(1, 2, 5))
    left.set_xlabel("Number of features")
    left.set_ylabel("Accuracy on held-out samples (%)")
    figure.legend(loc="outside lower center", ncols=6)
    names = [str(name).replace("$", r"\$") for name in features["feature"]]
    places = range(len(names))
    colours = ["#009E73" if chosen else "#BBBBBB" for chosen in features["chosen"]]
    right.barh(places, 100 * pd.to_numeric(features["frequency"]), color=colours)
    right.set_yticks(list(places), [n if len(n) <= 18 else n[:17] + "…" for n in names])
    right.tick_params(axis="y", labelsize="x-small")
    right.invert_yaxis()
    right.set_xlim(0, 100)
    right.set_xlabel("Chosen in subsamples (%)")
    return {"figure": figure, **_selected.draw(folder, ranked)}
