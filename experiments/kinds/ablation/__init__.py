"""Change one thing of a score at a time, on parts of other experiments.

A part is an experiment with a few changed settings. The score and its changes run on the same draws
or splits, with the same grid and tuning. What the differences say is decided by
:mod:`experiments.kinds.ablation.answers`.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pandas as pd
from omegaconf import DictConfig, OmegaConf

from baselines import get
from experiments import kinds
from experiments.cache import Run
from experiments.config import LOOKS, ConfigError, at_least, method_labels, plain
from experiments.evaluation.accuracies import best_number
from experiments.evaluation.methods import keywords_of
from experiments.evaluation.statistics import DECIDES, paired_interval, resampled_ttest
from experiments.evaluation.summary import table
from experiments.kinds import accuracy, arena, base
from experiments.kinds.ablation.answers import answers, by_question, by_source, words_of
from experiments.report.claims.noise import mean_of
from experiments.schemas import AblationProtocol

log = logging.getLogger(__name__)

#: Columns that name a result beside its part, method and repetition.
AXES = ("data_set", "case", "value", "draw", "n_features")
#: The columns of pairs.csv.
PAIRS = [
    *("part", "source", "question", "method", "other", "difference", "ci_low", "ci_high"),
    *("split_low", "split_high", "p_value", "margin", "unit", "word", "n_splits"),
]
#: A part as plain values, with the keys of AblationPart.
Part = dict[str, Any]
#: Keys of a config that say how and where a run computes.
OF_RUN = ("seed", "store", "workers", "scheduler", "data")
#: Keys that no number of a part depends on.
OF_PAGES = ("draw", "figure", "title", "controls", "of_paper", "place", "minutes", "about")


def check(config: DictConfig) -> None:
    """Raise a ConfigError unless there are parts and methods to compare."""
    protocol = config.protocol
    methods = method_labels(config)
    if not protocol.parts:
        raise ConfigError("protocol.parts must have at least one part, got none")
    if len(methods) < 2:
        raise ConfigError(
            f"an ablation compares a score with its changes, and method={list(methods)} has no "
            "change; give method=[manifest,NAME] or more of them"
        )
    for name, part in protocol.parts.items():
        at_least(config, f"protocol.parts.{name}.n_repetitions", 1)
        if not {*part.methods} & {*methods}:
            raise ConfigError(f"protocol.parts.{name}.methods has none of {', '.join(methods)}")
        if part.margin <= 0:
            raise ConfigError(f"protocol.parts.{name}.margin must be positive, got {part.margin}")
        if len(part.scales) > 1:
            raise ConfigError(
                f"protocol.parts.{name}.scales must have one parameter, got {[*part.scales]}"
            )


def every_part(protocol: DictConfig) -> dict[str, Part]:
    """Return the parts, with one for each scale and one for the best of them."""
    parts = {}
    for name, part in plain(protocol.parts).items():
        if not part["scales"]:
            parts[name] = {**part, "is_best": False}
            continue
        ((parameter, values),) = part["scales"].items()
        word = "percentile" if parameter == "percentile" else "scale"
        for value in values:
            scaled = {**part, "is_best": False}
            scaled["label"] = f"{part['label']}, {word} {value:g}"
            scaled["parameters"] = {**part["parameters"], parameter: value}
            parts[f"{name}_{value:g}"] = scaled
        best = {**part, "is_best": True}
        best["label"] = f"{part['label']}, best {word}"
        best["parameters"] = {**part["parameters"], parameter: values}
        parts[f"{name}_best"] = best
    return parts


#: Composes the config of an experiment, which all scales of a part share.
_composed = cache(kinds.composed)


def composed_part(config: DictConfig, part: Part) -> dict[str, Any]:
    """Return the config of a part: its experiment with the methods of the run."""
    overrides = [f"experiment={part['experiment']}", f"profile={config.profile.name}", "method=[]"]
    composed = _composed(*overrides, *part["overrides"]).copy()
    scorers = {}
    parameters: dict[str, Any] = {}
    for method, entry in plain(config.method.scorers).items():
        if method not in part["methods"]:
            continue
        scorers[method] = entry
        calls = entry.get("combine") or {method: entry["call"]}
        for name, call in calls.items():
            known = keywords_of(get(call))
            given = part["parameters"].items()
            parameters[name] = {key: value for key, value in given if key in known}
    OmegaConf.update(composed, "method", {"scorers": scorers}, merge=False, force_add=True)
    OmegaConf.update(composed, "parameters", parameters, merge=False, force_add=True)
    protocol = composed.protocol
    protocol.n_repetitions = min(part["n_repetitions"], config.protocol.n_repetitions)
    if "evaluated_draws" in protocol:
        protocol.evaluated_draws = 0
        protocol.embedded = []
    if "fewer_splits" in protocol:
        protocol.fewer_splits = {}
    left_out = (*OF_RUN, *OF_PAGES)
    return {key: value for key, value in plain(composed).items() if key not in left_out}


def changed_parts(stored: DictConfig, today: DictConfig) -> list[str]:
    """Return the settings of stored parts that differ from those of today's config."""
    composed = plain(stored.protocol.composed)
    parts = every_part(today.protocol)
    lines = []
    for name in dict.fromkeys([*composed, *parts]):
        before = _without_looks(composed.get(name, {}))
        now = _without_looks(composed_part(today, parts[name])) if name in parts else {}
        for key in sorted({*before, *now}):
            if before.get(key) != now.get(key):
                lines.append(f"part {name}: another {key} in today's configs")
    return lines


