"""The cells of a user's table: numbers, classes and covariates, and what is refused of them."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from experiments.datasets.dataset import shown, some
from experiments.datasets.grid import THOUSANDS
from experiments.datasets.roles import INDEX, Roles

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
#: A covariate of whole numbers with at most so many values has categories.
CATEGORIES = 10
#: Columns of repeated texts that are compared in pairs; words that a command takes as missing.
COMPARED, WORDS = 20, 5


class Cells(Roles):
    """The cells of the columns; each fault of them is added with its place and its cure."""

    def numbers(self, columns: Sequence[int]) -> tuple[npt.NDArray, npt.NDArray]:
        """The columns as numbers, NaN where there is none, and the cells that are neither."""
        cells = self.cells[:, columns]
        values, bad = np.full(cells.shape, np.nan), np.zeros(cells.shape, dtype=bool)
        for (i, j), text in np.ndenumerate(cells):
            if text.strip(" \t") not in self.absent:
                found = self.number(text)
                bad[i, j], values[i, j] = found is None, np.nan if found is None else found
        return values, bad

    def refuse_rows_of_text(self, columns, values, bad) -> None:
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
        self.is_sample[rows], bad[rows], values[rows] = False, False, 0.0
        cure = "remove a second header, units and footers, or join two header rows in one"
        settings: dict[str, Any] = {}
        if self.turned and self.row_names is not None:
            cure = "dataset.drop leaves it out, dataset.na takes a word as missing"
            settings = {"drop": [self.row_names[i] for i in rows]}
        self.faults.add(
            f"{self.rows(rows)}: text among numbers ({some(map(shown, words))}); {cure}",
            **settings,
        )

    def refuse_long(self, columns, bad) -> None:
        """Refuse a table with a row for each sample and feature: two texts name each row once."""
        if self.turned:
            return
        live = self.live()
        texts = {} if self.index is None or self.groups else {self.index: self.row_names or []}
        is_text = 2 * bad.sum(axis=0) > len(live)
        names = [self.names[columns[at]] for at in np.flatnonzero(is_text).tolist()]
        texts |= {name: self.column(name) for name in names}
        texts |= {n: own for n, own in self.dropped.items() if not any(map(self.number, own))}
        n_numbers = len(columns) - len(names)
        own = {name: [column[i] for i in live] for name, column in texts.items()}
        names = [name for name in own if min(Counter(own[name]).values(), default=0) > 1]
        for one, other in combinations(names[:COMPARED], 2):
            fewest = min(len(set(own[one])), len(set(own[other])))
            pairs = set(zip(own[one], own[other], strict=True))
            if len(pairs) == len(live) and fewest >= n_numbers:
                self.faults.refuse(
                    f"the columns {shown(one)} and {shown(other)} name each row once, so that the "
                    f"table looks long: write frame.pivot(index={one!r}, columns={other!r}, "
                    f"values=COLUMN) by pandas; if it is not, dataset.groups={one} or dataset.drop"
                )

    def check_row_names(self) -> None:
        """Refuse names of rows that are missing, repeat, or are of no samples."""
        names, faults, live = self.row_names, self.faults, self.live()
        if names is None:
            return
        if empty := [i for i in live if not names[i].strip()]:
            faults.add(f"{self.rows(empty)}: no name of a sample; give it one, or remove it")
        if other := [i for i in live if names[i].strip() and NO_SAMPLE.fullmatch(names[i].strip())]:
            faults.add(
                f"{self.rows(other)}: {some(shown(names[i]) for i in other)} is no "
                "name of a sample; remove what is none, or rename it",
                **({"drop": [names[i] for i in other]} if self.turned else {}),
            )
        twice = [
            name for name, n in Counter(names[i] for i in live).items() if n > 1 and name.strip()
        ]
        if twice and self.options.groups == "auto":
            key = self.index or ("sample" if self.turned else "row")
            groups = f"dataset.groups={key} keeps equal ones together, " * self.fills
            where = self.rows(i for i in live if names[i] == twice[0])
            faults.add(
                f"{where}: {shown(twice[0])} repeats, as do {len(twice)} row names; {groups}"
                "dataset.groups=null takes them as independent",
                groups=key if self.fills else None,
            )

    def classes(self, labels: list[str]) -> tuple[npt.NDArray[np.int64], dict[int, str]]:
        """The code of each row's class, and the names of the classes."""
        target, faults = shown(self.options.target), self.faults
        empty = [i for i in self.live() if not labels[i].strip()]
        rows = [i for i in self.live() if labels[i].strip()]
        counts, first = Counter(labels[i] for i in rows), {labels[i]: i for i in reversed(rows)}
        if empty:
            drop = (
                {"drop": [self.row_names[i] for i in empty]}
                if self.turned and self.row_names
                else {}
            )
            faults.add(f"{self.rows(empty)}: no class in {target}; write it, or remove it", **drop)
        where = {name: f"{shown(name)} ({self.rows([row])})" for name, row in first.items()}
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

    def covariate(self, name: str, texts: list[str]) -> list:
        """The numbers of a covariate; or its texts, also if they are few whole numbers."""
        read = [self.number(text) for text in texts]
        numbers = [value for value in read if value is not None]
        if len(texts) / 2 < len(numbers) < len(texts):
            row = read.index(None)
            self.faults.add(
                f"{self.rows([row])}: {shown(texts[row])} in {shown(name)} is no number as others "
                "are; correct it, or leave the column out of dataset.adjust"
            )
        is_few = len(set(numbers)) <= min(CATEGORIES, len(texts) / 3)
        is_number = len(numbers) == len(texts) and not (
            is_few and all(map(float.is_integer, numbers))
        )
        kind = "a number" if is_number else f"{len(set(texts))} categories"
        self.notes.append(f"the covariate {shown(name)} is {kind}")
        return numbers if is_number else texts

    def refuse_texts(self, columns, values, bad) -> None:
        """Refuse text among numbers, column by column of the file, and offer what it may be."""
        self._refuse_commas(columns, values, bad)
        count, filled = bad.sum(axis=0), (bad | ~np.isnan(values)).sum(axis=0)
        words: dict[int, list[tuple[int, int]]] = {}
        for at in np.flatnonzero(count).tolist():
            rows, j = np.flatnonzero(bad[:, at]).tolist(), columns[at]
            if 2 * count[at] > filled[at]:
                self._refuse_text(self.cell(rows[0], j), j, [self.cells[i, j] for i in rows])
                continue
            for i in rows:
                words.setdefault(i if self.turned else j, []).append((i, j))
        for cells in words.values():
            texts = list(dict.fromkeys(self.cells[cell].strip(" \t") for cell in cells))
            settings: dict[str, Any] = {"na": texts} if len(texts) <= WORDS else {}
            if settings and self.fills:
                settings["missing"] = self.options.missing or "median"
            self.faults.add(
                f"{self.cell(*cells[0])}: {shown(texts[0])} is no number"
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
            f"{self.cell(at[0][0], columns[at[0][1]])}: {shown(cells[at[0]])} has a comma, as "
            f"{len(at)} numbers in {len({j for _, j in at})} columns; {advice}",
            **settings,
        )
        for cell in at:
            bad[cell], values[cell] = False, 0.0

    def _refuse_text(self, place: str, j: int, texts: list[str]) -> None:
        """Refuse a column of text, and offer what it may be."""
        name, n, different = self.names[j], len(texts), len(set(texts))
        said = f"{place}: {shown(texts[0])} is text, as {n} values of {shown(name)}"
        drop = "dataset.drop leaves the column out"
        settings: dict[str, Any] = {"drop": [name]}
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
            elif is_free and (TOGETHER.search(name) or max(3, n / 4) <= different <= n / 2):
                advice, settings = f"{repeated}{groups}, {adjust}, {last}", {"groups": name}
            elif different <= n / 2:
                advice, settings = f"{repeated}{adjust}, {groups}, {last}", {"adjust": [name]}
            else:
                advice = f"{repeated}{groups}, {last}"
        self.faults.add(f"{said}; {advice}", **settings)

    def refuse_points(self, columns) -> None:
        """Refuse a file in which all points of numbers may stand between thousands."""
        if not self.is_loose or self.options.decimal or self.options.thousands:
            return
        cells = self.cells[self.is_sample][:, columns]
        pointed = [(cell, text) for cell, text in np.ndenumerate(cells) if "." in text]
        if pointed and all(THOUSANDS.fullmatch(text.strip()) for _, text in pointed):
            (i, j), text = pointed[0]
            self.faults.add(
                f"{self.cell(self.live()[i], columns[j])}: the point of {shown(text)} is a "
                "decimal sign or between thousands; dataset.decimal=. or dataset.thousands=. tells",
                decimal=".",
            )

    def refuse_counters(self, columns, values, bad) -> None:
        """Refuse columns of whole numbers that count rows, name them, or are days."""
        for at, j in enumerate(columns):
            column, name = values[self.is_sample, at], self.names[j]
            texts = [text.strip() for text in self.cells[self.is_sample, j]]
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
            self.faults.add(f"{self.cell(self.live()[0], j)}: {shown(name)} {told}", **settings)

    def onehot(self, name: str, texts: list[str], X, names) -> tuple[npt.NDArray, list[str]]:
        """X and its names with a feature for each value of a column, one if it has two."""
        own = np.array([text.strip() for text in texts], dtype=object)
        absent = np.isin(own, list(self.absent))
        different = sorted(set(own[~absent & self.is_sample]))
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

    def refuse_gaps(self, names: list[str], X: npt.NDArray) -> None:
        """Refuse columns without any value, and gaps unless an option says what becomes of them."""
        gaps = np.isnan(X[self.is_sample])
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
        row = self.live()[int(np.flatnonzero(gaps[:, some_gaps[0]])[0])]
        told = some(f"{shown(names[j])}: {count[j]}" for j in some_gaps)
        how = "dataset.missing=median fills them, drop leaves such columns out"
        settings: dict[str, Any] = {"missing": "median"}
        if not self.fills:
            how, settings = "dataset.drop leaves them out", {"drop": [names[j] for j in some_gaps]}
        self.faults.add(
            f"{self.rows([row])}: missing values in {len(some_gaps)} columns ({told}); {how}",
            **settings,
        )

    def transformed(self, names: list[str], X: npt.NDArray) -> npt.NDArray:
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
                f"{self.rows([row])}, column {shown(names[j])}: no {how} of {X[row, j]:g}; "
                + "dataset.na=[0] if 0 is not measured, or log1p; " * has_zeros
                + "dataset.transform=rank takes all numbers",
                transform="log1p" if has_zeros else "rank",
            )
        return X


def _spelled(name: str) -> float | str:
    """A key that two spellings of one class share: 1 and 1.0, True and TRUE, both forms of ü."""
    text = " ".join(unicodedata.normalize("NFKC", name).casefold().split())
    return float(text) if re.fullmatch(r"[+-]?[0-9]{1,15}(\.[0-9]{0,15})?", text) else text


def on_names(names: Sequence[str]) -> Iterable[str]:
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
