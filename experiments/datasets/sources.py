"""Find the first source of a data set that is right, or say why none is."""

import logging
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from experiments.datasets import download, formats, openml_source
from experiments.datasets.dataset import DataError
from experiments.datasets.limits import LIMITS, Limits
from experiments.datasets.registry import (
    REGISTRY,
    DatasetInfo,
    Mat,
    OpenML,
    ScikitLearn,
    Source,
    Ternary,
)
from experiments.datasets.table import Table
from experiments.datasets.verify import Verified, verify

log = logging.getLogger(__name__)
Obtain = Callable[[DatasetInfo], Verified]


def first_right(
    info: DatasetInfo, obtain: Obtain, *, limits: Limits = LIMITS, progress: bool = False
) -> Verified:
    """Return the table of the first source that can be had and verified.

    Parameters
    ----------
    info : DatasetInfo
    obtain : callable (DatasetInfo) -> Verified
        How to get another data set from which this one is made.
    limits : Limits
        How long each source may take, and how much memory its table.
    progress : bool
        Whether downloads show a bar.

    Raises
    ------
    DataError
        If no source is right. It says what was tried, and how to use a local folder.
    """
    failures = []
    for position, source in enumerate(info.sources):
        try:
            return verify(info, *_table(info, source, obtain, limits, progress))
        except DataError as error:
            failures.append(f"{describe(source)} ({error})")
            rest = info.sources[position + 1 :]
            if rest:
                log.warning(
                    "%s cannot be had from %s; trying %s",
                    info.name,
                    failures[-1],
                    ", then ".join(map(describe, rest)),
                )
    tried = "; ".join(failures) or "it is not offered anywhere in this form"
    raise DataError(
        f"{info.name} cannot be had: {tried}; what remains is a local folder with "
        f"{info.name}{', '.join(formats.READERS)}, named by data.home or MANIFEST_DATA"
    )


def describe(source: Source) -> str:
    """Say where a source is."""
    match source:
        case OpenML(id=number):
            return f"OpenML {number}"
        case Mat(url=url):
            return url
        case Ternary(of=name):
            return f"the data set {name}"
        case ScikitLearn(loader=name):
            return f"scikit-learn's {name}"


def _table(
    info: DatasetInfo, source: Source, obtain: Obtain, limits: Limits, progress: bool
) -> tuple[Table, str]:
    """The table at a source, and where that is."""
    match source:
        case OpenML(id=number):
            expected = expected_bytes(info, text=True)
            return openml_source.fetch(number, limits=limits, expected=expected, progress=progress)
        case Mat(url=url, sha256=sha256):
            with tempfile.TemporaryDirectory() as scratch:
                path = download.download(
                    url,
                    Path(scratch),
                    sha256=sha256,
                    limits=limits,
                    expected=expected_bytes(info, text=False),
                    progress=progress,
                )
                return formats.read(path, limits=limits), url
        case Ternary(of=name):
            other = obtain(REGISTRY[name])
            return Table(ternary(other.X), other.y, other.feature_names), other.source
        case ScikitLearn(loader=name):
            # It is slow to import.
            from sklearn import datasets

            X, y = getattr(datasets, name)(return_X_y=True)
            return Table(X, y, None), describe(source)


def expected_bytes(info: DatasetInfo, *, text: bool) -> int:
    """Return about how many bytes a file with this data set has.

    As text, a value takes as many characters as the longest one, and a comma. As a binary number it
    takes 8 bytes.
    """
    n_samples, n_features = info.shape
    longest = max(len(f"{value:g}") for value in info.value_range)
    width = 8 if not text else 1 + (20 if info.dtype == "float64" else longest)
    return (n_samples * width + 100) * (n_features + 1)


def ternary(X: npt.NDArray) -> npt.NDArray[np.int8]:
    """Discretise each feature: 2 above mean + sd/2, -2 below mean - sd/2, else 0.

    Parameters
    ----------
    X : ndarray (n_samples, n_features)

    Returns
    -------
    ndarray (n_samples, n_features), int8, values in {-2, 0, 2}
    """
    mean, half = X.mean(axis=0), X.std(axis=0, ddof=1) / 2
    above, below = X - (mean + half) > 0, X - (mean - half) < 0
    return 2 * above.astype(np.int8) - 2 * below.astype(np.int8)
