"""Make the tables of an arena from its stored rows and its config.

Stored are the rows of the splits, a description of each data set and number of training samples
("problems"), and what was left out. Means, ranks and tests count data sets of one source as one.
"""

from collections.abc import Iterator, Mapping, Sequence
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
        raised = {flag for flag in RARE_FLAGS for row in rows if flag in row}
        wanted = {*COLUMNS[name]} - {*RARE_FLAGS} | raised
        columns = [column for column in COLUMNS[name] if column in wanted]
        frame = pd.DataFrame(rows, columns=columns)
        frames[name] = frame.astype({c: of for c, of in TYPES.items() if c in columns})
    return frames


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """All tables of a run."""
    labels, protocol = method_labels(config), config.protocol
    problems = _problems(stored, labels, protocol)
    groups = _groups(problems)
    ranked = _of_each(groups, lambda of: mean_ranks(of, labels))
    behind = _of_each(groups, lambda of: regret(of, labels))
    headline, on_these = next(iter(groups.items()))
    ranks_of, regret_of = (table[table["problems"] == headline] for table in (ranked, behind))
    methods = _methods(problems, on_these, ranks_of, regret_of)
    return {
        "summary": methods.sort_values("mean_rank", kind="stable"),
        "ranks": ranked,
        "regret": behind,
        "practical": _of_each(groups, lambda of: practical(of, labels)),
        "problems": problems,
        "by_data_set": _by_data_set(problems, labels),
        "data_sets": _data_sets(stored["problems"]),
        "left_out": stored["left_out"][["data_set", "what", "reason"]],
    }


def _groups(problems) -> dict[str, pd.DataFrame]:
    """Return the problems by group: the held-out ones, if the config has any, and all."""
    evaluated = problems["held_out"]
    is_part = evaluated.any() and not evaluated.all()
    return {**({HELD_OUT: problems[evaluated]} if is_part else {}), EVERY: problems}


def _of_each(groups, table) -> pd.DataFrame:
    """Make the same table for each group of problems, one below the other."""
    parts = [table(problems) for problems in groups.values()]
    for name, part in zip(groups, parts, strict=True):
        part.insert(0, "problems", name)
    filled = [part for part in parts if not part.empty]
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame(columns=TAKEN)


def _problems(stored, labels, protocol) -> pd.DataFrame:
    """Return a row for each method on a problem, and one for the SVM on all features."""
    evaluated, described = stored["rows"], stored["problems"].dropna(subset="n_train")
    methods = pd.DataFrame({"method": list(labels), "label": list(labels.values())})
    problems = described[[*PROBLEM, "n_samples"]].merge(methods, how="cross")
    left_out = stored["left_out"].set_index(["data_set", "method"]).index
    problems = problems[~problems.set_index(["data_set", "method"]).index.isin(left_out)]
    overlaps = (described["n_test"] / described["n_samples"]).astype(float)
    overlaps.index = pd.MultiIndex.from_frame(described[PROBLEM])
    columns: dict[str, Any] = {"n_features": ("n_features", "median")}
    columns |= {"stability": ("chosen_stability", "mean")}
    columns |= {"parameters": ("parameters", common_parameters)}
    table = pd.concat(
        summary.table(rows, PROBLEM, "test", title="accuracy", overlap=overlaps[at], **columns)
        for at, rows in evaluated[evaluated["chosen"]].groupby(PROBLEM, sort=False)
    )
    problems = problems.merge(table, on=[*PROBLEM, "method"], how="left")
    problems["n_splits"] = problems["n_splits"].fillna(0).astype(int)
    problems["n_failed"] = protocol.n_repetitions - problems["n_splits"]
    sources = {dataset_label(protocol, name): of for name, of in protocol.sources.items()}
    problems["source"] = problems["data_set"].replace(sources)
    held_out = {dataset_label(protocol, name) for name in protocol.held_out}
    problems["held_out"] = problems["data_set"].isin(held_out)
    first = [*PROBLEM, "n_samples", "method", "label", "accuracy", "std", "ci_low", "ci_high"]
    first += ["n_features", "stability", "parameters", "n_splits", "n_failed", "source", "held_out"]
    return problems[[*first, *problems.columns.difference(first, sort=False)]]


