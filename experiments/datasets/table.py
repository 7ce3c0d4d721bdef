"""A user's own table, by contract: one header, one sample a row, classes, and numbers elsewhere.

Whatever is not so is refused, all faults at once, each with its place and its cure. A file
becomes texts in :mod:`grid`, columns get roles in :mod:`roles`, and texts become numbers and
classes in :mod:`cells`.
"""

import hashlib
import re
import shlex
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.config import DatasetConfig, TableConfig
from experiments.datasets.cells import Cells, on_names
from experiments.datasets.dataset import DataError, Dataset, Limits, shown, some
from experiments.datasets.fingerprint import canonical_order
from experiments.datasets.grid import Faults, read_grid

#: Key -> its values.
CHOICES = {"transform": ("log1p", "log2", "rank"), "missing": ("median", "drop")}


@dataclass(frozen=True, eq=False)
class Table(Dataset):
    """A user's table; its samples are in canonical order, whatever the order of the rows.

    X is float64 and holds NaN where a value is missing, which only the option `missing` allows.

    Attributes
    ----------
    file_rows : ndarray of shape (n_samples,)
        The row of the file that each sample stood in, from 0.
    row_names : tuple of str (n_samples,), or None
    index : str
        The name of the column of row names.
    groups : tuple of str (n_samples,), or None
        Samples with equal texts belong together.
    adjust : mapping of str to list (n_samples,)
        Covariate -> its numbers as floats, or its categories as texts.
    notes : tuple of str
        Sentences on what was read and left out.
    """

    file_rows: npt.NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    row_names: tuple[str, ...] | None = None
    index: str = "row"
    groups: tuple[str, ...] | None = None
    adjust: Mapping[str, list] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def labels(self) -> list[str]:
        """The class of each sample, as the file has it."""
        return [self.label_names[int(code)] for code in self.y]

    def only(self, rows: npt.NDArray[np.intp]) -> dict[str, Any]:
        """The attributes of these samples that other data sets do not have."""
        told = {"row_names": self.row_names, "groups": self.groups}
        return {
            **{key: own and tuple(own[row] for row in rows) for key, own in told.items()},
            "file_rows": self.file_rows[rows],
            "adjust": {name: [own[row] for row in rows] for name, own in self.adjust.items()},
        }


def read_table(
    options: TableConfig,
    *,
    max_gib: float = 4.0,
    command: str = "python run.py experiment=select",
    fills: bool = True,
) -> Table:
    """Read a user's table, or refuse it.

    Parameters
    ----------
    options : TableConfig
    max_gib : float
        GiB that a file may have on disk, and unpacked.
    command : str
        The command of the run without the options of its table; each refusal ends with it.
    fills : bool
        Whether the experiment fills gaps and obeys groups and covariates. If it does not, a refusal
        offers to leave columns out.

    Returns
    -------
    Table

    Raises
    ------
    DataError
        With all faults of the file, each with its place, in ten lines at most. The last one is a
        command that settles what options can settle.
    """
    if not options.path:
        raise DataError(
            f"name a file and its column of classes: {command} dataset.path=my.csv "
            "dataset.target=COLUMN"
        )
    _check(options)
    faults = Faults(options.path, lambda more: f"then: {copied(command, options, more)}")
    cells, limits = Cells(options, faults, fills), Limits(max_gib)
    cells.take(read_grid(_found(options.path), options, faults, limits))
    if options.labels:
        second = Faults(options.labels, faults.command)
        alone = TableConfig(encoding=options.encoding, decimal=options.decimal)
        cells.join(read_grid(_found(options.labels), alone, second, limits), second)
    return _table(cells)


