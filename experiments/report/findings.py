"""The findings of a run, in sentences, from its tables alone."""

import re
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from experiments.report.names import ALL_FEATURES, NO_RANKING, OWN, has_manifest
from experiments.report.text import enumeration, interval, percent

#: Protocol of an accuracy -> how its numbers come about; the unbiased one comes first.
TUNINGS = {
    "nested": "all choices are made on the training rows, which is unbiased",
    "paper": "the number of features is chosen on the test rows, which is optimistic",
    "icml": "parameters are chosen on the training rows, and the number of features on the test "
    "rows, which is optimistic",
}
#: Level of a test, after Holm's adjustment.
LEVEL = 0.05


def sentences(
    summary: pd.DataFrame,
    measure: str,
    words: str,
    is_share: bool = True,
    repetition: str = "",
    by: Sequence[str] = (),
    pairs: pd.DataFrame | None = None,
) -> dict[str, str]:
    """Say what the method of the paper reaches, what the others reach, and what is significant.

    Methods are compared on equal numbers of repetitions; a sentence counts the methods that have
    another number. Quoted numbers are left out. Without protocols, groups with a significant
    difference come first.

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
        The columns of the groups. NAME_label has the words for the values of NAME, if it is there.
    pairs : DataFrame, optional
        Differences of the method to the others, with the columns of the groups, "other",
        "difference" and "p_holm".

    Returns
    -------
    dict of str to str
        By protocol, or "" if there are no protocols.
    """
    if measure not in summary:
        return {}
    known = _compared(summary, measure, is_share, repetition)
    axes = [name for name in by if name in known]
    told: dict[str, list[tuple[Any, str]]] = {name: [] for name in TUNINGS}
    groups = list(known.groupby(axes, sort=False)) if axes else [((), known)]
    for at, part in groups:
        ranked = part[~part["method"].isin(NO_RANKING)].sort_values(
            measure, ascending=False, kind="stable"
        )
        if ranked.empty:
            continue
        wanted = [*OWN, *([] if pairs is None else pairs["method"]), ranked["method"].iloc[0]]
        first = next(name for name in wanted if name in set(ranked["method"]))
        own = ranked[ranked["method"] == first].iloc[0]
        alike = ranked[ranked["n"].eq(own["n"])]
        others = alike[alike["method"] != first]
        many = "s" if own["n"] != 1 else ""
        over = f" over {own['n']:.0f} {repetition}{many}" if own["n"] else ""
        everything = part[part["method"].eq(ALL_FEATURES) & part["n"].eq(own["n"])]
        tests = _tests(pairs, dict(zip(axes, at, strict=True)), first, set(others["method"]))
        said = _reached(own, others, everything, words, over, tests)
        if n_left := len(ranked) - len(alike):
            more = "more method has" if n_left == 1 else "more methods have"
            said += f"; {n_left} {more} another number of {repetition}s"
        place = ", ".join(filter(None, (_place(groups, part, name) for name in axes)))
        key = str(part["tuning"].iloc[0]) if "tuning" in axes else ""
        sentence = f"{place}: {said}" if place else said
        # Names such as mRMR and formulas keep their letters.
        if sentence.split()[0].rstrip(":,").islower() and not re.match(r"\w+ = ", sentence):
            sentence = sentence[:1].upper() + sentence[1:]
        told.setdefault(key, []).append((tests, f"{sentence}."))
    told.get("", []).sort(key=lambda part: not any(part[0] or ()))
    return {key: " ".join(said for _, said in parts) for key, parts in told.items() if parts}


def _compared(summary, measure, is_share, repetition):
    """The rows that sentences compare, with the texts of their numbers."""
    scale, digits = (100, 1) if is_share else (1, 2)
    known = summary[summary[measure].notna()]
    if "quoted" in known:
        known = known[~known["quoted"].eq(True)]
    ends = known.reindex(columns=["ci_low", "ci_high"]) * scale
    return known.assign(
        label=known.get("label", known["method"]),
        value=[percent(value) if is_share else f"{value:.{digits}f}" for value in known[measure]],
        ends=[interval(low, high, digits) for low, high in ends.to_numpy()],
        n=known.get(f"n_{repetition}s", 0),
    )


