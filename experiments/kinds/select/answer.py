"""The answer in words: what was read, what to keep, how good that is; and its files."""

import io
import json
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from math import factorial, prod
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments.datasets import Dataset
from experiments.datasets.user_table import UserTable
from experiments.kinds.base import Tables
from experiments.kinds.select.features import names_of
from experiments.kinds.select.procedure import PROCEDURE
from experiments.kinds.select.tables import (
    MAJORITY,
    SHUFFLED,
    chance,
    final,
    is_better,
    own_labels,
    p_value,
)
from experiments.report.text import aligned, cut, interval, percent

#: Features that the terminal and the page list.
LISTED = 20
#: Characters of a line, of a feature's name and of a bar.
WIDTH, NAME, BAR = 98, 24, 10


def facts(
    config: DictConfig, data: Dataset, rows: pd.DataFrame, tables: Tables, notes: Sequence[str]
) -> dict[str, Any]:
    """Everything that the answer says, as JSON values."""
    summary = {row["method"]: row for row in tables["summary"].to_dict("records")}
    answer = final(rows, config.protocol.n_features)
    procedure, own = summary[PROCEDURE.name], summary[answer.method]
    by_split = own_labels(rows)
    by_split = by_split[by_split["method"].eq(PROCEDURE.name) & by_split["chosen"].eq(True)]
    _, counts = np.unique(data.y, return_counts=True)
    accuracy, by_chance = float(procedure["accuracy"]), chance(rows)
    features = tables["features"]
    frequency = features.loc[features["chosen"], "frequency"]
    told: dict[str, Any] = {
        "target": config.dataset.target or "class",
        "table": Path(config.dataset.path).name if config.dataset.path else data.name,
        "fingerprint": data.fingerprint,
        "n_samples": len(data.y),
        "n_all": data.X.shape[1],
        "classes": {
            data.label_names[int(label)]: int(n)
            for label, n in zip(np.unique(data.y), counts, strict=True)
        },
        "scaling": config.dataset.scaling,
        "missing": config.dataset.missing if np.isnan(data.X).any() else None,
        "notes": list(notes),
        "warnings": warnings_of(features, counts),
        "method": own["label"],
        "parameters": "" if pd.isna(own["parameters"]) else own["parameters"],
        "n_features": answer.n_features,
        "n_best": answer.n_best,
        "n_smallest": answer.n_features,
        "is_fixed": config.protocol.n_features is not None,
        "curve": {f"{n:.0f}": float(value) for n, value in answer.curve.items()},
        "accuracy": accuracy,
        "interval": _ends(procedure),
        "majority": float(summary[MAJORITY]["accuracy"]),
        "chance": sorted(map(float, by_chance)),
        "p_value": p_value(accuracy, by_chance) if len(by_chance) else None,
        "is_better": is_better(accuracy, by_chance),
        "n_splits": config.protocol.n_repetitions,
        "n_resamples": config.protocol.n_resamples,
        "chosen_by_splits": dict(Counter(by_split["taken"])),
        "methods": [
            {
                "label": row["label"],
                "accuracy": float(row["accuracy"]),
                "interval": _ends(row),
                "n_features": int(row["n_features"]),
            }
            for name, row in summary.items()
            if name not in (PROCEDURE.name, MAJORITY, SHUFFLED) and pd.notna(row["accuracy"])
        ],
        "overlap": tables["overlap"].to_dict("records"),
        "frequency": float(frequency.mean()),
        "n_significant": int((features["q_value"] < 0.05).sum()),
        "certain": int((frequency >= 0.9).sum()),
    }
    told["sentences"] = sentences(told)
    return told


def _ends(row) -> list[float | None]:
    """The ends of an interval; None if there is none."""
    return [None if pd.isna(row[end]) else float(row[end]) for end in ("ci_low", "ci_high")]


