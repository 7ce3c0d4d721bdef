"""Compare methods on several data sets by mean ranks.

Both functions are pure functions of a table of accuracies with one row for each data set and one
column for each method. They follow J. Demsar (2006), "Statistical comparisons of classifiers over
multiple data sets", Journal of Machine Learning Research 7.
"""

import numpy as np
import numpy.typing as npt
from scipy import stats
from sklearn.utils import check_array

#: Accuracies that differ by less are equal; the order of a sum causes such differences.
ROUNDING = 1e-10


def ranks(accuracies: npt.ArrayLike) -> np.ndarray:
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
    rounded = np.round(check_array(accuracies) / ROUNDING)
    return stats.rankdata(-rounded, axis=1)


def critical_difference(n_methods: int, n_data_sets: int, level: float = 0.95) -> float:
    """Return the least difference of two mean ranks that is significant by Nemenyi's test.

    ``q sqrt(k (k + 1) / (6 N))`` for k >= 2 methods on N data sets, with q the quantile of the
    studentized range of k values and infinitely many degrees of freedom, divided by the root of 2.
    """
    quantile = stats.studentized_range.ppf(level, n_methods, np.inf) / np.sqrt(2)
    variance = n_methods * (n_methods + 1) / (6 * n_data_sets)
    return float(quantile * np.sqrt(variance))
