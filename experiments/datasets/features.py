"""The features of a user's table as numbers, and every fault of their cells at once."""

import re

import numpy as np
import numpy.typing as npt

from experiments.datasets.columns import Figure, TableOptions, listed, shown, some, twins
from experiments.datasets.roles import Roles
from experiments.datasets.values import (
    ONE_GROUP,
    WORDS,
    Column,
    both_readings,
    doubts,
    is_missing,
    plain_numbers,
    read_column,
    signs_in,
)

MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)"
#: Names of genes that a spreadsheet has made dates: SEPT2 as 2-Sep, or as the date itself.
DATE_NAME = re.compile(
    rf"\d{{1,2}}-{MONTH}|{MONTH}-\d{{2}}|\d{{4}}-\d\d-\d\d( 00:00:00)?|"
    r"\d{1,2}/\d{1,2}/\d{2,4}",
    re.IGNORECASE,
)
DATE = re.compile(r"\d{4}-\d\d?-\d\d?([ T].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}( .*)?")
#: Kind of fault of a cell -> what it is, and the key that solves it.
ADVICE = {
    "limit": "{}; dataset.below_limit=half, value or missing says what such a value is",
    "negative": "{}: half of a negative limit is above it; dataset.below_limit=value or missing",
    "percent": "{} instead of a number; write such numbers without a percent sign",
    "infinite": "infinite values, {}; fill them in or leave them out",
    "tiny": "{}: a number that a computer takes for 0",
    "signs": "{}",
    "text": "{}; is it missing? dataset.na={}",
}
#: How a column was read -> what it has.
TOLD = {
    "comma": "numbers with a decimal comma",
    "thousands": "numbers with signs between thousands",
    "limit": "values beyond a limit, taken as dataset.below_limit says",
    "categories": "text, made features of the form NAME=VALUE, 1 if a sample has the value",
}
CODES = {
    "padded": "{} may be a number, or a code with leading zeros",
    "long": "{} has more digits than a number can hold, and looks like an id",
    "code": "{} may be a number such as 1000, or a code such as a well or a clone",
}


def features_of(
    roles: Roles,
    kept: npt.NDArray[np.intp],
    options: TableOptions,
    faults: list[str],
    notes: list[str],
) -> tuple[npt.NDArray[np.float64], list[str]]:
    """The features and their names, or sentences among the faults.

    Parameters
    ----------
    roles : Roles
        The columns that are left are the features.
    kept : ndarray of int
        The rows that have a label.
    options : TableOptions
    faults, notes : list of str
        Sentences are added.
    """
    names = roles.columns.names
    if told := twins(names, roles.what):
        faults.append(told)
    if not names:
        faults.append(
            f"no column is left for the features next to the target {shown(roles.target)}"
        )
        return np.empty((len(kept), 0)), []
    dates = [name for name in names if DATE_NAME.fullmatch(name.strip())]
    if dates:
        notes.append(
            f"WARNING {len(dates)} features are called like dates ({some(map(shown, dates))}); "
            "Excel makes dates of genes such as SEPT2 and MARCH1, so check their names"
        )
    columns = _read(roles, kept, options)
    cells = _Cells(roles, kept, options, faults, notes)
    parts: list[tuple[str, npt.NDArray]] = []
    for name, (texts, column) in zip(names, columns, strict=True):
        if column.is_text or name in options.order:
            parts += cells.categories(name, texts)
        else:
            cells.check(name, column)
            parts.append((name, column.values))
    cells.report()
    new = [name for name, _ in parts]
    if len(set(names)) == len(names) and (told := twins(new)):
        faults.append(told)
    X = np.stack([values for _, values in parts], axis=1) if parts else np.empty((len(kept), 0))
    return _gaps(X, new, roles, kept, cells, faults)


