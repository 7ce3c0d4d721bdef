"""Make the tables and the figure of a sweep from the rows of its jobs."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.evaluation import summary

#: The folder of a sweep with a file for each of its jobs.
JOBS = "jobs"
#: Columns of sweep.csv after those of the overrides.
COLUMNS = ["method", "measure", "mean", "ci_low", "ci_high", "status", "seconds", "folder", "error"]
#: Most panels of a figure.
MOST = 12


def jobs_of(folder: Path) -> pd.DataFrame:
    """Return a row for each finished job of a sweep and each of its methods."""
    rows = []
    for path in sorted((folder / JOBS).glob("*.json")):
        rows += json.loads(path.read_text("utf-8"))
    return pd.DataFrame(rows)


def varied(table: pd.DataFrame, by: Sequence[str] = ()) -> list[str]:
    """Return the settings that a sweep varies, apart from the seed.

    The columns `by` are those of the summary within which methods are compared.
    """
    others = {*COLUMNS, *by, "job", "seed"}
    settings = []
    for name in map(str, table):
        if name not in others and table[name].nunique(dropna=False) > 1:
            settings.append(name)
    return settings


def means(table: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return the mean over the seeds of a sweep; empty if the seed does not vary.

    Its columns are the varied settings, `by`, "method", "measure", "mean", the ends "ci_low" and
    "ci_high" of Student's interval, and "n_seeds", the number of seeds with a value. The interval
    covers what the seed decides: draws, or splits of the same samples.
    """
    measured = table.dropna(subset="mean")
    if "seed" not in table or table["seed"].nunique() < 2 or measured.empty:
        return pd.DataFrame()
    within = [name for name in by if name in table]
    axes = [*varied(table, by), *within]
    no_limits = (-np.inf, np.inf)
    of_seeds = summary.means(measured, [*axes, "measure"], "mean", "seed", limits=no_limits)
    of_seeds = of_seeds.rename(columns={"n": "n_seeds"}).reset_index()
    return of_seeds[[*axes, "method", "measure", "mean", "ci_low", "ci_high", "n_seeds"]]


def figure_of(table: pd.DataFrame, by: Sequence[str]) -> tuple[dict[str, Any], str]:
    """Return the figure of a sweep, or an empty one and the reason why there is none.

    The setting with most numbers is on the x axis. Others, and the columns `by`, have panels.
    """
    settings = varied(table, by)
    numbers = table[settings].apply(pd.to_numeric, errors="coerce")
    has_numbers = numbers.notna().all()
    if table["mean"].isna().all():
        return {}, "no job has measured anything"
    if not has_numbers.any():
        return {}, "no varied setting has numbers"
    numeric = has_numbers.index[has_numbers]
    x = str(table[numeric].nunique().idxmax())
    different = varied(table)
    groups = []
    for name in (*by, *settings):
        if name in different and name != x:
            groups.append(name)
    n_panels = len(table[groups].drop_duplicates()) if groups else 1
    if n_panels > MOST:
        return {}, f"it would have {n_panels} panels, for {', '.join(groups)}"
    return {"name": "sweep", "x": x, "groups": groups}, ""
