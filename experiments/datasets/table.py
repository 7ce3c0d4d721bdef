"""A user's own table, by contract: one header, one sample a row, classes, and numbers elsewhere.

Whatever is not so is refused, all faults at once, each with its place and its cure. A file becomes
texts in :mod:`texts`. Here texts become numbers, columns get roles, and what is no number, no class
or no sample is refused.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from experiments.config import TableConfig
from experiments.datasets.dataset import DataError, Dataset, Limits, shown, some
from experiments.datasets.faults import Faults
from experiments.datasets.fingerprint import canonical_order
from experiments.datasets.texts import THOUSANDS, read_texts

#: What pandas reads as a missing value.
ABSENT = frozenset(
    ["", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
     "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"]
)  # fmt: skip
#: Whole numbers of more digits may be no floats.
DIGITS = 15
#: Names of a first column that has the names of the rows.
INDEX = re.compile(
    r"#?((.*[\W_])?(samples?|ids?|names?|barcodes?)|unnamed: \d+|index|"
    r"(sample|patient|subject|usubj|record|case|respondent)_?(id|name|no|nr))?",
    re.IGNORECASE,
)
#: Names of columns whose equal values belong together.
TOGETHER = re.compile(r"patient|subject|donor|participant|individual|animal|family", re.IGNORECASE)
#: Names of rows that are no samples, or none.
NO_SAMPLE = re.compile(
    r"|#.*|(sub)?total|sum|mean|average|median|min|max|n|cv( \(%\))?|sd|std|sem|lod|loq|"
    r"((qc_)?pool|qc|blank)(_?\d+)?",
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
#: A covariate of whole numbers with at most so many values has categories.
CATEGORIES = 10
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
    groups : tuple of str (n_samples,), or None
        Samples with equal texts belong together.
    adjust : mapping of str to list (n_samples,)
        Covariate -> its numbers as floats, or its categories as texts.
    notes : tuple of str
        Sentences on what was read and left out.
    """

    file_rows: npt.NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    row_names: tuple[str, ...] | None = None
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
    faults, limits = Faults(options.path, options, command, fills), Limits(max_gib)
    reading = _Reading(read_texts(options.path, options, faults, limits), options, faults)
    if options.labels:
        of_labels = Faults(options.labels, options, command, fills)
        alone = TableConfig(encoding=options.encoding, decimal=options.decimal)
        reading.join(read_texts(options.labels, alone, of_labels, limits), of_labels)
    return reading.table()


def _check(options: TableConfig) -> None:
    """Raise a DataError if an option has another value than those that it takes."""
    decimal, thousands = options.decimal or ".", options.thousands
    valid: dict[str, Sequence[str]] = {
        "transform": ("log1p", "log2", "rank"),
        "decimal": (".", ","),
    }
    valid |= {"missing": ("median", "drop")}
    for key, values in valid.items():
        if (value := getattr(options, key)) not in (None, *values):
            raise DataError(f"dataset.{key} must be null or one of {some(values)}, got {value!r}")
    if thousands is not None and (len(thousands) != 1 or thousands in f"{decimal}+-0123456789eE"):
        raise DataError(
            f"dataset.thousands must be one sign, and no {decimal!r}, got {thousands!r}"
        )
    keys: dict[str, list[str]] = {}
    for key in ("target", "groups", "adjust", "onehot", "drop"):
        given = getattr(options, key)
        for name in dict.fromkeys(given if isinstance(given, list) else [given]):
            keys.setdefault(name, []).append(f"dataset.{key}")
    for name, own in keys.items():
        if len(own) > 1 and name:
            raise DataError(f"{' and '.join(own)} name the column {name!r}; one of them may")


