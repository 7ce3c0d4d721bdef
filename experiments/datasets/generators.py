"""Generate synthetic samples; `generate` calls a generator by its name.

A generator is a pure function of a numpy Generator and its parameters. All take `n_samples`, an
integer >= 4, and `n_features`, an integer >= 2. They return a `Sample` with two classes, 0 and 1,
of at least two samples each.
"""

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from experiments.datasets.dataset import DataError, unknown


class Sample(NamedTuple):
    """One draw of a generator, or the samples of a data set.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features), float64
    y : ndarray of shape (n_samples,), int64
        0 and 1; of a data set 0..C-1.
    relevant : tuple of int
        Indices of the features that matter, sorted; empty for a data set.
    """

    X: npt.NDArray[np.float64]
    y: npt.NDArray[np.int64]
    relevant: tuple[int, ...] = ()


def xor(
    rng: np.random.Generator,
    *,
    n_samples: int = 50,
    n_features: int = 100,
    relevant: Sequence[int] = (0, 4),
) -> Sample:
    """Draw XOR-100 of Cohen, Shnitzer, Kluger and Talmon (2022): y = f1 xor f5.

    All features are independent Bernoulli(1/2) variables in {0., 1.}, so no single feature says
    anything about y. While a class has fewer than two members, the whole sample is drawn again from
    the same generator.

    Parameters
    ----------
    relevant : two distinct feature indices in [0, n_features)

    Raises
    ------
    ValueError
        If `relevant` is not two distinct features.
    """
    chosen = tuple(sorted(int(index) for index in relevant))
    if len(set(chosen)) != 2 or len(chosen) != 2 or chosen[0] < 0 or chosen[1] >= n_features:
        raise ValueError(f"relevant must be two distinct feature indices in 0..{n_features - 1}")
    X, y = _bits(rng, (n_samples, n_features), lambda X: X[:, chosen[0]] != X[:, chosen[1]])
    return Sample(X, y, chosen)


