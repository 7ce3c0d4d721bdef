"""A choice of features that was made elsewhere, read from a JSON file: no pickle, no code."""

import json
import os
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

#: The format that the file names.
FORMAT = "manifest selector 1"


class StoredSelector(TransformerMixin, BaseEstimator):
    """Keep columns of a data frame by their names; there is nothing to fit.

    Parameters
    ----------
    selected : list of str
        Names of features, the best first. Each is a column, unless `codes` has it.
    codes : dict of str to list of (str, dict of str to float), optional
        Feature -> its column of text, and the number of each text in it. A gap stays a gap.
    """

    def __init__(self, selected, codes=None):
        self.selected = selected
        self.codes = codes

    def fit(self, X, y=None):
        """Check that the columns are there.

        Raises
        ------
        ValueError
            If X has no names, or lacks a column, or has one twice, or a text that no code has.
        """
        self.transform(X)
        return self

    def fit_transform(self, X, y=None):
        """Return the features as `transform` does, which checks all that `fit` does."""
        return self.transform(X)

    def transform(self, X):
        """Return the features as an ndarray of shape (n_samples, n_selected).

        Raises
        ------
        ValueError
            If X has no names, or lacks a column, or has one twice, or a text that no code has.
        """
        codes = self.codes or {}
        self._check(X, [codes[name][0] if name in codes else name for name in self.selected])
        if not codes:
            return X[list(self.selected)].to_numpy()
        features = [
            _numbers(X[codes[name][0]], *codes[name]) if name in codes else X[name].to_numpy()
            for name in self.selected
        ]
        return np.column_stack(features)

    def get_feature_names_out(self, input_features=None):
        """Return the names, an ndarray of objects (n_selected,)."""
        return np.array(self.selected, dtype=object)

    def _check(self, X, columns):
        if not hasattr(X, "columns"):
            raise ValueError(f"X must be a data frame with named columns, got {type(X).__name__}")
        counts = Counter(X.columns)
        missing = [name for name in columns if name not in counts][:5]
        if missing:
            raise ValueError(f"X lacks columns, such as {missing}; it must have {columns[:5]}")
        again = [name for name in columns if counts[name] > 1][:5]
        if again:
            raise ValueError(f"X has columns twice, such as {again}; give names that differ")

    def __sklearn_is_fitted__(self):
        return True


def _numbers(texts, column, codes):
    """The numbers of a column of text, NaN for its gaps."""
    found = np.full(len(texts), np.nan)
    # A data frame has true and false in place of TRUE and FALSE, and 1.0 in place of 1 beside gaps.
    known = {key.lower(): key for key in codes if key.lower() in ("true", "false")}
    for row, text in enumerate(texts):
        if text is None or str(text) in ("nan", "<NA>"):
            continue
        text = str(int(text)) if isinstance(text, float) and text.is_integer() else str(text)
        key = known.get(text.lower(), text.strip())
        if key not in codes:
            raise ValueError(f"the column {column!r} has {text!r}, expected one of {list(codes)}")
        found[row] = codes[key]
    return found


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
        content = json.loads(Path(path).read_bytes().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not JSON; expected a selector.json of this project") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        given = content.get("format") if isinstance(content, dict) else type(content).__name__
        raise ValueError(f"{path} has the format {given!r}, expected {FORMAT!r}")
    for key in ("features", "selected"):
        names = content.get(key)
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ValueError(f"{path}: {key!r} must be a list of names")
    features, selected = content["features"], content["selected"]
    differ = all(len(set(names)) == len(names) for names in (features, selected))
    if not selected or not differ or not set(selected) <= set(features):
        raise ValueError(f"{path}: 'selected' must be among 'features', and names must differ")
    codes = content.get("codes", {})
    if not isinstance(codes, dict) or not all(map(_is_code, codes.values())):
        raise ValueError(f"{path}: 'codes' must be a column and its numbers for each feature")
    return StoredSelector(selected, codes)


def _is_code(code):
    if not isinstance(code, list) or len(code) != 2 or not isinstance(code[1], dict):
        return False
    return isinstance(code[0], str) and all(isinstance(v, int | float) for v in code[1].values())
