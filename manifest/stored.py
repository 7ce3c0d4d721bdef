"""A choice of features that was made elsewhere, read from a JSON file: no pickle, no code."""

import json
import os
import re
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

#: The format that the file names.
FORMAT = "manifest selector 1"
EXPONENT = r"([eE][-+]?\d+)?"
#: A number with a decimal point.
NUMBER = re.compile(rf"[-+]?(\d+\.?\d*|\.\d+){EXPONENT}", re.ASCII)
#: Blanks and apostrophes between thousands.
BLANKS = " '\u2019\u00a0\u202f\u2009"
#: The sign before a limit of measurement, as in <0.5.
LIMIT = re.compile(r"([<>≤≥])=?\s*")


class StoredSelector(TransformerMixin, BaseEstimator):
    """Keep columns of a data frame by their names; there is nothing to fit.

    Parameters
    ----------
    selected : list of str
        Names of features, the best first. Each is a column, unless `codes` has it.
    codes : dict of str to list of (str, dict of str to float), optional
        Feature -> its column of text, and the number of each text in it. A gap stays a gap.
    numbers : dict, optional
        Reading of texts as numbers: `missing` (spellings of a missing value), `below_limit` (the
        number that <0.5 means: "half", "value", "missing" or None, which refuses it), and the
        features with a decimal `comma`, and with `points` or other signs between `thousands`.
    """

    def __init__(self, selected, codes=None, numbers=None):
        self.selected = selected
        self.codes = codes
        self.numbers = numbers

    def fit(self, X, y=None):
        """Check that the columns are there.

        Raises
        ------
        ValueError
            As in `transform`.
        """
        self.transform(X)
        return self

    def fit_transform(self, X, y=None):
        """Return the features as `transform` does, which checks all that `fit` does."""
        return self.transform(X)

    def transform(self, X):
        """Return the features as an ndarray of float64 of shape (n_samples, n_selected).

        Texts are read as the run has read them. A gap is NaN.

        Raises
        ------
        ValueError
            If X has no names, or lacks a column, or has one twice, or a text that is no number or
            that no code has.
        """
        codes = self.codes or {}
        columns = [codes[name][0] if name in codes else name for name in self.selected]
        columns = self._found(X, columns)
        numbers = {
            key: set(value) if isinstance(value, list) else value
            for key, value in (self.numbers or {}).items()
        }
        features = np.empty((len(X), len(columns)))
        for at, (name, column) in enumerate(zip(self.selected, columns, strict=True)):
            reading = _Reading(name, column, codes.get(name), numbers)
            features[:, at] = reading.values(np.asarray(X[column]))
        return features

    def get_feature_names_out(self, input_features=None):
        """Return the names, an ndarray of objects (n_selected,)."""
        return np.array(self.selected, dtype=object)

    def _found(self, X, columns):
        """The names of columns as X has them; blanks at their ends may differ."""
        if not hasattr(X, "columns"):
            raise ValueError(f"X must be a data frame with named columns, got {type(X).__name__}")
        counts = Counter(X.columns)
        if any(name not in counts for name in columns):
            called = Counter(name.strip() for name in counts if isinstance(name, str))
            as_given = {
                n.strip(): n for n in counts if isinstance(n, str) and called[n.strip()] == 1
            }
            columns = [n if n in counts else as_given.get(n.strip(), n) for n in columns]
        missing = [name for name in columns if name not in counts][:5]
        if missing:
            raise ValueError(f"X lacks columns, such as {missing}; it must have {columns[:5]}")
        again = [name for name in columns if counts[name] > 1][:5]
        if again:
            raise ValueError(f"X has columns twice, such as {again}; give names that differ")
        return columns

    def __sklearn_is_fitted__(self):
        return True


