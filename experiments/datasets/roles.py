"""The role of each column of a user's table: row names, labels, groups, covariates, features."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from operator import ne
from pathlib import Path

import numpy as np
import numpy.typing as npt

from experiments.datasets import formats
from experiments.datasets.columns import (
    INDEX,
    Columns,
    TableOptions,
    are_running,
    as_texts,
    samples_name,
    trimmed,
)
from experiments.datasets.dataset import DataError, unknown
from experiments.datasets.orientation import refuse_long, swap_advice
from experiments.datasets.values import (
    CODES,
    LIKE_NUMBER,
    NUMBER,
    doubts,
    far_from_others,
    is_missing,
    plain_numbers,
    read_column,
    signs_in,
    visible,
)
from experiments.datasets.wording import cited, counted, listed, setting, shown, some

#: Names of columns that a table's writer gives to levels of an index that have none.
LEVEL = re.compile(r"unnamed: \d+(\.\d+)?|level_\d+|__index_level_\d+__|", re.IGNORECASE)

#: A covariate of whole numbers with more different values is a number.
MOST_CATEGORIES = 10


class Roles:
    """The columns of a table by their roles; `columns` are those whose role is open.

    Attributes
    ----------
    notes, faults : list of str
        Sentences on what was done, and on what the user has to settle; more are added.
    index : str
        The name of the column of row names; empty if there is none, or it has none.
    row_names : list of str (n_rows,), or None
    kept_index : dict of str to list of str (n_rows,)
        The columns of row names.
    labels : ndarray of shape (n_rows,), or None
        None if they stand in a second table.
    own_labels : list of str (n_rows,), or None
        Labels of this table, if there is a second one.
    kept : ndarray of int
        The rows that have a label; none as long as nobody has looked at the labels.
    """

    def __init__(self, file: Path, columns: Columns, target: str, options: TableOptions) -> None:
        self.file, self.options, self.target = file, options, target
        self.notes = [f"{file.name}: {columns.said}", *columns.notes]
        self.faults: list[str] = []
        #: Feature -> its column of text, and the number of each text in it.
        self.codes: dict[str, list] = {}
        #: The features with a decimal comma, with points or other signs between thousands.
        self.written: dict[str, list[str]] = {"comma": [], "points": [], "thousands": []}
        #: Column -> its role, once it is taken.
        self._taken: dict[str, str] = {}
        self.columns = columns
        self._leave_out_empty()
        if options.na and not options.labels and (unused := self._unused()):
            self.notes.append(f"no cell has {some(map(shown, unused))}, which dataset.na names")
        self.what = "row" if options.transpose or columns.turned else "column"
        levels = self._levels()
        advice = swap_advice(self, levels)
        if options.transpose and not columns.turned:
            self._transpose(*levels[:1])
            levels = [0]
        self.index = ""
        self.row_names: list[str] | None = None
        self.kept_index = self._take_index(levels)
        self.own_labels: list[str | None] | None = None
        #: The table of dataset.labels, once it is read.
        self.second: Columns | None = None
        #: The groups and the covariates that it has.
        self.joined: list[str] = []
        self.labels = self._take_labels(advice)
        if not (options.groups or options.transpose or columns.turned):
            refuse_long(self)
        self.kept = np.empty(0, dtype=np.intp)

    @property
    def index_names(self) -> list[str]:
        """The names of the columns of row names that have one."""
        return [name for name in self.kept_index if name.strip()]

    def called(self, rows: Sequence[int] | npt.NDArray) -> str:
        """The rows as a sentence lists them: by their places and names."""
        names = self.row_names
        return some(
            [self.columns.at(int(r)) + (f", {shown(names[r])}" if names else "") for r in rows], 3
        )

    def placed(self, faults: Iterable[Mapping[str, Sequence[int]]]) -> list[str]:
        """Each text of faults with its first place; rows count among the rows that are kept."""
        return [
            f"{shown(text)} in {self.columns.at(int(self.kept[rows[0]]))}"
            for cells in faults
            for text, rows in cells.items()
        ]

    def find(self, name: str, key: str = "") -> int:
        """The position of a column by its name, whose blanks at the ends may be left out.

        Signs that look alike count as one if no name has them exactly.

        Raises
        ------
        DataError
            If there is none, or more than one.
        """
        names = self.columns.names
        found: list[int] = []
        for alike in (str, str.strip, visible):
            found = found or [at for at, own in enumerate(names) if alike(own) == alike(name)]
        if len(found) > 1:
            told = f"{len(found)} {self.what}s are called {shown(name)}"
            if len(called := sorted({names[at] for at in found})) > 1:
                told += f", but for signs that are not visible ({some(map(shown, called))})"
            raise DataError(f"{self.file}: {told}; each needs a name of its own")
        if not found:
            raise self._absent(name, key)
        return found[0]

    def _absent(self, name: str, key: str) -> DataError:
        """The error on a column that is not there, or has its role already."""
        told = unknown(self.what, name, map(_or_none, self.columns.names))
        if role := self._taken.get(name.strip()):
            told = f"{shown(name)} has {role}, and a {self.what} has one role"
        return DataError(f"{self.file}: {key}{told}")

    def _pop(self, *at: int) -> list[npt.NDArray]:
        """The values of columns that have found their role."""
        columns, gone = self.columns, set(at)
        self.columns = columns.only(n for n in range(len(columns.names)) if n not in gone)
        return [columns.values[n] for n in at]

    def _unused(self) -> list[str]:
        """The texts of dataset.na that no cell has, as a text or as a number."""
        cells = {c.strip() for values in self.columns.values for c in as_texts(values) if c}
        numbers = {float(cell) for cell in cells if NUMBER.fullmatch(cell)}
        return [
            text
            for text in self.options.na
            if text not in cells and not (NUMBER.fullmatch(text) and float(text) in numbers)
        ]

    def _leave_out_empty(self) -> None:
        """Leave out columns without name and values, as separators at the ends make them."""
        columns = self.columns
        empty = [
            at
            for at, (name, values) in enumerate(zip(columns.names, columns.values, strict=True))
            if not name.strip() and not any(text and text.strip() for text in as_texts(values))
        ]
        if empty:
            self.notes.append(f"{len(empty)} empty columns without a name were left out")
            self._pop(*empty)

    def _levels(self) -> list[int]:
        """The positions of the columns of row names, the first level first."""
        columns, options = self.columns, self.options
        if options.index is None or not columns.names:
            return []
        if options.index != "auto":
            return [self.find(options.index)]
        if columns.index:
            levels = [columns.names.index(name) for name in columns.index if name != self.target]
            if levels and not columns.turned:
                called = " and ".join(cited(columns.names[at]) for at in levels)
                were = "was" if len(levels) == 1 else "were"
                self.notes.append(f"{called}, the index of the table, {were} taken as row names")
            return levels
        name = columns.names[0]
        if name.strip() in (self.target, *options.drop, options.groups) or columns.label:
            return []
        reason = self._why_index()
        if reason is None:
            return []
        if not options.transpose:
            self.notes.append(
                f"the first column, {cited(name)}, was taken as row names, since {reason} "
                "(dataset.index=null makes it a feature)"
            )
        return [0, *self._second_level()]

    def _why_index(self) -> str | None:
        """The reason why the first column holds row names; None, and a note if it may."""
        name, values = self.columns.names[0], self.columns.values[0]
        if not name.strip():
            return "it has no name"
        if INDEX.fullmatch(name.strip(" #\ufeff")):
            return "it is called like one"
        n = len(values)
        if n > 1 and self._are_names(0):
            return "all its values are different text"
        numbers = plain_numbers(values.tolist()) if values.dtype == object else values
        if n < 2 or numbers is None or numbers.dtype.kind not in "iuf":
            return None
        if np.array_equal(np.sort(numbers), np.arange(n)):
            return f"its values are 0 to {n - 1}"
        is_whole = (numbers == numbers.round()).all() and len(np.unique(numbers)) == n
        if is_whole and name.strip() not in self.options.adjust and not self.options.transpose:
            self.notes.append(
                f"the first column, {cited(name)}, has another whole number in each row and was "
                f"taken as a feature; {setting('index', name)} takes it as row names"
            )
        return None

    def _second_level(self) -> list[int]:
        """The second column, if it is another level of an index whose first level repeats."""
        columns, options = self.columns, self.options
        taken = (self.target, options.groups, *options.drop, *options.adjust)
        if len(columns.names) < 3 or columns.names[1].strip() in taken:
            return []
        first, second = as_texts(columns.values[0]), as_texts(columns.values[1])
        n, repeats = len(first), Counter(first)
        may_be_level = LEVEL.fullmatch(columns.names[0]) or len(repeats) < n
        if not (LEVEL.fullmatch(columns.names[1]) and may_be_level):
            whole = all(text is not None and re.fullmatch(r"\w{1,12}", text) for text in second)
            if not whole or len(repeats) in (1, n) or len(set(zip(first, second, strict=True))) < n:
                return []
            if len(set(second)) > max(repeats.values()):
                return []
        self.notes.append(
            f"the second column, {cited(columns.names[1])}, was taken as the second level of the "
            f"row names ({setting('index', columns.names[0] or 'NAME')} takes the first one alone)"
        )
        return [1]

    def _take_index(self, levels: list[int]) -> dict[str, list[str]]:
        """Take the columns of row names away; several levels are joined by a bar."""
        levels = sorted(levels)
        names = [self.columns.names[at] for at in levels]
        texts = [[text or "" for text in as_texts(values)] for values in self._pop(*levels)]
        self._taken |= {name.strip(): "the row names" for name in names}
        if levels:
            if n := texts[0].count(""):
                self.notes.append(f"{counted(n, 'row')} no name in {cited(names[0])}")
            again = [name for name, n in Counter(texts[0]).items() if name and n > 1]
            if again and names[0].strip() and not self.options.groups:
                self.notes.append(
                    f"WARNING {len(again)} names in {cited(names[0])} are in more rows than one "
                    f"({some(map(shown, again))}); if such rows belong together, "
                    f"{setting('groups', names[0])} keeps them so; if each is another feature of a "
                    "sample, turn the table, so that a row is a sample"
                )
            self.index = "" if LEVEL.fullmatch(names[0]) else names[0]
            self.row_names = list(map("|".join, zip(*texts, strict=True)))
        return dict(zip(names, texts, strict=True))

    def _take_labels(self, advice: str | None) -> npt.NDArray | None:
        target, options = self.target, self.options
        is_column = visible(target) in map(visible, self.columns.names)
        if target.strip() in self._taken and options.labels is None:
            self.find(target)
        self._taken[target.strip()] = "the labels"
        attributes = self.columns.attributes
        if options.labels is not None:
            if is_column:
                self.own_labels = as_texts(*self._pop(self.find(target)))
            return None
        if target in attributes:
            return attributes[target]
        if is_column:
            return self._pop(self.find(target))[0]
        told = advice or unknown(
            self.what, target, map(_or_none, [*attributes, *self.columns.names])
        )
        if self.what == "column" and not advice and formats.takes("skip", self.file):
            cells = zip(*self.columns.values, strict=True)
            if (row := next((n for n, row in enumerate(cells) if target in row), None)) is not None:
                place = self.columns.at(row)
                n = int(place.split()[1]) - 1
                told += f" {place.capitalize()} has it: dataset.skip={n} if it names the columns."
        if self.what == "row":
            told += " The samples' classes may also be in a second table: dataset.labels=labels.csv"
            again = [name for name, n in Counter(self.row_names).items() if n > 1]
            if again:
                told += (
                    f"; samples have equal names ({some(map(shown, again))}): if these are "
                    "the classes, write them into a row of their own, below names that differ"
                )
        raise DataError(f"{self.file}: {told} (read as {self.columns.said})")

    def _transpose(self, at: int = 0) -> None:
        """Turn the table; the column at this place has the features' names."""
        columns = self.columns
        if self.target == columns.names[at].strip() and self.options.labels is None:
            raise DataError(
                f"{self.file}: {self.target!r} begins the first row, so that its classes are taken "
                "for names of the samples; write a row of names that differ above it"
            )
        if self.target in columns.names and self.options.labels is None:
            raise DataError(
                f"{self.file}: {self.target!r} is a column, so samples are in rows already; "
                "leave out dataset.transpose"
            )
        others = list(range(len(columns.names)))
        if len(others) > 2 and self._is_numbering(0) and (at or self._are_names(1)):
            at = at or 1
            others.remove(0)
            self.notes.append("the first column numbers the features and was left out")
        others.remove(at)
        names = [text or "" for text in as_texts(columns.values[at])]
        about = [n for n in others if self._is_annotation(names, columns.values[n])]
        if about:
            self.notes.append(
                f"{len(about)} columns next to the samples hold text on the features and were left "
                f"out: {some(shown(columns.names[n]) for n in about)}"
            )
            others = sorted(set(others) - set(about))
        samples = columns.only(others)
        if others and all(map(are_floats, samples.values)):
            rows = list(np.array(samples.values, dtype=np.float64).T)
        else:
            cells = list(zip(*map(as_texts, samples.values), strict=True)) or [()] * len(names)
            rows = [np.array(row, dtype=object) for row in cells]
        self.columns = Columns(
            [samples_name(names), *names],
            [np.array(samples.names, dtype=object), *rows],
            columns.said,
            places=[n + 1 for n in others],
            place="column",
            semicolons=columns.semicolons,
        )
        first = "the first column" if at == 0 else cited(columns.names[at])
        self.notes.append(f"features are in rows, named by {first}; the table was transposed")

    def _is_numbering(self, at: int) -> bool:
        """True for a column without a name that numbers the rows."""
        is_unnamed = bool(LEVEL.fullmatch(self.columns.names[at].strip()))
        return is_unnamed and are_running(as_texts(self.columns.values[at]))

    def _are_names(self, at: int) -> bool:
        """True for a column of different texts that are no numbers."""
        texts = as_texts(self.columns.values[at])
        differ = all(texts) and len(set(texts)) == len(texts)
        return differ and read_column(texts, "", self.options, set()).is_text

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

    def apart(self) -> tuple[list[str] | None, dict[str, list]]:
        """The groups and the covariates of the rows that are kept, which are no features."""
        options = self.options
        texts: dict[str, list[str]] = {}
        asked = [name for name in (options.groups, *options.adjust) if name is not None]
        for name in dict.fromkeys(asked):
            if name in self.kept_index:
                values: list = self.kept_index[name]
            elif name in self.columns.attributes:
                values = as_texts(self.columns.attributes[name])
            else:
                values = as_texts(*self._pop(self.find(name)))
            self._taken[name.strip()] = "the groups" if name == options.groups else "a covariate"
            texts[name] = [trimmed(values[row]) for row in self.kept]
            own = [values[row] or "" for row in self.kept]
            if cut := sum(map(ne, texts[name], own)):
                self.notes.append(f"blanks at the ends of {cut} values in {shown(name)} were cut")
            gaps = self.kept[[is_missing(text, options) for text in texts[name]]]
            if len(gaps):
                self.faults.append(
                    f"{counted(len(gaps), 'row')} no value in {shown(name)} ({self.called(gaps)}); "
                    "fill them in, or leave these samples out of the file"
                )
        if options.groups is not None:
            self.notes += doubts(texts[options.groups], options.groups, "groups")
        adjust = {name: self._covariate(name, texts[name]) for name in options.adjust}
        return None if options.groups is None else texts[options.groups], adjust

    def signs(self, of_second: bool = False) -> set[str]:
        """The decimal signs that a table shows: the first one, or that of dataset.labels.

        They are both if semicolons keep its columns apart and no cell shows one.
        """
        columns = self.second if of_second and self.second else self.columns
        rows: npt.NDArray | slice = slice(None) if of_second else self.kept
        signs: set[str] = set()
        for name, values in zip(columns.names, columns.values, strict=True):
            if values.dtype == object and name.strip() not in self.options.drop and len(signs) < 2:
                signs |= signs_in(values[rows])
        return signs or ({".", ","} if columns.semicolons else set())

    def _covariate(self, name: str, texts: list[str]) -> list:
        """The numbers of a covariate, or its categories as texts; a note says which.

        Codes such as 007 are categories. So are whole numbers with few values, each in three
        samples on average or more.
        """
        read = read_column(texts, name, self.options, self.signs(name in self.joined))
        odd = self.placed(c for kind, c in read.faults.items() if kind not in CODES)
        if odd and not read.is_text:
            self.faults.append(
                f"dataset.adjust: {shown(name)} holds numbers, but also {some(odd)}"
                f"{read.doubt}; give numbers or categories alone (dataset.below_limit reads <18)"
            )
        self.notes += [f"{shown(name)} has {remark}" for remark in read.remarks]
        present = np.array([not is_missing(text, self.options) for text in texts], dtype=bool)
        beyond = np.isnan(read.values) & present
        if not read.faults and (n := int(beyond.sum())):
            self.faults.append(
                f"dataset.adjust: {counted(n, 'row')} a limit and no value in {shown(name)}; "
                "dataset.below_limit=half or value"
            )
        advice = ""
        if not read.is_text and not read.faults:
            different = set(read.values.tolist())
            is_whole = all(value.is_integer() for value in different if value == value)
            few = min(MOST_CATEGORIES, len(texts) / 3)
            if name in self.options.numbers or not is_whole or len(different) > few:
                self.notes.append(f"the covariate {shown(name)} is a number")
                self.notes += far_from_others(read.values, name)
                return read.values.tolist()
            texts = [f"{value:.0f}" for value in read.values]
            advice = f"; {listed('numbers', [name])} makes it a number"
        names = sorted(set(texts))
        self.notes += doubts(names, name, "categories")
        self.notes.append(
            f"the covariate {shown(name)} has {len(names)} categories "
            f"({some(map(shown, names))}){advice}"
        )
        return texts

    def leave_out(self) -> None:
        """Remove the columns that dataset.drop and dataset.features leave out."""
        options, columns = self.options, self.columns
        names = [name.strip() for name in columns.names]
        unwanted = {self.find(name, "dataset.drop: ") for name in options.drop}
        for key, others in (("numbers", options.adjust), ("order", ())):
            for name in getattr(options, key):
                if name not in {*columns.names, *others}:
                    raise self._absent(name, f"dataset.{key}: ")
        if n := len(unwanted):
            self.notes.append(f"{n} column{' was' if n == 1 else 's were'} dropped as asked for")
        stay = [at for at in range(len(names)) if at not in unwanted]
        if options.features is not None:
            pattern = options.features.replace("[", "[[]")  # Only * and ? have a meaning.
            matching = {name for name in names if fnmatchcase(name, pattern)}
            if not matching:
                raise DataError(
                    f"{self.file}: no column matches dataset.features={options.features!r}; they "
                    f"are called {some(names)}"
                )
            n = sum(names[at] not in matching for at in stay)
            self.notes.append(f"{n} columns that do not match {options.features!r} were left out")
            stay = [at for at in stay if names[at] in matching]
        self.columns = columns.only(stay)


def are_floats(values: npt.NDArray) -> bool:
    """True for numbers that a float holds exactly."""
    if values.dtype.kind in "iu" and len(values):
        return max(abs(int(values.min())), abs(int(values.max()))) <= 2**53
    return values.dtype.kind in "iufb"


def _or_none(name: str) -> str:
    """The name, as a list of names has it."""
    return name if name.strip() else "'' (without a name)"
