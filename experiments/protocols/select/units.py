"""The units of this kind: judge a ranking where values are missing, rank all rows or a subsample.

Where no value is missing, splits are judged by the unit of the protocol accuracy as it stands, so
that both kinds find each other's rows in the store.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.engine import seeds
from experiments.engine.keys import Row
from experiments.evaluation.methods import Method, Parameters
from experiments.evaluation.scoring import FLAGS, rank, stored_scores
from experiments.evaluation.splits import inner_folds, outer_split, scaled
from experiments.protocols.accuracy.units import judge_ranking

if TYPE_CHECKING:
    from experiments.engine.store import Store
    from experiments.evaluation.samples import Source

#: What determines the rows of a subsample, and how they are prepared.
ROW_AXES = ("fingerprint", "seed", "resample", "share", "scaling")


@dataclass(frozen=True)
class Shuffled:
    """A source of the same samples with their labels in random order."""

    source: "Source"
    seed: int
    number: int

    def samples(self) -> tuple[np.ndarray, np.ndarray]:
        """X and the shuffled labels."""
        X, y = self.source.samples()
        return X, y[shuffle(len(y), self.source.fingerprint, self.seed, self.number)]


@dataclass(frozen=True)
class Given:
    """A source of samples that are there already."""

    X: np.ndarray
    y: np.ndarray

    def samples(self) -> tuple[np.ndarray, np.ndarray]:
        """X and y."""
        return self.X, self.y


def shuffle(n: int, fingerprint: str, seed: int, number: int) -> np.ndarray:
    """A random order of n labels, by the number of the shuffle."""
    return seeds.generator(seed, "shuffle", fingerprint, number).permutation(n)


def judge_with_gaps(
    source: "Source", axes: dict, method: Method, parameters: Parameters, store: "Store"
) -> Row:
    """What :func:`judge_ranking` gives, after missing values are filled in from the training rows.

    The axis "scaling" is the treatment of gaps, a blank and the scaling. Where features are left
    out, a number of features above those that are left stands for all of these.
    """
    X, y = source.samples()
    seed, split, fingerprint = axes["seed"], axes["split"], axes["fingerprint"]
    train, _ = outer_split(y, fingerprint, seed, split, axes["test_size"])
    if axes["fold"] is not None:
        folds = inner_folds(y, train, fingerprint, seed, split, axes["inner_folds"])
        train, _ = folds[axes["fold"]]
    X, kept = prepared(X, train, axes["scaling"])
    clipped = np.minimum(axes["sizes"], len(kept))
    sizes, place = np.unique(clipped, return_inverse=True)
    given: Any = Given(X, y)
    row = judge_ranking(given, {**axes, "sizes": sizes.tolist()}, method, parameters, store)
    for name in ("test", "train", "validation"):
        if name in row:
            row[name] = row[name].reshape(len(sizes), -1)[place].ravel()
    return {**row, "order": kept[row["order"]]}


def prepared(X: np.ndarray, train: np.ndarray, how: str) -> tuple[np.ndarray, np.ndarray]:
    """X as methods and the SVM see it, and the columns of the table that it has.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        With NaN where a value is missing.
    train : ndarray of int
        The rows that medians, means and deviations are learned on.
    how : str
        A scaling, as of :func:`experiments.evaluation.splits.scaled`; before it, where values are
        missing, "median" or "drop" and a blank. Features without a value in the training rows
        become 0. "drop" leaves out those with a gap in the training rows; gaps elsewhere are filled
        in by the median.
    """
    kept = np.arange(X.shape[1])
    missing, _, scaling = how.rpartition(" ")
    if not missing:
        return scaled(X, train, scaling), kept
    if missing == "drop":
        kept = np.flatnonzero(~np.isnan(X[train]).any(axis=0))
        X = X[:, kept]
    has_value = ~np.isnan(X[train]).all(axis=0)
    medians = np.zeros(X.shape[1])
    medians[has_value] = np.nanmedian(X[train][:, has_value], axis=0)
    return scaled(np.where(np.isnan(X), medians, X), train, scaling), kept


def subsample(y, fingerprint, seed, number, share) -> np.ndarray:
    """A share of the rows of each class, at random but at least two, in order."""
    rng = seeds.generator(seed, "resample", fingerprint, number)
    members = [rng.permutation(np.flatnonzero(y == label)) for label in np.unique(y)]
    return np.sort(np.concatenate([m[: max(2, round(share * len(m)))] for m in members]))


def rank_rows(
    source: "Source", axes: dict, method: Method, parameters: Parameters, store: "Store"
) -> Row:
    """Rank the features on all rows, or on the subsample with the number axes["resample"].

    Returns
    -------
    Row
        "order": all features, best first. "scores": NaN for a feature that gaps leave out; those
        come last. The flags of :func:`experiments.evaluation.scoring.flagged_scores`.
    """
    X, y = source.samples()
    fingerprint, seed, number = axes["fingerprint"], axes["seed"], axes["resample"]
    rows = np.arange(len(y))
    if number is not None:
        rows = subsample(y, fingerprint, seed, number, axes["share"])
    Z, kept = prepared(X, rows, axes["scaling"])
    ranked_by = {name: axes[name] for name in ROW_AXES}
    ranked = stored_scores(method, Z[rows], y[rows], parameters, store, ranked_by)
    order = kept[rank(ranked["scores"], seeds.generator(seed, "ties", fingerprint, number))]
    scores = np.full(X.shape[1], np.nan)
    scores[kept] = ranked["scores"]
    left_out = np.setdiff1d(np.arange(X.shape[1]), kept)
    return {
        "order": np.concatenate([order, left_out]),
        "scores": scores,
        **{flag: bool(ranked[flag]) for flag in FLAGS},
    }