def _read(roles: Roles, kept, options) -> list[tuple[list | None, Column]]:
    """Each column as numbers, in the decimal signs that the whole table shows."""
    read: list[tuple[list | None, Column | None, bool]] = []
    signs: set[str] = set()
    for values in roles.columns.values:
        if values.dtype != object:
            read.append((None, _of_numbers(values[kept]), False))
            continue
        cells = values[kept].tolist()
        numbers = plain_numbers(cells)
        if numbers is None:
            signs |= signs_in({c.strip() for c in cells if c and not isinstance(c, Figure)})
            read.append((cells, None, True))
            continue
        pointed = [cell for cell in cells if "." in cell and not isinstance(cell, Figure)]
        certain = not all(map(ONE_GROUP.fullmatch, pointed))
        signs |= {"."} if certain else set()
        read.append((cells, Column(numbers), bool(pointed) and not (certain and not options.sign)))
    found = {options.sign} if options.sign else signs
    columns = []
    for name, (cells, column, doubtful) in zip(roles.columns.names, read, strict=True):
        if column is None or (doubtful and found != {"."}):
            assert cells is not None
            column = read_column(cells, name, options, found)
        columns.append((cells, column))
    return columns


def _of_numbers(values: npt.NDArray) -> Column:
    """A column that is of numbers in the file: whole ones above 2**53 would change."""
    numbers = values.astype(np.float64)
    faults: dict[str, dict[str, list[int]]] = {}
    if values.dtype.kind in "iu":
        for at, value in enumerate(values.tolist()):
            if abs(value) > 2**53 and int(numbers[at]) != value:
                faults.setdefault("long", {}).setdefault(str(value), []).append(at)
    for row in np.flatnonzero(np.isinf(numbers)):
        faults.setdefault("infinite", {}).setdefault(str(numbers[row]), []).append(int(row))
    return Column(numbers, faults)


