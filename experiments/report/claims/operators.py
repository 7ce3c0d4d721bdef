"""Readers of claims about D: its eigenvectors on images, its eigenvalues, its bounds."""

import numpy as np
import pandas as pd
from scipy import stats

from experiments.report.claims.outcome import Estimate, Missing, Quantity, sentence
from experiments.report.claims.results_folder import ResultsFolder

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
    table = results.table("differences")
    table = table[(table[list(axes)] == pd.Series(axes)).all(axis=1)]
    if table.empty or table["n_draws"].iloc[0] < 2 or table["n_pixels"].iloc[0] == 0:
        raise Missing(f"a matter of looking: see the figures in results/{results.folder.name}")
    row = table.iloc[0]
    n, reference = int(row["n_draws"]), max(row["area"], row["ink"])
    value, error = row["leading"] / reference, row["leading_std"] / reference / np.sqrt(n)

    def interval(level):
        half = stats.t.ppf((1 + level) / 2, n - 1) * error
        return value - half, value + half

    where = "the image" if region == "image" else f"the region {region}"
    note = (
        f"share of the {row['n_vectors']:g} leading eigenvectors of D, squared and weighted by "
        f"|eigenvalue|, on the {row['n_pixels']:g} pixels of {where} where the class averages "
        f"differ by more than {row['difference_share']:g} of the largest difference, over the "
        f"larger of their shares of the area ({row['area']:.3f}) and of the ink ({row['ink']:.3f})"
    )
    return sentence(Quantity(value, interval), "draws of images", note, 1)


def equals(results: ResultsFolder, case: str, factor: float = 1) -> Estimate:
    """The claim that measured over predicted eigenvalues are 1 for all eigenvectors of a case.

    The prediction is that of section 4, times the factor.
    """
    low, high = (_column(results, f"ratio_with_half_{end}", case) for end in ("min", "max"))
    largest = max(abs(low.min() / factor - 1), abs(high.max() / factor - 1))
    note = f"largest deviation from 1 of measured over predicted eigenvalues, {case}"
    return sentence(_exactly(largest), EXACT, note, ROUNDING, below=True)


def at_least(results: ResultsFolder, column: str) -> Estimate:
    """The claim that a bound is at least as large as what it bounds, in all cases."""
    smallest = _column(results, column).min()
    note = "smallest ratio of the bound and the eigenvalue, over all cases"
    return sentence(_exactly(smallest), EXACT, note, 1 - ROUNDING)


def near(results: ResultsFolder, case: str, bound: float) -> Estimate:
    """The claim that the relative error of an approximation is below the bound in a case."""
    largest = _column(results, "near_error", case).max()
    note = f"largest relative error of the expansion over the data sets, {case}"
    return sentence(_exactly(largest), EXACT, note, bound, below=True)


def _column(results, name, case=None):
    """The values of a column in a case, which has all of them, or in the cases that have any."""
    summary = results.summary
    values = summary.get(name, pd.Series())
    values = values[summary["case"] == case] if case else values.dropna()
    if values.empty or values.isna().any():
        raise Missing(f"{name} is not among the results stored there")
    return values


def _exactly(value):
    value = float(value)
    return Quantity(value, lambda level: (value, value))
