"""All claims as Markdown: a table for each version, in the order of the paper."""

import pandas as pd

from experiments.report.claims import OUTCOMES
from experiments.report.text import interval, markdown, number

#: Version -> its name.
VERSIONS = {2022: "Version 1 (arXiv, 2022)", 2023: "ICML version (2023)"}
RULE = """\
The 90 % interval decides. Of a number it is the interval of ours minus the published one, and it
covers the splits or draws of both studies; of a sentence, that of the quantity which it is about.
An interval inside the margin is *reproduced*, one outside is *different*, any other is
*inconclusive*, with an arrow if ours is lower or higher. *Not tested* are sentences without a
measure. ANOVA, Pearson and Fisher rank alike on two classes and stand in one row. Written by
`scripts/compare.py`; [claims.csv](claims.csv) has the same.
"""


def by_version(claims: pd.DataFrame) -> str:
    """Return the claims that :func:`experiments.report.claims.compare` gives, as Markdown."""
    parts = ["# The paper's numbers and sentences, and ours\n", RULE]
    for version, name in VERSIONS.items():
        part = claims[claims["version"] == version]
        parts += [f"## {name}\n", f"{counts(part)}.\n", markdown(readable(part))]
    return "\n".join(parts)


def counts(claims: pd.DataFrame) -> str:
    """Return the number of claims with each outcome, in words."""
    numbers = claims["outcome"].value_counts()
    return ", ".join(f"{numbers[name]} {name}" for name in OUTCOMES if name in numbers)


def counts_by_version(claims: pd.DataFrame) -> dict[str, str]:
    """Return :func:`counts` for each version, by its name."""
    return {name: counts(claims[claims["version"] == year]) for year, name in VERSIONS.items()}


def readable(claims: pd.DataFrame) -> pd.DataFrame:
    """Return the columns that people read, as texts."""
    ends = {
        name: [interval(*pair) for pair in claims[[f"{name}_low", f"{name}_high"]].to_numpy(float)]
        for name in ("ci", "diff")
    }
    outcome = (claims["outcome"] + " " + claims["direction"].fillna("")).str.strip()
    texts = {
        "figure": claims["figure"],
        "claim": claims["says"] + " (`" + claims["claim"] + "`)",
        "published": claims["published"].astype(str),
        "ours": claims["ours"].astype(float).map(number),
        "95 % interval": ends["ci"],
        "margin": claims["margin"],
        "90 %, decides": ends["diff"],
        "outcome": outcome,
        "note": claims["note"],
    }
    return pd.DataFrame(texts).fillna("")
