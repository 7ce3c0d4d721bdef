"""The options of a user's table, its columns as a file has them, and labels beside features."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from experiments.config import Reading
from experiments.datasets.dataset import DataError, unknown
from experiments.datasets.wording import counted, some, twins

#: Option -> its values beside null.
CHOICES = {
    "missing": ("median", "drop"),
    "below_limit": ("half", "value", "missing"),
    "unlabelled": ("drop", "class"),
    "categories": ("onehot",),
    "decimal": (".", ","),
    "thousands": (".", ",", " ", "'"),
}
#: Options of a file's form, which the table of dataset.labels has with this prefix.
FORM, SECOND = ("skip", "sheet", "separator", "quote", "encoding"), "labels_"
#: Decimal sign -> the sign between thousands.
OTHER = {",": ".", ".": ","}
#: Usual names of the column of labels.
TARGET_NAMES = ("class", "label", "target", "y")
#: Names of columns that hold row names.
INDEX = re.compile(
    r"(unnamed: 0(\.\d+)?|\.\.\.1|level_0|index|idx|row(_?names?|_?id|_?number|s)?|"
    r".*[_ .-]id|(i|e|pt|u?subj|study|record|case|person)?id|ids|barcodes?|names?|"
    r"(sample|patient|subject|participant|donor|probe|gene|feature)s?"
    r"([_ .-]?(ids?|names?|(no|nr)\.?|numbers?))?)",
    re.IGNORECASE,
)


@dataclass
class TableOptions(Reading):
    """The options of a user's table, which :class:`experiments.config.Reading` describes.

    Raises
    ------
    DataError
        If a value is not one of the choices, or contradicts another one.
    """

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if (given := getattr(self, name)) not in (None, *choices):
                valid = ["null", *(word if word.isalpha() else repr(word) for word in choices)]
                raise DataError(
                    f"dataset.{name} must be {', '.join(valid[:-1])} or {valid[-1]}, got {given!r}"
                )
        if self.decimal and self.decimal == self.thousands:
            raise DataError(
                f"dataset.decimal and dataset.thousands are both {self.decimal!r}; one is enough"
            )
        second = ("index", *FORM)
        given = [key for key in second if getattr(self, SECOND + key) is not None]
        if given and self.labels is None:
            raise DataError(
                f"dataset.labels_{given[0]} is about the table of dataset.labels, which is not "
                f"given; for the table itself there is dataset.{given[0]}"
            )
        if self.quote not in (None, "none") and len(self.quote) != 1:
            raise DataError(
                "dataset.quote must be one character, or none if quotation marks are a part of the "
                f"text, got {self.quote!r}"
            )
        numbers = [self.skip] if isinstance(self.skip, int) else self.skip or []
        if isinstance(numbers, str) or not all(isinstance(n, int) and n >= 0 for n in numbers):
            raise DataError(
                "dataset.skip must be the number of lines before the header, or a list of numbers "
                f"of lines, got {self.skip!r}"
            )

    @property
    def of_labels(self) -> "TableOptions":
        """The options by which the table of dataset.labels is read."""
        return TableOptions(**{key: getattr(self, SECOND + key) for key in FORM})

    @property
    def sign(self) -> str | None:
        """The decimal sign that is given, by itself or by the sign between thousands."""
        return self.decimal or OTHER.get(self.thousands or "")

    @property
    def skipped(self) -> Collection[int]:
        """The lines, counted from 1, that dataset.skip leaves out."""
        skip = self.skip or 0
        return range(1, skip + 1) if isinstance(skip, int) else {*skip} - {0}

    def check_skip(self, path: Path, n_lines: int, place: str) -> None:
        """Raise a DataError if a line or row that dataset.skip names is beyond the last one."""
        if beyond := sorted(n for n in self.skipped if n > n_lines):
            raise DataError(
                f"{path}: dataset.skip names {place} {some(beyond)}, and the last one is "
                f"{place} {n_lines}"
            )


class Figure(str):
    """The text of a cell that is a number in the file, so that its point is a decimal point."""


class Share(Figure):
    """The text of a number that a spreadsheet shows as percents: 0.4 is shown as 40%."""


def trimmed(cell: str | None) -> str:
    """The cell without blanks at its ends; a number of the file stays one."""
    return cell if isinstance(cell, Figure) else (cell or "").strip()


class Table(NamedTuple):
    """X numeric (n_samples, n_features), labels (n_samples,) as written, names or None."""

    X: npt.NDArray
    labels: npt.NDArray
    feature_names: tuple[str, ...] | None


@dataclass(frozen=True)
class Columns:
    """The columns of a file, before anything is decided about them.

    Attributes
    ----------
    names : list of str
        As the file has them.
    values : list of ndarray of shape (n_rows,)
        Numbers that the file says to be numbers, or texts (dtype object), None for a missing one.
    said : str
        What was detected, as a part of a sentence.
    notes : tuple of str
        Sentences on what was left out.
    index : tuple of str
        Columns that the file itself says to hold the names of its rows.
    label : str or None
        The array of labels, in a file of arrays; all other columns are features.
    named : bool
        False if the file names no features, so that they were numbered.
    places : sequence of int (n_rows,), or None
        The line of each row, or of each column if the table was turned.
    place : str
        What a place is called: line, row or column.
    attributes : mapping of str to ndarray of shape (n_rows,)
        Texts on the samples that are no features, as GEO and GCT have them.
    turned : bool
        True if the format has features in rows, and the columns are those of the turned table.
    semicolons : bool
        True if semicolons keep the columns apart, so that a point may stand between thousands.
    """

    names: list[str]
    values: list[npt.NDArray]
    said: str
    notes: tuple[str, ...] = ()
    index: tuple[str, ...] = ()
    label: str | None = None
    named: bool = True
    places: Sequence[int] | None = None
    place: str = "row"
    attributes: Mapping[str, npt.NDArray] = field(default_factory=dict)
    turned: bool = False
    semicolons: bool = False

    def at(self, row: int) -> str:
        """The place of a row in the file, as a sentence calls it."""
        return f"{self.place} {self.places[row] if self.places is not None else row + 1}"

    def only(self, places: Iterable[int]) -> Self:
        """Return the columns at these places."""
        wanted = list(places)
        names, values = self.names, self.values
        return replace(
            self, names=[names[at] for at in wanted], values=[values[at] for at in wanted]
        )

    def table(self, path: Path, target: str | None = None, ignore: Collection[str] = ()) -> Table:
        """Return features and labels of a data set whose file is as it should be.

        Parameters
        ----------
        path : Path
            For errors.
        target : str, optional
            The column of labels. Without it: the array of labels; or the column that is called
            class, label, target or y in whatever case, else the last one.
        ignore : collection of str
            Columns that are neither features nor labels, beside the index.

        Raises
        ------
        DataError
            If the target is not there or lacks values, or a feature is text.
        """
        if told := twins(self.names):
            raise DataError(f"{path}: {told}")
        named = dict(zip(self.names, self.values, strict=True))
        left = {n: _numbers(v) for n, v in named.items() if n not in {*ignore, *self.index}}
        label = target or self.label or _usual(list(left))
        if label not in left:
            raise DataError(f"{path}: {unknown('column', label, list(left))}")
        labels = left.pop(label)
        if n_missing := sum(value is None or value != value for value in labels.tolist()):
            raise DataError(f"{path}: {counted(n_missing, 'row')} no value in {label!r}")
        if texts := [name for name, values in left.items() if values.dtype == object]:
            raise DataError(
                f"{path}: {len(texts)} columns hold no numbers ({some(texts)}); encode them as "
                "numbers or leave them out"
            )
        X = np.stack(list(left.values()), axis=1) if left else np.empty((len(labels), 0))
        return Table(X, labels, tuple(left) if self.named else None)


def _numbers(values: npt.NDArray) -> npt.NDArray:
    """The column as numbers if all its texts are numbers or missing, else as it is."""
    if values.dtype != object:
        return values
    gaps = {None, "", "?", "NA", "NaN", "nan"}
    try:
        read = np.array([np.nan if v in gaps else float(v) for v in values.tolist()])
    except ValueError:
        return values
    whole = np.isfinite(read).all() and (read == read.round()).all() and len(read)
    return read.astype(np.int64) if whole and (np.abs(read) < 2**53).all() else read


def samples_name(features: Collection[str]) -> str:
    """The name of the column of samples in a turned table, which no feature has."""
    name = "sample"
    while name in features:
        name += "_"
    return name


def _usual(names: list[str]) -> str:
    """The column of labels, as it is usually called; else the last one."""
    exact = [name for name in TARGET_NAMES if name in names]
    alike = [name for name in names if name.lower() in TARGET_NAMES]
    return [*exact, *alike, *names[-1:], TARGET_NAMES[0]][0]


def as_texts(values: npt.NDArray) -> list[str | None]:
    """A column as texts, None where there is no value; whole numbers without a fraction."""
    if values.dtype == object:
        return values.tolist()
    if values.dtype.kind == "f":
        whole = values[np.isfinite(values)]
        if (whole == whole.round()).all() and (np.abs(whole) < 2**53).all():
            return [None if value != value else f"{value:.0f}" for value in values.tolist()]
        return [None if value != value else Figure(value) for value in values]
    return [str(value) for value in values.tolist()]


def are_running(texts: Sequence[str | None]) -> bool:
    """True for the numbers from 0 on, or from 1 on, as pandas and R write them beside rows."""
    numbers = [str(number) for number in range(len(texts) + 1)]
    return list(texts) in (numbers[1:], numbers[:-1])