def sentences(answer: Mapping[str, Any]) -> list[str]:
    """The answer; if it is no better than chance, that comes first."""
    n, curve, target, is_better = (
        answer[name] for name in ("n_features", "curve", "target", "is_better")
    )
    accuracy, by_chance = percent(answer["accuracy"]), "no result"
    if chance := answer["chance"]:
        by_chance = f"{percent(np.mean(chance))} on average, {percent(max(chance))} at most"
        by_chance += f" (p = {answer['p_value']:.2g})"
    told = []
    n_significant = answer["n_significant"]
    if not is_better:
        told.append(
            f"No better than chance: the whole procedure predicts {target} with an accuracy of "
            f"{accuracy}; on shuffled labels it reaches {by_chance}. These samples do not show "
            f"that the features predict {target}, nor that none of them does: "
            f"{n_significant or 'none'} of {answer['n_all']} "
            f"{'have' if n_significant > 1 else 'has'} a q-value below 0.05."
        )
    best = f"the best {'feature' if n == 1 else f'{n} features'} by {answer['method']}"
    kept = f"Keep {best}" if is_better else f"If any are to be kept, take {best}"
    here = percent(curve[str(n)])
    if answer["is_fixed"]:
        told.append(f"{kept}, as asked for; with {n}, its accuracy is {here}.")
    elif not is_better:
        told.append(f"{kept}; its {here} there is the best of many that were tried.")
    elif n == answer["n_best"]:
        told.append(f"{kept}: with {n} it has its best accuracy, {here}.")
    else:
        told.append(
            f"{kept}: with {n} it has an accuracy of {here}, which is within one standard error of "
            f"its best, {percent(curve[str(answer['n_best'])])} with {answer['n_best']}."
        )
    if is_better:
        told.append(
            f"The whole procedure, choices included, predicts {target} of samples that it has not "
            f"seen with an accuracy of {accuracy} {_interval(answer)}; on shuffled "
            f"labels it reaches {by_chance}."
        )
    subsamples = f"{answer['n_resamples']} subsamples"
    if n == 1:
        told.append(f"It is the best one in {percent(answer['frequency'])} of {subsamples}.")
    else:
        verb = "is" if answer["certain"] == 1 else "are"
        told.append(
            f"{answer['certain']} of the {n} {verb} among the best {n} in at least 90 % of "
            f"{subsamples}."
        )
    return told


#: Words of a warning -> what the user is to check.
ADVICE = {
    "separates the classes alone": "check that it is not another form of the target, or measured "
    "after it",
    "follows the order of the rows": "check that it is not a row number, a date or the order of "
    "measurement",
}


def warnings_of(features: pd.DataFrame, counts: np.ndarray) -> list[str]:
    """A sentence for each kind of suspicious feature, with names."""
    told = []
    for mark, advice in ADVICE.items():
        names = features.loc[features["warning"].str.contains(mark), "feature"].tolist()
        if names:
            listed = ", ".join(map(str, names[:5])) + (", ..." if len(names) > 5 else "")
            words = mark if len(names) == 1 else mark.replace("s ", " ", 1)
            by_chance = _by_chance(len(features), counts) if mark.startswith("separates") else ""
            told.append(f"{listed}: {words}; {advice}{by_chance}")
    return told


def _by_chance(n_features: int, counts: np.ndarray) -> str:
    """The expected number of features that separate the classes by chance, if it is not small."""
    sizes = counts.tolist()
    arrangements = factorial(sum(sizes)) // prod(map(factorial, sizes))
    expected = n_features * factorial(len(sizes)) / arrangements
    return f" (with so few samples about {expected:.0f} would by chance)" if expected >= 0.5 else ""


def text(answer: Mapping[str, Any], features: pd.DataFrame) -> str:
    """The answer for a terminal, in lines of less than 100 characters."""
    classes = ", ".join(f"{name} {n}" for name, n in answer["classes"].items())
    read = f"{answer['n_samples']} samples, {answer['n_all']} features; {answer['target']}: "
    lines = [read + classes, *(f"WARNING {told}" for told in answer["warnings"])]
    head = ["rank", "feature", f"among the best {answer['n_features']}"]
    head += ["90 % of ranks", "difference", "q"]
    listed = [_line(row) for row in features.head(LISTED).to_dict("records")]
    paragraphs = ["\n".join(map(wrapped, each)) for each in (lines, answer["sentences"])]
    tables = aligned(pd.DataFrame(listed, columns=head)), _accuracies(answer)
    return "\n\n".join([*paragraphs, *map(str.rstrip, tables)])


