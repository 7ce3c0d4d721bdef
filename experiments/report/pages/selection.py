"""The answer on an own table: three tiles, what differs, what can be predicted, what was read."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.datasets.columns import some
from experiments.report.figures.selection import class_colours, read_features, read_values
from experiments.report.pages import PageFacts, experiment
from experiments.report.text import (
    interval,
    number,
    percent,
    plain_interval,
    plain_number,
    probability,
    share_interval,
)

#: Features that the page lists; features.csv has all of them.
LISTED = 100
#: The width of a picture of values, and the height of a class in it, in pixels.
WIDTH, HEIGHT = 150, 9
#: Points of a class in a picture.
POINTS = 60


def content(folder: Path, facts: PageFacts) -> dict[str, Any]:
    """The values for the template: those of any run, and the answer."""
    answer = json.loads((folder / "answer.json").read_text("utf-8"))
    features = read_features(folder)
    summary = pd.read_csv(folder / "summary.csv")
    classes = list(answer["classes"])
    pictures = _pictures(folder, classes)
    common = experiment.content(folder, facts)
    listed = [
        _feature(row, classes, pictures.get(str(row["feature"])))
        for row in features.head(LISTED).to_dict("records")
    ]
    return {
        **common,
        # The accuracies have a table of their own here, and the methods are those that ran.
        "tables": [],
        "methods": [],
        "differences": [],
        "answer": answer,
        "some": some,
        "tiles": _tiles(answer),
        "features": listed,
        "has_notes": any(row["notes"] for row in listed),
        "means": [f"mean, {name}" for name in classes],
        "colours": list(class_colours(classes).values()),
        "width": WIDTH,
        "height": HEIGHT * len(classes),
        "has_spread": bool(summary.get("spread", pd.Series()).notna().any()),
        "accuracies": [_accuracy(row) for row in summary.to_dict("records")],
        "confusion": _confusion(answer),
        "reduced": next((path.name for path in folder.glob("reduced.*")), ""),
        "scaling": {"standard": "mean 0 and deviation 1 on the training rows"}.get(
            answer["scaling"], "left as they are"
        ),
        "why": _why(answer),
    }


def _tiles(answer: dict[str, Any]) -> list[dict[str, str]]:
    """Differ? Predict? How many are stable?"""
    differ, predict = answer["differ"], answer["predict"]
    n, n_stable = len(differ["features"]), len(differ["stable"])
    told = predict["evidence"]
    if told is None:
        second = {"value": "not judged", "note": predict["reason"]}
    else:
        ends = predict["intervals"]["balanced_accuracy"]
        accuracy = percent(predict["balanced_accuracy"])
        accuracy += f" {share_interval(*ends)}"
        second = {
            "value": "yes" if told else "not shown",
            "note": f"balanced accuracy {accuracy}, guessing has {percent(predict['guess'])}; "
            f"p = {probability(predict['p_value'])} ({predict['n_shuffles']} shuffles: p is at "
            f"least {probability(predict['least_p'])})",
        }
    stable = {"value": "unknown", "note": "too few samples or features"}
    if differ["threshold"] is not None:
        stable = {
            "value": str(n_stable),
            "note": f"among the best {differ['n_selected']} in at least "
            f"{percent(differ['threshold'])} of {2 * differ['n_pairs']} random half-samples; at "
            f"most {number(differ['expected_false'], 2)} expected by chance",
        }
    return [
        {
            "question": "Do features differ?",
            "value": f"{n or 'none'} of {differ['n_tested']}",
            "note": "at a false discovery rate of 5 %",
        },
        {"question": f"Can '{answer['target']}' be predicted?", **second},
        {"question": "How many are stable?", **stable},
    ]


def _why(answer: dict[str, Any]) -> str:
    """The sentence on which method ranks, and why."""
    rank = answer["ranking"]
    if answer["predict"]["evidence"] is None:
        return f"Features are ranked by {rank['label']}; too few samples to compare methods."
    n_splits = sum(rank["taken"].values())
    taken = ", ".join(f"{label} ({n} of {n_splits})" for label, n in rank["taken"].items())
    label = "all features" if rank["is_all"] else rank["label"]
    number_of = "as asked for" if answer["n_fixed"] else (
        f"the smallest number within one standard error of the best "
        f"({percent(rank['best_validation'])})"
    )  # fmt: skip
    told = (
        f"The rank is by {label}. In the inner folds of all samples it has a balanced accuracy of "
        f"{percent(rank['validation'])} with {rank['n_features']}, {number_of}."
    )
    if len(rank["candidates"]) == 1 and len(rank["taken"]) == 1:
        return told
    return (
        f"{told} The splits of the prediction chose {taken}. The candidates were "
        f"{', '.join(rank['candidates'])}."
    )


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


def _feature(row: dict[Any, Any], classes: list[str], points) -> dict[str, Any]:
    return {
        "name": row["feature"],
        "differs": row["differs"],
        "chosen": row["chosen"],
        "effect": plain_number(row["effect"]),
        "interval": plain_interval(row["effect_low"], row["effect_high"]),
        "deviations": number(row["deviations"], 2),
        "higher_in": row["higher_in"],
        "q_value": probability(row["q_value"]),
        "q_key": row["q_value"],
        "p_rank": probability(row["p_rank"]),
        "p_rank_key": row["p_rank"],
        "frequency": number(100 * row["frequency"], 0),
        "rank": row["rank"],
        "means": [plain_number(row[f"mean_{name}"]) for name in classes],
        "notes": _notes(row),
        "points": points,
    }


def _notes(row) -> str:
    told = [row["warning"]] if row["warning"] else []
    if row["constant"]:
        told.append("constant")
    if row["duplicate_of"]:
        told.append(f"equal to {row['duplicate_of']}")
    elif row["group"] != row["feature"]:
        told.append(f"near-identical to {row['group']}")
    if row["stands_for"]:
        names = str(row["stands_for"]).split("; ")
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        told.append(f"represents {', '.join(names[:3])}{more}")
    return "; ".join(told)


def _accuracy(row: dict[Any, Any]) -> dict[str, Any]:
    ends = {name: row.get(name, np.nan) for name in ("ci_low", "ci_high", "auc_low", "auc_high")}
    return {
        "label": row["label"],
        "balanced": number(100 * row["balanced_accuracy"], 1),
        "interval": share_interval(ends["ci_low"], ends["ci_high"]),
        "spread": number(100 * row.get("spread", np.nan), 1),
        "auc": number(row.get("roc_auc", np.nan), 2),
        "auc_interval": interval(ends["auc_low"], ends["auc_high"], 2),
        "accuracy": number(100 * row["accuracy"], 1),
        "n_features": plain_number(row["n_features"]),
    }


def _confusion(answer: dict[str, Any]) -> list[list[str]]:
    """A row for each class: its name, and the mean numbers of samples predicted as each class."""
    table = answer["predict"].get("confusion", [])
    return [
        [str(name), *(number(n, 1) for n in counts)] for name, *counts in map(dict.values, table)
    ]
