"""Accuracy against the number of features: validation solid, test dashed, one colour a method.

Under each protocol, (a) the single methods and (b) those and the combinations.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter, ScalarFormatter

from experiments.figures.style import TEXT, mark

EMPHASISED = ("manifest", "manifest_relieff")


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from curves.csv, one figure a protocol."""
    curves = pd.read_csv(folder / "curves.csv")
    return {
        f"figure_{protocol}": _figure(of_protocol)
        for protocol, of_protocol in curves.groupby("protocol", sort=False)
    }


def _figure(curves):
    methods = list(dict.fromkeys(curves["method"]))
    single = list(dict.fromkeys(curves.loc[~curves["combination"], "method"]))
    panels = [methods] if single in ([], methods) else [single, methods]
    figure, axes = plt.subplots(1, len(panels), figsize=(TEXT, 3.6), sharey=True, squeeze=False)
    for letter, axis, shown in zip("ab", axes.flat, panels, strict=False):
        for position, method in enumerate(shown):
            curve = curves[curves["method"] == method]
            strong = method in EMPHASISED
            style = {
                **mark(method, position),
                "markersize": 3.5 if strong else 2.5,
                "linewidth": 1.8 if strong else 0.8,
                "alpha": 1.0 if strong else 0.75,
                "zorder": 3 if strong else 2,
            }
            x = curve["n_features"]
            axis.plot(x, 100 * curve["validation_mean"], linestyle="-", **style)
            axis.plot(x, 100 * curve["test_mean"], linestyle="--", **style)
        axis.set_xscale("log")
        axis.set_xticks([1, 2, 5, 10, 20, 40, 100, 200, 400, 1000, 2000])
        axis.set_xlim(curves["n_features"].min() * 0.9, curves["n_features"].max() * 1.1)
        axis.xaxis.set_major_formatter(ScalarFormatter())
        axis.xaxis.set_minor_formatter(NullFormatter())
        axis.tick_params(axis="x", labelrotation=45)
        axis.set_xlabel("Number of features")
        if len(panels) > 1:
            axis.set_title(f"({letter})", loc="left")
    axes[0, 0].set_ylabel("Accuracy (%)")
    labels = curves.drop_duplicates("method").set_index("method")["label"]
    handles = [
        Line2D([], [], label=labels[method], **mark(method, i), markersize=4)
        for i, method in enumerate(methods)
    ]
    handles += [
        Line2D([], [], color="black", linestyle="-", label="validation"),
        Line2D([], [], color="black", linestyle="--", label="test"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=6)
    return figure
