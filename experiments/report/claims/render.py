"""The comparison with the paper as texts: for the terminal and as Markdown."""

from textwrap import fill

import pandas as pd

from experiments.report.claims.outcome import LISTED, NOT_TESTED, OPEN, OUTCOMES
from experiments.report.claims.results_folder import EQUAL, facts
from experiments.report.text import aligned, cut, interval, markdown, number

#: Version -> its name; the first one's claims are what this repository reproduces.
VERSIONS = {"2022": "Version 1 (arXiv, 2022)", "2023": "ICML version (2023)"}
NEITHER = "Said by neither version"
#: How an outcome is come to, for all who show outcomes.
RULE = (
    "The 90 % interval of the difference to the published number decides. Both studies used the "
    "same samples, so it allows for the splits or draws of both. The rule for a sentence is in its "
    "note. On two classes ANOVA, Pearson and Fisher rank alike: a number that the paper states for "
    "all three counts once. Standard deviations, numbers of features and the count of a single "
    "draw are listed and not counted."
)


def counted(claims: pd.DataFrame, version: str) -> pd.DataFrame:
    """The claims of a version that have an outcome, each once.

    The same two numbers, said of another filter that ranks alike, are a repeat. The claims are
    those that :func:`experiments.report.claims.compare` returns, or ``claims.csv``, and the version
    is a key of :data:`VERSIONS`.
    """
    claims = claims[(claims["version"] == version) & (claims["outcome"] != LISTED)]
    alike = rf"(?<=\.)({'|'.join(EQUAL)})(?=\.|$)"
    ids = claims["claim"].str.replace(alike, EQUAL[0], regex=True)
    return claims[~claims[["published", "ours"]].astype(str).assign(claim=ids).duplicated()]


def summary(claims: pd.DataFrame, version: str) -> pd.DataFrame:
    """The number of a version's claims with each outcome, by data set; see :func:`counted`.

    The table has a row for each data set in the order of the claims, and the last one, "all"; a
    column for each outcome.
    """
    claims = counted(claims, version)
    data_set = claims["experiment"].map(lambda name: facts(name).counted_under)
    counts = pd.crosstab(data_set, claims["outcome"])
    counts = counts.reindex(index=data_set.unique(), columns=list(OUTCOMES), fill_value=0)
    counts.loc["all"] = counts.sum()
    return counts.rename_axis(index="data set", columns=None)


def summary_table(claims: pd.DataFrame, version: str) -> str:
    """The counts of :func:`summary` as Markdown."""
    return markdown(summary(claims, version).reset_index())


def readable(claims: pd.DataFrame) -> pd.DataFrame:
    """Claim, published, ours, the two intervals, margin, outcome and note as texts."""
    shown, decides = (
        [interval(*ends) for ends in claims[[f"{name}_low", f"{name}_high"]].to_numpy()]
        for name in ("ci", "diff")
    )
    texts = claims[["claim", "published", "ours", "margin", "outcome", "note"]].copy()
    texts["published"] = texts["published"].map(str)
    texts["ours"] = texts["ours"].map(number)
    texts.insert(3, "95 % interval", shown)
    texts.insert(5, "90 %, decides", decides)
    return texts


def terminal(claims: pd.DataFrame) -> str:
    """The claims that have an outcome, and the counts; lines have at most 120 characters."""
    evaluated = readable(claims[~claims["outcome"].isin([NOT_TESTED, LISTED])])
    evaluated = evaluated.drop(columns=["note", "95 % interval", "margin"])
    evaluated["claim"] = evaluated["claim"].str.replace(
        "table1_error_percent_std_features", "table1"
    )
    evaluated["published"] = [cut(text, 22) for text in evaluated["published"]]
    counts = (fill(in_words(claims, version), 120) for version in VERSIONS)
    return "\n".join([aligned(evaluated), *counts])


def in_words(claims: pd.DataFrame, version: str) -> str:
    """The number of a version's claims with each outcome, as a sentence."""
    counts = summary(claims, version).loc["all", list(OUTCOMES)]
    parts = [f"{n} {outcome}" for outcome, n in counts.items() if n]
    return f"{VERSIONS[version]}, {counts.sum()} claims: {'; '.join(parts)}."


def undecidable(claims: pd.DataFrame) -> str:
    """Count the open claims of version 1 that no run, or no number of ours, can decide.

    The claims are those that :func:`experiments.report.claims.compare` returns; ``claims.csv``
    lacks two of their columns.
    """
    claims = counted(claims, "2022")
    claims = claims[claims["outcome"].isin(OPEN)]
    return (
        f"{len(claims)} other claims of version 1 are inconclusive or of unclear size. "
        f"{claims['is_undecidable'].sum()} of them can never be reproduced: the noise of the "
        f"published number is wider than the margin. For {claims['is_lasting'].sum()} others, more "
        "repetitions cannot decide."
    )


def by_experiment(claims: pd.DataFrame) -> str:
    """All claims as Markdown, version by version, with one table for each experiment."""
    parts = ["# The paper's claims and our results\n"]
    for version, name in (VERSIONS | {"neither": NEITHER}).items():
        own = claims[claims["version"] == version]
        parts.append(f"## {name}\n")
        if version == "2022":
            counts = summary(claims, version).loc["all", list(OUTCOMES)]
            meanings = pd.DataFrame({"outcome": OUTCOMES.keys(), "claims": counts.to_numpy()})
            meanings["meaning"] = list(OUTCOMES.values())
            parts += [f"{counts.sum()} claims are counted:\n", markdown(meanings)]
            parts += [f"{RULE} Written by `scripts/compare.py`.\n", f"{undecidable(claims)}\n"]
        elif version in VERSIONS:
            parts.append(f"{in_words(claims, version)}\n")
        if version in VERSIONS:
            parts.append(summary_table(claims, version))
        for experiment, group in own.groupby("experiment", sort=False):
            parts += [f"### {experiment}\n", f"{basis(group)}{_links(group)}\n"]
            parts.append(markdown(readable(group)))
    return "\n".join(parts)


def basis(group: pd.DataFrame) -> str:
    """The profile and the repetitions that outcomes rest on; empty without results."""
    used = group.loc[group["profile"] != "", ["profile", "repetitions"]].head(1)
    return "".join(f"Profile {profile}, {n} repetitions." for profile, n in used.to_numpy())


def _links(group):
    """A link to the rows that the claims of an experiment were compared with."""
    if not basis(group):
        return "There are no results."
    name = group["experiment"].iloc[0]
    return f" Rows: [{name}/rows.parquet]({name}/rows.parquet)."
