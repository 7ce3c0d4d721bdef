"""The paper's numbers beside ours: what was published, what came out, and whether they agree.

``results/paper.yaml`` lists every number and statement of the paper. Each claim names a reader, a
small function of this package that finds our counterpart in the tables of ``results/EXPERIMENT``
and compares the two; :mod:`experiments.report.claims.verdict` says how. Only results of the profile
``paper`` decide. If there is nothing to compare, the note says why; no claim is left out.
"""

import inspect
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.config import one_of
from experiments.report.claims import accuracy, operators, paper, recovery
from experiments.report.claims.paper import Claim
from experiments.report.claims.render import summary
from experiments.report.claims.results_folder import ResultsFolder
from experiments.report.claims.verdict import Estimate, Missing, Published

__all__ = ["READERS", "compare", "summary"]

#: Every function that a claim may name: ``module.function`` -> the function.
READERS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": function
    for module in (accuracy, recovery, operators)
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if function.__module__ == module.__name__ and not name.startswith("_")
}
#: The columns of claims.csv.
COLUMNS = [
    *("claim", "experiment", "published", "ours", "ci_low", "ci_high", "margin", "diff_low"),
    *("diff_high", "noise", "verdict", "profile", "repetitions", "note"),
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
        Columns claim, experiment (whose results are read), published, ours, ci_low, ci_high (the
        95 % interval of our value), margin, diff_low, diff_high (the 90 % interval that decides: of
        the difference, or of the ratio if the margin is a factor), noise (what the intervals allow
        for), verdict, profile, repetitions (of those results), note, and :data:`MORE`. Cells are
        NaN or empty if there is nothing to compare.

    Raises
    ------
    ConfigError
        If an entry of ``paper.yaml`` is incomplete or names a reader that does not exist.
    """
    folder = cache(lambda experiment: ResultsFolder(results / experiment))
    rows = []
    for claim in paper.load(listed):
        row: dict[str, Any] = {"claim": claim.id, "text": claim.text}
        row |= {"experiment": claim.experiment, "published": claim.published}
        try:
            row |= asdict(_estimate(claim, folder(claim.experiment)))
            row["profile"] = folder(claim.experiment).profile
            row["repetitions"] = folder(claim.experiment).repetitions
        except Missing as missing:
            row |= asdict(Estimate(verdict=missing.verdict, note=missing.note))
            row |= {"profile": "", "repetitions": ""}
        row["note"] = "; ".join(part for part in (row["note"], claim.remark) if part)
        rows.append(row)
    return pd.DataFrame(rows)[COLUMNS + MORE]


def _estimate(claim: Claim, results: ResultsFolder) -> Estimate:
    """Our counterpart of a claim; the reader of a number is given the published one."""
    reader = READERS[one_of(claim.reader, READERS, f"reader for the claim {claim.id},")]
    if isinstance(claim.published, str):
        return reader(results, **claim.arguments)
    return reader(results, Published(claim.published, claim.repetitions), **claim.arguments)