def _without_looks(part: Part) -> Part:
    """Return the config of a part without the looks of its methods."""
    scorers = part.get("method", {}).get("scorers", {})
    entries = {}
    for name, entry in scorers.items():
        entries[name] = {key: value for key, value in entry.items() if key not in LOOKS}
    return {**part, "method": {"scorers": entries}}


def run(run: Run) -> base.Results:
    """Run all parts, with their rows in one table."""
    config = run.config
    parts = every_part(config.protocol)
    if not config.protocol.composed:
        composed = {name: composed_part(config, part) for name, part in parts.items()}
        config.protocol.composed = composed
    tables = []
    data = {}
    for name, part in parts.items():
        log.info("%s", part["label"])
        kind = kinds.load(config.protocol.composed[name].protocol.kind)
        config_of_part, is_sample = _config_of_part(config, name, kind)
        if is_sample and part["is_best"] and config_of_part.protocol.kind == "recovery":
            continue  # A few draws do not tell the best for all of them.
        kind.check(config_of_part)
        results = kind.run(replace(run, config=config_of_part))
        data[name] = results.data
        if results.rows["rows"].empty:
            log.warning("%s has no results, because all of its tasks failed", part["label"])
            continue
        numbers = _numbers(results.rows["rows"], config_of_part, part)
        tables.append(numbers.assign(part=name))
    if not tables:
        return base.Results({"rows": pd.DataFrame()}, base.described_together(data))
    rows = pd.concat(tables, ignore_index=True)
    axes = [name for name in AXES if name in rows]
    columns = ["part", "method", "split", *axes, "result", "overlap", "at_edge", "ambiguous"]
    return base.Results({"rows": rows[columns]}, base.described_together(data))


def _config_of_part(config: DictConfig, name: str, kind: base.Kind) -> tuple[DictConfig, bool]:
    """Return the config of a part in this run, and whether the run has fewer repetitions."""
    of_run = {key: value for key, value in plain(config).items() if key in OF_RUN}
    stored = plain(config.protocol.composed[name])
    config_of_part = base.stored_config({**stored, **of_run}, kind)
    scorers = {}
    for method, entry in config_of_part.method.scorers.items():
        if method in config.method.scorers:
            scorers[method] = entry
    config_of_part.method.scorers = scorers
    repetitions = config_of_part.protocol.n_repetitions
    config_of_part.protocol.n_repetitions = min(repetitions, config.protocol.n_repetitions)
    return config_of_part, config.protocol.n_repetitions < repetitions


