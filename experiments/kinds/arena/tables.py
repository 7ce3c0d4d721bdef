"""Make the tables of an arena from its stored rows and its config.

Stored are the rows of the splits, a description of each data set and number of training samples
("problems"), and what was left out. Means, ranks and tests count data sets of one source as one.
The SVM on all features and the controls of the config have no rank, so they change none.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments.config import method_labels
from experiments.evaluation import summary
from experiments.evaluation.accuracies import ALL_FEATURES, common_parameters
from experiments.evaluation.statistics import resampled_interval
from experiments.evaluation.summary import RARE_FLAGS
from experiments.kinds import base
from experiments.kinds.arena.mean_ranks import critical_difference, ranks
from experiments.kinds.arena.practical import signed_rank
from experiments.kinds.arena.problems import ALL, dataset_label
from experiments.report.text import texts

#: The columns that identify a problem.
PROBLEM = ["data_set", "n_train"]
#: The columns of the stored tables; the flag "uninformative" is added if it is raised.
COLUMNS = {
    "rows": (
        *("data_set", "n_train", "n_samples", "method", "label", "split", "n_features"),
        *("validation", "test", "chosen", "parameters", "ambiguous", *RARE_FLAGS),
        *("stability", "chosen_stability"),
    ),
    "problems": (
        *("data_set", "n_train", "n_samples", "n_test", "n_features", "samples", "classes"),
        *("smallest_class", "scaling", "standing", "fingerprint", "source"),
    ),
    "left_out": ("data_set", "method", "what", "reason"),
}
#: The types of columns that may have missing values.
TYPES = {
    **dict.fromkeys(("n_samples", "n_test"), "Int64"),
    **dict.fromkeys(("ambiguous", *RARE_FLAGS), "boolean"),
    "validation": "float64",
    "method": "str",
}
#: A method is ranked if it has at least this share of the data sets.
COMPLETE = 0.75
#: The name of the mean over all numbers of training samples.
TOGETHER = "together"
#: The data sets of `protocol.held_out`, and all data sets, as values of the column "problems".
HELD_OUT, EVERY = "held-out", "all"
#: The columns of ranks and regrets in the summary.
TAKEN = ("problems", "n_train", "method", "mean_rank", "regret", "largest_regret")
#: Differences of accuracy of at most so much make no difference in practice.
EQUIVALENCE = 0.01
OUTCOMES = ("p_better", "p_equal", "p_worse")


def typed(stored: Mapping[str, Sequence[Mapping]]) -> base.Tables:
    """Make the stored tables from their rows."""
    frames = {}
    for name, rows in stored.items():
        never_raised = set(RARE_FLAGS)
        for row in rows:
            never_raised -= row.keys()
        columns = [column for column in COLUMNS[name] if column not in never_raised]
        types = {column: TYPES[column] for column in columns if column in TYPES}
        frames[name] = pd.DataFrame(rows, columns=columns).astype(types)
    return frames


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """All tables of a run."""
    labels = method_labels(config)
    problems = _problems(stored, labels, config.protocol)
    problems["is_ranked"] = ~problems["method"].isin([ALL_FEATURES, *config.controls])
    groups = {EVERY: problems}
    if problems["held_out"].any() and not problems["held_out"].all():
        groups = {HELD_OUT: problems[problems["held_out"]], EVERY: problems}
    ranked = _of_each(groups, mean_ranks, labels)
    behind = _of_each(groups, regret, labels)
    headline = next(iter(groups))
    methods = _methods(
        problems,
        groups[headline],
        ranked[ranked["problems"] == headline],
        behind[behind["problems"] == headline],
    )
    return {
        "summary": methods.sort_values("mean_rank", kind="stable"),
        "ranks": ranked,
        "regret": behind,
        "practical": _of_each(groups, practical, labels),
        "problems": problems,
        "by_data_set": _by_data_set(problems, labels),
        "data_sets": _data_sets(stored["problems"]),
        "left_out": stored["left_out"][["data_set", "what", "reason"]],
    }


def _of_each(
    groups: Mapping[str, pd.DataFrame],
    table_of: Callable[[pd.DataFrame, Mapping], pd.DataFrame],
    labels: Mapping,
) -> pd.DataFrame:
    """Make the same table for each group of problems, one below the other."""
    filled = []
    for name, problems in groups.items():
        table = table_of(problems, labels)
        if not table.empty:
            table.insert(0, "problems", name)
            filled.append(table)
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame(columns=TAKEN)


def _problems(stored: base.Tables, labels: Mapping, protocol: Any) -> pd.DataFrame:
    """Return a row for each method on a problem."""
    described = stored["problems"].dropna(subset="n_train")
    methods = pd.DataFrame({"method": list(labels), "label": list(labels.values())})
    problems = described[[*PROBLEM, "n_samples"]].merge(methods, how="cross")
    left_out = stored["left_out"].set_index(["data_set", "method"]).index
    is_left_out = problems.set_index(["data_set", "method"]).index.isin(left_out)
    problems = problems[~is_left_out]
    table = _accuracies(stored["rows"], described)
    problems = problems.merge(table, on=[*PROBLEM, "method"], how="left")
    problems["n_splits"] = problems["n_splits"].fillna(0).astype(int)
    problems["n_failed"] = protocol.n_repetitions - problems["n_splits"]
    sources = {dataset_label(protocol, name): source for name, source in protocol.sources.items()}
    problems["source"] = problems["data_set"].replace(sources)
    held_out = {dataset_label(protocol, name) for name in protocol.held_out}
    problems["held_out"] = problems["data_set"].isin(held_out)
    first = [*PROBLEM, "n_samples", "method", "label", "accuracy", "std", "ci_low", "ci_high"]
    first += ["n_features", "stability", "parameters", "n_splits", "n_failed", "source", "held_out"]
    return problems[[*first, *problems.columns.difference(first, sort=False)]]


def _accuracies(rows: pd.DataFrame, described: pd.DataFrame) -> pd.DataFrame:
    """Return the accuracy of each method on each problem; intervals need its overlap."""
    overlaps: Any = (described["n_test"] / described["n_samples"]).astype(float)
    overlaps.index = pd.MultiIndex.from_frame(described[PROBLEM])
    columns: dict[str, Any] = {
        "n_features": ("n_features", "median"),
        "stability": ("chosen_stability", "mean"),
        "parameters": ("parameters", common_parameters),
    }
    tables = []
    for problem, chosen in rows[rows["chosen"]].groupby(PROBLEM, sort=False):
        overlap = overlaps[problem]
        tables.append(
            summary.table(chosen, PROBLEM, "test", title="accuracy", overlap=overlap, **columns)
        )
    return pd.concat(tables)


def _methods(
    problems: pd.DataFrame, main: pd.DataFrame, ranked: pd.DataFrame, behind: pd.DataFrame
) -> pd.DataFrame:
    """Return a row for each method: means over the main problems that all ranked methods have."""
    common = comparable(main, TOGETHER)
    is_counted = pd.MultiIndex.from_frame(main[PROBLEM]).isin(common.index)
    is_counted &= main["method"].isin(common) | ~main["is_ranked"]
    counted = main[is_counted]
    # Over the numbers of training samples, then the data sets of a source, then the sources.
    of_sets = counted.groupby(["method", "source", "data_set"])[["accuracy", "stability"]].mean()
    of_sources = of_sets.groupby(["method", "source"]).mean()
    table = problems.drop_duplicates("method").set_index("method")[["label"]]
    together = ranked[ranked["n_train"] == TOGETHER]
    table["mean_rank"] = together.set_index("method")["mean_rank"]
    table = table.join(behind.set_index("method")[["regret", "largest_regret"]])
    table = table.join(of_sources.groupby("method").mean())
    table["n_features"] = counted.groupby("method")["n_features"].median()
    table["n_problems"] = (problems["n_splits"] > 0).groupby(problems["method"]).sum()
    table["n_failed"] = problems.groupby("method")["n_failed"].sum()
    return table.reset_index()


def _by_data_set(problems: pd.DataFrame, labels: Mapping) -> pd.DataFrame:
    """Return nested accuracies in percent, with intervals, by problem and by method."""
    interval = "[{ci_low:.1%}, {ci_high:.1%}]"  # A single split has none.
    cells = texts(problems, {"accuracy": "{accuracy:.1%}", "interval": interval})
    both = (cells["accuracy"] + " " + cells["interval"]).str.strip()
    problems = problems.assign(accuracy=both.to_numpy())
    wide = _wide(problems, [*PROBLEM, "n_samples"])
    wide = wide[[name for name in labels if name in wide]].rename(columns=labels)
    return wide.rename_axis(columns=None).reset_index()


def _data_sets(described: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each data set."""

    def listed(numbers: pd.Series) -> str:
        return ", ".join(map(str, numbers.dropna()))

    table = described.drop_duplicates("data_set").rename(columns={"n_features": "features"})
    numbers = {"training_samples": "n_samples", "test_samples": "n_test"}
    for name, column in numbers.items():
        lists = described.groupby("data_set")[column].agg(listed)
        table[name] = table["data_set"].map(lists)
    order = ["data_set", "samples", "features", "classes", "smallest_class", *numbers]
    return table[[*order, "scaling", "standing", "fingerprint", "source"]]


