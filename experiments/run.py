"""Run an experiment: from a composed config to a folder of results."""

import logging
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig

from experiments import kinds
from experiments.cache import Cache, Outcome
from experiments.config import plain
from experiments.evaluation.data import with_openml
from experiments.evaluation.methods import resolve
from experiments.files import as_csv, atomic_write
from experiments.kinds.base import Run, tables_of
from experiments.provenance import provenance
from experiments.report import figures, pages
from experiments.report.agreement import digests
from experiments.report.columns import terminal
from experiments.report.differences import differences
from experiments.report.stored import former_files, standing_of, write_provenance

log = logging.getLogger(__name__)


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
    kinds.validate(config)
    former_files(folder)
    if (config := with_openml(config)).dataset.get("id"):
        log.info("reading OpenML %s, version %s", config.dataset.id, config.dataset.version)
    elif path := config.dataset.get("path"):
        config = config.copy()
        config.title = Path(path).name
    methods = resolve(config)
    different = "".join(f"{line}\n" for line in differences(config))
    figure = config.figure if isinstance(config.figure, str) else plain(config.figure)
    figures.check(figure)
    kind = kinds.load(config.protocol.kind)
    labels = ", ".join(method.label for method in methods)
    log.info("%s, profile %s: %s", config.title or config.name, config.profile.name, labels)
    cache = Cache(str(Path(config.store).absolute()))
    this = Run(config, methods, cache, outcome := Outcome(), folder)
    results = kind.run(this)
    tables, files = {}, dict(results.files)
    if results.rows is not None:
        tables = tables_of(kind, results.rows, this.config)
        for name, rows in results.rows.items():
            files[f"{name}.parquet"] = rows.to_parquet(index=False, compression="zstd")
        files |= {f"{name}.csv": as_csv(table).encode() for name, table in tables.items()}
        files["differences.txt"] = different.encode()
    record = provenance(
        this.config,
        results.data,
        HydraConfig.get().overrides.task if HydraConfig.initialized() else (),
        seconds={"wall": time.perf_counter() - start},
        digests=digests(files),
        tasks={
            "computed": outcome.computed,
            "reused": outcome.reused,
            "failed": sorted(outcome.failures.values()),
        },
    )
    for path in former_files(folder):
        path.unlink()
    write_provenance(folder, record, files)  # If the run ends here, the next one replaces them.
    for name, content in files.items():
        with atomic_write(folder / name) as part:
            part.write_bytes(content)
    shown = [path for name in results.files if (path := folder / name).suffix == ".html"]
    if config.draw and results.rows is not None:
        is_empty = results.rows["rows"].empty
        shown = [*([] if is_empty else figures.draw(figure, folder)), pages.write(folder)]
    write_provenance(folder, record, [*files, *(path.name for path in shown)])
    log.info("\n%s\n", results.text or terminal(tables["summary"]))
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
