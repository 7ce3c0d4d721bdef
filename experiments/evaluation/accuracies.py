"""Summarise tidy rows of accuracies on splits, for all kinds that test an SVM."""

from statistics import mode
from typing import Any

import numpy as np
import pandas as pd

from experiments.evaluation.summary import table

#: The method that stands for the classifier on all features.
ALL_FEATURES = "all_features"
#: Columns within which methods are compared.
BY = ("tuning", "ranking_share")
#: Columns that rows of rankings have, and rows of classifiers have not.
OF_RANKINGS = (
    *("combination", "ranking_share", "ranking_samples", "log2_C", "log2_gamma"),
    *("chosen", "stability", "chosen_stability"),
)


def of_splits(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows; those of classifiers, which rank nothing, count as of all training rows."""
    columns = dict.fromkeys([*rows, *OF_RANKINGS])
    rows = rows.reindex(columns=list(columns))
    return rows.assign(ranking_share=rows["ranking_share"].fillna(1.0))


def best_size(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows at the number of features that a tuning reports.

    Under "nested" each split has its own. Otherwise it is the number with the best mean *test*
    accuracy, which is optimistic. A method with one row for each split keeps it.
    """
    best = []
    groups = of_splits(rows).groupby([*BY, "method"], sort=False, dropna=False)
    for (tuning, _, _), group in groups:
        if group["split"].is_unique:
            best.append(group)
        elif tuning == "nested":
            best.append(group[group["chosen"].eq(True)])
        else:
            size = best_number(group.groupby("n_features")["test"].mean())
            best.append(group[group["n_features"] == size])
    return pd.concat(best)


def best_number(means: pd.Series) -> Any:
    """Return the number of features with the best mean, the smallest of those that are equal.

    The index of `means` are the numbers, in ascending order. Equal means differ by rounding.
    """
    return means.round(9).idxmax()


def first_overlap(rows: pd.DataFrame) -> float:
    """n_test / n_train of the first split."""
    return float(rows["n_test"].iloc[0] / rows["n_train"].iloc[0])


def common_parameters(texts: pd.Series) -> str | float:
    """Return the most common text of parameters; NaN if there is none."""
    given = [value for value in texts if isinstance(value, str) and value]
    return mode(given) if given else np.nan  # the first of several that tie


def summary(rows: pd.DataFrame, overlap: float) -> pd.DataFrame:
    """The summary of accuracies over splits, by tuning and share of the rows that rank.

    "n_errors" of "n_tested" are pooled over the splits.
    """
    rows = best_size(rows)
    n_right = np.rint(rows["n_test"] * rows["test"])
    n_errors = (rows["n_test"] - n_right).astype(int)
    is_nested = rows["tuning"].eq("nested")
    stability = rows["stability"].where(~is_nested, rows["chosen_stability"])
    return table(
        rows.assign(n_errors=n_errors, stability=stability),
        BY,
        "test",
        title="accuracy",
        heads=("label", "combination", "ranking_samples"),
        overlap=overlap,
        n_features=("n_features", lambda values: int(np.median(values))),
        validation=("validation", "mean"),
        stability=("stability", lambda values: values.mean(skipna=False)),
        parameters=("parameters", common_parameters),
        n_errors=("n_errors", "sum"),
        n_tested=("n_test", "sum"),
    )


def curves(rows: pd.DataFrame) -> pd.DataFrame:
    """Means and standard deviations over the splits at each number of features of each ranking."""
    rows = of_splits(rows)
    ranked = rows[rows["log2_C"].notna() & (rows["method"] != ALL_FEATURES)]
    axes = ["method", "label", "combination", "tuning", "ranking_share", "ranking_samples"]
    columns: dict[str, Any] = {}
    for name in ("validation", "test"):
        columns[f"{name}_mean"] = name, "mean"
        columns[f"{name}_std"] = name, lambda values: values.std(ddof=0)
    groups = ranked.groupby([*axes, "n_features"], sort=False)
    return groups.agg(**columns, stability=("stability", "mean")).reset_index()
