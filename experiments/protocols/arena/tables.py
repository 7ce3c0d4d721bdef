"""Tables of an arena: rows, problems, the summary of each method, times, data sets.

All but the tables "times" and "pareto" are functions of the data, the methods and the seed.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from experiments.engine.keys import digest
from experiments.evaluation.comparison import deviation, flag_columns, most_common, reference_of
from experiments.evaluation.methods import text
from experiments.evaluation.samples import described
from experiments.evaluation.statistics import stability
from experiments.protocols.accuracy.tables import SplitChoice
from experiments.protocols.arena.comparing import (
    ALL_FEATURES,
    NESTED,
    PROBLEM,
    TOGETHER,
    block,
    differences,
    mean_ranks,
    pareto,
    wide_of,
)
from experiments.protocols.arena.problems import Competition, Setting
from experiments.protocols.base import Results, Run


@dataclass(frozen=True)
class Taken:
    """What all splits of a problem take of each method, and the SVM's accuracy on all features."""

    set: Competition
    setting: Setting
    sizes: list[int]
    n_features: int
    of_methods: dict[str, dict[int, SplitChoice | None]]
    on_all: dict[int, float | None]


def results(
    run: Run, sets: list[Competition], taken: list[Taken], times: dict, told: list[dict]
) -> Results:
    """Turn what each split took, and the times, into tables.

    Parameters
    ----------
    run : Run
    sets : list of Competition
    taken : list of Taken
        One for each problem.
    times : dict of (data set, number of samples, method) to Row
    told : list of dict
        What was left out, and why.
    """
    labels = {method.name: method.label for method in run.methods}
    labels[ALL_FEATURES] = "SVM, all features"
    reported = list(run.config.protocol.reported)
    rows = pd.DataFrame([row for one in taken for row in _rows(one, labels)])
    problems = pd.DataFrame([row for one in taken for row in _problem(one, labels, reported, rows)])
    first = reference_of(run.methods)
    references = [name for name in run.config.protocol.references if name in labels] or [first]
    ranked = mean_ranks(problems, labels, first, reported)
    summary = _summary(problems, ranked, labels, reported)
    timed = _times(times, sets, labels)
    data = [{**described(one.data), "source": _source(one.data)} for one in sets]
    about = pd.DataFrame(_about(one, taken) for one in sets)
    shown = summary.drop(columns=["method", "n_problems", "n_failed"], errors="ignore")
    by = "mean_rank" if "mean_rank" in shown else "label"
    return Results(
        rows=rows,
        tables={
            "summary": summary,
            "ranks": ranked,
            "pairs": differences(problems, labels, references, reported),
            "problems": problems,
            "by_data_set": _wide(problems, labels),
            "pareto": pareto(summary, timed),
            "times": timed,
            "data_sets": about,
            "left_out": pd.DataFrame(told, columns=["data_set", "what", "reason"]),
        },
        shown=shown.sort_values(by, kind="stable"),
        data={
            "name": f"{len(sets)} data sets",
            "fingerprint": digest("\n".join(one["fingerprint"] for one in data)),
            "verified": all(one["verified"] or one["synthetic"] for one in data),
            "synthetic": all(one["synthetic"] for one in data),
            "source": "; ".join(f"{one.label}: {one.data.name}" for one in sets),
            "sets": data,
        },
    )


def _head(one: Taken) -> dict:
    return {
        "data_set": one.set.label,
        "n_train": one.setting.wanted,
        "n_samples": one.setting.n_train,
    }


def _rows(one: Taken, labels):
    for name, of_splits in one.of_methods.items():
        head = {**_head(one), "method": name, "label": labels[name]}
        for split, found in of_splits.items():
            if found is None:
                continue
            for i, size in enumerate(one.sizes):
                yield {
                    **head,
                    "split": split,
                    "n_features": size,
                    "validation": found.choice.validation[i],
                    "test": found.choice.test[i],
                    "chosen": i == found.choice.size,
                    "parameters": text(found.candidates[i].parameters),
                }
    head = {**_head(one), "method": ALL_FEATURES, "label": labels[ALL_FEATURES]}
    for split, test in one.on_all.items():
        if test is not None:
            yield {
                **head,
                "split": split,
                "n_features": one.n_features,
                "test": test,
                "validation": np.nan,
                "chosen": True,
                "parameters": "",
            }