def _wide(table: pd.DataFrame, index: list[str]) -> pd.DataFrame:
    """Reshape the accuracies of a table: a row for each problem and a column for each method."""
    order = pd.MultiIndex.from_frame(table[index].drop_duplicates())
    accuracies = table.set_index([*index, "method"])["accuracy"]
    return accuracies.unstack("method").reindex(order)


def _by_source(wide: pd.DataFrame, problems: pd.DataFrame) -> pd.DataFrame:
    """Return the mean of a column over the problems of a data set, then over those of a source."""
    source = problems.drop_duplicates("data_set").set_index("data_set")["source"]
    of_sets = wide.groupby(level="data_set", sort=False).mean()
    return of_sets.groupby(source[of_sets.index], sort=False).mean()


def block(problems: pd.DataFrame, n_train: str) -> pd.DataFrame:
    """Return the mean accuracies of :func:`comparable` by source, a row, and method, a column."""
    return _by_source(comparable(problems, n_train), problems)


def comparable(problems: pd.DataFrame, n_train: str) -> pd.DataFrame:
    """Return the accuracies of the comparable methods on the problems that all of them have.

    There is a row for each problem, with TOGETHER those of all numbers of training samples, and a
    column for each method.
    """
    ranked = problems[problems["is_ranked"]]
    if n_train != TOGETHER:
        ranked = ranked[ranked["n_train"] == n_train]
    wide = _wide(ranked, PROBLEM).dropna(how="all")
    complete = wide.columns[wide.notna().mean() >= COMPLETE]
    methods = ranked["method"].drop_duplicates()
    return wide[methods[methods.isin(complete)]].dropna()


