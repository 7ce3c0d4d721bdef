"""A table as a file gives it, and the choices that readers of all formats make alike."""

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from experiments.datasets.dataset import DataError, unknown
from experiments.datasets.limits import Limits

TARGET_NAMES = ("class", "label", "target", "y")


class Table(NamedTuple):
    """X numeric (n_samples, n_features), labels (n_samples,) as written, names or None."""

    X: npt.NDArray
    labels: npt.NDArray
    feature_names: tuple[str, ...] | None


def columns(
    path: Path, kind: str, names: Sequence[str], target: str | None, ignore: Collection[str]
) -> tuple[str, list[str]]:
    """Return the name of the column of labels, and those of the features.

    Without a target, the labels are the column called class, label, target or y, else the last.
    """
    name, times = Counter(names).most_common(1)[0] if names else ("", 0)
    if times > 1:
        raise DataError(
            f"{path}: {times} columns are called {name!r}; each needs a name of its own"
        )
    left = [name for name in names if name not in ignore]
    label = chosen(path, kind, left, target, TARGET_NAMES, left[-1:])
    return label, [name for name in left if name != label]


def chosen(
    path: Path,
    kind: str,
    present: Sequence[str],
    wanted: str | None,
    usual: Sequence[str],
    otherwise: Sequence[str] = (),
) -> str:
    """Return the name that is wanted, or else the first usual one that is there."""
    if wanted is None:
        exact = [name for name in usual if name in present]
        alike = [name for name in present if name.lower() in usual] if otherwise else []
        for name in (*exact, *alike, *otherwise):
            return name
        wanted = usual[0]
    if wanted not in present:
        raise DataError(f"{path}: {unknown(kind, wanted, present)}")
    return wanted


def refuse_text(path: Path, features: Sequence[str]) -> None:
    """Raise a DataError that names these features, if there are any: they hold no numbers."""
    if features:
        raise DataError(
            f"{path}: {len(features)} columns hold no numbers ({', '.join(features[:5])}"
            f"{', ...' if len(features) > 5 else ''}); encode them as numbers or leave them out"
        )


def refuse_gaps(path: Path, n_missing: int, label: str) -> None:
    """Raise a DataError if rows have no label."""
    if n_missing:
        raise DataError(f"{path}: {n_missing} rows have no value in {label!r}, the target")


def label_array(path: Path, values: Sequence, n_rows: int, limits: Limits) -> npt.NDArray:
    """Return distinct labels, or those of all rows, as an array.

    numpy gives each text as much room as the longest one, so that one long label in many rows
    would fill the memory.
    """
    longest = max((len(value) for value in values if isinstance(value, str)), default=1)
    limits.allow_array((max(n_rows, len(values)),), f"{path}: its labels", 4 * longest)
    return np.array(values)
