"""The paper's numbers beside ours: what was published, what was found, and whether they agree.

``results/paper.yaml`` lists every number and statement of the paper. Each claim names a reader, a
small function of this package that finds our counterpart in the tables of ``results/EXPERIMENT``
and compares the two; :mod:`experiments.report.claims.verdict` says how. Only results of the profile
``paper`` decide. Where there is nothing to compare, the note says why; no claim is left out.
"""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.config import one_of
from experiments.report.claims import accuracy, images, paper, recovery, spectra
from experiments.report.claims.paper import Claim
from experiments.report.claims.render import summary
from experiments.report.claims.results_folder import ResultsFolder
from experiments.report.claims.verdict import Estimate, Missing, Published

__all__ = ["READERS", "compare", "estimate", "summary"]

#: Every function that a claim may name: ``module.function`` -> the function.
READERS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": getattr(module, name)
    for module in (accuracy, recovery, images, spectra)
    for name in module.__all__
}
#: The numbers of a row, NaN where there is nothing to compare.
NUMBERS = ("ours", "ci_low", "ci_high", "diff_low", "diff_high")
#: Fields of an estimate on more repetitions; claims.csv says the same in the words of its notes.
FLAGS = ("is_undecidable", "is_lasting")


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
        the difference, or of the ratio where the margin is a factor), noise (what the intervals
        allow for), verdict, profile, repetitions (of those results), note, and the truth values
        :data:`FLAGS`. Cells are NaN or empty where there is nothing to compare.

    Raises
    ------
    ConfigError
        If an entry of ``paper.yaml`` is incomplete or names a reader that does not exist.
    """
    folder = cache(lambda experiment: ResultsFolder(results / experiment))
    rows = []
    for claim in paper.load(listed):
        row: dict[str, Any] = {"claim": claim.id, "experiment": claim.experiment}
        row["published"] = claim.published
        found_in = folder(claim.experiment)
        try:
            found = estimate(claim, found_in)
            numbers = [found.value, found.low, found.high, found.diff_low, found.diff_high]
            texts = {name: getattr(found, name) for name in ("margin", "noise", "verdict")}
            basis: dict[str, Any] = {
                "profile": found_in.profile,
                "repetitions": found_in.repetitions,
            }
            note, flags = found.note, {name: getattr(found, name) for name in FLAGS}
        except Missing as missing:
            numbers, basis = [np.nan] * len(NUMBERS), {"profile": "", "repetitions": ""}
            texts = {"margin": "", "noise": "", "verdict": missing.verdict}
            note, flags = missing.note, dict.fromkeys(FLAGS, False)
        row |= {**dict(zip(NUMBERS, numbers, strict=True)), **texts, **basis, **flags}
        row["note"] = "; ".join(part for part in (note, claim.remark) if part)
        rows.append(row)
    first = ["claim", "experiment", "published", "ours", "ci_low", "ci_high", "margin"]
    second = ["diff_low", "diff_high", "noise", "verdict", "profile", "repetitions", "note"]
    return pd.DataFrame(rows)[[*first, *second, *FLAGS]]


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
    return reader(results, Published(claim.published, claim.repetitions), **claim.arguments)
