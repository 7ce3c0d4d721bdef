"""Small tables as people have them: written into a folder, and read there or refused."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import openpyxl
import pytest

from experiments.datasets import DataError
from experiments.datasets.columns import TableOptions
from experiments.datasets.user_table import read_table

A = ["-0.79", "0.24", "-1.9", "1.4", "0.64", "-0.29"]
STATUS = ["ctrl", "case"] * 3
FIVE = ["1", "2", "3", "4", "5"]
SIX = [*FIVE, "6"]


def lines(sep=",", **columns: Iterable) -> list[str]:
    """The lines of a table of these columns, each with its name above."""
    rows = [columns, *zip(*columns.values(), strict=True)]
    return [sep.join(map(str, row)) for row in rows]


def content(sep=",", **columns: Iterable) -> list[str]:
    """The lines of a table with the columns, `a` and `status`."""
    return lines(sep, **columns, a=A, status=STATUS)


class Read:
    """A table that was read; its samples are in the order of the file."""

    def __init__(self, data) -> None:
        self.data, self.names, self.notes = data, data.feature_names, data.notes
        self.fingerprint, self.told = data.fingerprint, " ".join(data.notes)
        rows = np.argsort(data.file_rows)
        self.X = data.X[rows]
        self.labels = [data.label_names[int(value)] for value in data.y[rows]]
        self.row_names = data.row_names and [data.row_names[row] for row in rows]
        self.groups = data.groups and [data.groups[row] for row in rows]
        self.adjust = {name: [values[row] for row in rows] for name, values in data.adjust.items()}

    def column(self, name: str) -> list[float]:
        return self.X[:, self.names.index(name)].tolist()


class Files:
    """Tables in a folder; a name without content is that of a file which is there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, content: str | bytes | list[str]) -> str:
        """The path of a new file."""
        if isinstance(content, list):
            content = "\n".join(content)
        raw = content if isinstance(content, bytes) else content.encode()
        (self.folder / name).write_bytes(raw)
        return str(self.folder / name)

    def book(self, name: str, rows: Iterable[Iterable]) -> openpyxl.Workbook:
        """Save the rows as a workbook."""
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(tuple(row))
        book.save(self.folder / name)
        return book

    def read(self, name: str, content=None, target="status", **options) -> Read:
        if content is not None:
            self.write(name, content)
        return Read(read_table(self.folder / name, target, TableOptions(**options)))

    def refusal(self, name: str, content=None, target="status", **options) -> str:
        """The one sentence with which a table is refused."""
        with pytest.raises(DataError) as caught:
            self.read(name, content, target, **options)
        assert "\n" not in str(caught.value)
        return str(caught.value)
