"""Make tidy rows of accuracies on splits, and summarise them, for all kinds that test an SVM."""

from collections.abc import Mapping, Sequence
from statistics import mode
from typing import Any

import numpy as np
import pandas as pd

from experiments.evaluation.plan import SplitChoice
from experiments.evaluation.statistics import split_stability
from experiments.evaluation.summary import row_flags, table
from experiments.evaluation.svm.evaluators import SvmGrid

#: The method that stands for the classifier on all features.
ALL_FEATURES = "all_features"
#: Columns within which methods are compared.
BY = ("tuning", "ranking_share")
#: Columns that rows of rankings have, and rows of classifiers have not.
OF_RANKINGS = (
    *("combination", "ranking_share", "ranking_samples", "log2_C", "log2_gamma"),
    *("chosen", "stability", "chosen_stability"),
)


def choice_rows(
    head: Mapping[str, Any],
    splits: Mapping[int, Mapping[str, Any]],
    choices: Mapping[int, SplitChoice],
    evaluator: SvmGrid,
    n_features: int,
) -> list[dict[str, Any]]:
    """Return a row for each split and number of features of one method.

    Parameters
    ----------
    head : mapping
        Columns that all rows share.
    splits : mapping of int to mapping
        Split -> its further columns, such as "n_test".
    choices : mapping of int to SplitChoice
        A split that failed has none.
    evaluator : SvmGrid
    n_features : int
        Number of all features.

    Returns
    -------
    list of dict
        Also "stability" and "chosen_stability": the split's part in the stability of the selected
        features at this number of features, and at the number that each split chooses, without the
        splits that take all.
    """

    def stability(sizes: Sequence[int]) -> np.ndarray:
        """Each split's part in the stability of its selections at these numbers of features."""
        selected = np.zeros((len(choices), n_features), dtype=bool)
        for row, split_choice, i in zip(selected, choices.values(), sizes, strict=True):
            row[split_choice.selected(i, evaluator)] = True
        return split_stability(selected)

    n_sizes = len(evaluator.sizes)
    of_sizes = [stability([i] * len(choices)) for i in range(n_sizes)]
    of_chosen = stability([taken.choice.subset for taken in choices.values()])
    rows = []
    for number, (split, split_choice) in enumerate(choices.items()):
        choice = split_choice.choice
        for i in range(n_sizes):
            row = {**head, "split": split, **splits[split], **split_choice.at(i, evaluator)}
            row["chosen"] = i == choice.size
            row |= row_flags(split_choice.ranked[i].row)
            row["stability"] = of_sizes[i][number]
            is_subset = row["chosen"] and i == choice.subset
            row["chosen_stability"] = of_chosen[number] if is_subset else np.nan
            rows.append(row)
    return rows


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
            wide = group.pivot(index="split", columns="n_features", values="test")
            means = wide.to_numpy().mean(axis=0)
            size = wide.columns[int(np.argmax(means))]
            best.append(group[group["n_features"] == size])
    return pd.concat(best)


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
