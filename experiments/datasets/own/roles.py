"""What names and texts say about a column of a user's table: a person, a place, a date, a number.

Digits and words are treated alike: patients 1 to 12 are patients as much as patients A to L.
"""

import re
import unicodedata
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

#: Names of a first column that contains row names.
INDEX = re.compile(
    r"#?((.*[\W_])?(sample|id|name|barcode|index)s?|(sample|patient|subject|case)id|unnamed: \d+)?",
    re.IGNORECASE,
)
#: Names of rows that are not samples: comments, statistics, blanks.
NO_SAMPLE = r"(?i)#|(total|mean|median|sd|sem|n|cv( \(%\))?|lo[dq]|((qc_)?pool|blank)[_\d]*)?\s*$"
#: Days written as whole numbers; names of columns of days; the number of a spreadsheet for 1954.
DAY = re.compile(r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")
DATED = re.compile(r"(?i)(.*[\W_])?(.*date|datum|dob|birth|visit|day|timestamp)[\W_]*")
FIRST_DAY = 20_000
#: Texts that begin like a number, but are none: limits, amounts, numbers with units, dates.
ODDLY = re.compile(r"[<>≤≥~(±$€£¥+\u2212-]?\s*\d")
#: Ids that begin with a digit: no mark before it; no blank, decimal point, unit or date.
DIGIT_ID = re.compile(r"(?!\d{1,4}([-/.]\d{1,2}){2}\b|\d+[a-zµ])\d[^\s.,%°$€]*")
#: Texts that are values, which must not become missing: numbers, limits, infinity, yes and no.
VALUE = re.compile(r"(?!#).*\d|[<>≤≥]|[+-]?inf(inity)?$|(true|false|yes|no)$", re.IGNORECASE)
#: Whole numbers of at least twelve digits, as a spreadsheet shortens them.
SHORTENED = re.compile(r"[1-9](\.\d+)?E\+?(1[1-9]|[2-9]\d)", re.IGNORECASE)

#: Most characters of a name, its last ones, that say what a column is.
LONGEST = 80
#: Why a column is nothing but left out.
ODD = "is not a number; remove unit, mark or date"
DATE = "is a date"
SHORT = "is an id that a spreadsheet has shortened; save it with all digits as row names"
NO_ROLE = (ODD, DATE, SHORT)

_FORM = r"([\W_]*(no|nr|num|number|id|code|name|index))*[\W_]*"


def _named(words: str) -> re.Pattern:
    """Return a pattern of names that end with a word, such as Patient No. or study_site."""
    return re.compile(rf"((.*[\W_])?({words})|({words})s){_FORM}", re.IGNORECASE)


#: Names that say who a sample is from, and where; names of other covariates; names of ids.
WHO = _named(
    "subject|subj|usubj|patient|pat|twin|donor|animal|mouse|mice|rat|pig|dog|participant|"
    "individual|person|proband|volunteer|family|household|cage|litter|pair"
)
WHERE = _named("site|centre|center|hospital|clinic|cohort|batch|plate|run")
COVARIATE = _named("sex|gender|age")
ID = re.compile(r"(.*[\W_])?(sample|id|barcode)s?", re.IGNORECASE)


def is_named(name: str, pattern: re.Pattern) -> bool:
    """Return whether a name matches; capitals inside it begin a word, as in PatientNo."""
    return bool(pattern.fullmatch(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name[-LONGEST:]).strip()))


def folded(name: str) -> str:
    """Return a name without its blanks, signs and capitals."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", name).casefold())


def alike(names: Iterable[str], others: Iterable[str]) -> dict[str, str]:
    """Pair names with those of others that are equal when they are folded."""
    known = {folded(other): other for other in others}
    return {name: known[own] for name in names if (own := folded(name)) in known and own}


def is_headless(values: npt.NDArray, named: npt.NDArray, turned: bool) -> bool:
    """Return whether a header looks like one more row of values (n_rows, n_columns), inf for text.

    All its names are numbers, as whole as the values, most of them near their range, and neither
    count the columns nor, if they are more than four, are in order, as wavelengths are. The columns
    of a turned table are samples, whose names may be any whole numbers.
    """
    kept = (np.isfinite(values).mean(axis=0) > 0.5) & ~np.isnan(named)
    values, named = values[:, kept], named[kept]
    if not np.isfinite(named).all() or (len(named) != 1 and len({*named.tolist()}) < 2):
        return False
    values = np.where(np.isfinite(values), values, np.nan)
    low, high, steps = np.nanmin(values, axis=0), np.nanmax(values, axis=0), np.diff(named)
    is_whole = (named % 1 == 0).all()
    if is_whole and (turned or (values[np.isfinite(values)] % 1 != 0).any()):
        return False
    is_even = len(steps) > 0 and np.ptp(steps) <= 1e-9 * np.abs(named).max()
    is_ordered = len(steps) > 3 and bool((steps > 0).all() or (steps < 0).all())
    if is_ordered or (is_even and is_whole and abs(steps[0]) == 1):
        return False
    within = (low - (high - low) <= named) & (named <= high + (high - low))
    return bool(within.mean() > 0.75)
