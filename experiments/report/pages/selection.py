"""The answer on an own table: three tiles, what differs, what can be predicted, what was read."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.report.figures.selection import class_colours, read_features, read_values
from experiments.report.pages import PageFacts, experiment

#: Features that the page lists; features.csv has all of them.
LISTED = 100
#: The width of a picture of values, and the height of a class in it, in pixels.
WIDTH, HEIGHT = 110, 9
#: Points of a class in a picture.
POINTS = 60
#: Columns of the summary that the page shows; a run without a prediction has few of them.
ACCURACIES = [
    *("label", "balanced_accuracy", "ci_low", "ci_high", "spread", "roc_auc", "auc_low"),
    *("auc_high", "accuracy", "n_features"),
]


def content(folder: Path, facts: PageFacts) -> dict[str, Any]:
    """The values for the template: those of any run, and the answer."""
    answer = json.loads((folder / "answer.json").read_text("utf-8"))
    whole, classes = read_features(folder), list(answer["classes"])
    features = whole.head(LISTED)
    accuracies = pd.read_csv(folder / "summary.csv").reindex(columns=ACCURACIES)
    return {
        **experiment.content(folder, facts),
        # The accuracies have a table of their own here, and the methods are those that ran.
        "tables": [],
        "methods": [],
        "differences": [],
        "answer": answer,
        "features": [{**row, "notes": _notes(row, whole)} for row in features.to_dict("records")],
        "means": [f"mean, {name}" for name in classes],
        "pictures": _pictures(folder, classes),
        "colours": list(class_colours(classes).values()),
        "width": WIDTH,
        "height": HEIGHT * len(classes),
        "has_spread": bool(accuracies["spread"].notna().any()),
        "accuracies": accuracies.to_dict("records"),
        "reduced": next((path.name for path in folder.glob("reduced.*")), ""),
    }


def _pictures(folder: Path, classes: list[str]) -> dict[str, list[tuple[float, float, int]]]:
    """Feature -> its points: place from left to right, from top to bottom, and class."""
    table, labels = read_values(folder)
    pictures = {}
    for name, values in table.dropna(axis="columns", how="all").items():
        low, span = values.min(), values.max() - values.min()
        points = []
        for place, label in enumerate(classes):
            own = np.sort(values[labels == label].dropna())
            kept = np.linspace(0, len(own) - 1, min(POINTS, len(own))).astype(int)
            for value in own[kept]:
                x = 4 + (WIDTH - 8) * ((value - low) / span if span > 0 else 0.5)
                points.append((round(float(x), 1), HEIGHT * (place + 0.5), place))
        pictures[str(name)] = points
    return pictures


def _notes(row, whole: pd.DataFrame) -> str:
    told = [row["warning"]] if row["warning"] else []
    if row["constant"]:
        told.append("constant")
    if row["duplicate_of"]:
        told.append(f"equal to {row['duplicate_of']}")
    elif row["group"] != row["feature"]:
        told.append(f"near-identical to {row['group']}")
    if row["stands_for"]:
        own = whole["group"].eq(row["feature"]) & whole["feature"].ne(row["feature"])
        names = whole.loc[own, "feature"].tolist()
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        told.append(f"represents {', '.join(names[:3])}{more}")
    return "; ".join(told)