def _bits(
    rng: np.random.Generator, shape: tuple[int, int], label: Callable[[npt.NDArray], npt.NDArray]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Draw fair coins and their labels until each class has two samples."""
    y = np.zeros(shape[0], dtype=np.int64)
    while not _has_two_of_each(y):
        X = rng.integers(0, 2, size=shape).astype(np.float64)
        y = label(X).astype(np.int64)
    return X, y


def _has_two_of_each(y: npt.NDArray[np.integer]) -> bool:
    return bool(2 <= y.sum() <= len(y) - 2)


def toy(
    rng: np.random.Generator,
    *,
    n_samples: int = 500,
    n_features: int = 20,
    constant: int | None = None,
    exchanged: bool = False,
) -> Sample:
    """Draw the toy example of Cohen, Shnitzer, Kluger and Talmon (2022): y = f1.

    Features and repeated draws are as in `xor`, except that the constant feature is 0.

    Parameters
    ----------
    constant : int in [1, n_features), optional
        The feature that is 0 in every sample; the paper's second case has f5, index 4.
    exchanged : bool, default=False
        Whether the classes are exchanged: y = 1 - f1.

    Raises
    ------
    ValueError
        If `constant` is the first feature or not a feature.
    """
    if constant is not None and constant >= n_features:
        raise ValueError(f"constant must lie in 1..{n_features - 1}")
    X, y = _bits(rng, (n_samples, n_features), lambda X: 1 - X[:, 0] if exchanged else X[:, 0])
    if constant is not None:
        X[:, constant] = 0.0
    return Sample(X, y, (0,))


def hypercube(
    rng: np.random.Generator,
    *,
    n_samples: int = 2000,
    n_features: int = 200,
    n_informative: int = 10,
    n_clusters_per_class: int = 2,
) -> Sample:
    """Draw clusters on the vertices of a hypercube, by scikit-learn's ``make_classification``.

    This is the variant of Madelon of Cohen, Shnitzer, Kluger and Talmon (2022, appendix "Details on
    the hypercube dataset"). Each class has clusters that are normally distributed around a vertex
    of the cube {-1, 1}^n_informative. Their covariance is random, so that the informative features
    are correlated within a cluster. All other features are independent standard normal noise. One
    label in a hundred is random, the default of scikit-learn. Rows and columns are then permuted by
    `rng`, so that positions say nothing. While a class has fewer than two members, the whole sample
    is drawn again.

    Parameters
    ----------
    n_informative : int in [1, n_features]
    n_clusters_per_class : int, at least 1
        Each cluster needs a vertex: 2 n_clusters_per_class <= 2^n_informative.

    Raises
    ------
    ValueError
        If there are more informative features than features, or more clusters than vertices.
    """
    from sklearn.datasets import make_classification  # Importing it is slow.

    y = np.zeros(n_samples, dtype=np.int64)
    while not _has_two_of_each(y):
        X, y = make_classification(
            n_samples,
            n_features,
            n_informative=n_informative,
            n_redundant=0,
            n_repeated=0,
            n_clusters_per_class=n_clusters_per_class,
            shuffle=False,
            random_state=int(rng.integers(2**32)),
        )
    rows, columns = rng.permutation(n_samples), rng.permutation(n_features)
    relevant = np.flatnonzero(columns < n_informative)  # unshuffled, they come first
    return Sample(X[np.ix_(rows, columns)], y[rows], tuple(relevant.tolist()))


def expression_like(
    rng: np.random.Generator,
    *,
    n_samples: int = 100,
    n_features: int = 5000,
    block: int = 20,
    n_relevant_blocks: int = 5,
    correlation: float = 0.8,
) -> Sample:
    """Draw SYNTHETIC features that are correlated in blocks, like genes of one pathway.

    A feature of block k is ``level + spread * (sqrt(c) f_k + sqrt(1 - c) e)``, where f_k and e are
    standard normal and f_k is common to the block. Any two features of a block have the correlation
    c. Each feature has its own level (standard normal) and spread (log-normal). In most blocks, c
    is drawn from [0, correlation] and is the same for all samples. In each relevant block, c is 0
    in a randomly chosen class and `correlation` in the other. Mean and variance of each feature are
    then the same in both classes, so that no single feature says anything about y. The columns are
    in random order. There are as many ones as zeros, or one fewer if n_samples is odd.

    Parameters
    ----------
    block : int, at least 2
        Number of features of a block; the last block has the remaining ones.
    n_relevant_blocks : int, at least 1
        There must be so many blocks of full size.
    correlation : float in (0, 1)

    Raises
    ------
    ValueError
        If `correlation` is out of range, or there are fewer blocks than relevant ones.
    """
    if n_relevant_blocks * block > n_features:
        raise ValueError(f"n_features must be at least {n_relevant_blocks * block} for the blocks")
    if not 0 < correlation < 1:
        raise ValueError("correlation must lie between 0 and 1")
    y = rng.permutation(np.arange(n_samples, dtype=np.int64) % 2)
    X = rng.standard_normal((n_samples, n_features))
    place = rng.permutation(n_features)
    for number, start in enumerate(range(0, n_features, block)):
        features = place[start : start + block]
        factor = rng.standard_normal(n_samples)
        if number < n_relevant_blocks:
            common = np.where(y == rng.integers(2), correlation, 0.0)
        else:
            common = np.full(n_samples, rng.uniform(0, correlation))
        own = X[:, features] * np.sqrt(1 - common)[:, None]
        X[:, features] = own + (np.sqrt(common) * factor)[:, None]
    X *= rng.lognormal(sigma=0.5, size=n_features)
    X += rng.standard_normal(n_features)
    return Sample(X, y, tuple(sorted(place[: n_relevant_blocks * block].tolist())))


#: Features of a module, the correlation in it, the difference of means and the ratio of deviations.
_MODULE, _CORRELATION, _SHIFT, _RATIO = 10, 0.5, 1.0, 2.0
_ALL, _NO = range(_MODULE), range(0)
#: Kind of difference -> the features of the first module that in class 1 have another mean, another
#: deviation, the other sign, and those that leave the module.
KINDS_OF_DIFFERENCE = {
    "means": (_ALL, _NO, _NO, _NO),
    "variances": (_NO, _ALL, _NO, _NO),
    "signs": (_NO, _NO, _ALL[::2], _NO),
    "module": (_NO, _NO, _NO, _ALL),
    "xor": (_NO, _NO, _ALL[::2], _NO),
    "mixture": (_ALL[:3], _ALL[3:6], _ALL[6:8], _ALL[8:]),
    "none": (_NO, _NO, _NO, _NO),
}


def differences(
    rng: np.random.Generator,
    *,
    n_samples: int = 40,
    n_features: int = 150,
    kind: str = "mixture",
    distorted: bool = False,
    outliers: float = 0.0,
) -> Sample:
    """Draw ten features that differ between the classes in one way, among modules of noise.

    Features are standard normal, in modules of ten. Any two of a module have the correlation 1/2 or
    -1/2, since the common factor enters each feature with a random sign. Both classes share the
    modules, and only the first one differs:

    - "means": by one deviation;
    - "variances": the deviation is twice as large in class 1;
    - "signs": in class 1 the factor enters half of the features with the other sign;
    - "module": in class 1 the ten are independent;
    - "xor": five pairs without a common factor, whose correlation is 1/2 in one class and -1/2 in
      the other;
    - "mixture": three features differ in means, three in variances, two in signs, and two leave
      the module in class 1;
    - "none": nothing differs. The ten are those with twice the deviation in both classes, which a
      fair filter does not prefer.

    The columns are in random order. There are as many ones as zeros, one fewer if n_samples is odd.

    Parameters
    ----------
    kind : str
        One of `KINDS_OF_DIFFERENCE`.
    distorted : bool
        Each value x becomes ``sinh(2 x)``: the ranks stay, and the tails become heavy.
    outliers : float in [0, 1)
        The share of values that are multiplied by ten, at random.

    Raises
    ------
    ValueError
        If a parameter is out of range, or there are fewer than ten features.
    """
    if kind not in KINDS_OF_DIFFERENCE:
        raise DataError(unknown("kind of difference", kind, KINDS_OF_DIFFERENCE))
    if n_features < _MODULE or not 0 <= outliers < 1:
        raise ValueError(f"n_features must be at least {_MODULE}, and outliers lie in [0, 1)")
    y = rng.permutation(np.arange(n_samples, dtype=np.int64) % 2)
    factors = rng.standard_normal((n_samples, -(-n_features // _MODULE)))
    factors = np.repeat(factors, _MODULE, axis=1)[:, :n_features]
    weights = rng.choice([-1.0, 1.0], n_features) * np.sqrt(_CORRELATION)
    weights = np.broadcast_to(weights, (n_samples, n_features)).copy()
    if kind == "xor":
        factors[:, :_MODULE] = np.repeat(rng.standard_normal((n_samples, 5)), 2, axis=1)
    ones, (moved, wider, flipped, leaving) = y == 1, KINDS_OF_DIFFERENCE[kind]
    weights[np.ix_(ones, flipped)] *= -1
    weights[np.ix_(ones, leaving)] = 0
    X = weights * factors + np.sqrt(1 - weights**2) * rng.standard_normal(weights.shape)
    X[np.ix_(ones, moved)] += _SHIFT
    X[np.ix_(ones, wider)] *= _RATIO
    if kind == "none":
        X[:, :_MODULE] *= _RATIO
    if distorted:
        X = np.sinh(2 * X)
    X = np.where(rng.random(X.shape) < outliers, 10 * X, X)
    order = rng.permutation(n_features)
    return Sample(X[:, order], y, tuple(np.flatnonzero(order < _MODULE).tolist()))


GENERATORS: dict[str, Callable[..., Sample]] = {
    each.__name__: each for each in (xor, toy, hypercube, expression_like, differences)
}
#: The smallest value of each integer parameter of the generators.
LEAST = dict.fromkeys(
    ("constant", "n_informative", "n_clusters_per_class", "n_relevant_blocks"), 1
) | {"n_samples": 4, "n_features": 2, "block": 2}


def generate(name: str, rng: np.random.Generator, /, **params: Any) -> Sample:
    """Draw one sample from the generator called `name`.

    Raises
    ------
    DataError
        If the generator or a parameter does not exist, or a value is out of range.
    """
    if name not in GENERATORS:
        raise DataError(unknown("generator", name, GENERATORS))
    known = {k: p for k, p in inspect.signature(GENERATORS[name]).parameters.items() if k != "rng"}
    for key, value in params.items():
        if key not in known:
            raise DataError(unknown(f"parameter of generator {name!r}", key, known))
        if key not in LEAST or (value is None and known[key].default is None):
            continue
        is_whole = isinstance(value, int | np.integer) and value is not True
        if not is_whole or value < LEAST[key]:
            raise DataError(f"{name}: {key}={value!r} must be an integer of at least {LEAST[key]}")
    try:
        return GENERATORS[name](rng, **params)
    except ValueError as error:
        raise DataError(f"{name} cannot be drawn with {params}: {error}") from error
