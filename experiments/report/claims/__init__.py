"""The paper's numbers beside ours: what was published, what came out, and the outcome.

``results/paper.yaml`` lists every number and statement of the paper. Each claim names a reader, a
small function of this package that finds our counterpart in the tables of ``results/EXPERIMENT``
and compares the two; :mod:`experiments.report.claims.outcome` says how. A claim is compared with
results of the profile ``paper``. If there is nothing to compare, the note says why; no claim is
left out.
"""

import inspect
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.config import one_of
from experiments.report.claims import accuracy, archive, operators, paper, recovery, sentences
from experiments.report.claims.outcome import LISTED, NOT_TESTED, Estimate, Missing, Published
from experiments.report.claims.paper import Claim
from experiments.report.claims.results_folder import ResultsFolder

__all__ = ["READERS", "compare"]

#: Every function that a claim may name: ``module.function`` -> the function.
READERS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": function
    for module in (accuracy, archive, operators, recovery, sentences)
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if function.__module__ == module.__name__ and not name.startswith("_")
}
#: Readers of numbers that are shown beside the paper's and have no outcome.
LISTS = ("accuracy.deviation", "accuracy.n_features", "recovery.single_run")
#: The columns of claims.csv.
COLUMNS = [
    *("claim", "version", "experiment", "published", "ours", "ci_low", "ci_high", "margin"),
    *("diff_low", "diff_high", "noise", "outcome", "profile", "repetitions", "note"),
]
#: Further columns: the claim in words, and truth values that the notes say in words.
MORE = ["text", "is_undecidable", "is_lasting"]


def compare(listed: Path, results: Path) -> pd.DataFrame:
    """Every claim of the paper beside our results.

    Parameters
    ----------
    listed : Path
        ``paper.yaml``.
    results : Path
        Folder with one folder for each experiment.

    Returns
    -------
    DataFrame
        One row for each claim, those of version 1 first. Columns claim, version, experiment (whose
        results are read), published, ours, ci_low, ci_high (the 95 % interval of our value),
        margin, diff_low, diff_high (the 90 % interval that decides), noise (what the intervals
        allow for), outcome, profile, repetitions (of those
        results), note, and :data:`MORE`. Cells are NaN or empty if there is nothing to compare.

    Raises
    ------
    ConfigError
        If an entry of ``paper.yaml`` is incomplete or names a reader that does not exist.
    """
    folder = cache(lambda experiment: ResultsFolder(results / experiment))
    rows = []
    for claim in paper.load(listed):
        results_of = folder(claim.experiment)
        estimate = _estimate(claim, results_of)
        has_results = not np.isnan(estimate.ours)
        row: dict[str, Any] = {"claim": claim.id, "version": claim.version, "text": claim.text}
        row |= {"experiment": claim.experiment, "published": claim.published, **asdict(estimate)}
        row["profile"] = results_of.profile if has_results else ""
        row["repetitions"] = results_of.repetitions if has_results else ""
        shown = [*_shown(claim, results_of.stand_ins)]
        row["note"] = "; ".join(part for part in (estimate.note, *shown, claim.remark) if part)
        rows.append(row)
    return pd.DataFrame(rows)[COLUMNS + MORE].sort_values(
        "version", kind="stable", ignore_index=True
    )


def _shown(claim: Claim, stand_ins: list[ResultsFolder]) -> Iterator[str]:
    """Our value of a number on each stand-in, as a part of a note."""
    for results in stand_ins:
        value = np.nan if isinstance(claim.published, str) else _estimate(claim, results).ours
        if not np.isnan(value):
            yield f"{value:.4g} in {results.folder.name}"


def _estimate(claim: Claim, results: ResultsFolder) -> Estimate:
    """Our counterpart of a claim; the reader of a number is given the published one."""
    reader = READERS[one_of(claim.reader, READERS, f"reader for the claim {claim.id},")]
    try:
        if isinstance(claim.published, str):
            return reader(results, **claim.arguments)
        return reader(results, Published(claim.published, claim.repetitions), **claim.arguments)
    except Missing as missing:
        outcome = LISTED if claim.reader in LISTS else NOT_TESTED
        return Estimate(outcome=outcome, note=str(missing))