class _Reading:
    """The numbers of a column, as the run has read them."""

    def __init__(self, feature, column, code, numbers):
        self.column, self.codes = column, code[1] if code else {}
        # A data frame has true and false in place of TRUE and FALSE.
        self.known = {key.lower(): key for key in self.codes if key.lower() in ("true", "false")}
        self.missing = numbers.get("missing", set())
        self.absent = [float(text) for text in self.missing if NUMBER.fullmatch(text)]
        self.below_limit = numbers.get("below_limit")
        kinds = ("comma", "points", "thousands")
        has = {kind: feature in numbers.get(kind, ()) for kind in kinds}
        self.points_alone = has["points"] and not has["comma"]
        sign, other = ",." if has["comma"] or has["points"] else ".,"
        self.between = re.compile(f"[{BLANKS}{other}]")
        whole = rf"(\d+|[1-9]\d{{0,2}}([{BLANKS}{other}]\d{{3}})+)" if has["thousands"] else r"\d+"
        self.number = re.compile(rf"[-+]?({whole}[{sign}]?\d*|[{sign}]\d+){EXPONENT}", re.ASCII)

    def values(self, cells):
        if cells.dtype.kind in "biuf" and not self.codes:
            values = cells.astype(np.float64)
        else:
            values = np.array([self._value(cell) for cell in cells])
        if cells.dtype.kind == "f" and self.points_alone:
            raise ValueError(
                f"the column {self.column!r} has numbers with a decimal point, and its points were "
                "between thousands: read the table with thousands='.', or with dtype=str"
            )
        return np.where(np.isin(values, self.absent), np.nan, values)

    def _value(self, cell):
        if cell is None or str(cell) in ("nan", "<NA>"):
            if words := [key for key in self.codes if key.lower() in self.missing]:
                raise ValueError(
                    f"the column {self.column!r} has a gap, or one of {words}, which are "
                    "categories: read the table with keep_default_na=False"
                )
            return np.nan
        if isinstance(cell, int | float) and not self.codes:
            return float(cell)
        # Beside gaps, a data frame has 1.0 in place of 1.
        is_whole = isinstance(cell, float) and cell.is_integer()
        text = str(int(cell) if is_whole else cell).strip()
        key = self.known.get(text.lower(), text)
        if key not in self.codes and NUMBER.fullmatch(text):  # 1 in place of 01
            alike = [k for k in self.codes if NUMBER.fullmatch(k) and float(k) == float(text)]
            key = alike[0] if len(alike) == 1 else key
        if key in self.codes:
            return self.codes[key]
        if text in self.missing or text.lower() in self.missing:
            return np.nan
        if self.codes:
            valid = list(self.codes)
            raise ValueError(f"the column {self.column!r} has {text!r}, expected one of {valid}")
        limit = LIMIT.match(text)
        value = self._number(text[limit.end() :] if limit else text)
        halved = limit and self.below_limit == "half" and limit[1] in "<≤"
        if value is None or (limit and not self.below_limit) or (halved and value < 0):
            raise ValueError(
                f"the column {self.column!r} has {text!r}, expected a number, written as in the "
                "table of the run"
            )
        if limit and self.below_limit == "missing":
            return np.nan
        return value / 2 if halved else value

    def _number(self, text):
        """The number that a text is, or None."""
        text = text.replace("\u2212", "-")
        if not self.number.fullmatch(text):
            return None
        return float(self.between.sub("", text).replace(",", "."))


def load_selector(path: str | os.PathLike[str]) -> StoredSelector:
    """Read the selector that ``run.py experiment=select`` has written as selector.json.

    Parameters
    ----------
    path : path

    Returns
    -------
    StoredSelector
        A step for pipelines, which needs no fit. It takes a data frame and keeps the columns of
        the selected names, the best first; the frame may have others, in any order. Columns of text
        become the numbers that the run has made of them.

    Raises
    ------
    ValueError
        If the file is no such selector.
    OSError
        If it cannot be read.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
        content = json.loads(text, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not JSON; expected a selector.json of this project") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        given = content.get("format") if isinstance(content, dict) else type(content).__name__
        raise ValueError(f"{path} has the format {given!r:.60}, expected {FORMAT!r}")
    for key in ("features", "selected"):
        names = content.get(key)
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ValueError(f"{path}: {key!r} must be a list of names")
    features, selected = content["features"], content["selected"]
    differ = all(len(set(names)) == len(names) for names in (features, selected))
    if not selected or not differ or not set(selected) <= set(features):
        raise ValueError(f"{path}: 'selected' must be among 'features', and names must differ")
    codes, numbers = content.get("codes", {}), content.get("numbers", {})
    if not isinstance(codes, dict) or not all(map(_is_code, codes.values())):
        raise ValueError(f"{path}: 'codes' must be a column and its numbers for each feature")
    if not isinstance(numbers, dict) or not all(map(_is_rule, numbers.items())):
        raise ValueError(f"{path}: 'numbers' must have lists of texts, and a limit's rule")
    return StoredSelector(selected, codes, numbers)


def _is_code(code):
    match code:
        case [str(), dict(numbers)]:
            return all(type(v) in (int, float) and abs(v) < 1e9 for v in numbers.values())
    return False


def _without_repeats(pairs):
    """The pairs of a JSON object as a dict; a key that is there twice is an error."""
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a key is there twice")
    return content


def _is_rule(item):
    key, value = item
    if key == "below_limit":
        return value in (None, "half", "value", "missing")
    return isinstance(value, list) and all(isinstance(text, str) for text in value)