def numbers(texts: Iterable[str], options: TableConfig) -> npt.NDArray[np.float64]:
    """The numbers that texts are: the one place where texts become numbers.

    A text is no number if a float would change it: beyond the largest one, so near to 0 that it is
    taken for 0, or a whole number of more digits than a float has. It matches the grammar in one
    way, so that time is linear in its length.

    Parameters
    ----------
    texts : iterable of str
        Blanks and tabs around a number do not count.
    options : TableConfig
        `decimal`, `thousands` and `na` are used.

    Returns
    -------
    ndarray of shape (n_texts,)
        NaN for a missing value, infinity for what is no number.
    """
    absent, thousands = ABSENT | set(options.na), options.thousands
    point, whole = re.escape(options.decimal or "."), "0|[1-9][0-9]*"
    if thousands is not None:
        whole = rf"[1-9][0-9]{{0,2}}(?:{re.escape(thousands)}[0-9]{{3}})+|{whole}"
    grammar = re.compile(
        rf"[+-]?(?:(?:{whole})(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?"
    )

    def number(text: str) -> float:
        if text in absent:
            return np.nan
        if not grammar.fullmatch(text):
            return np.inf
        plain = text.replace(thousands, "") if thousands else text
        value = float(plain.replace(options.decimal or ".", "."))
        is_long = len(digits := plain.lstrip("+-")) > DIGITS and digits.isdigit()
        is_changed = is_long and (len(digits) > 300 or value != int(plain))
        is_changed |= value == 0 and re.search("[1-9]", re.split("[eE]", plain)[0]) is not None
        return np.inf if is_changed else abs(value) if abs(value) == np.inf else value

    return np.array([number(text.strip(" \t")) for text in texts])


