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
from experiments.evaluation.methods import keywords_of
from experiments.evaluation.statistics import DECIDES, paired_interval, resampled_ttest
from experiments.evaluation.summary import table
from experiments.kinds import accuracy, arena, base
from experiments.kinds.ablation.answers import answers, by_question, by_source, words_of
from experiments.report.claims.noise import mean_of
from experiments.schemas import AblationProtocol

log = logging.getLogger(__name__)

#: Columns that name a result beside its part, method and repetition.
AXES = ("data_set", "case", "value", "n_features")
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
    protocol, methods = config.protocol, method_labels(config)
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
            label = f"{part['label']}, {word} {value:g}"
            given = {**part["parameters"], parameter: value}
            own = {"label": label, "parameters": given, "is_best": False}
            parts[f"{name}_{value:g}"] = {**part, **own}
        label = f"{part['label']}, best {word}"
        given = {**part["parameters"], parameter: values}
        parts[f"{name}_best"] = {**part, "label": label, "parameters": given, "is_best": True}
    return parts


@cache
def _experiment(*overrides: str) -> DictConfig:
    """Return the config of an experiment, which all scales of a part share."""
    return kinds.composed(*overrides)


def composed_part(config: DictConfig, part: Part) -> dict[str, Any]:
    """Return the config of a part: its experiment with the methods of the run."""
    overrides = [f"experiment={part['experiment']}", f"profile={config.profile.name}", "method=[]"]
    own = _experiment(*overrides, *part["overrides"]).copy()
    scorers = {
        name: entry
        for name, entry in plain(config.method.scorers).items()
        if name in part["methods"]
    }
    parameters: dict[str, Any] = {}
    for method, entry in scorers.items():
        for name, call in (entry.get("combine") or {method: entry["call"]}).items():
            known = keywords_of(get(call))
            parameters[name] = {k: v for k, v in part["parameters"].items() if k in known}
    for key, value in {"method": {"scorers": scorers}, "parameters": parameters}.items():
        OmegaConf.update(own, key, value, merge=False, force_add=True)
    own.protocol.n_repetitions = min(part["n_repetitions"], config.protocol.n_repetitions)
    if "evaluated_draws" in own.protocol:
        own.protocol.evaluated_draws, own.protocol.embedded = 0, []
    if "fewer_splits" in own.protocol:
        own.protocol.fewer_splits = {}
    return {key: value for key, value in plain(own).items() if key not in (*OF_RUN, *OF_PAGES)}


def changed_parts(stored: DictConfig, today: DictConfig) -> list[str]:
    """Return the settings of stored parts that differ from those of today's config."""
    lines, composed = [], plain(stored.protocol.composed)
    parts = every_part(today.protocol)
    for name in dict.fromkeys([*composed, *parts]):
        own = _without_looks(composed.get(name, {}))
        now = _without_looks(composed_part(today, parts[name])) if name in parts else {}
        changed = [key for key in sorted({*own, *now}) if own.get(key) != now.get(key)]
        lines += [f"part {name}: another {key} in today's configs" for key in changed]
    return lines


def _without_looks(part: Part) -> Part:
    """Return the config of a part without the looks of its methods."""
    scorers = part.get("method", {}).get("scorers", {})
    entries = {
        name: {key: value for key, value in entry.items() if key not in LOOKS}
        for name, entry in scorers.items()
    }
    return {**part, "method": {"scorers": entries}}


def run(run: Run) -> base.Results:
    """Run all parts, with their rows in one table."""
    config, tables, about = run.config, [], {}
    parts = every_part(config.protocol)
    if not config.protocol.composed:
        composed = {name: composed_part(config, part) for name, part in parts.items()}
        config.protocol.composed = composed
    of_run = {key: value for key, value in plain(config).items() if key in OF_RUN}
    for name, part in parts.items():
        log.info("%s", part["label"])
        stored = plain(config.protocol.composed[name])
        kind = kinds.load(stored["protocol"]["kind"])
        own = base.stored_config({**stored, **of_run}, kind)
        scorers = own.method.scorers
        own.method.scorers = {m: scorers[m] for m in scorers if m in config.method.scorers}
        repetitions = min(own.protocol.n_repetitions, config.protocol.n_repetitions)
        is_sample = repetitions < own.protocol.n_repetitions
        if is_sample and part["is_best"] and own.protocol.kind == "recovery":
            continue  # A few draws do not tell the best for all of them.
        own.protocol.n_repetitions = repetitions
        kind.check(own)
        results = kind.run(replace(run, config=own))
        about[name] = results.data
        tables.append(_numbers(results.rows["rows"], own, part).assign(part=name))
    rows = pd.concat(tables, ignore_index=True)
    columns = ["part", "method", "split", *(name for name in AXES if name in rows)]
    columns += ["result", "overlap", "at_edge", "ambiguous"]
    return base.Results({"rows": rows[columns]}, base.described_together(about))