def mean_ranks(problems: pd.DataFrame, labels: Mapping) -> pd.DataFrame:
    """Return mean ranks, a row for each number of training samples and method.

    "critical_difference" is that of Nemenyi's test at 5 %.
    """
    tables = []
    # The first data set may lack some number of samples.
    numbers = sorted(set(problems["n_train"]), key=lambda n: float("inf") if n == ALL else int(n))
    for n_train in [TOGETHER, *numbers]:
        accuracies = block(problems, n_train)
        if accuracies.empty:
            continue
        n_sources, n_methods = accuracies.shape
        critical = critical_difference(n_methods, n_sources) if n_methods > 1 else np.nan
        columns = {
            "n_train": n_train,
            "n_sources": n_sources,
            "critical_difference": critical,
            "method": list(accuracies),
            "label": [labels[name] for name in accuracies],
            "mean_rank": ranks(accuracies).mean(axis=0),
            "accuracy": accuracies.mean().to_numpy(),
        }
        tables.append(pd.DataFrame(columns).sort_values("mean_rank", kind="stable"))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def regret(problems: pd.DataFrame, labels: Mapping) -> pd.DataFrame:
    """Return the regret of each method: its distance to the best accuracy, mean and largest.

    The best is that of the ranked methods. The others also have a row, and may be better than it.

    Parameters
    ----------
    problems : DataFrame
        One row for each method on each problem.
    labels : mapping
        Method -> its name in tables.

    Returns
    -------
    DataFrame
        "ci_low" and "ci_high": Student's interval of the mean over sources.
    """
    common = comparable(problems, TOGETHER)
    if common.empty:
        return pd.DataFrame()
    wide = _wide(problems, PROBLEM)
    others = problems.loc[~problems["is_ranked"], "method"].drop_duplicates()
    methods = [*common, *others]
    best = common.max(axis=1)
    behind = wide.loc[common.index, methods].rsub(best, axis=0)
    of_sources = _by_source(behind, problems)
    rows = []
    for method in methods:
        on_problems = behind[method].dropna()
        low, high = resampled_interval(of_sources[method].dropna())
        row = {
            "method": method,
            "label": labels[method],
            "n_problems": len(on_problems),
            "regret": of_sources[method].mean(),
            "ci_low": low,
            "ci_high": high,
            "largest_regret": on_problems.max(),
        }
        rows.append(row)
    return pd.DataFrame(rows).sort_values("regret", kind="stable")


def practical(problems: pd.DataFrame, labels: Mapping) -> pd.DataFrame:
    """Compare each method with the SVM on all features by a Bayesian signed-rank test.

    Parameters are those of :func:`regret`.

    Returns
    -------
    DataFrame
        "difference" is the mean over "n_sources" sources; "p_better", "p_equal" and "p_worse" are
        the probabilities that the method is more than one point above, within one point of, and
        more than one point below the SVM on all features (see
        `experiments.kinds.arena.practical`).
    """
    if ALL_FEATURES not in set(problems["method"]):
        return pd.DataFrame()
    wide = _wide(problems, PROBLEM)
    gaps = _by_source(wide.sub(wide[ALL_FEATURES], axis=0), problems).drop(columns=ALL_FEATURES)
    rows = []
    for name in labels:
        if name not in gaps:
            continue
        values = gaps[name].dropna().to_numpy()
        if len(values):
            outcomes = zip(OUTCOMES, signed_rank(values, EQUIVALENCE), strict=True)
            row = {"method": name, "label": labels[name], "n_sources": len(values)}
            rows.append({**row, "difference": values.mean(), **dict(outcomes)})
    return pd.DataFrame(rows)
