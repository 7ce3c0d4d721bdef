"""Methods over data sets: mean ranks and differences, and which methods no other one beats."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from experiments.evaluation import summary
from experiments.evaluation.accuracies import ALL_FEATURES
from experiments.evaluation.mean_ranks import (
    ROUNDING,
    critical_difference,
    friedman,
    ranks,
    wilcoxon_against,
)
from experiments.kinds.arena.problems import ALL

#: A method is ranked if it has at least this share of the data sets.
COMPLETE = 0.75
#: The mean over all numbers of training samples, as a number of training samples.
TOGETHER = "together"
#: The measure of the accuracy at the number of features that is chosen inside.
NESTED = "nested"
#: The columns that name a problem.
PROBLEM = ["data_set", "n_train"]
#: Columns of the table of ranks.
RANKS = (
    *("measure", "n_train", "n_data_sets", "critical_difference", "p_friedman"),
    *("method", "label", "mean_rank", "accuracy", "p_value", "p_holm"),
)
#: The word for the sign of a difference on a data set.
SIGNS = {"better": 1, "equal": 0, "worse": -1}
#: Columns of the table of differences.
PAIRS = (
    *("measure", "n_train", "n_data_sets", "method", "other", "other_label"),
    *("difference", "ci_low", "ci_high", *SIGNS),
)


def wide_of(table: pd.DataFrame, index: list[str], column: str) -> pd.DataFrame:
    """A column of a table with a row for each problem and a column for each method, in order."""
    order = pd.MultiIndex.from_frame(table[index].drop_duplicates())
    return table.set_index([*index, "method"])[column].unstack("method").reindex(order)


def block(problems: pd.DataFrame, column: str, n_train: str) -> pd.DataFrame:
    """Accuracies of the methods that can be compared, on the data sets that all of these have.

    Parameters
    ----------
    problems : DataFrame
        One row for each method on each problem.
    column : str
        The accuracy that is compared.
    n_train : str
        A number of training samples, or TOGETHER: then the mean over those that a data set has.

    Returns
    -------
    DataFrame
        A row for each data set, a column for each method.
    """
    part = problems[problems["method"] != ALL_FEATURES]
    if n_train != TOGETHER:
        part = part[part["n_train"] == n_train]
    if column not in part:
        return pd.DataFrame()
    wide = wide_of(part, PROBLEM, column).dropna(how="all")
    kept = wide.columns[wide.notna().mean() >= COMPLETE]
    wide = wide[[name for name in dict.fromkeys(part["method"]) if name in kept]].dropna()
    return wide.groupby(level="data_set", sort=False).mean()


def mean_ranks(
    problems: pd.DataFrame, labels: Mapping, reference: str, reported: Sequence[int]
) -> pd.DataFrame:
    """A row for each measure, number of training samples and method: its mean rank, and tests.

    Returns
    -------
    DataFrame
        "critical_difference": of Nemenyi's test, at 5 %. "p_friedman": of the test that all mean
        ranks are equal. "p_value" and "p_holm": of Wilcoxon's test against the reference.
    """
    tables = [pd.DataFrame(columns=RANKS)]
    for measure, n_train, values in _blocks(problems, _accuracies(reported)):
        (n, k), table = values.shape, values.to_numpy()
        p_values = adjusted = np.full(k, np.nan)
        if reference in values:
            p_values, adjusted = wilcoxon_against(table, list(values).index(reference))
        columns = {
            "measure": measure,
            "n_train": n_train,
            "n_data_sets": n,
            "critical_difference": critical_difference(k, n) if k > 1 else np.nan,
            "p_friedman": friedman(table).p_value,
            "method": list(values),
            "label": [labels[name] for name in values],
            "mean_rank": ranks(table).mean(axis=0),
            "accuracy": values.mean().to_numpy(),
            "p_value": p_values,
            "p_holm": adjusted,
        }
        tables.append(pd.DataFrame(columns).sort_values("mean_rank", kind="stable"))
    return pd.concat(tables[1:] or tables, ignore_index=True)


def differences(
    problems: pd.DataFrame,
    labels: Mapping,
    references: Sequence[str],
    reported: Sequence[int],
) -> pd.DataFrame:
    """Each reference less each other method, data set by data set: accuracies and stabilities.

    Returns
    -------
    DataFrame
        A row for each measure, number of training samples and other method. "ci_low" and "ci_high"
        are Student's interval of the mean over data sets: each of them is one independent value.
        "better", "equal" and "worse" count the data sets on which the reference is that.
    """
    stabilities = {f"stability at {size}": f"stability_at_{size}" for size in reported}
    rows = []
    for measure, n_train, values in _blocks(problems, _accuracies(reported) | stabilities):
        head = {"measure": measure, "n_train": n_train, "n_data_sets": len(values)}
        for reference in (name for name in references if name in values):
            others = values.drop(columns=reference)
            parts = {str(n): (values[reference] - others[n]).to_numpy() for n in others}
            for name, columns in summary.differences(parts, 0.0).items():
                signs = np.sign(np.where(np.abs(parts[name]) <= ROUNDING, 0, parts[name]))
                counts = {word: int((signs == sign).sum()) for word, sign in SIGNS.items()}
                of = {"method": reference, "other": name, "other_label": labels[name]}
                rows.append({**head, **of, **columns, **counts})
    return pd.DataFrame(rows, columns=PAIRS)


def _accuracies(reported) -> dict[str, str]:
    """Measure -> the column of problems that has it."""
    return {NESTED: "accuracy"} | {str(size): f"accuracy_at_{size}" for size in reported}


def _blocks(problems, measures) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Measure, number of training samples and block, if there is one."""
    # A data set that cannot give some number of samples may be the first one.
    numbers = sorted(set(problems["n_train"]), key=lambda n: float("inf") if n == ALL else int(n))
    for measure, column in measures.items():
        for n_train in [TOGETHER, *numbers]:
            values = block(problems, column, n_train)
            if not values.empty:
                yield measure, n_train, values


def pareto(methods: pd.DataFrame, timed: pd.DataFrame) -> pd.DataFrame:
    """Accuracy, stability and seconds of each ranked method, and "on_front": no other one beats it.

    A method is on the front unless another one is at least as good in all three and better in one.
    "seconds" is the geometric mean over the data sets that all of these methods were timed on.
    """
    ranked = methods[methods["mean_rank"].notna()]
    wide = timed.pivot_table(index="data_set", columns="method", values="seconds")
    wide = wide.reindex(columns=ranked["method"]).dropna()
    seconds = np.exp(np.log(wide).mean()) if len(wide) else pd.Series(np.nan, index=wide.columns)
    columns = ["method", "label", "mean_rank", "accuracy", "stability"]
    table = ranked.reindex(columns=columns)
    table["seconds"] = table["method"].map(seconds).astype(float)
    goods = np.column_stack([table["accuracy"], table["stability"], -table["seconds"]])
    goods = np.nan_to_num(goods, nan=-np.inf)
    table["on_front"] = [
        not any((other >= one).all() and (other > one).any() for other in goods) for one in goods
    ]
    return table
