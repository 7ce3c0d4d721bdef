"""The paper's numbers beside ours: what was published, what was found, and whether they agree.

``results/paper.yaml`` lists every number and statement of the paper. Each claim names a reader, a
small function of this package that finds our counterpart in the tables of ``results/EXPERIMENT``.
A number agrees if it lies in our 95 % interval. A statement is decided by a rule on an interval,
and the note tells the rule. Where there is nothing to compare, the note says why; no claim is left
out of the table.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from experiments.config import one_of
from experiments.report.claims import accuracy, images, multiclass, paper, recovery
from experiments.report.claims.paper import Claim
from experiments.report.claims.results_folder import ResultsFolder
from experiments.report.claims.verdict import Estimate, Missing

__all__ = ["READERS", "compare", "estimate"]

#: Every function that a claim may name: ``module.function`` -> the function.
READERS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": getattr(module, name)
    for module in (accuracy, recovery, images, multiclass)
    for name in module.__all__
}


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
        interval of our value), verdict, profile, repetitions (of those results) and note. Cells
        are NaN or empty where there is nothing to compare.

    Raises
    ------
    ConfigError
        If an entry of ``paper.yaml`` is incomplete or names a reader that does not exist.
    """
    folder = cache(lambda experiment: ResultsFolder(results / experiment))
    rows = []
    for claim in paper.load(listed):
        row = {"claim": claim.id, "experiment": claim.experiment, "published": claim.published}
        found_in = folder(claim.experiment)
        try:
            found = estimate(claim, found_in)
            row |= {
                "ours": found.value,
                "ci_low": found.low,
                "ci_high": found.high,
                "verdict": found.verdict(claim.published),
                "profile": found_in.profile,
                "repetitions": found_in.repetitions,
            }
            note = found.note
        except Missing as missing:
            row |= {"ours": np.nan, "ci_low": np.nan, "ci_high": np.nan}
            row |= {"verdict": missing.verdict, "profile": "", "repetitions": ""}
            note = missing.note
        row["note"] = "; ".join(part for part in (note, claim.remark) if part)
        rows.append(row)
    return pd.DataFrame(rows)


def estimate(claim: Claim, results: ResultsFolder) -> Estimate:
    """Our counterpart of a claim, as its reader finds it.

    Raises
    ------
    Missing
        If there is none, with the verdict and the reason.
    ConfigError
        If there is no reader of that name.
    """
    reader = READERS[one_of(claim.reader, READERS, f"reader for the claim {claim.id},")]
    found = reader(results, **claim.arguments)
    if np.isnan(found.low):
        raise Missing(f"{results.repetitions} repetition gives no interval")
    return found
