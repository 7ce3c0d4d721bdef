"""The tables of the answer, from the rows of a run."""

import itertools
from typing import NamedTuple

import numpy as np
import pandas as pd
from omegaconf import DictConfig
from scipy import stats

from experiments.config import ConfigError
from experiments.evaluation.accuracies import accuracy_summary, curves
from experiments.evaluation.readings import first_best
from experiments.evaluation.summary import deviation
from experiments.kinds import base, splits
from experiments.kinds.select.procedure import PROCEDURE

#: Rows of the summary for a vote for the largest class, and for the procedure by chance.
MAJORITY, SHUFFLED = "majority", "shuffled"
#: Of ranks over the subsamples: the ends of the 90 % interval.
ENDS = (0.05, 0.95)


class Final(NamedTuple):
    """The method of the answer, and its number of features.

    Attributes
    ----------
    method : str
    n_best, n_features : int
        The number of features with the best mean test accuracy, and the smallest number that is
        within one standard error of it: so many are kept.
    curve : Series
        The mean test accuracy at each number of features.
    """

    method: str
    n_best: int
    n_features: int
    curve: pd.Series


def final(rows: pd.DataFrame, n_features: int | None) -> Final:
    """The method and the number of features with the best mean test accuracy.

    The splits' test rows have not been seen by their rankings, so that the curve is honest; its
    best point is not, which is why the accuracy that is reported is that of the procedure.

    Parameters
    ----------
    rows : DataFrame
    n_features : int or None
        The number to keep, if it is fixed.
    """
    own = own_labels(rows)
    table = curves(own)
    table = table[table["method"] != PROCEDURE.name]
    tried = table if n_features is None else table[table["n_features"] == n_features]
    best = tried.iloc[first_best(tried["test_mean"])]
    curve = table[table["method"] == best["method"]].set_index("n_features")["test_mean"]
    n_splits = own.loc[own["method"] == best["method"], "split"].nunique()
    error = best["test_std"] / np.sqrt(n_splits - 1) if n_splits > 1 else 0.0
    close = tried["method"].eq(best["method"])
    close &= tried["test_mean"] >= best["test_mean"] - error - 1e-10
    smallest = tried.loc[close, "n_features"].iloc[0]
    return Final(best["method"], int(best["n_features"]), int(smallest), curve)


