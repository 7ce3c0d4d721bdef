"""Arrays of other libraries: NumPy's score, in their own kind, type and place."""

import importlib
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manifest import AmbiguousScoreWarning, NotPositiveDefiniteError, manifest_score
from manifest.array_algebra import squared_feature_distances
from manifest.trust import UninformativeScoreWarning

GEOMETRIES = ["spd", "spsd", "auto", "regularized"]


@dataclass(frozen=True)
class Kind:
    """A library and a device of it."""

    xp: Any
    put: Callable[[np.ndarray], Any]
    back: Callable[[Any], np.ndarray]


def library(name):
    return pytest.importorskip(name, reason=f"{name} is not installed")


def strict(device="CPU_DEVICE"):
    xp = library("array_api_strict")
    place, host = xp.Device(device), xp.Device("CPU_DEVICE")
    return Kind(
        xp,
        lambda values: xp.asarray(values, device=place),
        lambda array: np.asarray(array.to_device(host)),
    )


def torch(device="cpu"):
    xp = library("torch")
    if device == "cuda" and not xp.cuda.is_available():
        pytest.skip("no GPU that torch can use")
    return Kind(
        xp,
        lambda values: xp.asarray(values, device=device),
        lambda array: array.cpu().numpy(),
    )


def cupy():
    xp = library("cupy")
    try:
        xp.zeros(1)
    except xp.cuda.runtime.CUDARuntimeError:
        pytest.skip("no GPU that CuPy can use")
    return Kind(xp, xp.asarray, xp.asnumpy)


KINDS: dict[str, Callable[[], Kind]] = {
    "array_api_strict": strict,
    "array_api_strict, another device": lambda: strict("device1"),
    "torch": torch,
    "torch, GPU": lambda: torch("cuda"),
    "cupy": cupy,
}


@pytest.fixture(params=KINDS)
def kind(request):
    library("array_api_compat")
    return KINDS[request.param]()


def samples(d=40, n=50, duplicate=False, seed=0):
    X, y = np.random.default_rng(seed).normal(size=(n, d)), np.arange(n) % 2
    if duplicate:
        X[y == 0, 0] = X[y == 0, 1]
    return X, y


def assert_same(kind, X, y, tolerance=1e-10, **parameters):
    expected = manifest_score(X, y, **parameters)
    placed = kind.put(X)
    score = manifest_score(placed, y, **parameters)
    assert type(score) is type(placed)
    assert score.device == placed.device
    assert score.dtype == kind.xp.float64
    np.testing.assert_allclose(
        kind.back(score), expected, rtol=0, atol=tolerance * expected.max() + 1e-14
    )


# Algorithm 1 is not defined where a kernel is singular.
CASES = [(geometry, False) for geometry in GEOMETRIES] + [(g, True) for g in GEOMETRIES[1:]]
PARAMETERS: list[dict[str, Any]] = [
    {},
    {"scale_factor": 0.3},
    {"percentile": 5},
    {"percentile": 100},
    {"n_normalizations": 3},
]


@pytest.mark.parametrize(("geometry", "duplicate"), CASES)
def test_agrees_with_numpy(kind, geometry, duplicate):
    for parameters in PARAMETERS:
        assert_same(kind, *samples(duplicate=duplicate), geometry=geometry, **parameters)


@pytest.mark.filterwarnings("ignore::manifest.UninformativeScoreWarning")
@pytest.mark.parametrize("name", ["array_api_strict", "torch"])
@settings(max_examples=40, deadline=None)
@given(
    d=st.integers(3, 60),
    n=st.integers(6, 40),
    seed=st.integers(0, 2**20),
    geometry=st.sampled_from(GEOMETRIES),
    scale_factor=st.floats(0.1, 1.0),
    percentile=st.none() | st.floats(20, 100),
    magnitude=st.integers(-200, 200),
)
def test_agrees_with_numpy_on_whatever_is_well_posed(
    name, d, n, seed, geometry, scale_factor, percentile, magnitude
):
    library("array_api_compat")
    X, y = samples(d, n, seed=seed)
    assert_same(
        KINDS[name](),
        X * 10.0**magnitude,
        y,
        tolerance=1e-7,
        geometry=geometry,
        scale_factor=scale_factor,
        percentile=percentile,
    )


@pytest.mark.parametrize("copies", [3, 15])
def test_the_reduced_form_agrees_with_the_lifted_one(kind, copies):
    """NumPy's path lifts where few directions are dropped; here there is one form for all."""
    X, y = samples(40, 60)
    X[y == 0, :copies] = X[y == 0, copies : 2 * copies]
    assert_same(kind, X, y, geometry="spsd", tolerance=1e-9)


def test_float32_integers_and_booleans_are_computed_in_float64(kind):
    X, y = samples()
    for values in (X.astype(np.float32), np.rint(20 * X).astype(np.int64), X > 0):
        assert_same(kind, values, y, geometry="regularized", tolerance=1e-9)


def test_labels_are_of_the_same_kind_or_of_any_that_numpy_takes(kind):
    X, y = samples()
    score = kind.back(manifest_score(kind.put(X), y))
    for labels in (kind.put(y), y.tolist(), np.where(y, "tumour", "normal"), y.astype(bool)):
        np.testing.assert_array_equal(kind.back(manifest_score(kind.put(X), labels)), score)


