"""Checks that every entry point makes before it computes anything."""

import math
import numbers
import os

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_X_y

from manifest.geometries import GEOMETRIES

#: Parameters of scikit-learn's checks of X. With one memory layout, sums round in the same way.
CHECKS = {"dtype": np.float64, "order": "C", "ensure_min_features": 2, "ensure_min_samples": 2}

AGGREGATES = ("max", "sum", "none")
MULTICLASS = ("mean", "ovo")
#: The square of a larger kernel scale overflows.
LARGEST_FACTOR = 1e100


def is_number(value):
    """Return True if a parameter is a real number and not a boolean."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def is_integer(value):
    """Return True if a parameter is an integer and not a boolean."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def check_integer(name, value, least, other=""):
    """Return a parameter as an int; a ValueError unless it is >= `least`; `other` is also valid."""
    if not (is_integer(value) and value >= least):
        raise ValueError(f"{name} must be an integer >= {least}{other}, got {value!r}")
    return int(value)


def seed_of(random_state):
    """Return the seed of at least 0 that scikit-learn's random_state gives.

    It is an integer, or drawn from a RandomState, or from NumPy's global one for None.
    """
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    return check_integer("random_state", random_state, 0, ", a RandomState or None")


def check_parameters(
    scale_factor=1.0,
    percentile=None,
    n_normalizations=0,
    geometry="regularized",
    aggregate="max",
    multiclass="mean",
):
    """Raise a ValueError for an invalid parameter, with its name, its value and what is valid."""
    if not (is_number(scale_factor) and 0 < scale_factor <= LARGEST_FACTOR):
        raise ValueError(
            f"scale_factor must be a positive number of at most {LARGEST_FACTOR:.0e}, got "
            f"{scale_factor!r}"
        )
    if percentile is not None and not (is_number(percentile) and 0 <= percentile <= 100):
        raise ValueError(f"percentile must be None or lie in [0, 100], got {percentile!r}")
    check_integer("n_normalizations", n_normalizations, 0)
    for name, value, valid in (
        ("geometry", geometry, GEOMETRIES),
        ("aggregate", aggregate, AGGREGATES),
        ("multiclass", multiclass, MULTICLASS),
    ):
        if not (isinstance(value, str) and value in valid):
            raise ValueError(f"{name} must be one of {', '.join(valid)}, got {value!r}")


def check_memory(n_features, n_arrays, block=2000):
    """Raise a MemoryError if comparing the features needs more memory than there is.

    The computation holds `n_arrays` float64 arrays of shape (n_features, n_features) at a time. The
    error proposes blocks of size `block`. Nothing of that size has been allocated before.
    """
    needed, held = 8 * n_features**2 * n_arrays, available_memory()
    if needed > held:
        raise MemoryError(
            f"comparing {n_features} features with each other needs about "
            f"{needed / 2**30:.1f} GiB of memory, but there are {held / 2**30:.1f} GiB; give "
            f"block={block} to score random blocks of {block} features one after the other"
        )


def available_memory():
    """Return the bytes of memory of this machine; infinity if the system does not say."""
    if {"SC_PHYS_PAGES", "SC_PAGE_SIZE"} <= set(getattr(os, "sysconf_names", ())):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return math.inf


def check_samples(X, y):
    """Return X as a finite float64 array (n_samples, n_features) and y as one column of labels.

    NaN or infinity, a single feature, different lengths, and labels that are not classes raise a
    ValueError; sparse X raises a TypeError.
    """
    if not _needs_no_check(X, y):
        X, y = check_X_y(X, y, **CHECKS)
        check_classification_targets(y)
    return X, y


def _needs_no_check(X, y):
    """Return True if all checks would pass; for 100 features they cost as much as two kernels."""
    if not (
        type(X) is type(y) is np.ndarray
        and X.dtype == np.float64
        and X.flags.c_contiguous
        and X.ndim == 2
        and min(X.shape) >= 2
        and y.dtype.kind in "iub"
        and y.shape == X.shape[:1]
    ):
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        # If the sum overflows, the full checks decide.
        return bool(np.isfinite(X.sum()))


def finite(name, scores, X=None):
    """Return scores as a finite vector, one for each feature of X, if given, or a ValueError."""
    scores = np.asarray(scores, dtype=np.float64)
    is_finite = np.isfinite(scores).all()
    d = scores.size if X is None else X.shape[1]
    if scores.shape != (d,) or not d or not is_finite:
        number = f"{d} finite numbers, one for each feature" if X is not None else "finite numbers"
        raise ValueError(
            f"{name} must be one vector of {number}; got shape {scores.shape}"
            f"{'' if is_finite else ' with NaN or infinity'}"
        )
    return scores


def split_classes(X, y):
    """Return the sorted labels, a tuple, and the rows of each class, (n_l, n_features).

    A single class, or a class with fewer than two samples, raises a ValueError.
    """
    labels, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    labels = labels.tolist()
    if len(labels) == 1:
        raise ValueError(f"ManiFeSt compares classes, but y has only one: {labels[0]!r}")
    for label, count in zip(labels, counts, strict=True):
        if count < 2:
            raise ValueError(
                f"class {label!r} has {count} sample; the distances between features within a "
                "class need at least 2 samples of each class"
            )
    return tuple(labels), tuple(X[codes == code] for code in range(len(labels)))
