"""All claims as Markdown: a table for each version, in the order of the paper."""

import pandas as pd

from experiments.report.claims import OUTCOMES
from experiments.report.text import markdown, texts

#: Version -> its name.
VERSIONS = {2022: "Version 1 (arXiv, 2022)", 2023: "ICML version (2023)"}
#: Heading -> the format of a claim.
SHOWN = {
    "figure": "{figure}",
    "claim": "{says} (`{claim}`)",
    "published": "{published}",
    "ours": "{ours:z.2f}",
    "95 % interval": "[{ci_low:z.2f}, {ci_high:z.2f}]",
    "margin": "{margin}",
    "90 %, decides": "[{diff_low:z.2f}, {diff_high:z.2f}]",
    "outcome": "{outcome} {direction}",
    "note": "{note}",
}
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
        parts += [f"## {name}\n", f"{counts(part)}.\n", markdown(texts(part, SHOWN))]
    return "\n".join(parts)


def counts(claims: pd.DataFrame) -> str:
    """Return the number of claims with each outcome, in words."""
    numbers = claims["outcome"].value_counts()
    return ", ".join(f"{numbers[name]} {name}" for name in OUTCOMES if name in numbers)


def counts_by_version(claims: pd.DataFrame) -> dict[str, str]:
    """Return :func:`counts` for each version, by its name."""
    return {name: counts(claims[claims["version"] == year]) for year, name in VERSIONS.items()}
