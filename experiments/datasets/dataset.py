"""The result and the errors of `load`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from experiments.config import ToldError, suggest

#: Most names that a sentence lists, and most characters of a text that it shows.
NAMED, LONGEST = 5, 40


class DataError(ToldError, ValueError):
    """Raised if a data set is not available or not as expected; the message says what to do."""


def unknown(kind: str, given: object, valid: Iterable[str]) -> str:
    """Return a sentence about an unknown name: the given, the closest and the valid names."""
    return f"There is no {kind} called {given!r}{suggest(given, valid)}"


def shown(text: object) -> str:
    """Return a text of the file in quotation marks, shortened, without control characters."""
    whole = str(text)
    return repr(whole if len(whole) <= LONGEST else f"{whole[:LONGEST]}...")


def some(items: Iterable[object], most: int = NAMED) -> str:
    """List the first items for a sentence, and say how many more there are."""
    listed = list(map(str, items))
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more


@dataclass(frozen=True, eq=False)
class Dataset:
    """The arrays of a data set, with rows in canonical order, and facts about it.

    Attributes
    ----------
    name : str
    X : ndarray of shape (n_samples, n_features), C-contiguous, finite
        float64, or uint8 for images (mnist and similar data sets). 70000 x 784 pixels would
        take 440 MB as float64, so callers convert only the rows that they use.
    y : ndarray of shape (n_samples,), int64
        0..C-1, or the original class numbers if the data set has only some of the classes.
    label_names : mapping of each value in y to its name
    fingerprint : str
        64 hexadecimal digits; see `experiments.datasets.fingerprint`.
    source : str
        Where the arrays came from, in one sentence.
    feature_names : tuple of str (n_features,), or None
    verified : bool
        True if the fingerprint is the one known for this data set.
    synthetic : bool
        True for generated data.
    """

    name: str
    X: npt.NDArray[np.float64] | npt.NDArray[np.uint8]
    y: npt.NDArray[np.int64]
    label_names: Mapping[int, str]
    fingerprint: str
    source: str
    feature_names: tuple[str, ...] | None = None
    verified: bool = False
    synthetic: bool = False


def ternary(X: npt.NDArray, rows: npt.NDArray | slice = slice(None)) -> npt.NDArray[np.int8]:
    """Discretise each feature: 2 above mean + sd/2 of some rows, -2 below mean - sd/2, else 0.

    The deviation sd is that with n - 1.
    """
    mean, half = X[rows].mean(axis=0), X[rows].std(axis=0, ddof=1) / 2
    above, below = X - (mean + half) > 0, X - (mean - half) < 0
    return 2 * above.astype(np.int8) - 2 * below.astype(np.int8)
