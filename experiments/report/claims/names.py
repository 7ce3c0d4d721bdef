"""Stored methods for the methods of the paper, and the methods that rank alike."""

from collections.abc import Collection

import pandas as pd

from experiments.report.claims.verdict import Missing

#: The row of tables that belongs to no ranking; it is the SVM on all features.
ALL_FEATURES = "all_features"
FILTERS = ("gini", "anova", "pearson", "ttest", "fisher", "ig", "laplacian", "relieff")
#: On two classes these rank alike, so that a statement on all filters counts them once.
EQUAL = ("anova", "pearson", "fisher")
#: Method of the paper -> the library's own implementation that it used, and what else there may be.
STORED = {"ig": ("ig_sklearn", "ig"), "relieff": ("relieff_skfeature", "relieff")}


def stored(method: str, present: Collection[str]) -> str:
    """The name under which the results have a method of the paper.

    Raises
    ------
    Missing
        If they do not have it.
    """
    for name in STORED.get(method, (method,)):
        if name in present:
            return name
    raise Missing(f"{method} is not among the results stored there")


def filters(present: Collection[str], *, distinct: bool = False) -> list[str]:
    """The stored names of the paper's filters, without those that rank like another if asked for.

    Raises
    ------
    Missing
        If the results have none.
    """
    found = {
        name: stored(name, present)
        for name in FILTERS
        if any(one in present for one in STORED.get(name, (name,)))
    }
    if not found:
        raise Missing("no other method is among the results stored there")
    if distinct:
        for name in [name for name in EQUAL if name in found][1:]:
            del found[name]
    return list(found.values())


def distinct(claims: pd.DataFrame) -> pd.DataFrame:
    """The claims without those that say again, of a filter that ranks alike, the same two numbers.

    Parameters
    ----------
    claims : DataFrame
        The columns claim, published and ours.
    """
    parts = claims["claim"].str.split(".")
    of_all = parts.map(lambda names: tuple(EQUAL[0] if name in EQUAL else name for name in names))
    numbers = claims[["published", "ours"]].astype(str)
    return claims[~numbers.assign(claim=of_all).duplicated()]