def _problem(one: Taken, labels, reported, rows: pd.DataFrame):
    """A row for each method on a problem, and one for the SVM on all features."""
    for name, of_splits in one.of_methods.items():
        found = {split: choice for split, choice in of_splits.items() if choice is not None}
        head = {**_head(one), "method": name, "label": labels[name]}
        counts = {"n_splits": len(found), "n_failed": len(of_splits) - len(found)}
        if not found:
            yield {**head, **counts}
            continue
        tests = np.array([choice.choice.test for choice in found.values()])
        at = np.array([choice.choice.size for choice in found.values()])
        nested = tests[np.arange(len(tests)), at]
        row = {**head, "accuracy": nested.mean(), "std": deviation(nested)}
        row["n_features"] = float(np.median([one.sizes[i] for i in at]))
        row["stability"] = stability(_subsets(one, found, at))
        for size in (size for size in reported if size in one.sizes):
            i = one.sizes.index(size)
            row[f"accuracy_at_{size}"] = tests[:, i].mean()
            row[f"stability_at_{size}"] = stability(_subsets(one, found, np.full(len(tests), i)))
        chosen = [choice.own for choice in found.values()]
        row["parameters"] = most_common(text(candidate.parameters) for candidate in chosen)
        yield {**row, **counts, **flag_columns(candidate.flags for candidate in chosen)}
    known = np.array([test for test in one.on_all.values() if test is not None])
    head = {**_head(one), "method": ALL_FEATURES, "label": labels[ALL_FEATURES]}
    counts = {"n_splits": len(known), "n_failed": len(one.on_all) - len(known)}
    if len(known):
        head |= {"accuracy": known.mean(), "std": deviation(known)}
        head["n_features"] = float(one.n_features)
    yield {**head, **counts}


def _subsets(one: Taken, found, at) -> np.ndarray:
    """Which features each split selects, at the index of its number of features."""
    chosen = np.zeros((len(found), one.n_features), dtype=bool)
    for row, choice, i in zip(chosen, found.values(), at, strict=True):
        row[choice.candidates[i].order[: one.sizes[i]]] = True
    return chosen


def _summary(problems, ranked, labels, reported) -> pd.DataFrame:
    """A row for each method, over the problems of all methods that are ranked."""
    common = block(problems, "accuracy", TOGETHER)
    on_common = problems[problems["data_set"].isin(common.index)]
    rank_of = {}
    if not ranked.empty:
        main = ranked[(ranked["measure"] == NESTED) & (ranked["n_train"] == TOGETHER)]
        rank_of = dict(zip(main["method"], main["mean_rank"], strict=True))
    found = []
    for name in dict.fromkeys(problems["method"]):
        own = problems[problems["method"] == name]
        row = {"method": name, "label": labels[name], "mean_rank": rank_of.get(name, np.nan)}
        here = on_common[on_common["method"] == name]
        if name in common or name == ALL_FEATURES:
            row["accuracy"] = _mean(here, "accuracy")
            for size in reported:
                row[f"accuracy_at_{size}"] = _mean(here, f"accuracy_at_{size}")
            row["stability"] = _mean(here, f"stability_at_{reported[0]}")
            row["n_features"] = here["n_features"].median() if "n_features" in here else np.nan
        row |= {"n_problems": int((own["n_splits"] > 0).sum())}
        found.append(row | {"n_failed": int(own["n_failed"].sum())})
    table = pd.DataFrame(found)
    return table.astype({"n_problems": "Int64", "n_failed": "Int64"})


def _mean(rows: pd.DataFrame, column: str) -> float:
    """The mean over data sets of the means over their numbers of training samples."""
    return rows.groupby("data_set")[column].mean().mean() if column in rows else np.nan


def _wide(problems: pd.DataFrame, labels) -> pd.DataFrame:
    """Nested accuracies in percent: a row a problem, a column a method."""
    table = problems.assign(percent=(100 * problems["accuracy"]).round(1))
    wide = wide_of(table, [*PROBLEM, "n_samples"], "percent")
    order = [name for name in labels if name in wide]
    return wide[order].rename(columns=labels).rename_axis(columns=None).reset_index()


def _times(times: dict, sets: list[Competition], labels) -> pd.DataFrame:
    label_of = {one.name: one.label for one in sets}
    found = [
        {
            "data_set": label_of[data_set],
            "n_train": n_train,
            "method": name,
            "label": labels[name],
            "n_samples": row["n_samples"],
            "n_features": row["n_features"],
            "seconds": row["seconds"],
        }
        for (data_set, n_train, name), row in times.items()
    ]
    columns = [*PROBLEM, "method", "label", "n_samples", "n_features", "seconds"]
    return pd.DataFrame(found, columns=columns)


def _about(one: Competition, taken: list[Taken]) -> dict:
    data, settings = one.data, [t.setting for t in taken if t.set is one]
    kinds = {"SYNTHETIC": data.synthetic, "verified": data.verified}
    return {
        "data_set": one.label,
        "samples": len(data.y),
        "features": data.X.shape[1],
        "classes": len(np.unique(data.y)),
        "smallest_class": int(np.unique(data.y, return_counts=True)[1].min()),
        "training_samples": ", ".join(str(s.n_train) for s in settings),
        "test_samples": ", ".join(str(s.n_test) for s in settings),
        "scaling": one.config.scaling,
        "standing": next((kind for kind, holds in kinds.items() if holds), "unverified"),
        "fingerprint": data.fingerprint[:12],
        "source": _source(data),
    }


def _source(data):
    """Where a data set comes from, without the place of its file on one machine."""
    return data.source.partition("; read from ")[0]
