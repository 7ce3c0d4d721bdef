"""The findings of a run, in sentences, from the table of its summary alone."""

from collections.abc import Hashable, Sequence

import pandas as pd

from experiments.report.text import interval, number, percent

#: Reading of an accuracy -> how its numbers come about.
READINGS = {
    "paper": "As the paper reads it, at the number of features that does best on the test rows",
    "icml": "As the paper of 2023 reads it, with parameters that do best on the training rows",
    "nested": "With all choices made on the training rows",
}
#: The method that a sentence names wherever it stands, and the rows of a summary that rank nothing.
OWN, EVERYTHING = "manifest", "all_features"
NO_RANKING = (EVERYTHING, "majority", "shuffled", "procedure")


def sentences(
    summary: pd.DataFrame,
    measure: str,
    words: str,
    is_share: bool = True,
    repetition: str = "",
    by: Sequence[str] = (),
) -> dict[str, str]:
    """Say which methods are best, and how far the others are behind.

    Parameters
    ----------
    summary : DataFrame
        One row for each method in each group.
    measure : str
        The column that is told; higher is better.
    words : str
        The measure in words: "accuracy", or what a method finds, with braces in place of the
        number, such as "{} relevant features".
    is_share : bool
        True if the measure lies in [0, 1] and is told in percent.
    repetition : str
        Name of a repetition, such as "draw". The column "n_draws" is their number.
    by : sequence of str
        The columns of the groups. Of a numeric one only the largest value is told. NAME_label has
        the words for the values of NAME, if it is there.

    Returns
    -------
    dict of str to str
        By reading, or "" if there are no readings.
    """
    if measure not in summary:
        return {}
    scale, digits = (100, 1) if is_share else (1, 2)
    known = summary[summary[measure].notna()]
    if "quoted" in known:
        known = known[~known["quoted"].eq(True)]
    for name in (n for n in by if n in known and pd.api.types.is_numeric_dtype(known[n])):
        known = known[known[name].isna() | known[name].eq(known[name].max())]
        by = [other for other in by if other != name]
    ends = known.reindex(columns=["ci_low", "ci_high"]) * scale
    known = known.assign(
        label=known.get("label", known["method"]),
        rounded=(scale * known[measure]).round(digits),
        value=[percent(value) if is_share else number(value) for value in known[measure]],
        ends=[interval(low, high, digits) for low, high in ends.to_numpy()],
    )
    axes = [name for name in by if name in known]
    told: dict[str, list[str]] = {name: [] for name in READINGS}
    for _, part in known.groupby(axes, sort=False) if axes else [((), known)]:
        ranked = part[~part["method"].isin(NO_RANKING)].sort_values(measure, ascending=False)
        if not ranked.empty:
            if "{}" in words:
                n = "" if is_share else f"n_{repetition}s"
                said = _found(ranked, words, n, with_rest=not is_share)
            else:
                said = _highest(ranked, part[part["method"] == EVERYTHING], words)
            place = ", ".join(filter(None, (_place(part, name, name != axes[0]) for name in axes)))
            key = str(part["reading"].iloc[0]) if "reading" in axes else ""
            told.setdefault(key, []).append(f"{place}: {said}." if place else f"{said}.")
    return {key: " ".join(parts) for key, parts in told.items() if parts}


def _highest(ranked, everything, words):
    """One sentence on the highest value, the own method, the span of the others."""
    best, rest = ranked.iloc[0], _behind(ranked)
    said = f"the highest {words} has {_names(ranked)} with {_with_ends(best)}"
    if pd.notna(best.get("n_features")):
        said += f" at {number(best['n_features'], 0)} features"
    parts = [said]
    own, rest = rest[rest["method"] == OWN], rest[rest["method"] != OWN]
    parts += [f"{row['label']} has {_with_ends(row)}" for _, row in own.head(1).iterrows()]
    if not rest.empty:
        low, high = rest["value"].iloc[-1], rest["value"].iloc[0]
        span = high if low == high else f"{low.removesuffix(' %')} to {high}"
        parts.append(f"the {'others' if len(rest) > 1 else 'other'} {span}")
    for _, row in everything.head(1).iterrows():
        parts.append(f"the SVM on all features {_with_ends(row)}")
    return "; ".join(parts)


def _found(ranked, words, n, *, with_rest):
    """One sentence on what the best method finds, and on the next; of counts also on the rest."""
    best, rest = ranked.iloc[0], _behind(ranked)
    verb = "finds" if len(ranked) - len(rest) == 1 else "find"
    said = f"{_names(ranked)} {verb} {words.format(best['value'])} on average"
    if pd.notna(best.get(n)):
        said += f" over {number(best[n], 0)} {n.removeprefix('n_')}"
    said = f"{said} {best['ends']}".rstrip()
    if not rest.empty:
        said += f"; {rest.iloc[0]['label']} comes next with {rest.iloc[0]['value']}"
    if with_rest and len(rest) > 1:
        said += f", the rest have at most {rest.iloc[1]['value']}"
    return said


def _place(part, name: Hashable, goes_on: bool) -> str:
    """The group in words; after a comma it begins with a small letter."""
    column = f"{name}_label" if f"{name}_label" in part else name
    word = "" if pd.isna(part[column].iloc[0]) else str(part[column].iloc[0])
    word = READINGS.get(word, word) if name == "reading" else word
    return word[:1].lower() + word[1:] if goes_on else word


def _behind(ranked):
    """The rows that are told to have less than the first one."""
    return ranked[ranked["rounded"] < ranked["rounded"].iloc[0]]


def _names(ranked) -> str:
    """The names of all that share the highest value, at most three of them."""
    names = [str(name) for name in ranked["label"].head(len(ranked) - len(_behind(ranked)))]
    if len(names) > 3:
        return f"{', '.join(names[:2])} and {len(names) - 2} others"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _with_ends(row) -> str:
    return f"{row['value']} {row['ends']}".rstrip()
