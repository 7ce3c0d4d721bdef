"""The paper's numbers beside ours: what was published, what was measured, and whether they agree.

``results/paper.yaml`` holds every number of the paper; a reader says where its counterpart stands
in the tables of ``results/EXPERIMENT``. A number agrees where it lies in our 95 % interval; a
statement is decided by a rule that carries an interval, and the rule is in the note. Where there
is nothing to compare the note says why: no claim is left out of the table.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from omegaconf import OmegaConf

from experiments.config import plain
from experiments.report.claims import accuracy, images, recovery
from experiments.report.claims.paper import REMARKS, experiment_of, flatten
from experiments.report.claims.results_folder import Stored
from experiments.report.claims.verdict import (
    AGREES,
    CANNOT,
    DIFFERS,
    NOT_RUN,
    VERDICTS,
    Measured,
    Missing,
)

__all__ = [
    "AGREES",
    "CANNOT",
    "DIFFERS",
    "NOT_RUN",
    "READERS",
    "VERDICTS",
    "Measured",
    "Missing",
    "compare",
    "flatten",
    "reader_of",
]

#: Start of a claim's path -> what measures it, from the stored results and the rest of the path.
READERS: dict[tuple[str, ...], Callable[..., Measured]] = {
    ("xor100", "correct_of_2"): recovery.mean,
    ("xor100", "fails"): recovery.fails,
    ("xor100", "order"): recovery.in_order,
    ("madelon", "best_test_acc_full"): accuracy.best,
    ("madelon", "five_percent"): accuracy.five_percent,
    ("hypercube", "manifest_unnormalized"): recovery.of_unnormalized,
    ("hypercube", "tsne_single_run"): recovery.single_run,
    ("hypercube", "order"): recovery.above_all,
    ("colon", "best_test_acc"): accuracy.best,
    ("colon", "at_features"): accuracy.at_features,
    ("colon", "gap", "competitors"): accuracy.smallest_gap,
    ("colon", "gap", "scales"): accuracy.falling_gap,
    ("colon", "split_49_13"): accuracy.best,
    ("colon", "embedded_49_13"): accuracy.embedded,
    ("gisette", "all_features"): accuracy.all_features,
    ("gisette", "best_test_acc"): accuracy.best,
    ("prostate", "all_features"): accuracy.all_features,
    ("prostate", "best_test_acc"): accuracy.best,
    ("toy", "case_a"): recovery.not_identified,
    ("toy", "case_b"): recovery.both_captured,
    ("mnist", "shows"): images.shown,
    ("fashion_mnist", "shows"): images.shown,
    ("icml", "table1_error_percent_std_features"): accuracy.error,
}


def compare(paper: Path, results: Path) -> pd.DataFrame:
    """Every claim of the paper beside our results.

    Parameters
    ----------
    paper : Path
        ``paper.yaml``.
    results : Path
        Folder with one folder an experiment.

    Returns
    -------
    DataFrame
        Columns claim, experiment (whose results are read), published, ours, ci_low, ci_high (of
        what stands under ours), verdict, profile, repetitions (of those results) and note. NaN
        and empty where there is nothing to compare.
    """
    opened = cache(lambda experiment: Stored(results / experiment))
    rows = []
    for path, published in flatten(plain(OmegaConf.load(paper))):
        experiment = experiment_of(path)
        row = {"claim": ".".join(path), "experiment": experiment, "published": published}
        try:
            stored = opened(experiment)
            found = measure(path, stored)
            row |= {
                "ours": found.value,
                "ci_low": found.low,
                "ci_high": found.high,
                "verdict": found.verdict(published),
                "profile": stored.profile,
                "repetitions": stored.repetitions,
            }
            note = found.note
        except Missing as missing:
            row |= {"ours": np.nan, "ci_low": np.nan, "ci_high": np.nan}
            row |= {"verdict": missing.verdict, "profile": "", "repetitions": ""}
            note = missing.note
        row["note"] = "; ".join(part for part in (note, REMARKS.get(path)) if part)
        rows.append(row)
    return pd.DataFrame(rows)


def measure(path: tuple[str, ...], stored: Stored) -> Measured:
    """Our counterpart of the claim at a path of the file.

    Raises
    ------
    Missing
        Where there is none, with the verdict and the reason.
    """
    if path[:2] == ("icml", "mnist_multiclass"):
        raise Missing("the multi-class score of the 2023 version is not part of this repository")
    start = reader_of(path)
    if path[:2] == ("colon", "embedded_49_13"):
        accuracy.refuse_quoted(path[2])
    found = READERS[start](stored.checked(), *path[len(start) :])
    if np.isnan(found.low):
        raise Missing(f"{stored.repetitions} repetition gives no interval")
    return found


def reader_of(path: tuple[str, ...]) -> tuple[str, ...]:
    """The key of READERS that a claim's path starts with.

    Raises
    ------
    KeyError
        If no reader knows the claim.
    """
    for length in (2, 3):
        if path[:length] in READERS:
            return path[:length]
    raise KeyError(f"no reader for the claim {'.'.join(path)}: add one to report/claims")
