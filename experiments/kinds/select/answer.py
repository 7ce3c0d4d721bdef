"""The answer as JSON values and in sentences: what differs, what can be predicted, which sets."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments.datasets.user_table import UserTable
from experiments.datasets.values import TOLD
from experiments.datasets.wording import some
from experiments.kinds.base import Tables
from experiments.kinds.select import tables as of_rows
from experiments.kinds.select.features import ADVICE
from experiments.kinds.select.judgement import lower_of, permutation_p, tested
from experiments.kinds.select.procedure import ALPHA
from experiments.kinds.select.samples import FOR_PREDICTION, Folds, arrangements
from experiments.report.pages import told
from experiments.report.text import percent, share_interval


def described(config: DictConfig, data: UserTable, notes: Sequence[str]) -> dict[str, Any]:
    """The facts on the table."""
    labels, counts = np.unique(data.y, return_counts=True)
    dataset = config.dataset
    return {
        "target": dataset.target or "class",
        "table": Path(dataset.path).name if dataset.path else data.name,
        "fingerprint": data.fingerprint,
        "n_samples": len(data.y),
        "n_all": data.X.shape[1],
        "classes": {data.label_names[int(c)]: int(n) for c, n in zip(labels, counts, strict=True)},
        "scaling": dataset.scaling,
        "missing": dataset.missing if np.isnan(data.X).any() else None,
        "n_gaps": int(np.isnan(data.X).sum()),
        "n_gappy": int(np.isnan(data.X).any(axis=0).sum()),
        "n_unlabelled": data.n_unlabelled,
        "cut": dataset.get("cut"),
        "near": config.protocol.near,
        "below_limit": dataset.get("below_limit") if _tells("limit", notes) else None,
        "categories": _tells("categories", notes),
        "ordered": list(dataset.get("order") or []),
        "transform": dataset.get("transform"),
        "groups": dataset.get("groups"),
        "adjust": list(dataset.get("adjust") or []),
        "profile": config.profile.name,
        "notes": list(notes),
    }


def _tells(kind: str, notes: Sequence[str]) -> bool:
    """True if a column was read in this way."""
    return any(TOLD[kind] in note for note in notes)


def predicted(units: of_rows.Units, made: Tables, folds: Folds) -> dict[str, Any]:
    """The second question's part of the answer.

    The p-value compares one loop of folds with one loop on each shuffle, or as many loops as the
    shuffles have; equal balanced accuracies are told apart by the area under the curve. If the mean
    over all own loops is lower than the first one, it takes its place, so that a lucky first loop
    is no evidence; p is then larger, and as valid.
    """
    if units.own.empty:
        reason = f"{folds.smallest}; a prediction needs {FOR_PREDICTION}"
        absent = dict.fromkeys(("p_value", "balanced_accuracy", "roc_auc", "accuracy"))
        return {"evidence": None, "reason": reason, **absent}
    row = made["summary"].set_index("method").loc[of_rows.PROCEDURE].to_dict()
    by_shuffle = [part for _, part in units.shuffled.groupby("shuffle")]
    whole = max((len(part) for part in by_shuffle), default=units.n_folds)
    by_shuffle = [part for part in by_shuffle if len(part) == whole]
    loops = units.loops(whole)
    own_labels = _labels(loops[0])
    own, tested_accuracy, is_first = lower_of(
        [units.judged(part, 0) for part in loops], units.n_classes
    )
    by_chance = [tested(units.judged(part, 0), units.n_classes) for part in by_shuffle]
    p = permutation_p(own, [statistic for statistic, _ in by_chance]) if by_chance else None
    shorts = {"balanced_accuracy": "ci", "accuracy": "accuracy", "roc_auc": "auc"}
    ends = {
        name: [_plain(row[f"{short}_{end}"]) for end in ("low", "high")]
        for name, short in shorts.items()
    }
    return {
        "evidence": p is not None and p <= ALPHA,
        "p_value": p,
        "tested": tested_accuracy,
        "is_first": is_first,
        "least_p": 1 / (1 + len(by_chance)),
        "n_shuffles": len(by_chance),
        "n_unchanged": sum(np.array_equal(_labels(part), own_labels) for part in by_shuffle),
        "shuffled": sorted(accuracy for _, accuracy in by_chance),
        **{name: _plain(row[name]) for name in ends},
        "intervals": ends,
        "spread": _plain(row["spread"]),
        "majority": float(made["summary"]["accuracy"].iloc[-1]),
        "guess": 1 / units.n_classes,
        "n_folds": units.n_folds,
        "n_loops": len(units.loops()),
        "n_shuffle_loops": whole // units.n_folds,
        "confusion": made["confusion"].to_dict("records"),
    }


def _labels(rows: pd.DataFrame) -> np.ndarray:
    """The class of each sample in the rows of splits, in the order of the samples."""
    test, truth = (np.concatenate(rows[name].tolist()) for name in ("test", "truth"))
    return truth[np.argsort(test)]


def _plain(value) -> float | None:
    return None if value is None or pd.isna(value) else float(value)


def ranking(units: of_rows.Units) -> dict[str, Any]:
    """The facts on which method ranks, and why."""
    whole = units.whole
    assert whole is not None
    candidates, sizes = list(whole["labels"]), [int(size) for size in whole["sizes"]]
    at, size = map(int, whole["smallest"])
    validation = np.asarray(whole["validation"]).reshape(-1, len(sizes)).copy()
    validation[-2] = np.nan  # All that differ is a set of its own.
    is_all = at >= len(candidates)
    taken = Counter(
        candidates[int(row[0])] if int(row[0]) < len(candidates) else "all features"
        for row in units.own["smallest"]
    )
    best = max(
        (float(np.nanmax(row)) for row in validation if np.isfinite(row).any()), default=None
    )
    return {
        "name": whole["names"][0 if is_all else at],
        "is_all": is_all,
        "label": candidates[0 if is_all else at],
        "n_features": int(whole["n_all"]) if is_all else sizes[size],
        "validation": _plain(validation[at, 0 if is_all else size]),
        "best_validation": best,
        "taken": dict(taken),
        "candidates": candidates,
    }


def sentences(answer: Mapping[str, Any]) -> list[str]:
    """The answer: which of the four combinations it is, then each question, then the sets."""
    predict, more = answer["predict"], {}
    if predict["p_value"] is not None:
        more["n_reached"] = round(predict["p_value"] * (1 + predict["n_shuffles"])) - 1
        more["is_tied"] = any(abs(x - predict["tested"]) < 1e-9 for x in predict["shuffled"])
    accuracy_of = {
        name: row and f"{percent(row['balanced_accuracy'])} {share_interval(*row['interval'])}"
        for name, row in answer["set_accuracy"].items()
    }
    return told("answer.txt", {**answer, **more, "accuracy_of": accuracy_of})


def about_differences(answer: Mapping[str, Any]) -> list[str]:
    """The sentences on the first question."""
    return told("differences.txt", answer)


def warnings_of(features: pd.DataFrame, counts: Sequence[int]) -> list[str]:
    """A sentence for each kind of suspicious feature, with names."""
    told = []
    for mark, advice in ADVICE.items():
        names = features.loc[features["warning"].str.contains(mark), "feature"].tolist()
        if names:
            words = f"{mark}; {advice}"
            if len(names) > 1:
                words = words.replace("s ", " ", 1).replace("it is", "they are")
            by_chance = _by_chance(len(features), counts) if mark.startswith("separates") else ""
            told.append(f"{some(names)}: {words}{by_chance}")
    return told


def _by_chance(n_features: int, counts: Sequence[int]) -> str:
    """The expected number of features that separate the classes by chance, if it is not small."""
    expected = n_features * factorial(len(counts)) / arrangements(counts)
    return f" (with so few samples about {expected:.0f} would by chance)" if expected >= 0.5 else ""
