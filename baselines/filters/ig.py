"""Information gain: the mutual information of each feature and the label."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import digamma, xlogy
from sklearn.preprocessing import scale
from sklearn.utils import check_random_state

from ..contract import (
    TIES,
    check_integer,
    constants_last,
    numbers_of_neighbours,
    power_scaled,
    validated,
)

#: How many values are searched at once, so that the arrays fit into a core's cache.
_CHUNK = 1 << 15
_LEAST = np.nextafter(0, 1)


def information_gain_grid(
    X: Any, y: Any, ks: Sequence[int], *, ties: str = "counted", seed: int = 0
) -> np.ndarray:
    """Compute `information_gain` for several k, (len(ks), n_features); features are sorted once."""
    X, codes = validated(X, y)
    if ties not in ("counted", "noise"):
        raise ValueError(f'ties must be "counted" or "noise", got {ties!r}.')
    if np.bincount(codes).max() < 2:
        raise ValueError(
            f"No class has two samples ({codes.size} samples in as many classes), but "
            "information_gain needs neighbours inside a class; give it larger classes."
        )
    grid, row = numbers_of_neighbours(ks)
    seed = check_integer("seed", seed, 0)

    def scores(varying: np.ndarray) -> np.ndarray:
        values, of_sample = power_scaled(varying), codes
        if ties == "noise":
            values = _with_noise(values, seed)
        kept = np.bincount(codes)[codes] > 1  # Other samples have no neighbour in their class.
        if not kept.all():
            values, (_, of_sample) = values[kept], np.unique(codes[kept], return_inverse=True)
        return _estimates(values, of_sample, grid, ties)

    return constants_last(X, scores, rows=(grid.size,))[row]


def information_gain(
    X: Any, y: Any, *, k: int = 3, ties: str = "counted", seed: int = 0
) -> np.ndarray:
    """Estimate the mutual information of each feature and the label, in nats.

    A feature with at most sqrt(n) distinct values in n samples is treated as discrete. The plug-in
    estimate uses the shares p of the values x and the classes c, and does not depend on k:

        I = sum_{x, c} p(x, c) log(p(x, c) / (p(x) p(c))).

    Its bias is about (values - 1) (classes - 1) / (2 n), too much for features with more values.
    Those are estimated from distances (Ross 2014). Let rho_i be the distance from sample i to the
    k-th nearest sample of its class, which has n_i samples. Let k_i other samples of the class, and
    m_i other samples of any class, be not farther than rho_i. Then

        I = psi(n) + mean_i psi(k_i) - mean_i psi(n_i) - mean_i psi(m_i).

    If no value is repeated, k_i is k, and this is the estimate of Ross and of scikit-learn. If
    values are repeated or on a grid, samples that tie with the k-th nearest count in k_i and m_i.
    Mesner and Shalizi (2021) do so for partly discrete data, after Gao, Kannan, Oh and Viswanath
    (2017), who count such ties at distance 0. Distances are equal if they differ by at most 1e-9 of
    their size.

    With ``ties="noise"`` every feature is treated as continuous. As in ``mutual_info_classif``,
    noise of relative size 1e-10 breaks ties; it depends on ``seed`` and the position of a value in
    X. For features with few values, this noise decides the scores. The paper's scores are of this
    kind. They equal scikit-learn's if k is below half the size of every class; for larger k, its
    distances are rounded by more than the noise. Negative estimates are set to 0.

    Parameters
    ----------
    k : int
        Number of neighbours, at least 1. A class of n_c samples uses min(k, n_c - 1). Classes of
        one sample are left out; if all are, a ValueError is raised.
    ties : {"counted", "noise"}
    seed : int
        Seed of the noise, at least 0.
    """
    return information_gain_grid(X, y, [k], ties=ties, seed=seed)[0]


information_gain.grid = ("k", information_gain_grid)  # type: ignore[attr-defined]


def _with_noise(X: np.ndarray, seed: int) -> np.ndarray:
    """Return the features with variance 1 and scikit-learn's noise."""
    X = scale(X, with_mean=False)
    random, sizes = check_random_state(seed), 1e-10 * np.maximum(1, np.mean(np.abs(X), axis=0))
    return X + sizes * random.standard_normal(size=X.shape)