def _verb(own, everything, words):
    """The verb and the value of a method: it finds so many, or reaches so much."""
    value = own["value"]
    if "{}" in words:
        return f"finds {words.format(value)}"
    chooses_all = own.get("n_features") in set(everything.get("n_features", ()))
    return f"reaches {value} {words}" + " with all features" * chooses_all


def _reached(own, others, everything, words, over, tests):
    """One sentence on the own method, the span of the others, and what is significant."""
    first = own["label"]
    mean = "on average" if "{}" in words else ""
    parts = [
        " ".join(filter(None, [first, _verb(own, everything, words), mean, own["ends"]])) + over
    ]
    with_it = others["method"].map(has_manifest).astype(bool)
    groups = {"methods without ManiFeSt": others[~with_it], "others with ManiFeSt": others[with_it]}
    if not with_it.any() or with_it.all():
        groups = {"others": others}
    parts += [_span(kind, part) for kind, part in groups.items() if len(part)]
    parts += [f"the SVM on all features {row['value']}" for _, row in everything.head(1).iterrows()]
    if tests is not None:
        told = [
            f"{first} is significantly {word} than {_among(names, groups)}"
            for word, names in zip(("better", "worse"), tests, strict=True)
            if names
        ]
        parts += told or [f"no other method differs significantly from {first}"]
    return "; ".join(parts)


def _span(kind: str, part: pd.DataFrame) -> str:
    """The least and the best value of some methods, the best first, and the name of the best."""
    low, high, best = part["value"].iloc[-1], part["value"].iloc[0], part["label"].iloc[0]
    if len(part) == 1:
        return f"{best} {high}"
    whole = f"the {len(part)} {kind}"
    if low == high:
        return f"{whole} {high}"
    return f"{whole} {low.removesuffix(' %')} to {high} ({best})"


def _among(names: Collection[str], groups: Mapping[str, pd.DataFrame]) -> str:
    """The labels of some methods; a group is "all" if at most two of many are not among them."""
    told = []
    for kind, part in groups.items():
        is_named = part["method"].isin(list(names))
        named, rest = list(part.loc[is_named, "label"]), list(part.loc[~is_named, "label"])
        if len(part) > 1 and len(rest) < min(3, len(named)):
            told.append(f"all {kind} but {enumeration(rest)}" if rest else f"all {kind}")
        elif named:
            told.append(enumeration(named))
    return " and than ".join(told)


def _tests(pairs, group: Mapping[str, object], own: str, others: set[str]):
    """The methods that the own one is significantly better and worse than; None if untested."""
    if pairs is None or "p_holm" not in pairs:
        return None
    of_group = pairs[pairs["method"].eq(own) & pairs["other"].isin(list(others))]
    for name, value in group.items():
        of_group = of_group[of_group[name].eq(value)] if name in of_group else of_group
    if of_group["p_holm"].isna().all():
        return None
    of_group = of_group[of_group["p_holm"] < LEVEL]
    is_better = of_group["difference"] > 0
    return list(of_group.loc[is_better, "other"]), list(of_group.loc[~is_better, "other"])


def _place(groups, part, name: Hashable) -> str:
    """The group in words; empty if all rows are in one group of this kind."""
    if name == "tuning" or len({p[name].iloc[0] for _, p in groups}) == 1:
        return ""
    if name == "ranking_share" and "ranking_samples" in part:
        return f"ranked from {part['ranking_samples'].iloc[0]:.0f} samples"
    column = f"{name}_label" if f"{name}_label" in part else name
    return "" if pd.isna(part[column].iloc[0]) else str(part[column].iloc[0])
