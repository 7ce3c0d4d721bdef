"""ManiFeSt as a scikit-learn feature selector."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from manifest.composition import aggregated, class_scores
from manifest.context import BLOCK, CONTEXT, REPEATS, Agreement, context_score
from manifest.ranking import best_first
from manifest.trust import emit
from manifest.validation import CHECKS, check_parameters, is_integer, is_number


@dataclass(eq=False, repr=False)
class ManiFeSt(SelectorMixin, BaseEstimator):
    """Select the features with the highest ManiFeSt scores.

    Parameters
    ----------
    n_features_to_select : int, float or "all", default=0.5
        How many features to keep: a number of at least 1, a fraction in (0, 1] of all (rounded
        down, at least one), or "all" to rank without selecting.
    scale_factor, percentile, n_normalizations, geometry, multiclass
        As in :func:`manifest.manifest_score`.
    aggregate : {"max", "sum"}, default="max"
        As in :func:`manifest.manifest_score`; a ranking needs one score for each feature.
    approximation, block, context, repeats, random_state, n_jobs, progress
        As in :func:`manifest.manifest_score`.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The score of each feature (Eq. 4 for two classes), higher is better.
    ranking_ : ndarray of shape (n_features,)
        1 for the best feature, n_features for the last; ties in the order of the columns. Scores
        that differ by less than 1e-9 of the largest tie (see :func:`manifest.ranking.levels`).
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    geometry_ : {"spd", "spsd", "regularized", "auto"}
        The algorithm that was used; "auto" where "ovo" did not use the same one for all pairs.
    scales_ : tuple of n_classes floats
        The kernel scale of each class.
    n_ambiguous_ : int
        The number of directions in which the score of Algorithm 2 is not unique; 0 for a score to
        rely on.
    informative_ : bool
        False where rounding decides the order of the features (see
        :class:`manifest.UninformativeScoreWarning`).
    score_error_ : ndarray of shape (n_features,)
        The standard error of an approximate score; zeros for the exact one.
    agreement_, agreement_of_sizes_ : tuple of two floats
        Rank correlation, and share of the selected features in common, of two independent halves
        of an approximation, and of its blocks with blocks of half the size; ones for the exact
        score. See :class:`manifest.context.ContextScore`.
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

    n_features_to_select: Any = 0.5
    _: KW_ONLY
    scale_factor: float = 1.0
    percentile: float | None = None
    n_normalizations: int = 0
    geometry: str = "regularized"
    aggregate: str = "max"
    multiclass: str = "mean"
    approximation: str | None = None
    block: int = BLOCK
    context: int = CONTEXT
    repeats: int = REPEATS
    random_state: int = 0
    n_jobs: int | None = None
    progress: Callable[[int, int], None] | None = None

    def fit(self, X, y):
        """Score and rank the features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two or more classes.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            As :func:`manifest.manifest_score`, and if n_features_to_select is out of range or
            the aggregate is "none".

        Warns
        -----
        AmbiguousScoreWarning, UninformativeScoreWarning, MeanNotConvergedWarning
            As :func:`manifest.manifest_score`.
        """
        X, y = validate_data(self, X, y, **CHECKS)
        check_classification_targets(y)
        self._n_selected = _how_many(self.n_features_to_select, X.shape[1])
        check_parameters(aggregate=self.aggregate, approximation=self.approximation)
        if self.aggregate == "none":
            raise ValueError(
                'a ranking needs one score for each feature, which aggregate="none" does not make; '
                'use "max" or "sum", or call manifest_score'
            )
        parameters = self._values("scale_factor", "n_normalizations", "geometry", "multiclass")
        if self.approximation is None:
            (scores,) = class_scores(X, y, [self.percentile], **parameters)
            emit(scores.warnings)
            self.scores_ = aggregated(scores.rows, self.aggregate)
            self.score_error_ = np.zeros(X.shape[1])
            self.agreement_ = self.agreement_of_sizes_ = Agreement(1.0, 1.0)
            self.geometry_, self.n_ambiguous_ = scores.geometry, scores.n_ambiguous
            self.scales_, self.informative_ = scores.scales, scores.informative
        else:
            parameters |= self._values("block", "context", "repeats", "random_state")
            parameters |= self._values("percentile", "aggregate", "n_jobs", "progress")
            result = context_score(X, y, **parameters)
            emit(result.warnings(self._n_selected))
            self.scores_, self.score_error_ = result.scores, result.error
            self.agreement_ = result.agreement(self._n_selected)
            self.agreement_of_sizes_ = result.agreement_of_sizes(self._n_selected)
            self.geometry_, self.n_ambiguous_ = "regularized", 0
            self.scales_, self.informative_ = result.scales, bool(result.scores.max() > 0)
        self.classes_ = np.unique(y)
        self.ranking_ = np.empty(X.shape[1], dtype=np.int64)
        self.ranking_[best_first(self.scores_)] = np.arange(1, X.shape[1] + 1)
        return self

    def _values(self, *names):
        return {name: getattr(self, name) for name in names}

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.ranking_ <= self._n_selected

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _how_many(wanted, n_features):
    """Resolve n_features_to_select to a number in 1..n_features."""
    if isinstance(wanted, str) and wanted == "all":
        return n_features
    if is_integer(wanted):
        if 1 <= wanted <= n_features:
            return int(wanted)
    elif is_number(wanted) and 0 < wanted <= 1:
        return max(1, int(wanted * n_features))
    raise ValueError(
        f"n_features_to_select must be an integer in 1..{n_features} (the features of X), a "
        f'fraction in (0, 1], or "all"; got {wanted!r}'
    )
