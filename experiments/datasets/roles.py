"""The role of each column of a user's table: row names, labels, groups, covariates, features."""

import re
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import numpy.typing as npt

from experiments.datasets.columns import (
    AUTO,
    INDEX,
    Columns,
    Figure,
    TableOptions,
    as_texts,
    listed,
    shown,
    some,
    twins,
)
from experiments.datasets.dataset import DataError, unknown
from experiments.datasets.values import (
    LIKE_NUMBER,
    is_missing,
    plain_numbers,
    read_column,
    signs_in,
)

#: Names of columns that a table's writer gives to levels of an index that have none.
LEVEL = re.compile(r"unnamed: \d+|level_\d+|__index_level_\d+__|", re.IGNORECASE)

#: A covariate of whole numbers with more different values is a number.
MOST_CATEGORIES = 10
#: Kinds of numbers that may be codes.
CODES = ("padded", "long", "code")


class Roles:
    """The columns of a table by their roles; `columns` are those whose role is open.

    Attributes
    ----------
    index : str
        The name of the column of row names; empty if there is none, or it has none.
    row_names : list of str (n_rows,), or None
    labels : ndarray (n_rows,), or None
        None if they stand in a second table.
    own_labels : list of str (n_rows,), or None
        Labels of this table, if there is a second one.
    """

    def __init__(
        self, file: Path, columns: Columns, target: str, options: TableOptions, notes: list[str]
    ) -> None:
        self.file, self.options, self.target, self.notes = file, options, target, notes
        self.columns = _without_empty(columns, notes)
        self.what = "rows" if options.transpose or columns.turned else "columns"
        levels = self._levels()
        advice = self._swap_advice(levels)
        if options.transpose and not columns.turned:
            levels = self._transpose(levels)
            notes.append(
                "features are in rows, named by the first column; the table was transposed"
            )
        self.index = ""
        self.row_names: list[str] | None = None
        kept = self._take_index(levels)
        self.own_labels: list[str | None] | None = None
        self.labels = self._take_labels(advice)
        self._kept_index = kept

    def called(self, rows: Sequence[int] | npt.NDArray) -> str:
        """The rows as a sentence lists them: by their places and names."""
        names = self.row_names
        return some(
            [self.columns.at(int(r)) + (f", {shown(names[r])}" if names else "") for r in rows], 3
        )

    def find(self, name: str, key: str = "") -> int:
        """The position of a column by its name, whose blanks at the ends may be left out.

        Raises
        ------
        DataError
            If there is none, or more than one.
        """
        names = self.columns.names
        found = [at for at, own in enumerate(names) if own == name]
        found = found or [at for at, own in enumerate(names) if own.strip() == name.strip()]
        if len(found) > 1:
            raise DataError(f"{self.file}: {twins([names[at] for at in found], self.what)}")
        if not found:
            word = self.what.removesuffix("s")
            raise DataError(f"{self.file}: {key}{unknown(word, name, names)}")
        return found[0]

    def pop(self, at: int) -> npt.NDArray:
        """The values of a column, which has found its role."""
        names, values = list(self.columns.names), list(self.columns.values)
        names.pop(at)
        taken = values.pop(at)
        self.columns = replace(self.columns, names=names, values=values)
        return taken

    def _levels(self) -> list[int]:
        """The positions of the columns of row names, the first level first."""
        columns, options = self.columns, self.options
        if options.index is None or not columns.names:
            return []
        if options.index != AUTO:
            return [self.find(options.index)]
        if columns.index:
            levels = [columns.names.index(name) for name in columns.index if name != self.target]
            if levels and not columns.turned:
                called = " and ".join(_called(columns.names[at]) for at in levels)
                self.notes.append(
                    f"{called} {'is' if len(levels) == 1 else 'are'} the index of the table and "
                    f"{'was' if len(levels) == 1 else 'were'} taken as row names"
                )
            return levels
        name = columns.names[0]
        if name.strip() in (self.target, *options.drop, options.groups) or columns.label:
            return []
        reason = _why_index(
            name, columns.values[0], options, [] if options.transpose else self.notes
        )
        if reason is None:
            return []
        if not options.transpose:
            self.notes.append(
                f"the first column, {_called(name)}, was taken as row names, since {reason} "
                "(dataset.index=null makes it a feature)"
            )
        return [0, *self._second_level()]

    def _second_level(self) -> list[int]:
        """The second column, if it is another level of an index whose first level repeats."""
        columns = self.columns
        if len(columns.names) < 3 or columns.names[1].strip() in (
            self.target,
            self.options.groups,
            *self.options.drop,
            *self.options.adjust,
        ):
            return []
        first, second = as_texts(columns.values[0]), as_texts(columns.values[1])
        different, n = len(set(first)), len(first)
        if not LEVEL.fullmatch(columns.names[1]):
            whole = all(text is not None and re.fullmatch(r"\w{1,12}", text) for text in second)
            if not whole or different == n or len(set(zip(first, second, strict=True))) < n:
                return []
            if len(set(second)) > max(map(first.count, set(first))):
                return []
        self.notes.append(
            f"the second column, {_called(columns.names[1])}, was taken as the second level of the "
            f"row names (dataset.index={columns.names[0] or 'NAME'} makes it a feature)"
        )
        return [1]

    def _take_index(self, levels: list[int]) -> dict[str, list[str]]:
        """Take the columns of row names away; several levels are joined by a bar."""
        taken: dict[str, list[str]] = {}
        for at in sorted(levels, reverse=True):
            name = self.columns.names[at]
            taken[name] = [text or "" for text in as_texts(self.pop(at))]
        if taken:
            names = list(taken)[::-1]
            self.index = "" if LEVEL.fullmatch(names[0]) else names[0]
            parts = [taken[name] for name in names]
            self.row_names = (
                parts[0] if len(parts) == 1 else list(map("|".join, zip(*parts, strict=True)))
            )
        return taken

    def _take_labels(self, advice: str | None) -> npt.NDArray | None:
        target, options = self.target, self.options
        names = [name.strip() for name in self.columns.names]
        attributes = self.columns.attributes
        if options.labels is not None:
            if target.strip() in names:
                self.own_labels = as_texts(self.pop(self.find(target)))
            return None
        if target in attributes:
            return attributes[target]
        if target.strip() in names:
            return self.pop(self.find(target))
        word = self.what.removesuffix("s")
        told = advice or unknown(word, target, [*attributes, *self.columns.names])
        if self.what == "rows":
            told += " The samples' classes may also be in a second table: dataset.labels=labels.csv"
        raise DataError(f"{self.file}: {told}")

    def _swap_advice(self, levels: list[int]) -> str | None:
        """Advice if samples and features look swapped; None if they do not."""
        columns, target = self.columns, self.target
        names = [name.strip() for name in columns.names]
        if target in names or self.options.labels or not names or columns.turned:
            return None
        first = columns.values[levels[0] if levels else 0]
        n_rows, n_columns = len(first), len(names)
        texts = [text for text in as_texts(first) if text is not None]
        if target in map(str.strip, texts):
            return (
                f"there is no column called {target!r}, but a row: samples are in columns; add "
                "dataset.transpose=true"
            )
        if plain_numbers(texts) is None and n_rows > 5 * n_columns:
            return (
                f"there is no column called {target!r}, and {n_rows} rows of {n_columns} columns "
                "look as if samples stood in columns; add dataset.transpose=true, with the target "
                "as a row, or dataset.labels=labels.csv with a row a sample"
            )
        return None

    def _transpose(self, levels: list[int]) -> list[int]:
        """Turn the table; the first column, or the index, has the features' names."""
        columns = self.columns
        if self.target in columns.names and self.options.labels is None:
            raise DataError(
                f"{self.file}: {self.target!r} is a column, so samples are in rows already; "
                "leave out dataset.transpose"
            )
        at = levels[0] if levels else 0
        names = [text or "" for text in as_texts(columns.values[at])]
        places = [n for n in range(len(columns.names)) if n != at]
        others = [columns.values[n] for n in places]
        about = [n for n in range(len(others)) if self._is_annotation(names, others[n])]
        if about:
            left = [columns.names[places[n]] for n in about]
            self.notes.append(
                f"{len(left)} columns next to the samples hold text on the features and were left "
                f"out: {some(map(shown, left))}"
            )
            places = [n for k, n in enumerate(places) if k not in about]
            others = [columns.values[n] for n in places]
        samples = np.array([columns.names[n] for n in places], dtype=object)
        if others and all(values.dtype.kind in "iufb" for values in others):
            rows = list(np.array(others, dtype=np.float64).T)
        else:
            cells = zip(*map(as_texts, others), strict=True)
            rows = [np.array(row, dtype=object) for row in cells]
        self.columns = Columns(
            ["sample", *names],
            [samples, *rows],
            columns.said,
            places=[n + 1 for n in places],
            place="column",
        )
        return [0]

    def _is_annotation(self, names: list[str], values: npt.NDArray) -> bool:
        """True if a column beside the samples holds text, and no label."""
        if values.dtype != object:
            return False
        texts = [(text or "").strip() for text in values.tolist()]
        if self.target in names and texts[names.index(self.target)]:
            return False
        present = [text for text in texts if not is_missing(text, self.options)]
        numbers = sum(bool(LIKE_NUMBER.fullmatch(text)) for text in present)
        return 2 * numbers < len(present)

    def apart(
        self, faults: list[str], kept: npt.NDArray[np.intp]
    ) -> tuple[list[str] | None, dict[str, list]]:
        """The groups and the covariates, which are no features."""
        options = self.options
        wanted = [*([options.groups] if options.groups else []), *options.adjust]
        texts: dict[str, list] = {}
        for name in dict.fromkeys(wanted):
            if name in self._kept_index:
                values: list = list(self._kept_index[name])
            elif name in self.columns.attributes:
                values = as_texts(self.columns.attributes[name])
            else:
                values = as_texts(self.pop(self.find(name)))
            gaps = [row for row in kept if is_missing(values[row] and values[row].strip(), options)]
            if gaps:
                faults.append(
                    f"{len(gaps)} rows have no value in {shown(name)} ({self.called(gaps)}); fill "
                    "them in, or leave the lines out by dataset.skip"
                )
            texts[name] = [(value or "").strip() for value in values]
        adjust: dict[str, list] = {}
        signs = self._signs(kept) if options.adjust else set()
        for name in options.adjust:
            own = [texts[name][row] for row in kept]
            values, told = _covariate(name, own, options, signs, faults)
            adjust[name] = [None] * len(texts[name])
            for row, value in zip(kept, values, strict=True):
                adjust[name][row] = value
            self.notes.append(told)
        return texts.get(options.groups) if options.groups else None, adjust

    def _signs(self, kept: npt.NDArray[np.intp]) -> set[str]:
        """The decimal signs of the columns whose role is open."""
        signs: set[str] = set()
        for name, values in zip(self.columns.names, self.columns.values, strict=True):
            if values.dtype == object and name.strip() not in self.options.drop and len(signs) < 2:
                cells = {c for c in values[kept].tolist() if c and not isinstance(c, Figure)}
                signs |= signs_in(map(str.strip, cells))
        return signs

    def leave_out(self, kept: npt.NDArray[np.intp]) -> None:
        """Remove the columns that dataset.drop and dataset.features leave out."""
        options, columns = self.options, self.columns
        names = [name.strip() for name in columns.names]
        for name in options.drop:
            if name.strip() not in names:
                self.find(name, "dataset.drop: ")
        known = {*columns.names, *self._kept_index, *options.adjust, options.groups, self.target}
        for key in ("numbers", "order"):
            if absent := [name for name in getattr(options, key) if name not in known]:
                told = unknown(self.what.removesuffix("s"), absent[0], columns.names)
                raise DataError(f"{self.file}: dataset.{key}: {told}")
        unwanted = {name.strip() for name in options.drop}
        if options.drop:
            n = len(options.drop)
            self.notes.append(
                f"{n} {'column was' if n == 1 else 'columns were'} dropped as asked for"
            )
        stays = [name not in unwanted for name in names]
        if options.features is not None:
            matches = [fnmatchcase(name, options.features) for name in names]
            if not any(matches):
                raise DataError(
                    f"{self.file}: no column matches dataset.features={options.features!r}; they "
                    f"are called {some(names)}"
                )
            n = sum(a and not b for a, b in zip(stays, matches, strict=True))
            self.notes.append(f"{n} columns that do not match {options.features!r} were left out")
            stays = [a and b for a, b in zip(stays, matches, strict=True)]
        self.columns = _only(columns, [at for at, stay in enumerate(stays) if stay])