def own_labels(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of splits of the samples with their own labels.

    Raises
    ------
    ConfigError
        If there are none.
    """
    own = rows[rows["split"].notna() & rows["shuffle"].isna()]
    if own.empty:
        raise ConfigError("every method failed on every split; the log above says why")
    return own


def chance(rows: pd.DataFrame) -> np.ndarray:
    """The mean accuracy of the procedure on each shuffle of the labels that did not fail."""
    shuffled = rows[rows["shuffle"].notna() & rows["chosen"].eq(True)]
    return np.array([part["test"].to_numpy().mean() for _, part in shuffled.groupby("shuffle")])


def p_value(accuracy: float, chance: np.ndarray) -> float:
    """The permutation p-value, (1 + number of shuffles that do as well) / (1 + number of them)."""
    return float((1 + (chance >= accuracy - 1e-10).sum()) / (1 + len(chance)))


def is_better(accuracy: float, chance: np.ndarray) -> bool:
    """True if an accuracy is above those of shuffled labels.

    It must be above the share 0.95 of them, and above all of them if they are fewer than 20; and it
    must be two of their standard deviations above their mean, because the largest of few values is
    small by luck too often.
    """
    if not len(chance):
        return False
    spread = chance.std(ddof=1) if len(chance) > 1 else 0.0
    return bool(
        p_value(accuracy, chance) <= max(0.05, 1.0 / (len(chance) + 1))
        and accuracy > chance.mean() + 2 * spread + 1e-10
    )


def tables(rows: pd.DataFrame, config: DictConfig) -> base.Tables:
    """All tables of a run.

    Returns
    -------
    dict of str to DataFrame
        "summary" has the accuracies of the procedure, of each method, of the SVM on all features,
        of a majority vote and on shuffled labels; "curves" those at each number of features.
        "features" and "overlap": see :func:`features` and :func:`overlap`.
    """
    own, answer = own_labels(rows), final(rows, config.protocol.n_features)
    accuracies = splits.tables(accuracy_summary(), own, config)
    return {
        "summary": _summary(accuracies["summary"], rows, answer),
        "curves": accuracies["curves"],
        "features": features(rows, answer),
        "overlap": overlap(rows, answer),
        "pairs": pd.DataFrame(),
    }


def _summary(table, rows, answer) -> pd.DataFrame:
    """The summary, the procedure first, with a majority vote and the shuffled labels."""
    known = chance(rows)
    majority = rows.loc[rows["method"] == MAJORITY]
    extra = [
        {"method": MAJORITY, "label": "majority vote", "accuracy": majority["test"].iloc[0]},
        {
            "method": SHUFFLED,
            "label": f"this procedure, labels shuffled {len(known)} times",
            "n_splits": len(known),
        },
    ]
    if len(known):
        extra[1] |= {"accuracy": known.mean(), "std": deviation(known)}
        extra[1] |= {"ci_low": known.min(), "ci_high": known.max()}
    table = table.sort_values("method", key=lambda name: name != PROCEDURE.name, kind="stable")
    table = pd.concat([table, pd.DataFrame(extra)], ignore_index=True)
    table["answer"] = table["method"] == answer.method
    return table.drop(columns=["reading", "ranking_share", "combination"])


def features(rows: pd.DataFrame, answer: Final) -> pd.DataFrame:
    """A row for each feature, best first.

    Returns
    -------
    DataFrame
        "feature", "rank", "chosen", "frequency" among the chosen over the subsamples, the interval
        "rank_low" to "rank_high", "score", "consensus" (the rank of the mean rank of all methods),
        the columns of :func:`experiments.kinds.select.features.described`, "rank_METHOD".
    """
    of_data = rows.loc[rows["feature"].notna(), "feature":].reset_index(drop=True)
    whole, again = _rankings(rows)
    by_method = {name: _ranks(order) for name, order in whole["order"].items()}
    rank = by_method[answer.method]
    ranks = np.array([_ranks(order) for order in again["order"]]).reshape(-1, len(of_data))
    mean_rank = np.mean(list(by_method.values()), axis=0)
    table = pd.DataFrame(
        {
            "feature": of_data.pop("feature"),
            "rank": rank,
            "chosen": rank <= answer.n_features,
            "frequency": (ranks <= answer.n_features).mean(axis=0) if len(ranks) else np.nan,
            "rank_low": np.quantile(ranks, ENDS[0], axis=0) if len(ranks) else np.nan,
            "rank_high": np.quantile(ranks, ENDS[1], axis=0) if len(ranks) else np.nan,
            "score": whole["scores"][answer.method],
            "consensus": stats.rankdata(mean_rank, method="min").astype(int),
            **of_data,
            **{f"rank_{name}": of_method for name, of_method in by_method.items()},
        }
    )
    return table.sort_values("rank").reset_index(drop=True)


def _rankings(rows) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rankings of all samples, by method, and those of the subsamples."""
    ranked = rows[rows["order"].notna()].set_index("method")
    of_all = ranked["subsample"].isna()
    return ranked[of_all], ranked[~of_all]


def _ranks(order) -> np.ndarray:
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks


def overlap(rows: pd.DataFrame, answer: Final) -> pd.DataFrame:
    """The share of the best features of all samples that each two methods have in common."""
    whole, n = _rankings(rows)[0], answer.n_features
    best = [(row["label"], set(row["order"][:n])) for row in whole.to_dict("records")]
    return pd.DataFrame(
        [
            {"method": a, "other": b, "n_features": n, "common": len(of_a & of_b) / n}
            for (a, of_a), (b, of_b) in itertools.combinations(best, 2)
        ]
    )
