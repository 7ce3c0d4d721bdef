"""Run the jobs of a sweep, even if one fails, and write a row per job and method to sweep.csv.

If the seed varies, sweep_mean.csv has the means over the seeds. The figure sweep.png has a line for
each method, and a panel for each value of a second setting.
"""

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
from experiments.kinds.base import Kind
from experiments.provenance import OF_THE_RUN
from experiments.report import figures
from experiments.report.stored import table_of
from experiments.report.sweeps import COLUMNS, JOBS, figure_of, jobs_of, means
from experiments.report.text import aligned
from experiments.run import run_experiment

log = logging.getLogger(__name__)

#: What a sweep writes apart from its jobs.
WRITTEN = ("sweep.csv", "sweep_mean.csv", "sweep.png", "sweep.pdf")


class SweepTable(Callback):
    """Hydra's callback around a sweep, which ends with a table."""

    def on_multirun_start(self, config: DictConfig, **_: Any) -> None:
        """Remove what an earlier sweep has written; refuse a folder of somebody else."""
        folder = Path(config.hydra.sweep.dir)
        there = [path for name in WRITTEN if (path := folder / name).exists()]
        if there and not (folder / JOBS).is_dir():
            raise SystemExit(
                f"run.py: no sweep wrote {there[0]}; give another hydra.sweep.dir=PATH"
            )
        shutil.rmtree(folder / JOBS, ignore_errors=True)
        for path in there:
            path.unlink()

    def on_multirun_end(self, config: DictConfig, **_: Any) -> None:
        """Write and print the tables; the exit status is 1 if a job or task has failed."""
        folder, by = Path(config.hydra.sweep.dir), _by(config)
        table = write_tables(folder, by)
        axes = [c for c in table if c not in COLUMNS and table[c].nunique(dropna=False) > 1]
        shown = table[[*axes, *COLUMNS[:6]]].round(4)
        print(f"\n{aligned(shown, 40).rstrip()}\n\nsweep   {folder / 'sweep.csv'}")
        if len(of_seeds := means(table, by)):
            print(f"\n{aligned(of_seeds.round(4), 40).rstrip()}\n")
        figure, reason = figure_of(table, by)
        if config.draw:
            drawn = figures.draw(figure, folder) if figure else [f"none: {reason}"]
            print(f"figure  {drawn[0]}", flush=True)
        n_jobs, bad = table["job"].nunique(), table.loc[table["status"] != "finished", "job"]
        if shared := n_jobs - table["folder"].nunique():
            raise SystemExit(f"run.py: {shared} jobs share the folder of another; see hydra.sweep")
        if len(bad):
            raise SystemExit(
                f"{bad.nunique()} of {n_jobs} jobs failed or have failed tasks; see above"
            )


def _by(config: DictConfig) -> Sequence[str]:
    """Return the columns within which methods are compared; none for a kind that is wrong."""
    kind = _kind(config)
    return kind.by if kind else ()


def _kind(config: DictConfig) -> Kind | None:
    """Return the kind of an experiment; None if it is not one of the replication."""
    name = config.protocol.kind
    return kinds.load(name) if name in kinds.KINDS else None


def write_tables(folder: Path, by: Sequence[str]) -> pd.DataFrame:
    """Write the tables of the jobs that have ended, and return the first."""
    table = jobs_of(folder)
    write_text(folder / "sweep.csv", as_csv(table))
    if len(of_seeds := means(table, by)):
        write_text(folder / "sweep_mean.csv", as_csv(of_seeds))
    return table


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
    write_tables(Path(hydra.sweep.dir), _by(config))
    print(f"{folder.name}: {status}", flush=True)


def _rows(config: DictConfig, folder: Path) -> list[dict[str, Any]]:
    """Return a row for each method of a run: its group, its mean and the interval."""
    kind = _kind(config)
    if kind is None or not kind.measure:
        return [{}]
    table = table_of(folder, "summary.csv")
    by = [name for name in kind.by if name in table]
    table = table.rename(columns={kind.measure: "mean"}).assign(measure=kind.measure)
    kept = [*by, "method", "measure", "mean", "ci_low", "ci_high"]
    records: Any = table.reindex(columns=kept).to_dict("records")
    return records
