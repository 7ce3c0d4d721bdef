"""Run one experiment: from a composed config to a folder of results and a table."""

import json
import logging
import time
from pathlib import Path

import numpy as np
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig

from experiments import kinds
from experiments.atomic import atomic_write, remove_abandoned, write_csv, write_text
from experiments.config import plain
from experiments.engine.code import code_digest, source_digest
from experiments.engine.parallel import Outcome, each_warning_once
from experiments.engine.progress import Progress, duration
from experiments.engine.store import Store
from experiments.evaluation.method_config import resolve
from experiments.kinds.base import Run, tables_of
from experiments.provenance import differences, provenance
from experiments.report import figures, pages
from experiments.report.columns import terminal
from experiments.report.stored import standing_of
from experiments.system import cpu_seconds, peak_memory

log = logging.getLogger(__name__)


def run_experiment(config: DictConfig, folder: Path) -> int:
    """Run an experiment and write its rows, tables, provenance, figure and report into a folder.

    Parameters
    ----------
    config : DictConfig
        As composed by Hydra.
    folder : Path
        Made if it is missing. Each file appears whole or not at all.

    Returns
    -------
    int
        How many units failed.

    Raises
    ------
    ConfigError
        If the config cannot be run.
    CannotWrite
        On a full disk or in a read-only folder.
    """
    start, before = time.perf_counter(), cpu_seconds()
    outcome = Outcome()
    remove_abandoned(folder)
    about = {"experiment": config.name, "profile": config.profile.name}
    kinds.validate(config)
    config = _titled(config)
    methods = resolve(config)
    different = "".join(f"{line}\n" for line in differences(config))
    figure = config.figure if isinstance(config.figure, str) else plain(config.figure)
    figures.check(figure)
    kind = kinds.load(config.protocol.kind)
    title = config.title or config.name
    labels = ", ".join(method.label for method in methods)
    log.info("%s, profile %s: %s", title, config.profile.name, labels)
    with Progress(folder, outcome, **about) as progress, each_warning_once():
        note = {"experiment": config.name, "dataset": config.dataset.name}
        store = Store(config.store, config.refresh, note)
        this = Run(config, methods, store, outcome, folder)
        results = kind.run(this)
        for name, content in results.files.items():
            with atomic_write(folder / name) as part:
                part.write_bytes(content)
        if results.is_final:
            log.info("%s\nresults %s", results.text, folder)
            return 0
        tables = tables_of(kind, results.rows, this.config)
        write_parquet(folder / "rows.parquet", results.rows)
        for name, table in tables.items():
            write_csv(folder / f"{name}.csv", table)
        record = _record(this.config, results.data, outcome, time.perf_counter() - start, before)
        write_text(folder / "provenance.json", json.dumps(record, indent=2, default=str) + "\n")
        write_text(folder / "differences.txt", different)
        written = []
        if config.draw:
            facts = kinds.facts(kind, tables, folder)
            # If every unit failed there is nothing to draw; the table says so.
            if not results.rows.empty:
                written = figures.draw(figure, folder, facts.titles())[:1]
            written.append(pages.write(folder, facts))
        if kind.summary is not None:
            progress.headline = kind.summary.headline(tables["summary"])
    log.info("\n%s\n", results.text or _table(kind, tables, results.data))
    _report(record, written, folder)
    return len(outcome.failures)


def _titled(config):
    """The config; if its samples are a user's own, their file is the title."""
    if not config.dataset.path or config.page:
        return config
    config = config.copy()
    config.title = Path(config.dataset.path).name
    return config


def _record(config, data, outcome, wall, before):
    """The provenance of a finished run, with seconds and memory of the run and its workers."""
    cpu, failed = before + outcome.cpu + cpu_seconds(), sorted(outcome.failures.values())
    return provenance(
        config,
        data,
        HydraConfig.get().overrides.task if HydraConfig.initialized() else (),
        seconds={"wall": wall, "units": outcome.seconds, "cpu": cpu},
        peak_memory={"run": peak_memory(), "worker": outcome.peak},
        code=code_of(outcome),
        units={"computed": outcome.computed, "reused": outcome.reused, "failed": failed},
    )


def _table(kind, tables, data):
    """The table of the terminal; one of relevant features says how many there are."""
    params = data.get("params") or {}
    total = params.get("n_informative") or len(params.get("relevant") or ())
    table = tables["summary"]
    table = table.rename(columns={"correct": f"correct of {total}"}) if total else table
    return terminal(table, kind.summary is not None and kind.summary.is_share)


def code_of(outcome):
    """The digests of the code of all units, and where that code begins."""
    modules = tuple(sorted(outcome.modules))
    digests = {"digest": code_digest(modules), "sources": source_digest(modules)}
    return {**digests, "modules": modules}


def write_parquet(path, table):
    # Times and scores seldom repeat: with their bytes split they take a quarter less. Accuracies
    # are shares of few samples, and a dictionary of them takes a third.
    numbers = [
        name
        for name in table
        if table[name].dtype == np.float64 and table[name].nunique() > len(table) / 8
    ]
    with atomic_write(path) as part:
        table.to_parquet(
            part,
            index=False,
            compression="zstd",
            use_dictionary=[name for name in table if name not in numbers],
            column_encoding=dict.fromkeys(numbers, "BYTE_STREAM_SPLIT"),
        )


def _report(record, written, folder):
    log.info("data    %s", _origin(record["data"]))
    units = record["units"]
    log.info(
        "%d units computed, %d reused, %d failed in %s",
        units["computed"],
        units["reused"],
        len(units["failed"]),
        duration(record["seconds"]["wall"]),
    )
    peak = max((used for used in record["peak_memory"].values() if used), default=0)
    log.info("memory  %.0f MiB at most in one process", peak / 2**20)
    for path in written:
        log.info("%s %s", "page   " if path.suffix == ".html" else "figure ", path)
    log.info("results %s", folder)


def _origin(data):
    """Name and standing of the samples in one line; what is synthetic is said to be."""
    if data.get("generated"):
        return f"{data['name']}, SYNTHETIC: drawn anew for each repetition"
    return f"{data['name']}, {standing_of(data)}, fingerprint {data['fingerprint'][:12]}..."
