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
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from experiments.config import TableConfig, suggest
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
    r"#?((.*[\W_])?(samples?|ids?|names?|barcodes?|index)|(sample|patient|subject|case)(id|name|nr)"
    r"|unnamed: \d+)?",
    re.IGNORECASE,
)
#: Names of columns whose equal values belong together.
TOGETHER = re.compile(r"patient|subject|donor|participant|individual|animal|family", re.IGNORECASE)
#: Names of rows that are no samples, or none.
NO_SAMPLE = re.compile(
    r"|#.*|total|sum|mean|average|median|min|max|n|cv( \(%\))?|sd|std|sem|lod|loq|"
    r"(qc|pool|qc_pool|blank)(_?\d+)?",
    re.IGNORECASE,
)
#: Days as whole numbers; names of genes that a spreadsheet has made dates.
DAY = re.compile(r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")
GENE = re.compile(r"\d{1,2}-[A-Z][a-z]{2}|\d{4}-\d\d-\d\d( .*)?")
#: The beginning of a number with a mark or a unit; numbers with commas.
ODDLY = re.compile(r"[<>≤≥~(±$€£¥+\u2212-]?\s*\d")
COMMAS, GROUPED = re.compile(r"[+-]?[\d.]*,[\d.,]*"), re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
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
        self.index, self.row_names = None, None
        n_before, names = len(faults.messages), frame.columns.tolist()
        if options.index != "auto":
            self._look_up("index", names)
        places = [f"column {j}" for j in range(1, len(names) + 1)]
        if self.turned:
            at = names.index(options.index) if options.index in names else 0
            places, names = frame.index.tolist(), frame.iloc[:, at].tolist()
            frame = frame.drop(columns=frame.columns[at]).T.set_axis(names, axis=1)
            self.notes.append("the table was turned: samples are its columns")
        self._look_up("drop", [*names, *(frame.index if self.turned else ())])
        whole, kept = frame, ~frame.columns.isin(options.drop)
        frame = frame.loc[~frame.index.isin(options.drop) | (not self.turned), kept]
        _check_names(frame, np.array(places)[kept], faults)
        if self.turned:
            self.row_names = frame.index.tolist()
            frame = frame.set_axis([f"column {shown(name)}" for name in self.row_names])
        self.frame = frame
        #: Columns of the file; a second table adds others.
        self.own = frame.columns.tolist()
        if options.drop:
            self.notes.append(f"left out, as asked for: {some(map(shown, options.drop))}")
        if len(faults.messages) > n_before:
            faults.refuse()
        if not self.turned:
            self._find_index()
            self._refuse_long(whole)

    def _where(self, rows: Any) -> str:
        """The places of samples in the file."""
        return some(self.frame.index[rows])

    def _cell(self, i: int, name: str) -> str:
        """The place of a cell in the file, and its text."""
        word = "row" if self.turned else "column"
        return f"{self._where([i])}, {word} {shown(name)}: {shown(self.frame[name].iloc[i])}"

    def _look_up(self, key: str, names: Sequence[str]) -> None:
        """Add a fault for each name of an option that is not there."""
        given = self.groups if key == "groups" else getattr(self.options, key)
        known = dict.fromkeys(names)
        for name in given if isinstance(given, list) else [given]:
            if name in known or (name is None and key != "target"):
                continue
            self.faults.add(
                f"dataset.{key}={name} is the name of no {'row' if self.turned else 'column'}"
                f"{suggest(name, known)} Write names as the file does, in one header row"
            )

    def _find_index(self) -> None:
        """The row names: the column that is named, or a first one that is called so."""
        options, first = self.options, self.own[0] if self.own else "-"
        if options.index != "auto":
            self.index = options.index
        elif INDEX.fullmatch(first) and first not in (options.target, *options.adjust):
            self.index = first
        if self.index is not None:
            self.row_names = self.frame[self.index].tolist()
            self.notes.append(f"the column {shown(self.index)} has the row names")

    def _refuse_long(self, whole: pd.DataFrame) -> None:
        """Refuse a table with a row for each sample and feature: two texts name each row once.

        Columns that are dropped are looked at, too: what they name stays as it is.
        """
        taken = {self.options.target, self.groups, *self.options.adjust, *self.options.onehot}
        again: dict[str, list[str]] = {}
        for name, own in whole.items():
            texts = own.tolist()
            if name not in taken and min(Counter(texts).values()) > 1:
                if name == self.index or np.isinf(numbers(texts, self.options)).mean() > 0.5:
                    again[str(name)] = texts
        n_others = len({*self.own} - {*taken, *again, self.index})
        for one, other in combinations([*again][:COMPARED], 2):
            n_pairs = len({*zip(again[one], again[other], strict=True)})
            if n_pairs == len(whole) and min(len({*again[k]}) for k in (one, other)) >= n_others:
                self.faults.refuse(
                    f"the columns {shown(one)} and {shown(other)} name each row once, so that the "
                    f"table looks long: write frame.pivot(index={one!r}, columns={other!r}, "
                    f"values=COLUMN) by pandas; if it is not, name dataset.groups={one}"
                )

    def join(self, second: pd.DataFrame, faults: Faults) -> None:
        """Take the columns of a second table by row names; its own faults are told apart."""
        names, options = self.row_names, self.options
        counts = [str(i) for i in range(len(self.frame) + 1)]
        if names is None or (self.index == "" and names in (counts[1:], counts[:-1])):
            self.faults.refuse(
                "dataset.labels needs names of the samples in the file, which do not count its "
                "rows; dataset.index=NAME names their column"
            )
        _check_names(second, np.array([f"column {j + 1}" for j in range(second.shape[1])]), faults)
        folded = [name.casefold() for name in second]
        called = (self.index or "").casefold()
        at = folded.index(called) if called in folded else 0
        theirs, column = second.iloc[:, at], shown(second.columns[at])
        if (again := theirs.duplicated(keep=False)).any():
            places = second.index[theirs == theirs[again].iloc[0]]
            faults.add(f"{some(places)}: {shown(theirs[again].iloc[0])} repeats; keep one of them")
        if faults.messages:
            faults.refuse()
        lacking = [name for name in dict.fromkeys(names) if name not in {*theirs}]
        more = [name for name in theirs if name not in {*names}]
        if lacking:
            self.faults.refuse(
                f"{self._where([names.index(lacking[0])])}: {len(lacking)} samples are not in the "
                f"column {column} of {options.labels}: {some(map(shown, lacking))} here, "
                f"{some(map(shown, more), 1) or 'none'} there; write both alike",
                drop=lacking if self.turned and len(lacking) < len(theirs) else [],
            )
        if twice := {options.target, self.groups, *options.adjust} & {*self.own} & {*second}:
            self.faults.add(f"the column {some(map(shown, twice))} is in both files; remove one")
        second = second.set_index(theirs).loc[names].set_axis(self.frame.index)
        new = [name for name in second.columns.delete(at) if name not in self.frame]
        self.frame = pd.concat([self.frame, second[new]], axis=1)
        self.notes.append(f"joined with {Path(options.labels or '').name} by its column {column}")
        if more:
            self.notes.append(f"{len(more)} samples of it are not in the table: {some(more)}")

    def table(self) -> Table:
        """The table, or the refusal with all its faults."""
        options, faults, n_before = self.options, self.faults, len(self.faults.messages)
        for key in ("target", "groups", "adjust", "onehot"):
            self._look_up(key, self.frame.columns)
        if len(faults.messages) > n_before:
            is_row = not self.turned and options.target in {*self.frame.iloc[:, 0]}
            faults.refuse(**({"transpose": True} if is_row else {}))
        taken = {options.target, self.groups, self.index, *options.adjust, *options.onehot}
        names = [name for name in self.own if name not in taken]
        X = numbers(self.frame[names].to_numpy().ravel(), options).reshape(-1, len(names))
        self._refuse_rows(X)
        y, label_names = self._classes()
        if self.groups is not None:
            gaps = np.isnan(numbers(self.frame[self.groups], options))
            if gaps.any():
                faults.add(f"{self._where(gaps)}: no value in {shown(self.groups)}; write one")
        adjust = {name: self._covariate(name) for name in options.adjust}
        self._refuse_signs(X, names)
        for j in np.flatnonzero(np.isinf(X).any(axis=0)):
            self._refuse_text(names[j], np.isinf(X[:, j]), int((~np.isnan(X[:, j])).sum()))
        self._refuse_counters(X, names)
        for name in options.onehot:
            X, names = self._onehot(name, X, names)
        self._refuse_gaps(X, names)
        if not names:
            faults.add("no column is left for the features; leave one out of dataset.drop")
        if not faults.messages:
            X = self._transformed(X, names)
        if faults.messages:
            faults.refuse()
        if dates := [shown(name) for name in names if GENE.fullmatch(name)]:
            self.notes.append(f"WARNING {some(dates)}: dates, which spreadsheets make of genes")
        order, fingerprint = canonical_order(X, y)
        if np.isnan(X).any():
            fingerprint = hashlib.sha256(f"{fingerprint}, {options.missing}".encode()).hexdigest()
        about = Table(
            name="table",
            X=np.ascontiguousarray(X[order]),
            y=y[order],
            label_names=label_names,
            fingerprint=fingerprint,
            source=f"the file {options.path}",
            feature_names=tuple(names),
            file_rows=np.arange(len(y)),
            row_names=None if self.row_names is None else tuple(self.row_names),
            groups=None if self.groups is None else tuple(self.frame[self.groups]),
            adjust=adjust,
            notes=tuple(self.notes),
        )
        return replace(about, **about.only(order))

    def _refuse_rows(self, X: npt.NDArray) -> None:
        """Refuse rows of text, such as a second header or units, and names of no samples."""
        bad = np.isinf(X)[:, 2 * np.isinf(X).sum(axis=0) < (~np.isnan(X)).sum(axis=0)]
        odd = (bad.sum(axis=1) > 1) & (2 * bad.sum(axis=1) > bad.shape[1])
        names = np.array([name.strip() for name in self.row_names or [""] * len(X)], dtype=object)
        if odd.any():
            self.faults.refuse(
                f"{self._where(odd)}: text in most columns of numbers; remove a second header, "
                "units and footers, or name words of missing values in dataset.na",
                drop=names[odd].tolist() if self.turned else [],
            )
        if self.row_names is None:
            return
        other = np.array([NO_SAMPLE.fullmatch(name) is not None for name in names], dtype=bool)
        if other.any():
            self.faults.add(
                f"{self._where(other)}: {some(map(shown, names[other]))} is no name of a sample; "
                "remove what is none, or rename it",
                drop=names[other].tolist() if self.turned else [],
            )
        twice = pd.Series(self.row_names).duplicated(keep=False).to_numpy() & ~other
        if twice.any() and self.options.groups == "auto":
            self.faults.add(
                f"{self._where(twice)}: names repeat, {shown(names[twice][0])} first; "
                f"dataset.groups={self.index or 'COLUMN'} keeps equal ones together, "
                "dataset.groups=null takes them as independent",
                **({"groups": self.index} if self.index and self.faults.fills else {}),
            )

    def _classes(self) -> tuple[npt.NDArray[np.int64], dict[int, str]]:
        """The code of each row's class, and the names of the classes."""
        labels, target = self.frame[self.options.target].tolist(), shown(self.options.target)
        empty = np.array([label.strip() in ABSENT for label in labels], dtype=bool)
        if empty.any():
            self.faults.add(
                f"{self._where(empty)}: no class in {target}, but "
                f"{shown(labels[int(empty.argmax())])}; write it, or remove the sample",
                drop=np.array(self.row_names)[empty].tolist() if self.turned else [],
            )
        counts = Counter(label for label in labels if label.strip() not in ABSENT)
        spelled = Counter(map(_spelled, counts))
        odd = [name for name, n in counts.items() if n == 1 or spelled[_spelled(name)] > 1]
        if odd or len(counts) < 2:
            places = (f"{shown(name)} ({self._where([labels.index(name)])})" for name in odd)
            self.faults.add(
                f"{target} has {len(counts)} classes"
                + f", of one sample or in two spellings: {some(places)}" * bool(odd)
                + "; correct these values, or name a column of two classes or more"
            )
        is_number = all(isinstance(key, float) for key in spelled)
        names = sorted(counts, key=float if is_number else None)
        codes = {name: code for code, name in enumerate(names)}
        return np.array([codes.get(each, -1) for each in labels], np.int64), dict(enumerate(names))

    def _covariate(self, name: str) -> list:
        """The numbers of a covariate; or its texts, also if they are few whole numbers."""
        texts = self.frame[name].tolist()
        values = numbers(texts, self.options)
        found = values[np.isfinite(values)]
        bad = np.isnan(values) | (np.isinf(values) & (2 * len(found) > len(values)))
        if bad.any():
            self.faults.add(
                f"{self._cell(int(bad.argmax()), name)} is no value as others are; correct it, or "
                "leave the column out of dataset.adjust"
            )
        is_few = len({*found}) <= min(CATEGORIES, len(texts) / 3) and (found % 1 == 0).all()
        is_number = len(found) == len(texts) and not is_few
        kind = "a number" if is_number else f"{len({*texts})} categories"
        self.notes.append(f"the covariate {shown(name)} is {kind}")
        return values.tolist() if is_number else texts

    def _refuse_signs(self, X: npt.NDArray, names: list[str]) -> None:
        """Refuse numbers whose commas, or points in a file of semicolons, have two meanings."""
        if self.options.decimal == ",":
            return
        texts = np.char.strip(self.frame[names].to_numpy().astype(str), " \t")
        commas = [(i, j) for i, j in np.argwhere(np.isinf(X)) if COMMAS.fullmatch(texts[i, j])]
        points = [(i, j) for i, j in np.argwhere(np.isfinite(X)) if "." in texts[i, j]]
        settings: dict[str, Any] = {}
        if commas and not points and not all(GROUPED.fullmatch(texts[at]) for at in commas):
            settings = {"decimal": ","}
        elif self.is_loose and not (commas or self.options.decimal or self.options.thousands):
            if all(THOUSANDS.fullmatch(texts[at]) for at in points):
                commas, settings = points, {"decimal": "."}
        if commas:
            self.faults.add(
                f"{self._cell(commas[0][0], names[commas[0][1]])} and {len(commas) - 1} more: is "
                "this a decimal sign, or between thousands? dataset.decimal or dataset.thousands "
                "tells; write all numbers with one sign",
                **settings,
            )
            X[tuple(np.transpose(commas))] = 0.0  # They are told, and are neither words nor gaps.

    def _refuse_text(self, name: str, bad: npt.NDArray, n_filled: int) -> None:
        """Refuse a column with text, and offer what it may be."""
        texts = [text.strip(" \t") for text in self.frame[name][bad]]
        n, words = len(texts), list(dict.fromkeys(texts))
        told = f"{self._cell(int(bad.argmax()), name)} is no number, as {n} of {n_filled} values; "
        if 2 * n <= n_filled:
            missing = {"na": words, "missing": self.options.missing or "median"}
            self.faults.add(
                f"{told}correct it, or dataset.na=[{words[0]}] takes it as missing",
                [name],
                **(missing if len(words) <= WORDS else {}),
            )
            return
        is_free = self.groups is None and "groups" not in self.faults.settings
        settings: dict[str, Any] = {"drop": [name]}
        if 2 * sum(ODDLY.match(text) is not None for text in texts) > n:
            told += "write numbers by digits, a sign and a point, and no units or dates; "
            settings = {}
        elif 1 < len(words) < n:
            told += f"dataset.groups={name} keeps equal ones together, dataset.adjust=[{name}] "
            told += f"takes it as a covariate, dataset.onehot=[{name}] as features; "
            if not TOGETHER.search(name) and len(words) < max(3, n / 4):
                settings = {"adjust": [name]}
            elif is_free:
                settings = {"groups": name}
        elif name == self.own[0] and self.row_names is None:
            told += f"dataset.index={name} takes it as row names; "
            settings = {"index": name}
        self.faults.add(f"{told}dataset.drop=[{name}] leaves it out", [name], **settings)

    def _refuse_counters(self, X: npt.NDArray, names: list[str]) -> None:
        """Refuse columns of whole numbers that count rows, name them, or are days."""
        auto = self.options.index == "auto" and self.row_names is None
        for name, values in zip(names, X.T, strict=True):
            texts = [text.strip() for text in self.frame[name]]
            if not (np.isfinite(values).all() and all(map(str.isdigit, texts))):
                continue
            is_day = all(map(DAY.fullmatch, texts))
            is_count = np.ptp(values) == len(texts) - 1 or INDEX.fullmatch(name)
            is_free = self.turned or self.options.index is None or len({*texts}) < len(texts)
            if is_day or (is_count and not is_free):
                told = "is a date" if is_day else "counts or names the rows"
                self.faults.add(
                    f"{self._cell(0, name)} {told}; dataset.drop leaves {shown(name)} out, "
                    "dataset.index takes it as row names, dataset.index=null as a feature",
                    **({"index": name} if auto and not is_day else {"drop": [name]}),
                )
                auto = False

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
        count = np.isnan(X).sum(axis=0)
        empty = [name for name, n in zip(names, count, strict=True) if n == len(X)]
        partly = [name for name, n in zip(names, count, strict=True) if 0 < n < len(X)]
        if empty:
            self.faults.add(
                f"no value in the columns {some(map(shown, empty))}; dataset.drop leaves them out",
                drop=empty,
            )
        if partly and not self.options.missing:
            gaps = np.isnan(X[:, names.index(partly[0])])
            self.faults.add(
                f"{self._where(gaps)}: no value in {shown(partly[0])}, nor in all rows of "
                f"{len(partly) - 1} more columns; dataset.missing=median fills gaps, "
                "dataset.missing=drop leaves the columns out",
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
        row, j = np.argwhere(wrong)[0]
        self.faults.add(
            f"{self._cell(row, names[j])} has no {how}, as {wrong.sum() - 1} values more; "
            "dataset.na=[0] takes 0 as not measured, dataset.transform=rank takes all numbers",
            transform="rank",
        )
        return X


def _check_names(frame: pd.DataFrame, places: npt.NDArray, faults: Faults) -> None:
    """Add a fault for names that are missing, but for the first, repeat or have line breaks."""
    counts, bad = Counter(frame.columns), []
    for name, place in zip(frame.columns, places, strict=True):
        is_line = not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", name)
        if counts[name] > 1 or not is_line or (not name and place != "column 1"):
            bad.append(f"{place} ({shown(name)})")
    if bad:
        faults.add(f"{some(bad)}: give each a name of its own, on one line, or delete it")


def _spelled(name: str) -> float | str:
    """A key that spellings of a class share: 1 and 1.0, True and TRUE, both forms of ü."""
    text = " ".join(unicodedata.normalize("NFKC", name).casefold().split())
    return float(text) if re.fullmatch(r"[+-]?[0-9]{1,15}(\.[0-9]{0,15})?", text) else text
