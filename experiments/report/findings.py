"""The findings of a run, in sentences, from its tables alone."""

from collections.abc import Hashable, Mapping, Sequence

import pandas as pd

from experiments.config import entry_of
from experiments.report.text import interval, percent

#: Protocol of an accuracy -> how its numbers come about.
READINGS = {
    "paper": "the number of features is chosen on the test rows, which is optimistic",
    "icml": "parameters are chosen on the training rows, and the number of features on the test "
    "rows, which is optimistic",
    "nested": "all choices are made on the training rows, which is unbiased",
}
#: The methods that a sentence begins with if one is there; the rows of a summary without ranking.
OWN = ("manifest", "manifest_regularized")
EVERYTHING = "all_features"
NO_RANKING = (EVERYTHING, "majority", "shuffled", "procedure")
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

    Methods are compared on equal numbers of repetitions. Variants of a method that is there, and
    quoted numbers, are left out.

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
    told: dict[str, list[str]] = {name: [] for name in READINGS}
    groups = list(known.groupby(axes, sort=False)) if axes else [((), known)]
    for at, part in groups:
        ranked = part[~part["method"].isin(NO_RANKING)].sort_values(
            measure, ascending=False, kind="stable"
        )
        if ranked.empty:
            continue
        first = next((name for name in OWN if name in set(ranked["method"])), "")
        first = first or ranked["method"].iloc[0]
        ranked = ranked[ranked["n"].eq(ranked.loc[ranked["method"] == first, "n"].iloc[0])]
        own = ranked[ranked["method"] == first].iloc[0]
        others = ranked[ranked["method"] != first]
        many = "s" if own["n"] != 1 else ""
        over = f" over {own['n']:.0f} {repetition}{many}" if own["n"] else ""
        if "{}" in words:
            said = _found(own, others, words, over)
        else:
            everything = part[part["method"] == EVERYTHING]
            tests = _tests(pairs, dict(zip(axes, at, strict=True)), first, set(others["method"]))
            said = _reached(own, others, everything, words, over, tests)
        place = ", ".join(filter(None, (_place(groups, part, name) for name in axes)))
        place = place[:1].upper() + place[1:]
        key = str(part["reading"].iloc[0]) if "reading" in axes else ""
        told.setdefault(key, []).append(f"{place}: {said}." if place else f"{said}.")
    return {key: " ".join(parts) for key, parts in told.items() if parts}


def _compared(summary, measure, is_share, repetition):
    """The rows that sentences compare, with the texts of their numbers."""
    scale, digits = (100, 1) if is_share else (1, 2)
    known = summary[summary[measure].notna()]
    if "quoted" in known:
        known = known[~known["quoted"].eq(True)]
    here = set(known["method"])
    known = known[[entry_of(str(name)).get("form_of") not in here for name in known["method"]]]
    ends = known.reindex(columns=["ci_low", "ci_high"]) * scale
    return known.assign(
        label=known.get("label", known["method"]),
        value=[percent(value) if is_share else f"{value:.{digits}f}" for value in known[measure]],
        ends=[interval(low, high, digits) for low, high in ends.to_numpy()],
        n=known.get(f"n_{repetition}s", 0),
    )


def _reached(own, others, everything, words, over, tests):
    """One sentence on the own method, the span of the others, and what is significant."""
    first = own["label"]
    parts = [f"{first} reaches {own['value']} {words} {own['ends']}".rstrip() + over]
    if not others.empty:
        low, high = others["value"].iloc[-1], others["value"].iloc[0]
        span = high if low == high else f"{low.removesuffix(' %')} to {high}"
        name = f"the {len(others)} others" if len(others) > 1 else others["label"].iloc[0]
        parts.append(f"{name} {span}")
    parts += [f"the SVM on all features {row['value']}" for _, row in everything.head(1).iterrows()]
    if tests is not None:
        label_of = dict(zip(others["method"], others["label"], strict=True))
        better, worse = ([label_of[name] for name in names] for names in tests)
        if better or worse:
            parts += [f"{first} is significantly better than {_list(better)}"] if better else []
            parts += [f"{first} is significantly worse than {_list(worse)}"] if worse else []
        else:
            parts.append(f"no difference to {first} is significant")
    return "; ".join(parts)


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


def _found(own, others, words, over):
    """One sentence on what the own method finds, the next one, and the rest."""
    found = words.format(own["value"])
    said = f"{own['label']} finds {found} on average{over} {own['ends']}".rstrip()
    if not others.empty:
        said += f"; {others.iloc[0]['label']} finds {others.iloc[0]['value']}"
    if len(others) > 1:
        said += f", the other filters at most {others.iloc[1]['value']}"
    return said


def _place(groups, part, name: Hashable) -> str:
    """The group in words; empty if all rows are in one group of this kind."""
    if name == "reading" or len({p[name].iloc[0] for _, p in groups}) == 1:
        return ""
    if name == "ranking_share" and "ranking_samples" in part:
        return f"ranked from {part['ranking_samples'].iloc[0]:.0f} samples"
    column = f"{name}_label" if f"{name}_label" in part else name
    return "" if pd.isna(part[column].iloc[0]) else str(part[column].iloc[0])


def _list(names: Sequence[str]) -> str:
    """Names as a list in words.

    >>> _list(["a"]), _list(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
