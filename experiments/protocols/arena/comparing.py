"""Methods over data sets: mean ranks and differences, and which methods no other one beats."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from experiments.evaluation.mean_ranks import (
    ROUNDING,
    critical_difference,
    friedman,
    ranks,
    wilcoxon_against,
)
from experiments.evaluation.statistics import mean_interval
from experiments.protocols.arena.schema import ALL

#: A method is ranked where it has at least this share of the data sets.
COMPLETE = 0.75
#: The mean over all numbers of training samples, as a number of training samples.
TOGETHER = "together"
#: The measure of the accuracy at the number of features that is chosen inside.
NESTED = "nested"
#: The row of the SVM on all features, which is no method.
ALL_FEATURES = "all_features"
PROBLEM = ["data_set", "n_train"]
#: Columns of the table of ranks.
RANKS = (
    *("measure", "n_train", "n_data_sets", "critical_difference", "p_friedman"),
    *("method", "label", "mean_rank", "accuracy", "p_value", "p_holm"),
)
#: Columns of the table of differences.
PAIRS = (
    *("measure", "n_train", "n_data_sets", "method", "other", "other_label"),
    *("difference", "ci_low", "ci_high", "better", "equal", "worse"),
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
        Which accuracy.
    n_train : str
        A number of training samples, or TOGETHER: then the mean over those that a data set has.

    Returns
    -------
    DataFrame
        A row for each data set, a column for each method.
    """
    here = problems[problems["method"] != ALL_FEATURES]
    if n_train != TOGETHER:
        here = here[here["n_train"] == n_train]
    if column not in here:
        return pd.DataFrame()
    wide = wide_of(here, PROBLEM, column).dropna(how="all")
    kept = wide.columns[wide.notna().mean() >= COMPLETE]
    wide = wide[[name for name in dict.fromkeys(here["method"]) if name in kept]].dropna()
    return wide.groupby(level="data_set", sort=False).mean()


def mean_ranks(problems: pd.DataFrame, labels, reference: str, reported) -> pd.DataFrame:
    """A row for each measure, number of training samples and method: its mean rank, and tests.

    Returns
    -------
    DataFrame
        "critical_difference": of Nemenyi's test, at 5 %. "p_friedman": of the test that all mean
        ranks are equal. "p_value" and "p_holm": of Wilcoxon's test against the reference.
    """
    found = []
    for measure, n_train, values in _blocks(problems, _accuracies(reported)):
        n, k = values.shape
        means = ranks(values.to_numpy()).mean(axis=0)
        column_of = list(values.columns).index(reference) if reference in values else None
        p_values = adjusted = np.full(k, np.nan)
        if column_of is not None:
            p_values, adjusted = wilcoxon_against(values.to_numpy(), column_of)
        whole = {
            "measure": measure,
            "n_train": n_train,
            "n_data_sets": n,
            "critical_difference": critical_difference(k, n) if k > 1 else np.nan,
            "p_friedman": friedman(values.to_numpy()).p_value,
        }
        for j in np.argsort(means, kind="stable"):
            name = values.columns[j]
            found.append(
                {
                    **whole,
                    "method": name,
                    "label": labels[name],
                    "mean_rank": means[j],
                    "accuracy": values[name].mean(),
                    "p_value": p_values[j],
                    "p_holm": adjusted[j],
                }
            )
    return pd.DataFrame(found, columns=RANKS)


def differences(problems: pd.DataFrame, labels, references, reported) -> pd.DataFrame:
    """Each reference less each other method, data set by data set: accuracies and stabilities.

    Returns
    -------
    DataFrame
        A row for each measure, number of training samples and other method. "ci_low" and "ci_high"
        are Student's interval of the mean over data sets: each of them is one independent value.
        "better", "equal" and "worse" count the data sets on which the reference is that.
    """
    stabilities = {f"stability at {size}": f"stability_at_{size}" for size in reported}
    found = []
    for measure, n_train, values in _blocks(problems, _accuracies(reported) | stabilities):
        both = ((one, name) for one in references if one in values for name in values)
        for reference, other in both:
            if other == reference:
                continue
            less = (values[reference] - values[other]).to_numpy()
            low, high = mean_interval(less)
            found.append(
                {
                    "measure": measure,
                    "n_train": n_train,
                    "n_data_sets": len(less),
                    "method": reference,
                    "other": other,
                    "other_label": labels[other],
                    "difference": less.mean(),
                    "ci_low": low,
                    "ci_high": high,
                    "better": int((less > ROUNDING).sum()),
                    "equal": int((np.abs(less) <= ROUNDING).sum()),
                    "worse": int((less < -ROUNDING).sum()),
                }
            )
    return pd.DataFrame(found, columns=PAIRS)


def _accuracies(reported) -> dict[str, str]:
    """Measure -> the column of problems that has it."""
    return {NESTED: "accuracy"} | {str(size): f"accuracy_at_{size}" for size in reported}


def _blocks(problems, measures) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Measure, number of training samples and block, where there is one."""
    # A data set that cannot give some number of samples may be the first one.
    numbers = sorted(set(problems["n_train"]), key=lambda n: float("inf") if n == ALL else int(n))
    for measure, column in measures.items():
        for n_train in [TOGETHER, *numbers]:
            values = block(problems, column, n_train)
            if not values.empty:
                yield measure, n_train, values


def pareto(summary: pd.DataFrame, timed: pd.DataFrame) -> pd.DataFrame:
    """Accuracy, stability and seconds of each ranked method, and whether no other one beats it.

    A method is on the front unless another one is at least as good in all three and better in one.
    "seconds" is the geometric mean over the data sets that all of these methods were timed on.
    """
    ranked = summary[summary["mean_rank"].notna()]
    wide = timed.pivot_table(index="data_set", columns="method", values="seconds")
    wide = wide.reindex(columns=ranked["method"]).dropna()
    seconds = np.exp(np.log(wide).mean()) if len(wide) else pd.Series(np.nan, index=wide.columns)
    found = ranked[["method", "label", "mean_rank", "accuracy", "stability"]].copy()
    found["seconds"] = found["method"].map(seconds)
    goods = np.column_stack([found["accuracy"], found["stability"], -found["seconds"]])
    goods = np.nan_to_num(goods, nan=-np.inf)
    found["on_front"] = [
        not any((other >= own).all() and (other > own).any() for other in goods) for own in goods
    ]
    return found
