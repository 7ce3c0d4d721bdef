"""Readers of claims about D: its eigenvectors on images, its eigenvalues, its bounds."""

from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

from experiments.report.claims.exchange import deviation, widened
from experiments.report.claims.outcome import (
    Estimate,
    Missing,
    Quantity,
    every,
    exactly,
    sentence,
)
from experiments.report.claims.results_folder import ResultsFolder, rows_at

#: The geometry of the paper's Algorithm 2.
GEOMETRY = "spsd"
#: An identity holds to rounding.
ROUNDING = 1e-6
EXACT = "none, all eigenvectors"


def eigenvectors_show(results: ResultsFolder, classes: list[int], region: str) -> Estimate:
    """The claim that the leading eigenvectors of D stand out where the average images differ.

    The pixels are those of a region in which the averages of the two classes differ by more than
    the share of the largest difference that the results state. The squared entries of the leading
    eigenvectors, weighted by the magnitude of their eigenvalues, must have a larger share there
    than both the area and the ink, which is the sum of all images, have.

    Parameters
    ----------
    results : ResultsFolder
    classes : list of int
        The two classes.
    region : str
        A name in differences.csv; "image" for the whole image.
    """
    axes = {"class_1": classes[0], "class_2": classes[1], "geometry": GEOMETRY, "region": region}
    table = rows_at(results.table("differences"), axes)
    if table.empty or table["n_draws"].iloc[0] < 2 or table["n_pixels"].iloc[0] == 0:
        raise Missing(f"a matter of looking: see the figures in results/{results.folder.name}")
    row = table.iloc[0]
    n, reference = int(row["n_draws"]), max(row["area"], row["ink"])
    value, error = row["leading"] / reference, row["leading_std"] / reference / np.sqrt(n)

    where = "the image" if region == "image" else f"the region {region}"
    note = (
        f"share of the {row['n_vectors']:g} leading eigenvectors of D, squared and weighted by "
        f"|eigenvalue|, on the {row['n_pixels']:g} pixels of {where} at which the class averages "
        f"differ by more than {row['difference_share']:g} of the largest difference, over the "
        f"larger of their shares of the area ({row['area']:.3f}) and of the ink ({row['ink']:.3f})"
    )
    moved = _moved(results, "differences", axes, row, "leading", reference)
    return sentence(_mean(value, error, n, moved), _noise(moved), note, 1)


def score_shows(results: ResultsFolder, classes: list[int]) -> Estimate:
    """The claim that the score stands out in each region where the paper says the classes differ.

    Its share of the region must be larger than both those of the area and of the ink.
    """
    axes = {"class_1": classes[0], "class_2": classes[1], "geometry": GEOMETRY}
    table = rows_at(results.table("regions"), axes)
    n = results.repetitions
    if table.empty or n < 2:
        raise Missing("the score of these classes has no interval there")
    parts, moved = {}, None
    for row in table.to_dict("records"):
        reference = max(row["area"], row["ink"])
        value, error = row["score"] / reference, row["score_std"] / reference / np.sqrt(n)
        moved = _moved(results, "regions", axes, row, "score", reference)
        parts[f"the region {row['region']}"] = _mean(value, error, n, moved)
    note = "share of the score in {} over the larger of its shares of the area and of the ink"
    return every(parts, _noise(moved), note, 1)


def mean_shows(results: ResultsFolder, classes: list[int], at_least: float) -> Estimate:
    """The claim that the leading eigenvectors of M are the background and the common structure.

    The first, whose entries are positive, is to correlate with the ink negatively, and the second,
    with the sign that it has in the figure, positively; both by more than a number.
    """
    axes = {"class_1": classes[0], "class_2": classes[1], "geometry": GEOMETRY}
    table = rows_at(results.summary, axes)
    if table.empty or "mean_2_ink_correlation" not in table:
        raise Missing("eigenvectors of M of these classes are not among the results stored there")
    row = table.iloc[0]
    parts = {
        "minus that of the first eigenvector": exactly(-row["mean_1_ink_correlation"]),
        "that of the second eigenvector": exactly(row["mean_2_ink_correlation"]),
    }
    note = "correlation of the ink with the leading eigenvectors of M; {}"
    return every(parts, "none, one draw of images", note, at_least)


