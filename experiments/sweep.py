"""Run the jobs of a sweep, even if one fails, and write a row per job and method to sweep.csv.

If one setting takes several numbers, the figure sweep.png has a line for each method.
"""

import json
import logging
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import joblib
import pandas as pd
from hydra.core.hydra_config import HydraConfig
from hydra.experimental.callback import Callback
from omegaconf import DictConfig

from experiments import kinds
from experiments.errors import sentence
from experiments.files import as_csv, write_text
from experiments.provenance import OF_THE_RUN
from experiments.report import figures
from experiments.report.stored import table_of
from experiments.report.text import aligned
from experiments.run import run_experiment

log = logging.getLogger(__name__)

#: The folder of a sweep with a file for each of its jobs.
JOBS = "jobs"
#: Columns of sweep.csv after those of the overrides.
COLUMNS = ["method", "measure", "mean", "ci_low", "ci_high", "status", "seconds", "folder", "error"]


class SweepTable(Callback):
    """Hydra's callback around a sweep, which ends with a table."""

    def on_multirun_start(self, config: DictConfig, **_: Any) -> None:
        """Remove the jobs of an earlier sweep."""
        shutil.rmtree(Path(config.hydra.sweep.dir) / JOBS, ignore_errors=True)

    def on_multirun_end(self, config: DictConfig, **_: Any) -> None:
        """Write and print sweep.csv; the exit status is 1 if a job or task has failed."""
        folder = Path(config.hydra.sweep.dir)
        jobs = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob(f"{JOBS}/*"))]
        table = pd.DataFrame([row for job in jobs for row in job])
        write_text(folder / "sweep.csv", as_csv(table))
        axes = [str(c) for c in table if c not in COLUMNS and table[c].nunique(dropna=False) > 1]
        shown = table[[*axes, *COLUMNS[:6]]].round(4)
        if config.draw:
            _draw(folder, table, axes, kinds.load(config.protocol.kind).by)
        print(f"\n{aligned(shown, 40).rstrip()}\n\nsweep   {folder / 'sweep.csv'}", flush=True)
        bad = table.loc[table["status"] != "finished", "job"].nunique()
        if shared := len(jobs) - table["folder"].nunique():
            raise SystemExit(f"run.py: {shared} jobs share the folder of another; see hydra.sweep")
        if bad:
            raise SystemExit(f"{bad} of {len(jobs)} jobs failed or have failed tasks; see above")


def _draw(folder: Path, table: pd.DataFrame, axes: list[str], by: Sequence[str]) -> None:
    """Draw what the sweep measures, if it changes one setting, which takes numbers."""
    swept = [name for name in axes if name not in (*by, "job")]
    are_numbers = table[swept].apply(pd.to_numeric, errors="coerce").notna().all(axis=None)
    if len(swept) == 1 and are_numbers and table["mean"].notna().any():
        groups = [name for name in axes if name in by]
        figures.draw({"name": "sweep", "x": swept[0], "groups": groups}, folder)


def run_job(config: DictConfig, folder: Path) -> None:
    """Run one job of a sweep; if it fails, the others still run."""
    hydra, start = HydraConfig.get(), time.perf_counter()
    if config.workers is None and "joblib" in hydra.launcher._target_:
        at_once = hydra.launcher.n_jobs
        config.workers = max(1, joblib.cpu_count() // at_once) if at_once > 0 else 1
    for handler in logging.getLogger().handlers:
        if type(handler) is logging.StreamHandler:
            handler.setLevel(logging.ERROR)  # The log of the job has the details.
    status, message = "failed", ""
    rows: list[dict[str, Any]] = [{}]
    try:
        failed = run_experiment(config, folder)
        status = f"{failed} tasks failed" if failed else "finished"
        rows = _rows(config, folder)
    except Exception as error:
        message = sentence(error) or f"{type(error).__name__}: {error}"
        log.error("%s: %s", folder.name, message, exc_info=sentence(error) is None)
    pairs = [override.lstrip("+").partition("=") for override in hydra.overrides.task]
    job: dict[str, Any] = {"job": int(hydra.job.num)}
    job |= {key: value for key, _, value in pairs if key.partition(".")[0] not in OF_THE_RUN}
    seconds = round(time.perf_counter() - start, 1)
    end = {"status": status, "seconds": seconds, "folder": folder.name, "error": message}
    table = pd.DataFrame([job | row | end for row in rows])
    table = table.reindex(columns=[*table.columns.difference(COLUMNS, sort=False), *COLUMNS])
    path = Path(hydra.sweep.dir) / JOBS / f"{int(hydra.job.num):06d}.json"
    write_text(path, table.to_json(orient="records"))
    print(f"{folder.name}: {status}", flush=True)


def _rows(config: DictConfig, folder: Path) -> list[dict[str, Any]]:
    """Return a row for each method of a run: its group, its mean and the interval."""
    kind = kinds.load(config.protocol.kind)
    if not kind.measure:
        return [{}]
    table = table_of(folder, "summary.csv")
    by = [name for name in kind.by if name in table]
    table = table.rename(columns={kind.measure: "mean"}).assign(measure=kind.measure)
    kept = [*by, "method", "measure", "mean", "ci_low", "ci_high"]
    records: Any = table.reindex(columns=kept).to_dict("records")
    return records
