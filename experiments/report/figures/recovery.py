"""Draw which relevant features each method finds: scores, boxes over draws, and cells."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.config import is_own
from experiments.report.columns import axis_label, own_labels
from experiments.report.figures import curves, style
from experiments.report.figures.style import BLUE, DARK, GREY, STRONG, TEXT, YELLOW
from experiments.report.stored import provenance_of

#: The look of the points of means.
HOLLOW: dict[str, Any] = {"marker": "o", "markersize": 4, "markerfacecolor": "white"}


class Panel(NamedTuple):
    """The scores of a method on a kind of samples."""

    method: str
    title: str
    scores: pd.DataFrame


def score_panels(folder: Path, *, few: Sequence[str] = ()) -> dict[str, Figure]:
    """Draw normalised scores of all features, a panel for each method or each kind of samples.

    A few methods, if they are named, have a second figure.

    Points are means over the draws, lines one standard deviation to either side. A title gives the
    mean number of relevant features among the best ones, which are as many as the relevant ones; or
    the share of the draws in which each feature that a case marks is among the best ones. There is
    none if the relevant features differ by draw.
    """
    if not (folder / "features.csv").is_file():
        return {}
    features = pd.read_csv(folder / "features.csv")
    summary = pd.read_csv(folder / "summary.csv")
    summary = style.of_paper(folder, summary[~summary["failed"]])
    if "case" in summary:
        return {"figure": _of_cases(folder, features, summary)}
    relevant = provenance_of(folder)["data"]["params"]["relevant"]
    marked = [index + 1 for index in relevant]
    panels = []
    for row in summary.itertuples():
        title = f"{row.label} ({row.correct:.2f} of {len(marked)})"
        scores = features[features["method"] == row.method]
        panels.append(Panel(str(row.method), title, scores))
    figures = {"figure": _scores(folder, panels, marked, "relevant features found")}
    by_method = {panel.method: panel for panel in panels}
    if few and {*few} < {*by_method}:
        panels = [by_method[method] for method in few]
        figures["figure_three"] = _scores(folder, panels, marked, "relevant features found")
    return figures


def _of_cases(folder: Path, features: pd.DataFrame, summary: pd.DataFrame) -> Figure:
    """Draw a panel for each method and each kind of samples."""
    cases = provenance_of(folder)["config"]["protocol"]["cases"]
    of_cases = [case.get("marked", ()) for case in cases.values()]
    marked = sorted(set().union(*of_cases))
    panels = []
    for row in summary.itertuples():
        is_panel = (features["case"] == row.case) & (features["method"] == row.method)
        scores = features[is_panel]
        shares = 100 * scores.set_index("feature")["selected"]
        selected = ", ".join(f"f{number} in {shares[number]:.0f} %" for number in marked)
        title = f"({row.case}) {row.case_label}\n{row.label}\n({selected})"
        panels.append(Panel(str(row.method), title, scores))
    return _scores(folder, panels, marked, "draws that select it")


def _scores(folder: Path, panels: list[Panel], marked: list[int], brackets: str) -> Figure:
    """Draw panels of scores, in which marked features are larger."""
    columns = 2 if len(panels) in (2, 4) else 3
    height = 1.2 if len(panels) > 6 else 1.5
    figure, axes = style.panels(len(panels), "Feature", "Normalised score", columns, height)
    for axis, panel in zip(axes, panels, strict=True):
        is_marked = panel.scores["feature"].isin(marked)
        _points(axis, panel.scores[~is_marked], GREY, 2.2)
        _points(axis, panel.scores[is_marked], STRONG, 4.5)
        axis.set_title(panel.title, color=STRONG if is_own(panel.method) else DARK)
        last = int(panel.scores["feature"].max())
        step = 5 if last <= 30 else 20 if last <= 200 else 100
        numbers = [1, *range(step, last + 1, step)]
        axis.set(yticks=[0, 0.5, 1], ylim=(-0.04, 1.08), xticks=numbers)
    names = ", ".join(f"f{number}" for number in marked)
    handles = [
        style.dot(names, STRONG),
        style.dot("other feature", GREY, markersize=3),
        style.handle("± one standard deviation over the draws", GREY, linewidth=1),
    ]
    return style.finish(figure, folder, f"normalised scores (in brackets: {brackets})", handles)


def _points(axis: Axes, scores: pd.DataFrame, color: str, size: float) -> None:
    """Draw the mean score of features, and a standard deviation to either side."""
    features = scores["feature"]
    means = scores["mean"]
    # A normalised score is in [0, 1], and its mean plus its deviation need not be.
    low = np.clip(means - scores["std"], 0, 1)
    high = np.clip(means + scores["std"], 0, 1)
    axis.vlines(features, low, high, color=color, linewidth=size / 3, alpha=0.6)
    axis.plot(features, means, "o", color=color, markersize=size, zorder=3)


def hypercube(folder: Path, *, variants: Sequence[str] = ()) -> dict[str, Figure]:
    """Draw the relevant features among the ten best of each method as boxes, and t-SNE.

    Methods that find the same number in each draw have one box. Variants that are named are drawn
    beside their methods.
    """
    rows = pd.read_parquet(folder / "rows.parquet")
    rows = rows[rows["tuned"]].dropna(subset="correct").sort_values("draw")
    summary = pd.read_csv(folder / "summary.csv")
    extra = summary[summary["method"].isin(variants)]
    labels = style.labels_of(pd.concat([style.of_paper(folder, summary), extra]))
    boxes = _boxes(rows, labels)
    height = 0.28 * len(boxes) + 1.4
    figure, axis = plt.subplots(figsize=(0.85 * TEXT, height))
    _draw_boxes(axis, boxes)
    style.mark(axis, own_labels(boxes))
    n_best = len(rows["relevant"].iloc[0])
    for place, numbers in enumerate(boxes["draws"], 1):
        axis.text(n_best + 0.4, place, f"{np.mean(numbers):.1f}", va="center")
    axis.set(xlim=(-0.2, n_best + 0.2), xlabel=f"Relevant features among the best {n_best}")
    handles = [
        style.handle("median", BLUE, linewidth=2),
        style.dot("mean (on the right)", DARK, **HOLLOW),
        style.handle("quartiles", GREY, alpha=0.5, linewidth=8),
        style.handle("1.5 quartile ranges, points beyond", DARK, linewidth=0.8),
    ]
    what = f"relevant features found in {rows['draw'].nunique()} draws"
    figures = {"figure": style.finish(figure, folder, what, handles)}
    if (folder / "tsne.csv").is_file():
        figures["figure_tsne"] = _tsne(folder)
    return figures


def _boxes(rows: pd.DataFrame, labels: dict[str, str]) -> pd.DataFrame:
    """Return a row for methods with the same draws: the first of them, and the labels of all."""
    boxes = []
    for name, label in style.of_equal(rows, "correct", labels).items():
        numbers = rows.loc[rows["method"] == name, "correct"]
        box = {"method": name, "label": fill(label, 26), "draws": [*numbers], "sum": sum(numbers)}
        boxes.append(box)
    return pd.DataFrame(boxes).sort_values("sum", kind="stable")


def _draw_boxes(axis: Axes, boxes: pd.DataFrame) -> None:
    """Draw horizontal boxes of draws, those of ManiFeSt in its colour."""
    drawn = axis.boxplot(
        [*boxes["draws"]],
        orientation="horizontal",
        tick_labels=[*boxes["label"]],
        widths=0.6,
        showmeans=True,
        patch_artist=True,
        flierprops={"marker": "."},
        medianprops={"color": BLUE, "linewidth": 2},
        meanprops={**HOLLOW, "markeredgecolor": DARK, "zorder": 5},
    )
    for box, name in zip(drawn["boxes"], boxes["method"], strict=True):
        box.set(facecolor=STRONG if is_own(name) else GREY, alpha=0.5, linewidth=0.6)


def _tsne(folder: Path) -> Figure:
    """The test samples of the first draw in the plane, a panel for each set of features."""
    panels = pd.read_csv(folder / "panels.csv")
    points = pd.read_csv(folder / "tsne.csv")
    figure, axes = plt.subplots(1, len(panels), figsize=(TEXT, 2.8), squeeze=False)
    for axis, panel in zip(axes.flat, panels.to_dict("records"), strict=True):
        of_panel = points[points["panel"] == panel["panel"]]
        for name, marker, color in ((0, "o", BLUE), (1, "^", YELLOW)):
            samples = of_panel[of_panel["class"] == name]
            look = {"marker": marker, "color": color, "label": f"class {name}"}
            axis.scatter(samples["x"], samples["y"], s=6, linewidths=0, alpha=0.7, **look)
        chosen = f"All {panel['n_selected']} features"
        if pd.notna(panel["correct"]):
            number = f"{panel['correct']:.0f} of {panel['n_relevant']} relevant"
            chosen = f"{panel['label']}: {number}"
        axis.set_title(f"{chosen}\n({100 * panel['mean_accuracy']:.1f} %)")
        axis.set(xticks=[], yticks=[])
    what = "t-SNE of the test samples of one draw (in brackets: mean accuracy)"
    handles, _ = axes[0, 0].get_legend_handles_labels()
    return style.finish(figure, folder, what, handles)


def kinds(folder: Path) -> dict[str, Figure]:
    """Draw a cell for each method and kind of difference at 40 samples, and lines of all samples.

    A cell has the mean number of relevant features among the best ten. Cases that are distorted or
    have outliers have a figure of their own.
    """
    table = pd.read_csv(folder / "curves.csv")
    problems = provenance_of(folder)["data"]["params"]
    changed = []
    for case, problem in problems.items():
        if problem.get("distorted") or problem.get("outliers"):
            changed.append(case)
    is_clean = ~table["case"].isin(changed)
    numbers = table["value"].unique()
    nearest = min(numbers, key=lambda number: abs(number - 40))
    is_nearest = table["value"] == nearest
    what = f"{nearest / 2:.0f} samples a class"
    figures = {"figure": _cells(folder, table[is_nearest & is_clean], what)}
    if not is_clean.all():
        what += ", distorted or with outliers"
        figures["figure_distorted"] = _cells(folder, table[is_nearest & ~is_clean], what)
    if len(numbers) > 1:
        axes = ("value", "recovered", "Samples ranked from", axis_label("recovered"), "case")
        figures["figure_samples"] = curves.with_intervals(folder, table[is_clean], *axes)
    return figures


def _cells(folder: Path, cells: pd.DataFrame, what: str) -> Figure:
    """A cell for each method and case; methods are sorted by their mean where something differs."""
    cases = dict(zip(cells["case"], cells["case_label"], strict=True))
    problems = provenance_of(folder)["data"]["params"]
    recovered = 10 * cells.pivot(index="method", columns="case", values="recovered")[[*cases]]
    differing = [case for case in cases if problems[case].get("kind") != "none"]
    means = recovered.loc[cells["method"].unique(), differing].mean(axis=1)
    best_first = means.sort_values(ascending=False, kind="stable")
    recovered = recovered.loc[best_first.index]
    width = 2.6 + 0.42 * len(cases)
    height = 0.22 * len(recovered) + 1.6
    figure, axis = plt.subplots(figsize=(width, height))
    axis.grid(visible=False)
    image = axis.imshow(recovered, cmap="Blues", vmin=0, vmax=10, aspect="auto")
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 7}
    for (row, column), value in np.ndenumerate(recovered.to_numpy()):
        color = "white" if value > 6 else DARK
        axis.text(column, row, f"{value:.1f}", color=color, **look)
    axis.set_yticks(range(len(recovered)), recovered.index.map(style.labels_of(cells)))
    style.mark(axis, own_labels(cells))
    names = [fill(label.replace("5 %", "5\u00a0%"), 14) for label in cases.values()]
    axis.set_xticks(range(len(cases)), names, fontsize=7, rotation=90)
    axis.tick_params(length=0, labeltop=True, labelbottom=False)
    bar = figure.colorbar(image, ax=axis, aspect=30, pad=0.02, ticks=range(0, 11, 2))
    bar.outline.set_visible(False)  # type: ignore[operator]
    first_case = next(iter(cases))
    chance = 100 / problems[first_case]["n_features"]
    bar.ax.axhline(chance, color=STRONG, linewidth=1.5)
    bar.set_label(f"relevant among the best ten (orange line: {chance:.2g} by chance)")
    return style.finish(figure, folder, what)
