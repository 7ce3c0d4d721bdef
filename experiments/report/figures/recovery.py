"""Draw which relevant features each method finds: scores, boxes over draws, and cells."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from experiments.config import is_own
from experiments.report.figures import curves, style
from experiments.report.figures.style import BLUE, DARK, GREY, STRONG, TEXT, YELLOW
from experiments.report.stored import provenance_of


def score_panels(folder: Path, *, few: Sequence[str] = ()) -> dict[str, Figure]:
    """Draw normalised scores of all features, a panel for each method or each kind of samples.

    A few methods, if they are named, have a second figure.

    Points are means over the draws, lines one standard deviation to either side. A title gives the
    mean number of relevant features among the best ones, which are as many as the relevant ones; or
    the share of the draws in which each feature that a case marks is among the best ones.
    """
    features, summary = (pd.read_csv(folder / f"{name}.csv") for name in ("features", "summary"))
    summary = style.of_paper(folder, summary[~summary["failed"]])
    panels: dict[tuple[Any, Any], tuple[str, pd.DataFrame]] = {}
    if "case" in summary:
        cases = provenance_of(folder)["config"]["protocol"]["cases"].values()
        marked = sorted(set().union(*(case.get("marked", ()) for case in cases)))
        for row in summary.itertuples():
            is_panel = (features["case"] == row.case) & (features["method"] == row.method)
            scores = features[is_panel]
            shares = 100 * scores.set_index("feature")["selected"]
            found = ", ".join(f"f{n} in {shares[n]:.0f} %" for n in marked)
            title = f"({row.case}) {row.case_label}, {row.label}\n({found})"
            panels[row.case, row.method] = title, scores
        return {"figure": _scores(folder, panels, marked, "draws that select it")}
    marked = [index + 1 for index in provenance_of(folder)["data"]["params"]["relevant"]]
    for row in summary.itertuples():
        title = f"{row.label} ({row.correct:.2f} of {len(marked)})"
        panels["", row.method] = title, features[features["method"] == row.method]
    figures = {"figure": _scores(folder, panels, marked, "relevant features found")}
    chosen = [("", name) for name in few]
    if chosen and {*chosen} < {*panels}:
        panels = {key: panels[key] for key in chosen}
        figures["figure_three"] = _scores(folder, panels, marked, "relevant features found")
    return figures


def _scores(folder, panels, marked, brackets) -> Figure:
    """A panel for the title and scores of each case and method; marked features are larger."""
    shape = (2 if len(panels) in (2, 4) else 3, 1.2 if len(panels) > 6 else 1.5)
    figure, axes = style.panels(len(panels), "Feature", "Normalised score", *shape)
    for axis, ((_, method), (title, scores)) in zip(axes, panels.items(), strict=True):
        for is_marked, color, size in ((False, GREY, 2.2), (True, STRONG, 4.5)):
            part = scores[scores["feature"].isin(marked) == is_marked]
            # A normalised score is in [0, 1], and its mean plus its deviation need not be.
            ends = np.clip([part["mean"] - part["std"], part["mean"] + part["std"]], 0, 1)
            axis.vlines(part["feature"], *ends, color=color, linewidth=size / 3, alpha=0.6)
            axis.plot(part["feature"], part["mean"], "o", color=color, markersize=size, zorder=3)
        axis.set_title(title, color=STRONG if is_own(method) else DARK)
        last = int(scores["feature"].max())
        step = 5 if last <= 30 else 20 if last <= 200 else 100
        axis.set(yticks=[0, 0.5, 1], ylim=(-0.04, 1.08), xticks=[1, *range(step, last + 1, step)])
    marks = [
        style.dot(", ".join(f"f{number}" for number in marked), STRONG),
        style.dot("other feature", GREY, markersize=3),
        style.handle("± one standard deviation over the draws", GREY, linewidth=1),
    ]
    return style.finish(figure, folder, f"normalised scores (in brackets: {brackets})", marks)


def hypercube(folder: Path, *, variants: Sequence[str] = ()) -> dict[str, Figure]:
    """Draw the relevant features among the ten best of each method as boxes, and t-SNE.

    Methods that find the same number in each draw have one box. Variants that are named are drawn
    beside their methods.
    """
    rows = pd.read_parquet(folder / "rows.parquet")
    summary = pd.read_csv(folder / "summary.csv")
    extra = summary[summary["method"].isin(variants)]
    labels = style.labels_of(pd.concat([style.of_paper(folder, summary), extra]))
    rows = rows[rows["tuned"]].dropna(subset="correct").sort_values("draw")
    draws = rows.groupby("method")["correct"].agg(tuple)[[*labels]]
    equal = {names.index[0]: names for _, names in draws.groupby(draws, sort=False)}
    draws = draws[[*equal]].sort_values(key=lambda column: column.map(sum), kind="stable")
    order = [fill(", ".join(equal[name].index.map(labels)), 26) for name in draws.index]
    figure, axis = plt.subplots(figsize=(0.85 * TEXT, 0.28 * len(order) + 1.4))
    hollow: dict[str, Any] = {"marker": "o", "markersize": 4, "markerfacecolor": "white"}
    look: dict[str, Any] = {"orientation": "horizontal", "tick_labels": order, "widths": 0.6}
    look |= {"showmeans": True, "patch_artist": True, "flierprops": {"marker": "."}}
    look |= {"medianprops": {"color": BLUE, "linewidth": 2}}
    look |= {"meanprops": {**hollow, "markeredgecolor": DARK, "zorder": 5}}
    boxes = axis.boxplot([*draws], **look)
    for box, name in zip(boxes["boxes"], draws.index, strict=True):
        box.set(facecolor=STRONG if is_own(name) else GREY, alpha=0.5, linewidth=0.6)
    style.mark_own(axis, pd.DataFrame({"method": draws.index, "label": order}))
    n_best = len(rows["relevant"].iloc[0])
    for place, found in enumerate(draws, 1):
        axis.text(n_best + 0.4, place, f"{np.mean(found):.1f}", va="center", ha="left")
    axis.set(xlim=(-0.2, n_best + 0.2), xlabel=f"Relevant features among the best {n_best}")
    handles = [
        style.handle("median", BLUE, linewidth=2),
        style.dot("mean (on the right)", DARK, **hollow),
        style.handle("quartiles", GREY, alpha=0.5, linewidth=8),
        style.handle("1.5 quartile ranges, points beyond", DARK, linewidth=0.8),
    ]
    what = f"relevant features found in {rows['draw'].nunique()} draws"
    figures = {"figure": style.finish(figure, folder, what, handles)}
    if (folder / "tsne.csv").is_file():
        figures["figure_tsne"] = _tsne(folder)
    return figures


def _tsne(folder) -> Figure:
    """The test samples of the first draw in the plane, a panel for each set of features."""
    panels, points = (pd.read_csv(folder / f"{stem}.csv") for stem in ("panels", "tsne"))
    figure, axes = plt.subplots(1, len(panels), figsize=(TEXT, 2.8), squeeze=False)
    for axis, panel in zip(axes.flat, panels.to_dict("records"), strict=True):
        for name, marker, color in ((0, "o", BLUE), (1, "^", YELLOW)):
            part = points[(points["panel"] == panel["panel"]) & (points["class"] == name)]
            look = {"marker": marker, "color": color, "label": f"class {name}"}
            axis.scatter(part["x"], part["y"], s=6, linewidths=0, alpha=0.7, **look)
        chosen = f"All {panel['n_selected']} features"
        if pd.notna(panel["correct"]):
            found = f"{panel['correct']:.0f} of {panel['n_relevant']} relevant"
            chosen = f"{panel['label']}: {found}"
        axis.set_title(f"{chosen}\n({100 * panel['mean_accuracy']:.1f} %)")
        axis.set(xticks=[], yticks=[])
    what = "t-SNE of the test samples of one draw (in brackets: mean accuracy)"
    return style.finish(figure, folder, what, axes[0, 0].get_legend_handles_labels()[0])


def kinds(folder: Path) -> dict[str, Figure]:
    """Draw a cell for each method and kind of difference at 40 samples, and lines of all samples.

    A cell has the mean number of relevant features among the best ten. Cases that are distorted or
    have outliers have a figure of their own.
    """
    table, problems = pd.read_csv(folder / "curves.csv"), provenance_of(folder)["data"]["params"]
    changes = ("distorted", "outliers")
    changed = [case for case in problems if any(map(problems[case].get, changes))]
    is_clean = ~table["case"].isin(changed)
    nearest = min(table["value"].unique(), key=lambda n: abs(n - 40))
    at, what = table["value"] == nearest, f"{nearest / 2:.0f} samples a class"
    figures = {"figure": _cells(folder, table[at & is_clean], what)}
    if not is_clean.all():
        what += ", distorted or with outliers"
        figures["figure_distorted"] = _cells(folder, table[at & ~is_clean], what)
    if table["value"].nunique() > 1:
        axes = ("value", "recovered", "Samples ranked from", "Relevant features found (%)", "case")
        figures["figure_samples"] = curves.with_intervals(folder, table[is_clean], *axes)
    return figures


def _cells(folder, cells, what) -> Figure:
    """A cell for each method and case; the methods are in the order of their means."""
    cases = dict(zip(cells["case"], cells["case_label"], strict=True))
    problems = provenance_of(folder)["data"]["params"]
    found = 10 * cells.pivot(index="method", columns="case", values="recovered")[[*cases]]
    means = found[[case for case in cases if problems[case].get("kind") != "none"]].mean(axis=1)
    means = means[[*dict.fromkeys(cells["method"])]].sort_values(ascending=False, kind="stable")
    found = found.loc[means.index]
    width = 2.6 + 0.42 * len(cases)
    figure, axis = plt.subplots(figsize=(width, 0.22 * len(found) + 1.6))
    axis.grid(visible=False)
    image = axis.imshow(found, cmap="Blues", vmin=0, vmax=10, aspect="auto")
    for (i, j), value in np.ndenumerate(found.to_numpy()):
        color = "white" if value > 6 else DARK
        axis.text(j, i, f"{value:.1f}", ha="center", va="center", fontsize=7, color=color)
    axis.set_yticks(range(len(found)), found.index.map(style.labels_of(cells)))
    style.mark_own(axis, cells)
    names = [fill(label.replace("5 %", "5\u00a0%"), 14) for label in cases.values()]
    axis.set_xticks(range(len(cases)), names, fontsize=7, rotation=90)
    axis.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    bar = figure.colorbar(image, ax=axis, aspect=30, pad=0.02, ticks=range(0, 11, 2))
    bar.outline.set_visible(False)  # type: ignore[operator]
    chance = 100 / problems[next(iter(cases))]["n_features"]
    bar.ax.axhline(chance, color=STRONG, linewidth=1.5)
    bar.set_label(f"relevant among the best ten (orange line: {chance:.2g} by chance)")
    return style.finish(figure, folder, what)