def _numbers(rows: pd.DataFrame, config: DictConfig, part: Part) -> pd.DataFrame:
    """Return the results of a part, one number in each row."""
    protocol = config.protocol
    overlap = 0.0
    rows = rows.rename(columns={"draw": "split"})
    if protocol.kind == "recovery":
        rows = rows[rows["tuned"]]
        rows = rows.assign(result=rows["correct"].astype(float))
    elif protocol.kind == "few_sample_recovery":
        rows = rows.assign(result=rows["recovered"] / rows["n_relevant"])
    elif protocol.kind == "arena":
        # A source is a repetition, because its parts are no independent data sets.
        names = {arena.dataset_label(protocol, name): name for name in protocol.datasets}
        sources = rows["data_set"].map(names).replace(plain(protocol.sources))
        codes, _ = pd.factorize(sources)
        rows = rows.assign(case=rows["n_train"], draw=rows["split"], split=codes)
        rows = rows[rows["chosen"].eq(True)].assign(result=rows["test"])
        rows = rows.drop(columns="n_features")
    else:
        if list(protocol.tuning) == ["nested"]:
            rows = rows[rows["chosen"].eq(True)].drop(columns="n_features")
        overlap = accuracy.overlap_of(rows, config)
        rows = rows.assign(result=rows["test"])
    ends: set[str] = set()
    for parameter, values in part["scales"].items():
        ends.update((f"{parameter}={values[0]}", f"{parameter}={values[-1]}"))
    at_edge = [not ends.isdisjoint(text.split(", ")) for text in rows["parameters"]]
    return rows.assign(result=part["factor"] * rows["result"], overlap=overlap, at_edge=at_edge)


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """Return the mean of each method on each part, the differences of the score, and the answers.

    A part with the best scale says so if it is at the edge of the grid in most repetitions.
    The intervals of "pairs" are for new draws, new data sets, or new samples where splits of one
    sample are repeated. "split_low" and "split_high" are for other splits of these samples.
    """
    labels = method_labels(config)
    parts = every_part(config.protocol)
    labels_of_parts = {name: part["label"] for name, part in parts.items()}
    summaries = []
    differences: list[dict] = []
    for name, part in parts.items():
        rows = stored["rows"][stored["rows"]["part"] == name].dropna(axis=1, how="all")
        if rows.empty:
            continue
        overlap = float(rows["overlap"].iloc[0])
        best = _at_best(rows, [*labels])
        means = table(best, ["part"], "result", overlap=overlap, limits=(0.0, part["most"]))
        edges = best.groupby("method", sort=False)["at_edge"].mean()
        summaries.append(means.assign(unit=part["unit"], at_edge=edges.to_numpy()))
        if part["is_best"] and edges.get(part["methods"][0], 0.0) > 0.5:
            labels_of_parts[name] += " (at the edge)"
        differences += _differences(best, name, part, overlap)
    summary = base.labelled(pd.concat(summaries), {"part": labels_of_parts, "method": labels})
    if not differences:  # All parts lack the score, or its changes, because tasks failed.
        return {"summary": base.with_whole_counts(summary)}
    pairs = _judged(differences, plain(config.protocol.questions))
    answered = answers(pairs)
    return {
        "summary": base.with_whole_counts(summary),
        "pairs": base.labelled(pairs, {"part": labels_of_parts}),
        "answers": answered,
        "questions": by_question(answered),
        "sources": by_source(answered),
    }


def _judged(differences: list[dict], questions: dict[str, list[str]]) -> pd.DataFrame:
    """Return the differences, each with its word and the question that its change asks."""
    by_change: dict[str, list[dict]] = {}
    for row in differences:
        by_change.setdefault(row["other"], []).append(row)
    for rows in by_change.values():
        for row, word in zip(rows, words_of(rows), strict=True):
            row["word"] = word
    question_of = {}
    for question, methods in questions.items():
        question_of.update(dict.fromkeys(methods, question))
    pairs = pd.DataFrame(differences, columns=PAIRS)
    pairs["question"] = pairs["other"].map(question_of)
    return pairs


def _at_best(rows: pd.DataFrame, methods: Sequence[str]) -> pd.DataFrame:
    """Return each method's rows at the number of features with the best mean, as in the paper."""
    if "n_features" in rows:
        n_features = {}
        for method, of_method in rows.groupby("method"):
            n_features[method] = best_number(of_method.groupby("n_features")["result"].mean())
        rows = rows[rows["n_features"] == rows["method"].map(n_features)]
    return rows.sort_values("method", key=lambda names: names.map(methods.index), kind="stable")


def _differences(rows: pd.DataFrame, name: str, part: Part, overlap: float) -> list[dict]:
    """Return the differences of a part with their intervals; none if the score itself failed."""
    wide = rows.pivot_table("result", "split", "method", aggfunc="mean", sort=False).sort_index()
    score = part["methods"][0]
    if score not in wide:
        return []
    others = wide.columns.drop(score)
    differences = pd.DataFrame({other: wide[score] - wide[other] for other in others})
    rows_of_part = []
    for other in differences:
        values = differences[other].dropna()
        row = {"part": name, "source": part["source"], "method": score, "other": other}
        row |= {"difference": values.mean(), "margin": part["margin"], "unit": part["unit"]}
        row["interval"] = paired_interval(values, part["most"], overlap)
        row["ci_low"], row["ci_high"] = row["interval"](DECIDES)
        t, p = resampled_ttest(values, overlap)
        row["p_value"] = p / 2 if t > 0 else 1 - p / 2
        if overlap:  # The test part is overlap / (1 + overlap) of the samples.
            n_folds = round(1 + 1 / overlap)
            together = differences.dropna(axis="columns")
            mean = mean_of(values, n_folds, together, most=part["most"], paired=True)
            row["split_low"], row["split_high"] = mean.interval(DECIDES)
        row["n_splits"] = len(values)
        rows_of_part.append(row)
    return rows_of_part


KIND = base.Kind(AblationProtocol, check, run, tables, "result", ("part",))