def largest_eigenvalue(results: ResultsFolder) -> Estimate:
    """The claim that the largest eigenvalue of a kernel is at most its largest row sum."""
    cases = {name: part.groupby(["dataset", "part"]) for name, part in results.rows.groupby("case")}
    if not {"shared", "data"} <= {*cases}:
        raise Missing("the eigenvalues of kernels are not among the results stored there")
    # "shared" has all eigenvalues of K2, and "data" the row sums of K2 itself.
    ratios = cases["shared"]["l2"].max() / cases["data"]["row_sum"].max()
    note = "largest ratio of the largest eigenvalue of K2 and its largest row sum, over all kernels"
    return sentence(exactly(ratios.max()), EXACT, note, 1 + ROUNDING, below=True)


def equals(results: ResultsFolder, case: str, factor: float = 1) -> Estimate:
    """The claim that measured over predicted eigenvalues are 1 for all eigenvectors of a case.

    The prediction is that of section 4, times the factor.
    """
    low, high = (_column(results, f"ratio_with_half_{end}", case) for end in ("min", "max"))
    largest = max(abs(low.min() / factor - 1), abs(high.max() / factor - 1))
    note = f"largest deviation from 1 of measured over predicted eigenvalues, {case}"
    return sentence(exactly(largest), EXACT, note, ROUNDING, below=True)


def at_least(results: ResultsFolder, column: str) -> Estimate:
    """The claim that a bound is at least as large as what it bounds, in all cases."""
    smallest = _column(results, column).min()
    note = "smallest ratio of the bound and the eigenvalue, over all cases"
    return sentence(exactly(smallest), EXACT, note, 1 - ROUNDING)


def at_full_rank(results: ResultsFolder, bound: float) -> Estimate:
    """The claim that Algorithm 2 has the operators of Algorithm 1 on kernels of full rank."""
    largest = _column(results, "geometry_error").max()
    note = "largest difference of D by the two algorithms, as a share of its norm, over all kernels"
    return sentence(exactly(largest), "none, all kernels", note, bound, below=True)


def doubly_stochastic(results: ResultsFolder, bound: float) -> Estimate:
    """The claim that repeated normalisation leads to a kernel whose rows sum to 1."""
    largest = _column(results, "row_sum_error").max()
    note = "largest distance of a row sum from 1 after the last normalisation, over all kernels"
    return sentence(exactly(largest), "none, all kernels", note, bound, below=True)


def near(results: ResultsFolder, case: str, bound: float) -> Estimate:
    """The claim that the relative error of an approximation is below the bound in a case."""
    largest = _column(results, "near_error", case).max()
    note = f"largest relative error of the expansion over the data sets, {case}"
    return sentence(exactly(largest), EXACT, note, bound, below=True)


def _column(results, name, case=None):
    """The values of a column in a case, which has all of them, or in the cases that have any."""
    summary = results.summary
    values = summary.get(name, pd.Series())
    values = values[summary["case"] == case] if case else values.dropna()
    if values.empty or values.isna().any():
        raise Missing(f"{name} is not among the results stored there")
    return values


def _noise(moved: float | None) -> str:
    """The noise of a mean over draws of images, in words."""
    return "draws of images" + ("" if moved is None else "; exchange of the classes")


def _mean(value, error, n, moved: float | None) -> Quantity:
    """A mean of n draws, with the deviation over the two orders of the classes."""
    interval = partial(_student, value, error, n)
    if moved is None:
        return Quantity(value, interval)
    floor = widened(exactly(value).interval, value, moved)
    return Quantity(value, widened(interval, value, moved), floor)


def _moved(results, name, axes, row, column, reference) -> float | None:
    """The deviation of a row's number over the orders of the classes, None if not tried."""
    if not results.exchanged:
        return None
    turned = {**axes, "class_1": axes["class_2"], "class_2": axes["class_1"]}
    turned |= {"region": row["region"]}
    found = rows_at(results.exchanged.table(name), turned)[column]
    return None if found.empty else deviation(row[column], found.iloc[0]) / reference


def _student(value, error, n, level):
    half = stats.t.ppf((1 + level) / 2, n - 1) * error
    return value - half, value + half
