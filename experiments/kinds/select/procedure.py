"""The procedure that is judged: training rows choose the method, its features and the SVM.

All that depends on the data is learned from the training rows of a division: what fills gaps, what
covariates explain, the scaling, a first selection among many features, the rankings, and by inner
folds the ranking, the number of features and the cell of the SVM's grid. The test rows are
predicted once. The answer is what the same procedure chooses if all rows are training rows.
"""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist, squareform
from scipy.special import expit
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from baselines.filters.relieff import relieff
from experiments import seeds
from experiments.cache import Row, Task, key_of
from experiments.datasets import DataError
from experiments.evaluation.methods import Method, Parameters
from experiments.evaluation.moderated import p_and_q
from experiments.evaluation.readings import TIE
from experiments.evaluation.rows import scaled
from experiments.evaluation.scoring import flagged_scores, rank
from experiments.evaluation.sources import Source
from experiments.kinds.select.features import groups_of
from experiments.kinds.select.samples import compared, dependent
from experiments.kinds.select.svm import class_scores

#: Features differ if their q is at most this.
ALPHA = 0.05
#: Rounds of exchanges of shuffled labels, in each of which a sample may exchange its label once.
EXCHANGES = 200
#: A candidate: a method and its parameters.
Candidate = tuple[Method, Parameters]
#: The set of all that differ, and that of all features, stand after the candidates.
N_OTHERS = 2


@dataclass(frozen=True)
class Settings:
    """The numbers of the procedure; gammas are in units of 1 / (sum of the features' variances)."""

    sizes: tuple[int, ...]
    Cs: tuple[float, ...]
    gammas: tuple[float, ...]
    n_folds: int
    inner_folds: int
    first: int
    n_features: int | None
    near: float

    @property
    def first_set(self) -> tuple[int, int]:
        """The first ranking, and the place of the size that is asked for, or of the smallest."""
        return 0, self.sizes.index(self.n_features) if self.n_features else 0


@dataclass(frozen=True, eq=False)
class Design:
    """Samples, what belongs to them, and the methods that rank."""

    source: Source
    candidates: list[Candidate]
    #: ndarray of int (n_samples,). Samples of a group stay on one side of every division.
    groups: np.ndarray
    #: ndarray of int (n_samples,), or None. The groups that the user names, whose samples are not
    #: independent of each other.
    named: np.ndarray | None
    #: ndarray of shape (n_samples, n_covariates).
    covariates: np.ndarray
    #: What becomes of gaps: "median" or "drop", None if there are none.
    missing: str | None
    #: See :func:`experiments.evaluation.rows.scaled`.
    scaling: str
    seed: int
    settings: Settings

    def unit(self, shuffle: int | None, split: int | None) -> Task:
        """The unit that judges a split, of the own labels if the shuffle is None.

        The split None has all rows for training.
        """
        scorers = [scorer for method, _ in self.candidates for scorer in method.scorers()]
        key = key_of(
            "selection",
            scorers,
            samples=self.source.fingerprint,
            groups=[self.groups.tolist(), None if self.named is None else self.named.tolist()],
            covariates=self.covariates.tolist(),
            settings=vars(self.settings),
            methods=[method.identity(parameters) for method, parameters in self.candidates],
            of=[self.missing, self.scaling, self.seed, shuffle, split],
        )
        return Task(key, partial(judged, self, shuffle, split))


class Ranked(NamedTuple):
    """Prepared samples, the columns of the table that they have, and rankings of these.

    `orders` holds the columns of X, best first, for each candidate, empty if it failed; near-copies
    of better ones come after all others, and those that the first selection leaves out come last,
    by p. The last two orders are the features that differ, and all features.
    """

    X: np.ndarray
    kept: np.ndarray
    orders: list[np.ndarray]
    p: np.ndarray


class Choice(NamedTuple):
    """The choices of inner folds.

    `validation` (rankings, sizes) is the balanced accuracy in the best cell, NaN if a ranking has
    no such size, and `cells` the number of that cell. `best` and `smallest` are pairs of a ranking
    and a size.
    """

    validation: np.ndarray
    cells: np.ndarray
    best: tuple[int, int]
    smallest: tuple[int, int]


