"""The features of a user's table as numbers, and every fault of their cells at once."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from experiments.datasets import formats
from experiments.datasets.columns import INDEX, as_texts
from experiments.datasets.roles import Roles, are_floats
from experiments.datasets.values import (
    CODES,
    MONTH,
    NUMBER,
    SHARES,
    TOLD,
    WORDS,
    Column,
    absence,
    absent_numbers,
    doubts,
    is_missing,
    look_absent,
    read_column,
)
from experiments.datasets.wording import counted, listed, setting, shown, some, twins

#: Names of genes that a spreadsheet has made dates: SEPT2 as 2-Sep, or as the date itself.
DATE_NAME = re.compile(
    rf"\d{{1,2}}(-|\.? ){MONTH}|{MONTH}[- ]\d{{1,2}}|\d{{4}}-\d\d-\d\d( 00:00:00)?|"
    r"\d{1,2}[./]\d{1,2}[./]\d{2,4}",
    re.IGNORECASE,
)
DATE = re.compile(
    r"\d{4}-\d\d?-\d\d?([ T].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}( .*)?|"
    rf"\d{{1,2}}[ -]?{MONTH}[a-z]*[ -]?\d{{2,4}}|\d{{1,2}}:\d\d(:\d\d)?( ?[AP]M)?",
    re.IGNORECASE,
)
#: Names of counts of reads without a gene; and of rows that hold them, or a statistic.
NO_GENE = re.compile(r"__\w+|N_(unmapped|multimapping|noFeature|ambiguous)")
NO_ROW = re.compile(
    rf"{NO_GENE.pattern}|((grand|sub)[ -]?)?total|sum|mean|average|median|min|max|cv|"
    "sd|std([ .]?(dev|err))?|sem",
    re.IGNORECASE,
)
#: Names that programs give to columns without a name.
NO_NAME = re.compile(r"(unnamed: \d+|\.\.\.\d+)?", re.IGNORECASE)
#: Numbers in brackets, or with a currency, a unit or a mark.
ODDLY = re.compile(
    r"[(\u2013$€£¥~-]?\s*\d[\d.,:/ ×x*^±+-]*([^\W\d]{1,8}[+\d]*)?(/\w{1,3})?\s*[)*%$€£¥]*"
)
#: Kind of fault of a cell -> what it is, and the key that solves it.
ADVICE = {
    "limit": "{}; dataset.below_limit=half, value or missing says what such a value is",
    "negative": "{}: half of a negative limit is above it; dataset.below_limit=value or missing",
    "percent": "{} instead of a number; write such numbers without a percent sign",
    "infinite": "infinite values, {}; fill them in or leave them out",
    "tiny": "{}: a number that a computer takes for 0",
    "share": f"{{}}; {SHARES}",
    "signs": "{}",
    "text": "{}; is it missing? {}",
    "written": "{}; write a number by digits, a sign and a decimal point alone, without brackets, "
    "marks, currencies or dates, or take it as missing by dataset.na",
}
#: Kind of a column of text -> what is said of it.
TEXTS = {
    "dates": "look{s} like dates",
    "mixed": "has numbers in fewer than half of the rows: {absent} takes other texts as missing",
    "odd": "look{s} like numbers with brackets, marks or units: write digits, sign and point alone",
}
#: Kind of a cell that may be a code -> its two readings.
CODE_OR_NUMBER = {
    "padded": "{} may be a number, or a code with leading zeros",
    "long": "{} has more digits than a number can hold, and looks like an id",
    "code": "{} may be a number such as 1000, or a code such as a well or a clone",
}


def features_of(roles: Roles) -> tuple[npt.NDArray[np.float64], list[str]]:
    """The features of the rows that are kept, and their names; `roles` gets notes and faults.

    Parameters
    ----------
    roles : Roles
        The columns that are left are the features.
    """
    names = roles.columns.names
    if told := twins([*names, *roles.index_names], f"{roles.what}s"):
        roles.faults.append(told)
    if not names:
        roles.faults.append(
            f"no column is left for the features next to the target {shown(roles.target)}"
        )
    by_text = Counter(map(str.strip, set(names)))
    if alike := sorted({name.strip() for name in names if by_text[name.strip()] > 1}):
        roles.notes.append(
            f"WARNING features differ in blanks at the ends of their names alone: "
            f"{some(map(shown, alike))}"
        )
    if unnamed := [name for name in names if NO_NAME.fullmatch(name.strip())]:
        roles.notes.append(
            f"WARNING {len(unnamed)} of the features has no name ({some(map(shown, unnamed))})"
        )
    if dates := [name for name in names if DATE_NAME.fullmatch(name.strip())]:
        roles.notes.append(
            f"WARNING {len(dates)} features are called like dates ({some(map(shown, dates))}); "
            "Excel makes dates of genes such as SEPT2 and MARCH1, so check their names"
        )
    rows = [roles.row_names[row] for row in roles.kept] if roles.row_names else []
    other = NO_ROW if roles.what == "row" else NO_GENE
    for what, called, leftover in (("sample", rows, NO_ROW), ("feature", names, other)):
        if odd := [name for name in called if leftover.fullmatch(name.strip())]:
            roles.notes.append(
                f"WARNING by their names, these {what}s may be none: {some(map(shown, odd))}; "
                f"leave them out unless they are {what}s"
            )
    cells = _Cells(roles)
    parts: list[tuple[str, npt.NDArray]] = []
    for name, values, column in _read(roles):
        if column.is_text or name in roles.options.order:
            parts += cells.categories(name, as_texts(values))
        else:
            cells.check(name, column)
            for kind, written in roles.written.items():
                written += [name] if kind in column.told else []
            if "truth" in column.told:
                roles.codes[name] = [name, {"FALSE": 0.0, "TRUE": 1.0, "0": 0.0, "1": 1.0}]
            parts.append((name, column.values))
    cells.report()
    new = [name for name, _ in parts]
    if len(set(names)) == len(names) and (told := twins(new)):
        roles.faults.append(told)
    if not parts:
        return np.empty((len(roles.kept), 0)), []
    return _without_gaps(np.stack([values for _, values in parts], axis=1), new, roles)


def _read(roles: Roles) -> Iterator[tuple[str, npt.NDArray, Column]]:
    """Each column and its numbers, in the decimal signs that the whole table shows."""
    options, columns, signs = roles.options, roles.columns, roles.signs()
    absent = absent_numbers(options)
    for name, whole in zip(columns.names, columns.values, strict=True):
        values = whole[roles.kept]
        if are_floats(values) and not np.isinf(values).any():
            column = Column(values.astype(np.float64))
        else:
            column = read_column(as_texts(values), name, options, signs)
        if absent:  # A number of 32 bits is not that of 64 bits with the same digits.
            single = values.dtype if values.dtype.kind == "f" else np.float64
            column.values[np.isin(column.values, np.array(absent, dtype=single))] = np.nan
        yield name, values, column


class _Cells:
    """The faults of cells, gathered over all columns."""

    def __init__(self, roles: Roles) -> None:
        self.roles = roles
        self.found: dict[str, list[str]] = defaultdict(list)
        self.rows: set[int] = set()
        self.n_numbers, self.found_in = 0, set[str]()
        self.told: dict[str, list[str]] = defaultdict(list)
        self.unknown: dict[str, None] = {}
        self.may_be_codes: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.coded: dict[float, list[str]] = defaultdict(list)
        self.mixed: dict[str, list[str]] = {}

    def check(self, name: str, column: Column) -> None:
        """Take note of a column of numbers."""
        self.n_numbers += 1
        values = column.values
        if INDEX.fullmatch(name.strip(" #")) and np.array_equal(values, values.round()):
            advice = f"{setting('index', name)} takes it as row names"
            if len(np.unique(values)) < len(values):
                advice = f"{setting('groups', name)} keeps rows of one value together"
            elif self.roles.what == "row":
                advice = f"{listed('drop', [name])} leaves it out"
            self.roles.notes.append(
                f"WARNING {shown(name)} is called like row names, but was taken as a feature; "
                + advice
            )
        if _are_days(values):
            self.roles.notes.append(
                f"WARNING the numbers in {shown(name)} look like dates; {listed('drop', [name])} "
                "leaves them out"
            )
        for kind in column.told:
            self.told[kind].append(name)
        for number, n in look_absent(values).items():
            self.coded[number].append(f"{shown(name)} ({n})")
        for kind, cells in column.faults.items():
            where = [
                f"{shown(text)} in {self.roles.columns.at(int(self.roles.kept[rows[0]]))}"
                + (f" and {len(rows) - 1} more" if len(rows) > 1 else "")
                for text, rows in cells.items()
            ]
            told = some(where, 2 if kind in (*CODES, "signs") else 3)
            if kind in CODES:
                told = CODE_OR_NUMBER[kind].format(told)
                self.may_be_codes.append(name)
            elif kind == "signs":
                told += column.doubt
            elif kind in ("text", "written"):
                told += " instead of a number"
                self.rows.update(*cells.values())
                self.found_in.add(name)
                self.unknown |= dict.fromkeys(cells) if kind == "text" else {}
            self.found["code" if kind in CODES else kind].append(f"{shown(name)}: {told}")

    def categories(self, name: str, cells: list[str | None]) -> list[tuple[str, npt.NDArray]]:
        """The features that a column of text becomes; none if it has a fault."""
        options, faults = self.roles.options, self.roles.faults
        texts = ["" if cell is None else cell.strip() for cell in cells]
        given = {t for t in texts if t and t not in options.na}
        values = sorted(t for t in given if t.lower() in WORDS or not is_missing(t, options))
        if name in options.order:
            order = [str(value) for value in options.order[name]]
            excused = WORDS - {value.lower() for value in order}
            if strange := [v for v in values if v not in order and v.lower() not in excused]:
                faults.append(f"dataset.order of {shown(name)} lacks {some(map(shown, strange))}")
            if len(set(order)) < len(order):
                faults.append(f"dataset.order of {shown(name)} names a value twice: {order}")
            code = {value: float(number) for number, value in enumerate(order)}
            self.roles.codes[name] = [name, code]
            return [(name, np.array([code.get(text, np.nan) for text in texts]))]
        numbers = [v for v in values if NUMBER.fullmatch(v)]
        others = [v for v in values if v not in numbers]
        if any("." in v for v in numbers) and len(numbers) > 2 and not any(map(_is_odd, others)):
            self.mixed[name] = others
        if options.categories is None:
            self.texts[name] = values
            return []
        if name in self.mixed:
            self.roles.notes.append(
                f"WARNING {shown(name)} has numbers in fewer than half of the rows, and each is a "
                f"category; {listed('na', others)} takes the other texts as missing"
            )
        words = [v for v in values if v.lower() in WORDS]
        values = [v for v in values if v.lower() not in WORDS]
        if words:
            faults.append(
                f"{shown(name)} has {some(map(shown, words))}, which may be a missing value "
                f"({listed('na', words)}) or a category (dataset.order={{{name}: [...]}})"
            )
            return []
        if len(values) > max(10, len(texts) // 2):
            faults.append(
                f"{shown(name)} has {len(values)} different texts in {len(texts)} rows, no "
                f"categories; {listed('drop', [name])} leaves it out"
            )
            return []
        self.roles.notes += doubts(values, name, "categories")
        self.told["categories"].append(name)
        gaps = [is_missing(text, options) for text in texts]
        each, new = np.array(texts, dtype=object), []
        for value in values[1:] if len(values) == 2 else values:
            feature = f"{name}={value}"
            self.roles.codes[feature] = [name, {other: float(other == value) for other in values}]
            new.append((feature, np.where(gaps, np.nan, each == value)))
        return new

    def report(self) -> None:
        """Sentences on all that was gathered."""
        faults = self.roles.faults
        for kind, advice in ADVICE.items():
            if kind in self.found:
                faults.append(advice.format(some(self.found[kind]), listed("na", self.unknown, 10)))
        is_all = self.n_numbers == len(self.found_in) and "written" not in self.found
        may_describe = is_all and self.rows and max(self.rows) < min(3, len(self.rows))
        if may_describe and formats.takes("skip", self.roles.file):
            lines = [self.roles.columns.at(row) for row in self.roles.kept[sorted(self.rows)]]
            faults[-1] += (
                f"; if {' and '.join(lines)} describe{'s' if len(lines) == 1 else ''} the columns, "
                f"{listed('skip', [line.split()[1] for line in lines])}"
            )
        if self.may_be_codes:
            numbers, drop = (listed(key, self.may_be_codes) for key in ("numbers", "drop"))
            faults.append(
                f"{some(self.found['code'])}; {numbers} reads numbers, {drop} leaves them out, "
                f"{setting('index', self.may_be_codes[0])} takes them as row names"
            )
        if self.texts:
            faults.append(self._on_texts())
        self.roles.notes += [absence(number, columns) for number, columns in self.coded.items()]
        for kind in filter(self.told.get, TOLD):
            self.roles.notes.append(
                f"{counted(len(self.told[kind]), 'column')} {TOLD[kind]}: "
                f"{some(map(shown, self.told[kind]))}"
            )

    def _on_texts(self) -> str:
        columns = [
            f"{name} ({some(map(shown, values), 4)}"
            + (f", {len(values)} different)" if len(values) > 4 else ")")
            for name, values in self.texts.items()
        ]
        told = (
            f"{counted(len(columns), 'column', 'holds', 'hold')} text and no numbers: "
            f"{some(columns, 20)}; dataset.categories=onehot makes numbers of them, "
            f"{listed('drop', self.texts)} leaves them out"
        )
        alike: dict[str, list[str]] = defaultdict(list)
        for name, values in self.texts.items():
            alike[self._resembles(name, values)].append(name)
        absent = listed("na", dict.fromkeys(t for n in alike["mixed"] for t in self.mixed[n]))
        for kind, advice in TEXTS.items():
            if names := alike[kind]:
                s = "s" if len(names) == 1 else ""
                told += f"; {some(map(shown, names))} {advice.format(s=s, absent=absent)}"
        if ids := [n for n, v in self.texts.items() if len(v) == len(self.roles.kept)]:
            told += f"; {setting('index', ids[0])} takes one as row names"
        return told

    def _resembles(self, name: str, values: list[str]) -> str:
        """The kind, in :data:`TEXTS`, of a column of text; empty for any other text."""
        if values and all(map(DATE.fullmatch, values)):
            return "dates"
        if name in self.mixed:
            return "mixed"
        return "odd" if any(map(_is_odd, values)) else ""


def _are_days(values: npt.NDArray[np.float64]) -> bool:
    """True if all numbers are days, such as 20240131 or 31012024, or months, such as 202401."""
    days = values[np.isfinite(values)]
    if not len(days) or days.min() < 1900_01 or days.max() >= 10**8:
        return False
    parts = [days // 10**6, days // 10**4 % 100, days // 100 % 100, days % 100]
    # The places of the century, the month and the day.
    forms = ((1, 3, 3),) if days.max() < 10**6 else ((0, 2, 3), (2, 1, 0), (2, 0, 1))
    return any(
        np.isin(100 * parts[century] + parts[century + 1], range(1900, 2100)).all()
        and np.isin(parts[month], range(1, 13)).all()
        and np.isin(parts[day], range(1, 32)).all()
        for century, month, day in forms
    )


def _is_odd(text: str) -> bool:
    """True for a number with brackets, a mark or a unit."""
    return bool(ODDLY.fullmatch(text)) and not NUMBER.fullmatch(text)


def _without_gaps(X, names: list[str], roles: Roles) -> tuple[npt.NDArray, list[str]]:
    """Features without those that have no value at all; gaps are a fault unless asked for."""
    missing = roles.options.missing
    gaps = np.isnan(X)
    counts, rows = gaps.sum(axis=0), np.flatnonzero(gaps.any(axis=1))
    if missing is None:
        if told := [f"{shown(names[j])}: {counts[j]}" for j in np.flatnonzero(counts)]:
            roles.faults.append(
                f"{counted(len(told), 'feature')} missing values ({some(told)}) in "
                f"{len(rows)} of {len(X)} rows ({roles.called(roles.kept[rows])}); fill them "
                "in, or add experiment=select and dataset.missing=median or dataset.missing=drop"
            )
        return X, names
    full = (counts < len(X)) | (len(X) == 0)
    if not full.all():
        gone = [names[j] for j in np.flatnonzero(~full)]
        roles.notes.append(
            f"{counted(len(gone), 'feature', 'was', 'were')} left out, without any value: "
            f"{some(map(shown, gone))}"
        )
        if not full.any():
            roles.faults.append("no feature has a value")
        names = [names[j] for j in np.flatnonzero(full)]
        X, gaps = X[:, full], gaps[:, full]
    if not gaps.any():
        return X, names
    X[gaps] = np.nan  # one of many bit patterns
    n = int(gaps.any(axis=0).sum())
    if missing == "drop" and n > len(names) - 2:
        roles.faults.append(
            f"{n} of {len(names)} features have missing values, and "
            "dataset.missing=drop leaves fewer than two; use dataset.missing=median"
        )
    roles.notes.append(
        f"missing values ({gaps.sum()}, in {n} of {len(names)} features) become the median of the "
        "training rows"
        if missing == "median"
        else f"of {n} features with missing values, those with gaps in training rows are left out"
    )
    return X, names
