"""The comparison with the paper as texts: for the terminal and as Markdown."""

import pandas as pd

from experiments.report.claims.verdict import CANNOT, NOT_RUN, VERDICTS
from experiments.report.text import aligned, cut, interval, markdown, number

#: A part of ids that is too long for a terminal, and what replaces it there.
_LONG, _SHORT = "table1_error_percent_std_features", "table1"


def readable(claims: pd.DataFrame) -> pd.DataFrame:
    """The columns claim, published, ours, interval, verdict and note as texts."""
    ends = zip(claims["ci_low"], claims["ci_high"], strict=True)
    return pd.DataFrame(
        {
            "claim": claims["claim"],
            "published": claims["published"].map(str),
            "ours": claims["ours"].map(number),
            "95 % interval": [interval(low, high) for low, high in ends],
            "verdict": claims["verdict"],
            "note": claims["note"],
        }
    )


def terminal(claims: pd.DataFrame) -> str:
    """The claims that have a verdict, and the counts of all; lines have at most 120 characters."""
    judged = readable(claims[~claims["verdict"].isin([NOT_RUN, CANNOT])]).drop(columns="note")
    judged["claim"] = judged["claim"].str.replace(_LONG, _SHORT)
    judged["published"] = [cut(text, 26) for text in judged["published"]]
    return f"{aligned(judged)}\n{counted(claims)}"


def counted(claims: pd.DataFrame) -> str:
    """The number of claims with each verdict, as a sentence."""
    counts = claims["verdict"].value_counts()
    parts = [f"{counts[verdict]} {verdict}" for verdict in VERDICTS if verdict in counts]
    return f"{len(claims)} claims: {', '.join(parts)}"


def by_experiment(claims: pd.DataFrame) -> str:
    """All claims as Markdown, with one table for each experiment."""
    parts = [
        "# The paper's claims beside our results\n",
        "A number agrees where it lies in our 95 % interval; a statement is decided by the rule in "
        "its note. Written by `scripts/compare.py`.\n",
        f"{counted(claims)}.\n",
    ]
    for experiment, group in claims.groupby("experiment", sort=False):
        parts += [f"## {experiment}\n", *basis(group, "{}.\n"), markdown(readable(group))]
    return "\n".join(parts)


def basis(group: pd.DataFrame, template: str = "{}") -> list[str]:
    """The profile and the repetitions that verdicts rest on; an empty list without results."""
    used = group[group["profile"] != ""]
    if used.empty:
        return []
    row = used.iloc[0]
    return [template.format(f"Profile {row['profile']}, {row['repetitions']} repetitions")]
