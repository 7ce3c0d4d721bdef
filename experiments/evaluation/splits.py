"""The rows that a unit trains, tests and ranks with: pure functions of the unit's axes."""

from itertools import islice

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

from experiments.engine import seeds


def outer_split(y, fingerprint, seed, split, test_size):
    """Training and test rows of a stratified split, as a function of the arguments alone.

    Where the test share is 1 / n, splits come from repeated n-fold cross-validation, n splits for
    each repeat. So every sample is tested equally often, and the mean over the splits depends less
    on chance than with random splits. For other shares every split is random.
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


def inner_folds(y, train, fingerprint, seed, split, n_folds, n_repeats=1):
    """Stratified folds of the training rows, as row numbers of the whole data set.

    Each repeat shuffles the rows anew and gives `n_folds` folds. The first repeats are the same for
    every number of repeats.
    """
    found = []
    for repeat in range(n_repeats):
        axes = (fingerprint, split, repeat)[: 3 if repeat else 2]
        state = seeds.integer(seed, "folds", *axes)
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=state)
        parts = folds.split(np.zeros((len(train), 1)), y[train])
        found += [(train[a], train[b]) for a, b in parts]
    return found


def ranking_rows(y, train, fingerprint, seed, split, share):
    """The share of the training rows that a ranking is made from, stratified by class.

    There are at least two rows of each class. A smaller share is a part of every larger share, so
    that curves over the number of samples do not jump from one sample to another.
    """
    if share == 1:
        return train
    rng = seeds.generator(seed, "ranking", fingerprint, split)
    members = [rng.permutation(train[y[train] == label]) for label in np.unique(y[train])]
    # Each class is spread evenly over [0, 1), so that the first rows by place are stratified.
    places = [(np.arange(len(rows)) + 0.5) / len(rows) for rows in members]
    for place in places:
        place[:2] -= 1
    order = np.argsort(np.concatenate(places), kind="stable")
    n_rows = max(2 * len(members), round(share * len(train)))
    return np.sort(np.concatenate(members)[order[:n_rows]])


def scaled(X, train, scaling):
    """X, in which the training rows have mean 0 and deviation 1 if `scaling` is "standard"."""
    if scaling == "standard":
        return StandardScaler().fit(X[train]).transform(X)
    return X
