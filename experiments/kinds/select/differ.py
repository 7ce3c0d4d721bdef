"""The first question: which features differ between the classes."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from experiments.datasets import Dataset
from experiments.engine import seeds
from experiments.evaluation.moderated import Prior, moderated, p_values
from experiments.evaluation.rows import prepared
from experiments.evaluation.stability import (
    complementary_pairs,
    false_selections,
    selected_shares,
    threshold_for,
)
from experiments.kinds.select.features import alone, names_of
from experiments.kinds.select.procedure import ALPHA

#: Stable features that are expected by chance are at most so many.
FALSE = 0.2


class Stability(NamedTuple):
    """The best `q` features of halves; a feature is stable from the threshold on.

    `expected` is the bound on the number of those that are selected by chance. The threshold is NaN
    if there are too few samples or features.
    """

    q: int
    threshold: float
    expected: float
    n_pairs: int


class Answer(NamedTuple):
    """The first question's table, in the order of the columns, and what it rests on."""

    table: pd.DataFrame
    prior: Prior
    stability: Stability


def differences(
    data: Dataset, groups: np.ndarray, covariates: np.ndarray, n_pairs: int, seed: int
) -> Answer:
    """The statistics of each feature, with covariates in the design.

    Returns
    -------
    Answer
        The table has "feature"; "effect", "effect_low" and "effect_high" (the mean of the second
        class less that of the first one, of more classes the highest less the lowest);
        "deviations" with its interval, "higher_in", "mean_CLASS", "p_value", "q_value", "p_rank";
        "frequency", the share of halves that select it, "is_stable", and the columns of
        :func:`experiments.kinds.select.features.alone`.
    """
    X, y = np.asarray(data.X, dtype=np.float64), np.unique(data.y, return_inverse=True)[1]
    names, classes = np.array(names_of(data), dtype=object), list(data.label_names.values())
    found = moderated(X, y, covariates)
    shares, stability = _stability(X, y, groups, covariates, n_pairs, seed)
    means = {
        f"mean_{called}": np.nanmean(X[y == c], axis=0) if np.isfinite(X[y == c]).any() else np.nan
        for c, called in enumerate(classes)
    }
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = {
            name: np.where(values == 0, 0.0, values / found.deviation)
            for name, values in (
                ("deviations", found.effect),
                ("deviations_low", found.low),
                ("deviations_high", found.high),
            )
        }
    table = pd.DataFrame(
        {
            "feature": names,
            "effect": found.effect,
            "effect_low": found.low,
            "effect_high": found.high,
            **scaled,
            "higher_in": [
                classes[c] if is_known and effect != 0 else ""
                for c, effect, is_known in zip(
                    found.higher, found.effect, np.isfinite(found.effect), strict=True
                )
            ],
            **means,
            "p_value": found.p,
            "q_value": found.q,
            "p_rank": found.p_rank,
            "differs": found.q <= ALPHA,
            "frequency": shares,
            "is_stable": shares >= stability.threshold,
            **alone(data),
        }
    )
    return Answer(table, found.prior, stability)


def _stability(X, y, groups, covariates, n_pairs, seed) -> tuple[np.ndarray, Stability]:
    """The share of halves in which p is among the q least, q = sqrt(number of features)."""
    d, q = X.shape[1], int(np.sqrt(X.shape[1]))
    threshold = threshold_for(d, q, n_pairs, FALSE)
    sizes = [len(np.unique(groups[y == label])) // 2 for label in np.unique(y)]
    n_columns = len(sizes) + covariates.shape[1]
    if threshold is None or min(sizes) < 1 or sum(sizes) <= n_columns:
        return np.full(d, np.nan), Stability(q, np.nan, np.nan, n_pairs)
    has_gaps = np.isnan(X).any()

    def best(rows: np.ndarray) -> np.ndarray:
        own = prepared(X[rows], np.arange(len(rows)), "median none")[0] if has_gaps else X[rows]
        p = p_values(own, np.unique(y[rows], return_inverse=True)[1], covariates[rows])
        return np.argsort(p, kind="stable")[:q]

    rng = seeds.generator(seed, "halves", d, len(y))
    shares = selected_shares(best, complementary_pairs(y, groups, n_pairs, rng), d)
    expected = false_selections(d, q, threshold, n_pairs)
    return shares, Stability(q, threshold, expected, n_pairs)


def facts(answer: Answer) -> dict[str, Any]:
    """The first question's part of the answer, as JSON values."""
    table = answer.table.sort_values(
        ["p_value", "frequency"], ascending=[True, False], kind="stable"
    )
    names = table.loc[table["differs"], "feature"].tolist()
    stability = answer.stability
    is_known = np.isfinite(stability.threshold)
    return {
        "evidence": bool(names),
        "features": names,
        "alpha": ALPHA,
        "n_tested": len(table),
        "least_q": float(table["q_value"].min()),
        "best": table["feature"].iloc[0],
        "by_rank_test": int((answer.table["p_rank"] <= 0.05).sum()),
        "prior_df": float(answer.prior.df) if np.isfinite(answer.prior.df) else None,
        "stable": table.loc[table["is_stable"], "feature"].tolist(),
        "n_pairs": stability.n_pairs,
        "n_selected": stability.q,
        "threshold": stability.threshold if is_known else None,
        "expected_false": stability.expected if is_known else None,
    }
