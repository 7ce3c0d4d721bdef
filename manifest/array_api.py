"""The exact score of arrays that are not NumPy's: torch, CuPy and others, on their own device.

The algebra is that of :mod:`manifest.kernels`, :mod:`manifest.spd`, :mod:`manifest.spsd` and
:mod:`manifest.regularized`, in the functions of the array API standard and its extension for linear
algebra. Short arrays (labels, eigenvalues, weights) are brought to NumPy and handled by the same
functions as there; arrays of size d x d never leave the device. NumPy arrays never come here, and
array-api-compat is imported only when another array does.
"""

import importlib
import sys
from contextlib import nullcontext

import numpy as np

from manifest import sentences
from manifest.array_algebra import (
    class_kernel,
    eye_like,
    is_positive_definite,
    pencil,
    regularization,
    spsd_pencil,
)
from manifest.categories import AmbiguousScoreWarning
from manifest.linalg import NotPositiveDefiniteError
from manifest.spd import difference_weights
from manifest.trust import due, magnitude_of, tell
from manifest.validation import check_parameters, check_samples, split_classes

#: Units pass NumPy's arrays, which never come here.
DECIDES_NUMBERS = False


def is_foreign(X):
    """Whether X is an array of another library than NumPy, with or without the array API."""
    if isinstance(X, (np.ndarray, np.generic)):
        return False
    known = (("torch", "Tensor"), ("cupy", "ndarray"))
    return hasattr(X, "__array_namespace__") or any(
        isinstance(X, getattr(sys.modules.get(library), kind, ())) for library, kind in known
    )


def manifest_score(
    X,
    y,
    *,
    scale_factor=1.0,
    percentile=None,
    n_normalizations=0,
    geometry="regularized",
    aggregate="max",
    multiclass="mean",
):
    """:func:`manifest.manifest_score` of an array of another library.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense and real, of a library that has the array API (array-api-compat adds it to torch and
        CuPy), on a device that has float64; float32 and integers are converted to float64.
    y : array-like of shape (n_samples,)
        An array of the same kind, or anything that NumPy takes.
        Two classes.
    scale_factor, percentile, n_normalizations, geometry, aggregate, multiclass
        As in :func:`manifest.manifest_score`.

    Returns
    -------
    array of shape (n_features,), or (n_classes, n_features) for aggregate "none"
        A float64 array of the kind of X, on its device. Gradients are not followed.

    Raises
    ------
    ImportError
        Without array-api-compat.
    ValueError, TypeError
        As :func:`manifest.manifest_score`; a ValueError also for more than two classes, a TypeError
        also where the device has no float64.

    Warns
    -----
    AmbiguousScoreWarning, UninformativeScoreWarning
        As :func:`manifest.manifest_score`.
    """
    compat = _compat(X)
    xp = compat.array_namespace(X)
    X, y = _check(compat, xp, X, y)
    check_parameters(scale_factor, percentile, n_normalizations, geometry, aggregate, multiclass)
    device = compat.device(X)

    def put(values):
        return xp.asarray(values, device=device)

    labels, parts = split_classes(np.arange(len(y)), y)
    if len(labels) > 2:
        raise ValueError(sentences.two_classes_of_foreign_arrays(len(labels), xp.__name__))
    with _complaining(xp):
        kernels = [
            class_kernel(
                xp,
                xp.take(X, put(rows), axis=0),
                label,
                scale_factor=scale_factor,
                percentile=percentile,
                n_normalizations=n_normalizations,
            )
            for label, rows in zip(labels, parts, strict=True)
        ]
        diagonals = [_on_host(compat, xp.linalg.diagonal(K)) for K in kernels]
        F, h, basis, complaints = _compose(compat, xp, kernels, labels, geometry)
        weights = difference_weights(np.clip(_on_host(compat, h), 0.0, 1.0))
        values, vectors = xp.linalg.eigh((F * put(weights)) @ F.T)
        if basis is not None:
            vectors = basis @ vectors
        score = (vectors * vectors) @ xp.abs(values)
    found = _on_host(compat, score)
    tell(due(complaints, found, magnitude_of(diagonals)), stacklevel=4)
    # D_2 = -D_1 has the same absolute value; there is one pair of classes.
    rows = 2 if multiclass == "mean" else 1
    if aggregate == "none":
        return xp.stack([score] * rows)
    return score * rows if aggregate == "sum" else score


