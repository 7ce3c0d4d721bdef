"""The facts of a page of an old protocol, until the switch to experiments.kinds; delete it then."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.report.findings import sentences
from experiments.report.pages.facts import PageFacts
from experiments.report.text import number


def facts_of_old(folder: Path, config: dict[str, Any]) -> PageFacts:
    """The facts of a run of experiments.protocols."""
    kind = config.get("protocol", {}).get("kind", "accuracy")
    about, summary = KINDS.get(kind), pd.read_csv(folder / "summary.csv")
    failed = summary.empty or summary.get("failed", pd.Series(False)).eq(True).all()
    found = about(folder, config, summary) if about and not failed else {}
    return PageFacts(findings=found, is_share=kind != "recovery")


def _accuracy(folder, config, summary):
    return sentences(summary, "accuracy", "accuracy", True, "split", ("reading", "ranking_share"))


def _recovery(folder, config, summary):
    return sentences(summary, "correct", "{} relevant features", False, "draw", ("case",))


def _robustness(folder, config, summary):
    words, by = "{} of the relevant features", ("case", "condition")
    return sentences(summary, "recovered", words, True, "draw", by)


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
