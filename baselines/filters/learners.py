"""Two classifiers of scikit-learn as filters: importances of a forest, coefficients with L1."""

from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from ..contract import check_integer, constants_last, number, one_against_rest, shifted, validated
from ._contents import in_order_of_contents


def forest(X: Any, y: Any, *, n_trees: int = 500, seed: int = 0) -> np.ndarray:
    """Compute the mean decrease of the Gini impurity in a random forest (Breiman 2001).

    Samples and features are ordered by their values, and values are replaced by their ranks, as in
    `baselines.boruta`. The forest is that of scikit-learn. The scores of varying features sum to 1.

    Parameters
    ----------
    n_trees : int
        Number of trees, at least 1.
    seed : int
        Seed of the forest, at least 0.
    """
    X, codes = validated(X, y)
    model = RandomForestClassifier(check_integer("n_trees", n_trees, 1))
    model.random_state = check_integer("seed", seed, 0)

    def importances(ranks: np.ndarray, codes: np.ndarray) -> np.ndarray:
        return model.fit(ranks, codes).feature_importances_

    return constants_last(X, lambda varying: in_order_of_contents(varying, codes, importances))


def l1_logistic(X: Any, y: Any, *, C: float = 1.0) -> np.ndarray:
    """Return absolute coefficients of logistic regression with an L1 penalty (Tibshirani 1996).

    The features are standardised. With several classes, each is fitted against all others, and the
    score is the largest coefficient. Most scores are 0.

    Parameters
    ----------
    C : float
        The weight of the samples relative to the penalty, from 1e-6 to 1e6.
    """
    X, codes = validated(X, y)
    C = number("C", C, 1e-6, 1e6)

    model = LogisticRegression(
        C=C, l1_ratio=1, solver="liblinear", tol=1e-8, max_iter=10_000, random_state=0
    )

    def coefficients(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
        fits = [model.fit(X, in_class).coef_[0] for in_class in one_against_rest(codes)]
        return np.abs(fits).max(axis=0)

    def scores(varying: np.ndarray) -> np.ndarray:
        values = shifted(varying)
        values = (values - values.mean(axis=0)) / values.std(axis=0)
        return in_order_of_contents(varying, codes, coefficients, values, alike=values)

    return constants_last(X, scores)
