"""Read stored runs for all reports."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.config import one_of


def provenance_of(folder: Path) -> dict[str, Any]:
    """Return the provenance of a run; empty if the folder has none."""
    path = folder / "provenance.json"
    return json.loads(path.read_text("utf-8")) if path.is_file() else {}


def tables_in(folder: Path) -> dict[str, pd.DataFrame]:
    """Return the stored tidy tables of a run, by the names of their files."""
    return {path.stem: pd.read_parquet(path) for path in sorted(folder.glob("*.parquet"))}


def with_results(results: Path) -> list[str]:
    """Return the experiments that have results in a folder of results."""
    return sorted(path.parent.name for path in results.glob("*/provenance.json"))


def folder_of(name: str, results: Path) -> Path:
    """Return the folder of a run, which is given, or has the results of an experiment."""
    if (Path(name) / "provenance.json").is_file():
        return Path(name)
    return results / one_of(name, with_results(results), "experiment with stored results")


def standing_of(data: dict[str, Any]) -> str:
    """Return the standing of the samples of a run, from the data of its provenance."""
    for kind in ("synthetic", "generated", "verified"):
        if data.get(kind):
            return kind.replace("synthetic", "SYNTHETIC")
    # The name of some of its rows is "table, a part".
    return "your own table" if data["name"].split(",")[0] == "table" else "unverified"