def _methods(problems, on_these, ranks_of, regret_of) -> pd.DataFrame:
    """Return a row for each method: means over the main problems that all ranked methods have.

    Accuracies are averaged over the numbers of training samples, then over the data sets of a
    source, then over the sources.
    """
    main = ranks_of[ranks_of["n_train"] == TOGETHER]
    common = block(on_these, TOGETHER)
    on_common = on_these["source"].isin(common.index)
    counted = on_these[on_common & on_these["method"].isin([*common, ALL_FEATURES])]
    of_sets = counted.groupby(["method", "source", "data_set"])[["accuracy", "stability"]].mean()
    of_sets = of_sets.groupby(["method", "source"]).mean()
    table = problems.drop_duplicates("method").set_index("method")[["label"]]
    table["mean_rank"] = main.set_index("method")["mean_rank"]
    table = table.join(regret_of.set_index("method")[["regret", "largest_regret"]])
    table = table.join(of_sets.groupby("method").mean())
    table["n_features"] = counted.groupby("method")["n_features"].median()
    table["n_problems"] = (problems["n_splits"] > 0).groupby(problems["method"]).sum()
    table["n_failed"] = problems.groupby("method")["n_failed"].sum()
    return table.reset_index()


def _by_data_set(problems, labels) -> pd.DataFrame:
    """Return nested accuracies in percent, with intervals, by problem and by method."""
    if "accuracy" not in problems:
        return pd.DataFrame()
    cells = texts(problems, {"accuracy": "{accuracy:.1%} [{ci_low:.1%}, {ci_high:.1%}]"})
    wide = _wide(problems.assign(accuracy=cells["accuracy"].to_numpy()), [*PROBLEM, "n_samples"])
    wide = wide[[name for name in labels if name in wide]].rename(columns=labels)
    return wide.rename_axis(columns=None).reset_index()


def _data_sets(described) -> pd.DataFrame:
    """Return a row for each data set."""
    table = described.drop_duplicates("data_set").rename(columns={"n_features": "features"})
    numbers = {"training_samples": "n_samples", "test_samples": "n_test"}
    for name, column in numbers.items():
        texts = described.groupby("data_set")[column].agg(lambda n: ", ".join(map(str, n.dropna())))
        table[name] = table["data_set"].map(texts)
    order = ["data_set", "samples", "features", "classes", "smallest_class", *numbers]
    return table[[*order, "scaling", "standing", "fingerprint", "source"]]


def _wide(table, index) -> pd.DataFrame:
    """Reshape the accuracies of a table: a row for each problem and a column for each method."""
    order = pd.MultiIndex.from_frame(table[index].drop_duplicates())
    return table.set_index([*index, "method"])["accuracy"].unstack("method").reindex(order)


def _by_source(wide: pd.DataFrame, problems: pd.DataFrame) -> pd.DataFrame:
    """Return the mean of a column over the problems of a data set, then over those of a source."""
    source = problems.drop_duplicates("data_set").set_index("data_set")["source"]
    of_sets = wide.groupby(level="data_set", sort=False).mean()
    return of_sets.groupby(source[of_sets.index], sort=False).mean()


def block(problems: pd.DataFrame, n_train: str) -> pd.DataFrame:
    """Return the accuracies of the comparable methods on the data sets that all of them have.

    The result has a row for each source of data sets and a column for each method.

    Parameters
    ----------
    problems : DataFrame
        One row for each method on each problem.
    n_train : str
        A number of training samples, or TOGETHER for the mean over those of a data set.
    """
    part = problems[problems["method"] != ALL_FEATURES]
    if n_train != TOGETHER:
        part = part[part["n_train"] == n_train]
    if "accuracy" not in part:
        return pd.DataFrame()
    wide = _wide(part, PROBLEM).dropna(how="all")
    kept = wide.columns[wide.notna().mean() >= COMPLETE]
    wide = wide[[name for name in dict.fromkeys(part["method"]) if name in kept]].dropna()
    return _by_source(wide, part)


