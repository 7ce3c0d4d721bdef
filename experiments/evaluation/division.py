"""Divide samples for ranking, training and test of a task, as pure functions of its axes.

The random numbers of all functions depend on the seed, the fingerprint of the samples, and the
number of the split or draw.
"""

from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

from experiments import seeds
from experiments.datasets.dataset import ternary

#: Training and test rows of inner folds.
Folds = list[tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Division:
    """A division of samples: the row numbers of one task.

    Features are ranked from the rows `rank`. The SVM is trained on `train` and tested on `test`.
    `folds` are inner folds of the training rows.
    """

    rank: np.ndarray
    train: np.ndarray
    test: np.ndarray
    folds: Folds


@dataclass(frozen=True)
class KFold:
    """Splits of :func:`outer_split`, with :func:`inner_folds`.

    Rankings use a share of the training rows (see :func:`ranking_rows`). The SVM is trained on all
    of them. Features are ranked anew in the inner folds of the first repeat.
    """

    test_size: float
    inner_folds: int
    inner_repeats: int = 1
    share: float = 1.0

    def division(
        self, y: np.ndarray, fingerprint: str, seed: int, number: Any, fold: int | None
    ) -> Division:
        """Return the rows of a split, or of one of its inner folds."""
        train, test = outer_split(y, fingerprint, seed, number, self.test_size)
        n_repeats = self.inner_repeats if fold is None else 1
        folds = inner_folds(y, train, fingerprint, seed, number, self.inner_folds, n_repeats)
        if fold is not None:
            train, test = folds[fold]
            folds = []
        rank = ranking_rows(y, train, fingerprint, seed, (number, fold), self.share)
        return Division(rank, train, test, folds)


@dataclass(frozen=True)
class PerClass:
    """Training rows of :func:`rows_per_class`; all other rows are test rows. See :class:`KFold`."""

    n_per_class: int
    inner_folds: int
    share: float = 1.0

    def division(
        self, y: np.ndarray, fingerprint: str, seed: int, number: Any, fold: int | None
    ) -> Division:
        """Return the rows of a draw, which has no problems of inner folds."""
        train, test = rows_per_class(y, fingerprint, seed, number, self.n_per_class)
        folds = inner_folds(y, train, fingerprint, seed, number, self.inner_folds)
        rank = ranking_rows(y, train, fingerprint, seed, (number, None), self.share)
        return Division(rank, train, test, folds)


@dataclass(frozen=True)
class Whole:
    """All rows of a draw, or all except a share `test_size` held out by :func:`outer_split`.

    Rankings use `ranking_samples` of the training rows (see :func:`ranking_rows`), or all if it is
    None.
    """

    test_size: float | None = None
    ranking_samples: int | None = None

    def division(
        self, y: np.ndarray, fingerprint: str, seed: int, number: Any, fold: int | None
    ) -> Division:
        """Return the rows of a draw, which has neither splits nor inner folds."""
        train = np.arange(len(y))
        test = np.arange(0)
        if self.test_size is not None:
            train, test = outer_split(y, fingerprint, seed, 0, self.test_size)
        share = 1.0
        if self.ranking_samples is not None:
            share = min(1.0, self.ranking_samples / len(train))
        rank = ranking_rows(y, train, fingerprint, seed, 0, share)
        return Division(rank, train, test, [])


#: The ways to divide samples, by the number of a split or draw and of an inner fold.
Divider = KFold | PerClass | Whole


def outer_split(
    y: np.ndarray, fingerprint: str, seed: int, split: int, test_size: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return training and test rows of a stratified split; they depend on the arguments alone.

    If the test share is 1 / n, the splits are those of repeated n-fold cross-validation, n for each
    repeat. Every sample is then tested equally often, and the mean over the splits varies less than
    with random splits. For other shares every split is random.
    """
    rows = np.zeros((len(y), 1))
    n = round(1 / test_size)
    if abs(1 / test_size - n) > 1e-9:
        state = seeds.integer(seed, "split", fingerprint, split)
        splitter = StratifiedShuffleSplit(1, test_size=test_size, random_state=state)
        return next(splitter.split(rows, y))
    repeat, fold = divmod(split, n)
    state = seeds.integer(seed, "splits", fingerprint, repeat)
    folds = StratifiedKFold(n, shuffle=True, random_state=state)
    return next(islice(folds.split(rows, y), fold, None))


def inner_folds(
    y: np.ndarray,
    train: np.ndarray,
    fingerprint: str,
    seed: int,
    split: object,
    n_folds: int,
    n_repeats: int = 1,
) -> Folds:
    """Return stratified folds of the training rows, as row numbers of the whole data set.

    Each repeat shuffles the rows again and gives `n_folds` folds. The first repeats are the same
    for every number of repeats.
    """
    folds = []
    for repeat in range(n_repeats):
        axes = (fingerprint, split, repeat) if repeat else (fingerprint, split)
        state = seeds.integer(seed, "folds", *axes)
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=state)
        places = np.zeros((len(train), 1))
        for inner_train, inner_test in splitter.split(places, y[train]):
            folds.append((train[inner_train], train[inner_test]))
    return folds


def ranking_rows(
    y: np.ndarray, train: np.ndarray, fingerprint: str, seed: int, split: object, share: float
) -> np.ndarray:
    """Return a stratified share of the training rows, for ranking.

    There are at least two rows of each class. A smaller share is part of every larger one, so that
    curves over the number of samples are not disturbed by a change of samples.
    """
    if share == 1:
        return train
    rng = seeds.generator(seed, "ranking", fingerprint, split)
    members = _shuffled_classes(y, train, rng)
    # Each class is spread evenly over [0, 1), so that the first rows by position are stratified.
    positions = []
    for rows in members:
        of_class = (np.arange(len(rows)) + 0.5) / len(rows)
        of_class[:2] -= 1
        positions.append(of_class)
    order = np.argsort(np.concatenate(positions), kind="stable")
    n_rows = max(2 * len(members), round(share * len(train)))
    chosen = np.concatenate(members)[order[:n_rows]]
    return np.sort(chosen)


def rows_per_class(
    y: np.ndarray, fingerprint: str, seed: int, number: object, n_per_class: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return random training rows, equally many of each class, and all other rows, in order."""
    every = np.arange(len(y))
    rng = seeds.generator(seed, "few samples", fingerprint, number)
    members = _shuffled_classes(y, every, rng)
    chosen = [rows[:n_per_class] for rows in members]
    train = np.sort(np.concatenate(chosen))
    return train, np.setdiff1d(every, train)


def _shuffled_classes(
    y: np.ndarray, rows: np.ndarray, rng: np.random.Generator
) -> list[np.ndarray]:
    """Return the rows of each class in random order."""
    labels = y[rows]
    return [rng.permutation(rows[labels == label]) for label in np.unique(labels)]


def scaled(X: np.ndarray, train: np.ndarray, scaling: str) -> np.ndarray:
    """Scale X; with "standard", features get mean 0 and deviation 1 on the training rows.

    "ternary" makes three values of them: -2, 0 and 2 below, within and above half a deviation (with
    n - 1) around the mean of the training rows.
    """
    if scaling == "ternary":
        return ternary(X, train).astype(np.float64)
    if scaling == "standard":
        return StandardScaler().fit(X[train]).transform(X)
    return X
