"""A choice of features that was made elsewhere, read from a JSON file: no pickle, no code."""

import json
import os
from pathlib import Path

from sklearn.compose import ColumnTransformer

#: The format that the file names.
FORMAT = "manifest selector 1"


def load_selector(path: str | os.PathLike[str]) -> ColumnTransformer:
    """Read the selector that ``run.py experiment=select`` has written as selector.json.

    Parameters
    ----------
    path : path

    Returns
    -------
    ColumnTransformer
        A step for pipelines that is not fitted yet. It takes a data frame and keeps the columns of
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
    return ColumnTransformer([("kept", "passthrough", selected)], verbose_feature_names_out=False)