def _table(cells: Cells) -> Table:
    """The table, or the refusal with all its faults."""
    options, faults = cells.options, cells.faults
    labels, groups = cells.role(options.target, "target"), cells.role(cells.groups, "groups")
    covariates = {name: cells.role(name, "adjust") for name in options.adjust}
    encoded = {name: cells.role(name, "onehot") for name in options.onehot}
    if labels is None or cells.is_odd or any("as dataset." in told for told in faults.told):
        faults.refuse()
    taken = {options.target, cells.groups, cells.index, *covariates, *encoded}
    columns = [j for j, name in enumerate(cells.names) if name not in taken]
    values, bad = cells.numbers(columns)
    cells.refuse_rows_of_text(columns, values, bad)
    cells.refuse_long(columns, bad)
    cells.check_row_names()
    y, label_names = cells.classes(labels)
    for name, texts in [(cells.groups, groups), *covariates.items()]:
        rows = [i for i in cells.live() if texts and texts[i].strip() in cells.absent]
        if rows:
            faults.add(f"{cells.rows(rows)}: no value in {shown(name)}; fill it, or remove it")
    adjust = {name: cells.covariate(name, texts or []) for name, texts in covariates.items()}
    cells.refuse_texts(columns, values, bad)
    cells.refuse_points(columns)
    cells.refuse_counters(columns, values, bad)
    values[bad] = 0.0  # They are told, and are no gaps.
    names = [cells.names[j] for j in columns]
    for name, texts in encoded.items():
        values, names = cells.onehot(name, texts or [], values, names)
    cells.refuse_gaps(names, values)
    if not names:
        faults.add("no column is left for the features; leave one out of dataset.drop")
    X = values if faults.told else cells.transformed(names, values)
    if faults.told:
        faults.refuse()
    order, fingerprint = canonical_order(X, y)
    if np.isnan(X).any():
        fingerprint = hashlib.sha256(f"{fingerprint}, {options.missing}".encode()).hexdigest()
    about = Table(
        name="table",
        X=np.ascontiguousarray(X[order]),
        y=y[order],
        label_names=label_names,
        feature_names=tuple(names),
        fingerprint=fingerprint,
        source=f"A table of the user's, {Path(options.path or '').name}, with the labels "
        f"{shown(options.target)}.",
        file_rows=np.arange(len(X)),
        row_names=None if cells.row_names is None else tuple(cells.row_names),
        index=cells.index or ("sample" if cells.turned else "row"),
        groups=None if groups is None else tuple(groups),
        adjust=adjust,
        notes=(*cells.notes, *on_names(names)),
    )
    return Table(**{**vars(about), **about.only(order)})


def copied(command: str, options: TableConfig, more: Mapping[str, Any]) -> str:
    """The command with the options that are given and more, as a shell takes it.

    >>> copied("python run.py", TableConfig(path="a.csv", target="y"), {"na": ["n.d."]})
    "python run.py dataset.path=a.csv dataset.target=y 'dataset.na=[n.d.]'"
    """
    default = TableConfig()
    own = ["path", "target", *sorted({f.name for f in fields(TableConfig)} - OF_ALL)]
    given = {key: getattr(options, key) for key in own}
    given = {key: value for key, value in given.items() if value != getattr(default, key)}
    for key, value in more.items():
        given[key] = [*given.get(key, []), *value] if isinstance(value, list) else value
    told = (shlex.quote(f"dataset.{key}={_in_hydra(value)}") for key, value in given.items())
    return " ".join([command, *told])


#: Keys that all data sets have.
OF_ALL = {each.name for each in fields(DatasetConfig)}


#: Words that Hydra reads as something else than text.
WORDS = ("null", "true", "false", "nan", "inf")


def _in_hydra(value: Any) -> str:
    """A value in Hydra's grammar."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, list):
        return f"[{','.join(map(_in_hydra, value))}]"
    if re.fullmatch(r"[A-Za-z_/][A-Za-z0-9_./-]*", value) and value.lower() not in WORDS:
        return value
    # A backslash is itself, unless a quotation mark follows.
    return "'" + re.sub(r"(\\*)('|$)", lambda m: 2 * m[1] + ("\\'" if m[2] else ""), value) + "'"


def _found(path: str) -> Path:
    """The path as it is; a tilde before a file that is not there is the home folder."""
    is_home = path.startswith("~/") and not Path(path).exists()
    return Path.home() / path[2:] if is_home else Path(path)


def _check(options: TableConfig) -> None:
    """Raise a DataError if an option has another value than those that it takes."""
    for key, valid in CHOICES.items():
        if (value := getattr(options, key)) not in (None, *valid):
            raise DataError(f"dataset.{key} must be null or one of {some(valid)}, got {value!r}")
    decimal, thousands = options.decimal or ".", options.thousands
    if decimal not in (".", ","):
        raise DataError(f"dataset.decimal must be '.' or ',', got {options.decimal!r}")
    if thousands is not None and (len(thousands) != 1 or thousands in f"{decimal}+-0123456789eE"):
        raise DataError(
            f"dataset.thousands must be one sign, and no {decimal!r}, got {thousands!r}"
        )
    roles: dict[str, list] = {
        "target": [options.target],
        "groups": [options.groups],
        "adjust": options.adjust,
    }
    roles |= {"onehot": options.onehot, "drop": options.drop}
    named = [(name, key) for key, names in roles.items() for name in dict.fromkeys(names) if name]
    twice = [name for name, n in Counter(name for name, _ in named).items() if n > 1]
    if twice:
        keys = [f"dataset.{key}" for name, key in named if name == twice[0]]
        raise DataError(f"{' and '.join(keys)} name the column {twice[0]!r}; one of them may")
