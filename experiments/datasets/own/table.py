"""Read a user's table: one header row, one sample per row, classes, and numbers elsewhere.

All deviations are reported together, each with its place and a remedy. :mod:`texts` reads the file;
this module converts its texts to numbers and assigns roles to its columns.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from experiments.config import TableConfig, suggest
from experiments.datasets.dataset import DataError, Dataset, shown, some
from experiments.datasets.own import roles
from experiments.datasets.own.faults import Faults
from experiments.datasets.own.texts import GROUPED, SEPARATORS, read_texts

#: Texts that pandas reads as missing values.
ABSENT = frozenset(
    ["", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
     "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"]
)  # fmt: skip
#: The valid values of options.
RANK = partial(stats.rankdata, axis=1, nan_policy="omit")
TRANSFORMS: dict[str, Any] = {"log1p": np.log1p, "log2": np.log2, "rank": RANK}
VALID = {
    "transform": tuple(TRANSFORMS),
    "sep": tuple(SEPARATORS),
    "missing": ("median", "drop"),
    "unlabelled": ("drop",),
    "decimal": (".", ","),
    "thousands": (",", ".", " ", "'", "\u2019", "\xa0", "\u202f"),
}
#: Numbers with commas, or with points that may be thousands separators.
SIGNS = re.compile(rf"[+-]?[\d.]*,[\d.,]*|{GROUPED.pattern}")
#: Most columns that are compared with the header; the least number of classes by numbers, and of
#: samples in each, that are not taken for a measurement.
COLUMNS_OF_HEADER, MANY, OF_EACH = 1000, 11, 10
#: The largest number, whose square is one, too.
LARGEST = 1e150
#: A covariate of whole numbers with at most so many values has categories.
CATEGORIES = 10
#: Most columns of repeated texts that are compared in pairs; most words proposed as missing.
COMPARED, WORDS = 20, 5


@dataclass(frozen=True, eq=False)
class Table(Dataset):
    """A user's table; its samples are in the order of the file, on which its fingerprint depends.

    X is float64 and holds NaN where a value is missing, which only ``missing=median`` allows.

    Attributes
    ----------
    row_names : tuple of str (n_samples,), or None
    groups : tuple of str (n_samples,), or None
        Samples with equal texts belong together.
    adjust : mapping of str to list (n_samples,)
        Covariate -> its numbers as floats, or its categories as texts.
    notes : tuple of str
        Sentences about what was read and left out.
    """

    row_names: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    adjust: Mapping[str, list] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_table(
    options: TableConfig, *, max_gib: float = 4.0, command: str = "python run.py experiment=select"
) -> Table:
    """Read a user's table, or raise an error that lists all problems.

    Parameters
    ----------
    options : TableConfig
    max_gib : float
        Largest size of a file in GiB, on disk and unpacked.
    command : str
        The command of the run without the options of its table; each error message ends with it.

    Returns
    -------
    Table

    Raises
    ------
    DataError
        With all problems of the file and their places, in at most ten lines. The last line is a
        command with the options that resolve them, as far as options can.
    """
    if not options.path:
        raise DataError(f"name a file: {command} dataset.path=my.csv dataset.target=COLUMN")
    for key, values in VALID.items():
        if (value := getattr(options, key)) not in (None, *values):
            raise DataError(f"dataset.{key} must be null or one of {some(values)}, got {value!r}")
    if options.thousands == (options.decimal or "."):
        raise DataError(f"dataset.thousands must not be the decimal sign {options.thousands!r}")
    faults = Faults(options.path, options, command)
    reading = _Reading(read_texts(options.path, options, faults, max_gib), options, faults)
    if options.labels:
        of_labels = Faults(options.labels, options, command, knows_options=False)
        alone = TableConfig(encoding=options.encoding, decimal=options.decimal)
        reading.join(read_texts(options.labels, alone, of_labels, max_gib), of_labels)
    return reading.table()


def numbers(texts: Iterable[str], options: TableConfig) -> npt.NDArray[np.float64]:
    """Convert texts to numbers; no other function does.

    A text is no number if a float or its square would change it: above 1e150, so near to 0 that it
    is taken for 0, or a whole number of more digits than a float has. It matches the grammar in one
    way, so that time is linear in its length.

    Parameters
    ----------
    texts : iterable of str
        Blanks and tabs around a number are ignored.
    options : TableConfig
        Its `decimal`, `thousands` and `na` are used.

    Returns
    -------
    ndarray of shape (n_texts,)
        NaN for a missing value, infinity for a text that is not a number.
    """
    absent, thousands, decimal = ABSENT | set(options.na), options.thousands, options.decimal or "."
    grouped = rf"|[1-9][0-9]{{0,2}}(?:{re.escape(thousands)}[0-9]{{3}})+" if thousands else ""
    whole, point = rf"(?:0|[1-9][0-9]*{grouped})", re.escape(decimal)
    grammar = re.compile(rf"[+-]?(?:{whole}(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?")

    def number(text: str) -> float:
        if text in absent:
            return np.nan
        if not grammar.fullmatch(text):
            return np.inf
        plain = text.replace(thousands or "", "").replace(decimal, ".").lstrip("+")
        value, digits = float(plain), plain.lstrip("-")
        is_changed = digits.isdigit() and f"{abs(value):.0f}" != digits
        is_changed |= value == 0 and re.split("[eE]", digits)[0].strip("0.") != ""
        return np.inf if is_changed or abs(value) > LARGEST else value

    return np.array([number(text.strip(" \t")) for text in texts])


class _Reading:
    """A table during conversion from texts to numbers; its index has the places of the rows."""

    def __init__(self, frame: pd.DataFrame, options: TableConfig, faults: Faults) -> None:
        self.options, self.faults, self.turned = options, faults, options.transpose
        self.word = "row" if self.turned else "column"
        self.is_loose = frame.attrs.get("is_loose", False)
        self.notes: list[str] = []
        self.groups = None if options.groups == "auto" else options.groups
        self.taken = [self.groups, options.target, *options.adjust, *options.onehot]
        self.index = None if options.index == "auto" else options.index
        names = frame.columns.tolist()
        self._check_header(frame)
        self._look_up(names, index=[self.index])
        if self.turned:
            at = names.index(self.index) if self.index in names else 0
            self.index = names.pop(at)
            if len({*names}) < min(2, len(names)) or "" in names or len(names) < 2:
                told = f"the names of the samples in the header: {some(map(shown, names), 3)}"
                faults.refuse(f"{told}; give each sample its own")
            texts = np.vstack([names, np.delete(frame.to_numpy(), at, axis=1)]).T
            columns = [self.index, *frame.iloc[:, at]]
            frame = pd.DataFrame(texts, [f"column {shown(n)}" for n in names], columns, object)
        droppable = [name for name in [*frame, *names] if name != self.index]
        self._look_up(droppable, drop=options.drop)
        _check_names(frame.columns.tolist(), faults, options.drop, self.word)
        self.frame = frame.loc[:, ~frame.columns.isin(options.drop)]
        if self.turned:
            self.frame = self.frame[~self.frame[self.index].isin(options.drop)]
        #: Columns of this file; a second table adds others.
        self.own = self.frame.columns.tolist()
        if options.index == "auto" and self.own and roles.INDEX.fullmatch(self.own[0]):
            self.index = None if self.own[0] in self.taken[1:] else self.own[0]
        self._refuse_long(frame)

    def _cell(self, i: int, name: str) -> str:
        """The place of a cell in the file, and its text."""
        place = f"{self.frame.index[i]}, {self.word} {shown(name)}"
        return f"{place}: {shown(self.frame[name].iloc[i])}"

    def _check_header(self, frame: pd.DataFrame) -> None:
        """Report a first line that looks like the values of a sample (or of a feature)."""
        target, part = self.options.target, frame.iloc[:, :COLUMNS_OF_HEADER]
        is_value = not self.turned and target in frame and target in frame[[target]].to_numpy()
        named = numbers(part.columns, self.options)
        if not is_value and np.isfinite(named).mean() > 0.5:
            values = numbers(part.to_numpy().ravel(), self.options).reshape(part.shape)
            is_value = roles.is_headless(values, named, self.turned)
        if is_value and not self.options.header:
            self.faults.refuse(
                f"line 1 looks like a {'feature' if self.turned else 'sample'}: "
                f"{some(map(shown, frame))}; put names above it, or set dataset.header=true if "
                "these are names"
            )

    def _look_up(self, known: Iterable[str], **given: Sequence[str | None]) -> None:
        """Report names in options that are not in the file; groups and index may be null."""
        allowed = {None, *known}
        lost, settings = [], []
        for key, names in given.items():
            for name in names:
                if name not in allowed:
                    lost.append(name)
                    settings.append(f"dataset.{key}={name}")
        if lost:
            near = suggest(lost[0], dict.fromkeys(known))
            is_row = given.get("target") and self.options.target in self.frame.to_numpy()[:, :1]
            self.faults.refuse(
                f"{some(settings)}: no unused name in the header{near}; choose one, or remove "
                "lines above it",
                by_hand="the option or the file",
                **({"transpose": True} if is_row else {}),
            )

    def _refuse_long(self, whole: pd.DataFrame) -> None:
        """Reject a long table, even if columns are dropped: two texts name each of its rows."""
        repeated = self._repeated(whole)
        n_others = len({*self.own} - {*self.taken, *repeated, self.index})
        for one, other in combinations([*repeated][:COMPARED], 2):
            pairs = set(zip(repeated[one], repeated[other], strict=True))
            fewest = min(len(set(repeated[one])), len(set(repeated[other])))
            if len(pairs) == len(whole) and fewest >= n_others:
                self.faults.refuse(
                    f"the columns {shown(one)} and {shown(other)} name each row once, as in a long "
                    f"table: use pandas' frame.pivot(index={one!r}, columns={other!r}, "
                    f"values=COLUMN); if the table is not long, set dataset.groups={one}"
                )

    def _repeated(self, whole: pd.DataFrame) -> dict[str, list[str]]:
        """Return the columns of row names or words that have none of their texts only once."""
        repeated = {}
        for name, texts in zip(whole, whole.to_numpy().T.tolist(), strict=True):
            if name in self.taken or min(Counter(texts).values()) == 1:
                continue
            n_words = np.isinf(numbers(texts, self.options)).sum()
            if name == self.index or 2 * n_words > len(texts):
                repeated[str(name)] = texts
        return repeated

    def join(self, second: pd.DataFrame, faults: Faults) -> None:
        """Add columns of a second table by row names; errors in those that are used are its own."""
        second = self._usable(second, faults)
        index = self._index_for(second)
        at = self._key(second, index)
        theirs, column = second.iloc[:, at], shown(second.columns[at])
        if (again := theirs.duplicated(keep=False)).any():
            told = f"{some(theirs.index[again])}: {shown(theirs[again].iloc[0])}"
            faults.refuse(f"{told} in {column} and others are repeated; keep one of each")
        mine = self.frame[index]
        lacking, more = mine[~mine.isin(theirs)], theirs[~theirs.isin(mine)]
        if len(lacking):
            self._leave_out_or_refuse(lacking, more, column)
        second = second.set_index(theirs).loc[self.frame[index]].set_axis(self.frame.index)
        self._compare(second)
        new = [name for name in second.columns.delete(at) if name not in self.frame]
        self.frame = pd.concat([self.frame, second[new]], axis=1)
        self.notes.append(f"joined with {self.options.labels} by its column {column}")
        if len(more):
            self.notes.append(f"{len(more)} of its samples are not in the table: {some(more)}")
        self._note_persons(second[new])

    def _usable(self, second: pd.DataFrame, faults: Faults) -> pd.DataFrame:
        """Return the columns of a second table that are first, or used, or have their own name."""
        is_needed = second.columns.isin([*self.taken, self.index])
        _check_names(second.columns[is_needed].tolist(), faults)
        is_first = np.arange(second.shape[1]) == 0
        is_repeated = second.columns.duplicated(keep=False)
        return second.loc[:, is_first | is_needed | ~is_repeated]

    def _index_for(self, second: pd.DataFrame) -> str:
        """Return the column of row names; if there is none, refuse and name the one that fits."""
        if not self.turned and (self.index is None or not self._fits(second, self.index)):
            for name in self.own:
                if name != self.options.target and self._fits(second, name):
                    told = f"the column {shown(name)} has the names of {self.options.labels}: set "
                    self.faults.refuse(f"{told}dataset.index={name}", index=name)
        if self.index is None or (self.index == "" and all(self.frame[""].str.isdigit())):
            self.faults.refuse("the file has no sample names; set dataset.index=COLUMN")
        return self.index

    def _compare(self, second: pd.DataFrame) -> None:
        """Report columns in use that both tables have, if they differ."""
        for name in self.own:
            is_shared = name in self.taken and name in second
            if is_shared and (different := self.frame[name] != second[name]).any():
                place = self._cell(int(different.argmax()), name)
                self.faults.add(f"{place} has another value in the second file; remove one column")

    def _note_persons(self, new: pd.DataFrame) -> None:
        """Note new columns that repeat persons and are not used, so that samples may depend."""
        for name in new.columns:
            is_person = name not in self.taken and roles.is_named(name, roles.WHO)
            if is_person and new[name].duplicated().any():
                self.notes.append(
                    f"{shown(name)} of {self.options.labels} repeats and is not used: "
                    f"dataset.groups={name} keeps its samples together"
                )

    def _key(self, second: pd.DataFrame, index: str) -> int:
        """Return the place of the row names in a second table: by this name, or the first."""
        called = index.casefold()
        return next((j for j, name in enumerate(second) if str(name).casefold() == called), 0)

    def _fits(self, second: pd.DataFrame, name: str) -> bool:
        """Return whether a column has only row names of a second table, which has each once."""
        theirs = second.iloc[:, self._key(second, name)]
        return bool(self.frame[name].isin(theirs).all()) and theirs.is_unique

    def _leave_out_or_refuse(self, lacking: pd.Series, more: pd.Series, column: str) -> None:
        """Leave out or report samples that are not in the second table, or in another spelling."""
        if pairs := roles.alike(lacking, more):
            both = some(f"{mine!r} and {theirs!r}" for mine, theirs in pairs.items())
            self.faults.add(f"{both} differ by blanks, case or signs; use the same names")
        elif self.options.unlabelled:
            return self._leave_out(~self.frame.index.isin(lacking.index))
        others = lacking[~lacking.isin(pairs)]
        rows = self.frame.loc[others.index].to_numpy()  # They are no samples if all have text.
        is_odd = all(np.isinf(numbers(row, self.options)).any() for row in rows) or not len(more)
        is_few = len(others) <= len(self.frame) / 2
        drops = others.tolist() if self.turned and is_odd and is_few else []
        self.faults.refuse(
            f"{some(lacking.index)}: {some(map(shown, lacking))} not in the column {column} of "
            f"{self.options.labels}, which also has {some(map(shown, more)) or 'no other'}; use "
            "the same names, or dataset.unlabelled=drop leaves these samples out",
            drop=drops,
            **({} if drops or len(more) else {"unlabelled": "drop"}),
        )

    def _leave_out(self, is_kept: npt.NDArray[np.bool_]) -> None:
        """Leave out samples without a class."""
        if not is_kept.any():
            self.faults.refuse("no sample has a class; correct dataset.target or dataset.labels")
        gone = some(map(shown, self.frame.index[~is_kept]), 3)
        self.notes.append(f"{(~is_kept).sum()} samples without a class were left out: {gone}")
        self.frame = self.frame[is_kept]

    def table(self) -> Table:
        """Return the table, or raise an error that lists all problems."""
        options, frame = self.options, self.frame
        free = [name for name in frame.columns.tolist() if self.taken[1:].count(name) < 2]
        self._look_up(free, target=[options.target or "COLUMN"], groups=[self.groups])
        self._look_up(free, adjust=options.adjust, onehot=options.onehot)
        has_class = (~frame[options.target].str.strip().isin(ABSENT)).to_numpy()
        if options.unlabelled and not has_class.all():
            self._leave_out(has_class)
            frame = self.frame
        names = [name for name in self.own if name not in {*self.taken, self.index}]
        X = numbers(frame[names].to_numpy().ravel(), options).reshape(len(frame), len(names))
        row_names = None if self.index is None else frame[self.index].tolist()
        self._check_rows(X, row_names)
        y, label_names = self._classes()
        adjust = {name: self._covariate(name) for name in options.adjust}
        groups = None if self.groups is None else tuple(self._like(self.groups)[1])
        for name, values in zip(names, X.T, strict=True):
            self._check_column(name, values)
        for name in options.onehot:
            block = self._onehot(name)
            X, names = np.hstack([X, block]), [*names, *block]
        _check_names(names, self.faults)
        X, names = self._finished(X, names)
        return Table(
            name="table",
            X=X,
            y=y,
            label_names=label_names,
            fingerprint=hashlib.sha256(X.tobytes() + y.tobytes()).hexdigest(),
            source=f"the file {options.path}",
            feature_names=tuple(names),
            row_names=tuple(row_names) if row_names else None,
            groups=groups,
            adjust=adjust,
            notes=tuple(self.notes),
        )

    def _check_rows(self, X: npt.NDArray, row_names: list[str] | None) -> None:
        """Report rows of text, such as a second header or units, and invalid row names."""
        bad = np.isinf(X)[:, 2 * np.isinf(X).sum(axis=0) < (~np.isnan(X)).sum(axis=0)]
        odd = (bad.sum(axis=1) > 1) & (2 * bad.sum(axis=1) > bad.shape[1])
        names = pd.Series(row_names or range(len(X)), self.frame.index).astype(str)
        if odd.any():
            self.faults.refuse(
                f"{some(names.index[odd])}: text in most columns; remove rows that are not "
                "samples, or list words for missing values in dataset.na",
                drop=names[odd].tolist() if self.turned else [],
            )
        twice = names.duplicated(keep=False) & (self.options.groups == "auto")
        if (odd := names.str.match(roles.NO_SAMPLE) | twice).any():
            settings: dict[str, Any] = {"groups": self.index} if twice.any() else {}
            self.faults.add(
                f"{some(names.index[odd])}: {shown(names[odd].iloc[0])} names no sample, or two; "
                f"remove or rename it, set dataset.groups={shown(self.index)} to keep equal names "
                "together, or dataset.groups=null if they are independent",
                drop=names[odd & ~twice].tolist() if self.turned else [],
                **settings,
            )

    def _classes(self) -> tuple[npt.NDArray[np.int64], dict[int, str]]:
        """Return the code of each row's class, and the names of the classes."""
        labels = self.frame[self.options.target]
        counts = labels[~labels.str.strip().isin(ABSENT)].value_counts()
        odd = labels.map(counts).fillna(0) < (2 if len(counts) > 1 else np.inf)
        plain = labels.str.normalize("NFKC").str.strip().str.casefold()
        plain = plain.str.replace(r"\.0+$", "", regex=True)
        odd |= labels.groupby(plain).transform("nunique") > 1
        if odd.any():
            drops = {"unlabelled": "drop"} if (labels[odd].str.strip() == "").all() else {}
            self.faults.add(
                f"{some(labels.index[odd])}: {some(map(shown, labels[odd].unique()))} in "
                f"{shown(labels.name)} is missing, has two spellings, or has no second sample or "
                "no other class beside it; correct it, choose another column, or "
                "dataset.unlabelled=drop leaves out samples without a class",
                **drops,
            )
        values = numbers(counts.index, self.options)
        if np.isfinite(values).all() and len(values) >= MANY and counts.mean() < OF_EACH:
            self.faults.add(
                f"{shown(labels.name)} has {len(values)} different numbers, like a measurement; "
                "write classes, such as low and high, into a column"
            )
        names = sorted(counts.index, key=lambda name: (*numbers([name], TableConfig()), name))
        codes = {name: code for code, name in enumerate(names)}
        return labels.map(codes).fillna(-1).to_numpy(np.int64), dict(enumerate(names))

    def _like(self, name: str) -> tuple[npt.NDArray, list[str]]:
        """Return the numbers and texts of a column; report those that are unlike the others."""
        values = numbers(texts := self.frame[name].tolist(), self.options)
        is_mixed = np.isinf(values) & (2 * np.isfinite(values).sum() > len(values))
        if (bad := np.isnan(values) | is_mixed).any():
            place = self._cell(int(bad.argmax()), name)
            self.faults.add(f"{place} is unlike the others; correct it, or name another column")
        return values, texts

    def _covariate(self, name: str) -> list:
        """Return the numbers of a column, or its texts if it has categories."""
        values, texts = self._like(name)
        found = values[np.isfinite(values)]
        is_few = len({*found}) <= min(CATEGORIES, len(texts) / 3) and (found % 1 == 0).all()
        is_number = len(found) == len(texts) and not is_few
        how = "numbers" if is_number else "categories"
        self.notes.append(f"{shown(name)} has {how}; it is a covariate, not a feature")
        return values.tolist() if is_number else texts

    @cached_property
    def _way(self) -> roles.Way | None:
        """The one way in which all columns of numbers are numbers; None without or with several."""
        texts = self._numerals()
        if not texts:
            return None
        signs = {*"".join(texts)}
        found: dict[bytes, roles.Way] = {}
        for way in roles.WAYS:
            if way.thousands is None or way.thousands in signs:
                values = numbers(texts, replace(self.options, **way._asdict()))
                if np.isfinite(values).all():
                    found.setdefault(values.tobytes(), way)  # Ways of equal numbers are one.
        return next(iter(found.values())) if len(found) == 1 else None

    def _numerals(self) -> list[str]:
        """Return the texts with signs of columns in which most texts may be numbers."""
        numerals = set[str]()
        for name in {*self.own} - {*self.taken, self.index}:
            texts = {text.strip(" \t") for text in self.frame[name]}
            found = {text for text in texts if roles.NUMERAL.fullmatch(text)}
            if 2 * len(found) > len(texts):
                numerals |= found
        return sorted(text for text in numerals if not text.isdigit())

    def _signs(self, texts: list[str], words: list[str]) -> list[str]:
        """Return the texts of a column that are numbers, or other ones, by other signs."""
        is_open = self.is_loose and not (self.options.decimal or self.options.thousands)
        points = [text for text in texts if "." in text] if is_open else []
        signs = [word for word in words if SIGNS.fullmatch(word)]
        signs += points if all(map(GROUPED.fullmatch, points)) else []
        if signs or 2 * len(words) > len(texts):
            return signs
        return [word for word in words if roles.NUMERAL.fullmatch(word) and self._way]  # 1'399.20

    def _check_column(self, name: str, values: npt.NDArray) -> None:
        """Report text, numbers with ambiguous signs, and numbers that are names or dates."""
        texts, bad = [text.strip(" \t") for text in self.frame[name]], np.isinf(values)
        words = list(dict.fromkeys(texts[i] for i in np.flatnonzero(bad)))
        if signs := self._signs(texts, words):
            place = self._cell(texts.index(signs[0]), name)
            self.faults.add(
                f"{place} may have decimal signs or thousands; set dataset.decimal or "
                "dataset.thousands, and write all numbers in one way",
                **(self._way.options() if self._way else {}),
            )
            return
        place = self._cell(int(bad.argmax()), name)
        if 0 < 2 * bad.sum() <= (~np.isnan(values)).sum():
            is_missing = len(words) <= WORDS and not any(map(roles.VALUE.match, words))
            missing: dict[str, Any] = {"na": words, "missing": self.options.missing or "median"}
            self.faults.add(
                f"{place} is not a number; correct it, or dataset.na=[{words[0]}] treats it as "
                "missing",
                **(missing if is_missing else {}),
            )
        elif why := self._why_no_feature(name, texts, words, values):
            uses = self._uses(name, is_unique=len({*texts}) == len(texts), why=why)
            told = f"{place} {why}; {uses}dataset.drop=[{name}] leaves it out"
            self.faults.add(told, **self._role(name, texts, why))

    def _uses(self, name: str, *, is_unique: bool, why: str) -> str:
        """Say what else than a feature a column may be, in words that end with a comma."""
        if why in roles.NO_ROLE:
            return ""
        if is_unique:
            return f"dataset.index={name} takes it as row names, "
        return (
            f"dataset.groups={name} keeps equal ones together, dataset.adjust=[{name}] uses it as "
            f"a covariate, dataset.onehot=[{name}] as features, "
        )

    def _why_no_feature(self, name: str, texts: list, words: list, values: npt.NDArray) -> str:
        """Say why a column of text or of numbers is no feature, or nothing."""
        is_unique, is_person = len({*texts}) == len(texts), roles.is_named(name, roles.WHO)
        if words:
            is_odd = 2 * len([*filter(roles.ODDLY.match, words)]) > len(words)
            is_id = is_unique and all(map(roles.DIGIT_ID.fullmatch, words))
            is_id |= is_person or bool(roles.INDEX.fullmatch(name))
            return roles.ODD if is_odd and not is_id else "is text"
        is_whole, is_first = all(map(str.isdigit, texts)), name == self.own[0] and not self.turned
        filled = values[~np.isnan(values)]
        is_dated = roles.is_named(name, roles.DATED) and (filled % 1 == 0).all()
        if not len(filled):
            return ""
        if all(map(roles.DAY.fullmatch, texts)) or (is_dated and filled.min() >= roles.FIRST_DAY):
            return roles.DATE
        if is_first and all(map(roles.SHORTENED.fullmatch, texts)):
            return roles.SHORT
        is_id = is_whole and bool(roles.ID.fullmatch(name))
        if is_person or is_id or roles.is_named(name, roles.WHERE):
            return "says who or where the sample is from (rename it if it is measured)"
        is_count = is_whole and is_unique and not self.turned and self.options.index is not None
        if is_count and (roles.INDEX.fullmatch(name) or np.ptp(values) == len(values) - 1):
            return "counts or names the rows (dataset.index=null takes it as a feature)"
        return ""

    def _role(self, name: str, texts: list[str], why: str) -> dict[str, Any]:
        """Return the option for a column; a covariate says so by its name, and mixes classes."""
        n_values, known = len({*texts}), self.faults.settings
        if n_values == len(texts) and self.index is None and "index" not in known:
            return {"drop": [name]} if why in roles.NO_ROLE else {"index": name}
        if n_values in (1, len(texts)) or why in roles.NO_ROLE:
            return {"drop": [name]}
        pairs = {*zip(texts, self.frame[self.options.target], strict=True)}
        is_few, is_place = n_values < max(3, len(texts) / 4), roles.is_named(name, roles.WHERE)
        is_covariate = is_place or roles.is_named(name, roles.COVARIATE)
        if is_few and is_covariate and len(pairs) > n_values:
            return {"adjust": [name]}
        is_group = is_place or roles.is_named(name, roles.WHO) or not is_few
        if is_group and self.options.groups == "auto" and "groups" not in known:
            return {"groups": name}
        return {"drop" if is_group else "onehot": [name]}

    def _onehot(self, name: str) -> pd.DataFrame:
        """Return a feature for each value of a column, or one feature if it has two values."""
        own = self.frame[name].str.strip()
        own = own.mask(np.isnan(numbers(own, self.options)))
        is_pair = own.nunique() == 2
        block = pd.get_dummies(own, prefix=name, prefix_sep="=", drop_first=is_pair, dtype=float)
        block[own.isna()] = np.nan
        return block

    def _finished(self, X: npt.NDArray, names: list[str]) -> tuple[npt.NDArray, list[str]]:
        """Features after `missing` and `transform`, which is a function of each sample."""
        how, missing = self.options.transform, self.options.missing
        if missing == "drop" and (has_gap := np.isnan(X).any(axis=0)).any():
            gone = [name for name, is_gone in zip(names, has_gap, strict=True) if is_gone]
            self.notes.append(f"{len(gone)} features with gaps were left out: {some(gone)}")
            X, names = X[:, ~has_gap].copy(), [name for name in names if name not in {*gone}]
        if not names:
            self.faults.refuse("no column is left for the features; dataset.drop has too many")
        with np.errstate(all="ignore"):
            changed = TRANSFORMS[how](X) if how else X
        gaps, wrong = np.isnan(X), np.isfinite(X) & ~np.isfinite(changed)
        empty = [names[j] for j in np.flatnonzero(gaps.all(axis=0))]
        gaps &= gaps.all(axis=0) | (missing is None)
        settings = {"transform": "rank"} if wrong.any() else {"missing": missing or "median"}
        for i, j in np.argwhere(gaps | wrong)[:1]:
            self.faults.add(
                f"{self.frame.index[i]}, column {shown(names[j])}, and {(gaps | wrong).sum() - 1} "
                "more: no value, or none after the transform; dataset.missing=median or drop "
                "handles gaps, dataset.na=[0] treats 0 as one, dataset.drop leaves out columns",
                drop=empty,
                **settings,
            )
        if self.faults.messages:
            self.faults.refuse()
        return changed, names


def _check_names(
    names: Sequence[str], faults: Faults, ignored: Sequence[str] = (), word: str = "column"
) -> None:
    """Report names that are missing (except the first), repeated, or have line breaks."""
    counts, bad = Counter(names), []
    for number, name in enumerate(names, 1):
        is_line = not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", name)
        is_good = is_line and counts[name] == 1 and (name or number == 1)
        if not is_good and name not in ignored:
            bad.append(f"{word} {number} ({shown(name)})")
    if bad:
        faults.refuse(f"{some(bad)}: give each a unique name on one line, or delete it")
