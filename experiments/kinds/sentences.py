"""Sentences of a page about the relevant features that methods find."""

import pandas as pd

from experiments.report.text import interval, number


def most_found(table: pd.DataFrame, measure: str, words: str, digits: int, rest: bool) -> str:
    """The method that finds most, the one that comes next, and the most that the rest have.

    Parameters
    ----------
    table : DataFrame
        Rows of a summary, with "label", the measure, "ci_low" and "ci_high".
    measure : str
    words : str
        The words after the number.
    digits : int
        Decimal places.
    rest : bool
        Tell also of the methods after the second.
    """
    ranked = table[table[measure].notna()].sort_values(measure, ascending=False)
    if ranked.empty:
        return ""
    best, values = ranked.iloc[0], ranked[measure].round(digits)
    leaders = [str(label) for label in ranked["label"][values == values.iloc[0]]]
    verb = "finds" if len(leaders) == 1 else "find"
    text = f"{_joined(leaders)} {verb} {number(best[measure], digits)} {words}"
    if ends := interval(best["ci_low"], best["ci_high"], digits):
        text += f" {ends}"
    others = ranked[values < values.iloc[0]]
    unit = " %" if words.startswith("%") else ""
    if not others.empty:
        second = number(others[measure].iloc[0], digits)
        text += f"; {others['label'].iloc[0]} comes next with {second}{unit}"
    if rest and len(others) > 1:
        text += f", the rest have at most {number(others[measure].iloc[1], digits)}{unit}"
    return text


def _joined(names: list[str]) -> str:
    """Names in words, at most three of them."""
    if len(names) > 3:
        return f"{', '.join(names[:2])} and {len(names) - 2} others"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
