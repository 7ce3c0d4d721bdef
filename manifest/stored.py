"""A choice of features that was made elsewhere, read from a JSON file: no pickle, no code."""

import json
import os
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_array

#: What the file says that it is.
FORMAT = "manifest selector 1"


class StoredSelector(TransformerMixin, BaseEstimator):
    """Choose the columns that a list names, the best first.

    A transformer for pipelines. It has learned nothing that `fit` could change.

    Parameters
    ----------
    features : sequence of str
        The names of all columns of the table that the choice was made from, in their order.
    selected : sequence of str
        Those to choose, the best first.

    Examples
    --------
    >>> import numpy as np
    >>> StoredSelector(["a", "b", "c"], ["c", "a"]).transform(np.array([[1.0, 2.0, 3.0]]))
    array([[3., 1.]])
    """

    def __init__(self, features, selected):
        self.features = features
        self.selected = selected

    def fit(self, X, y=None):
        """Check that X has the columns; nothing is learned.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            As :meth:`transform`.
        """
        self.transform(X)
        return self

    def transform(self, X):
        """The chosen columns of X.

        Parameters
        ----------
        X : data frame, or array-like of shape (n_samples, n_features)
            Of a data frame the columns are found by name; it may have others, in any order. An
            array must have all features in their order. Values may be missing.

        Returns
        -------
        data frame or ndarray of shape (n_samples, n_selected)

        Raises
        ------
        ValueError
            If a column is missing, or an array has another number of columns.
        """
        if hasattr(X, "columns"):
            missing = [name for name in self.selected if name not in set(X.columns)]
            if missing:
                named = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
                raise ValueError(
                    f"{len(missing)} of the {len(self.selected)} selected features are not among "
                    f"the columns of X: {named}"
                )
            return X[list(self.selected)]
        X = check_array(X, ensure_all_finite="allow-nan")
        if X.shape[1] != len(self.features):
            raise ValueError(
                f"X has {X.shape[1]} columns, the choice was made among {len(self.features)}; pass "
                "the same columns in the same order, or a data frame with their names"
            )
        return X[:, self.get_support(indices=True)]

    def get_support(self, indices=False):
        """The selected features as a mask, or as column numbers, the best first.

        Parameters
        ----------
        indices : bool

        Returns
        -------
        ndarray of bool of shape (n_features,), or of int of shape (n_selected,)
        """
        place = {name: column for column, name in enumerate(self.features)}
        chosen = np.array([place[name] for name in self.selected], dtype=np.intp)
        if indices:
            return chosen
        mask = np.zeros(len(self.features), dtype=bool)
        mask[chosen] = True
        return mask

    def get_feature_names_out(self, input_features=None):
        """The names of the selected features, the best first."""
        return np.array(list(self.selected), dtype=object)

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

    Raises
    ------
    ValueError
        If the file is no such selector.
    OSError
        If it cannot be read.
    """
    text = Path(path).read_text(encoding="utf-8")
    try:
        content = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{path} is not JSON; expected a selector.json of this project") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        found = content.get("format") if isinstance(content, dict) else type(content).__name__
        raise ValueError(f"{path} has the format {found!r}, expected {FORMAT!r}")
    lists = []
    for name in ("features", "selected"):
        given = content.get(name)
        if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
            raise ValueError(f"{path}: {name!r} must be a list of names")
        lists.append(given)
    features, selected = lists
    if not selected or len(set(features)) < len(features) or not set(selected) <= set(features):
        raise ValueError(f"{path}: 'selected' must be among 'features', which differ")
    return StoredSelector(features, selected)
