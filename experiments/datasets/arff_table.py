"""Tables in ARFF, dense or sparse, read a row at a time into the array that they become."""

import csv
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TextIO

import numpy as np
import numpy.typing as npt

from experiments.datasets.dataset import Damaged
from experiments.datasets.limits import Limits
from experiments.datasets.table import Table, columns, label_array, refuse_gaps, refuse_text


def read_arff(path: Path, target: str | None, ignore: Collection[str], limits: Limits) -> Table:
    """Read dense or sparse ARFF.

    What a sparse row leaves out is zero, and for a nominal attribute the first of its values. A
    sparse row of two bytes declares as many values as there are attributes, so the number of
    values is checked before the first row is read.
    """
    import arff

    with path.open(encoding="utf-8") as lines:
        n_rows, sparse = _layout(lines)
        lines.seek(0)
        try:
            content = arff.load(lines, return_type=arff.LOD_GEN if sparse else arff.DENSE_GEN)
            kinds = dict(content["attributes"])
            label, features = columns(path, "attribute", list(kinds), target, ignore)
            refuse_text(path, [name for name in features if not _numeric(kinds[name])])
            shape = (n_rows, len(features))
            limits.allow_array(shape, f"{path}: its {n_rows} rows of {len(features)} features")
            X = np.zeros(shape)
            fill = _fill_sparse if sparse else _fill_dense
            labels = fill(X, content["data"], kinds, features, label)
        except (arff.ArffException, csv.Error) as error:
            raise Damaged(str(error)) from error
    refuse_gaps(path, sum(value is None for value in labels), label)
    return Table(X, label_array(path, labels, n_rows, limits), tuple(features))


def read_attributes(path: Path, limits: Limits) -> tuple[list[str], list[npt.NDArray]]:
    """The names of all attributes and their values: numbers, or texts and None as objects."""
    import arff

    with path.open(encoding="utf-8") as lines:
        n_rows, sparse = _layout(lines)
        lines.seek(0)
        try:
            content = arff.load(lines, return_type=arff.LOD_GEN if sparse else arff.DENSE_GEN)
            kinds = dict(content["attributes"])
            numeric = [name for name in kinds if _numeric(kinds[name])]
            shape = (n_rows, len(kinds))
            limits.allow_array(shape, f"{path}: its {n_rows} rows of {len(kinds)} attributes")
            rows = list(content["data"])
        except (arff.ArffException, csv.Error) as error:
            raise Damaged(str(error)) from error
    found: list[npt.NDArray] = []
    for place, name in enumerate(kinds):
        absent = 0 if isinstance(kinds[name], str) else kinds[name][0]
        cells = [row.get(place, absent) if sparse else row[place] for row in rows]
        if name in numeric:
            found.append(np.array([np.nan if c is None else float(c) for c in cells]))
        else:
            found.append(np.array([None if c is None else str(c) for c in cells], dtype=object))
    return list(kinds), found


def _fill_dense(X, rows: Iterable[list], kinds: dict, features: list[str], label: str) -> list:
    """Write the rows into X, NaN where a value is missing, and return the labels."""
    place = {name: column for column, name in enumerate(kinds)}
    order, target = [place[name] for name in features], place[label]
    labels = []
    for into, row in zip(X, rows, strict=True):
        into[:] = [row[column] for column in order]
        labels.append(row[target])
    return labels


def _fill_sparse(X, rows: Iterable[dict], kinds: dict, features: list[str], label: str) -> list:
    """Write what the rows hold into X, which is zero so far, and return the labels."""
    place = {name: column for column, name in enumerate(kinds)}
    to = {place[name]: column for column, name in enumerate(features)}
    target, first = place[label], kinds[label][0] if isinstance(kinds[label], list) else 0
    for name, column in zip(features, range(len(features)), strict=True):
        if isinstance(kinds[name], list) and float(kinds[name][0]):
            X[:, column] = float(kinds[name][0])
    labels = []
    for into, row in zip(X, rows, strict=True):
        labels.append(row.pop(target, first))
        for column, value in row.items():
            if column in to:
                into[to[column]] = value
    return labels


def _layout(lines: TextIO) -> tuple[int, bool]:
    """The number of rows of data, and whether they are sparse: whether they stand in braces."""
    for line in lines:
        if line.strip().lower().startswith("@data"):
            break
    rows = (line.strip() for line in lines)
    braces = [row.startswith("{") for row in rows if row and not row.startswith("%")]
    if any(braces) and not all(braces):
        raise Damaged("some of its rows stand in braces and others do not; write all alike")
    return len(braces), any(braces)


def _numeric(kind: str | list[str]) -> bool:
    """Whether an ARFF attribute holds numbers; nominal ones do where all their values are."""
    if isinstance(kind, str):
        return kind.upper() in ("NUMERIC", "REAL", "INTEGER")
    return all(re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", value) for value in kind)
