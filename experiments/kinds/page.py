"""The facts that pages need of a kind of experiment."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from omegaconf import DictConfig

from experiments import kinds
from experiments.kinds.base import Kind, Tables, stored_config
from experiments.report.findings import sentences
from experiments.report.pages import PageFacts


def facts(kind: Kind, tables: Tables, config: DictConfig, folder: Path) -> PageFacts:
    """The facts of a run, from its tables.

    The sentences are those of the kind, or else those that its summary gives.
    """
    said: Mapping[str, str] = {}
    table, summary = tables["summary"], kind.summary
    if "failed" in table and table["failed"].eq(True).all():
        pass
    elif kind.findings is not None:
        said = kind.findings(tables, config, folder)
    elif summary is not None:
        axes = summary.is_share, summary.repetition, summary.by
        said = sentences(table, summary.name, summary.words or summary.name, *axes)
    return PageFacts(said, kind.captions, summary is None or summary.is_share)


def stored_facts(folder: Path, config: dict[str, Any]) -> PageFacts:
    """The facts of a stored run, from its folder and the config of its provenance."""
    tables = {path.stem: pd.read_csv(path) for path in sorted(folder.glob("*.csv"))}
    kind = kinds.load(config["protocol"].get("kind", "accuracy"))
    return facts(kind, tables, stored_config(config, kind), folder)
