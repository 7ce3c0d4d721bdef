"""Effects with their intervals; accuracy by the number of features (right), if it was judged.

An accuracy at one number of features helps to choose; the table below has the accuracy to report.
"""

import json
from collections.abc import Iterable
from itertools import cycle
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from scipy.cluster.hierarchy import leaves_list, linkage

from experiments.report.figures.curves import band_handle, line, number_axis
from experiments.report.figures.points import rows
from experiments.report.figures.style import TEXT, colours, legend, look, read_table
from experiments.report.names import CLASSES, GREEN, MIDDLE
from experiments.report.text import cut

#: Features whose effects are shown, and those in the heat map.
SHOWN, ROWS = 20, 40
#: Samples that are clustered; more of them keep their order.
CLUSTERED = 1500


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from curves.csv, summary.csv, features.csv and values.csv."""
    ranked = read_features(folder)
    answer = json.loads((folder / "answer.json").read_text("utf-8"))
    values, classes = read_values(folder)
    values = values.iloc[:, :ROWS]
    colour_of = class_colours(answer["classes"])
    found = {"figure": _main(folder, ranked.head(SHOWN), answer)}
    if values.shape[1] > 1:
        found["figure_heatmap"] = _heat_map(values, classes, colour_of)
    return found


def read_features(folder: Path) -> pd.DataFrame:
    """The table of features; a text such as NA stays a text, and an empty number is NaN."""
    path = folder / "features.csv"
    names = pd.read_csv(path, nrows=0).columns
    texts = {"feature", "higher_in", "duplicate_of", "warning", "group", "stands_for"}
    gaps = {name: [""] for name in names if name not in texts}
    as_texts = dict.fromkeys(texts & {*names}, str)
    table = pd.read_csv(path, keep_default_na=False, na_values=gaps, dtype=as_texts)
    return table


def class_colours(classes: Iterable[str]) -> dict[str, str]:
    """The colour of each class, in their order; the ninth has that of the first."""
    return dict(zip(classes, cycle(CLASSES), strict=False))


def _main(folder: Path, features: pd.DataFrame, answer: dict) -> Figure:
    """Effects of the features that differ most, beside the accuracies if there are some."""
    curves = folder / "curves.csv"
    has_curves = curves.is_file() and answer["predict"]["evidence"] is not None
    widths = [2, 3] if has_curves else [1]
    figure, axes = plt.subplots(
        1, len(widths), figsize=(TEXT, 3.8), gridspec_kw={"width_ratios": widths}, squeeze=False
    )
    left = axes[0, 0]
    ends = ["deviations", "deviations_low", "deviations_high"]
    numbers = features[ends].where(np.isfinite(features[ends].astype(float)))
    names = [shortened(n, 18) for n in features["feature"]]
    table = numbers.set_axis(["deviations", "ci_low", "ci_high"], axis=1).assign(
        label=features["feature"], method=features["differs"].astype(str)
    )
    rows(left, table, "deviations", {"True": GREEN, "False": MIDDLE})
    left.set_yticks(range(len(names)), names, size="x-small")
    left.axvline(0, color="grey", linewidth=0.8)
    has_ends = table["ci_low"].notna().any()
    left.set_xlabel("Effect in deviations" + (", 95 % interval" if has_ends else ""))
    of_colours = {GREEN: "q at most 0.05", MIDDLE: "other feature"}
    handles: list[Artist] = [Patch(color=c, label=text) for c, text in of_colours.items()]
    if has_curves:
        handles += _curves(axes[0, 1], folder, read_table(curves), answer)
    legend(figure, handles)
    return figure


def _curves(axis, folder: Path, curves: pd.DataFrame, answer: dict) -> list[Artist]:
    """The balanced accuracy of each ranking; the handles of the legend."""
    labels = dict(zip(curves["method"], curves["label"], strict=True))
    handles: list[Artist] = []
    ranks, has_band = answer["ranking"]["name"], answer["predict"]["n_loops"] > 1
    for name, color in colours(folder, labels).items():
        banded = name == ranks and has_band
        style = {**look(name, color), "label": labels[name]}
        handles.append(line(axis, curves[curves["method"] == name], style, banded=banded))
    guess = 100 * answer["predict"]["guess"]
    handles.append(axis.axhline(guess, color="grey", linestyle=":", label="a guess"))
    number_axis(axis, curves["n_features"])
    axis.set_xlabel("Number of features")
    axis.set_ylabel("Balanced accuracy on held-out samples (%)")
    return [*handles, *[band_handle("± one standard deviation over the loops")] * has_band]


def read_values(folder: Path) -> tuple[pd.DataFrame, pd.Series]:
    """The values of the features that are shown, and the class of each sample."""
    table = pd.read_csv(folder / "values.csv", dtype=str, keep_default_na=False)
    numbers = table.iloc[:, :-1].apply(pd.to_numeric, errors="coerce").astype(float)
    return numbers, table.iloc[:, -1]


def _heat_map(values: pd.DataFrame, classes: pd.Series, colour_of: dict[str, str]) -> Figure:
    """Features as rows and samples as columns, similar ones side by side."""
    spread = values.std().replace(0, np.nan)
    scores = ((values - values.mean()) / spread).fillna(0).to_numpy().T
    rows = _order(scores)
    of_classes = [np.flatnonzero(classes == label) for label in colour_of]
    columns = np.concatenate([own[_order(scores[:, own].T)] for own in of_classes])
    height = max(0.14 * len(rows), 0.9) + 1.1
    grid = {"height_ratios": [0.12, height - 1.1], "hspace": 0.02}
    figure, (strip, axis) = plt.subplots(
        2, 1, figsize=(TEXT, height), gridspec_kw=grid, sharex=True
    )
    look_of: dict[str, Any] = {"aspect": "auto", "interpolation": "nearest"}
    strip.imshow([to_rgba_array(classes.iloc[columns].map(colour_of))], **look_of)
    strip.set_axis_off()
    shown = scores[rows][:, columns]
    picture = axis.imshow(shown, cmap="RdBu_r", vmin=-2.5, vmax=2.5, **look_of)
    axis.set_yticks(range(len(rows)), [shortened(values.columns[row], 24) for row in rows])
    axis.tick_params(axis="y", labelsize="x-small", length=0)
    axis.set_xticks([])
    axis.set_xlabel(f"{len(columns)} samples")
    figure.colorbar(picture, ax=[strip, axis], label="standard deviations", shrink=0.8, pad=0.01)
    handles = [Patch(color=colour, label=shortened(name, 24)) for name, colour in colour_of.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=6)
    return figure


def _order(points: np.ndarray) -> np.ndarray:
    """The order of points in which similar ones are side by side."""
    if not 2 < len(points) <= CLUSTERED:
        return np.arange(len(points))
    return leaves_list(linkage(points, "average", optimal_ordering=len(points) < 300))


def shortened(name: object, widest: int) -> str:
    """A name of at most that many characters, in which a dollar sign begins no formula."""
    return cut(name, widest).replace("$", r"\$")
