"""The first question: which features differ between the classes."""

from math import comb, prod
from typing import Any

import numpy as np
import pandas as pd

from experiments import seeds
from experiments.datasets.user_table import UserTable
from experiments.evaluation.moderated import moderated, p_and_q
from experiments.evaluation.stability import (
    complementary_pairs,
    false_selections,
    selected_shares,
    threshold_for,
)
from experiments.kinds.select.features import duplicates, names_of, suspicions
from experiments.kinds.select.procedure import ALPHA, filled
from experiments.kinds.select.samples import Compared, compared

#: Stable features that are expected by chance are at most so many.
FALSE = 0.2
#: If fewer different halves are possible, a feature that one division selects is soon stable.
FEWEST_HALVES = 20


def differences(
    data: UserTable, groups: np.ndarray, covariates: np.ndarray, n_pairs: int, seed: int
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The statistics of each feature, with covariates in the design, and what they rest on.

    Samples of a group count as :func:`experiments.kinds.select.samples.compared` says.

    Returns
    -------
    table : DataFrame
        In the order of the columns: "feature"; "effect", "effect_low" and "effect_high" (the mean
        of the second class less that of the first one, of more classes the highest less the
        lowest); "deviations", of two classes with the interval "deviations_low" and
        "deviations_high"; "higher_in", "mean_CLASS" (adjusted for the covariates), "p_value",
        "q_value", "p_rank"; "frequency", the share of halves that select it, "is_stable";
        "constant", "duplicate_of" and "warning", of the feature alone.
    facts : dict
        The first question's part of the answer, as JSON values. "n_rows" counts the samples or
        means of groups that are compared; "n_mixed" groups have samples of two classes or more.
    """
    X, y = np.asarray(data.X, dtype=np.float64), np.unique(data.y, return_inverse=True)[1]
    names, classes = np.array(names_of(data), dtype=object), list(data.label_names.values())
    rows = compared(X, y, groups, covariates)
    found = moderated(rows.X, rows.y, rows.covariates)
    shares, stability = _stability(rows, n_pairs, seed)
    with np.errstate(divide="ignore", invalid="ignore"):
        deviations = np.where(found.effect == 0, 0.0, found.effect / found.deviation)
    is_known = np.isfinite(found.effect)
    table = pd.DataFrame(
        {
            "feature": names,
            "effect": found.effect,
            "effect_low": found.low,
            "effect_high": found.high,
            "deviations": deviations,
            "deviations_low": found.scaled_low,
            "deviations_high": found.scaled_high,
            "higher_in": [
                classes[c] if known and effect != 0 else ""
                for c, effect, known in zip(found.higher, found.effect, is_known, strict=True)
            ],
            **{f"mean_{called}": found.means[c] for c, called in enumerate(classes)},
            "p_value": found.p,
            "q_value": found.q,
            "p_rank": found.p_rank,
            "differs": found.q <= ALPHA,
            "frequency": shares,
            "is_stable": shares >= (stability["threshold"] or np.inf),
            "constant": np.nanmax(X, axis=0, initial=-np.inf)
            <= np.nanmin(X, axis=0, initial=np.inf),
            "duplicate_of": [names[j] if j >= 0 else "" for j in duplicates(X)],
            "warning": suspicions(X, data.y, data.file_rows),
        }
    )
    test = "Mann-Whitney" if len(classes) == 2 else "Kruskal-Wallis"
    counted = {
        "n_tested": int(found.is_tested.sum()),
        "untested": names[~found.is_tested].tolist(),
        "n_other_units": int(found.is_other.sum()),
        "n_rows": len(rows.y),
        "n_mixed": rows.n_mixed,
        "rank_test": "Quade" if rows.covariates.shape[1] else test,
    }
    return table, _facts(table, counted, found.prior.df, stability)


def _stability(rows: Compared, n_pairs: int, seed: int) -> tuple[np.ndarray, dict[str, Any]]:
    """The share of halves in which p is among the q least, q = sqrt(number of features).

    Equal p are in random order, and a feature with p = 1 is never selected. A feature is stable
    from the threshold on; it is None if there are too few samples, features or halves.
    """
    X, y, groups, covariates, _ = rows
    d, q, n_classes = X.shape[1], int(np.sqrt(X.shape[1])), int(y.max()) + 1
    threshold = threshold_for(d, q, n_pairs, FALSE)
    known = {"n_pairs": n_pairs, "n_selected": q, "threshold": None, "expected_false": None}
    nothing = np.full(d, np.nan), known
    if threshold is None or min(len(np.unique(groups[y == c])) for c in range(n_classes)) < 2:
        return nothing
    of_classes = np.bincount(y[np.unique(groups, return_index=True)[1]]).tolist()
    if prod(comb(n, n // 2) for n in of_classes) < FEWEST_HALVES:
        return nothing
    rng = seeds.generator(seed, "halves", d, len(y))
    halves = list(complementary_pairs(y, groups, n_pairs, rng))
    without_classes = np.hstack([np.ones((len(y), 1)), covariates])
    design = np.hstack([np.eye(n_classes)[y], covariates])
    for half in halves:
        rank, of_others = (np.linalg.matrix_rank(part[half]) for part in (design, without_classes))
        if len(half) <= rank or rank < of_others + n_classes - 1:
            return nothing
    has_gaps = np.isnan(X).any()

    def best(half: np.ndarray) -> np.ndarray:
        if len(np.unique(y[half])) < n_classes:
            return np.arange(0)
        own, _ = filled(X[half], np.arange(len(half)), "median" if has_gaps else None)
        p, _ = p_and_q(own, y[half], covariates[half])
        order = np.lexsort([rng.permutation(d), p])[:q]
        return order[p[order] < 1]

    shares = selected_shares(best, iter(halves), d)
    expected = false_selections(d, q, threshold, n_pairs)
    return shares, {**known, "threshold": threshold, "expected_false": expected}


def _facts(table: pd.DataFrame, counted: dict, prior_df: float, stability: dict) -> dict[str, Any]:
    """The first question's part of the answer."""
    table = table.sort_values(["p_value", "frequency"], ascending=[True, False], kind="stable")
    names = table.loc[table["differs"], "feature"].tolist()
    return {
        "evidence": bool(names),
        "features": names,
        "alpha": ALPHA,
        **counted,
        "least_q": float(table["q_value"].min()),
        "best": table["feature"].iloc[0],
        "prior_df": float(prior_df) if np.isfinite(prior_df) else None,
        "stable": table.loc[table["is_stable"], "feature"].tolist(),
        **stability,
    }
