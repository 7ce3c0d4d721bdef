"""Convert texts to numbers, and find the way in which a file writes them."""

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from experiments.config import TableConfig

#: Texts that pandas reads as missing values.
ABSENT = frozenset(
    ["", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
     "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"]
)  # fmt: skip
#: The signs between thousands.
THOUSANDS = (",", ".", " ", "'", "\u2019", "\xa0", "\u202f")
#: A number with commas or points that may be thousands separators.
GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:[.,][0-9]{3})+")
#: Numbers with commas, or with points that may be thousands separators.
SIGNS = re.compile(rf"[+-]?[\d.]*,[\d.,]*|{GROUPED.pattern}")
#: Texts that may be numbers in some way of writing.
NUMERAL = re.compile(r"[+-]?[\d.,][\d.,'\u2019 \xa0\u202f]*([eE][+-]?\d+)?")
#: The largest number, whose square is one, too.
LARGEST = 1e150


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


class Way(NamedTuple):
    """A way of writing numbers: the decimal sign, and the one between thousands, if any."""

    decimal: str
    thousands: str | None

    def options(self) -> dict[str, str]:
        """Return the options of this way."""
        return {key: sign for key, sign in self._asdict().items() if sign}


#: The ways in which NUMERAL may be written.
WAYS = [
    Way(decimal, thousands)
    for decimal, thousands in product(".,", (None, *THOUSANDS))
    if decimal != thousands
]


def only_way(texts: Iterable[str], options: TableConfig) -> Way | None:
    """Return the one way in which all texts are numbers; None without or with several."""
    texts = list(texts)
    signs = {*"".join(texts)}
    found: dict[bytes, Way] = {}
    for way in WAYS:
        if way.thousands is None or way.thousands in signs:
            values = numbers(texts, replace(options, **way._asdict()))
            if np.isfinite(values).all():
                found.setdefault(values.tobytes(), way)  # Ways of equal numbers are one.
    return next(iter(found.values())) if len(found) == 1 else None
