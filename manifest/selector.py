"""ManiFeSt as a scikit-learn feature selector."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from manifest.blocks import scores_in_blocks
from manifest.calibration import PERMUTATIONS
from manifest.composition import aggregated
from manifest.set import CHOSEN
from manifest.ranking import best_first
from manifest.relevance import Form, relevance_of
from manifest.trust import emit
from manifest.validation import CHECKS, check_parameters, is_integer, is_number

CRITERIA = ("score", "relevance", "set")
#: Parameters that the criteria without a kernel scale refuse, except at their defaults.
_OF_ONE_SCALE = ("scale_factor", "percentile", "n_normalizations", "multiclass")


@dataclass(eq=False, repr=False)
class ManiFeSt(SelectorMixin, BaseEstimator):
    """Select features by the ManiFeSt score, or by a relevance that needs no kernel scale.

    Parameters
    ----------
    n_features_to_select : int, float or "all", default=0.5
        Features to keep: a number of at least 1, a fraction in (0, 1] of all (rounded down, at
        least one), or "all" to rank without selecting.
    criterion : {"score", "relevance", "set"}, default="score"
        "score" is the paper's. "relevance" adds up associations and means at four kernel scales,
        calibrated by permuted labels (`manifest.relevance.calibrated_relevance`). "set"
        chooses features one after the other that are relevant and differ from each other. The last
        two have no scale to tune and also see differences of means. They need features on one
        scale: standardise features of different units first.
    scale_factor, percentile, n_normalizations, multiclass : optional
        Those of `manifest.manifest_score`, for "score" alone.
    geometry : {"regularized", "spd", "spsd", "auto"}, default="regularized"
        That of `manifest.manifest_score`; "relevance" and "set" take "regularized" or "spd".
    aggregate : {"max", "sum"}, default="max"
        The score of a feature is the maximum or the sum of its scores in all classes.
    block : int, optional
        Compare features with each other in random blocks of at most so many, at least 3; time and
        memory are then linear in n_features. For "relevance" and "set" the references join every
        block, and one of the blocks makes the null.
    random_state : int, default=0
        Seed of the blocks, and of the permutations of "relevance" and "set".
    n_permutations : int, default=3
        Number of permutations of the labels by "relevance" and "set".

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The score of each feature (Eq. 4 for two classes), higher is better; the relevance for
        "relevance" and "set".
    ranking_ : ndarray of shape (n_features,)
        1 for the best feature, n_features for the last; ties in the order of the columns. Scores
        that differ by less than 1e-9 of the largest tie (see `manifest.ranking.levels`). For
        "set" it is the order of choice.
    parts_ : manifest.relevance.Relevance
        The parts of the relevance; only for "relevance" and "set".
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    geometry_ : {"spd", "spsd", "regularized", "auto"}
        The algorithm that was used; "auto" if "ovo" did not use the same one for all pairs.
    scales_ : tuple of n_classes floats
        The kernel scale of each class; empty for "relevance" and "set", which have several, and in
        several blocks, of which each has its own.
    n_ambiguous_ : int
        The number of directions in which the score of Algorithm 2 is not unique; 0 for a score to
        rely on.
    informative_ : bool
        False if rounding decides the order of the features (see
        `manifest.UninformativeScoreWarning`).
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
    criterion: str = "score"
    scale_factor: float = 1.0
    percentile: float | None = None
    n_normalizations: int = 0
    geometry: str = "regularized"
    aggregate: str = "max"
    multiclass: str = "mean"
    block: int | None = None
    random_state: int = 0
    n_permutations: int = PERMUTATIONS

    def fit(self, X: Any, y: Any) -> Self:
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
        ValueError, TypeError, MemoryError
            As `manifest.manifest_score`, and if n_features_to_select is out of range, the
            aggregate is "none", or the criterion is unknown or has no use for a parameter.

        Warns
        -----
        AmbiguousScoreWarning, UninformativeScoreWarning, MeanNotConvergedWarning
            As `manifest.manifest_score`.
        """
        X, y = validate_data(self, X, y, **CHECKS)
        check_classification_targets(y)
        self._n_selected = _how_many(self.n_features_to_select, X.shape[1])
        check_parameters(aggregate=self.aggregate)
        if self.aggregate == "none":
            raise ValueError(
                'a ranking needs one score for each feature, which aggregate="none" does not make; '
                'use "max" or "sum", or call manifest_score'
            )
        if self.criterion not in CRITERIA:
            raise ValueError(
                f"criterion must be one of {', '.join(CRITERIA)}, got {self.criterion!r}"
            )
        fit = self._fit_score if self.criterion == "score" else self._fit_relevance
        self.__dict__.pop("parts_", None)  # of an earlier fit by another criterion
        order, pending = fit(X, y)
        emit(pending)
        self.classes_ = np.unique(y)
        self.ranking_ = np.empty(X.shape[1], dtype=np.int64)
        self.ranking_[order] = np.arange(1, X.shape[1] + 1)
        return self

    def _fit_score(self, X, y):
        """The features from best to worst by the paper's score, and the warnings that are due."""
        names = ("scale_factor", "n_normalizations", "geometry", "multiclass")
        parameters = self._values(*names, "block", "random_state")
        (scores,) = scores_in_blocks(X, y, [self.percentile], **parameters)
        self.scores_ = aggregated(scores.rows, self.aggregate)
        self.geometry_, self.n_ambiguous_ = scores.geometry, scores.n_ambiguous
        self.scales_, self.informative_ = scores.scales, scores.informative
        return best_first(self.scores_), scores.warnings

    def _fit_relevance(self, X, y):
        """As `_fit_score`, by calibrated relevance or in the order of choice."""
        other = [name for name in _OF_ONE_SCALE if getattr(self, name) != getattr(ManiFeSt, name)]
        if other:
            raise ValueError(
                f"criterion={self.criterion!r} pools kernel scales and has no use for "
                f"{' and '.join(other)}; leave them out, or take criterion='score'"
            )
        of_set = self.criterion == "set"
        form = Form(
            n_selected=max(CHOSEN, self._n_selected) if of_set else None,
            **self._values("geometry", "aggregate", "n_permutations", "block", "random_state"),
        )
        self.parts_ = relevance_of(X, y, form)
        self.scores_ = self.parts_.relevance
        self.geometry_, self.n_ambiguous_, self.scales_ = self.geometry, 0, ()
        self.informative_ = bool(self.parts_.weights.any())
        steps = self.parts_.steps
        order = np.argsort(steps, kind="stable") if of_set else best_first(self.scores_)
        return order, self.parts_.warnings

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
