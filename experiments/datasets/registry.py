"""Read the facts about each public data set from registry.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True)
class DatasetInfo:
    """A data set: its properties, the values to verify it by, and its sources.

    A local folder always has precedence and is not listed in `sources`.

    Attributes
    ----------
    name, description, citation, licence : str
    shape : tuple of int (2,)
    counts : mapping of str to int
        The name of each label, 0..C-1, and its number of samples.
    value_range : tuple of float (2,)
    fingerprint : str, or None if it is not known
    dtype : str
        The stored type of the values; X is returned as uint8 if it is uint8, else as float64.
    sources : tuple of (kind, what), the best first
        For "openml" the number, because names are ambiguous; for "mat" the address of a MATLAB file
        with X and Y, for which no checksum is published; for "scikit_learn" a loader; for "ternary"
        the data set to discretise.
    first_of : str, optional
        This data set is the first rows of that one, in the order of its sources.
    by_hand : str
        Where to get a data set without sources, as part of an error message.
    """

    name: str
    description: str
    citation: str
    shape: tuple[int, int]
    counts: Mapping[str, int]
    value_range: tuple[float, float]
    fingerprint: str | None
    licence: str = "not stated by the source; cite the paper"
    dtype: str = "float64"
    sources: tuple[tuple[str, Any], ...] = ()
    first_of: str | None = None
    by_hand: str = ""


def _read(path: Path) -> dict[str, DatasetInfo]:
    entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    for entry in entries.values():
        for key in ("shape", "value_range"):
            entry[key] = tuple(entry[key])
        sources: list[tuple[str, Any]] = []
        for each in entry.get("sources", ()):
            sources += each.items()
        entry["sources"] = tuple(sources)
    return {name: DatasetInfo(name, **entry) for name, entry in entries.items()}


REGISTRY: Mapping[str, DatasetInfo] = _read(Path(__file__).with_name("registry.yaml"))
