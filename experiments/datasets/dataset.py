"""The result of `load`, and its errors."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from experiments.config import suggest

#: Names that a sentence lists at most, and characters of a text that it shows.
NAMED, LONGEST = 5, 40


class DataError(ValueError):
    """A data set that cannot be had, or is not what it should be. The message says what to do."""


class Damaged(ValueError):
    """A file that cannot be read. The message says why, and whoever catches it adds the path."""


def unknown(kind: str, given: object, valid: Iterable[str]) -> str:
    """The sentence on a name that is not there: the given one, the closest and the choices."""
    choices = list(valid)
    if not choices:
        return f"There is no {kind} called {given!r}, and no other {kind} either."
    sentence = f"There is no {kind} called {given!r}{suggest(given, choices)}."
    return " ".join(sentence.split())


def shown(text: object) -> str:
    """A text of the file between quotation marks, shortened, without control characters."""
    whole = str(text)
    return repr(whole if len(whole) <= LONGEST else f"{whole[:LONGEST]}...")


def some(items: Iterable[object], most: int = NAMED) -> str:
    """The first items as a list in a sentence, and how many more there are."""
    listed = list(map(str, items))
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more


@dataclass(frozen=True, eq=False)
class Dataset:
    """The arrays of one data set, with rows in canonical order, and what is known about it.

    Attributes
    ----------
    name : str
    X : ndarray of shape (n_samples, n_features), C-contiguous, finite
        float64, but uint8 for images (mnist and its relatives). All their 70000 x 784 pixels would
        take 440 MB as float64, so callers convert the rows that they use.
    y : ndarray of shape (n_samples,), int64
        0..C-1, or the original class numbers where a set holds only some of the classes.
    label_names : mapping of each value in y to its name
    fingerprint : str
        Hexadecimal; see `experiments.datasets.fingerprint`.
    source : str
        One sentence: where the arrays came from.
    feature_names : tuple of str (n_features,), or None
    verified : bool
        True if the fingerprint equals one that is known for this data set.
    synthetic : bool
        True for generated data.
    citation, licence : str
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
    citation: str = ""
    licence: str = ""

    def answer(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the arrays, and the rest, as a child process or the cache hands them over."""
        arrays = {
            name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)
        }
        return arrays, {name: value for name, value in vars(self).items() if name not in arrays}

    @classmethod
    def of(cls, answer: tuple[dict[str, Any], dict[str, Any]]) -> Self:
        """Return the data set of an answer, which has been text in between."""
        arrays, about = answer
        about = {key: tuple(v) if isinstance(v, list) else v for key, v in about.items()}
        about["label_names"] = {int(label): v for label, v in about["label_names"].items()}
        return cls(**arrays, **about)