class _Reading:
    """A table on its way from texts, whose index has the places of rows, to numbers."""

    def __init__(self, frame: pd.DataFrame, options: TableConfig, faults: Faults) -> None:
        self.options, self.faults, self.turned = options, faults, options.transpose
        self.is_loose = frame.attrs.get("is_loose", False)
        self.groups = None if options.groups == "auto" else options.groups
        self.notes = [f"{Path(options.path or '').name}: {len(frame)} rows"]
        #: Whether names are missing or unclear, so that nothing else can be looked at.
        self.is_lost = False
        names = _header(frame)
        at = names.index(options.index) if options.index in names else 0
        features = frame.iloc[:, at].tolist() if self.turned else []
        self._look_up(None if options.index == "auto" else options.index, names, "index")
        for name in options.drop:
            self._look_up(name, [*names, *features], "drop")
        kept = ~frame.columns.isin(options.drop)
        if not kept.all():
            self.notes.append(f"{(~kept).sum()} columns were dropped, as asked for")
        whole, self.frame = frame, frame.loc[:, kept]
        self.index: str | None = None
        if self.turned:
            kept[at], rows = False, [name not in options.drop for name in features]
            self.row_names: list[str] | None = frame.columns[kept].tolist()
            self.frame = frame.loc[rows, kept].T
            self.frame.index = pd.Index([f"column {shown(name)}" for name in self.row_names])
            self.frame.columns = pd.Index(frame.iloc[:, at][rows], dtype=object)
            #: The place of each feature.
            self.places = dict(zip(_header(self.frame), frame.index[rows], strict=True))
            self._check_names(frame.index[rows].tolist())
            self.notes.append("the table was turned: samples are its columns")
        else:
            self._check_names([f"column {j + 1}" for j in np.flatnonzero(kept)])
            self._find_index()
            self._refuse_long(whole)
        #: Columns of the file; a second table adds others.
        self.own = _header(self.frame)

    def _where(self, rows: Any) -> str:
        """The places of samples in the file."""
        return some(self.frame.index[rows])

    def _cell(self, i: int, name: str) -> str:
        """The place of a cell in the file."""
        own = self.frame.index[i]
        if self.turned:
            return f"{self.places[name]} ({shown(name)}), {own}"
        return f"{own}, column {shown(name)}"

    def _look_up(self, name: str | None, names: Sequence[str], key: str) -> None:
        """Add a fault if a name that an option gives is not there."""
        if name is None or name in names:
            return
        what = "row" if self.turned and key in ("target", "groups", "adjust") else "column"
        near = get_close_matches(name, names := list(dict.fromkeys(names)), 1)
        told = f"did you mean {shown(near[0])}?" if near else f"there are {some(map(shown, names))}"
        self.faults.add(f"the file has no {what} {shown(name)}, as dataset.{key} says; {told}")
        self.is_lost = True

    def _check_names(self, places: list[str]) -> None:
        """Refuse names that are missing, repeat or have line breaks."""
        at: dict[str, list[str]] = {}
        for name, place in zip(_header(self.frame), places, strict=True):
            at.setdefault(name, []).append(place)
        for name, where in at.items():
            if unnamed := [place for place in where if not name and place != "column 1"]:
                told = f"{some(unnamed)}: no name in the header; give one, or delete it"
            elif len(where) > 1:
                told = f"{some(where)} are called {shown(name)}; give each a name of its own"
            elif re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", name):
                told = f"{where[0]}: {shown(name)} has a line break; remove it from the name"
            else:
                continue
            self.faults.add(told)
            self.is_lost = True

    def _find_index(self) -> None:
        """The row names: the column that is named, or a first one that is called so."""
        options, first = self.options, next(iter(_header(self.frame)), "-")
        roles = (options.target, *options.adjust, *options.onehot)
        if options.index in self.frame:
            self.index = options.index
        elif options.index == "auto" and INDEX.fullmatch(first) and first not in roles:
            self.index = first
        at = list(self.frame).index(self.index) if self.index is not None else None
        self.row_names = None if at is None else self.frame.iloc[:, at].tolist()
        if self.index is not None:
            self.notes.append(f"the column {shown(self.index)} has the row names")

    def _refuse_long(self, frame: pd.DataFrame) -> None:
        """Refuse a table with a row for each sample and feature: two texts name each row once.

        Columns that are dropped are looked at, too: what they name stays as it is.
        """
        options = self.options
        taken = {options.target, *options.adjust, *options.onehot, self.groups}
        taken |= {self.index} if self.groups else set()
        again: dict[str, list[str]] = {}
        for name, own in frame.items():
            texts = own.tolist()
            if name in taken or min(Counter(texts).values()) < 2:
                continue
            if name == self.index or np.isinf(numbers(texts, options)).mean() > 0.5:
                again[str(name)] = texts
        n_others = len({*self.frame} - {*taken, *again, self.index})
        for one, other in combinations([*again][:COMPARED], 2):
            pairs = [*zip(again[one], again[other], strict=True)]
            fewest = min(len({*again[one]}), len({*again[other]}))
            if len({*pairs}) == len(pairs) and fewest >= n_others:
                self.faults.refuse(
                    f"the columns {shown(one)} and {shown(other)} name each row once, so that the "
                    f"table looks long: write frame.pivot(index={one!r}, columns={other!r}, "
                    f"values=COLUMN) by pandas; if it is not, dataset.groups={one} or dataset.drop"
                )

    def join(self, second: pd.DataFrame, faults: Faults) -> None:
        """Take the columns of a second table by row names; its own faults are told apart."""
        names, options = self.row_names, self.options
        file = Path(options.labels or "").name
        if names is None:
            self.faults.refuse(
                "dataset.labels needs names of the samples in the file; dataset.index=NAME names "
                "their column"
            )
        counts = [str(i) for i in range(len(names) + 1)]
        if self.index == "" and names in (counts[1:], counts[:-1]):
            self.faults.refuse("column 1 counts the rows, and joins nothing; give samples names")
        folded = [str(name).casefold() for name in second]
        called = (self.index or "").casefold()
        at = folded.index(called) if called in folded else 0
        theirs, column = second.iloc[:, at].tolist(), shown(second.columns[at])
        for name, n in Counter(theirs).items():
            if n > 1:
                where = some(second.index[np.equal(theirs, name)])
                faults.add(f"{where}: {shown(name)} in {column} repeats; keep one of them")
        if twice := [name for name, n in Counter(second).items() if n > 1]:
            faults.add(f"columns are called alike, {some(map(shown, twice))}; rename one of them")
        if faults.told:
            faults.refuse()
        more = [name for name in theirs if name not in names]
        if lacking := list(dict.fromkeys(name for name in names if name not in theirs)):
            near = get_close_matches(lacking[0], more[:2000], 1, 0.0)
            self.faults.refuse(
                f"{self._where([names.index(lacking[0])])}: {len(lacking)} samples are not in the "
                f"column {column} of {file}: {some(map(shown, lacking))} here, "
                f"{some(map(shown, near))} there; write both alike"
                + ", or dataset.drop leaves out what is no sample"
                * self.turned,
                drop=lacking if self.turned and len(lacking) < len(theirs) else [],
            )
        second = second.iloc[[theirs.index(name) for name in names]].set_axis(self.frame.index)
        for name in {options.target, self.groups, *options.adjust} & {*self.frame} & {*second}:
            if (different := self.frame[name] != second[name]).any():
                row = int(different.argmax())
                one, other = (shown(each[name].iloc[row]) for each in (self.frame, second))
                self.faults.add(
                    f"{self._where([row])}: {shown(name)} is {one}, and {other} in {file}; remove "
                    "one of these columns"
                )
        new = [name for name in second.columns.delete(at) if name not in self.frame]
        self.frame = pd.concat([self.frame, second[new]], axis=1)
        self.notes.append(f"joined with {file} by its column {column}")
        if more:
            self.notes.append(f"{len(more)} samples of {file} are not in the table: {some(more)}")

    def _look_for_roles(self) -> None:
        """Refuse what nothing can be looked at without: columns that options name."""
        options, frame, faults = self.options, self.frame, self.faults
        if self.groups in ("row", "sample") and self.groups not in frame and self.row_names:
            self.frame = frame = frame.assign(**{self.groups: self.row_names})
        if options.target is None and not self.is_lost:
            few = [name for name in _header(frame) if 1 < len({*frame[name]}) <= 10]
            faults.refuse(
                "dataset.target=COLUMN must name the column of classes; few values are in: "
                f"{some(map(shown, few)) or 'none'}",
                **({"target": few[-1]} if few else {}),
            )
        for key in ("target", "groups", "adjust", "onehot"):
            given = self.groups if key == "groups" else getattr(options, key)
            for name in given if isinstance(given, list) else [given]:
                self._look_up(name, _header(frame), key)
                if self.turned or name is None or name in frame:
                    continue
                if name in {*frame.iloc[:, 0]}:
                    faults.told[-1] += "; it is a row, so try dataset.transpose=true"
                    faults.settings.setdefault("transpose", True)
                elif name in {*frame.iloc[0]}:
                    faults.told[-1] += f"; {self._where([0])} has it: join two header rows in one"
        if self.is_lost:
            faults.refuse()

    def table(self) -> Table:
        """The table, or the refusal with all its faults."""
        self._look_for_roles()
        options, faults = self.options, self.faults
        taken = {options.target, self.groups, self.index, *options.adjust, *options.onehot}
        names = [name for name in self.own if name not in taken]
        X = numbers(self.frame[names].to_numpy().ravel(), options).reshape(-1, len(names))
        self._refuse_rows_of_text(X)
        self._check_row_names()
        y, label_names = self._classes(self.frame[options.target].tolist())
        for name in filter(None, [self.groups, *options.adjust]):
            if (gaps := np.isnan(numbers(self.frame[name], options))).any():
                faults.add(f"{self._where(gaps)}: no value in {shown(name)}; fill or remove it")
        adjust = {name: self._covariate(name) for name in options.adjust}
        self._refuse_commas(X, names)
        self._refuse_texts(X, names)
        self._refuse_points(names)
        self._refuse_counters(X, names)
        for name in options.onehot:
            X, names = self._onehot(name, X, names)
        self._refuse_gaps(X, names)
        if not names:
            faults.add("no column is left for the features; leave one out of dataset.drop")
        if not faults.told:
            X = self._transformed(X, names)
        if faults.told:
            faults.refuse()
        if dates := [shown(name) for name in names if DATE.fullmatch(name)]:
            self.notes.append(f"WARNING {some(dates)}: dates, which spreadsheets make of genes")
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
            groups=None if self.groups is None else tuple(self.frame[self.groups]),
            adjust=adjust,
            notes=tuple(self.notes),
        )
        return Table(**{**vars(about), **about.only(order)})

    def _refuse_rows_of_text(self, X: npt.NDArray) -> None:
        """Refuse text in most columns of numbers: a second header, units, a sample that failed."""
        bad = np.isinf(X)[:, 2 * np.isinf(X).sum(axis=0) < (~np.isnan(X)).sum(axis=0)]
        odd = (bad.sum(axis=1) > 1) & (2 * bad.sum(axis=1) > bad.shape[1])
        if odd.any():
            self.faults.refuse(
                f"{self._where(odd)}: text in most columns of numbers; remove a second header, "
                "units and footers, dataset.drop leaves out a column, dataset.na takes words as "
                "missing",
                drop=self._dropped(odd),
            )

    def _dropped(self, rows: npt.NDArray) -> list[str]:
        """The names of samples that an option may drop, since they are columns of the file."""
        return np.array(self.row_names, dtype=object)[rows].tolist() if self.turned else []

    def _check_row_names(self) -> None:
        """Refuse names of rows that are missing, repeat, or are of no samples."""
        names = np.array([name.strip() for name in self.row_names or []], dtype=object)
        other = np.array([bool(NO_SAMPLE.fullmatch(name)) for name in names], dtype=bool)
        if other.any():
            self.faults.add(
                f"{self._where(other)}: {some(map(shown, names[other]))} is no name of a sample; "
                "remove what is none, or rename it",
                drop=self._dropped(other),
            )
        counts = Counter(self.row_names or [])
        twice = [name for name, n in counts.items() if n > 1 and name.strip()]
        if twice and self.options.groups == "auto":
            key = self.index or ("sample" if self.turned else "row")
            self.faults.add(
                f"{self._where(np.equal(names, twice[0].strip()))}: {shown(twice[0])} repeats, as "
                f"do {len(twice)} row names; dataset.groups={key} keeps equal ones together, "
                "dataset.groups=null takes them as independent",
                groups=key if self.faults.fills else None,
            )

    def _classes(self, labels: list[str]) -> tuple[npt.NDArray[np.int64], dict[int, str]]:
        """The code of each row's class, and the names of the classes."""
        target, faults = shown(self.options.target), self.faults
        empty = np.array([label.strip() in ABSENT for label in labels], dtype=bool)
        if empty.any():
            first = shown(labels[int(empty.argmax())])
            faults.add(
                f"{self._where(empty)}: no class in {target}, but {first}; write it, or remove it",
                drop=self._dropped(empty),
            )
        counts = Counter(label for label in labels if label.strip() not in ABSENT)
        if len(counts) < 2:
            faults.add(
                f"{target} has {some(counts) or 'no class'} in all rows; name another column"
            )
        place = {name: f"{shown(name)} ({self._where([labels.index(name)])})" for name in counts}
        alike = Counter(map(_spelled, counts))
        twins = [place[name] for name in counts if alike[_spelled(name)] > 1]
        single = [place[name] for name, n in counts.items() if n == 1]
        if twins:
            faults.add(f"two spellings of one class in {target}: {some(twins)}; write one of them")
        elif single and len(counts) > 1:
            faults.add(
                f"{len(single)} of {len(counts)} classes in {target} have one sample: "
                f"{some(single)}; rename or remove it, or make classes of numbers in the file"
            )
        is_number = all(isinstance(spelled, float) for spelled in alike)
        names = sorted(counts, key=float if is_number else None)
        codes = {name: code for code, name in enumerate(names)}
        return np.array([codes.get(each, -1) for each in labels], np.int64), dict(enumerate(names))

    def _covariate(self, name: str) -> list:
        """The numbers of a covariate; or its texts, also if they are few whole numbers."""
        texts = self.frame[name].tolist()
        values = numbers(texts, self.options)
        found, bad = values[np.isfinite(values)], np.isinf(values)
        if bad.any() and 2 * len(found) > len(values):
            row = int(bad.argmax())
            self.faults.add(
                f"{self._where([row])}: {shown(texts[row])} in {shown(name)} is no number as "
                "others are; correct it, or leave the column out of dataset.adjust"
            )
        is_few = len({*found}) <= min(CATEGORIES, len(texts) / 3) and (found % 1 == 0).all()
        is_number = len(found) == len(texts) and not is_few
        kind = "a number" if is_number else f"{len({*texts})} categories"
        self.notes.append(f"the covariate {shown(name)} is {kind}")
        return values.tolist() if is_number else texts

    def _refuse_commas(self, X: npt.NDArray, names: list[str]) -> None:
        """Refuse numbers with commas: decimal signs, thousands, or two signs in one table."""
        texts = self.frame[names].to_numpy()
        at = [(i, j) for i, j in np.argwhere(np.isinf(X)) if COMMAS.fullmatch(texts[i, j].strip())]
        if not at or self.options.decimal == ",":
            return
        has_points = any("." in text for text in texts[np.isfinite(X)])
        settings: dict[str, Any] = {}
        if all(GROUPED.fullmatch(texts[cell].strip()) for cell in at):
            points = "" if has_points else " or dataset.decimal=',' as decimal signs"
            advice = f"dataset.thousands=',' reads them as thousands{points}"
        elif has_points or self.options.decimal == ".":
            advice = "others have a point; write all with one sign"
        else:
            advice, settings = "dataset.decimal=',' reads them", {"decimal": ","}
        (i, j), n_columns = at[0], len({j for _, j in at})
        self.faults.add(
            f"{self._cell(i, names[j])}: {shown(texts[i, j])} has a comma, as {len(at)} numbers in "
            f"{n_columns} columns; {advice}",
            **settings,
        )
        X[tuple(np.transpose(at))] = 0.0  # They are told, and are neither words nor gaps.

    def _refuse_texts(self, X: npt.NDArray, names: list[str]) -> None:
        """Refuse text among numbers, column by column of the file, and offer what it may be."""
        bad, n_filled = np.isinf(X), (~np.isnan(X)).sum(axis=0)
        words: dict[int, list[tuple[int, int]]] = {}
        for j in np.flatnonzero(bad.any(axis=0)).tolist():
            rows = np.flatnonzero(bad[:, j]).tolist()
            if 2 * len(rows) > n_filled[j]:
                self._refuse_text(names[j], rows)
                continue
            for i in rows:
                words.setdefault(i if self.turned else j, []).append((i, j))
        for cells in words.values():
            texts = [self.frame[names[j]].iloc[i].strip(" \t") for i, j in cells]
            na = list(dict.fromkeys(texts))
            missing = self.options.missing or "median"
            self.faults.add(
                f"{self._cell(cells[0][0], names[cells[0][1]])}: {shown(texts[0])} is no number"
                + f", as {len(cells) - 1} more there" * (len(cells) > 1)
                + f"; correct it, or dataset.na=[{texts[0]}] takes it as missing",
                [names[j] for _, j in cells],
                **({"na": na, "missing": missing} if len(na) <= WORDS else {}),
            )

    def _refuse_text(self, name: str, rows: list[int]) -> None:
        """Refuse a column of text, and offer what it may be."""
        texts = [self.frame[name].iloc[i].strip() for i in rows]
        n, different = len(texts), len({*texts})
        drop = "dataset.drop leaves the column out"
        settings: dict[str, Any] = {"drop": [name]}
        groups = f"dataset.groups={name} if equal ones belong together"
        adjust = f"dataset.adjust=[{name}] if it shifts the features"
        onehot = f"dataset.onehot=[{name}] makes a feature of each value"
        is_free = self.groups is None and "groups" not in self.faults.settings
        if 2 * sum(ODDLY.match(text) is not None for text in texts) > n:
            offers, settings = (
                ["write numbers by digits, a sign and a point, and no dates", drop],
                {},
            )
        elif different == n and name == self.own[0] and self.row_names is None:
            offers, settings = (
                [f"dataset.index={name} takes it as row names", drop],
                {"index": name},
            )
        elif different in (1, n):
            offers = [drop]
        elif is_free and (TOGETHER.search(name) or max(3, n / 4) <= different <= n / 2):
            offers, settings = [groups, adjust, onehot, drop], {"groups": name}
        elif different <= n / 2:
            offers, settings = [adjust, groups, onehot, drop], {"adjust": [name]}
        else:
            offers = [groups, onehot, drop]
        self.faults.add(
            f"{self._cell(rows[0], name)}: {shown(texts[0])} is text, as {n} values of "
            f"{shown(name)}, {different} of them different; {', '.join(offers)}",
            [name],
            **settings,
        )

    def _refuse_points(self, names: list[str]) -> None:
        """Refuse a file in which all points of numbers may stand between thousands."""
        if not self.is_loose or self.options.decimal or self.options.thousands:
            return
        texts = self.frame[names].to_numpy()
        at = [(cell, text) for cell, text in np.ndenumerate(texts) if "." in text]
        if at and all(THOUSANDS.fullmatch(text.strip()) for _, text in at):
            (i, j), text = at[0]
            self.faults.add(
                f"{self._cell(i, names[j])}: the point of {shown(text)} is a "
                "decimal sign or between thousands; dataset.decimal=. or dataset.thousands=. tells",
                decimal=".",
            )

    def _refuse_counters(self, X: npt.NDArray, names: list[str]) -> None:
        """Refuse columns of whole numbers that count rows, name them, or are days."""
        index = self.options.index
        for j, name in enumerate(names):
            texts, values = [text.strip() for text in self.frame[name]], X[:, j]
            if not (np.isfinite(values).all() and all(map(str.isdigit, texts))):
                continue
            told = "dataset.drop leaves it out"
            settings: dict[str, Any] = {"drop": [name]}
            if all(map(DATE.fullmatch, texts)):
                told = f"holds dates; {told}"
            elif self.turned or index is None or len({*texts}) < len(texts):
                continue
            elif np.ptp(values) == len(texts) - 1 or INDEX.fullmatch(name):
                told = f"counts or names the rows; {told}, dataset.index=null makes it a feature"
                if index == "auto" and self.row_names is None and not self.faults.settings:
                    told += f", dataset.index={name} takes it as row names"
                    settings = {"index": name}
            else:
                continue
            self.faults.add(f"{self._cell(0, name)}: {shown(name)} {told}", **settings)

    def _onehot(self, name: str, X: npt.NDArray, names: list[str]) -> tuple[Any, list[str]]:
        """X and its names with a feature for each value of a column, one if it has two."""
        own = self.frame[name].str.strip().to_numpy(dtype=object)
        gaps = np.isnan(numbers(own, self.options))
        different = sorted({*own[~gaps]})
        added = [f"{name}={value}" for value in different]
        if not 2 <= len(different) <= len(own) / 2 or {*added} & {*names, *self.frame}:
            self.faults.add(
                f"the column {shown(name)} has {len(different)} values in {len(own)} rows, or one "
                "whose feature is there already; leave it out of dataset.onehot, or rename it"
            )
            return X, names
        first = 1 if len(different) == 2 else 0
        block = (own[:, None] == np.array(different[first:], dtype=object)).astype(np.float64)
        block[gaps] = np.nan
        return np.hstack([X, block]), [*names, *added[first:]]

    def _refuse_gaps(self, X: npt.NDArray, names: list[str]) -> None:
        """Refuse columns without any value, and gaps unless an option says what becomes of them."""
        gaps, missing = np.isnan(X), self.options.missing
        count = gaps.sum(axis=0)
        empty = [name for name, n in zip(names, count, strict=True) if n == len(X)]
        partly = [name for name, n in zip(names, count, strict=True) if 0 < n < len(X)]
        if empty:
            told = some(map(shown, empty))
            self.faults.add(
                f"no value in the columns {told}; dataset.drop leaves them out", drop=empty
            )
        if partly and not missing:
            first = names.index(partly[0])
            told = some(f"{shown(name)}: {count[names.index(name)]}" for name in partly[:9])
            self.faults.add(
                f"{self._where([int(gaps[:, first].argmax())])}: missing values in {len(partly)} "
                f"columns ({told}); dataset.missing=median fills them, drop leaves the columns out",
                partly,
                missing="median",
            )

    def _transformed(self, X: npt.NDArray, names: list[str]) -> npt.NDArray:
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
        (row, j), has_zeros = np.argwhere(wrong)[0], how == "log2" and not (X < 0).any()
        self.faults.add(
            f"{self._where([row])}, column {shown(names[j])}: no {how} of {X[row, j]:g}, nor in "
            f"{wrong.any(axis=0).sum() - 1} more columns; "
            + "dataset.na=[0] if 0 is not measured, or log1p; " * has_zeros
            + "dataset.transform=rank takes all numbers",
            transform="log1p" if has_zeros else "rank",
        )
        return X


def _spelled(name: str) -> float | str:
    """A key that spellings of a class share: 1 and 1.0, True and TRUE, both forms of ü."""
    text = " ".join(unicodedata.normalize("NFKC", name).casefold().split())
    return float(text) if re.fullmatch(r"[+-]?[0-9]{1,15}(\.[0-9]{0,15})?", text) else text


def _header(frame: pd.DataFrame) -> list[str]:
    """The names of the columns, which may repeat."""
    return [str(name) for name in frame.columns]