def _estimates(X: np.ndarray, codes: np.ndarray, grid: np.ndarray, ties: str) -> np.ndarray:
    """Return the estimate for each k of the ascending grid and each feature, (n_k, n_features)."""
    scores = np.empty((grid.size, X.shape[1]))
    width = max(1, _CHUNK // codes.size)
    for start in range(0, X.shape[1], width):
        features = np.ascontiguousarray(X[:, start : start + width].T)
        some = scores[:, start : start + width]
        if ties == "noise":
            some[:] = _ross(features, codes, grid, None)
            continue
        steps = np.diff(np.sort(features, axis=1), axis=1) > 0
        discrete = 1 + steps.sum(axis=1) <= np.sqrt(codes.size)
        if discrete.any():
            some[:, discrete] = _plug_in(features[discrete], codes)
        if not discrete.all():
            some[:, ~discrete] = _ross(features[~discrete], codes, grid, TIES)
    return np.maximum(scores, 0)


def _plug_in(features: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return the plug-in mutual information of each feature."""
    n, classes = codes.size, np.bincount(codes)
    order = np.argsort(features, axis=1)
    values = np.take_along_axis(features, order, axis=1)
    begins = np.ones(features.shape, dtype=bool)  # True where a run of equal values begins.
    begins[:, 1:] = values[:, 1:] > values[:, :-1]
    run = np.cumsum(begins) - 1  # All runs of all features, one after another.
    cells = run * classes.size + codes[order.ravel()]
    counts = np.bincount(cells, minlength=(run[-1] + 1) * classes.size).reshape(-1, classes.size)
    of_value = counts.sum(axis=1)
    gained = xlogy(counts, counts).sum(axis=1) - xlogy(of_value, of_value)
    first = run[::n]  # The first run of each feature.
    of_classes = xlogy(classes, classes).sum()
    return np.log(n) + (np.add.reduceat(gained, first) - of_classes) / n


def _ross(
    features: np.ndarray, codes: np.ndarray, grid: np.ndarray, tolerance: float | None
) -> np.ndarray:
    """Return the estimate from distances for each k and feature (tolerance: see `_nearer`)."""
    n, counts = codes.size, np.bincount(codes)
    psi = np.concatenate([[np.nan], digamma(np.arange(1, n + 1))])
    scores = np.empty((grid.size, len(features)))
    inside, near = _nearer(features, codes, grid, tolerance)
    for row, k in enumerate(grid):
        # The order of summation is that of scikit-learn, so that its equal scores are equal here.
        ks = np.minimum(k, counts - 1)[codes] if tolerance is None else inside[row]
        psi_k = psi[ks].mean(axis=-1)
        constant = psi[n] + psi_k - np.mean(psi[counts[codes]])
        scores[row] = constant - psi[near[row]].mean(axis=1)
    return scores


class _Line(NamedTuple):
    """The sorted values of one feature after another, and the samples of a class among them."""

    values: np.ndarray
    #: Where each sample of the class stands; where its feature begins, and where it has ended.
    places: np.ndarray
    begins: np.ndarray
    ends: np.ndarray


def _line(values: np.ndarray, places: np.ndarray, length: int) -> _Line:
    """Return the line of features that have ``length`` values each."""
    begins = places - places % length
    return _Line(values, places, begins, begins + length)


def _nearer(
    features: np.ndarray, codes: np.ndarray, grid: np.ndarray, tolerance: float | None
) -> tuple[np.ndarray, np.ndarray]:
    """Count near samples for each k, feature and sample: of its class, and of any class.

    Let rho be the distance to the k-th nearest sample of the same class. With a tolerance, samples
    not farther than rho (1 + tolerance) count, without the sample itself. With None, as in
    scikit-learn, samples of any class nearer than rho count, including the sample itself; without
    ties both numbers are equal. Samples of the same class are then not counted. The shapes are
    ``(len(grid), *features.shape)``.

    Neighbours of a sample are next to it in a line of sorted values: in the line of its class, and
    in the line of all classes.
    """
    n = codes.size
    order = (np.argsort(features, axis=1) + n * np.arange(len(features))[:, None]).ravel()
    values, labels = features.ravel()[order], codes[order % n]
    of_any = np.empty((grid.size, features.size), dtype=np.intp)
    of_class = np.empty_like(of_any)
    for code, size in enumerate(np.bincount(codes)):
        places = np.flatnonzero(labels == code)
        samples, x = order[places], values[places]
        all_classes = _line(values, places, n)
        own_class = _line(x, np.arange(x.size), size)
        for row, k in enumerate(np.minimum(grid, size - 1)):
            first = _windows(own_class, k)
            radius = np.maximum(x.take(first + k) - x, x - x.take(first))
            searched = all_classes
            if tolerance is not None:
                radius = np.nextafter(radius * (1 + tolerance), np.inf)
                of_class[row, samples] = _within(own_class, x, radius)
            elif radius.min() > 0:
                searched = _narrowed(all_classes, first, k)
            # scikit-learn counts distances below the radius, and 0 if the radius is 0.
            radius = np.maximum(radius, _LEAST)
            of_any[row, samples] = _within(searched, x, radius) + (tolerance is None)
    shape = (grid.size, *features.shape)
    return of_class.reshape(shape), of_any.reshape(shape)


def _windows(own_class: _Line, k: int) -> np.ndarray:
    """Return where the k + 1 values begin that are nearest to each value, itself among them."""
    x, places = own_class.values, own_class.places
    # Within these limits, both values that a shift of the window swaps exist.
    lowest = np.maximum(places - k, own_class.begins)
    highest = np.minimum(places, own_class.ends - 1 - k)

    def is_no_loss(t):
        """Whether the value that the t-th shift gains is not farther than the one it loses."""
        gained = x.take(lowest + t + k, mode="clip") - x
        lost = x - x.take(lowest + t - 1, mode="clip")
        return gained <= lost

    return lowest + _most(is_no_loss, highest - lowest)


def _narrowed(all_classes: _Line, first: np.ndarray, k: int) -> _Line:
    """Let features begin and end next to values of the class that are outside the windows.

    These are as far as the radius at least, and so are all beyond them.
    """
    places = np.concatenate([[-1], all_classes.places, [all_classes.values.size]])
    return all_classes._replace(
        begins=np.maximum(all_classes.begins, places[first] + 1),
        ends=np.minimum(all_classes.ends, places[first + k + 2]),
    )


def _within(line: _Line, x: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """Count the values of the line, without its own, that are nearer to each x than its radius."""

    def right(t):
        return line.values.take(line.places + t, mode="clip") - x < radius

    def left(t):
        return x - line.values.take(line.places - t, mode="clip") < radius

    n_right = _most(right, line.ends - 1 - line.places)
    n_left = _most(left, line.places - line.begins)
    return n_right + n_left


def _most(holds: Callable[[np.ndarray], np.ndarray], limit: np.ndarray) -> np.ndarray:
    """Return, for each element, the largest t in 0..limit for which ``holds(t)`` is true.

    By bisection: ``holds`` must be true for t = 0, and for every t below one for which it is
    true. It is also called with t above the limit, where its result is ignored.
    """
    t = np.zeros_like(limit)
    for bit in reversed(range(int(limit.max()).bit_length())):
        further = t + (1 << bit)
        t += (holds(further) & (further <= limit)).astype(np.intp) << bit
    return t
