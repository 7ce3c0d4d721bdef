"""The answer in words: what was read, what to keep, how good that is; and its files."""

import io
import json
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments.datasets import Dataset
from experiments.datasets.own import UserTable
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
from experiments.report.text import cut

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
        "certain": int((frequency >= 0.9).sum()),
    }
    told["sentences"] = sentences(told)
    return told


def _ends(row) -> list[float | None]:
    """The ends of an interval; None if there is none."""
    return [None if pd.isna(row[end]) else float(row[end]) for end in ("ci_low", "ci_high")]


def sentences(found: Mapping[str, Any]) -> list[str]:
    """The answer; where it is no better than chance, that comes first."""
    accuracy, chance = found["accuracy"], found["chance"]
    told = []
    if not found["is_better"]:
        reached = (
            f"{percent(np.mean(chance))} on average and up to {percent(max(chance))}"
            if chance
            else "no result"
        )
        told.append(
            f"No better than chance: the whole procedure predicts {found['target']} with an "
            f"accuracy of {percent(accuracy)}, and reaches {reached} on shuffled labels. "
            "What follows is a ranking of noise, as far as these samples can tell."
        )
    n, curve = found["n_features"], found["curve"]
    what = f"the best {'feature' if n == 1 else f'{n} features'} by {found['method']}"
    kept = f"Keep {what}" if found["is_better"] else f"If any are to be kept, take {what}"
    if found["is_fixed"]:
        told.append(f"{kept}, as asked for; with {n}, its accuracy is {percent(curve[str(n)])}.")
    elif not found["is_better"]:
        told.append(
            f"{kept}; its {percent(curve[str(n)])} there is the best of many that were tried."
        )
    elif n == found["n_best"]:
        told.append(f"{kept}: with {n} it has its best accuracy, {percent(curve[str(n)])}.")
    else:
        told.append(
            f"{kept}: with {n} it has an accuracy of {percent(curve[str(n)])}, which is within one "
            f"standard error of its best, {percent(curve[str(found['n_best'])])} with "
            f"{found['n_best']}."
        )
    if found["is_better"]:
        told.append(
            f"The whole procedure, choices included, predicts {found['target']} of samples that "
            f"it has not seen with an accuracy of {percent(accuracy)}"
            f"{interval(found['interval'])}; on shuffled labels it reaches "
            f"{percent(np.mean(chance))} on average, {percent(max(chance))} at most."
        )
    if n == 1:
        often = f"{percent(found['frequency'])} of {found['n_resamples']} subsamples"
        told.append(f"It is the best one in {often}.")
        return told
    told.append(
        f"{found['certain']} of the {n} {'is' if found['certain'] == 1 else 'are'} among the best "
        f"{n} in at least 90 % of {found['n_resamples']} subsamples."
    )
    return told


def warnings_of(features: pd.DataFrame, counts: np.ndarray) -> list[str]:
    """A sentence for each kind of suspicious feature, with names."""
    told = []
    for mark, advice in (
        (
            "separates the classes alone",
            "check that it is not another form of the target, or measured after it",
        ),
        (
            "follows the order of the rows",
            "check that it is not a row number, a date or the order of measurement",
        ),
    ):
        names = features.loc[features["warning"].str.contains(mark), "feature"].tolist()
        if not names:
            continue
        listed = ", ".join(map(str, names[:5])) + (", ..." if len(names) > 5 else "")
        told.append(
            f"{listed}: {mark if len(names) == 1 else mark.replace('s ', ' ', 1)}; {advice}"
            + (_by_chance(len(features), counts) if mark.startswith("separates") else "")
        )
    return told


def _by_chance(n_features: int, counts: np.ndarray) -> str:
    """How many features would separate the classes if they had nothing to do with them."""
    arrangements, left = 1, int(counts.sum())
    for count in counts:
        arrangements *= comb(left, int(count))
        left -= int(count)
    orders = int(np.prod(np.arange(1, len(counts) + 1)))
    expected = n_features * orders / arrangements
    return f" (with so few samples about {expected:.0f} would by chance)" if expected >= 0.5 else ""


def percent(value: float) -> str:
    """A share as a person says it."""
    return f"{100 * value:.3g} %" if value < 0.9995 else "100 %"


def interval(ends: Sequence[float | None]) -> str:
    """An interval of a share in brackets, empty where there is none."""
    low, high = ends
    return "" if low is None or high is None else f" [{100 * low:.0f}, {100 * high:.0f}]"


