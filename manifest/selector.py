"""ManiFeSt as scikit-learn feature selectors: the paper's score, and the set form."""

import warnings
from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from manifest.composition import aggregated
from manifest.ranking import best_first, varying
from manifest.relevance import AUTO, relevance_of
from manifest.score import scores_in_blocks
from manifest.set import CHOSEN
from manifest.trust import emit, is_informative
from manifest.validation import CHECKS, check_parameters, is_integer, is_number


class Ranker(SelectorMixin, BaseEstimator):
    """The base of both selectors: it keeps the best features and ranks constant ones last."""

    def fit(self, X: Any, y: Any) -> Self:
        """Score and rank the features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two or more classes, at least two samples each.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError, MemoryError
            As in `manifest.manifest_score`, and if a parameter is out of range.

        Warns
        -----
        AmbiguousScoreWarning, UninformativeScoreWarning, MeanNotConvergedWarning, HiddenPairWarning
            As in `manifest.manifest_score`.
        UserWarning
            If X has fewer features than n_features_to_select; all of them are then kept.
        """
        X, y = validate_data(self, X, y, **CHECKS)
        check_classification_targets(y)
        parameters = self.get_params()
        self.n_features_ = _how_many(parameters.pop("n_features_to_select"), X.shape[1])
        order, pending = self._rank(X, y, **parameters)
        emit(pending)
        self.classes_ = np.unique(y)
        varies = varying(X)[order]
        self.ranking_ = np.empty(X.shape[1], dtype=np.int64)
        self.ranking_[np.r_[order[varies], order[~varies]]] = np.arange(1, X.shape[1] + 1)
        self.support_ = self.ranking_ <= self.n_features_
        return self

    @abstractmethod
    def _rank(self, X, y, **parameters):
        """Return the features from best to worst and the warnings to issue; set attributes."""

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


@dataclass(eq=False, repr=False)
class ManiFeSt(Ranker):
    """Select features by the ManiFeSt score of the paper.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        Number of features to keep (at least 1), or the share in (0, 1] to keep (rounded down, at
        least one feature), or None for half of them. 1.0 ranks without selecting.
    scale_factor : float, default=1.0
        The kernel scale of each class, in medians of the distances between its features. No scale
        serves all data: 0.1 finds features that are nearly equal or opposite in a class, 1 smooth
        relations. Tune it inside a cross-validation.
    percentile : float in [0, 100], default=None
        Use this percentile of the distances instead of the median.
    n_normalizations : int, default=0
        How many times each kernel is normalised by its row sums.
    geometry : {"regularized", "spd", "spsd", "euclidean", "log_euclidean"}, default="regularized"
        As in `manifest.manifest_score`.
    multiclass : {"mean", "ovo"}, default="mean"
        Compare every class with the mean of all, or the classes in pairs.
    aggregate : {"max", "sum"}, default="max"
        The score of a feature is the maximum or the sum of its scores in all classes.
    block : int or None, default=None
        Score random blocks of at most this many features, at least 3, one after the other.
    random_state : int, RandomState or None, default=0
        Seed of the blocks, at least 0, or a source of it, as in scikit-learn.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The score of each feature (Eq. 4 for two classes), higher is better. A constant feature can
        score high, because its relations to the other features can differ between the classes.
    ranking_ : ndarray of shape (n_features,)
        1 for the best feature, n_features for the last; constant features last. Scores that differ
        by less than 1e-9 of the largest tie (see `manifest.ranking.levels`). Ties keep the order of
        the columns.
    support_ : boolean ndarray of shape (n_features,)
        True for the kept features.
    n_features_ : int
        Number of kept features.
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    scales_ : tuple of n_classes floats
        The kernel scale of each class; empty with several blocks, which have scales of their own.
    n_ambiguous_ : int
        Number of directions in which the score of Algorithm 2 is not unique; 0 means that the score
        is unique.
    informative_ : bool
        False if rounding affects the order (see `manifest.UninformativeScoreWarning`).
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        If X had column names.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from manifest import ManiFeSt
    >>> X, y = make_classification(60, 30, n_informative=3, shuffle=False, random_state=0)
    >>> ManiFeSt(n_features_to_select=5).fit_transform(X, y).shape
    (60, 5)
    """

    n_features_to_select: int | float | None = None
    _: KW_ONLY
    scale_factor: float = 1.0
    percentile: float | None = None
    n_normalizations: int = 0
    geometry: str = "regularized"
    multiclass: str = "mean"
    aggregate: str = "max"
    block: int | None = None
    random_state: int | np.random.RandomState | None = 0

    def _rank(self, X, y, **parameters):
        aggregate = parameters.pop("aggregate")
        check_parameters(aggregate=aggregate)
        if aggregate == "none":
            raise ValueError(
                'a ranking needs one score per feature, which aggregate="none" does not make; '
                'use "max" or "sum", or call manifest_score'
            )
        scores = scores_in_blocks(X, y, **parameters)
        self.scores_ = aggregated(scores.rows, aggregate)
        self.scales_, self.n_ambiguous_ = scores.scales, scores.n_ambiguous
        self.informative_ = is_informative(scores.rows, scores.rounding)
        return best_first(self.scores_), scores.warnings