def _covariate(
    name: str, texts: list[str], options: TableOptions, signs: set[str], faults: list[str]
) -> tuple[list, str]:
    """The numbers of a covariate, or its categories as texts; and a sentence that says which.

    Codes such as 007 are categories. So are whole numbers with few values, each in three samples on
    average or more.
    """
    read = read_column(texts, name, options, signs)
    odd = [text for kind, cells in read.faults.items() if kind not in CODES for text in cells]
    if odd and not read.is_text:
        faults.append(
            f"dataset.adjust: {shown(name)} holds numbers, but also {some(map(shown, odd))}; a "
            "covariate needs numbers or categories in all samples (dataset.below_limit reads <18)"
        )
    advice = ""
    if not read.is_text and not read.faults:
        different = set(read.values.tolist())
        is_whole = all(value.is_integer() for value in different if value == value)
        few = min(MOST_CATEGORIES, len(texts) / 3)
        if name in options.numbers or not is_whole or len(different) > few:
            return read.values.tolist(), f"the covariate {shown(name)} is a number"
        texts = [f"{value:.0f}" for value in read.values]
        advice = f"; dataset.numbers={listed([name])} makes it a number"
    names = sorted(set(texts))
    told = f"the covariate {shown(name)} has {len(names)} categories"
    return texts, f"{told} ({some(map(shown, names))}){advice}"


