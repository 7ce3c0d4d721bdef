"""The second question: how well the class of new samples is predicted, and whether by chance."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

#: The normal quantile of 95 % intervals.
Z = float(ndtri(0.975))


class Judged(NamedTuple):
    """The test rows of one loop over all samples, or of several: split by split."""

    #: List of ndarray of int (n_test,).
    truth: list[np.ndarray]
    predicted: list[np.ndarray]
    #: List of ndarray of shape (n_test, n_classes), or None.
    scores: list[np.ndarray] | None = None


def recalls(truth: np.ndarray, predicted: np.ndarray, n_classes: int) -> np.ndarray:
    """The share of each class that is predicted rightly; NaN for a class without samples."""
    counts = np.bincount(truth, minlength=n_classes)
    right = np.bincount(truth[truth == predicted], minlength=n_classes)
    return np.divide(right, counts, out=np.full(n_classes, np.nan), where=counts > 0)


def balanced_accuracy(judged: Judged, n_classes: int) -> float:
    """The mean recall of the classes, over all test rows together."""
    pooled = np.concatenate(judged.truth), np.concatenate(judged.predicted)
    return float(np.nanmean(recalls(*pooled, n_classes)))


def accuracy(judged: Judged) -> float:
    """The share of the test rows that is predicted rightly."""
    return float(np.mean(np.concatenate(judged.truth) == np.concatenate(judged.predicted)))


def tested(judged: Judged, n_classes: int) -> tuple[float, float]:
    """The statistic of the permutation test, and the balanced accuracy in it.

    Of equal accuracies the larger area under the curve counts; it is 0.5 if there is no pair.
    """
    own = balanced_accuracy(judged, n_classes)
    area = float(np.nan_to_num(roc_auc(judged, n_classes), nan=0.5))
    return own + 1e-6 * area, own


def lower_of(loops: Sequence[Judged], n_classes: int) -> tuple[float, float, bool]:
    """The statistic of the own labels and the balanced accuracy in it; True if of the first loop.

    It is that of the first loop, or the mean over all loops if that is lower.
    """
    first, *others = (tested(loop, n_classes) for loop in loops)
    lower = min(first, tuple(np.mean([first, *others], axis=0).tolist()))
    return *lower, lower == first


def roc_auc(judged: Judged, n_classes: int) -> float:
    """The share of pairs of two classes that their scores order rightly; a tie counts half.

    Pairs are of one test part, since scores of two SVMs are not comparable. Of more than two
    classes it is the mean over the classes, each against all others.
    """
    assert judged.scores is not None
    areas = []
    for label in range(n_classes) if n_classes > 2 else (1,):
        right, n_pairs = 0.0, 0
        for truth, scores in zip(judged.truth, judged.scores, strict=True):
            value = scores[:, label] - (scores[:, 0] if n_classes == 2 else 0.0)
            a, b = value[truth == label], value[truth != label]
            right += float((a[:, None] > b).sum() + 0.5 * (a[:, None] == b).sum())
            n_pairs += len(a) * len(b)
        if n_pairs:
            areas.append(right / n_pairs)
    return float(np.mean(areas)) if areas else np.nan


def effective_share(n_splits: int, n_train: float, n_test: float) -> float:
    """The share of the samples that count as independent in an accuracy of cross-validation.

    With the variance ``p (1 - p) / n_test`` of each split's accuracy, the mean over J splits has
    the variance ``(1 / J + n_test / n_train) p (1 - p) / n_test`` (Nadeau and Bengio, Machine
    Learning 52, 2003): that of ``n_test / (1 / J + n_test / n_train)`` independent samples. So the
    interval holds the error of sampling n samples and that of training on them.
    """
    n = n_test / (1 / n_splits + n_test / n_train)
    return float(min(1.0, n / (n_train + n_test)))


def wilson(share: float, n: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of n samples."""
    centre = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z * np.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2)) / (1 + Z**2 / n)
    return float(max(0.0, centre - half)), float(min(1.0, centre + half))


def balanced_interval(own: np.ndarray, counts: np.ndarray) -> tuple[float, float]:
    """The 95 % interval of the mean of recalls, for new samples of the same population.

    Each recall has Wilson's interval; squares of their distances add up (Zou and Donner, Statistics
    in Medicine 27, 2008).

    Parameters
    ----------
    own : ndarray of shape (n_classes,)
    counts : ndarray of shape (n_classes,)
        Samples of each class that count as independent; see :func:`effective_share`.
    """
    known = np.isfinite(own) & (counts > 0)
    ends = np.array([wilson(r, n) for r, n in zip(own[known], counts[known], strict=True)])
    mean, n = own[known].mean(), known.sum()
    below, above = (np.sqrt(((own[known] - end) ** 2).sum()) / n for end in ends.T)
    return float(max(0.0, mean - below)), float(min(1.0, mean + above))


def with_all_samples(high: float, share: float) -> float:
    """The upper end of an interval for the rule that learns from all samples.

    The error is supposed to fall no faster than 1 / n, as for a rule whose parameters explain the
    classes without noise (Amari, Fujita and Shinomoto, Neural Computation 4, 1992). So an error of
    ``1 - high`` with a share of the samples is at least ``share (1 - high)`` with all.

    Parameters
    ----------
    high : float
        The upper end for rules that learn from training rows, at most 1.
    share : float
        The share of the samples that training rows are, above 0 and at most 1.
    """
    return 1 - share * (1 - high)


def auc_interval(area: float, counts: np.ndarray) -> tuple[float, float]:
    """The 95 % interval of an area: Wilson's of a share with the variance of the area.

    The variance of Hanley and McNeil, Radiology 143 (1982), with n samples of a class against m, is
    ``A (1 - A) (1 + (n - 1) (1 - A) / (2 - A) + (m - 1) A / (1 + A)) / (n m)``: that of a share of
    so many samples as the product ``A (1 - A)`` is divided by. Of more than two classes the number
    is the mean over the classes, each against all others.
    """
    if not np.isfinite(area):
        return np.nan, np.nan
    numbers = []
    for n in counts if len(counts) > 2 else counts[1:]:
        m = counts.sum() - n
        excess = (n - 1) * (1 - area) / (2 - area) + (m - 1) * area / (1 + area)
        numbers.append(n * m / max(1.0, 1 + excess))
    return wilson(area, float(np.mean(numbers)))


def permutation_p(own: float, shuffled: Sequence[float]) -> float:
    """The permutation p-value, (1 + number of shuffles that do as well) / (1 + number of them).

    A shuffle does as well unless it is below: a statistic that is NaN is never evidence.
    """
    return float((1 + (~(np.asarray(shuffled) < own - 1e-10)).sum()) / (1 + len(shuffled)))
