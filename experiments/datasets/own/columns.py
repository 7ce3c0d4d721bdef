"""Convert the columns of a user's table, or say why one is no feature and what else it may be."""

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments.datasets.dataset import shown
from experiments.datasets.own import roles
from experiments.datasets.own.numerals import GROUPED, NUMERAL, SIGNS, Way, numbers, only_way
from experiments.datasets.own.reading import Reading

#: A covariate of whole numbers with at most so many values has categories.
CATEGORIES = 10
#: Most words proposed as missing.
WORDS = 5


class Columns:
    """The columns of a table; errors are added to its faults."""

    def __init__(self, reading: Reading) -> None:
        self.reading, self.options, self.faults = reading, reading.options, reading.faults
        self.frame = reading.frame

    def group(self, name: str) -> tuple[str, ...]:
        """Return the texts of a column of groups."""
        return tuple(self._like(name)[1])

    def covariate(self, name: str) -> list:
        """Return the numbers of a column, or its texts if it has categories."""
        values, texts = self._like(name)
        found = values[np.isfinite(values)]
        is_few = len({*found}) <= min(CATEGORIES, len(texts) / 3) and (found % 1 == 0).all()
        is_number = len(found) == len(texts) and not is_few
        how = "numbers" if is_number else "categories"
        self.reading.notes.append(f"{shown(name)} has {how}; it is a covariate, not a feature")
        return values.tolist() if is_number else texts

    def _like(self, name: str) -> tuple[npt.NDArray, list[str]]:
        """Return the numbers and texts of a column; report those that are unlike the others."""
        texts = self.frame[name].tolist()
        values = numbers(texts, self.options)
        is_mixed = np.isinf(values) & (2 * np.isfinite(values).sum() > len(values))
        is_bad = np.isnan(values) | is_mixed
        if is_bad.any():
            place = self.reading.cell(int(is_bad.argmax()), name)
            self.faults.add(f"{place} is unlike the others; correct it, or name another column")
        return values, texts

    def onehot(self, name: str) -> pd.DataFrame:
        """Return a feature for each value of a column, or one feature if it has two values."""
        own = self.frame[name].str.strip()
        own = own.mask(np.isnan(numbers(own, self.options)))
        is_pair = own.nunique() == 2
        block = pd.get_dummies(own, prefix=name, prefix_sep="=", drop_first=is_pair, dtype=float)
        block[own.isna()] = np.nan
        return block

    def check_feature(self, name: str, values: npt.NDArray) -> None:
        """Report text, numbers with ambiguous signs, and numbers that are names or dates."""
        texts = [text.strip(" \t") for text in self.frame[name]]
        is_word = np.isinf(values)
        words = list(dict.fromkeys(texts[i] for i in np.flatnonzero(is_word)))
        signs = self._signs(texts, words)
        if signs:
            place = self.reading.cell(texts.index(signs[0]), name)
            self.faults.add(
                f"{place} may have decimal signs or thousands; set dataset.decimal or "
                "dataset.thousands, and write all numbers in one way",
                **(self._way.options() if self._way else {}),
            )
            return
        place = self.reading.cell(int(is_word.argmax()), name)
        if 0 < 2 * is_word.sum() <= (~np.isnan(values)).sum():
            is_missing = len(words) <= WORDS and not any(map(roles.VALUE.match, words))
            missing: dict[str, Any] = {"na": words, "missing": self.options.missing or "median"}
            self.faults.add(
                f"{place} is not a number; correct it, or dataset.na=[{words[0]}] treats it as "
                "missing",
                **(missing if is_missing else {}),
            )
            return
        why = self._why_no_feature(name, texts, words, values)
        if why:
            uses = self._uses(name, is_unique=len({*texts}) == len(texts), why=why)
            told = f"{place} {why}; {uses}dataset.drop=[{name}] leaves it out"
            self.faults.add(told, **self._role(name, texts, why))

    def _signs(self, texts: list[str], words: list[str]) -> list[str]:
        """Return the texts of a column that are numbers, or other ones, by other signs."""
        is_open = not (self.options.decimal or self.options.thousands)
        signs = [word for word in words if SIGNS.fullmatch(word)]
        if self.reading.is_loose and is_open:
            points = [text for text in texts if "." in text]
            if all(map(GROUPED.fullmatch, points)):
                signs += points
        if signs or 2 * len(words) > len(texts):
            return signs
        return [word for word in words if NUMERAL.fullmatch(word) and self._way]  # 1'399.20

    @cached_property
    def _way(self) -> Way | None:
        """The one way in which all columns of numbers are numbers, if there is one."""
        reading = self.reading
        numerals = set[str]()
        for name in {*reading.own} - {*reading.taken, reading.index}:
            texts = {text.strip(" \t") for text in self.frame[name]}
            found = {text for text in texts if NUMERAL.fullmatch(text)}
            if 2 * len(found) > len(texts):
                numerals |= found
        signed = sorted(text for text in numerals if not text.isdigit())
        return only_way(signed, self.options) if signed else None

    def _why_no_feature(
        self, name: str, texts: list[str], words: list[str], values: npt.NDArray
    ) -> str:
        """Say why a column of text or of numbers is no feature, or nothing."""
        is_unique = len({*texts}) == len(texts)
        is_person = roles.is_named(name, roles.WHO)
        if words:
            is_odd = 2 * len([*filter(roles.ODDLY.match, words)]) > len(words)
            is_id = is_unique and all(map(roles.DIGIT_ID.fullmatch, words))
            is_id |= is_person or bool(roles.INDEX.fullmatch(name))
            return roles.ODD if is_odd and not is_id else "is text"
        filled = values[~np.isnan(values)]
        if not len(filled):
            return ""
        is_dated = roles.is_named(name, roles.DATED) and (filled % 1 == 0).all()
        if all(map(roles.DAY.fullmatch, texts)) or (is_dated and filled.min() >= roles.FIRST_DAY):
            return roles.DATE
        turned = self.reading.turned
        is_first = name == self.reading.own[0] and not turned
        if is_first and all(map(roles.SHORTENED.fullmatch, texts)):
            return roles.SHORT
        is_whole = all(map(str.isdigit, texts))
        is_id = is_whole and bool(roles.ID.fullmatch(name))
        if is_person or is_id or roles.is_named(name, roles.WHERE):
            return "says who or where the sample is from (rename it if it is measured)"
        is_count = is_whole and is_unique and not turned and self.options.index is not None
        if is_count and (roles.INDEX.fullmatch(name) or np.ptp(values) == len(values) - 1):
            return "counts or names the rows (dataset.index=null takes it as a feature)"
        return ""

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

    def _role(self, name: str, texts: list[str], why: str) -> dict[str, Any]:
        """Return the option for a column; a covariate says so by its name, and mixes classes."""
        n_values = len({*texts})
        known = self.faults.settings
        if n_values == len(texts) and self.reading.index is None and "index" not in known:
            return {"drop": [name]} if why in roles.NO_ROLE else {"index": name}
        if n_values in (1, len(texts)) or why in roles.NO_ROLE:
            return {"drop": [name]}
        pairs = {*zip(texts, self.frame[self.options.target], strict=True)}
        is_few = n_values < max(3, len(texts) / 4)
        is_place = roles.is_named(name, roles.WHERE)
        is_covariate = is_place or roles.is_named(name, roles.COVARIATE)
        if is_few and is_covariate and len(pairs) > n_values:
            return {"adjust": [name]}
        is_group = is_place or roles.is_named(name, roles.WHO) or not is_few
        if is_group and self.options.groups == "auto" and "groups" not in known:
            return {"groups": name}
        return {"drop" if is_group else "onehot": [name]}