def _only(columns: Columns, kept: list[int]) -> Columns:
    names, values = [columns.names[at] for at in kept], [columns.values[at] for at in kept]
    return replace(columns, names=names, values=values)


def _without_empty(columns: Columns, notes: list[str]) -> Columns:
    """The columns but those with neither a name nor values, as trailing separators make them."""
    empty = [
        not name.strip() and all(text is None or not text.strip() for text in as_texts(values))
        for name, values in zip(columns.names, columns.values, strict=True)
    ]
    if len(empty) and empty[0] and len(columns.values[0]):
        empty[0] = sum(empty) == len(empty)
    if not any(empty):
        return columns
    notes.append(f"{sum(empty)} empty columns without a name were left out")
    return _only(columns, [at for at, gone in enumerate(empty) if not gone])


def _called(name: str) -> str:
    return shown(name) if name and not name.startswith("__index") else "without a name"


def _why_index(
    name: str, values: npt.NDArray, options: TableOptions, notes: list[str]
) -> str | None:
    """The reason why a first column holds row names; None, and a note if it may, if it does not."""
    if not name.strip():
        return "it has no name"
    if INDEX.fullmatch(name.strip(" #\ufeff")):
        return "it is called like one"
    n = len(values)
    if n < 2:
        return None
    numbers = values
    if values.dtype == object:
        texts = as_texts(values)
        if (
            len({text for text in texts if text}) == n
            and read_column(texts, name, options, set()).is_text
        ):
            return "all its values are different text"
        found = plain_numbers([text or "" for text in texts])
        if found is None:
            return None
        numbers = found
    if numbers.dtype.kind in "iuf" and np.array_equal(np.sort(numbers), np.arange(n)):
        return f"its values are 0 to {n - 1}"
    is_whole = numbers.dtype.kind in "iuf" and (numbers == numbers.round()).all()
    if is_whole and len(np.unique(numbers)) == n and name.strip() not in options.adjust:
        notes.append(
            f"the first column, {_called(name)}, has another whole number in each row and was "
            f"taken as a feature; dataset.index={name} takes it as row names"
        )
    return None
