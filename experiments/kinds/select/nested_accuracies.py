"""From what splits take to accuracies: of each method, of the best one in each split, by chance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from experiments.config import ConfigError
from experiments.evaluation.accuracies import (
    accuracy_summary,
    all_features_rows,
    choice_rows,
    curves,
    method_head,
)
from experiments.evaluation.methods import Method, Parameters, text
from experiments.evaluation.plan import SplitChoice
from experiments.evaluation.readings import first_best
from experiments.evaluation.summary import deviation
from experiments.kinds.splits import Setup

#: The row of the summary that chooses among the methods anew in each split.
PROCEDURE = "procedure"
Taken = Mapping[str, Mapping[int, SplitChoice | None]]


@dataclass(frozen=True)
class ProcedureAccuracy:
    """Summary, curves and rows of all methods and of the procedure, and the choices of the splits.

    Attributes
    ----------
    summary, curves, rows : DataFrame
    sizes : list of int
    n_splits : int
    tests : dict of str to ndarray (n_splits, n_sizes)
        Of each method, test accuracies.
    parameters : dict of str to Parameters
        Of each method, those that most splits chose.
    best : list of str
        The method that each split chose.
    labels : dict of str to str
    test_share : float
    """

    summary: pd.DataFrame
    curves: pd.DataFrame
    rows: pd.DataFrame
    sizes: list[int]
    n_splits: int
    tests: dict[str, np.ndarray]
    parameters: dict[str, Parameters]
    best: list[str]
    labels: dict[str, str]
    test_share: float


@dataclass(frozen=True)
class Final:
    """What the answer is made with.

    Attributes
    ----------
    method, label : str
    parameters : dict of str to Parameters
        Of every method.
    n_best, n_smallest : int
        The number of features with the best accuracy, and the smallest number that is within one
        standard error of it.
    n_features : int
        How many are kept.
    curve : ndarray (n_sizes,)
        The method's mean test accuracy at each number of features.
    """

    method: str
    label: str
    parameters: dict[str, Parameters]
    n_best: int
    n_smallest: int
    n_features: int
    curve: np.ndarray


def best_of(taken: Taken, split: int) -> str | None:
    """The method with the best validation accuracy in a split; the first of equal ones."""
    found = {n: one[split] for n, one in taken.items() if one.get(split) is not None}
    if not found:
        return None
    values = [one.choice.validation[one.choice.size] for one in found.values() if one]
    return list(found)[first_best(values)]


def mean_of_best(taken: Taken) -> float:
    """The mean test accuracy where each split takes its best method; NaN where all failed."""
    tests = []
    for split in next(iter(taken.values())):
        name = best_of(taken, split)
        if name is not None and (one := taken[name][split]) is not None:
            tests.append(one.choice.test[one.choice.size])
    return float(np.mean(tests)) if tests else np.nan


def judged(setup: Setup, taken: Taken, baseline: Mapping[int, Any]) -> ProcedureAccuracy:
    """The accuracy of all methods, of the procedure that chooses among them, and of all features.

    Parameters
    ----------
    setup : Setup
    taken : mapping of method name to mapping of split to SplitChoice or None
    baseline : mapping of split to Choice
        Of the SVM on all features.
    """
    methods, numbers = setup.run.methods, range(setup.run.config.protocol.n_repetitions)
    best = {split: best_of(taken, split) for split in numbers}
    procedure = {s: None if name is None else taken[name][s] for s, name in best.items()}
    splits = {split: setup.about(split) for split in numbers}
    head = {"reading": "nested", "ranking_share": 1.0, "ranking_samples": splits[0]["n_train"]}
    rows: list[dict] = []
    known = {PROCEDURE: Method(PROCEDURE, "this procedure", ()), **{m.name: m for m in methods}}
    for name, method in known.items():
        choices = procedure if name == PROCEDURE else taken[name]
        rows += choice_rows({**method_head(method), **head}, splits, choices, setup.cells)
    rows += all_features_rows(head, splits, baseline, setup.cells)
    table = pd.DataFrame(rows)
    done = {n: [c for c in one.values() if c is not None] for n, one in taken.items()}
    done = {name: choices for name, choices in done.items() if choices}
    return ProcedureAccuracy(
        summary=_summary(table, {name: method.label for name, method in known.items()}, numbers),
        curves=curves(table) if rows else pd.DataFrame(),
        rows=table,
        sizes=list(setup.cells.sizes),
        n_splits=len(numbers),
        tests={n: np.array([c.choice.test for c in choices]) for n, choices in done.items()},
        parameters={n: _most_common(choices) for n, choices in done.items()},
        best=[name for name in best.values() if name is not None],
        labels={method.name: method.label for method in methods},
        test_share=splits[0]["n_test"] / splits[0]["n_train"],
    )


def _summary(rows, labels, numbers) -> pd.DataFrame:
    """A row for each method, also for one that failed on every split."""
    table = accuracy_summary().table(rows)
    known = {row["method"]: row for row in table.to_dict("records")}
    found = [
        known.pop(n, {"method": n, "label": label, "n_splits": 0}) for n, label in labels.items()
    ]
    complete = pd.DataFrame([*found, *known.values()])
    complete["n_failed"] = len(numbers) - complete["n_splits"]
    whole = ("n_features", "n_splits", "n_failed", "n_errors", "n_tested", "n_ambiguous")
    return complete.astype({name: "Int64" for name in whole if name in complete})


def _most_common(choices: list[SplitChoice]) -> Parameters:
    texts = [text(choice.chosen.parameters) for choice in choices]
    return choices[texts.index(max(texts, key=texts.count))].chosen.parameters


def final(judged: ProcedureAccuracy, n_features: int | None) -> Final:
    """The method and the number of features with the best mean test accuracy.

    The splits' test rows have not been seen by their rankings, so that the curve is honest; its
    best point is not, which is why the accuracy that is reported is that of the procedure.
    """
    if not judged.tests:
        raise ConfigError("every method failed on every split; the log above says why")
    candidates = np.arange(len(judged.sizes))
    if n_features is not None:
        candidates = np.array([judged.sizes.index(n_features)])
    curves = {name: tests.mean(axis=0) for name, tests in judged.tests.items()}
    name = list(curves)[first_best([curve[candidates].max() for curve in curves.values()])]
    curve, tests = curves[name], judged.tests[name]
    best = int(candidates[first_best(curve[candidates])])
    error = tests[:, best].std(ddof=1) / np.sqrt(len(tests)) if len(tests) > 1 else 0.0
    smallest = int(candidates[np.argmax(curve[candidates] >= curve[best] - error - 1e-10)])
    return Final(
        method=name,
        label=judged.labels[name],
        parameters=judged.parameters,
        n_best=judged.sizes[best],
        n_smallest=judged.sizes[smallest],
        n_features=judged.sizes[smallest],
        curve=curve,
    )


def is_better(accuracy: float, chance: np.ndarray) -> bool:
    """Whether an accuracy is above those of shuffled labels.

    It must be above the share 0.95 of them, and above all of them where they are fewer than 20; and
    it must be two of their standard deviations above their mean, as few of them have a small
    largest value by luck.
    """
    chance = chance[np.isfinite(chance)]
    if not len(chance):
        return False
    p = p_value(accuracy, chance)
    spread = chance.std(ddof=1) if len(chance) > 1 else 0.0
    return bool(
        p <= max(0.05, 1.0 / (len(chance) + 1)) and accuracy > chance.mean() + 2 * spread + 1e-10
    )


def p_value(accuracy: float, chance: np.ndarray) -> float:
    """The share of shuffles that do as well, the labels as they are counted among them."""
    chance = chance[np.isfinite(chance)]
    return float((1 + (chance >= accuracy - 1e-10).sum()) / (1 + len(chance)))


def summary(
    judged: ProcedureAccuracy, final: Final, chance: np.ndarray, y: np.ndarray
) -> pd.DataFrame:
    """The summary of all methods, with rows for a majority vote and for shuffled labels."""
    _, counts = np.unique(y, return_counts=True)
    known = chance[np.isfinite(chance)]
    extra = [
        {"method": "majority", "label": "majority vote", "accuracy": counts.max() / len(y)},
        {
            "method": "shuffled",
            "label": f"this procedure, labels shuffled {len(known)} times",
            **({"accuracy": known.mean(), "std": deviation(known)} if len(known) else {}),
            "n_splits": len(known),
        },
    ]
    if len(known):
        extra[1] |= {"ci_low": known.min(), "ci_high": known.max()}
    table = pd.concat([judged.summary, pd.DataFrame(extra)], ignore_index=True)
    table["answer"] = table["method"] == final.method
    return table.drop(columns=["reading", "ranking_share", "combination"], errors="ignore")
