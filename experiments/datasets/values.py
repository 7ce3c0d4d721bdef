"""Texts of a file as numbers: a value is read if it has one reading, else both are said."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from experiments.datasets.columns import OTHER, Figure, Share, TableOptions
from experiments.datasets.wording import listed, shown, some

#: Spellings of a missing value that pandas and R know, in small letters.
MISSING = frozenset(
    {"", "na", "n/a", "#n/a", "#na", "#n/a n/a", "<na>", "nan", "-nan", "null", "none", "?"}
    | {f"{sign}1.#{word}" for sign in ("", "-") for word in ("ind", "qnan")}
)
#: Those of them that may as well be the name of a class: a cell that is empty may not.
WORDS = MISSING - {""}
#: Other texts that often mean a missing value, in small letters, but may be a class or a category.
DOUBTFUL = frozenset({"-", "--", ".", "n.a.", "n.a", "n.d.", "n.d", "nd", "unknown", "missing"})
#: Errors of a formula.
DOUBTFUL |= {"#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!"}
#: Numbers that often mean a missing value; the last one is NA among whole numbers of R.
CODED = {sign * float(digit * n) for sign in (1, -1) for digit in "789" for n in range(2, 6)}
CODED |= {-9.0, -997.0, -998.0, -(2.0**31)}
TRUTH = frozenset({"true", "false"})
EXPONENT = r"(?:[eE][-+]?\d+)?"
NUMBER = re.compile(rf"[-+]?(?:\d+\.?\d*|\.\d+){EXPONENT}")
#: The decimal sign of plain numbers.
POINT = frozenset(".")
#: Signs of plain numbers; and among plain numbers those that may be codes, or too long.
PLAIN = re.compile(r"[0-9.eE+\n-]*")
ODD = re.compile(r"^[-+]?(?:0\d+(?:\.\d*)?|\d{16,}|\d+[eE]\d+)$", re.MULTILINE)
PADDED, LONG = re.compile(r"[-+]?0\d+"), re.compile(r"[-+]?\d{16,}")
CODE = re.compile(r"\d+[eE]\d+")
LIMIT = re.compile(r"([<>≤≥]=?)\s*(\S.*)")
INFINITE = re.compile(r"[-+]?inf(inity)?", re.IGNORECASE)
#: A number of one group of three digits after a sign may be a fraction, or a whole number.
ONE_GROUP = re.compile(r"[-+]?[1-9]\d{0,2}([,.])\d{3}")
#: A plain number whose point is a decimal sign, since it is not before three digits at the end.
CERTAIN = re.compile(
    rf"^(?![-+]?[1-9]\d{{0,2}}\.\d{{3}}$)[-+]?(?:\d+\.\d*|\.\d+){EXPONENT}$", re.MULTILINE
)
POINTS = re.compile(r"\.\d*\.")
#: Blanks and apostrophes between thousands.
BLANKS = " '\u2019\u00a0\u202f\u2009"
#: Decimal sign -> a number, which may have blanks or the other sign between thousands.
NUMBERS = {
    sign: re.compile(
        rf"[-+]?(?:(?:{plain}){EXPONENT}|"
        rf"[1-9]\d{{0,2}}(?:(?:[{BLANKS}]\d{{3}})+|(?:[{OTHER[sign]}]\d{{3}})+)(?:[{sign}]\d+)?)"
    )
    for sign, plain in ((".", r"\d+\.?\d*|\.\d+"), (",", r"\d*,\d+|\d+"))
}
WHOLE = re.compile(r"[-+]?\d+")
#: A text among numbers that is another spelling of a number rather than a missing value.
MONTH = "(?:jan|feb|mar|mrz|apr|may|mai|jun|jul|aug|sept?|oct|okt|nov|dec|dez)"
WRITTEN = re.compile(rf"^[^A-Za-z#]*\d|∞|^{MONTH}[a-z]*[- ]\d", re.IGNORECASE)
#: Anything that begins like a number: 1,234 and <0.5, too.
LIKE_NUMBER = re.compile(r"[<>≤≥=\s]*[-+\u2212]?[.,]?\d[\d.,eE+\s'-]*%?")
#: Signs of currencies.
MONEY = "$£¥\u20a0-\u20cf"
#: A number with a currency, a share, a dash, an error or degrees, or in digits of another script.
MARKED = re.compile(rf"[{MONEY}\u2010-\u2015-]*\s*\d[\d.,·٫' \u00a0]*([{MONEY}%‰]|[°±²³].*)?")
#: Signs beside those of ASCII that a number may have.
AS_ASCII = dict.fromkeys(map(ord, "\u2019\u00a0\u202f\u2009≤≥"), " ")
#: Kinds of cells that may be numbers or codes.
CODES = ("padded", "long", "code")
#: Kinds of cells that count as numbers if a column's role is decided.
NUMERIC = {
    *("number", "limit", "negative", "infinite", "signs", "tiny", "percent", "written"),
    *CODES,
}
#: What is said if percents are shown in a part of a column.
SHARES = (
    "a spreadsheet shows such numbers as percents, and other numbers of the column not, so that "
    "0.4 may be 0.4 or 40; give the whole column one format there, and check its values"
)
#: How a column was read -> what it has.
TOLD = {
    "comma": "numbers with a decimal comma",
    "thousands": "numbers with signs between thousands",
    "limit": "values beyond a limit, taken as dataset.below_limit says",
    "share": "numbers that are shown as percents, taken as fractions (0.4 for 40%)",
    "zeros": "fractions with leading zeros (09.30), which may be codes, dates or times",
    "truth": "TRUE and FALSE, taken as 1 and 0",
    "categories": "text, made features of the form NAME=VALUE, 1 if a sample has the value",
}


@dataclass
class Column:
    """A column of texts as numbers.

    Attributes
    ----------
    values : ndarray of shape (n_rows,)
        NaN where a value is missing, 0 where it has a fault.
    faults : mapping of str to mapping of str to list of int
        Kind of fault -> text -> its rows.
    is_text : bool
        True if most of its values are no numbers at all.
    told : set of str
        How its numbers were read, where that is worth a word.
    """

    values: npt.NDArray[np.float64]
    faults: Mapping[str, Mapping[str, list[int]]] = field(default_factory=dict)
    is_text: bool = False
    told: set[str] = field(default_factory=set)

    @property
    def remarks(self) -> list[str]:
        """Ends of sentences on the column: the ways in which its numbers were read."""
        return [TOLD[kind] for kind in sorted(self.told & TOLD.keys())]

    @property
    def doubt(self) -> str:
        """The end of a sentence: the readings of the first text with two; empty without one."""
        if "share" in self.faults:
            return f"; {SHARES}"
        return "".join(f"; {both_readings(text)}" for text in [*self.faults.get("signs", ())][:1])


def plain_numbers(cells: list, signs: Set[str] = POINT) -> npt.NDArray[np.float64] | None:
    """The cells as numbers, if all are written in the plainest way and have one reading.

    None may be a code; and a point is not the decimal sign if the table shows another one, or none.
    """
    if None in cells or "" in cells:
        return None
    joined = "\n".join(cells)
    if not PLAIN.fullmatch(joined) or ODD.search(joined) or ("." in joined and signs != POINT):
        return None
    try:
        values = np.array(list(map(float, cells)), dtype=np.float64)
    except ValueError:
        return None
    vanish = any(_vanishes(cells[row]) for row in np.flatnonzero(values == 0))
    return values if np.isfinite(values).all() and not vanish else None


def _vanishes(text: str) -> bool:
    """True if a text that reads as 0 has another digit."""
    return bool(re.search("[1-9]", re.split("[eE]", text)[0]))


def signs_in(cells: Iterable[str | None]) -> set[str]:
    """The decimal signs that the texts among the cells show without doubt."""
    texts = [cell for cell in cells if cell and not isinstance(cell, Figure)]
    joined = "\n".join(texts)
    if "," not in joined and not POINTS.search(joined):  # A comma is no decimal sign here.
        if "." not in joined:
            return set()
        if CERTAIN.search(joined):
            return {"."}
    found: set[str] = set()
    for text in {text.strip().lstrip("<>≤≥= ") for text in texts}:
        if ("," in text or "." in text) and len(fits := _fitting(text)) == 1:
            found |= fits
        if len(found) == 2:
            break
    return found


def _fitting(text: str) -> set[str]:
    """The decimal signs with which a text is a number."""
    return {sign for sign, number in NUMBERS.items() if number.fullmatch(text)}


def read_column(cells: list, name: str, options: TableOptions, signs: set[str]) -> Column:
    """Read a column of texts as numbers.

    Parameters
    ----------
    cells : list of str or None
    name : str
    options : TableOptions
    signs : set of str
        The decimal signs that the whole table shows.
    """
    given = {options.sign} if options.sign else set()
    numbers = plain_numbers(cells, given or signs)
    if numbers is not None and Share not in map(type, cells):
        return Column(numbers)
    rows: dict[str, list[int]] = {}
    figures: list[int] = []
    for row, cell in enumerate(cells):
        if isinstance(cell, Figure) and not INFINITE.fullmatch(cell):
            figures.append(row)
        else:
            text = "" if cell is None else cell.strip().replace("\u2212", "-")
            rows.setdefault(text, []).append(row)
    present = [text for text in rows if not is_missing(text, options)]
    here = given or signs_in(present) or signs
    words = {text.lower() for text in present}
    truth = not figures and bool(words & TRUTH) and words <= {*TRUTH, "0", "1"}
    # Neither whole numbers nor those that a file stores show a decimal sign.
    reader = _Reader(options, here, truth, bool(figures) or any(map(WHOLE.fullmatch, present)))
    read = {text: reader.value(text) for text in present}
    # Beside other numbers, 1E3 is one, too.
    beside = ("code",) if figures or any(kind == "number" for kind, _ in read.values()) else ()
    numeric = {"number", *(CODES if name in options.numbers else beside)}
    n_present = len(figures) + sum(len(rows[text]) for text in present)
    n_numbers = len(figures) + sum(len(rows[text]) for text in present if read[text][0] in NUMERIC)
    values = np.full(len(cells), np.nan)
    values[figures] = [float(cells[row]) for row in figures]
    faults: dict[str, dict[str, list[int]]] = {}
    if shares := [row for row in figures if isinstance(cells[row], Share)]:
        reader.told.add("share")
        if len(shares) < n_numbers:
            faults["share"] = {cells[shares[0]]: shares}
    for text, (kind, value) in read.items():
        values[rows[text]] = value if kind in numeric else 0
        if kind not in numeric:
            kind = "written" if kind == "text" and WRITTEN.search(text) else kind
            faults.setdefault(kind, {})[text] = rows[text]
    return Column(values, faults, 2 * n_numbers < n_present, reader.told)


def is_missing(text: str | None, options: TableOptions) -> bool:
    """True for a spelling of a missing value."""
    if text is None or text.lower() in MISSING or text in options.na:
        return True
    if not options.na or not NUMBER.fullmatch(text):
        return False
    return float(text) in absent_numbers(options)


def absent_numbers(options: TableOptions) -> tuple[float, ...]:
    """The numbers among the texts of dataset.na, which are missing however they are spelled."""
    return tuple(float(text) for text in options.na if NUMBER.fullmatch(text))


def look_absent(values: npt.NDArray[np.float64]) -> dict[float, int]:
    """Numbers such as -999 that are far from all others, and how often each is there.

    They are further from the nearest other value than these are from each other.
    """
    values = values[np.isfinite(values)]
    if not len(values) or not {values.min(), values.max()} & CODED:
        return {}
    counts = Counter(values.tolist())
    others = np.array([*counts.keys() - CODED])
    return {
        number: counts[number]
        for number in sorted(counts.keys() & CODED)
        if len(others) and np.abs(others - number).min() > np.ptp(others)
    }


def far_from_others(values: npt.NDArray[np.float64], name: str) -> list[str]:
    """A warning for each value such as -999 that :func:`look_absent` finds in a column."""
    return [absence(number, [shown(name)]) for number in look_absent(values)]


def absence(number: float, columns: list[str]) -> str:
    """A warning on a number in these columns that :func:`look_absent` finds."""
    return (
        f"WARNING {number:.0f} is far from all other values in {some(columns)}; if it means a "
        f"missing value, add dataset.na=[{number:.0f}]"
    )


class _Reader:
    """The reading of single texts of a column; `told` gathers what was met."""

    def __init__(self, options: TableOptions, signs: set[str], truth: bool, whole: bool) -> None:
        self.options, self.signs, self.truth, self.whole = options, signs, truth, whole
        self.told: set[str] = set()

    def value(self, text: str) -> tuple[str, float]:
        """The kind of a text, and the number that it is."""
        if self.truth:
            self.told.add("truth")
            return "number", float(text.lower() in ("true", "1"))
        if not text.translate(AS_ASCII).isascii():  # Nor are digits of other scripts.
            return "written" if MARKED.fullmatch(text) else "text", np.nan
        if INFINITE.fullmatch(text):
            return "infinite", np.nan
        if limit := LIMIT.fullmatch(text):
            kind, value = self.value(limit[2])
            if kind != "number" or value != value:
                return ("signs" if kind == "signs" else "text"), np.nan
            return self._limit(limit[1], value)
        if not (fits := _fitting(text)):
            is_share = text.endswith("%") and LIKE_NUMBER.fullmatch(text)
            is_marked = "$" in text and MARKED.fullmatch(text)
            return "percent" if is_share else "written" if is_marked else "text", np.nan
        if (sign := self._decimal(text, fits)) is None:
            return "signs", np.nan
        digits = re.sub(f"[{BLANKS}{OTHER[sign]}]", "", text)
        told = {
            "thousands": digits != text,
            "comma": "," in digits,
            "points": sign == "," and "." in text,
        }
        self.told |= {kind for kind, is_so in told.items() if is_so}
        return self._checked(digits.replace(",", "."))

    def _decimal(self, text: str, fits: set[str]) -> str | None:
        """The decimal sign of a number; None if it has two readings, or another sign is in use."""
        if "," not in text and "." not in text:
            return "."
        if len(fits) == 1:
            return next(iter(fits)) if self.signs <= fits else None
        if len(self.signs) == 1 and ("," in text or self.options.sign or self.signs == {"."}):
            return next(iter(self.signs))
        return "." if "." in text and not self.signs and not self.whole else None

    def _checked(self, text: str) -> tuple[str, float]:
        """The kind of a plain number: one that fits into a float, and cannot be a code."""
        value = float(text)
        if not np.isfinite(value):
            return "infinite", np.nan
        if PADDED.fullmatch(text):
            return "padded", value
        if PADDED.match(text):
            self.told.add("zeros")
        if LONG.fullmatch(text) and int(value) != int(text):
            return "long", value
        if value == 0 and _vanishes(text):
            return "tiny", value
        return ("code" if CODE.fullmatch(text) else "number"), value

    def _limit(self, sign: str, value: float) -> tuple[str, float]:
        how = self.options.below_limit
        halved = how == "half" and sign[0] in "<≤"
        if how is None or (halved and value < 0):
            return ("negative" if halved else "limit"), np.nan
        self.told.add("limit")
        return "number", np.nan if how == "missing" else value / 2 if halved else value


def doubts(texts: Iterable[str], name: str, words: str) -> list[str]:
    """Sentences on classes or categories that may be a missing value, or each other.

    Parameters
    ----------
    texts : iterable of str
        The different ones.
    name : str
        Their column.
    words : {"classes", "categories", "groups"}
    """
    present, told = sorted(set(texts)), []
    doubtful = [t for t in present if t.lower() in DOUBTFUL and not (t == "-" and "+" in present)]
    if doubtful:
        drop = " dataset.unlabelled=drop" if words == "classes" else ""
        told.append(
            f"WARNING {some(map(shown, doubtful))} in {shown(name)} may mean a missing value, and "
            f"counts among the {words}; {listed('na', doubtful)}{drop} takes it as missing"
        )
    if len(present) > 2 and all(map(NUMBER.fullmatch, present)):
        told += far_from_others(np.array(list(map(float, present))), name)
    alike: dict[str, list[str]] = {}
    for text in present:
        number = text.replace("\u2212", "-")
        key = f"{float(number):.17g}" if NUMBER.fullmatch(number) else visible(text).lower()
        alike.setdefault(key, []).append(text)
    for group in alike.values():
        how = "in capital letters alone"
        if NUMBER.fullmatch(group[0]):
            how = "in their spelling alone, as numbers they are equal"
        elif len({text.lower() for text in group}) > 1:
            how = "in signs that look alike or are not visible"
        if len(group) > 1:
            told.append(
                f"in {shown(name)} the {words} {' and '.join(map(shown, group))} differ {how}; "
                f"they are taken as different {words}"
            )
    return told


def visible(text: str) -> str:
    """The text with one form of each letter, dash and blank, without signs of no width."""
    letters = re.sub("[\u2010-\u2015\u2212]", "-", unicodedata.normalize("NFKC", text))
    return " ".join("".join(c for c in letters if unicodedata.category(c) != "Cf").split())


def both_readings(text: str) -> str:
    """The two readings of a text such as 1,234, and the key that decides."""
    text = text.lstrip("<>≤≥= ")
    sign = "," if "," in text else "."
    if not ONE_GROUP.fullmatch(text):
        return "the table has commas and points as decimal signs: dataset.decimal=',' or '.'"
    whole, fraction = text.replace(sign, ""), text.replace(sign, ".")
    return (
        f"{shown(text)} may be {whole} (dataset.thousands='{sign}') or {fraction} "
        f"(dataset.decimal='{sign}')"
    )
