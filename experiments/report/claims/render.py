"""The comparison with the paper as texts: for the terminal and as Markdown."""

import pandas as pd

from experiments.report.claims.results_folder import EQUAL, facts
from experiments.report.claims.verdict import CANNOT, NOT_RUN, VERDICTS, WIDE
from experiments.report.text import aligned, cut, interval, markdown, number

#: How a verdict is come to, for all who show verdicts.
RULE = (
    "Beside each of our values is its 95 % interval. The 90 % interval of the difference to the "
    "published number, or of the ratio, decides: the verdict is *agrees* where it lies inside the "
    "margin, *differs* where it lies outside, and *too wide to say* otherwise. Both studies used "
    "the same samples, so that the intervals allow for the splits or draws of both. A sentence is "
    "decided by the rule in its note. Only results of the profile `paper` decide. On two classes "
    "ANOVA, Pearson and Fisher rank alike: one number that is stated for all three counts once."
)


def distinct(claims: pd.DataFrame) -> pd.DataFrame:
    """The claims without repeats: the same two numbers, said of another filter that ranks alike.

    Parameters
    ----------
    claims : DataFrame
        The columns claim, published and ours.
    """
    alike = rf"(?<=\.)({'|'.join(EQUAL)})(?=\.|$)"
    ids = claims["claim"].str.replace(alike, EQUAL[0], regex=True)
    return claims[~claims[["published", "ours"]].astype(str).assign(claim=ids).duplicated()]


def summary(claims: pd.DataFrame) -> pd.DataFrame:
    """The number of claims with each verdict, by data set; filters that rank alike count once.

    Parameters
    ----------
    claims : DataFrame
        As :func:`experiments.report.claims.compare` returns them, or ``claims.csv``: the columns
        claim, experiment, published, ours and verdict.

    Returns
    -------
    DataFrame of int
        One row for each data set in the order of the claims, and the last one, "all"; one column
        for each verdict.
    """
    claims = distinct(claims)
    data_set = claims["experiment"].map(lambda name: facts(name).counted_under)
    counts = pd.crosstab(data_set, claims["verdict"])
    counts = counts.reindex(index=data_set.unique(), columns=list(VERDICTS), fill_value=0)
    counts.loc["all"] = counts.sum()
    return counts.rename_axis(index="data set", columns=None)


def summary_table(claims: pd.DataFrame) -> str:
    """The counts of :func:`summary` as Markdown."""
    return markdown(summary(claims).reset_index())


def readable(claims: pd.DataFrame) -> pd.DataFrame:
    """Claim, published, ours, the two intervals, margin, verdict and note as texts."""
    shown, decides = (
        [interval(*ends) for ends in claims[[f"{name}_low", f"{name}_high"]].to_numpy()]
        for name in ("ci", "diff")
    )
    texts = claims[["claim", "published", "ours", "margin", "verdict", "note"]].copy()
    texts["published"] = texts["published"].map(str)
    texts["ours"] = texts["ours"].map(number)
    texts.insert(3, "95 % interval", shown)
    texts.insert(5, "90 %, decides", decides)
    return texts


def terminal(claims: pd.DataFrame) -> str:
    """The claims that have a verdict, and the counts of all; lines have at most 120 characters."""
    judged = readable(claims[~claims["verdict"].isin([NOT_RUN, CANNOT])])
    judged = judged.drop(columns=["note", "95 % interval", "margin"])
    judged["claim"] = judged["claim"].str.replace("table1_error_percent_std_features", "table1")
    judged["published"] = [cut(text, 22) for text in judged["published"]]
    return f"{aligned(judged)}\n{counted(claims)}"


def counted(claims: pd.DataFrame) -> str:
    """The number of claims with each verdict, as a sentence."""
    once = distinct(claims)
    counts = once["verdict"].value_counts()
    parts = [f"{counts[verdict]} {verdict}" for verdict in VERDICTS if verdict in counts]
    again = len(claims) - len(once)
    less = f", without {again} repeats" if again else ""
    return f"{len(once)} claims{less}: {', '.join(parts)}"


def undecidable(claims: pd.DataFrame) -> str:
    """Count the claims that no run can make agree, and those of the others that are too wide.

    Of these, how many would stay so with any number of our repetitions, if our values stay.

    Parameters
    ----------
    claims : DataFrame
        As :func:`experiments.report.claims.compare` returns them; ``claims.csv`` lacks two columns.
    """
    claims = distinct(claims)
    wide = claims["verdict"] == WIDE
    noisy = wide & claims["is_undecidable"]
    others = ~claims["verdict"].isin([NOT_RUN, CANNOT]) & ~noisy
    lasting = wide & others & claims["is_lasting"]
    return (
        f"Of those too wide to say, {noisy.sum()} can agree in no run: the published number's own "
        f"noise is wider than the margin. Of the other {others.sum()} that have a verdict, "
        f"{(wide & others).sum()} are too wide; {lasting.sum()} stay so however often we repeat."
    )


def by_experiment(claims: pd.DataFrame) -> str:
    """All claims as Markdown, with one table for each experiment."""
    parts = [
        "# The paper's claims beside our results\n",
        f"{RULE} Written by `scripts/compare.py`.\n",
        f"{counted(claims)}. {undecidable(claims)}\n",
        summary_table(claims),
    ]
    for experiment, group in claims.groupby("experiment", sort=False):
        rests_on = [f"{basis(group)}\n"] if basis(group) else []
        parts += [f"## {experiment}\n", *rests_on, markdown(readable(group))]
    return "\n".join(parts)


def basis(group: pd.DataFrame) -> str:
    """The profile and the repetitions that verdicts rest on; empty without results."""
    used = group.loc[group["profile"] != "", ["profile", "repetitions"]].head(1)
    return "".join(f"Profile {profile}, {n} repetitions." for profile, n in used.to_numpy())
