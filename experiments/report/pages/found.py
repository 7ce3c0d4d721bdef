"""What a run has found, in sentences; one function for each kind of protocol.

Each takes the folder of a run and its config, and returns sentences by what they are about: the
ending of a figure's name, such as a reading or a pair of classes, or "" for the run as a whole.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.report.text import interval, number

#: Reading of the protocol accuracy -> how its numbers come about.
READINGS = {
    "paper": "As the paper reads it, at the number of features that does best on the test rows",
    "icml": "As the paper of 2023 reads it, with parameters that do best on the training rows",
    "nested": "With all choices made on the training rows",
}
#: Rows of a summary that are no ranking.
NO_RANKING = ("all_features", "majority", "shuffled", "procedure")


def found(folder: Path, config: dict[str, Any]) -> dict[str, str]:
    """The sentences of a run; empty where it has no results or its kind has no sentences."""
    about = KINDS.get(config.get("protocol", {}).get("kind", "accuracy"))
    summary = pd.read_csv(folder / "summary.csv")
    if about is None or summary.empty or summary.get("failed", pd.Series(False)).eq(True).all():
        return {}
    return about(folder, config, summary)


def _accuracy(folder, config, summary):
    if "accuracy" not in summary:
        return {}
    if "ranking_share" in summary:
        largest = summary["ranking_share"] == summary["ranking_share"].max()
        summary = summary[largest | summary["ranking_share"].isna()]
    told = {}
    for reading, part in summary.groupby(summary.get("reading", pd.Series("", summary.index))):
        quoted = part.get("quoted", pd.Series(False, part.index)).eq(True)
        known = part[part["accuracy"].notna() & ~quoted]
        ranked = known[~known["method"].isin(NO_RANKING)].sort_values("accuracy", ascending=False)
        if ranked.empty:
            continue
        best = ranked.iloc[0]
        text = f"{_names(ranked, 'accuracy', 1, 100)} with {_percent(best)}"
        if pd.notna(best.get("n_features")):
            text += f" at {number(best['n_features'], 0)} features"
        rest = ranked[ranked["accuracy"].round(3) < round(best["accuracy"], 3)]
        parts = [f"the highest accuracy has {text}"]
        if "manifest" in set(rest["method"]):
            own = rest[rest["method"] == "manifest"].iloc[0]
            parts.append(f"{_label(own)} has {_percent(own)}")
            rest = rest[rest["method"] != "manifest"]
        if not rest.empty:
            low, high = (
                number(100 * end, 1) for end in (rest["accuracy"].min(), rest["accuracy"].max())
            )
            span = f"{low} to {high} %" if low != high else f"{low} %"
            parts.append(f"the {'others' if len(rest) > 1 else 'other'} {span}")
        everything = known[known["method"] == "all_features"]
        if not everything.empty:
            parts.append(f"the SVM on all features {_percent(everything.iloc[0])}")
        told[str(reading)] = f"{READINGS.get(str(reading), str(reading))}: {'; '.join(parts)}."
    order = [name for name in READINGS if name in told]
    return {name: told[name] for name in [*order, *(n for n in told if n not in order)]}


def _recovery(folder, config, summary):
    told: list[str] = []
    cases = summary.get("case_label", pd.Series("", summary.index))
    for case, part in summary.groupby(cases, sort=False):
        if "correct" not in part:
            continue
        ranked = part[part["correct"].notna()].sort_values("correct", ascending=False)
        if ranked.empty:
            continue
        best = ranked.iloc[0]
        text = (
            f"{_names(ranked, 'correct', 2)} {'finds' if _is_one(ranked, 'correct') else 'find'} "
            f"{number(best['correct'])} relevant features on average over "
            f"{number(best['n_draws'], 0)} draws"
        )
        if ends := interval(best["ci_low"], best["ci_high"]):
            text += f" {ends}"
        rest = ranked[ranked["correct"] < best["correct"] - 0.005]
        if not rest.empty:
            second = rest.iloc[0]
            text += f"; {_label(second)} comes next with {number(second['correct'])}"
        if len(rest) > 1:
            text += f", the rest have at most {number(rest['correct'].iloc[1])}"
        told.append(f"{case}: {text}." if case else f"{text}.")
    return {"": " ".join(told)} if told else {}


def _robustness(folder, config, summary):
    told = []
    places = ["case_label", "condition_label"]
    for (case, condition), part in summary.groupby(places, sort=False):
        ranked = part[part["recovered"].notna()].sort_values("recovered", ascending=False)
        if ranked.empty:
            continue
        best, values = ranked.iloc[0], (100 * ranked["recovered"]).round(1)
        verb = "finds" if len(_leaders(ranked, "recovered", 1, 100)) == 1 else "find"
        text = (
            f"{_names(ranked, 'recovered', 1, 100)} {verb} {number(values.iloc[0], 1)} % of the "
            "relevant features on average"
        )
        if ends := interval(100 * best["ci_low"], 100 * best["ci_high"], 1):
            text += f" {ends}"
        rest = ranked[values < values.iloc[0]]
        if not rest.empty:
            second = rest.iloc[0]
            text += f"; {_label(second)} comes next with {number(100 * second['recovered'], 1)} %"
        told.append(f"{case}, {condition[:1].lower()}{condition[1:]}: {text}.")
    return {"": " ".join(told)} if told else {}


def _illustration(folder, config, summary):
    regions = _table(folder / "regions.csv")
    told: dict[str, str] = {}
    for row in summary.to_dict("records"):
        pair = f"{number(row['class_1'], 0)}_{number(row['class_2'], 0)}"
        text = f"{row['name_1']} against {row['name_2']}"
        if pd.notna(row.get("top_between_draws")):
            text += (
                f": of the {number(row['n_top'], 0)} pixels with the highest scores, "
                f"{number(row['top_between_draws'], 0)} are the same from draw to draw"
            )
        parts = []
        if not regions.empty:
            own = regions[
                (regions["class_1"] == row["class_1"])
                & (regions["class_2"] == row["class_2"])
                & (regions["geometry"] == row["geometry"])
            ]
            for one in own.drop_duplicates("region").to_dict("records"):
                parts.append(
                    f"{str(one['region']).replace('_', ' ')} {number(100 * one['score'], 0)} % "
                    f"of the score on {number(100 * one['area'], 0)} % of the area"
                )
        told.setdefault(pair, f"{text}{'; ' if parts else ''}{', '.join(parts)}.")
    return told


def _propositions(folder, config, summary):
    told = []
    shared = summary[summary["case"].eq("shared")] if "case" in summary else summary.iloc[:0]
    if not shared.empty and "ratio_with_half_min" in shared:
        low, high = shared["ratio_with_half_min"].min(), shared["ratio_with_half_max"].max()
        told.append(
            "Where both kernels share an eigenvector, the measured eigenvalue of D is the one that "
            f"is predicted with the factor 1/2, up to a share of {max(1 - low, high - 1, 0):.0e}."
        )
    if "slack_corrected_min" in summary:
        least = summary["slack_corrected_min"].min()
        told.append(f"The corrected bounds are at least {number(least)} times what they bound.")
    return {"": " ".join(told)} if told else {}


def _cone(folder, config, summary):
    rows = summary.set_index("matrix")
    if "M" not in rows.index:
        return {}
    to = [number(rows.loc["M"][key]) for key in ("to_K1", "to_K2")]
    said = f"The mean M has the distance {to[0]} to K1 and {to[1]} to K2: it lies in the middle of "
    return {"": said + "the geodesic, and D is the vector from M along it."}


def _select(folder, config, summary):
    path = folder / "answer.json"
    answer = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return {"": " ".join(answer["sentences"])} if answer else {}


def _arena(folder, config, summary):
    ranks = _table(folder / "ranks.csv")
    if ranks.empty:
        return {}
    nested = ranks[ranks["measure"].astype(str) == "nested"].astype({"n_train": str})
    told = []
    for n_train, part in nested.groupby("n_train", sort=False):
        first, last = part.iloc[0], part.iloc[-1]
        samples = "All numbers of samples" if n_train == "together" else f"{n_train} samples"
        text = (
            f"{samples}: {first['label']} has the best mean rank, {number(first['mean_rank'], 1)} "
            f"of {len(part)} on {first['n_data_sets']} data sets, {last['label']} the worst, "
            f"{number(last['mean_rank'], 1)}"
        )
        own = part[part["p_holm"].isna()]
        if not own.empty and own.index[0] != part.index[0]:
            place = list(part.index).index(own.index[0]) + 1
            mine = own.iloc[0]
            text += f"; {mine['label']} has {number(mine['mean_rank'], 1)}, place {place}"
        behind = int((part["mean_rank"] >= first["mean_rank"] + first["critical_difference"]).sum())
        text += (
            f"; {behind} are behind the best by the critical difference "
            f"{number(first['critical_difference'], 1)} or more (Nemenyi, 5 %)"
        )
        differ = part[part["p_holm"] < 0.05]["label"]
        named = ", ".join(differ) if len(differ) else "none"
        told.append(
            f"{text}; by Wilcoxon's test with Holm's adjustment, other than the first "
            f"method of the config: {named}."
        )
    return {"": " ".join(told)}


def _table(path: Path) -> pd.DataFrame:
    return pd.read_csv(path) if path.is_file() else pd.DataFrame()


def _label(row) -> str:
    return str(row.get("label", row["method"]))


def _percent(row) -> str:
    ends = interval(100 * row["ci_low"], 100 * row["ci_high"], 1) if "ci_low" in row else ""
    return f"{number(100 * row['accuracy'], 1)} %{' ' if ends else ''}{ends}"


def _leaders(ranked, column, digits, scale):
    values = (scale * ranked[column]).round(digits)
    return ranked[values == values.iloc[0]]


def _is_one(ranked, column):
    return len(_leaders(ranked, column, 2, 1)) == 1


def _names(ranked: pd.DataFrame, column: str, digits: int, scale: float = 1) -> str:
    """The names of all that share the highest value, at most three of them."""
    names = [_label(row) for _, row in _leaders(ranked, column, digits, scale).iterrows()]
    if len(names) > 3:
        return f"{', '.join(names[:2])} and {len(names) - 2} others"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


KINDS: dict[str, Callable] = {
    "accuracy": _accuracy,
    "few_samples": _accuracy,
    "recovery": _recovery,
    "robustness": _robustness,
    "illustration": _illustration,
    "propositions": _propositions,
    "cone": _cone,
    "select": _select,
    "arena": _arena,
}
