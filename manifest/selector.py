"""ManiFeSt as a scikit-learn feature selector."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from manifest.calibration import PERMUTATIONS
from manifest.composition import aggregated, class_scores
from manifest.context import BLOCK, CONTEXT, REPEATS, Agreement, context_score
from manifest.determinantal import CHOSEN
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
    scale_factor : float, default=1.0
        The kernel scale of each class is this factor times the median distance between its
        features. Positive.
    percentile : float in [0, 100], optional
        Take this percentile of those distances in place of the median.
    n_normalizations : int, default=0
        Number of times that each kernel K becomes ``A^-1/2 K A^-1/2``, with A the diagonal matrix
        of its row sums.
    geometry : {"regularized", "spd", "spsd", "auto"}, default="regularized"
        "regularized" adds a small multiple of the identity to all kernels, and is always defined.
        "spd" is Algorithm 1 of the paper, "spsd" its Algorithm 2, for two classes only. "auto" is
        "spd" if all kernels are positive definite; otherwise "spsd" for two classes and
        "regularized" for more. "relevance" and "set" take "regularized" or "spd".
    aggregate : {"max", "sum"}, default="max"
        The score of a feature is the maximum or the sum of its scores in all classes.
    multiclass : {"mean", "ovo"}, default="mean"
        "mean" compares every class with the Riemannian mean of all of them, "ovo" each class with
        each other one.
    approximation : {None, "context"}, default=None
        None is exact, in time n_features^3 and memory n_features^2. "context" scores random blocks
        of features, in time and memory linear in n_features.
    block : int, default=2000
        Largest number of features that are scored together, for "context".
    context : int, default=0
        Number of other features, at random, that each block is scored with, for "context".
    repeats : int, default=2
        Number of random divisions of the features into blocks, for "context".
    random_state : int, default=0
        Seed of the random choices of "context", and of the permutations of "relevance" and "set".
    n_jobs : int, optional
        Number of processes of "context"; -1 is one a core, None is one.
    progress : callable, optional
        Called by "context" after each block with the numbers of blocks that are done and of all.
    n_permutations : int, default=3
        Number of permutations of the labels by "relevance" and "set". They also use geometry,
        aggregate, approximation, block and random_state, and no other parameter from scale_factor
        on.

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
        The kernel scale of each class; empty for "relevance" and "set", which have several.
    n_ambiguous_ : int
        The number of directions in which the score of Algorithm 2 is not unique; 0 for a score to
        rely on.
    informative_ : bool
        False if rounding decides the order of the features (see
        `manifest.UninformativeScoreWarning`).
    score_error_ : ndarray of shape (n_features,)
        The standard error of an approximate score; zeros for the exact one.
    agreement_, agreement_of_sizes_ : tuple of two floats
        Rank correlation, and share of the selected features in common, of two independent halves
        of an approximation, and of its blocks with blocks of half the size; ones for the exact
        score. See `manifest.context.ContextScore`.
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
    approximation: str | None = None
    block: int = BLOCK
    context: int = CONTEXT
    repeats: int = REPEATS
    random_state: int = 0
    n_jobs: int | None = None
    progress: Callable[[int, int], None] | None = None
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
        ValueError, TypeError
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
        check_parameters(aggregate=self.aggregate, approximation=self.approximation)
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
        parameters = self._values("scale_factor", "n_normalizations", "geometry", "multiclass")
        if self.approximation is None:
            (scores,) = class_scores(X, y, [self.percentile], **parameters)
            pending = scores.warnings
            self.scores_ = aggregated(scores.rows, self.aggregate)
            self._is_exact(X.shape[1])
            self.geometry_, self.n_ambiguous_ = scores.geometry, scores.n_ambiguous
            self.scales_, self.informative_ = scores.scales, scores.informative
        else:
            parameters |= self._values("block", "context", "repeats", "random_state")
            parameters |= self._values("percentile", "aggregate", "n_jobs", "progress")
            result = context_score(X, y, **parameters)
            pending = result.warnings(self._n_selected)
            self.scores_, self.score_error_ = result.scores, result.error
            self.agreement_ = result.agreement(self._n_selected)
            self.agreement_of_sizes_ = result.agreement_of_sizes(self._n_selected)
            self.geometry_, self.n_ambiguous_ = "regularized", 0
            self.scales_, self.informative_ = result.scales, result.informative
        return best_first(self.scores_), pending

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
            block=X.shape[1] if self.approximation is None else self.block,
            n_selected=max(CHOSEN, self._n_selected) if of_set else None,
            **self._values("geometry", "aggregate", "n_permutations", "random_state"),
        )
        self.parts_ = relevance_of(X, y, form)
        self.scores_ = self.parts_.relevance
        self._is_exact(X.shape[1])
        self.geometry_, self.n_ambiguous_, self.scales_ = self.geometry, 0, ()
        self.informative_ = bool(self.parts_.weights.any())
        steps = self.parts_.steps
        order = np.argsort(steps, kind="stable") if of_set else best_first(self.scores_)
        return order, self.parts_.warnings

    def _is_exact(self, n_features):
        self.score_error_ = np.zeros(n_features)
        self.agreement_ = self.agreement_of_sizes_ = Agreement(1.0, 1.0)

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
