"""Readers of claims about the eigenvalues of D and about D of near kernels."""

from experiments.report.claims.results_folder import ResultsFolder
from experiments.report.claims.verdict import Estimate, Missing, Published, Quantity, sentence

#: What a claim may name as reader.
__all__ = ["at_least", "equals", "near"]

#: An identity holds to rounding.
ROUNDING = 1e-6
EXACT = "none, all eigenvectors"


def equals(results: ResultsFolder, published: Published, case: str, factor: float = 1) -> Estimate:
    """The claim that measured over predicted eigenvalues are 1 for all eigenvectors of a case.

    The prediction is that of section 4, times the factor.
    """
    table = _case(results, case)
    ends = (table["ratio_with_half_min"].min(), table["ratio_with_half_max"].max())
    largest = max(abs(end / factor - 1) for end in ends)
    note = f"largest deviation from 1 of measured over predicted eigenvalues, {case}"
    return sentence(_exactly(largest), EXACT, note, ROUNDING, below=True)


def at_least(results: ResultsFolder, published: Published, column: str) -> Estimate:
    """The claim that a bound is at least as large as what it bounds, in all cases."""
    table = results.summary
    if column not in table:
        raise Missing(f"{column} is not among the results stored there")
    note = "smallest ratio of the bound and the eigenvalue, over all cases"
    return sentence(_exactly(table[column].min()), EXACT, note, 1 - ROUNDING)


def near(results: ResultsFolder, published: Published, case: str, bound: float) -> Estimate:
    """The claim that the relative error of an approximation is below the bound in a case."""
    table = _case(results, case)
    column = "near_error"
    if column not in table or table[column].isna().any():
        raise Missing("the expansion of D for near kernels is not among the results stored there")
    note = f"largest relative error of the expansion over the data sets, {case}"
    return sentence(_exactly(table[column].max()), EXACT, note, bound, below=True)


def _case(results, case):
    table = results.summary
    found = table[table["case"] == case]
    if found.empty:
        raise Missing(f"the case {case} is not among the results stored there")
    return found


def _exactly(value):
    value = float(value)
    return Quantity(value, lambda level: (value, value))
