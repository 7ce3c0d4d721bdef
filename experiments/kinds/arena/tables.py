"""The tables of an arena: functions of its rows and its config.

Three sorts of rows follow those of the splits: the seconds of each method on each data set, a
description of each data set and number of training samples, and what was left out.
"""

from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments.evaluation.accuracies import ALL_FEATURES, ALL_FEATURES_LABEL
from experiments.evaluation.summary import Summary, most_common, reference_of
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

#: Columns of the rows of splits.
JUDGED = (
    *("data_set", "n_train", "n_samples", "method", "label", "split", "n_features"),
    *("validation", "test", "chosen", "parameters", "ambiguous", "uninformative", "uncertain"),
    *("stability", "chosen_stability"),
)
#: Columns of all rows.
COLUMNS = (
    *(*JUDGED, "seconds", "n_test", "samples", "classes", "smallest_class", "scaling"),
    *("standing", "fingerprint", "source", "left_out", "reason"),
)
#: The types of those that are no text.
TYPES = {
    "Int64": (
        *("n_samples", "split", "n_features", "n_test"),
        *("samples", "classes", "smallest_class"),
    ),
    "boolean": ("chosen", "ambiguous", "uninformative", "uncertain"),
    "float64": ("validation", "test", "stability", "chosen_stability", "seconds"),
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
    types = {name: kind for kind, names in TYPES.items() for name in names}
    return pd.DataFrame(rows, columns=COLUMNS).astype(types)


def _parameters(rows):
    texts = [words for words in rows["parameters"] if words]
    return most_common(texts) if texts else np.nan


SUMMARY = Summary(
    measure="test",
    repetition="split",
    by=tuple(PROBLEM),
    title="accuracy",
    words="accuracy",
    keep=lambda rows: rows[rows["chosen"]],
    columns={
        "n_features": lambda rows: float(rows["n_features"].median()),
        "stability": lambda rows: rows["chosen_stability"].mean(),
        "parameters": _parameters,
    },
)


def tables(rows: pd.DataFrame, config: DictConfig) -> base.Tables:
    """All tables of a run."""
    labels = {**base.labels(config), ALL_FEATURES: ALL_FEATURES_LABEL}
    reported = list(config.protocol.reported)
    problems = _problems(rows, labels, config.protocol)
    first = reference_of(list(labels))
    references = [name for name in config.protocol.references if name in labels] or [first]
    ranked = mean_ranks(problems, labels, first, reported)
    summary = _summary(problems, ranked, reported)
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


def _problems(rows, labels, protocol) -> pd.DataFrame:
    """A row for each method on a problem, and one for the SVM on all features."""
    at_methods = rows[rows["left_out"].notna() & rows["method"].notna()]
    left_out = set(zip(at_methods["data_set"], at_methods["method"], strict=True))
    described = rows[rows["fingerprint"].notna() & rows["n_train"].notna()]
    problems = pd.DataFrame(
        {**problem, "method": name, "label": label}
        for problem in described[[*PROBLEM, "n_samples"]].to_dict("records")
        for name, label in labels.items()
        if (problem["data_set"], name) not in left_out
    )
    judged = rows[rows["split"].notna()]
    if judged.empty:
        return problems.assign(n_splits=0, n_failed=protocol.n_repetitions)
    at, at_sizes = [*PROBLEM, "method"], _at_sizes(judged, protocol.reported)
    table = SUMMARY.table(judged).drop(columns=["ci_low", "ci_high"])
    problems = problems.merge(table, on=at, how="left").merge(at_sizes, on=at, how="left")
    problems["n_splits"] = problems["n_splits"].fillna(0).astype(int)
    problems["n_failed"] = protocol.n_repetitions - problems["n_splits"]
    first = [*PROBLEM, "n_samples", "method", "label", "accuracy", "std", "n_features"]
    first += ["stability", *at_sizes, "parameters", "n_splits", "n_failed"]
    return problems[[*first, *problems.columns.difference(first, sort=False)]]


def _at_sizes(judged, reported) -> pd.DataFrame:
    """Mean accuracy and stability of each method on a problem at each number of features."""
    names = {"test": "accuracy", "stability": "stability"}
    alike = judged[judged["n_features"].isin(reported) & (judged["method"] != ALL_FEATURES)]
    means = alike.groupby([*PROBLEM, "method", "n_features"])[list(names)].mean().unstack()
    at = [(name, size) for size in reported for name in names if (name, size) in means]
    return means[at].set_axis([f"{names[name]}_at_{size}" for name, size in at], axis=1)


def _summary(problems, ranked, reported) -> pd.DataFrame:
    """A row for each method, over the problems of all methods that are ranked.

    Accuracies are means over data sets of the means over their numbers of training samples.
    """
    main = ranked[(ranked["measure"] == NESTED) & (ranked["n_train"] == TOGETHER)]
    common = block(problems, "accuracy", TOGETHER)
    on_common = problems["data_set"].isin(common.index)
    counted = problems[on_common & problems["method"].isin([*common, ALL_FEATURES])]
    stability = f"stability_at_{reported[0]}"
    means = ["accuracy", *(f"accuracy_at_{size}" for size in reported), stability]
    counted = counted.reindex(columns=["method", "data_set", "n_features", *means])
    table = problems.drop_duplicates("method").set_index("method")[["label"]]
    table["mean_rank"] = main.set_index("method")["mean_rank"]
    of_sets = counted.groupby(["method", "data_set"])[means].mean()
    table = table.join(of_sets.groupby("method").mean()).rename(columns={stability: "stability"})
    table["n_features"] = counted.groupby("method")["n_features"].median()
    table["n_problems"] = problems[problems["n_splits"] > 0].value_counts("method")
    table["n_failed"] = problems.groupby("method")["n_failed"].sum()
    return table.reset_index().fillna({"n_problems": 0}).astype({"n_problems": int})


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
