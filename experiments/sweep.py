"""A sweep: a failing job stops no other job, and a table lists the state of each."""

import importlib
import logging
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import joblib
import pandas as pd
from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.experimental.callback import Callback
from omegaconf import DictConfig, open_dict

from experiments.atomic import CannotWrite, write_csv
from experiments.config import LONGEST
from experiments.engine import progress
from experiments.engine.interruption import spare_children
from experiments.errors import user_message
from experiments.kinds import validate
from experiments.report.text import aligned
from experiments.system import exit_with_parent, program

log = logging.getLogger(__name__)

#: In the environment of a sweep's jobs: the process that started them.
LAUNCHED_BY = "MANIFEST_LAUNCHED_BY"

EXCLUDED = "hydra.job.config.override_dirname.exclude_keys"

REASON = ["job", "state", "error"]
COLUMNS = ["job", "experiment", "state", "best", "value"]
COLUMNS += ["computed", "reused", "failed", "seconds", "error"]


class Table(Callback):
    """Hydra's callback around a sweep: it shares out the cores and ends with a table."""

    def on_multirun_start(self, config: DictConfig, **_: Any) -> None:
        """Tell the jobs how many they are on this machine, and name them by what varies."""
        for place in ("launcher", "sweeper"):
            if config.hydra[place].get("n_jobs", 1) == 0:
                raise SystemExit(
                    f"{program()}: hydra.{place}.n_jobs=0 runs no job; give a number of jobs that "
                    "run at once, or -1 for one a core"
                )
        self.started = time.time()
        parser = OverridesParser.create(GlobalHydra.instance().config_loader())
        overrides = parser.parse_overrides(list(config.hydra.overrides.task))
        for override in overrides:
            if override.is_discrete_sweep() and not list(override.sweep_string_iterator()):
                raise SystemExit(f"{program()}: {override.input_line} matches nothing; see --list")
        os.environ[progress.PARALLEL] = str(parallel_jobs(config.hydra.launcher, overrides))
        os.environ[LAUNCHED_BY] = str(os.getpid())
        if "optuna" in config.hydra.sweeper._target_:
            # It comes with the sweeper, and would tell of each study and trial in its own way.
            importlib.import_module("optuna").logging.set_verbosity(logging.WARNING)
        if "joblib" in config.hydra.launcher._target_:
            # Without it joblib makes a folder in /dev/shm, which a killed sweep would leave there.
            os.environ.setdefault("JOBLIB_TEMP_FOLDER", config.hydra.sweep.dir)
            spare_children()
        excluded = config.hydra.job.config.override_dirname.exclude_keys
        fixed = [o.key_or_group for o in overrides if not o.is_sweep_override()]
        with open_dict(config):
            config.hydra.overrides.hydra.append(
                f"{EXCLUDED}=[{','.join(dict.fromkeys([*excluded, *fixed]))}]"
            )

    def on_multirun_end(self, config: DictConfig, **_: Any) -> None:
        """Print the table and write sweep.csv; the exit status is 1 if something failed."""
        folder = Path(config.hydra.sweep.dir)
        table, n_former = summary(folder, self.started)
        former = (
            f"; {n_former} jobs of former sweeps in it are not in the table" if n_former else ""
        )
        say(f"\n{shown(table)}\n\nsweep   {folder}{former}")
        bad = int(((table["state"] != "finished") | (table["failed"] > 0)).sum())
        try:
            write_csv(folder / "sweep.csv", table)
        except CannotWrite as error:  # Hydra would make a warning of it
            raise SystemExit(f"{program()}: {error}") from error
        if bad:
            raise SystemExit(f"{bad} of {len(table)} jobs failed, wholly or in part; see above")


def parallel_jobs(launcher: DictConfig, overrides: Sequence[Override]) -> int:
    """Number of jobs of a sweep that a launcher runs on this machine at once."""
    grid = [o for o in overrides if not o.is_sweep_override() or o.is_discrete_sweep()]
    n_jobs = sum(map(len, BasicSweeper.split_arguments(grid, None)))
    if "joblib" in launcher._target_:
        asked = launcher.n_jobs
        return min(n_jobs, asked if asked > 0 else max(1, joblib.cpu_count() + 1 + asked))
    return n_jobs if launcher._target_.endswith("LocalLauncher") else 1


def run_job(config: DictConfig, folder: Path) -> float | None:
    """Run one job of a sweep; whatever becomes of it, the others run.

    Returns
    -------
    float or None
        The headline value, for sweepers that search.
    """
    launched_by, target = os.environ.get(LAUNCHED_BY), HydraConfig.get().launcher._target_
    if launched_by and "joblib" in target and int(launched_by) != os.getpid():
        exit_with_parent(int(launched_by))
    for handler in logging.getLogger().handlers:
        if type(handler) is logging.StreamHandler:
            handler.setLevel(logging.ERROR)  # the job's own log has the rest
    started = time.time()
    try:
        validate(config)
        from experiments.runner import run_experiment

        run_experiment(config, folder)
        record = progress.load(folder) or {}
    except Exception as error:
        message = user_message(error)
        log.warning("the job failed: %s", message or error, exc_info=message is None)
        record = progress.load(folder) or {}
        if record.get("started", 0) < started:  # an earlier run in this folder wrote it
            record = {"experiment": config.name, "started": started}
        message = message or f"{type(error).__name__}: {error}"
        record |= {"state": "failed", "error": message, "alive": time.time()}
        with suppress(OSError):
            progress.save(folder, record)
    row = row_of(folder.name, record)
    say(f"{folder.name}: {sentence_of(row)}")
    return None if pd.isna(row["value"]) else row["value"]


def say(text: str) -> None:
    """Print a text; a sweep goes on if nobody reads it any more."""
    with suppress(OSError):
        print(text, flush=True)


def sentence_of(row: dict) -> str:
    """The result of a job, in a line."""
    if row["state"] != "finished":
        return f"{row['state']}: {row['error']}"
    best = "" if pd.isna(row["value"]) else f"{row['best']} {row['value']:.3f}; "
    return (
        f"{best}{row['computed']} units computed, {row['reused']} reused, {row['failed']} failed "
        f"in {progress.duration(row['seconds'])}"
    )


def summary(folder: Path, since: float) -> tuple[pd.DataFrame, int]:
    """One row for each job below a folder, in the order of their names.

    The jobs that began before a time are of former sweeps in the same folder; they are counted.
    """
    found = progress.below(folder)
    rows = [row_of(job, record) for job, record in found if record["started"] >= since]
    return pd.DataFrame(rows, columns=COLUMNS), len(found) - len(rows)


def row_of(job: str, record: dict) -> dict:
    """The row of a job in the table, from the job's record."""
    headline = record.get("headline") or {}
    return {
        "job": job,
        "state": progress.state_of(record),
        "best": f"{headline['of']} {headline['name']}" if headline else "",
        "value": headline.get("value", float("nan")),
        "seconds": round(record["alive"] - record["started"], 1),
        **{key: record.get(key, 0) for key in ("computed", "reused", "failed")},
        **{key: record.get(key, "") for key in ("experiment", "error")},
    }


def shown(table: pd.DataFrame) -> str:
    """A table for the terminal, and below it why jobs failed."""
    plain = table.drop(columns="error").assign(seconds=table["seconds"].round().astype(int))
    wrong = table[table["state"] != "finished"]
    reasons = [f"{job} {state}: {error}" for job, state, error in wrong[REASON].to_numpy()]
    return "\n".join([aligned(plain, LONGEST).rstrip(), *reasons])
