"""The roles of a user's columns and rows: names, samples, row names, and a second table."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from experiments.config import TableConfig
from experiments.datasets.dataset import shown, some
from experiments.datasets.grid import Faults, Grid

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
#: Whole numbers of more digits may be no floats.
DIGITS = 15


def grammar(options: TableConfig) -> re.Pattern[str]:
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


class Roles:
    """The roles of the columns of a table, which has samples in rows once it is taken.

    Parameters
    ----------
    options : TableConfig
    faults : Faults
        What goes wrong is added to them.
    fills : bool
        Whether the experiment fills gaps and obeys groups and covariates.
    """

    def __init__(self, options: TableConfig, faults: Faults, fills: bool) -> None:
        self.options, self.faults, self.fills = options, faults, fills
        self.absent, self.pattern = ABSENT | set(options.na), grammar(options)
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
        out = [j for j, name in enumerate(grid.names) if name in options.drop]
        self.dropped = {grid.names[j]: grid.cells[:, j].tolist() for j in out}
        if out:
            self.notes.append(f"{len(out)} columns were dropped, as asked for")
        if not self.turned:
            self.names, self.lines = [grid.names[j] for j in kept], grid.lines
            self.cells, self.row_names = grid.cells[:, kept], None
            self.is_sample = np.ones(len(self.cells), dtype=bool)
            self.is_odd = self._check_names([f"column {j + 1}" for j in kept])
            self._find_index()
            return
        rows = [i for i, name in enumerate(features) if name not in options.drop]
        columns = [j for j in kept if j != at]
        self.names, self.lines = [features[i] for i in rows], [grid.lines[i] for i in rows]
        self.cells = grid.cells[np.ix_(rows, columns)].T
        self.row_names = [grid.names[j] for j in columns]
        self.is_sample = np.ones(len(self.cells), dtype=bool)
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
            self.row_names = self.column(self.index)
            self.notes.append(f"the column {shown(self.index)} has the row names")

    def column(self, name: str) -> list[str]:
        return self.cells[:, self.names.index(name)].tolist()

    def rows(self, at: Iterable[int]) -> str:
        """The places of samples in the file."""
        at = list(at)
        if self.turned and self.row_names is not None:
            return f"column{'s' * (len(at) > 1)} {some(shown(self.row_names[i]) for i in at)}"
        return f"{self.word}{'s' * (len(at) > 1)} {some(self.lines[i] for i in at)}"

    def cell(self, i: int, j: int) -> str:
        """The place of a cell in the file."""
        if self.turned:
            return f"{self.word} {self.lines[j]} ({shown(self.names[j])}), {self.rows([i])}"
        return f"{self.rows([i])}, column {shown(self.names[j])}"

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
            folded = {name.casefold(): name for name in names[:2000]}
            near = get_close_matches(lacking[0].casefold(), folded, 1, 0.0)
            others = {n: set(grid.cells[:, j]) for j, n in enumerate(grid.names)}
            right = [name for name, own in others.items() if own.issuperset(self.row_names)]
            cure = f"put its column {shown(right[0])} first" if right else "write both alike"
            self.faults.refuse(
                f"{self.rows([self.row_names.index(lacking[0])])}: {len(lacking)} samples are not "
                f"in the column {column} of {file}: {some(map(shown, lacking))} here, "
                f"{some(shown(folded[name]) for name in near)} there; {cure}"
                + ", or dataset.drop leaves out what is no sample"
                * self.turned,
                **({"drop": lacking} if self.turned and len(lacking) < len(names) else {}),
            )
        rows = [place[name] for name in self.row_names]
        self.second = {n: grid.cells[rows, j].tolist() for j, n in enumerate(grid.names) if j != at}
        self.notes.append(f"joined with {file} by its column {column}")
        if more := [name for name in names if name not in set(self.row_names)]:
            self.notes.append(f"{len(more)} samples of {file} are not in the table: {some(more)}")

    def live(self) -> list[int]:
        """The rows that are samples."""
        return np.flatnonzero(self.is_sample).tolist()

    def role(self, name: str | None, key: str) -> list[str] | None:
        """The texts of a column of the table or of the second one; a fault if it is not there."""
        if name is None and key == "target":
            could = [n for n in self.names if 1 < len({*self.column(n)} - {""}) <= 10]
            could = [*(n for n, own in self.second.items() if 1 < len({*own}) <= 10), *could]
            self.faults.add(
                "dataset.target=COLUMN must name the column of classes; few values are in: "
                f"{some(map(shown, could)) or 'none'}",
                **({"target": could[0]} if could else {}),
            )
        if name is None:
            return None
        if name in self.names and name in self.second and self.column(name) != self.second[name]:
            pairs = enumerate(zip(self.column(name), self.second[name], strict=True))
            row, told = next((i, pair) for i, pair in pairs if pair[0] != pair[1])
            self.faults.add(
                f"{self.rows([row])}: {shown(name)} is {shown(told[0])}, and {shown(told[1])} "
                f"in {Path(self.options.labels or '').name}; dataset.drop leaves one out",
                drop=[name],
            )
        if name in self.second:
            return self.second[name]
        if name in self.names:
            return self.column(name)
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
                f"; {self.rows([0])} has it: two header rows, so join them in one"
            )
        return None

    def number(self, text: str) -> float | None:
        return number(text.strip(" \t"), self.pattern, self.options)
