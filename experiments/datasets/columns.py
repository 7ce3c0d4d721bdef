"""The columns of a table, the options to read them, and a column of labels beside features."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from experiments.datasets.dataset import DataError, unknown

#: Row names are looked for in the first column.
AUTO = "auto"
MISSING = ("median", "drop")
#: Usual names of the column of labels.
TARGET_NAMES = ("class", "label", "target", "y")
#: Names that an error lists at most.
NAMED = 5


@dataclass(frozen=True)
class TableOptions:
    """Options of a user's table; an option that is None is detected.

    Attributes
    ----------
    index : str or None
        The column of row names; "auto" looks at the first column, None says that there is none.
    drop : sequence of str
        Columns that are neither features nor labels.
    groups : str, optional
        The column of samples that belong together.
    adjust : sequence of str
        Covariates.
    features : str, optional
        A pattern with ``*`` and ``?``: columns whose names do not match it are left out.
    transpose : bool
        True if features stand in rows and samples in columns.
    labels : str, optional
        Path of a second table, with row names and the target.
    missing : {None, "median", "drop"}
        The treatment of features with missing values: None refuses them.
    separator, decimal, encoding, quote : str, optional
        Of a text file.
    sheet : str, optional
        Of a workbook; the first one if it is None.
    """

    index: str | None = AUTO
    drop: tuple[str, ...] = ()
    groups: str | None = None
    adjust: tuple[str, ...] = ()
    features: str | None = None
    transpose: bool = False
    labels: str | None = None
    missing: str | None = None
    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    quote: str | None = None
    sheet: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "drop", tuple(self.drop))
        object.__setattr__(self, "adjust", tuple(self.adjust))
        if self.missing not in (None, *MISSING):
            raise DataError(
                f"dataset.missing must be null, median or drop, got {self.missing!r}; null refuses "
                "missing values"
            )


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
    values : list of ndarray (n_rows,)
        Numbers, or texts (dtype object) with None for a missing one.
    said : str
        What was detected, as a part of a sentence.
    index : str or None
        The column that the file itself says to hold the names of its rows.
    label : str or None
        The array of labels, in a file of arrays; all other columns are features.
    named : bool
        False if the file names no features, so that they were numbered.
    """

    names: list[str]
    values: list[npt.NDArray]
    said: str
    index: str | None = None
    label: str | None = None
    named: bool = True

    def by_name(self, path: Path) -> dict[str, npt.NDArray]:
        """Return name -> values.

        Raises
        ------
        DataError
            If two columns have one name.
        """
        name, times = Counter(self.names).most_common(1)[0] if self.names else ("", 0)
        if times > 1:
            called = f"called {name!r}" if name else "without a name"
            raise DataError(f"{path}: {times} columns are {called}; each needs a name of its own")
        return dict(zip(self.names, self.values, strict=True))

    def table(self, path: Path, target: str | None = None, ignore: Collection[str] = ()) -> Table:
        """Return features and labels.

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
        left = {name: values for name, values in self.by_name(path).items() if name not in ignore}
        if self.index is not None:
            left.pop(self.index, None)
        label = target or self.label or _usual(list(left))
        if label not in left:
            raise DataError(f"{path}: {unknown('column', label, list(left))}")
        labels = left.pop(label)
        refuse_gaps(path, labels, label)
        texts = [name for name, values in left.items() if values.dtype == object]
        if texts:
            raise DataError(
                f"{path}: {len(texts)} columns hold no numbers ({some(texts)}); encode them as "
                "numbers or leave them out"
            )
        X = np.stack(list(left.values()), axis=1) if left else np.empty((len(labels), 0))
        return Table(X, labels, tuple(left) if self.named else None)


def _usual(names: list[str]) -> str:
    alike = [name for name in names if name.lower() in TARGET_NAMES]
    exact = [name for name in TARGET_NAMES if name in names]
    return next(iter((*exact, *alike, *names[-1:])), TARGET_NAMES[0])


def refuse_gaps(path: Path, labels: npt.NDArray, target: str) -> None:
    """Raise a DataError if rows have no label."""
    n_missing = sum(value is None or value != value for value in labels.tolist())
    if n_missing:
        raise DataError(f"{path}: {n_missing} rows have no value in {target!r}")


def some(names: Sequence[str]) -> str:
    """The first of the names, as a list in a sentence."""
    return ", ".join(map(str, names[:NAMED])) + (", ..." if len(names) > NAMED else "")