def judged(design: Design, shuffle: int | None, split: int | None) -> Row:
    """Choose on the training rows of a split, and predict its test rows.

    Returns
    -------
    Row
        "test", "truth": rows and their classes. "scores" (3, n_test, n_classes): of the best
        choice, of the smallest set and of all that differ; the largest is the prediction.
        "predicted" (rankings, sizes, n_test): classes, -1 where there is no such set. "validation"
        (rankings, sizes). "best", "smallest": numbers of a ranking and a size. "n_differing". All
        arrays are flat. Without test rows also "orders" (candidates, n_features).
    """
    X, y, _ = design.source.samples()
    n_classes = int(y.max()) + 1
    if shuffle is not None:
        rng = seeds.generator(design.seed, "shuffle", design.source.fingerprint, shuffle)
        y = permuted(y, design.groups, rng, design.covariates)
    axes: tuple = (design.source.fingerprint, "own" if shuffle is None else shuffle)
    train, test = np.arange(len(y)), np.arange(0)
    if split is not None:
        repeat, fold = divmod(split, design.settings.n_folds)
        state = seeds.integer(design.seed, "select", *axes, repeat)
        train, test = divided(y, design.groups, design.settings.n_folds, state)[fold]
    axes = (*axes, "all" if split is None else split)
    whole = ranked(design, X, y, train, axes)
    chosen = choice(design, X, y, train, axes, [len(order) for order in whole.orders])
    n_rankings, n_sizes = chosen.validation.shape
    row: Row = {
        "test": test,
        "truth": y[test],
        "validation": chosen.validation.ravel(),
        "best": np.array(chosen.best),
        "smallest": np.array(chosen.smallest),
        "n_differing": len(whole.orders[-2]),
    }
    if split is None:
        orders = [_full_order(whole, order, X.shape[1]) for order in whole.orders[:-N_OTHERS]]
        return {**row, "orders": np.concatenate(orders)}
    predicted = np.full((n_rankings, n_sizes, len(test)), -1)
    # If there is no such set, the largest class is predicted.
    scores = np.tile(np.bincount(y[train], minlength=n_classes) / len(train), (3, len(test), 1))
    for (ranking, size), of_cells in _sets(design, whole, y, train, test, n_classes):
        own = of_cells[chosen.cells[ranking, size]]
        predicted[ranking, size] = own.argmax(axis=-1)
        for place, at in enumerate((chosen.best, chosen.smallest, (len(design.candidates), 0))):
            if at == (ranking, size):
                scores[place] = own
    return {**row, "predicted": predicted.ravel(), "scores": scores.ravel()}


def _full_order(whole: Ranked, order: np.ndarray, n_features: int) -> np.ndarray:
    """The numbers of all features of the table, in an order; those that gaps leave out come last.

    If the method failed, the order is that of p.
    """
    order = order if len(order) else np.argsort(whole.p, kind="stable")
    left_out = np.setdiff1d(np.arange(n_features), whole.kept)
    return np.concatenate([whole.kept[order], left_out]).astype(np.int64)


def permuted(
    y: np.ndarray, groups: np.ndarray, rng: np.random.Generator, covariates: np.ndarray
) -> np.ndarray:
    """The labels in random order, as far as the groups and the covariates allow it.

    Groups of one class exchange their classes; the labels of other groups are shuffled inside. With
    covariates the order is drawn as in :func:`_exchanged`, so that shuffled labels go with them as
    the own ones do: what covariates tell of the class is no evidence for the features.
    """
    of_row = np.unique(groups, return_inverse=True)[1]
    lowest, highest = pd.Series(y).groupby(of_row).agg(["min", "max"]).to_numpy().T
    alike = lowest == highest
    new = np.where(alike, lowest, -1)
    new[alike] = rng.permutation(lowest[alike])
    new = new[of_row]
    for name in np.flatnonzero(~alike):
        rows = np.flatnonzero(of_row == name)
        new[rows] = rng.permutation(y[rows])
    if not covariates.shape[1]:
        return new
    # What exchanges its labels: groups of one class among each other, rows within other groups.
    unit = np.where(alike[of_row], of_row, -1 - np.arange(len(y)))
    units = np.unique(unit, return_inverse=True)[1]
    places = np.where(alike[of_row], -1, of_row)
    return _exchanged(new, y, units, places, covariates, rng)


def _exchanged(labels, y, units, places, covariates, rng) -> np.ndarray:
    """The labels after exchanges between units of one place, by their odds given the covariates.

    A Markov chain of the conditional permutation test (Berrett, Wang, Barber and Samworth, Journal
    of the Royal Statistical Society B 82, 2020): random pairs exchange their labels with the
    probability ``odds / (1 + odds)``, and ``odds`` is that of the exchanged labels against the
    present ones by a logistic regression of y on the covariates. Rows of a unit have one label, and
    the mean of its logarithms of probabilities.
    """
    fit = LogisticRegression(C=1e3, max_iter=1000).fit(covariates, y)
    logs = pd.DataFrame(fit.predict_log_proba(covariates)).groupby(units).mean().to_numpy()
    first = np.unique(units, return_index=True)[1]
    own, place = labels[first], places[first]
    for _ in range(EXCHANGES):
        order = rng.permutation(len(own))
        order = order[np.argsort(place[order], kind="stable")][rng.integers(2) :]
        a, b = order[:-1:2], order[1::2]
        a, b = a[place[a] == place[b]], b[place[a] == place[b]]
        gain = logs[a, own[b]] + logs[b, own[a]] - logs[a, own[a]] - logs[b, own[b]]
        moved = rng.random(len(a)) < expit(gain)
        own[a[moved]], own[b[moved]] = own[b[moved]], own[a[moved]]
    return own[units]


