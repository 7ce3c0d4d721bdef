"""The values of the chosen features: class by class, and clustered over all samples."""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from scipy.cluster.hierarchy import leaves_list, linkage

from experiments.report.figures.style import TEXT
from experiments.report.text import cut

#: Features whose values are shown class by class, and in the heat map.
STRIPS, ROWS = 6, 60
#: Samples that are clustered; more of them keep their order.
CLUSTERED = 1500
#: Colours that the colour-blind can tell apart; the ninth class has that of the first.
COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7"),
    *("#E69F00", "#332288", "#56B4E9", "#8C6D31"),
)


def draw(folder: Path, ranked: pd.DataFrame) -> dict[str, Figure]:
    """Draw from the reduced table; ``ranked`` is features.csv."""
    chosen = [str(name) for name in ranked.loc[ranked["chosen"].astype(str) == "True", "feature"]]
    values, classes = _read(folder, chosen)
    if values.empty:
        return {}
    found = {"figure_values": _strips(values, classes)}
    if values.shape[1] > 1:
        found["figure_heatmap"] = _heat_map(values, classes)
    return found


def _read(folder: Path, chosen: list[str]) -> tuple[pd.DataFrame, pd.Series]:
    """The chosen features that the table has, best first, and the class of each sample."""
    path = next(folder.glob("reduced.*"))
    if path.suffix == ".parquet":
        table = pd.read_parquet(path)
    else:  # A class may be called NA.
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
    table.columns = table.columns.astype(str)
    target = str(json.loads((folder / "answer.json").read_text("utf-8"))["target"])
    names = [name for name in chosen if name in table and name != target][:ROWS]
    numbers = table[names].apply(pd.to_numeric, errors="coerce").astype(float)
    return numbers, table[target].astype(str)


def _strips(values: pd.DataFrame, classes: pd.Series) -> Figure:
    """A panel for each of the best features, a strip of points for each class."""
    names = [str(name) for name in values][:STRIPS]
    n_columns = min(3, len(names))
    n_rows = -(-len(names) // n_columns)
    figure, axes = plt.subplots(
        n_rows, n_columns, figsize=(TEXT, 1.7 * n_rows + 0.5), squeeze=False, sharex=True
    )
    for axis in axes.flat[len(names) :]:
        axis.set_visible(False)
    labels = sorted(classes.unique())
    for axis, name in zip(axes.flat, names, strict=False):
        for place, label in enumerate(labels):
            own = values.loc[classes == label, name].to_numpy()
            # Points side by side, in an order that has nothing to do with their values.
            beside = 0.6 * ((np.arange(len(own)) * 0.618034) % 1) - 0.3
            axis.scatter(
                place + beside, own, s=6, color=_colour(place), alpha=0.8, linewidths=0, zorder=3
            )
            axis.hlines(np.nanmedian(own), place - 0.35, place + 0.35, color="black", linewidth=1)
        axis.set_title(shortened(name, 30))
        axis.set_xticks(range(len(labels)), [shortened(label, 12) for label in labels])
    _legend(figure, labels)
    return figure


def _heat_map(values: pd.DataFrame, classes: pd.Series) -> Figure:
    """Features as rows and samples as columns, similar ones side by side."""
    spread = values.std().replace(0, np.nan)
    scores = ((values - values.mean()) / spread).fillna(0).to_numpy().T
    rows = _order(scores)
    labels = sorted(classes.unique())
    columns = np.concatenate(
        [own[_order(scores[:, own].T)] for label in labels if (own := _of(classes, label)).size]
    )
    height = max(0.14 * len(rows), 0.9) + 1.1
    figure, (strip, axis) = plt.subplots(
        2,
        1,
        figsize=(TEXT, height),
        gridspec_kw={"height_ratios": [0.12, height - 1.1], "hspace": 0.02},
        sharex=True,
    )
    places = np.array([labels.index(label) for label in classes.iloc[columns]])
    colours = [[plt.matplotlib.colors.to_rgb(_colour(place)) for place in places]]
    strip.imshow(colours, aspect="auto", interpolation="nearest")
    strip.set_axis_off()
    picture = axis.imshow(
        np.clip(scores[rows][:, columns], -2.5, 2.5), aspect="auto", cmap="RdBu_r",
        vmin=-2.5, vmax=2.5, interpolation="nearest",
    )  # fmt: skip
    axis.set_yticks(range(len(rows)), [shortened(values.columns[row], 24) for row in rows])
    axis.tick_params(axis="y", labelsize="x-small", length=0)
    axis.set_xticks([])
    axis.set_xlabel(f"{len(columns)} samples")
    figure.colorbar(picture, ax=[strip, axis], label="standard deviations", shrink=0.8, pad=0.01)
    _legend(figure, labels)
    return figure


def _of(classes: pd.Series, label: str) -> np.ndarray:
    return np.flatnonzero((classes == label).to_numpy())


def _order(points: np.ndarray) -> np.ndarray:
    """The order of points in which similar ones are side by side."""
    if not 2 < len(points) <= CLUSTERED:
        return np.arange(len(points))
    return leaves_list(linkage(points, "average", optimal_ordering=len(points) < 300))


def _legend(figure: Figure, labels: list[str]) -> None:
    handles = [
        Patch(color=_colour(i), label=shortened(label, 24)) for i, label in enumerate(labels)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=6)


def _colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def shortened(name: object, widest: int) -> str:
    """A name of at most that many characters, in which a dollar sign begins no formula."""
    return cut(name, widest).replace("$", r"\$")
