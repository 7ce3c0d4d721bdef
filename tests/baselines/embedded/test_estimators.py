"""The contract of all embedded systems as scikit-learn classifiers."""

# ruff: noqa: E402  (what follows the skip needs jax)

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

jax = pytest.importorskip("jax", reason="the embedded systems need jax: pip install '.[neural]'")

from baselines import embedded
from tests.commands import python

pytestmark = pytest.mark.slow

LINEAR: dict[str, Any] = {"selector_layers": (), "hidden_layers": ()}
LOCAL: dict[str, Any] = {"learning_rate": 0.5, "max_epochs": 80, "lam": 0.1}
LOCAL |= {"gating_layers": (), "hidden_layers": ()}
#: Each system at a size that a test can afford. scikit-learn's checks fit data of many shapes, and
#: each of these is compiled: networks without hidden layers are compiled in half the time.
SMALL: dict[str, dict[str, Any]] = {
    "LinearSTG": {"learning_rate": 0.1, "max_epochs": 60},
    "STG": {"learning_rate": 0.1, "max_epochs": 60, "hidden_layers": (8,)},
    "LSPIN": {**LOCAL, "hidden_layers": (4,)},
    "LLSPIN": LOCAL,
    "L2X": {"learning_rate": 0.05, "max_epochs": 60, **LINEAR},
    "INVASE": {"learning_rate": 0.05, "max_epochs": 60, "lam": 0.01, **LINEAR},
    "RealX": {"learning_rate": 0.05, "max_epochs": 60, "lam": 0.01, **LINEAR},
    "TabNet": {"learning_rate": 0.05, "max_epochs": 60, "width": 2, "n_steps": 1},
}
#: One system of each base class. All that fits and predicts is in these two: scikit-learn's older
#: checks, of many shapes, would say of the others what they say of these.
IN_FULL = ["LinearSTG", "L2X"]
INSTANCE_WISE = ["LSPIN", "LLSPIN", "L2X", "INVASE", "RealX", "TabNet"]


def small(name, **changes):
    return getattr(embedded, name)(**{**SMALL[name], "random_state": 0, **changes})


@pytest.mark.parametrize("name", SMALL)
def test_scikit_learns_own_checks(name):
    # All checks of a system in one test, and so in one process: each shape is compiled once.
    in_full = name in IN_FULL
    found = check_estimator(small(name), legacy=in_full, on_skip=None)
    assert {check["status"] for check in found} <= {"passed", "skipped"}
    assert len(found) > (40 if in_full else 12)


@pytest.fixture(autouse=True)
def _without_old_programs():
    yield
    jax.clear_caches()  # Compiled programs of other tests' shapes would pile up.


#: Prints what a system has learned from data whose products XLA would divide among its threads.
PROGRAM = """
import numpy as np
from baselines.embedded import LLSPIN

X, y = np.random.default_rng(0).normal(size=(49, 2000)), np.arange(49) % 2
model = LLSPIN(random_state=0, max_epochs=20).fit(X, y)
print(model.feature_importances_.tobytes().hex())
"""


def test_the_number_of_threads_that_xla_would_take_changes_no_bit():
    # Without XLA_FLAGS the program is the one that a user has.
    one, three = (
        python("-c", PROGRAM, NPROC=threads, OPENBLAS_NUM_THREADS="1", XLA_FLAGS="")
        for threads in ("1", "3")
    )
    assert one.returncode == three.returncode == 0, one.stderr + three.stderr
    assert one.stdout == three.stdout


def blobs(n_classes=2, n=30):
    """Two features follow the classes, and the last is constant."""
    y = np.arange(n) % n_classes
    X = np.random.default_rng(0).normal(size=(n, 6))
    X[:, 0] += 3 * y
    X[:, 1] -= 3 * y
    X[:, -1] = 7.0
    return X, y


@pytest.mark.parametrize("name", SMALL)
def test_a_fitted_system_keeps_its_promises(name):
    X, y = blobs(3)
    model = small(name).fit(X, np.array(["a", "b", "c"])[y])
    importances = model.feature_importances_
    assert importances.shape == (6,)
    assert ((importances >= 0) & (importances <= 1)).all()
    assert importances[5] == 0
    if name in INSTANCE_WISE:
        gates = model.gates(X)
        assert gates.shape == X.shape
        assert ((gates >= 0) & (gates <= 1)).all()
        np.testing.assert_allclose(gates.mean(axis=0), importances)
        np.testing.assert_array_equal(model.gates(X[3:5]), gates[3:5])
    # The same bits: of the same seed, of a copy, and after a journey through a file.
    probabilities = model.predict_proba(X)
    again = clone(model).fit(X, model.classes_[y])
    np.testing.assert_array_equal(again.predict_proba(X), probabilities)
    loaded = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(loaded.predict_proba(X), probabilities)
    other = small(name, random_state=1).fit(X, y)
    assert not np.array_equal(other.predict_proba(X), probabilities)
    np.testing.assert_array_equal(
        model.predict(X), model.classes_[np.argmax(probabilities, axis=1)]
    )
    if name not in INSTANCE_WISE:  # A feature whose gate is closed does not reach a prediction.
        moved = X + 5.0 * (importances == 0)
        np.testing.assert_array_equal(model.predict_proba(moved), probabilities)
    # Three samples are enough.
    assert model.fit(*blobs(n=3)).predict(X).shape == y.shape


def test_neither_jax_config_nor_numpys_generator_is_touched():
    X, y = blobs()
    before = repr(np.random.get_state())  # noqa: NPY002
    small("LinearSTG").fit(X, y)
    assert jax.numpy.zeros(1).dtype == np.float32
    assert not jax.config.jax_enable_x64
    assert repr(np.random.get_state()) == before  # noqa: NPY002


def test_mini_batches_go_through_the_rows_in_other_orders():
    X, y = blobs(n=40)
    whole = small("LinearSTG").fit(X, y)
    np.testing.assert_array_equal(
        small("LinearSTG", batch_size=40).fit(X, y).predict_proba(X), whole.predict_proba(X)
    )
    parts = small("LinearSTG", batch_size=12).fit(X, y)
    assert parts.score(X, y) > 0.9
    assert not np.array_equal(parts.predict_proba(X), whole.predict_proba(X))


def test_parameters_data_and_losses_that_cannot_be_used_are_refused():
    X, y = blobs()
    for name, values in (
        ("learning_rate", (0, "fast", np.inf, np.nan)), ("lam", (-1,)), ("sigma", (0,)),
        ("max_epochs", (0, 2.5)), ("batch_size", (0, 2.5)), ("hidden_layers", ((0,), "8", [2.5])),
    ):  # fmt: skip
        for value in values:
            with pytest.raises(ValueError, match=name):
                small("STG", **{name: value}).fit(X, y)
    for X_, y_, says in (
        (np.ones((30, 2)), y, "All 2 features are constant"),
        (X, 0 * y, "one class: 0"),
        (1e200 * X, y, "too large for their variance"),
    ):
        with pytest.raises(ValueError, match=says):
            small("STG").fit(X_, y_)
    with pytest.raises(ValueError, match=r"The loss of LLSPIN is .* smaller learning_rate than"):
        small("LLSPIN", learning_rate=1e200).fit(X, y)