def divided(
    y: np.ndarray, groups: np.ndarray, n_folds: int, state: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows of stratified folds, no group in two of them."""
    if len(np.unique(groups)) == len(y):
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=state)
        return list(splitter.split(np.zeros((len(y), 1)), y))
    grouped = StratifiedGroupKFold(n_folds, shuffle=True, random_state=state)
    return list(grouped.split(np.zeros((len(y), 1)), y, groups))


def filled(X: np.ndarray, train: np.ndarray, how: str | None) -> tuple[np.ndarray, np.ndarray]:
    """X without gaps, and the columns of the table that it has.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        With NaN for values that are missing.
    train : ndarray of int
        The rows that medians are learned from.
    how : {"median", "drop"} or None
        "drop" leaves out the features with a gap in the training rows; the median fills all other
        gaps. Features without a value in the training rows become 0. None if there are no gaps.

    Returns
    -------
    X : ndarray of shape (n_samples, n_kept)
    kept : ndarray of int, shape (n_kept,)
    """
    kept = np.arange(X.shape[1])
    if how is None:
        return X, kept
    if how == "drop":
        kept = np.flatnonzero(~np.isnan(X[train]).any(axis=0))
        X = X[:, kept]
    imputer = SimpleImputer(strategy="median", keep_empty_features=True).fit(X[train])
    return imputer.transform(X), kept


def ranked(design: Design, X, y, train, axes) -> Ranked:
    """The samples prepared by the training rows, and all rankings that these give."""
    settings = design.settings
    X, kept = filled(X, train, design.missing)
    if design.covariates.shape[1]:
        X = without(X, design.covariates, train)
    X = scaled(X, train, design.scaling)
    own, codes = X[train], np.unique(y[train], return_inverse=True)[1]
    p, q = _tests(design, own, codes, train)
    by_p = np.argsort(p, kind="stable")
    pool = np.arange(X.shape[1])
    if len(pool) > settings.first:
        near = relieff(own, codes, k=min(10, len(own) - 1), scale=False)
        half = settings.first // 2
        pool = np.union1d(by_p[:half], np.argsort(-near, kind="stable")[:half])
    orders = []
    for method, parameters in design.candidates:
        try:
            (row,) = flagged_scores(method, own[:, pool], codes, [parameters])
            # If no class has spread in a feature, its F is so large that all others would tie.
            scores = np.arcsinh(row["scores"])
            order = rank(scores, seeds.generator(design.seed, "ties", *axes))
            is_copy = groups_of(own[:, pool], codes, order, settings.near) != np.arange(len(pool))
            order = pool[np.concatenate([order[~is_copy[order]], order[is_copy[order]]])]
            orders.append(np.concatenate([order, by_p[~np.isin(by_p, pool)]]))
        except ValueError:  # The method refuses so few samples.
            orders.append(np.arange(0))
    differing = by_p[q[by_p] <= ALPHA]
    if len(differing):
        heads = groups_of(own[:, differing], codes, np.arange(len(differing)), settings.near)
        differing = differing[heads == np.arange(len(differing))]
    return Ranked(X, kept, [*orders, differing, np.arange(X.shape[1])], p)


def _tests(design: Design, own, codes, train) -> tuple[np.ndarray, np.ndarray]:
    """p and q of the training rows, in which the samples of a group are no independent ones.

    All are 1 if the training rows do not determine the differences between the classes.
    """
    named = None if design.named is None else design.named[train]
    parts = dependent(codes, design.groups[train], named)
    try:
        rows = compared(own, codes, parts, design.covariates[train])
    except DataError:
        return np.ones(own.shape[1]), np.ones(own.shape[1])
    return p_and_q(rows.X, rows.y, rows.covariates)


def without(X: np.ndarray, covariates: np.ndarray, train: np.ndarray) -> np.ndarray:
    """X less what the covariates explain of it by least squares on the training rows."""
    design = np.column_stack([np.ones(len(X)), covariates])
    return X - design @ (np.linalg.pinv(design[train]) @ X[train])


def _sets(design, samples: Ranked, y, train, test, n_classes):
    """For each ranking and size, the scores of the test rows in each cell of the SVM's grid."""
    settings = design.settings
    for number, order in enumerate(samples.orders):
        sizes = [size for size in settings.sizes if size <= len(order)]
        if number >= len(design.candidates):
            sizes = [len(order)] if len(order) else []
        squared, variance, done = np.zeros((len(y), len(y))), 0.0, 0
        rows = np.concatenate([train, test])
        for at, size in enumerate(sizes):
            added = samples.X[np.ix_(rows, order[done:size])]
            squared[np.ix_(rows, rows)] += squareform(pdist(added, "sqeuclidean"))
            variance += float(added[: len(train)].var(axis=0).sum())
            done = size
            gammas = [gamma / variance if variance > 0 else 1.0 for gamma in settings.gammas]
            grid = class_scores(squared, y, train, test, n_classes, settings.Cs, gammas)
            yield (number, at), grid


def choice(design: Design, X, y, train, axes, lengths) -> Choice:
    """The choices of inner folds of the training rows, by balanced accuracy over all of them.

    The best set is the smallest that has the best accuracy, a candidate's or all features. The
    smallest one is within one standard error of it, that of a mean of recalls. A ranking of all
    training rows has so many features as `lengths` says, and no larger set is chosen.
    """
    settings, n_classes = design.settings, int(y.max()) + 1
    n_cells = len(settings.Cs) * len(settings.gammas)
    shape = len(design.candidates) + N_OTHERS, len(settings.sizes), n_cells
    right, tried = np.zeros((*shape, n_classes)), np.zeros(shape[:2], dtype=int)
    counts = np.zeros(n_classes)
    if not settings.inner_folds:  # Too few samples: the first ranking is taken as it is.
        nothing, first = np.full(shape[:2], np.nan), settings.first_set
        return Choice(nothing, np.zeros(shape[:2], dtype=int), first, first)
    state = seeds.integer(design.seed, "inside", *axes)
    folds = divided(y[train], design.groups[train], settings.inner_folds, state)
    for number, (a, b) in enumerate(folds):
        inside, outside = train[a], train[b]
        samples = ranked(design, X, y, inside, (*axes, number))
        counts += np.bincount(y[outside], minlength=n_classes)
        if not len(samples.orders[-2]):  # Nothing differs: the largest class is predicted.
            largest = np.bincount(y[inside]).argmax()
            right[-2, 0, :, largest] += (y[outside] == largest).sum()
            tried[-2, 0] += 1
        for at, scores in _sets(design, samples, y, inside, outside, n_classes):
            hits = scores.argmax(axis=-1) == y[outside]
            for label in range(n_classes):
                right[*at, :, label] += hits[:, y[outside] == label].sum(axis=1)
            tried[at] += 1
    present = counts > 0
    recall = right[..., present] / counts[present]
    balanced = recall.mean(axis=-1)
    cells = (balanced >= balanced.max(axis=-1, keepdims=True) - TIE).argmax(axis=-1)
    validation = np.take_along_axis(balanced, cells[..., None], axis=-1)[..., 0]
    validation[tried < len(folds)] = np.nan
    allowed = np.where(np.isnan(validation), -1.0, validation)
    allowed[:-1][np.array(settings.sizes) > np.array(lengths)[:-1, None]] = -1.0
    best, smallest = _best(allowed, recall, counts[present], cells, settings, X.shape[1])
    return Choice(validation, cells, best, smallest)


def _best(allowed, recall, counts, cells, settings, n_features):
    """The best and the smallest set, each a pair of a ranking and a size.

    `allowed` (rankings, sizes) is the balanced accuracy, -1 if there is no such set.
    """
    allowed[-2] = -1.0  # All that differ is a set of its own.
    of_size = np.tile(settings.sizes, (len(allowed), 1))
    of_size[-1] = n_features
    if settings.n_features is not None:
        allowed[of_size != settings.n_features] = -1.0
        allowed[-1] = -1.0
    if allowed.max() < 0:  # The method that ranks has failed.
        return settings.first_set, settings.first_set
    order = np.lexsort([np.arange(allowed.size), of_size.ravel()])
    flat = allowed.ravel()[order]
    best = np.unravel_index(order[(flat >= flat.max() - TIE).argmax()], allowed.shape)
    own = recall[*best, cells[best]]
    error = np.sqrt((own * (1 - own) / counts).sum()) / len(own)
    close = np.flatnonzero((flat >= flat.max() - error - TIE) & (flat >= 0))
    sizes = of_size.ravel()[order][close]
    close = close[sizes == sizes.min()] if len(close) else np.array([0])
    at = close[(flat[close] >= flat[close].max() - TIE).argmax()]
    smallest = np.unravel_index(order[at], allowed.shape)
    return tuple(map(int, best)), tuple(map(int, smallest))