def text(found: Mapping[str, Any], features: pd.DataFrame) -> str:
    """What the terminal shows, in lines of less than 100 characters."""
    classes = ", ".join(f"{name} {n}" for name, n in found["classes"].items())
    lines = [
        *wrapped(
            f"{found['n_samples']} samples, {found['n_all']} features; {found['target']}: {classes}"
        ),
        *(line for told in found["warnings"] for line in wrapped(f"WARNING {told}")),
        "",
        *(line for told in found["sentences"] for line in wrapped(told)),
        "",
        f"{'rank':>4}  {'feature':<{NAME}}  {'among the best ' + str(found['n_features']):<20} "
        f"{'90 % of ranks':<14} {'difference':<22} {'q':>7}",
    ]
    lines += [_line(row) for row in features.head(LISTED).to_dict("records")]
    lines += ["", *accuracies(found)]
    return "\n".join(lines)


def _line(row: Mapping[Any, Any]) -> str:
    """A feature in one line: a star where it is kept, and a bar for its frequency."""
    often = row["frequency"]
    bar, share = ("", "") if pd.isna(often) else ("█" * round(BAR * often), percent(often))
    ranks = "" if pd.isna(often) else f"{row['rank_low']:.0f} to {row['rank_high']:.0f}"
    higher = f"{row['difference']:.2f} in {row['higher_in']}" if row["higher_in"] else "none"
    line = f"{row['rank']:>4}{'*' if row['chosen'] else ' '} {cut(row['feature'], NAME):<{NAME}}  "
    line += f"{bar:<{BAR}} {share:>6}   {ranks:<14} {cut(higher, 22):<22} {row['q_value']:>7.1g}"
    return line.rstrip()


def accuracies(found: Mapping[str, Any]) -> list[str]:
    """Accuracies on held-out samples, one line each."""
    rows = [("this procedure", found["accuracy"], interval(found["interval"]))]
    rows += [(one["label"], one["accuracy"], interval(one["interval"])) for one in found["methods"]]
    rows.append(("majority vote", found["majority"], ""))
    if chance := found["chance"]:
        span = f" {100 * min(chance):.0f} to {100 * max(chance):.0f} in {len(chance)} shuffles"
        rows.append(("labels shuffled", float(np.mean(chance)), span))
    head = f"accuracy on held-out samples, nested cross-validation, {found['n_splits']} splits"
    lines = [f"  {cut(name, 34):<34} {percent(value):>7} {more}" for name, value, more in rows]
    return [head, *(line.rstrip() for line in lines)]


def wrapped(text: str, width: int = WIDTH) -> list[str]:
    """A sentence in lines."""
    words = " ".join(cut(word, width) for word in text.split())
    lines = textwrap.wrap(
        words, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    return lines or [""]


def files(
    config, data: Dataset, found: Mapping[str, Any], features: pd.DataFrame
) -> dict[str, bytes]:
    """The reduced table, what a pipeline needs to choose the same columns, and the facts."""
    names = names_of(data)
    kept = features.loc[features["chosen"], "feature"].tolist()
    of_user = data if isinstance(data, UserTable) else None
    rows = np.argsort(of_user.file_rows) if of_user else np.arange(len(data.y))
    place = {name: j for j, name in enumerate(names)}
    table = pd.DataFrame({name: np.asarray(data.X)[rows, place[name]] for name in kept})
    table[found["target"]] = [data.label_names[int(v)] for v in data.y[rows]]
    named = of_user is not None and of_user.row_names is not None
    if of_user is not None and of_user.row_names is not None:
        table.index = pd.Index([of_user.row_names[row] for row in rows], name=of_user.index)
    selector = {
        "format": "manifest selector 1",
        "features": names,
        "selected": kept,
        "target": found["target"],
        "classes": list(found["classes"]),
        "method": found["method"],
        "parameters": config_of(found),
        "fingerprint": found["fingerprint"],
    }
    if str(config.dataset.path).lower().endswith((".parquet", ".feather")):
        buffer = io.BytesIO()
        table.to_parquet(buffer, index=named)
        reduced = {"reduced.parquet": buffer.getvalue()}
    else:
        reduced = {"reduced.csv": table.to_csv(index=named, lineterminator="\n").encode()}
    return {**reduced, "selector.json": as_json(selector), "answer.json": as_json(found)}


def config_of(found: Mapping[str, Any]) -> dict[str, Any]:
    """What else the choice rests on."""
    return {"text": found["parameters"], "scaling": found["scaling"], "missing": found["missing"]}


def as_json(value) -> bytes:
    """JSON text, the same for equal values."""
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