def _line(row: Mapping[Any, Any]) -> list[str]:
    """The cells of a feature: a star if it is kept, and a bar for its frequency."""
    often, ranks = "", ""
    if pd.notna(row["frequency"]):
        often = f"{'█' * round(BAR * row['frequency']):<{BAR}} {percent(row['frequency'])}"
        ranks = f"{row['rank_low']:.0f} to {row['rank_high']:.0f}"
    higher = f"{row['difference']:.2f} in {row['higher_in']}" if row["higher_in"] else "none"
    rank, name = f"{row['rank']}{'*' if row['chosen'] else ''}", cut(row["feature"], NAME)
    return [rank, name, often, ranks, cut(higher, 20), f"{row['q_value']:.1g}"]


def _accuracies(answer: Mapping[str, Any]) -> str:
    """A table of the accuracies on held-out samples."""
    rows = [{**answer, "label": "this procedure"}, *answer["methods"]]
    cells = [[row["label"], percent(row["accuracy"]), _interval(row)] for row in rows]
    cells.append(["majority vote", percent(answer["majority"]), ""])
    if chance := answer["chance"]:
        span = f"{100 * min(chance):.0f} to {100 * max(chance):.0f} in {len(chance)} shuffles"
        cells.append(["labels shuffled", percent(np.mean(chance)), span])
    head = [f"nested cross-validation, {answer['n_splits']} splits", "accuracy", "95 % interval"]
    return aligned(pd.DataFrame(cells, columns=head))


def _interval(row: Mapping[str, Any]) -> str:
    """The interval of an accuracy in percent, empty if there is none."""
    low, high = row["interval"]
    return "" if low is None or high is None else interval(100 * low, 100 * high, 0)


def wrapped(sentence: str) -> str:
    """A sentence in lines."""
    return textwrap.fill(sentence, WIDTH, subsequent_indent="  ")


def files(
    config, data: Dataset, answer: Mapping[str, Any], features: pd.DataFrame
) -> dict[str, bytes]:
    """The reduced table, what a pipeline needs to choose the same columns, and the facts."""
    names = names_of(data)
    kept = features.loc[features["chosen"], "feature"].tolist()
    of_user = data if isinstance(data, UserTable) else None
    rows = np.argsort(of_user.file_rows) if of_user else np.arange(len(data.y))
    place = {name: j for j, name in enumerate(names)}
    table = pd.DataFrame({name: np.asarray(data.X)[rows, place[name]] for name in kept})
    table[answer["target"]] = [data.label_names[int(v)] for v in data.y[rows]]
    named = of_user is not None and of_user.row_names is not None
    if of_user is not None and of_user.row_names is not None:
        table.index = pd.Index([of_user.row_names[row] for row in rows], name=of_user.index)
    selector = {
        "format": "manifest selector 1",
        "features": names,
        "selected": kept,
        "target": answer["target"],
        "classes": list(answer["classes"]),
        "method": answer["method"],
        "parameters": {
            "text": answer["parameters"],
            "scaling": answer["scaling"],
            "missing": answer["missing"],
        },
        "fingerprint": answer["fingerprint"],
    }
    if str(config.dataset.path).lower().endswith((".parquet", ".feather")):
        buffer = io.BytesIO()
        table.to_parquet(buffer, index=named)
        reduced = {"reduced.parquet": buffer.getvalue()}
    else:
        reduced = {"reduced.csv": table.to_csv(index=named, lineterminator="\n").encode()}
    return {**reduced, "selector.json": _json(selector), "answer.json": _json(answer)}


def _json(value) -> bytes:
    """JSON text, the same for equal values."""
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