def mean_ranks(problems: pd.DataFrame, labels: Mapping) -> pd.DataFrame:
    """Return mean ranks, a row for each number of training samples and method.

    "critical_difference" is that of Nemenyi's test at 5 %.
    """
    tables = []
    for n_train, values in _blocks(problems):
        n, k = values.shape
        columns = {
            "n_train": n_train,
            "n_sources": n,
            "critical_difference": critical_difference(k, n) if k > 1 else np.nan,
            "method": list(values),
            "label": [labels[name] for name in values],
            "mean_rank": ranks(values).mean(axis=0),
            "accuracy": values.mean().to_numpy(),
        }
        tables.append(pd.DataFrame(columns).sort_values("mean_rank", kind="stable"))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def regret(problems: pd.DataFrame, labels: Mapping) -> pd.DataFrame:
    """Return the regret of each method: its distance to the best accuracy, mean and largest.

    The best is that of the ranked methods. The SVM on all features, which is not a filter, also has
    a row, and may be better than all of them.

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
    ranked = list(block(problems, TOGETHER))
    wide = _wide(problems, PROBLEM)[ranked].dropna() if ranked else pd.DataFrame()
    if wide.empty:
        return pd.DataFrame()
    columns = [*wide, *({ALL_FEATURES} & set(problems["method"]))]
    behind = _wide(problems, PROBLEM).loc[wide.index, columns]
    behind = behind.rsub(wide.max(axis=1), axis=0)
    rows, of_sources = [], _by_source(behind, problems)
    for name in columns:
        values = behind[name].dropna()
        low, high = resampled_interval(of_sources[name].dropna())
        rows.append(
            {
                "method": name,
                "label": labels[name],
                "n_problems": len(values),
                "regret": of_sources[name].mean(),
                "ci_low": low,
                "ci_high": high,
                "largest_regret": values.max(),
            }
        )
    return pd.DataFrame(rows).sort_values("regret", kind="stable")


def practical(problems: pd.DataFrame, labels: Mapping) -> pd.DataFrame:
    """Compare each method with the SVM on all features by a Bayesian signed-rank test.

    Parameters
    ----------
    problems : DataFrame
        One row for each method on each problem.
    labels : mapping
        Method -> its name in tables.

    Returns
    -------
    DataFrame
        "difference" is the mean over "n_sources" sources; "p_better", "p_equal" and "p_worse" are
        the probabilities that the method is more than one point above, within one point of, and
        more than one point below the SVM on all features (see
        `experiments.kinds.arena.practical`).
    """
    if ALL_FEATURES not in set(problems["method"]) or "accuracy" not in problems:
        return pd.DataFrame()
    wide = _by_source(_wide(problems, PROBLEM), problems)
    gaps = wide.sub(wide[ALL_FEATURES], axis=0).drop(columns=ALL_FEATURES)
    rows = []
    for name in (name for name in labels if name in gaps):
        values = gaps[name].dropna().to_numpy()
        if len(values):
            p = dict(zip(OUTCOMES, signed_rank(values, EQUIVALENCE), strict=True))
            head = {"method": name, "label": labels[name], "n_sources": len(values)}
            rows.append({**head, "difference": values.mean(), **p})
    return pd.DataFrame(rows)


def _blocks(problems) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield number of training samples and block, if there is one."""
    # The first data set may lack some number of samples.
    numbers = sorted(set(problems["n_train"]), key=lambda n: float("inf") if n == ALL else int(n))
    for n_train in [TOGETHER, *numbers]:
        values = block(problems, n_train)
        if not values.empty:
            yield n_train, values
