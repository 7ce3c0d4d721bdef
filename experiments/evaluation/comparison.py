"""Columns that the tables of all protocols share: repeated accuracies, and paired differences."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from experiments.evaluation.agreement import holm
from experiments.evaluation.methods import Method
from experiments.evaluation.statistics import resampled_interval, resampled_ttest


def accuracy_columns(values: np.ndarray, test_share: float) -> dict:
    """Mean accuracy over splits, with its standard deviation and its interval, clipped to [0, 1].

    Parameters
    ----------
    values : ndarray of shape (n_splits,)
    test_share : float
        n_test / n_train, as in `resampled_interval`.
    """
    low, high = np.clip(resampled_interval(values, test_share), 0, 1)
    return {"accuracy": values.mean(), "std": deviation(values), "ci_low": low, "ci_high": high}


def deviation(values: np.ndarray) -> float:
    """The standard deviation, which is NaN for fewer than two values."""
    return values.std(ddof=1) if len(values) > 1 else np.nan


def flag_columns(flags: Iterable[Mapping[str, bool]]) -> dict[str, int]:
    """How many rankings are ambiguous; where any are, how many are rounding or approximate.

    "n_uninformative" counts scores that are no more than rounding, "n_uncertain" approximate scores
    that agree too little with a second approximation.
    """
    flags = list(flags)
    counts = {"n_ambiguous": sum(bool(row["ambiguous"]) for row in flags)}
    for flag in ("uninformative", "uncertain"):
        if number := sum(bool(row[flag]) for row in flags):
            counts[f"n_{flag}"] = number
    return counts


def most_common(values: Iterable[str]) -> str:
    """The most frequent value, or the first one where several tie."""
    return Counter(values).most_common(1)[0][0]


def reference_of(methods: Sequence[Method]) -> str:
    """The method that others are compared with: ManiFeSt, or the first method without it."""
    names = [method.name for method in methods]
    return "manifest" if "manifest" in names else names[0]


def difference_columns(differences: np.ndarray, test_share: float) -> dict:
    """Mean paired difference, with the interval and the p-value of the corrected t-test.

    Parameters
    ----------
    differences : ndarray of shape (n,)
        The reference minus the other method, on the same splits or draws.
    test_share : float
        n_test / n_train, by which interval and test allow for training parts that overlap; 0 where
        the repetitions are independent.
    """
    low, high = resampled_interval(differences, test_share)
    return {
        "difference": differences.mean(),
        "ci_low": low,
        "ci_high": high,
        "p_value": resampled_ttest(differences, test_share)[1],
    }


def holm_columns(differences: Sequence[np.ndarray], test_share: float) -> list[dict]:
    """The columns of :func:`difference_columns`, and "p_holm": the p-values adjusted together.

    Equal differences, such as those of two filters that rank alike, are one test.

    Parameters
    ----------
    differences : sequence of ndarray
        For each of the other methods, as in `difference_columns`.
    test_share : float

    Returns
    -------
    list of dict
        One for each method.
    """
    rows = [difference_columns(each, test_share) for each in differences]
    tests = {each.tobytes(): row["p_value"] for each, row in zip(differences, rows, strict=True)}
    adjusted = dict(zip(tests, holm(list(tests.values())), strict=True))
    return [
        {**row, "p_holm": adjusted[each.tobytes()]}
        for each, row in zip(differences, rows, strict=True)
    ]


def pairs(headlines, methods: Sequence[Method], test_share: float) -> Iterator[dict]:
    """Differences of the reference to each other method, on the splits that both have.

    The p-values of the methods that share a reading and a ranking share are adjusted together.

    Parameters
    ----------
    headlines : mapping of (method name, share, reading) to dict of split to accuracy
    methods : sequence of Method
        The reference is :func:`reference_of` them.
    test_share : float
        n_test / n_train.

    Yields
    ------
    dict
        A row for each other method, share and reading.
    """
    reference = reference_of(methods)
    together: dict[tuple, dict] = {}
    for (other, share, reading), values in headlines.items():
        own = headlines.get((reference, share, reading))
        common = sorted(set(own) & set(values)) if own else []
        if other != reference and common:
            differences = np.array([own[split] - values[split] for split in common])
            together.setdefault((reading, share), {})[other] = differences
    for (reading, share), of_others in together.items():
        columns = holm_columns(list(of_others.values()), test_share)
        for (other, differences), found in zip(of_others.items(), columns, strict=True):
            yield {
                "reading": reading,
                "ranking_share": share,
                "method": reference,
                "other": other,
                **found,
                "n_splits": len(differences),
            }
