"""A user's own table, by contract: one header, one sample a row, classes, and numbers elsewhere.

Whatever is not so is refused, all faults of a file at once, each with its place and its cure. Texts
become numbers in one place, :func:`number`, whatever the format of the file.
"""

import hashlib
import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from experiments.config import DatasetConfig, TableConfig
from experiments.datasets.dataset import DataError, Dataset, shown, some
from experiments.datasets.fingerprint import canonical_order
from experiments.datasets.grid import THOUSANDS, Faults, Grid, read_grid

#: Key -> its values.
CHOICES = {"transform": ("log1p", "log2", "rank"), "missing": ("median", "drop")}
#: What pandas reads as a missing value.
ABSENT = frozenset(
    re.split(
        r"\|",
        "|#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|"
        "n/a|nan|null",
    )
)
#: Names of a first column that has the names of the rows.
INDEX = re.compile(
    r"#?((.*[\W_])?(samples?|ids?|names?|barcodes?)|unnamed: \d+|index|"
    r"(sample|patient|subject|usubj|record|case|respondent)_?(id|name|no|nr))?",
    re.IGNORECASE,
)
#: Names of columns whose equal values belong together.
TOGETHER = re.compile(r"patient|subject|donor|participant|individual|animal|family", re.IGNORECASE)
#: Names of rows that are no samples.
NO_SAMPLE = re.compile(
    r"#.*|((grand |sub)?total|sum|mean|average|median|min|max|n|cv( \(%\))?|sd|std|sem|lod|loq|"
    r"((qc_)?pool|qc|blank)(_?\d+)?)",
    re.IGNORECASE,
)
#: Days, times and months; also names of genes that a spreadsheet has made dates.
DATE = re.compile(
    r"\d{4}-\d\d?-\d\d?([ T].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}( .*)?|\d{1,2}:\d\d(:\d\d)?|"
    r"\d{1,2}[-. ]{1,2}[A-Za-z]{3,9}([-. ]\d{2,4})?|[A-Za-z]{3}-\d{1,2}|"
    r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])"
)
#: The beginning of a number with a mark or a unit, or of a code; numbers with commas.
ODDLY = re.compile(r"[<>≤≥~(±$€£¥+\u2212-]?\s*\d")
COMMAS, GROUPED = re.compile(r"[+-]?\d+,\d+"), re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
#: Whole numbers of more digits may be no floats; a covariate with fewer values has categories.
DIGITS, CATEGORIES = 15, 10
#: Columns of repeated texts that are compared in pairs; words that a command takes as missing.
COMPARED, WORDS = 20, 5


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

    def of(self, rows: npt.NDArray[np.intp]) -> dict[str, Any]:
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
    reader = _Reader(options, faults, fills)
    reader.take(read_grid(_found(options.path), options, faults, max_gib))
    if options.labels:
        second = Faults(options.labels, faults.command)
        alone = TableConfig(encoding=options.encoding, decimal=options.decimal)
        reader.join(read_grid(_found(options.labels), alone, second, max_gib), second)
    return reader.table()


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


