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
        Names of columns, the best first.
    """

    def __init__(self, selected):
        self.selected = selected

    def fit(self, X, y=None):
        """Check that the columns are there.

        Raises
        ------
        ValueError
            If X has no names, or lacks a column, or has one twice.
        """
        self._check(X)
        return self

    def transform(self, X):
        """Return the columns as an ndarray (n_samples, n_selected).

        Raises
        ------
        ValueError
            If X has no names, or lacks a column, or has one twice.
        """
        self._check(X)
        return X[list(self.selected)].to_numpy()

    def get_feature_names_out(self, input_features=None):
        """Return the names, an ndarray of objects (n_selected,)."""
        return np.array(self.selected, dtype=object)

    def _check(self, X):
        if not hasattr(X, "columns"):
            raise ValueError(f"X must be a data frame with named columns, got {type(X).__name__}")
        counts = Counter(X.columns)
        missing = [name for name in self.selected if name not in counts][:5]
        if missing:
            of_text = [name for name in missing if name.partition("=")[0] in counts]
            told = f"; {of_text[0]} is 1 for this value of its column, else 0" if of_text else ""
            raise ValueError(
                f"X lacks columns, such as {missing}; it must have {self.selected[:5]}{told}"
            )
        again = [name for name in self.selected if counts[name] > 1][:5]
        if again:
            raise ValueError(f"X has columns twice, such as {again}; give names that differ")

    def __sklearn_is_fitted__(self):
        return True


def load_selector(path: str | os.PathLike[str]) -> StoredSelector:
    """Read the selector that ``run.py experiment=select`` has written as selector.json.

    Parameters
    ----------
    path : path

    Returns
    -------
    StoredSelector
        A step for pipelines, which needs no fit. It takes a data frame and keeps the columns of
        the selected names, the best first; the frame may have others, in any order.

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
    return StoredSelector(selected)
