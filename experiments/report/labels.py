"""What do the paper's results owe to the labels? A table over several folders."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from baselines import FILTERS
from experiments.config import entry_of
from experiments.evaluation.accuracies import first_overlap
from experiments.evaluation.statistics import decided, paired_interval
from experiments.report.claims.folder import Folder, Values
from experiments.report.claims.noise import SHOWN
from experiments.report.stored import Missing

#: The methods that are ranked by true and by shuffled labels.
METHODS = ("manifest", "relieff", "anova")
#: The filters from the simplest on.
SIMPLEST = ("variance", "near_copies", "anova", "correlation_difference", "covariance_difference")


@dataclass(frozen=True)
class Problem:
    """A result of the paper: its folder, its measure, and the difference that would matter."""

    label: str
    folder: str
    margin: float
    unit: str
    #: See :class:`experiments.report.claims.folder.Values`.
    measure: str = "test"
    share: float = 1.0


PROBLEMS = (
    Problem("XOR-100", "xor100", 0.25, "of 2", "correct"),
    Problem("Hypercube", "hypercube", 0.5, "of 10", "correct"),
    Problem("Madelon, all rows", "madelon", 1.0, "%"),
    Problem("Madelon, 5 % of the rows", "madelon", 1.0, "%", share=0.05),
    Problem("Madelon, 1 % of the rows", "madelon_samples", 1.0, "%", share=0.01),
    Problem("Colon", "colon", 1.0, "%"),
    Problem("Prostate", "prostate", 1.0, "%"),
)
FOLDERS = {problem.folder for problem in PROBLEMS}


def labels(results: Path) -> pd.DataFrame:
    """Return what three methods find by true and by shuffled labels, on each problem.

    Returns
    -------
    DataFrame
        A row for each problem and method of :data:`METHODS`. "true" and "shuffled" are features
        found or the best accuracy, in the "unit", with their 95 % intervals for other draws or
        splits; NaN if there are no such results. "simplest" is the first of :data:`SIMPLEST`, then
        of the other filters of the run, than which the method is not better by the margin: the
        upper end of the 90 % interval of the difference, for new draws or samples, is below it, or
        all differences are 0. "simplest_value" is its result.
    """
    rows = []
    for problem in PROBLEMS:
        try:
            folder = Folder(results / problem.folder)
            values = Values(folder, problem.measure, share=problem.share)
        except Missing:
            continue
        for method in METHODS:
            if method in values.methods:
                rows.append(_row(problem, values, method))
    return pd.DataFrame(rows)


def in_words(table: pd.DataFrame, problem: str) -> dict[str, str]:
    """Return two cells of README's table: ManiFeSt by shuffled labels, and the simplest as good."""
    of_problem = table[table["problem"] == problem]
    ours = of_problem[of_problem["method"] == METHODS[0]]
    if ours.empty or ours["shuffled"].isna().all():
        return {"shuffled": "not run", "simplest": "not run"}
    row = ours.iloc[0]
    unit = row["unit"]
    digits = 1 if unit == "%" else 2
    shuffled = f"{row['shuffled']:.{digits}f} {unit} (true {row['true']:.{digits}f})"
    simplest = row["simplest"]
    if pd.notna(row["simplest_value"]):
        simplest += f", {row['simplest_value']:.{digits}f} {unit}"
    return {"shuffled": shuffled, "simplest": simplest}


def _row(problem: Problem, values: Values, method: str) -> dict[str, Any]:
    """Return the row of a method on a problem."""
    row: dict[str, Any] = {
        "problem": problem.label,
        "method": method,
        "label": entry_of(method)["label"],
        "unit": problem.unit,
        "most": values.most,
    }
    blind_form = ""
    for name in values.methods:
        entry = entry_of(name)
        if entry.get("blind") and entry["form_of"] == method:
            blind_form = name
    for name, stored in {"true": method, "shuffled": blind_form}.items():
        mean, low, high = np.nan, np.nan, np.nan
        if stored in values.methods:
            result = values.mean(values.values(stored), stored)
            mean = result.value
            low, high = result.interval(SHOWN)
        row[name] = mean
        row[f"{name}_low"] = low
        row[f"{name}_high"] = high
    simplest = _simplest(problem, values, method)
    row["simplest"] = entry_of(simplest)["label"] if simplest else "none shown"
    row["simplest_value"] = values.values(simplest).mean() if simplest else np.nan
    return row


def _simplest(problem: Problem, values: Values, method: str) -> str:
    """Return the simplest filter that does as well as a method; empty if there is none."""
    overlap = first_overlap(values.rows) if problem.measure == "test" else 0.0
    results = values.values(method)
    for name in dict.fromkeys([*SIMPLEST, *FILTERS]):
        if name not in values.methods or name == method:
            continue
        differences = (results - values.values(name)).dropna()
        interval = paired_interval(differences, values.most, overlap)
        if not differences.any() or decided([interval], (-np.inf, problem.margin)) == "inside":
            return name
    return ""