def _in_hydra(value: Any) -> str:
    """A value in Hydra's grammar."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, list):
        return f"[{','.join(map(_in_hydra, value))}]"
    if re.fullmatch(r"[A-Za-z0-9_./-]+", value):
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
    roles = {"target": [options.target], "groups": [options.groups], "adjust": options.adjust}
    roles |= {"onehot": options.onehot, "drop": options.drop}
    named = [(name, key) for key, names in roles.items() for name in dict.fromkeys(names) if name]
    twice = [name for name, n in Counter(name for name, _ in named).items() if n > 1]
    if twice:
        keys = [f"dataset.{key}" for name, key in named if name == twice[0]]
        raise DataError(f"{' and '.join(keys)} name the column {twice[0]!r}; one of them may")


def _pattern(options: TableConfig) -> re.Pattern[str]:
    """The grammar of a number; a text matches in one way, so that time is linear in its length."""
    point, whole = re.escape(options.decimal or "."), "0|[1-9][0-9]*"
    if options.thousands is not None:
        whole = rf"[1-9][0-9]{{0,2}}(?:{re.escape(options.thousands)}[0-9]{{3}})+|{whole}"
    return re.compile(rf"[+-]?(?:(?:{whole})(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?")


def number(text: str, pattern: re.Pattern[str], options: TableConfig) -> float | None:
    """The number that a text is, or None: the one place where texts become numbers.

    A number is none if a float would change it: beyond the largest one, so near to 0 that it is
    taken for 0, or a whole number of more digits than a float has.
    """
    if not pattern.fullmatch(text):
        return None
    plain = text.replace(options.thousands, "") if options.thousands else text
    value = float(plain.replace(options.decimal or ".", "."))
    if abs(value) == np.inf or (value == 0 and re.search("[1-9]", re.split("[eE]", plain)[0])):
        return None
    is_long = len(digits := plain.lstrip("+-")) > DIGITS and digits.isdigit()
    return None if is_long and (len(digits) > 300 or value != int(plain)) else value


class _Reader:
    """The roles of columns, the faults of their cells, and the table that they make."""

    def __init__(self, options: TableConfig, faults: Faults, fills: bool) -> None:
        self.options, self.faults, self.fills = options, faults, fills
        self.absent, self.pattern = ABSENT | set(options.na), _pattern(options)
        self.turned = options.transpose
        self.groups = None if options.groups == "auto" else options.groups
        #: The column of row names, and the columns of a second table.
        self.index: str | None = None
        self.second: dict[str, list[str]] = {}

    def take(self, grid: Grid) -> None:
        """Take a file: columns that are dropped go, samples become rows, and rows get names."""
        options = self.options
        self.word, self.is_loose = grid.word, grid.is_loose
        is_named = options.index not in (None, "auto")
        at = self._place(str(options.index), grid.names, "index") if is_named else 0
        features = grid.cells[:, at].tolist() if self.turned else []
        for name in options.drop:
            self._place(name, [*grid.names, *features], "drop")
        kept = [j for j, name in enumerate(grid.names) if name not in options.drop]
        self.notes = [f"{Path(options.path or '').name}: {len(grid.cells)} rows"]
        if dropped := len(grid.names) - len(kept):
            self.notes.append(f"{dropped} columns were dropped, as asked for")
        if not self.turned:
            self.names, self.lines = [grid.names[j] for j in kept], grid.lines
            self.cells, self.row_names = grid.cells[:, kept], None
            self.live = np.ones(len(self.cells), dtype=bool)
            self.is_odd = self._check_names([f"column {j + 1}" for j in kept])
            self._find_index()
            return
        rows = [i for i, name in enumerate(features) if name not in options.drop]
        columns = [j for j in kept if j != at]
        self.names, self.lines = [features[i] for i in rows], [grid.lines[i] for i in rows]
        self.cells = grid.cells[np.ix_(rows, columns)].T
        self.row_names = [grid.names[j] for j in columns]
        self.live = np.ones(len(self.cells), dtype=bool)
        self.is_odd = self._check_names([f"{grid.word} {line}" for line in self.lines])
        self.notes.append("the table was turned: samples are its columns")

    def _place(self, name: str, names: Sequence[str], key: str) -> int:
        """The place of a name, 0 with a fault if it is not there."""
        if name in names:
            return names.index(name)
        what = "row" if self.turned and key in ("target", "groups", "adjust") else "column"
        near = get_close_matches(name, names := list(dict.fromkeys(names)), 1)
        told = f"did you mean {shown(near[0])}?" if near else f"there are {some(map(shown, names))}"
        self.faults.add(f"the file has no {what} {shown(name)}, as dataset.{key} says; {told}")
        return 0

    def _check_names(self, places: Sequence[str]) -> bool:
        """Refuse names that are missing, repeat or have line breaks; True if there are some."""
        at: dict[str, list[str]] = {}
        for name, place in zip(self.names, places, strict=True):
            at.setdefault(name, []).append(place)
        before = len(self.faults.told)
        for name, where in at.items():
            if unnamed := [place for place in where if not name and place != "column 1"]:
                self.faults.add(
                    f"{some(unnamed)}: no name in the header; give one, and delete empty columns"
                )
            elif len(where) > 1:
                self.faults.add(
                    f"{some(where)} are called {shown(name)}; give each a name of its own"
                )
            if re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", name):
                self.faults.add(
                    f"{where[0]}: {shown(name)} has a line break; remove it from the name"
                )
        return len(self.faults.told) > before

    def _find_index(self) -> None:
        """The row names: the column that is named, or a first one that is called so."""
        options, first = self.options, self.names[0] if self.names else "-"
        roles = (options.target, *options.adjust, *options.onehot)
        self.index = options.index if options.index in self.names else None
        if options.index == "auto" and INDEX.fullmatch(first) and first not in roles:
            self.index = first
            if all(re.fullmatch(r"-?\d*[.,]\d+", text) for text in self.cells[:, 0]):
                self.faults.add(
                    f"column 1 is called {shown(first)}, as row names are, and holds numbers; "
                    f"dataset.index={first} or dataset.index=null decides",
                    index=None,
                )
        if self.index is not None:
            self.row_names = self._column(self.index)
            self.notes.append(f"the column {shown(self.index)} has the row names")

    def _column(self, name: str) -> list[str]:
        return self.cells[:, self.names.index(name)].tolist()

    def _rows(self, at: Iterable[int]) -> str:
        """The places of samples in the file."""
        at = list(at)
        if self.turned and self.row_names is not None:
            return f"column{'s' * (len(at) > 1)} {some(shown(self.row_names[i]) for i in at)}"
        return f"{self.word}{'s' * (len(at) > 1)} {some(self.lines[i] for i in at)}"

    def _cell(self, i: int, j: int) -> str:
        """The place of a cell in the file."""
        if self.turned:
            return f"{self.word} {self.lines[j]} ({shown(self.names[j])}), {self._rows([i])}"
        return f"{self._rows([i])}, column {shown(self.names[j])}"

    def join(self, grid: Grid, told: Faults) -> None:
        """Take the columns of a second table, by row names."""
        if self.row_names is None:
            self.faults.refuse(
                f"dataset.labels needs names of the samples in the file, and the first column is "
                f"{shown(self.names[0])}; dataset.index=NAME names their column"
            )
        counts = [str(i) for i in range(len(self.row_names) + 1)]
        if self.index == "" and self.row_names in (counts[1:], counts[:-1]):
            self.faults.refuse("column 1 counts the rows, and joins nothing; give samples names")
        file = Path(self.options.labels or "").name
        same = [
            j for j, n in enumerate(grid.names) if n.casefold() == (self.index or "").casefold()
        ]
        at = same[0] if same and not self.turned else 0
        names, column = grid.cells[:, at].tolist(), shown(grid.names[at])
        for name, n in Counter(names).items():
            if n > 1:
                lines = some(
                    line for own, line in zip(names, grid.lines, strict=True) if own == name
                )
                told.add(
                    f"{grid.word}s {lines}: {shown(name)} in {column} repeats; keep one of them"
                )
        for name, n in Counter(grid.names).items():
            if n > 1:
                told.add(f"{n} columns are called {shown(name)}; give each a name of its own")
        if told.told:
            told.refuse()
        place = {name: i for i, name in enumerate(names)}
        if lacking := list(dict.fromkeys(n for n in self.row_names if n not in place)):
            near = get_close_matches(lacking[0], names[:2000], 1, 0.0)
            others = {n: set(grid.cells[:, j]) for j, n in enumerate(grid.names)}
            right = [name for name, own in others.items() if own.issuperset(self.row_names)]
            cure = f"put its column {shown(right[0])} first" if right else "write both alike"
            self.faults.refuse(
                f"{self._rows([self.row_names.index(lacking[0])])}: {len(lacking)} samples are not "
                f"in the column {column} of {file}: {some(map(shown, lacking))} here, "
                f"{some(map(shown, near))} there; {cure}"
                + ", or dataset.drop leaves out what is no sample"
                * self.turned,
                **({"drop": lacking} if self.turned and len(lacking) < len(names) else {}),
            )
        rows = [place[name] for name in self.row_names]
        self.second = {n: grid.cells[rows, j].tolist() for j, n in enumerate(grid.names) if j != at}
        self.notes.append(f"joined with {file} by its column {column}")
        if more := [name for name in names if name not in set(self.row_names)]:
            self.notes.append(f"{len(more)} samples of {file} are not in the table: {some(more)}")

    def table(self) -> Table:
        """The table, or the refusal with all its faults."""
        options, faults = self.options, self.faults
        labels, groups = self._role(options.target, "target"), self._role(self.groups, "groups")
        covariates = {name: self._role(name, "adjust") for name in options.adjust}
        encoded = {name: self._role(name, "onehot") for name in options.onehot}
        if labels is None or self.is_odd or any("as dataset." in told for told in faults.told):
            faults.refuse()
        taken = {options.target, self.groups, self.index, *covariates, *encoded}
        columns = [j for j, name in enumerate(self.names) if name not in taken]
        values, bad = self._numbers(columns)
        self._refuse_rows_of_text(columns, values, bad)
        self._refuse_long(columns, bad)
        self._check_row_names()
        y, label_names = self._classes(labels)
        for name, texts in {self.groups: groups, **covariates}.items():
            rows = [i for i in self._live() if texts and texts[i].strip() in self.absent]
            if rows:
                faults.add(f"{self._rows(rows)}: no value in {shown(name)}; fill it, or remove it")
        adjust = {name: self._covariate(name, texts or []) for name, texts in covariates.items()}
        self._refuse_texts(columns, values, bad)
        self._refuse_points(columns)
        self._refuse_counters(columns, values, bad)
        values[bad] = 0.0  # They are told, and are no gaps.
        names = [self.names[j] for j in columns]
        for name, texts in encoded.items():
            values, names = self._onehot(name, texts or [], values, names)
        self._refuse_gaps(names, values)
        if not names:
            faults.add("no column is left for the features; leave one out of dataset.drop")
        X = values if faults.told else self._transformed(names, values)
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
            row_names=None if self.row_names is None else tuple(self.row_names),
            index=self.index or ("sample" if self.turned else "row"),
            groups=None if groups is None else tuple(groups),
            adjust=adjust,
            notes=(*self.notes, *_on_names(names)),
        )
        return Table(**{**vars(about), **about.of(order)})

    def _live(self) -> list[int]:
        """The rows that are samples."""
        return np.flatnonzero(self.live).tolist()

    def _role(self, name: str | None, key: str) -> list[str] | None:
        """The texts of a column of the table or of the second one; a fault if it is not there."""
        if name is None and key == "target":
            could = [n for n in self.names if 1 < len({*self._column(n)} - {""}) <= 10]
            could = [*(n for n, own in self.second.items() if 1 < len({*own}) <= 10), *could]
            self.faults.add(
                "dataset.target=COLUMN must name the column of classes; few values are in: "
                f"{some(map(shown, could)) or 'none'}",
                **({"target": could[0]} if could else {}),
            )
        if name is None:
            return None
        if name in self.names and name in self.second and self._column(name) != self.second[name]:
            pairs = enumerate(zip(self._column(name), self.second[name], strict=True))
            row, told = next((i, pair) for i, pair in pairs if pair[0] != pair[1])
            self.faults.add(
                f"{self._rows([row])}: {shown(name)} is {shown(told[0])}, and {shown(told[1])} "
                f"in {Path(self.options.labels or '').name}; dataset.drop leaves one out",
                drop=[name],
            )
        if name in self.second:
            return self.second[name]
        if name in self.names:
            return self._column(name)
        if name in ("row", "sample") and key == "groups" and self.row_names is not None:
            return self.row_names
        self._place(name, [*self.names, *self.second], key)
        if not self.turned and name in self.cells[:, 0]:
            self.faults.told[-1] += (
                "; it is a row, so dataset.transpose=true takes columns as samples"
            )
            self.faults.settings.setdefault("transpose", True)
        elif not self.turned and name in self.cells[0]:
            self.faults.told[-1] += (
                f"; {self._rows([0])} has it: two header rows, so join them in one"
            )
        return None

    def _number(self, text: str) -> float | None:
        return number(text.strip(" \t"), self.pattern, self.options)

    def _numbers(self, columns: Sequence[int]) -> tuple[npt.NDArray, npt.NDArray]:
        """The columns as numbers, NaN where there is none, and the cells that are neither."""
        cells = self.cells[:, columns]
        values, bad = np.full(cells.shape, np.nan), np.zeros(cells.shape, dtype=bool)
        for (i, j), text in np.ndenumerate(cells):
            if text.strip(" \t") not in self.absent:
                found = self._number(text)
                bad[i, j], values[i, j] = found is None, np.nan if found is None else found
        return values, bad

    def _refuse_rows_of_text(self, columns, values, bad) -> None:
        """Refuse text in most columns of numbers: a second header, units, a sample that failed."""
        filled = bad | ~np.isnan(values)
        of_numbers = np.flatnonzero(2 * bad.sum(axis=0) < filled.sum(axis=0))
        texts = bad[:, of_numbers].sum(axis=1)
        rows = np.flatnonzero(
            (texts > 1) & (2 * texts > filled[:, of_numbers].sum(axis=1))
        ).tolist()
        if not rows:
            return
        at = [(i, columns[j]) for i in rows for j in of_numbers[bad[i, of_numbers]].tolist()]
        words = list(dict.fromkeys(self.cells[cell] for cell in at))
        self.live[rows], bad[rows], values[rows] = False, False, 0.0
        cure = "remove a second header, units and footers, or join two header rows in one"
        settings: dict[str, Any] = {}
        if self.turned and self.row_names is not None:
            cure = "dataset.drop leaves it out, dataset.na takes a word as missing"
            settings = {"drop": [self.row_names[i] for i in rows]}
        self.faults.add(
            f"{self._rows(rows)}: text among numbers ({some(map(shown, words))}); {cure}",
            **settings,
        )

    def _refuse_long(self, columns, bad) -> None:
        """Refuse a table with a row for each sample and feature: two texts name each row once."""
        live = self._live()
        texts = {} if self.index is None or self.groups else {self.index: self.row_names or []}
        is_text = 2 * bad.sum(axis=0) > len(live)
        texts |= {
            self.names[columns[at]]: self._column(self.names[columns[at]])
            for at in np.flatnonzero(is_text).tolist()
        }
        own = {name: [column[i] for i in live] for name, column in texts.items()}
        names = [name for name in own if min(Counter(own[name]).values(), default=0) > 1]
        names = [] if self.turned else names[:COMPARED]
        for one, other in ((a, b) for k, a in enumerate(names) for b in names[k + 1 :]):
            if len(set(zip(own[one], own[other], strict=True))) == len(live):
                self.faults.refuse(
                    f"the columns {shown(one)} and {shown(other)} name each row once, so that the "
                    f"table looks long: write frame.pivot(index={one!r}, columns={other!r}, "
                    f"values=COLUMN) by pandas; if it is not, dataset.groups={one} or dataset.drop"
                )

    def _check_row_names(self) -> None:
        """Refuse names of rows that are missing, repeat, or are of no samples."""
        names, faults, live = self.row_names, self.faults, self._live()
        if names is None:
            return
        if empty := [i for i in live if not names[i].strip()]:
            faults.add(f"{self._rows(empty)}: no name of a sample; give it one, or remove it")
        if other := [i for i in live if names[i].strip() and NO_SAMPLE.fullmatch(names[i].strip())]:
            faults.add(
                f"{self._rows(other)}: {some(shown(names[i]) for i in other)} is no "
                "name of a sample; remove what is none, or rename it",
                **({"drop": [names[i] for i in other]} if self.turned else {}),
            )
        twice = [
            name for name, n in Counter(names[i] for i in live).items() if n > 1 and name.strip()
        ]
        if twice and self.options.groups == "auto":
            key = self.index or ("sample" if self.turned else "row")
            groups = f"dataset.groups={key} keeps equal ones together, " * self.fills
            where = self._rows(i for i in live if names[i] == twice[0])
            faults.add(
                f"{where}: {shown(twice[0])} repeats, as do {len(twice)} row names; {groups}"
                "dataset.groups=null takes them as independent",
                groups=key if self.fills else None,
            )

    def _classes(self, labels: list[str]) -> tuple[npt.NDArray[np.int64], dict[int, str]]:
        """The code of each row's class, and the names of the classes."""
        target, faults = shown(self.options.target), self.faults
        empty = [i for i in self._live() if not labels[i].strip()]
        rows = [i for i in self._live() if labels[i].strip()]
        counts, first = Counter(labels[i] for i in rows), {labels[i]: i for i in reversed(rows)}
        if empty:
            drop = (
                {"drop": [self.row_names[i] for i in empty]}
                if self.turned and self.row_names
                else {}
            )
            faults.add(f"{self._rows(empty)}: no class in {target}; write it, or remove it", **drop)
        where = {name: f"{shown(name)} ({self._rows([row])})" for name, row in first.items()}
        if words := [where[name] for name in counts if name.strip() in self.absent]:
            faults.add(
                f"{some(words)} in {target}: a missing class, or a name; rename or remove it"
            )
        alike: dict[Any, list[str]] = {}
        for name in counts:
            alike.setdefault(_spelled(name), []).append(name)
        if twins := [same for same in alike.values() if len(same) > 1]:
            told = some(" and ".join(where[name] for name in same) for same in twins)
            faults.add(f"two spellings of one class in {target}: {told}; write one of them")
        single = [where[name] for name, n in counts.items() if n == 1]
        if len(counts) < 2:
            faults.add(
                f"{target} has {some(counts) or 'no class'} in all rows; name another column"
            )
        elif single and not twins:
            faults.add(
                f"{len(single)} of {len(counts)} classes in {target} have one sample: "
                f"{some(single)}; rename or remove it, or make classes of numbers in the file"
            )
        names = sorted(counts)
        if all(isinstance(_spelled(name), float) for name in names):
            names.sort(key=float)
        codes = {name: code for code, name in enumerate(names)}
        return np.array([codes.get(label, -1) for label in labels], dtype=np.int64), dict(
            enumerate(names)
        )

    def _covariate(self, name: str, texts: list[str]) -> list:
        """The numbers of a covariate; or its texts, also if they are few whole numbers."""
        read = [self._number(text) for text in texts]
        numbers = [value for value in read if value is not None]
        if len(texts) / 2 < len(numbers) < len(texts):
            row = read.index(None)
            self.faults.add(
                f"{self._rows([row])}: {shown(texts[row])} in {shown(name)} is no number as others "
                "are; correct it, or leave the column out of dataset.adjust"
            )
        is_few = len(set(numbers)) <= min(CATEGORIES, len(texts) / 3)
        is_number = len(numbers) == len(texts) and not (
            is_few and all(map(float.is_integer, numbers))
        )
        kind = "a number" if is_number else f"{len(set(texts))} categories"
        self.notes.append(f"the covariate {shown(name)} is {kind}")
        return numbers if is_number else texts

    def _refuse_texts(self, columns, values, bad) -> None:
        """Refuse text among numbers, column by column of the file, and offer what it may be."""
        self._refuse_commas(columns, values, bad)
        count, filled = bad.sum(axis=0), (bad | ~np.isnan(values)).sum(axis=0)
        words: dict[int, list[tuple[int, int]]] = {}
        for at in np.flatnonzero(count).tolist():
            rows, j = np.flatnonzero(bad[:, at]).tolist(), columns[at]
            if 2 * count[at] > filled[at]:
                self._refuse_text(self._cell(rows[0], j), j, [self.cells[i, j] for i in rows])
                continue
            for i in rows:
                words.setdefault(i if self.turned else j, []).append((i, j))
        for cells in words.values():
            texts = list(dict.fromkeys(self.cells[cell].strip(" \t") for cell in cells))
            settings: dict[str, Any] = {"na": texts} if len(texts) <= WORDS else {}
            if settings and self.fills:
                settings["missing"] = self.options.missing or "median"
            self.faults.add(
                f"{self._cell(*cells[0])}: {shown(texts[0])} is no number"
                + f", as {len(cells) - 1} more there" * (len(cells) > 1)
                + f"; correct it, or dataset.na=[{texts[0]}] takes it as missing",
                **settings,
            )

    def _refuse_commas(self, columns, values, bad) -> None:
        """Refuse numbers with commas: decimal signs, thousands, or two signs in one table."""
        cells = self.cells[:, columns]
        at = [(i, j) for i, j in np.argwhere(bad).tolist() if COMMAS.fullmatch(cells[i, j].strip())]
        if not at or self.options.decimal == ",":
            return
        grouped = all(GROUPED.fullmatch(cells[cell].strip()) for cell in at)
        has_points = any("." in text for text in cells[~np.isnan(values) & ~bad])
        advice, settings = "dataset.decimal=',' reads them", {"decimal": ","}
        if self.options.decimal == "." or (has_points and not grouped):
            advice, settings = "others have a point; write all with one sign", {}
        elif grouped:
            points = "" if has_points else " or dataset.decimal=',' as decimal signs"
            advice, settings = f"dataset.thousands=',' reads them as thousands{points}", {}
        self.faults.add(
            f"{self._cell(at[0][0], columns[at[0][1]])}: {shown(cells[at[0]])} has a comma, as "
            f"{len(at)} numbers in {len({j for _, j in at})} columns; {advice}",
            **settings,
        )
        for cell in at:
            bad[cell], values[cell] = False, 0.0

    def _refuse_text(self, place: str, j: int, texts: list[str]) -> None:
        """Refuse a column of text, and offer what it may be."""
        name, n, different = self.names[j], len(texts), len(set(texts))
        said = f"{place}: {shown(texts[0])} is text, as {n} values of {shown(name)}"
        drop, settings = "dataset.drop leaves the column out", {"drop": [name]}
        if all(DATE.fullmatch(text.strip()) for text in texts):
            advice = f"they look like dates; {drop}"
        elif 2 * sum(ODDLY.match(text.strip()) is not None for text in texts) > n:
            advice, settings = f"write numbers by digits, a sign and a point alone, or {drop}", {}
        elif different == n and j == 0 and self.options.index == "auto" and not self.row_names:
            advice, settings = (
                f"dataset.index={name} takes it as row names, {drop}",
                {"index": name},
            )
        elif different in (1, n):
            advice = drop
        else:
            repeated = f"{different} of them different; "
            last = f"dataset.onehot=[{name}] makes a feature of each value, {drop}"
            groups = f"dataset.groups={name} if equal ones belong together"
            adjust = f"dataset.adjust=[{name}] if it shifts the features"
            is_free = self.groups is None and "groups" not in self.faults.settings
            if not self.fills:
                advice, settings = repeated + last, {"onehot": [name]}
            elif is_free and (TOGETHER.search(name) or n / 4 <= different <= n / 2):
                advice, settings = f"{repeated}{groups}, {adjust}, {last}", {"groups": name}
            elif different <= n / 2:
                advice, settings = f"{repeated}{adjust}, {groups}, {last}", {"adjust": [name]}
            else:
                advice = f"{repeated}{groups}, {last}"
        self.faults.add(f"{said}; {advice}", **settings)

    def _refuse_points(self, columns) -> None:
        """Refuse a file in which all points of numbers may stand between thousands."""
        if not self.is_loose or self.options.decimal or self.options.thousands:
            return
        cells = self.cells[self.live][:, columns]
        pointed = [(cell, text) for cell, text in np.ndenumerate(cells) if "." in text]
        if pointed and all(THOUSANDS.fullmatch(text.strip()) for _, text in pointed):
            (i, j), text = pointed[0]
            self.faults.add(
                f"{self._cell(self._live()[i], columns[j])}: the point of {shown(text)} is a "
                "decimal sign or between thousands; dataset.decimal=. or dataset.thousands=. says it",
                decimal=".",
            )

    def _refuse_counters(self, columns, values, bad) -> None:
        """Refuse columns of whole numbers that count rows, name them, or are days."""
        for at, j in enumerate(columns):
            column, name = values[self.live, at], self.names[j]
            texts = [text.strip() for text in self.cells[self.live, j]]
            if len(texts) < 2 or bad[:, at].any() or not all(map(str.isdigit, texts)):
                continue
            says_none = self.turned or self.options.index is None
            is_free = self.options.index == "auto" and self.row_names is None
            if all(map(DATE.fullmatch, texts)):
                told = "holds dates; dataset.drop leaves it out"
            elif says_none or len(set(texts)) < len(texts):
                continue
            elif np.ptp(column) == len(texts) - 1 or (name and INDEX.fullmatch(name)):
                told = "counts or names the rows; dataset.drop leaves it out"
                told += f", dataset.index={name} takes it as row names" * is_free
                told += ", dataset.index=null takes it as a feature" * (
                    self.options.index == "auto"
                )
            else:
                continue
            index = is_free and "dates" not in told and "index" not in self.faults.settings
            settings: dict[str, Any] = {"index": name} if index else {"drop": [name]}
            self.faults.add(f"{self._cell(self._live()[0], j)}: {shown(name)} {told}", **settings)

    def _onehot(self, name: str, texts: list[str], X, names) -> tuple[npt.NDArray, list[str]]:
        """X and its names with a feature for each value of a column, one if it has two."""
        own = np.array([text.strip() for text in texts], dtype=object)
        absent = np.isin(own, list(self.absent))
        different = sorted(set(own[~absent & self.live]))
        added = [f"{name}={value}" for value in different]
        if (
            len(different) < 2
            or len(different) > len(own) / 2
            or set(added) & {*names, *self.names}
        ):
            self.faults.add(
                f"the column {shown(name)} has {len(different)} values in {len(own)} rows, or one "
                "whose feature is there already; leave it out of dataset.onehot, or rename it"
            )
            return X, names
        first = 1 if len(different) == 2 else 0
        block = np.stack([own == value for value in different[first:]], axis=1).astype(np.float64)
        block[absent] = np.nan
        return np.hstack([X, block]), [*names, *added[first:]]

    def _refuse_gaps(self, names: list[str], X: npt.NDArray) -> None:
        """Refuse columns without any value, and gaps unless an option says what becomes of them."""
        gaps = np.isnan(X[self.live])
        count = gaps.sum(axis=0)
        empty = [names[j] for j in np.flatnonzero((count == len(gaps)) & (count > 0)).tolist()]
        if empty:
            self.faults.add(
                f"no value in the columns {some(map(shown, empty))}; dataset.drop leaves them out",
                drop=empty,
            )
        some_gaps = np.flatnonzero((count > 0) & (count < len(gaps))).tolist()
        if self.options.missing == "drop" and len(names) - len(empty) - len(some_gaps) < 2:
            self.faults.add(
                f"dataset.missing=drop leaves fewer than two of {len(names)} columns; use median",
                missing="median",
            )
        if not some_gaps or self.options.missing:
            return
        row = self._live()[int(np.flatnonzero(gaps[:, some_gaps[0]])[0])]
        told = some(f"{shown(names[j])}: {count[j]}" for j in some_gaps)
        how = "dataset.missing=median fills them, drop leaves such columns out"
        settings: dict[str, Any] = {"missing": "median"}
        if not self.fills:
            how, settings = "dataset.drop leaves them out", {"drop": [names[j] for j in some_gaps]}
        self.faults.add(
            f"{self._rows([row])}: missing values in {len(some_gaps)} columns ({told}); {how}",
            **settings,
        )

    def _transformed(self, names: list[str], X: npt.NDArray) -> npt.NDArray:
        """X after `transform`, a function of each sample alone."""
        how = self.options.transform
        if how is None:
            return X
        self.notes.append(f"values were transformed by {how}, as asked for")
        if how == "rank":
            return np.asarray(stats.rankdata(X, axis=1, nan_policy="omit"), dtype=np.float64)
        wrong = X < 0 if how == "log1p" else X <= 0
        if not wrong.any():
            return np.log1p(X) if how == "log1p" else np.log2(X)
        for j in np.flatnonzero(wrong.any(axis=0)).tolist():
            row = int(np.flatnonzero(wrong[:, j])[0])
            has_zeros = how == "log2" and not (X < 0).any()
            self.faults.add(
                f"{self._rows([row])}, column {shown(names[j])}: no {how} of {X[row, j]:g}; "
                + "dataset.na=[0] if 0 is not measured, or log1p; " * has_zeros
                + "dataset.transform=rank takes all numbers",
                transform="log1p" if has_zeros else "rank",
            )
        return X


def _spelled(name: str) -> float | str:
    """A key that two spellings of one class share: 1 and 1.0, True and TRUE, both forms of ü."""
    text = " ".join(unicodedata.normalize("NFKC", name).casefold().split())
    return float(text) if re.fullmatch(r"[+-]?[0-9]{1,15}(\.[0-9]{0,15})?", text) else text


def _on_names(names: Sequence[str]) -> Iterable[str]:
    """Sentences on names that look like dates, or differ by capital letters and blanks alone."""
    if dates := [name for name in names if DATE.fullmatch(name)]:
        yield (
            f"WARNING {some(map(shown, dates))} are called like dates, as a spreadsheet makes of "
            "names of genes"
        )
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault("".join(name.casefold().split()), []).append(name)
    for same in (same for same in alike.values() if len(same) > 1):
        yield f"{some(map(shown, same))} differ by capital letters or blanks alone"