def _compose(compat, xp, kernels, labels, geometry):
    """The pencil of two kernels, its basis, and warnings; see :mod:`manifest.composition`."""
    K1, K2 = kernels
    if geometry in ("auto", "spd"):
        singular = [
            label
            for label, K in zip(labels, kernels, strict=True)
            if not is_positive_definite(xp, K)
        ]
        if singular and geometry == "spd":
            raise NotPositiveDefiniteError(sentences.not_positive_definite(singular))
        geometry = "spsd" if singular else "spd"
    if geometry == "spsd":
        F, h, basis, counts = spsd_pencil(xp, K1, K2, lambda array: _on_host(compat, array))
        if not any(counts.values()):
            return F, h, basis, []
        told = sentences.ambiguous(**counts, rank=h.shape[0], n_features=K1.shape[0])
        return F, h, basis, [(AmbiguousScoreWarning, told)]
    if geometry == "regularized":
        lift = regularization(xp, K1, K2) * eye_like(xp, K1)
        K1, K2 = K1 + lift, K2 + lift
    return *pencil(xp, K1, K2), None, []


def _compat(X):
    """array-api-compat, or a sentence that says how to get it."""
    try:
        return importlib.import_module("array_api_compat")
    except ModuleNotFoundError as error:
        kind = f"{type(X).__module__.partition('.')[0]}.{type(X).__name__}"
        raise ImportError(
            f"the score of a {kind} needs array-api-compat, which is not installed: "
            "pip install array-api-compat, or pass a NumPy array"
        ) from error


def _complaining(xp):
    """CuPy says that a factorisation failed only where it is told to."""
    if "cupy" in xp.__name__ and "cupyx" in sys.modules:
        return sys.modules["cupyx"].errstate(linalg="raise")
    return nullcontext()


def _on_host(compat, array):
    """A short array as a NumPy array."""
    if hasattr(array, "detach"):
        array = array.detach()
    if compat.is_torch_array(array) or compat.is_cupy_array(array):
        host = "cpu"
    else:
        host = compat.array_namespace(array).__array_namespace_info__().default_device()
    return np.asarray(compat.to_device(array, host))


def _check(compat, xp, X, y):
    """X in float64 and y as NumPy's labels; :func:`check_samples` raises what is wrong."""
    if not hasattr(xp, "linalg"):
        raise TypeError(
            f"{xp.__name__} has no linear algebra, which the score needs; pass a dense NumPy array"
        )
    if "strided" not in str(getattr(X, "layout", "strided")):
        raise TypeError(f"X is sparse ({X.layout}), a dense array is needed: pass X.to_dense()")
    if X.ndim != 2:
        raise ValueError(f"X must have the shape (n_samples, n_features), got {tuple(X.shape)}")
    if xp.isdtype(X.dtype, "complex floating"):
        raise ValueError(f"X must be real, got {X.dtype}: complex data are not supported")
    if hasattr(X, "detach"):
        X = X.detach()
    X = _to_float64(compat, xp, X)
    defect = 0.0
    if not bool(xp.all(xp.isfinite(X))):
        defect = np.nan if bool(xp.any(xp.isnan(X))) else np.inf
    # A stand-in without memory, of the same shape and with the same defect: scikit-learn's checks
    # and sentences are then those of NumPy arrays.
    stand_in = np.broadcast_to(defect, tuple(X.shape))
    return X, check_samples(stand_in, _on_host(compat, y) if is_foreign(y) else y)[1]


def _to_float64(compat, xp, X):
    """X in float64; some libraries refuse where the device has none, others give float32."""
    cause = None
    try:
        converted = xp.astype(X, xp.float64)
        if converted.dtype == xp.float64:
            return converted
    except (TypeError, ValueError) as error:
        cause = error
    raise TypeError(
        f"the score needs float64, which the device {compat.device(X)} does not have; move X to "
        "another device, such as the CPU"
    ) from cause
