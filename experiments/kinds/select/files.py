"""The files and the terminal's text of an answer, and the files of a table as it was read."""

import io
import json
import platform
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy
import sklearn
from omegaconf import DictConfig, OmegaConf

import manifest
from experiments.datasets.user_table import UserTable
from experiments.evaluation.data import described
from experiments.kinds import base
from experiments.kinds.select.answer import about_differences
from experiments.kinds.select.features import names_of
from experiments.kinds.select.procedure import ALPHA
from experiments.kinds.select.samples import places_of
from experiments.kinds.select.svm import LEAST
from experiments.report import pages
from experiments.report.pages import told
from experiments.report.text import (
    aligned,
    cut,
    number,
    percent,
    plain_interval,
    plain_number,
    probability,
    share_interval,
)

#: Features that the terminal lists, and those whose values a page shows.
LISTED, SHOWN = 15, 40
#: Characters of a line and of a feature's name.
WIDTH, NAME = 98, 18


def wrapped(sentence: str, indent: str = "  ") -> str:
    """A sentence in lines; no hyphen of a name ends one."""
    together = sentence.replace(" %", "\u00a0%")
    lines = textwrap.fill(together, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
    return lines.replace("\u00a0%", " %")


def first_text(answer: Mapping[str, Any], table: pd.DataFrame) -> str:
    """The first question for a terminal, in lines of less than 100 characters."""
    classes = ", ".join(f"{name} {n}" for name, n in answer["classes"].items())
    read = f"{answer['n_samples']} samples, {answer['n_all']} features; {answer['target']}: "
    lines = [read + classes, *(f"WARNING {told}" for told in answer["warnings"])]
    told = ["WHICH FEATURES DIFFER?", *about_differences(answer)]
    listed = [_cells(row) for row in table.head(LISTED).to_dict("records")]
    paragraphs = ["\n".join(map(wrapped, each)) for each in (lines, told)]
    rank_test = answer["differ"]["rank_test"]
    legend = f"A star: q is at most {ALPHA}. The rank p is that of a {rank_test} test."
    listing = aligned(pd.DataFrame(listed)).rstrip()
    return "\n\n".join([*paragraphs, f"{listing}\n{legend}"])


def _cells(row: Mapping[Any, Any]) -> dict[str, str]:
    """The line of a feature; a star if it differs."""
    often = row["frequency"]
    return {
        "feature": cut(row["feature"], NAME) + ("*" if row["differs"] else ""),
        "effect": plain_number(row["effect"]),
        "95 % interval": plain_interval(row["effect_low"], row["effect_high"]),
        "deviations": number(row["deviations"], 2),
        "higher in": cut(row["higher_in"], 10),
        "q": probability(row["q_value"]),
        "rank p": probability(row["p_rank"]),
        "stable": "" if pd.isna(often) else percent(round(often, 2)),
    }


def last_text(answer: Mapping[str, Any], summary: pd.DataFrame) -> str:
    """The rest of the answer for a terminal."""
    n = len(about_differences(answer))
    told = "\n".join(map(wrapped, [answer["sentences"][0], *answer["sentences"][1 + n :]]))
    if answer["predict"]["evidence"] is None:
        return f"CAN THE CLASS BE PREDICTED?\n{told}"
    accuracies = [
        {
            "on samples not used to choose": row["label"],
            "balanced": percent(row["balanced_accuracy"]),
            "95 % interval": share_interval(row["ci_low"], row["ci_high"]),
            "ROC AUC": number(row.get("roc_auc", np.nan), 2),
            "accuracy": percent(row["accuracy"]),
            "median size": plain_number(row["n_features"]) if row["n_features"] else "",
        }
        for row in summary.to_dict("records")
    ]
    confusion = [
        {
            name.replace("predicted_", "as ", 1): value if name == "class" else number(value, 1)
            for name, value in row.items()
        }
        for row in answer["predict"]["confusion"]
    ]
    return "\n\n".join(
        [
            f"CAN THE CLASS BE PREDICTED?\n{told}",
            aligned(pd.DataFrame(accuracies), 44).rstrip(),
            "True class (rows) and predicted class (columns), means over the loops\n"
            + aligned(pd.DataFrame(confusion), 16).rstrip(),
        ]
    )


def files(
    data: UserTable, answer: Mapping[str, Any], features: pd.DataFrame, path: str | None
) -> dict[str, bytes]:
    """The reduced table, selectors, values for a page, the paragraph, and the facts."""
    names, chosen = names_of(data), answer["chosen"]
    rows, labels, row_names = _as_in_the_file(data)
    place, is_named = {name: j for j, name in enumerate(names)}, row_names is not None

    def values(of: Sequence[str]) -> pd.DataFrame:
        return pd.DataFrame({name: np.asarray(data.X)[rows, place[name]] for name in of})

    table = values(chosen)
    table[answer["target"]] = labels
    if row_names is not None:
        table.index = pd.Index(row_names, name=data.index)
    if str(path).lower().endswith((".parquet", ".feather")):
        reduced = {"reduced.parquet": _parquet(table, index=is_named)}
    else:
        reduced = {"reduced.csv": _csv(table, is_named)}
    shown = list(dict.fromkeys([*features["feature"].head(SHOWN), *chosen[:SHOWN]]))
    shown_values, last = values(shown), " class"
    while last in shown_values:
        last = f" {last}"
    shown_values[last] = labels
    sets = {"selector.json": chosen, "selector_all.json": answer["sets"]["all"]}
    listed = "\n".join(map(wrapped, answer["references"]))
    methods = f"{wrapped(answer['paragraph'], '')}\n\nReferences\n{listed}\n"
    return {
        **(reduced if chosen else {}),
        **{file: _json(_selector(answer, data, of)) for file, of in sets.items() if of},
        "values.csv": _csv(shown_values),
        "methods.txt": methods.encode(),
        "answer.json": _json(answer),
    }


def as_read(data: UserTable, notes: Sequence[str]) -> base.Results:
    """The table as it was read, as the files read.json and read.parquet, and no rows.

    read.json has `features` (names in the order of the file), `labels` (a text for each row),
    `row_names` (a list, or null) and `notes` (sentences on what was detected). read.parquet has the
    features as float64, rows in the order of the file, before gaps are filled.
    """
    names, (rows, labels, row_names) = names_of(data), _as_in_the_file(data)
    about = {"features": names, "labels": labels, "row_names": row_names, "notes": list(notes)}
    table = pd.DataFrame(np.asarray(data.X, dtype=np.float64)[rows], columns=names)
    return base.Results(
        pd.DataFrame(),
        described(data),
        files={"read.json": _json(about), "read.parquet": _parquet(table)},
        text=f"{len(rows)} rows and {len(names)} features were read; read.json has the details",
        is_final=True,
    )


def _as_in_the_file(data: UserTable) -> tuple[np.ndarray, list[str], list[str] | None]:
    """The samples in the order of the file, their labels, and their row names if they have some."""
    rows = np.argsort(places_of(data))
    named = None if data.row_names is None else [data.row_names[row] for row in rows]
    return rows, [data.label_names[int(value)] for value in data.y[rows]], named


def _parquet(table: pd.DataFrame, index: bool | None = None) -> bytes:
    buffer = io.BytesIO()
    table.to_parquet(buffer, index=index)
    return buffer.getvalue()


def _selector(answer: Mapping[str, Any], data: UserTable, selected: list[str]) -> dict[str, Any]:
    return {
        "format": "manifest selector 1",
        "features": names_of(data),
        "selected": selected,
        "codes": {name: data.codes[name] for name in selected if name in data.codes},
        "numbers": data.numbers,
        "target": answer["target"],
        "classes": list(answer["classes"]),
        "method": "all features" if answer["ranking"]["is_all"] else answer["ranking"]["label"],
        "parameters": {
            "text": answer["ranking"]["label"],
            "scaling": answer["scaling"],
            "missing": answer["missing"],
        },
        "fingerprint": answer["fingerprint"],
    }


def as_json(value) -> str:
    """JSON text, the same for equal values."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _json(value) -> bytes:
    return as_json(value).encode()


def _csv(table: pd.DataFrame, index: bool = False) -> bytes:
    return table.to_csv(index=index, lineterminator="\n").encode()


def references(paragraph: str) -> list[str]:
    """The references that a paragraph names."""
    known = OmegaConf.load(Path(pages.__file__).parents[1] / "templates" / "references.yaml")
    assert isinstance(known, DictConfig)
    return [str(reference) for words, reference in known.items() if str(words) in paragraph]


def paragraph(answer: Mapping[str, Any]) -> str:
    """A paragraph for the methods section of a paper, true to the run."""
    versions = {each.__name__: each.__version__ for each in (manifest, sklearn, scipy)}
    versions["python"] = platform.python_version()
    classes = list(answer["classes"].values())
    is_weighted = min(classes) < LEAST * sum(classes) / len(classes)
    facts = {**answer, "versions": versions, "is_weighted": is_weighted}
    return " ".join(told("methods.txt", facts))
