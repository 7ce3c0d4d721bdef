"""Readers of claims about many data sets, of which each is one value."""

from functools import partial

import pandas as pd

from experiments.evaluation.statistics import resampled_interval
from experiments.report.claims.outcome import Estimate, Missing, Quantity, every
from experiments.report.claims.results_folder import ResultsFolder


def superior(results: ResultsFolder, method: str, others: list[str], n_train: int) -> Estimate:
    """The claim that a method is more accurate than others from few samples, over the data sets.

    Student's interval of the mean difference takes each data set as one value. Of the others those
    count that the results have.
    """
    table = results.table("problems")
    table = table[table["n_train"].astype(str) == str(n_train)]
    means = table.pivot(index="data_set", columns="method", values="accuracy")
    if method not in means or not means.columns.intersection(others).size:
        raise Missing(f"{method} from {n_train} samples is not among the results stored there")
    parts = {
        name: _mean_of_data_sets(100 * (means[method] - means[name]).dropna())
        for name in others
        if name in means
    }
    note = (
        f"{method} minus {{}} in points, from {n_train} samples, mean over {len(means)} data sets"
    )
    return every(parts, "data sets, Student", note, is_race=True)


def _mean_of_data_sets(values: pd.Series) -> Quantity:
    if len(values) < 2:
        raise Missing("one data set gives no interval")
    student = partial(resampled_interval, values, 0.0)
    return Quantity(float(values.mean()), student, student)
