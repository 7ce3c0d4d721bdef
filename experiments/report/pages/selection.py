"""The answer to which features to keep: sentences, figures, features, accuracies, what was read."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.report.pages import PageFacts, experiment
from experiments.report.text import interval, number

#: Features that the page lists; features.csv has all of them.
LISTED = 100


def content(folder: Path, facts: PageFacts) -> dict[str, Any]:
    """The values for the template: those of any run, and the answer."""
    answer = json.loads((folder / "answer.json").read_text("utf-8"))
    # A feature may be called NA, and an empty text is no number.
    features = pd.read_csv(folder / "features.csv", keep_default_na=False, na_values={})
    summary = pd.read_csv(folder / "summary.csv")
    classes = [str(column) for column in features if str(column).startswith("mean_")]
    listed = features.head(LISTED)
    return {
        **experiment.content(folder, facts),
        # The accuracies and the overlap have tables of their own here.
        "tables": [],
        "answer": answer,
        "features": [_feature(row, classes) for row in listed.to_dict("records")],
        "classes": [column.removeprefix("mean_") for column in classes],
        "n_left": len(features) - len(listed),
        "accuracies": [_accuracy(row) for row in summary.to_dict("records")],
        "overlap": _overlap(answer["overlap"]),
        "reduced": next(path.name for path in folder.glob("reduced.*")),
        "scaling": {"standard": "mean 0 and deviation 1 on the training rows"}.get(
            answer["scaling"], "left as they are"
        ),
    }


def _overlap(pairs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each method, a cell for each other one; none if there is one method."""
    labels = list(dict.fromkeys(row[name] for name in ("method", "other") for row in pairs))
    common = {
        frozenset((row["method"], row["other"])): number(100 * row["common"], 0) for row in pairs
    }
    return [
        {"label": a, "cells": ["100" if a == b else common[frozenset((a, b))] for b in labels]}
        for a in labels
    ]


def _feature(row: dict[Any, Any], classes: list[str]) -> dict[str, Any]:
    low, high = _float(row["rank_low"]), _float(row["rank_high"])
    return {
        "name": row["feature"],
        "rank": row["rank"],
        "chosen": str(row["chosen"]) == "True",
        "frequency": number(100 * _float(row["frequency"]), 0),
        "ranks": interval(low, high, 0),
        "rank_low": row["rank_low"],
        "score": f"{_float(row['score']):.3g}",
        "consensus": row["consensus"],
        "means": [f"{_float(row[name]):.3g}" for name in classes],
        "difference": number(_float(row["difference"]), 2),
        "higher_in": row["higher_in"],
        "q_value": f"{_float(row['q_value']):.1g}",
        "notes": _notes(row),
    }


def _float(text: Any) -> float:
    return float("nan") if text == "" else float(text)


def _notes(row) -> str:
    told = [row["warning"]] if row["warning"] else []
    if str(row["constant"]) == "True":
        told.append("constant")
    if row["duplicate_of"]:
        told.append(f"equal to {row['duplicate_of']}")
    elif row["group"] != row["feature"]:
        told.append(f"near-identical to {row['group']}")
    if row["stands_for"]:
        names = str(row["stands_for"]).split("; ")
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        told.append(f"stands for {', '.join(names[:3])}{more}")
    return "; ".join(told)


def _accuracy(row: dict[Any, Any]) -> dict[str, Any]:
    return {
        "label": row["label"],
        "accuracy": number(100 * row["accuracy"], 1),
        "interval": interval(100 * row["ci_low"], 100 * row["ci_high"], 1),
        "n_features": number(row["n_features"], 0),
        "n_splits": number(row["n_splits"], 0),
        "parameters": "" if pd.isna(row.get("parameters")) else row["parameters"],
    }
