"""Readers of claims about D: its eigenvectors on images, its eigenvalues, its bounds."""

import numpy as np
import pandas as pd
from scipy import stats

from experiments.report.claims.exchange import deviation, widened
from experiments.report.claims.outcome import Estimate, Missing, Quantity, every, exactly, sentence
from experiments.report.claims.results_folder import ResultsFolder, rows_at

#: The geometry of the paper's Algorithm 2.
GEOMETRY = "spsd"
#: An identity holds to rounding.
ROUNDING = 1e-6
EXACT = "none, all eigenvectors"
#: Column of the summary -> its largest value in words.
ERRORS = {
    "near_error": "largest relative error of the expansion over the data sets",
    "geometry_error": "largest difference of D by the two algorithms, as a share of its norm",
    "row_sum_error": "largest distance of a row sum from 1 after the last normalisation",
}


def eigenvectors_show(results: ResultsFolder, classes: list[int], region: str) -> Estimate:
    """The claim that the leading eigenvectors of D stand out where the average images differ.

    The pixels are those of a region of differences.csv, or of the image, in which the averages of
    the two classes differ by more than the share of the largest difference that the results state.
    The squared entries of the leading eigenvectors, weighted by the magnitude of their eigenvalues,
    must have a larger share there than both the area and the ink, the sum of all images, have.
    """
    axes = {"class_1": classes[0], "class_2": classes[1], "geometry": GEOMETRY, "region": region}
    table = rows_at(results.table("differences"), axes)
    if table.empty or table["n_draws"].iloc[0] < 2 or table["n_pixels"].iloc[0] == 0:
        raise Missing(f"a matter of looking: see the figures in results/{results.folder.name}")
    row = table.iloc[0]
    where = "the image" if region == "image" else f"the region {region}"
    note = (
        f"share of the {row['n_vectors']:g} leading eigenvectors of D, squared and weighted by "
        f"|eigenvalue|, on the {row['n_pixels']:g} pixels of {where} at which the class averages "
        f"differ by more than {row['difference_share']:g} of the largest difference, over the "
        f"larger of their shares of the area ({row['area']:.3f}) and of the ink ({row['ink']:.3f})"
    )
    return sentence(*_prominence(results, "differences", row, "leading", row["n_draws"]), note, 1)


def score_shows(results: ResultsFolder, classes: list[int]) -> Estimate:
    """The claim that the score stands out in each region where the paper says the classes differ.

    Its share of the region must be larger than both those of the area and of the ink.
    """
    axes = {"class_1": classes[0], "class_2": classes[1], "geometry": GEOMETRY}
    table = rows_at(results.table("regions"), axes)
    n = results.repetitions
    if table.empty or n < 2:
        raise Missing("the score of these classes has no interval there")
    parts, noise = {}, ""
    for _, row in table.iterrows():
        quantity, noise = _prominence(results, "regions", row, "score", n)
        parts[f"the region {row['region']}"] = quantity
    note = "share of the score in {} over the larger of its shares of the area and of the ink"
    return every(parts, noise, note, 1)


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


def small(results: ResultsFolder, error: str, bound: float, case: str | None = None) -> Estimate:
    """The claim that all errors of a kind, in one case or in all kernels, are below a bound."""
    largest, among = _column(results, error, case).max(), case or "over all kernels"
    noise = EXACT if case else "none, all kernels"
    return sentence(exactly(largest), noise, f"{ERRORS[error]}, {among}", bound, below=True)


def _column(results, name, case=None):
    """The values of a column in a case, which has all of them, or in the cases that have any."""
    summary = results.summary
    values = summary.get(name, pd.Series())
    values = values[summary["case"] == case] if case else values.dropna()
    if values.empty or values.isna().any():
        raise Missing(f"{name} is not among the results stored there")
    return values


def _prominence(results, name, row, column, n) -> tuple[Quantity, str]:
    """The mean share of n draws over the larger of the shares of area and ink, and its noise.

    The exchange of the classes is a part of the noise if the pair was exchanged.
    """
    reference = max(row["area"], row["ink"])
    value, error = row[column] / reference, row[f"{column}_std"] / reference / np.sqrt(n)

    def student(level):
        half = stats.t.ppf((1 + level) / 2, n - 1) * error
        return value - half, value + half

    turned = {"class_1": row["class_2"], "class_2": row["class_1"], "geometry": GEOMETRY}
    turned |= {"region": row["region"]}
    found = rows_at(results.exchanged.table(name), turned) if results.exchanged else pd.DataFrame()
    if found.empty:
        return Quantity(value, student), "draws of images"
    moved = deviation(row[column], found[column].iloc[0]) / reference
    floor = widened(exactly(value).interval, value, moved)
    interval = widened(student, value, moved)
    return Quantity(value, interval, floor), "draws of images; exchange of the classes"
