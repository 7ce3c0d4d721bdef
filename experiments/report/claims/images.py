"""Readers of claims about pictures: what the leading eigenvectors of D show."""

import numpy as np
from scipy import stats

from experiments.report.claims.results_folder import ResultsFolder
from experiments.report.claims.verdict import Estimate, Missing, Published, Quantity, sentence

#: What a claim may name as reader.
__all__ = ["eigenvectors_show"]

#: The geometry of the paper's Algorithm 2.
GEOMETRY = "spsd"


def eigenvectors_show(
    results: ResultsFolder, published: Published, classes: list[int], region: str
) -> Estimate:
    """The claim that the leading eigenvectors of D stand out where the average images differ.

    The pixels are those of a region in which the averages of the two classes differ by more than
    the share of the largest difference that the results state. The squared entries of the leading
    eigenvectors, weighted by the magnitude of their eigenvalues, must have a larger share there
    than both the area and the ink, which is the sum of all images, have.

    Parameters
    ----------
    results : ResultsFolder
    published : Published
    classes : list of int
        The two classes.
    region : str
        A name in differences.csv; "image" for the whole image.
    """
    first, second = classes
    table = results.table("differences")
    found = table[
        (table["class_1"] == first)
        & (table["class_2"] == second)
        & (table["geometry"] == GEOMETRY)
        & (table["region"] == region)
    ]
    if found.empty or found["n_draws"].iloc[0] < 2 or found["n_pixels"].iloc[0] == 0:
        raise Missing(f"a matter of looking: see the figures in results/{results.folder.name}")
    row = found.iloc[0]
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