def test_equal_columns_are_at_distance_zero(kind):
    X, _ = samples(12, 20)
    X = np.hstack([X, X[:, :5], X[:, :1] + 1e-9]) + 100.0
    compat = importlib.import_module("array_api_compat")
    placed = kind.put(X)
    squared = kind.back(squared_feature_distances(compat.array_namespace(placed), placed))
    np.testing.assert_array_equal(squared[:5, 12:17].diagonal(), 0.0)
    expected = ((X[:, :, None] - X[:, None, :]) ** 2).sum(axis=0)
    np.testing.assert_allclose(squared, expected, rtol=1e-9)
    np.testing.assert_array_equal(squared.diagonal(), 0.0)


def test_the_input_is_not_changed(kind):
    X, y = samples(duplicate=True)
    placed = kind.put(X.copy())
    manifest_score(placed, y)
    np.testing.assert_array_equal(kind.back(placed), X)


def with_value(value):
    X = samples()[0]
    X[3, 5] = value
    return X


X, Y = samples()
WRONG = {
    "NaN": (with_value(np.nan), Y, {}),
    "infinity": (with_value(np.inf), Y, {}),
    "one class": (X, np.zeros(50), {}),
    "aggregate": (X, Y, {"aggregate": "mean"}),
    "multiclass": (X, Y, {"multiclass": "ovr"}),
    "continuous labels": (X, X[:, 0], {}),
    "one sample in a class": (X, np.r_[1, np.zeros(49)], {}),
    "one feature": (X[:, :1], Y, {}),
    "no samples": (X[:0], Y[:0], {}),
    "different lengths": (X, Y[:-1], {}),
    "all features identical": (np.repeat(X[:, :1], 5, axis=1), Y, {}),
    "a percentile of zero": (np.repeat(X[:, :20], 2, axis=1), Y, {"percentile": 1}),
    "a tiny scale": (X, Y, {"scale_factor": 1e-170}),
    "singular kernels": (np.hstack([X, X[:, :2]]), Y, {"geometry": "spd"}),
    "one singular kernel": (*samples(duplicate=True), {"geometry": "spd"}),
    "scale_factor": (X, Y, {"scale_factor": 0}),
    "percentile": (X, Y, {"percentile": 101}),
    "n_normalizations": (X, Y, {"n_normalizations": -1}),
    "geometry": (X, Y, {"geometry": "flat"}),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_as_numpy_is_told(kind, name):
    data, labels, parameters = WRONG[name]
    with pytest.raises(ValueError, match=r"\w") as expected:
        manifest_score(data, labels, **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=r"\w") as error:
            manifest_score(kind.put(data), labels, **parameters)
    assert str(error.value) == str(expected.value)
    assert type(error.value) is type(expected.value)
    assert ("singular" in name) == isinstance(error.value, NotPositiveDefiniteError)


def test_aggregates_of_two_classes_are_numpys(kind):
    X, y = samples()
    for aggregate, multiclass in product(("max", "sum", "none"), ("mean", "ovo")):
        assert_same(kind, X, y, aggregate=aggregate, multiclass=multiclass)
    with pytest.raises(ValueError, match=r"compares two classes, y has 3; pass a NumPy array"):
        manifest_score(kind.put(X), np.arange(50) % 3)


def test_scores_that_are_rounding_are_told(kind):
    X, y = samples()
    with pytest.warns(UninformativeScoreWarning, match="three features") as told:
        manifest_score(kind.put(X[:, :2]), y)
    assert told[0].filename == __file__


def test_ambiguity_is_told_as_numpy_is_told(kind):
    X, y = samples(30, 60)
    X[y == 0, 0] = X[y == 0, 10]
    X[y == 1, 20] = X[y == 1, 25]
    with pytest.warns(AmbiguousScoreWarning) as expected:
        manifest_score(X, y, geometry="spsd")
    with pytest.warns(AmbiguousScoreWarning, match="1 of the 29 principal angles") as told:
        manifest_score(kind.put(X), y, geometry="spsd")
    assert str(told[0].message) == str(expected[0].message)
    assert told[0].filename == __file__
    score = manifest_score(kind.put(X), y, geometry="regularized")
    assert np.isfinite(kind.back(score)).all()


def test_a_device_without_float64_is_refused():
    library("array_api_compat")
    kind = strict("no_float64")
    with pytest.raises(TypeError, match=r"needs float64, which the device .*no_float64"):
        manifest_score(kind.put(X.astype(np.float32)), Y)


def test_arrays_of_another_shape_or_field_are_refused(kind):
    with pytest.raises(ValueError, match=r"shape \(n_samples, n_features\), got \(50,\)"):
        manifest_score(kind.put(X[:, 0]), Y)
    with pytest.raises(ValueError, match="must be real"):
        manifest_score(kind.put(X + 0j), Y)


def test_torch_tensors_are_dense_and_gradients_are_not_followed():
    library("array_api_compat")
    kind = torch()
    with pytest.raises(TypeError, match=r"sparse.*to_dense"):
        manifest_score(kind.put(X).to_sparse(), Y)
    score = manifest_score(kind.put(X).requires_grad_(), Y)
    assert not score.requires_grad


@pytest.mark.parametrize("name", ["array_api_strict", "torch"])
def test_without_array_api_compat_the_error_says_what_to_install(name, monkeypatch):
    placed = KINDS[name]().put(X)
    monkeypatch.setitem(sys.modules, "array_api_compat", None)
    with pytest.raises(ImportError, match=rf"score of a {name}\..*pip install array-api-compat"):
        manifest_score(placed, Y)


def test_numpy_arrays_do_without_array_api_compat():
    code = (
        "import sys, numpy as np; from manifest import manifest_score;"
        "X = np.random.default_rng(0).normal(size=(20, 10));"
        "manifest_score(X, np.arange(20) % 2); manifest_score(X.tolist(), np.arange(20) % 2);"
        "print({'array_api_compat', 'torch', 'cupy'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