@dataclass(eq=False, repr=False)
class ManiFeStSet(Ranker):
    """Select features that are relevant and differ from each other, with nothing to tune.

    The relevance of a feature is the sum of its differences in associations and in means at four
    kernel scales, calibrated by permuted labels (`manifest.relevance.calibrated_relevance`).
    Features are then chosen one after the other by their relevance and by how much they differ from
    the chosen ones (`manifest.relevance.set_choice`). Standardise features of mixed units first.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        As in `ManiFeSt`.
    n_permutations : int or "auto", default="auto"
        Number of permutations of the labels. "auto" takes at least 3, and enough that the null,
        from all features of one block and all permutations, has 2,000 values.
    random_state : int, RandomState or None, default=0
        Seed of the permutations and of the blocks, at least 0, or a source of it.
    block : int or None, default=None
        Compare features in random blocks of at most this size, at least 3; time and memory are then
        linear in n_features. Every block contains the reference features; the null distribution is
        estimated from one block.
    geometry : {"euclidean", "regularized"}, default="euclidean"
        "euclidean" is the plain difference of the kernels. "regularized" is the paper's Riemannian
        difference, regularised, which takes twenty times as long for 2000 features and is equally
        accurate in the mean.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Whole numbers in the order of choice: the highest for the feature chosen first, 0 for the
        last. Features that are chosen together share one. Constant features are last.
    relevance_ : ndarray of shape (n_features,)
        The relevance of each feature alone, in standard deviations of the null.
    parts_ : manifest.relevance.Relevance
        The parts of the relevance.
    informative_ : bool
        False if all parts of the relevance are rounding.
    ranking_, support_, n_features_, classes_, n_features_in_, feature_names_in_
        As in `ManiFeSt`.

    Examples
    --------
    >>> import numpy as np
    >>> from manifest import ManiFeStSet
    >>> X = np.random.default_rng(0).integers(0, 2, (50, 100))
    >>> ManiFeStSet(2).fit(X, X[:, 0] != X[:, 4]).get_support(indices=True)
    array([0, 4])
    """

    n_features_to_select: int | float | None = None
    _: KW_ONLY
    n_permutations: int | str = AUTO
    random_state: int | np.random.RandomState | None = 0
    block: int | None = None
    geometry: str = "euclidean"

    def _rank(self, X, y, **parameters):
        n_selected = max(CHOSEN, self.n_features_)
        self.parts_ = relevance_of(X, y, n_selected=n_selected, **parameters)
        steps, self.relevance_ = self.parts_.steps, self.parts_.relevance
        self.scores_ = (steps.max() - steps).astype(np.float64)
        self.informative_ = bool(self.parts_.weights.any())
        return np.argsort(steps, kind="stable"), self.parts_.warnings


def _how_many(wanted, n_features):
    """Convert n_features_to_select to a number in 1..n_features."""
    wanted = 0.5 if wanted is None else wanted
    if is_integer(wanted) and wanted >= 1:
        if wanted > n_features:
            warnings.warn(
                f"n_features_to_select={wanted} is more than the {n_features} features of X; all "
                "of them are kept",
                stacklevel=3,
            )
        return min(int(wanted), n_features)
    if is_number(wanted) and not is_integer(wanted) and 0 < wanted <= 1:
        return max(1, int(wanted * n_features))
    raise ValueError(
        "n_features_to_select must be an integer >= 1, a share in (0, 1], or None for half of the "
        f"features; got {wanted!r}"
    )
