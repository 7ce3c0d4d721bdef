"""The tables of an arena: functions of its rows and its config.

Three sorts of rows follow those of the splits: the seconds of each method on each data set, a
description of each data set and number of training samples, and what was left out.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments.evaluation.accuracies import ALL_FEATURES, ALL_FEATURES_LABEL
from experiments.evaluation.summary import deviation, flag_columns, most_common, reference_of
from experiments.kinds import base
from experiments.kinds.arena.comparing import (
    NESTED,
    PROBLEM,
    TOGETHER,
    block,
    differences,
    mean_ranks,
    pareto,
    wide_of,
)
from experiments.report.text import number

#: Columns of the rows, with the type of those that hold whole numbers or flags.
COLUMNS = {
    "data_set": "",
    "n_train": "",
    "n_samples": "Int64",
    "method": "",
    "label": "",
    "split": "Int64",
    "n_features": "Int64",
    "validation": "float64",
    "test": "float64",
    "chosen": "boolean",
    "parameters": "",
    "ambiguous": "boolean",
    "uninformative": "boolean",
    "uncertain": "boolean",
    "stability": "float64",
    "chosen_stability": "float64",
    "seconds": "float64",
    "n_test": "Int64",
    "samples": "Int64",
    "classes": "Int64",
    "smallest_class": "Int64",
    "scaling": "",
    "standing": "",
    "fingerprint": "",
    "source": "",
    "left_out": "",
    "reason": "",
}
CAPTIONS = {
    "by_data_set": "Accuracy in %, all choices made on the training rows",
    "ranks": "Mean ranks over data sets",
    "pareto": "Accuracy, stability and time",
    "times": "Seconds of a ranking on one thread",
    "data_sets": "Data sets",
    "left_out": "What is left out, and why",
}


def rows_of(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """The rows of a run with all columns."""
    types = {name: kind for name, kind in COLUMNS.items() if kind}
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(types)


def tables(rows: pd.DataFrame, config: DictConfig) -> base.Tables:
    """All tables of a run."""
    labels = {**base.labels(config), ALL_FEATURES: ALL_FEATURES_LABEL}
    reported = list(config.protocol.reported)
    problems = pd.DataFrame(_problems(rows, labels, config.protocol))
    first = reference_of(list(labels))
    references = [name for name in config.protocol.references if name in labels] or [first]
    ranked = mean_ranks(problems, labels, first, reported)
    summary = _summary(problems, ranked, labels, reported)
    timed = rows[rows["seconds"].notna()]
    left_out = rows[rows["left_out"].notna()].rename(columns={"left_out": "what"})
    return {
        "summary": summary,
        "ranks": ranked,
        "pairs": differences(problems, labels, references, reported),
        "problems": problems,
        "by_data_set": _by_data_set(problems, labels),
        "pareto": pareto(summary, timed),
        "times": timed[[*PROBLEM, "method", "label", "n_samples", "n_features", "seconds"]],
        "data_sets": _data_sets(rows),
        "left_out": left_out[["data_set", "what", "reason"]],
    }


def _problems(rows, labels, protocol) -> Iterator[dict[str, Any]]:
    """A row for each method on a problem, and one for the SVM on all features."""
    judged = rows[rows["split"].notna()]
    parts = dict(list(judged.groupby([*PROBLEM, "method"], sort=False)))
    at_methods = rows[rows["left_out"].notna() & rows["method"].notna()]
    left_out = set(zip(at_methods["data_set"], at_methods["method"], strict=True))
    described = rows[rows["fingerprint"].notna() & rows["n_train"].notna()]
    for data_set, n_train, n_samples in described[[*PROBLEM, "n_samples"]].itertuples(index=False):
        for name, label in labels.items():
            if (data_set, name) in left_out:
                continue
            part = parts.get((data_set, n_train, name), judged.iloc[:0])
            n_splits = part["split"].nunique()
            yield {
                **{"data_set": data_set, "n_train": n_train, "n_samples": n_samples},
                **{"method": name, "label": label},
                **(_accuracies(part, name, protocol.reported) if n_splits else {}),
                **{"n_splits": n_splits, "n_failed": protocol.n_repetitions - n_splits},
                **(flag_columns(part[part["chosen"]]) if n_splits else {}),
            }


def _accuracies(part, name, reported) -> dict[str, Any]:
    """Means over the splits of a method on a problem."""
    chosen = part[part["chosen"]]
    columns = {
        "accuracy": chosen["test"].mean(),
        "std": deviation(chosen["test"].to_numpy()),
        "n_features": float(chosen["n_features"].median()),
    }
    if name == ALL_FEATURES:
        return columns
    columns["stability"] = chosen["chosen_stability"].mean()
    for size in reported:
        if not (alike := part[part["n_features"] == size]).empty:
            columns[f"accuracy_at_{size}"] = alike["test"].mean()
            columns[f"stability_at_{size}"] = alike["stability"].mean()
    return {**columns, "parameters": most_common(chosen["parameters"])}


def _summary(problems, ranked, labels, reported) -> pd.DataFrame:
    """A row for each method, over the problems of all methods that are ranked."""
    common = block(problems, "accuracy", TOGETHER)
    on_common = problems[problems["data_set"].isin(common.index)]
    main = ranked[(ranked["measure"] == NESTED) & (ranked["n_train"] == TOGETHER)]
    rank_of = dict(zip(main["method"], main["mean_rank"], strict=True))
    table = []
    for name in dict.fromkeys(problems["method"]):
        row = {"method": name, "label": labels[name], "mean_rank": rank_of.get(name, np.nan)}
        part = on_common[on_common["method"] == name]
        if name in common or name == ALL_FEATURES:
            row["accuracy"] = _mean(part, "accuracy")
            for size in reported:
                row[f"accuracy_at_{size}"] = _mean(part, f"accuracy_at_{size}")
            row["stability"] = _mean(part, f"stability_at_{reported[0]}")
            row["n_features"] = part["n_features"].median() if "n_features" in part else np.nan
        every = problems[problems["method"] == name]
        row["n_problems"] = int((every["n_splits"] > 0).sum())
        table.append({**row, "n_failed": int(every["n_failed"].sum())})
    return pd.DataFrame(table).astype({"n_problems": "Int64", "n_failed": "Int64"})


def _mean(rows, column) -> float:
    """The mean over data sets of the means over their numbers of training samples."""
    return rows.groupby("data_set")[column].mean().mean() if column in rows else np.nan


def _by_data_set(problems, labels) -> pd.DataFrame:
    """Nested accuracies in percent: a row a problem, a column a method."""
    if "accuracy" not in problems:
        return pd.DataFrame()
    table = problems.assign(percent=(100 * problems["accuracy"]).round(1))
    wide = wide_of(table, [*PROBLEM, "n_samples"], "percent")
    order = [name for name in labels if name in wide]
    return wide[order].rename(columns=labels).rename_axis(columns=None).reset_index()


def _data_sets(rows) -> pd.DataFrame:
    """A row for each data set."""
    described = rows[rows["fingerprint"].notna()]
    table = described.drop_duplicates("data_set").rename(columns={"n_features": "features"})
    numbers = {"training_samples": "n_samples", "test_samples": "n_test"}
    for name, column in numbers.items():
        texts = described.groupby("data_set")[column].agg(lambda n: ", ".join(map(str, n.dropna())))
        table[name] = table["data_set"].map(texts)
    order = ["data_set", "samples", "features", "classes", "smallest_class", *numbers]
    return table[[*order, "scaling", "standing", "fingerprint", "source"]]


def shown(tables: base.Tables) -> pd.DataFrame:
    """The summary, the best mean rank first."""
    table = tables["summary"].drop(columns=["method", "n_problems", "n_failed"], errors="ignore")
    by = "mean_rank" if "mean_rank" in table else "label"
    return table.sort_values(by, kind="stable")


def findings(tables: base.Tables, config: Any, folder: Any) -> dict[str, str]:
    """Sentences about the mean ranks at all numbers of samples, and at each."""
    ranks = tables.get("ranks", pd.DataFrame())
    if ranks.empty:
        return {}
    nested = ranks[ranks["measure"].astype(str) == NESTED].astype({"n_train": str})
    parts = nested.groupby("n_train", sort=False)
    return {"": " ".join(_sentence(str(n_train), part) for n_train, part in parts)}


def _sentence(n_train: str, part: pd.DataFrame) -> str:
    first, last = part.iloc[0], part.iloc[-1]
    samples = "All numbers of samples" if n_train == TOGETHER else f"{n_train} samples"
    text = (
        f"{samples}: {first['label']} has the best mean rank, {number(first['mean_rank'], 1)} "
        f"of {len(part)} on {first['n_data_sets']} data sets, {last['label']} the worst, "
        f"{number(last['mean_rank'], 1)}"
    )
    reference = part[part["p_holm"].isna()]
    if not reference.empty and reference.index[0] != part.index[0]:
        place = list(part.index).index(reference.index[0]) + 1
        row = reference.iloc[0]
        text += f"; {row['label']} has {number(row['mean_rank'], 1)}, place {place}"
    behind = int((part["mean_rank"] >= first["mean_rank"] + first["critical_difference"]).sum())
    text += (
        f"; {behind} are behind the best by the critical difference "
        f"{number(first['critical_difference'], 1)} or more (Nemenyi, 5 %)"
    )
    differ = part[part["p_holm"] < 0.05]["label"]
    named = ", ".join(differ) if len(differ) else "none"
    return (
        f"{text}; by Wilcoxon's test with Holm's adjustment, other than the first "
        f"method of the config: {named}."
    )