def _numbers(rows: pd.DataFrame, config: DictConfig, part: Part) -> pd.DataFrame:
    """Return the results of a part, one number in each row."""
    kind, overlap = config.protocol.kind, 0.0
    rows = rows.rename(columns={"draw": "split"})
    if kind == "recovery":
        rows = rows[rows["tuned"]]
        rows = rows.assign(result=rows["correct"].astype(float))
    elif kind == "few_sample_recovery":
        rows = rows.assign(result=rows["recovered"] / rows["n_relevant"])
    elif kind == "arena":
        # A source is a repetition, because its parts are no independent data sets.
        labels = {arena.dataset_label(config.protocol, n): n for n in config.protocol.datasets}
        sources = rows["data_set"].map(labels).replace(plain(config.protocol.sources))
        rows = rows.assign(split=pd.factorize(sources)[0])
        rows = rows[rows["chosen"].eq(True)].assign(result=rows["test"])
        rows = rows.drop(columns="n_features")
    else:
        if list(config.protocol.tuning) == ["nested"]:
            rows = rows[rows["chosen"].eq(True)].drop(columns="n_features")
        overlap = accuracy.overlap_of(rows, config)
        rows = rows.assign(result=rows["test"])
    ends = {f"{name}={v[i]}" for name, v in part["scales"].items() for i in (0, -1)}
    at_edge = [not ends.isdisjoint(text.split(", ")) for text in rows["parameters"]]
    return rows.assign(result=part["factor"] * rows["result"], overlap=overlap, at_edge=at_edge)


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """Return the mean of each method on each part, the differences of the score, and the answers.

    The intervals of "pairs" are for new draws, new data sets, or new samples where splits of one
    sample are repeated. "split_low" and "split_high" are for other splits of these samples.
    """
    labels, parts = method_labels(config), every_part(config.protocol)
    summaries, differences = [], list[dict]()
    for name, part in parts.items():
        rows = stored["rows"][stored["rows"]["part"] == name].dropna(axis=1, how="all")
        if rows.empty:
            continue
        overlap, best = float(rows["overlap"].iloc[0]), _at_best(rows, [*labels])
        means = table(best, ["part"], "result", overlap=overlap, limits=(0.0, part["most"]))
        edges = best.groupby("method", sort=False)["at_edge"].mean().to_numpy()
        summaries.append(means.assign(unit=part["unit"], at_edge=edges))
        differences += _differences(best, name, part, overlap)
    for other in {row["other"] for row in differences}:
        own = [row for row in differences if row["other"] == other]
        for row, word in zip(own, words_of(own), strict=True):
            row["word"] = word
    questions = {m: q for q, of in plain(config.protocol.questions).items() for m in of}
    pairs = pd.DataFrame(differences, columns=PAIRS)
    pairs["question"] = pairs["other"].map(questions)
    axes = {"part": {name: part["label"] for name, part in parts.items()}, "method": labels}
    summary = base.with_whole_counts(base.labelled(pd.concat(summaries), axes))
    found = answers(pairs)
    return {
        "summary": summary,
        "pairs": base.labelled(pairs, {"part": axes["part"]}),
        "answers": found,
        "questions": by_question(found),
        "sources": by_source(found),
    }


def _at_best(rows: pd.DataFrame, methods: Sequence[str]) -> pd.DataFrame:
    """Return each method's rows at the number of features with the best mean.

    This is what the paper reports. Rows of several cases or numbers of samples are averaged.
    """
    if "n_features" in rows:
        means = rows.groupby(["method", "n_features"], sort=False)["result"].mean()
        best = means.groupby("method", sort=False).idxmax().map(lambda at: at[1])
        rows = rows[rows["n_features"] == rows["method"].map(best)]
    return rows.sort_values("method", key=lambda names: names.map(methods.index), kind="stable")


def _differences(rows: pd.DataFrame, name: str, part: Part, overlap: float) -> list[dict]:
    """Return the differences of a part with their intervals; none if the score itself failed."""
    wide = rows.pivot_table("result", "split", "method", aggfunc="mean", sort=False).sort_index()
    score, found = part["methods"][0], []
    if score not in wide:
        return []
    paired = pd.DataFrame({other: wide[score] - wide[other] for other in wide.columns.drop(score)})
    for other in paired:
        values = paired[other].dropna()
        row = {"part": name, "source": part["source"], "method": score, "other": other}
        row |= {"difference": values.mean(), "margin": part["margin"], "unit": part["unit"]}
        row["interval"] = paired_interval(values, part["most"], overlap)
        row["ci_low"], row["ci_high"] = row["interval"](DECIDES)
        t, p = resampled_ttest(values, overlap)
        row["p_value"] = p / 2 if t > 0 else 1 - p / 2
        if overlap:  # The test part is overlap / (1 + overlap) of the samples.
            together = paired.dropna(axis="columns")
            mean = mean_of(values, round(1 + 1 / overlap), together, most=part["most"], paired=True)
            row["split_low"], row["split_high"] = mean.interval(DECIDES)
        found.append({**row, "n_splits": len(values)})
    return found


KIND = base.Kind(AblationProtocol, check, run, tables, "result", ("part",))
