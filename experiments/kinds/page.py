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
    if tables["summary"].get("failed", pd.Series([False])).eq(True).all():
        pass
    elif kind.findings is not None:
        said = kind.findings(tables, config, folder)
    elif (told := kind.summary) is not None:
        axes = told.is_share, told.repetition, told.by
        said = sentences(tables["summary"], told.name, told.words or told.name, *axes)
    is_share = kind.summary is None or kind.summary.is_share
    return PageFacts(said, kind.captions, is_share)


def stored_facts(folder: Path, config: dict[str, Any]) -> PageFacts:
    """The facts of a stored run, from its folder and the config of its provenance."""
    tables = {path.stem: _read(path) for path in sorted(folder.glob("*.csv"))}
    kind = kinds.load(config["protocol"].get("kind", "accuracy"))
    return facts(kind, tables, stored_config(config, kind), folder)


def _read(path: Path) -> pd.DataFrame:
    try:
        return pd.read_csv(path)
    except pd.errors.EmptyDataError:
        return pd.DataFrame()