class _Cells:
    """The faults of cells, gathered over all columns."""

    def __init__(self, roles, kept, options, faults, notes) -> None:
        self.roles, self.kept, self.options = roles, kept, options
        self.faults, self.notes = faults, notes
        self.found: dict[str, list[str]] = {}
        self.unknown: dict[str, None] = {}
        self.codes: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.told: dict[str, list[str]] = {}

    def check(self, name: str, column: Column) -> None:
        """Take note of a column of numbers."""
        for kind in column.told:
            self.told.setdefault(kind, []).append(name)
        for kind, cells in column.faults.items():
            where = [
                f"{shown(text)} in {self.roles.columns.at(int(self.kept[rows[0]]))}"
                + (f" and {len(rows) - 1} more" if len(rows) > 1 else "")
                for text, rows in cells.items()
            ]
            called, (text, *_) = shown(name), cells
            if kind in CODES:
                told = f"{called}: {CODES[kind].format(some(where, 2))}"
                self.found.setdefault("code", []).append(told)
                self.codes.append(name)
            elif kind == "signs":
                self.found.setdefault(kind, []).append(
                    f"{called}: {some(where, 2)}, {both_readings(text)}"
                )
            else:
                say = " instead of a number" if kind == "text" else ""
                self.found.setdefault(kind, []).append(f"{called}: {some(where, 3)}{say}")
                if kind == "text":
                    self.unknown |= dict.fromkeys(cells)

    def categories(self, name: str, cells: list | None) -> list[tuple[str, npt.NDArray]]:
        """The features that a column of text becomes; none if it has a fault."""
        texts = ["" if cell is None else cell.strip() for cell in cells or ()]
        options = self.options
        values = sorted({t for t in texts if t and t not in options.na})
        if name in options.order:
            order = [str(value) for value in options.order[name]]
            excused = WORDS - {value.lower() for value in order}
            strange = [v for v in values if v not in order and v.lower() not in excused]
            if strange:
                self.faults.append(
                    f"dataset.order of {shown(name)} lacks {some(map(shown, strange))}"
                )
            code = {value: float(number) for number, value in enumerate(order)}
            return [(name, np.array([code.get(text, np.nan) for text in texts]))]
        if options.categories is None:
            self.texts[name] = values
            return []
        words = [v for v in values if v.lower() in WORDS]
        values = [v for v in values if v.lower() not in WORDS]
        if words:
            self.faults.append(
                f"{shown(name)} has {some(map(shown, words))}, which may be a missing value "
                f"(dataset.na={listed(words)}) or a category (dataset.order={{{name}: [...]}})"
            )
            return []
        if len(values) > max(10, len(texts) // 2):
            self.faults.append(
                f"{shown(name)} has {len(values)} different texts in {len(texts)} rows: they are "
                f"no categories; dataset.drop={listed([name])} leaves it out"
            )
            return []
        self.notes += doubts(values, name, "categories")
        gaps = np.array([is_missing(text, options) for text in texts])
        made = []
        for value in values[1:] if len(values) == 2 else values:
            column = np.array([float(text == value) for text in texts])
            column[gaps] = np.nan
            made.append((f"{name}={value}", column))
        self.told.setdefault("categories", []).append(name)
        return made

    def report(self) -> None:
        """Sentences on all that was gathered."""
        for kind, advice in ADVICE.items():
            if kind in self.found:
                cells = f"{some(self.found[kind])}"
                self.faults.append(advice.format(cells, listed(self.unknown, 10)))
        if self.codes:
            names = listed(self.codes)
            self.faults.append(
                f"{some(self.found['code'])}; dataset.numbers={names} reads numbers, "
                f"dataset.drop={names} leaves them out, dataset.index={self.codes[0]} takes them "
                "as row names"
            )
        if self.texts:
            self._report_texts()
        for kind, columns in self.told.items():
            n = len(columns)
            self.notes.append(
                f"{n} column{' has' if n == 1 else 's have'} {TOLD[kind]}: "
                f"{some(map(shown, columns))}"
            )

    def _report_texts(self) -> None:
        columns = [
            f"{name} ({some(map(shown, values), 4)}"
            + (f", {len(values)} different)" if len(values) > 4 else ")")
            for name, values in self.texts.items()
        ]
        names = listed(self.texts)
        n = len(columns)
        advice = f"dataset.categories=onehot makes numbers of them, dataset.drop={names} leaves "
        advice += "them out"
        dates = [n for n, v in self.texts.items() if v and all(map(DATE.fullmatch, v))]
        if dates:
            advice += f"; {some(map(shown, dates))} looks like dates"
        ids = [n for n, v in self.texts.items() if len(v) == len(self.kept)]
        if ids:
            advice += f"; dataset.index={ids[0]} takes one as row names"
        told = f"{n} column{' holds' if n == 1 else 's hold'} text and no numbers"
        self.faults.append(f"{told}: {some(columns, 20)}; {advice}")


def _gaps(X, names: list[str], roles: Roles, kept, cells: _Cells, faults: list[str]):
    """Features without those that have no value at all; gaps are a fault unless asked for."""
    missing, notes = cells.options.missing, cells.notes
    gaps = np.isnan(X)
    counts = gaps.sum(axis=0)
    if missing is None:
        if with_gaps := np.flatnonzero(counts).tolist():
            at = roles.called(kept[np.flatnonzero(gaps.any(axis=1))])
            faults.append(
                f"{len(with_gaps)} features have missing values "
                f"({some([f'{shown(names[j])}: {counts[j]}' for j in with_gaps])}) in "
                f"{gaps.any(axis=1).sum()} of {len(X)} rows ({at}); fill them in or leave them "
                "out; experiment=select does it with dataset.missing=median or dataset.missing=drop"
            )
        return X, names
    empty = gaps.all(axis=0) & bool(len(X))
    if empty.any():
        gone = [names[j] for j in np.flatnonzero(empty)]
        notes.append(
            f"{len(gone)} features without any value were left out: {some(map(shown, gone))}"
        )
        names = [names[column] for column in np.flatnonzero(~empty)]
        X, gaps = X[:, ~empty], gaps[:, ~empty]
    if not gaps.any():
        return X, names
    X[gaps] = np.nan  # one of many bit patterns
    n = int(gaps.any(axis=0).sum())
    if missing == "drop" and n > gaps.shape[1] - 2:
        faults.append(
            f"{n} of {gaps.shape[1]} features have missing values, and "
            "dataset.missing=drop leaves fewer than two; use dataset.missing=median"
        )
    notes.append(
        f"missing values ({gaps.sum()}, in {n} of {len(names)} features) become the median of the "
        "training rows"
        if missing == "median"
        else f"of {n} features with missing values, those with gaps in training rows are left out"
    )
    return X, names
