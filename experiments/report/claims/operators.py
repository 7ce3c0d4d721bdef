"""Readers of claims about D: its eigenvectors on images, its eigenvalues, its bounds."""

from typing import Any

import numpy as np
from scipy import stats

from experiments.report.claims import outcome
from experiments.report.claims.outcome import Estimate, Missing, Quantity
from experiments.report.claims.results_folder import ResultsFolder, rows_at

#: An identity holds to rounding.
ROUNDING = 1e-6
EXACT = "none, all eigenvectors"


def prominent(
    results: ResultsFolder, classes: list[int], note: str, region: str | None = None
) -> Estimate:
    """The claim that the leading eigenvectors of D, or the score, show where two classes differ.

    Of eigenvectors, the squared entries are weighted by the magnitude of their eigenvalues, and the
    pixels are those of a region of differences.csv, or of the image, in which the average images
    differ by more than the share of the largest difference that the results state. Without a
    region, the score is to stand out in all regions of regions.csv. The share there must be larger
    than both those of the area and of the ink, the sum of all images.
    """
    axes, name, column = _pair(classes), "regions", "score"
    if region:
        axes, name, column = axes | {"region": region}, "differences", "leading"
    table = rows_at(results.table(name), **axes)
    table = table.assign(n=table.get("n_draws", results.repetitions))
    if table.empty or table["n"].min() < 2 or table.get("n_pixels", table["n"]).min() == 0:
        raise Missing(f"a matter of looking: see the figures in results/{results.folder.name}")
    first: Any = table.iloc[0]
    parts = [_prominence(row, column) for _, row in table.iterrows()]
    words = first.to_dict()
    return outcome.sentence(parts, outcome.above(1), "draws of images", note, **words)


def _prominence(row, column) -> Quantity:
    """The mean share of the draws over the larger of the shares of area and ink."""
    reference, n = max(row["area"], row["ink"]), row["n"]
    value, error = row[column] / reference, row[f"{column}_std"] / reference / np.sqrt(n)
    where = "the image" if row["region"] == "image" else f"the region {row['region']}"

    def student(level):
        half = stats.t.ppf((1 + level) / 2, n - 1) * error
        return value - half, value + half

    return Quantity(value, student, first=where)


def mean_shows(results: ResultsFolder, classes: list[int], at_least: float) -> Estimate:
    """The claim that the leading eigenvectors of M are the background and the common structure.

    The first, whose entries are positive, is to correlate with the ink negatively, and the second,
    with the sign that it has in the figure, positively; both by more than a number.
    """
    table = rows_at(results.summary, **_pair(classes))
    if table.empty or "mean_2_ink_correlation" not in table:
        raise Missing("eigenvectors of M of these classes are not among the results stored there")
    row = table.iloc[0]
    parts = [
        outcome.exactly(-row["mean_1_ink_correlation"], "minus that of the first eigenvector"),
        outcome.exactly(row["mean_2_ink_correlation"], "that of the second eigenvector"),
    ]
    note = "correlation of the ink with the leading eigenvectors of M; {first}; {rule}"
    return outcome.sentence(parts, outcome.above(at_least), "none, one draw of images", note)


def largest_eigenvalue(results: ResultsFolder) -> Estimate:
    """The claim that the largest eigenvalue of a kernel is at most its largest row sum."""
    cases = {name: part.groupby(["dataset", "part"]) for name, part in results.rows.groupby("case")}
    if not {"shared", "data"} <= {*cases}:
        raise Missing("the eigenvalues of kernels are not among the results stored there")
    # "shared" has all eigenvalues of K2, and "data" the row sums of K2 itself.
    ratios = cases["shared"]["l2"].max() / cases["data"]["row_sum"].max()
    largest = outcome.exactly(float(ratios.max()))
    note = "largest ratio of the largest eigenvalue of K2 and its largest row sum, over all kernels"
    return outcome.sentence([largest], outcome.below(1 + ROUNDING), EXACT, note)


def extreme(
    results: ResultsFolder,
    columns: list[str],
    note: str,
    rule: str,
    reference: float,
    *,
    case: str | None = None,
    expected: float | None = None,
    noise: str = EXACT,
) -> Estimate:
    """The claim that all values of columns of the summary lie below a number, or above it.

    The values are those of a case, which has all of them, or of the cases that have any. If a value
    is expected, their relative deviations from it are compared.
    """
    table = results.summary if case is None else rows_at(results.summary, case=case)
    table = table.reindex(columns=columns)
    values = (table if case else table.dropna()).to_numpy(float)
    if values.size == 0 or np.isnan(values).any():
        raise Missing(f"{columns[0]} is not among the results stored there")
    if expected is not None:
        values = np.abs(values / expected - 1)
    found = values.max() if rule == "below" else values.min()
    return outcome.sentence([outcome.exactly(found)], outcome.RULES[rule](reference), noise, note)


def _pair(classes) -> dict[str, Any]:
    """The columns of a pair of classes by the geometry of the paper's Algorithm 2."""
    return {"class_1": classes[0], "class_2": classes[1], "geometry": "spsd"}
