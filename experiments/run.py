"""Run an experiment: from a composed config to a folder of results."""

import logging
import time
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig

from experiments.cache import Cache, Run
from experiments.config import method_labels
from experiments.evaluation.data import with_openml
from experiments.files import atomic_write
from experiments.provenance import provenance
from experiments.report.stored import digests, former_files, standing_of, write_provenance
from experiments.schemas import SelectProtocol

log = logging.getLogger(__name__)


def room_of(config: DictConfig) -> ModuleType:
    """Return the room that validates and runs a config: the own table's, or the replication's."""
    if config.protocol.kind == SelectProtocol.kind:
        from experiments import table

        return table
    from experiments import kinds

    return kinds


def run_experiment(config: DictConfig, folder: Path) -> int:
    """Run an experiment and write its rows, tables, provenance, figure and page into a folder.

    Parameters
    ----------
    config : DictConfig
        As composed by Hydra.
    folder : Path
        Created if it is missing. The files of an earlier run in it are replaced; each file appears
        whole or not at all.

    Returns
    -------
    int
        Number of failed tasks.

    Raises
    ------
    ConfigError
        If the config cannot be run, or the folder has files of somebody else.
    CannotWrite
        If the disk is full or the folder read-only.
    RunStopped
        If a worker is killed, or has other sources than the run.
    """
    start = time.perf_counter()
    room = room_of(config)
    room.validate(config)
    former_files(folder)
    if (config := with_openml(config)).dataset.get("id"):
        log.info("reading OpenML %s, version %s", config.dataset.id, config.dataset.version)
    elif path := config.dataset.get("path"):
        config = config.copy()
        config.title = Path(path).name
    names = ", ".join(method_labels(config).values())
    log.info("%s, profile %s: %s", config.title or config.name, config.profile.name, names)
    run = Run(config, Cache(str(Path(config.store).absolute())), folder=folder)
    outputs, outcome = room.outputs(run), run.outcome
    record = provenance(
        config,
        outputs.data,
        HydraConfig.get().overrides.task if HydraConfig.initialized() else (),
        seconds={"wall": time.perf_counter() - start},
        digests=digests(outputs.files),
        tasks={
            "computed": outcome.computed,
            "reused": outcome.reused,
            "failed": sorted(outcome.failures.values()),
        },
    )
    for path in former_files(folder):
        path.unlink()
    # If the run ends here, the next one replaces them.
    write_provenance(folder, record, outputs.files)
    for name, content in outputs.files.items():
        with atomic_write(folder / name) as part:
            part.write_bytes(content)
    shown = outputs.draw(folder) if config.draw else []
    write_provenance(folder, record, [*outputs.files, *(path.name for path in shown)])
    log.info("\n%s\n", outputs.text)
    _report(record, shown, folder)
    return len(outcome.failures)


def _report(record: dict[str, Any], shown: list[Path], folder: Path) -> None:
    """Log where the samples come from, how long the run took, and which files it wrote."""
    data, tasks = record["data"], record["tasks"]
    standing = f"{standing_of(data)}, fingerprint {str(data.get('fingerprint'))[:12]}..."
    anew = "SYNTHETIC: drawn anew for each repetition"
    log.info("data    %s, %s", data["name"], anew if data.get("generated") else standing)
    counts = tasks["computed"], tasks["reused"], len(tasks["failed"])
    wall = timedelta(seconds=round(record["seconds"]["wall"]))
    log.info("%d tasks computed, %d reused, %d failed in %s", *counts, wall)
    for path in shown:
        if kind := {".html": "page   ", ".png": "figure "}.get(path.suffix):
            log.info("%s %s", kind, path)
    log.info("results %s", folder)
