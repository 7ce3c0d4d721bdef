"""Compare methods on several data sets by mean ranks and tests of their differences.

All functions are pure functions of a table of accuracies with one row for each data set and one
column for each method. They follow J. Demsar (2006), "Statistical comparisons of classifiers over
multiple data sets", Journal of Machine Learning Research 7.
"""

import numpy as np
from scipy import stats
from sklearn.utils import check_array

from experiments.evaluation.statistics import holm

#: Accuracies that differ by less are equal; the order of a sum causes such differences.
ROUNDING = 1e-10


def ranks(accuracies) -> np.ndarray:
    """Rank the methods on each data set: 1 is best, and ties have the mean of their ranks.

    Parameters
    ----------
    accuracies : array of shape (n_data_sets, n_methods)
        Higher is better.

    Returns
    -------
    ndarray of shape (n_data_sets, n_methods)
        Each row sums to ``k (k + 1) / 2``.
    """
    return stats.rankdata(-np.round(check_array(accuracies) / ROUNDING), axis=1)


def friedman(accuracies) -> float:
    """The p-value of Friedman's test of equal mean ranks, as Iman and Davenport correct it.

    With mean ranks R_j of k methods on N data sets, it is that of

        F = (N - 1) chi_squared / (N (k - 1) - chi_squared),
        chi_squared = 12 N / (k (k + 1)) (sum_j R_j^2 - k (k + 1)^2 / 4),

    with k - 1 and (k - 1) (N - 1) degrees of freedom. It is NaN for fewer than two data sets or
    methods, and 0 if all data sets rank the methods alike.
    """
    of_each = ranks(accuracies)
    n, k = of_each.shape
    if min(n, k) < 2:
        return float("nan")
    squares = (of_each.mean(axis=0) ** 2).sum()
    chi_squared = max(0.0, 12 * n / (k * (k + 1)) * (squares - k * (k + 1) ** 2 / 4))
    left = n * (k - 1) - chi_squared
    if left < 1e-9 * n * k:
        return 0.0
    return float(stats.f.sf((n - 1) * chi_squared / left, k - 1, (k - 1) * (n - 1)))


def critical_difference(n_methods: int, n_data_sets: int, level: float = 0.95) -> float:
    """Return the least difference of two mean ranks that is significant by Nemenyi's test.

    ``q sqrt(k (k + 1) / (6 N))`` for k >= 2 methods on N data sets, with q the quantile of the
    studentized range of k values and infinitely many degrees of freedom, divided by the root of 2.
    """
    q = stats.studentized_range.ppf(level, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_data_sets)))


def wilcoxon_against(accuracies, reference: int) -> tuple[np.ndarray, np.ndarray]:
    """Test one method against each other by Wilcoxon's signed-rank test, adjusted by Holm.

    Parameters
    ----------
    accuracies : array of shape (n_data_sets, n_methods)
    reference : int
        The column of that method.

    Returns
    -------
    p_values, adjusted : ndarray of shape (n_methods,)
        NaN for the reference itself. Ranks of equal accuracies are divided between both sides. If
        all are equal, or there is only one data set, the p-value is 1.
    """
    values = np.asarray(accuracies, dtype=np.float64)
    p_values = np.full(values.shape[1], np.nan)
    for column in np.delete(np.arange(len(p_values)), reference):
        difference = values[:, reference] - values[:, column]
        difference[np.abs(difference) < ROUNDING] = 0
        # Rounded, so that equal differences have equal ranks.
        difference = np.round(difference / ROUNDING)
        is_tested = difference.any() and len(difference) > 1
        test = stats.wilcoxon(difference, zero_method="zsplit") if is_tested else None
        p_values[column] = 1.0 if test is None else test.pvalue
    return p_values, holm(p_values)
