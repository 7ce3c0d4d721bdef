"""The provenance of a run, as all reports read it."""

import json
from pathlib import Path
from typing import Any


def provenance_of(folder: Path) -> dict[str, Any]:
    """The provenance of a run; empty if the folder has none."""
    path = folder / "provenance.json"
    return json.loads(path.read_text("utf-8")) if path.is_file() else {}


def standing_of(data: dict[str, Any]) -> str:
    """The standing of the samples of a run, from the data of its provenance."""
    for kind in ("synthetic", "generated", "verified"):
        if data.get(kind):
            return kind.replace("synthetic", "SYNTHETIC")
    # The name of some of its rows is "table, a part".
    return "your own table" if data["name"].split(",")[0] == "table" else "unverified"
