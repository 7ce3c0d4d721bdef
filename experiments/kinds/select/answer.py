"""The answer as JSON values and in sentences: what differs, what can be predicted, which sets."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import factorial, prod
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments.datasets import Dataset
from experiments.datasets.columns import some
from experiments.kinds.base import Tables
from experiments.kinds.select import tables as of_rows
from experiments.kinds.select.features import ADVICE
from experiments.kinds.select.judgement import permutation_p, tested
from experiments.kinds.select.procedure import ALPHA
from experiments.kinds.select.samples import FOR_PREDICTION, Folds
from experiments.report.text import number, percent, probability, share_interval


def described(config: DictConfig, data: Dataset, notes: Sequence[str]) -> dict[str, Any]:
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
        "transform": dataset.get("transform"),
        "groups": dataset.get("groups"),
        "adjust": list(dataset.get("adjust") or []),
        "profile": config.profile.name,
        "notes": list(notes),
    }


def predicted(units: of_rows.Units, made: Tables, folds: Folds) -> dict[str, Any]:
    """The second question's part of the answer.

    The p-value compares one loop of folds with one loop on each shuffle, or as many loops as the
    shuffles have; equal balanced accuracies are told apart by the area under the curve.
    """
    if units.own.empty:
        reason = (
            f"the smallest class has {folds.least} samples that do not belong together; a "
            f"prediction needs {FOR_PREDICTION}"
        )
        absent = dict.fromkeys(("p_value", "balanced_accuracy", "roc_auc", "accuracy"))
        return {"evidence": None, "reason": reason, **absent}
    row = made["summary"].set_index("method").loc[of_rows.PROCEDURE].to_dict()

    by_shuffle = [part for _, part in units.shuffled.groupby("shuffle")]
    whole = max((len(part) for part in by_shuffle), default=units.n_folds)
    same = units.own[units.own["split"] < whole]
    (own, tested_accuracy), *by_chance = (
        tested(units.judged(part, 0), units.n_classes)
        for part in (same, *(part for part in by_shuffle if len(part) == whole))
    )
    p = permutation_p(own, [statistic for statistic, _ in by_chance]) if by_chance else None
    ends = {
        name: [_plain(row[f"{short}low"]), _plain(row[f"{short}high"])]
        for name, short in (("balanced_accuracy", "ci_"), ("accuracy", "accuracy_"),
                            ("roc_auc", "auc_"))
    }  # fmt: skip
    return {
        "evidence": p is not None and p <= ALPHA,
        "p_value": p,
        "tested": tested_accuracy,
        "least_p": 1 / (1 + len(by_chance)),
        "n_shuffles": len(by_chance),
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
    differ, predict, target = answer["differ"], answer["predict"], answer["target"]
    return [
        _combination(differ["evidence"], predict["evidence"], target),
        *about_differences(answer),
        *_about_prediction(predict, target),
        *_about_sets(answer),
    ]


def _combination(differs, predicts, target) -> str:
    if predicts is None:
        return (
            f"Features differ between the classes of '{target}'."
            if differs
            else f"No evidence that a feature differs between the classes of '{target}'."
        ) + " There are too few samples to say if the class can be predicted."
    return {
        (True, True): f"Features differ between the classes of '{target}', and the class can be "
        "predicted.",
        (True, False): f"Features differ between the classes of '{target}'. It is not shown that "
        "the class of a new sample can be predicted.",
        (False, True): f"The class of '{target}' can be predicted, although no feature is "
        "shown to differ in its mean: features may act together, each may have a small part, or a "
        "feature may differ in another way, such as its spread.",
        (False, False): f"No evidence in these samples that a feature differs between the classes "
        f"of '{target}', nor that the class can be predicted. There may still be a difference.",
    }[bool(differs), bool(predicts)]


def about_differences(answer: Mapping[str, Any]) -> list[str]:
    """The sentences on the first question."""
    differ = answer["differ"]
    names, n = differ["features"], differ["n_tested"]
    verb = "differs" if len(names) == 1 else "differ"
    if names:
        told = [
            f"{len(names)} of {n} features {verb} at a false discovery rate of 5 %: {some(names)}."
        ]
    else:
        told = [
            f"None of {n} features differs at a false discovery rate of 5 %; the least q is "
            f"{probability(differ['least_q'])}, of {differ['best']}."
        ]
    if (n_left := answer["n_all"] - n) > 0:
        told.append(
            f"{n_left} {'feature has' if n_left == 1 else 'features have'} one value, none in a "
            f"class, {'values that covariates explain, ' if answer['adjust'] else ''}and cannot be "
            "tested."
        )
    if differ["threshold"] is not None:
        stable = differ["stable"]
        told.append(
            f"{len(stable) or 'None'} {'is' if len(stable) < 2 else 'are'} stable"
            f"{': ' + some(stable) if stable else ''} (among the best {differ['n_selected']} in at "
            f"least {percent(differ['threshold'])} of {2 * differ['n_pairs']} halves of the "
            f"samples; at most {number(differ['expected_false'], 2)} expected by chance)."
        )
    return told


def _about_prediction(predict, target) -> list[str]:
    if predict["evidence"] is None:
        return [f"Prediction is not judged: {predict['reason']}."]
    ends = {name: share_interval(low, high) for name, (low, high) in predict["intervals"].items()}
    told = [
        f"On samples that were not used to choose anything, the whole procedure predicts "
        f"'{target}' with a balanced accuracy of {percent(predict['balanced_accuracy'])} "
        f"{ends['balanced_accuracy']} (guessing: {percent(predict['guess'])}), an area under the "
        f"ROC curve of {number(predict['roc_auc'], 2)} and an accuracy of "
        f"{percent(predict['accuracy'])} {ends['accuracy']} (always the largest class: "
        f"{percent(predict['majority'])})."
    ]
    if predict["p_value"] is not None:
        told.append(_about_shuffles(predict))
    return told


def _about_shuffles(predict: Mapping[str, Any]) -> str:
    """The sentence on the permutation test, with the accuracy that it compares."""
    n, n_loops = predict["n_shuffles"], predict["n_shuffle_loops"]
    n_reached = round(predict["p_value"] * (1 + n)) - 1
    one = "its first loop of folds" if n_loops == 1 else f"its first {n_loops} loops of folds"
    which = (
        "" if n_loops == predict["n_loops"] else f" as the {percent(predict['tested'])} of {one}"
    )
    tied = sum(abs(value - predict["tested"]) < 1e-9 for value in predict["shuffled"])
    area = " (of equal accuracies, the larger area under the curve counts)" if tied else ""
    return (
        f"p = {probability(predict['p_value'])}: of {n} runs on shuffled labels "
        f"{n_reached or 'none'} {'does' if n_reached < 2 else 'do'} as well{which}{area}. With {n} "
        f"shuffles p is at least {probability(predict['least_p'])}."
    )


def _about_sets(answer) -> list[str]:
    sets, accuracies, told = answer["sets"], answer["set_accuracy"], []
    rank = answer["ranking"]
    if sets["smallest"] and answer["predict"]["evidence"] is not None:
        n = len(sets["smallest"])
        who = "all features" if rank["is_all"] else f"the best {n} by {rank['label']}"
        who = f"the best feature by {rank['label']}" if n == 1 and not rank["is_all"] else who
        size = f"of {answer['n_fixed']} features, as asked for," if answer["n_fixed"] else (
            "that is within one standard error of the best"
        )  # fmt: skip
        kind = "set" if answer["n_fixed"] else "smallest set"
        told.append(
            f"The {kind} {size} is {who}: {some(sets['smallest'])}. Sets that are chosen in "
            f"the same way have a balanced accuracy of {_told(accuracies['smallest'])} on samples "
            "that were not used to choose them."
        )
    if sets["all"]:
        n = len(sets["all"])
        copies = answer["differ"]["features"]
        words = f"{n} feature{'s' if n > 1 else ''}"
        if len(copies) > n:
            words += f" of {len(copies)} (one of each group of near-copies)"
        about = ""
        if accuracies["all"] is not None:
            about = f" Sets of features that differ have {_told(accuracies['all'])}."
        told.append(f"The set of all features that differ has {words}.{about}")
    return told


def _told(row: Mapping[str, Any]) -> str:
    return f"{percent(row['balanced_accuracy'])} {share_interval(*row['interval'])}"


def warnings_of(features: pd.DataFrame, counts: Sequence[int]) -> list[str]:
    """A sentence for each kind of suspicious feature, with names."""
    told = []
    for mark, advice in ADVICE.items():
        names = features.loc[features["warning"].str.contains(mark), "feature"].tolist()
        if names:
            words = mark if len(names) == 1 else mark.replace("s ", " ", 1)
            by_chance = _by_chance(len(features), counts) if mark.startswith("separates") else ""
            told.append(f"{some(names)}: {words}; {advice}{by_chance}")
    return told


def _by_chance(n_features: int, counts: Sequence[int]) -> str:
    """The expected number of features that separate the classes by chance, if it is not small."""
    sizes = [int(n) for n in counts]
    arrangements = factorial(sum(sizes)) // prod(map(factorial, sizes))
    expected = n_features * factorial(len(sizes)) / arrangements
    return f" (with so few samples about {expected:.0f} would by chance)" if expected >= 0.5 else ""
