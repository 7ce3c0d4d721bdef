"""Change one thing of a score at a time, on parts of other experiments.

A part is an experiment with a few changed settings. The score and its changes run on the same draws
or splits, with the same grid and tuning. The difference d is the score minus a change of it, paired
by repetition. A part has a margin that was set before the run, and its word is the first that
matches:

- *needed* if d is above 0 (one-sided, 5 %, by Holm over all parts of the change) and its mean is
  above the margin;
- *harmful*, the same reversed;
- *not needed* if the upper end of the 90 % interval of d is below the margin;
- *open* otherwise.

The words of parts make that of a source, and those of several changes that of a question; see
:func:`answers`.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig, OmegaConf

from baselines import get
from experiments import kinds
from experiments.config import ConfigError, ProtocolConfig, at_least, plain
from experiments.evaluation.accuracies import ALL_FEATURES
from experiments.evaluation.methods import keywords_of, resolve
from experiments.evaluation.statistics import (
    DECIDES,
    Interval,
    decided,
    outside_by_holm,
    paired_interval,
    resampled_ttest,
)
from experiments.evaluation.summary import table
from experiments.kinds import accuracy, arena, base
from experiments.report.claims.noise import mean_of

log = logging.getLogger(__name__)

#: Columns that name a result beside its part, method and repetition.
AXES = ("data_set", "case", "value", "n_features")
#: The columns of pairs.csv.
PAIRS = [
    *("part", "source", "question", "method", "other", "difference", "ci_low", "ci_high"),
    *("split_low", "split_high", "p_value", "margin", "unit", "word", "n_splits"),
]
WORDS = ("needed", "not needed", "harmful", "open")
DEPENDS = "depends on the scale"
#: Keys of a config that say how and where a run computes.
OF_RUN = ("seed", "store", "workers", "scheduler", "data")
#: Keys that no number of a part depends on.
NOT_STORED = (*OF_RUN, "draw", "figure", "title", "published", "controls")


@dataclass
class AblationPart:
    """An experiment, its changed settings, and the difference that would matter."""

    label: str = ""
    #: The name of the samples that it shares with other parts.
    source: str = ""
    experiment: str = ""
    overrides: list[str] = field(default_factory=list)
    #: Parameters of all methods that have them.
    parameters: dict[str, Any] = field(default_factory=dict)
    #: A parameter and its values: a part for each of them, and one for the best.
    scales: dict[str, list[float]] = field(default_factory=dict)
    #: The score, and the changes of it that are compared with it.
    methods: list[str] = field(default_factory=list)
    n_repetitions: int = 50
    #: The unit of a result, its factor, and the largest result.
    unit: str = ""
    factor: float = 1.0
    most: float = 100.0
    margin: float = 1.0


@dataclass
class AblationProtocol(ProtocolConfig):
    """The parts, and the questions that the changes answer."""

    kind: str = "ablation"
    parts: dict[str, AblationPart] = field(default_factory=dict)
    #: Question -> the methods that are the score with one change.
    questions: dict[str, list[str]] = field(default_factory=dict)
    #: Part -> its config. A run composes it, and a stored run starts from it.
    composed: dict[str, Any] = field(default_factory=dict)


def check(config: DictConfig) -> None:
    """Raise a ConfigError unless there are parts and methods to compare."""
    protocol, methods = config.protocol, base.labels(config)
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


def every_part(protocol: DictConfig) -> dict[str, dict[str, Any]]:
    """Return the parts, with one for each scale and one for the best of them."""
    parts = {}
    for name, part in plain(protocol.parts).items():
        if not part["scales"]:
            parts[name] = part
            continue
        ((parameter, values),) = part["scales"].items()
        word = "percentile" if parameter == "percentile" else "scale"
        for value in values:
            label = f"{part['label']}, {word} {value:g}"
            given = {**part["parameters"], parameter: value}
            parts[f"{name}_{value:g}"] = {**part, "label": label, "parameters": given}
        label = f"{part['label']}, best {word}"
        given = {**part["parameters"], parameter: values}
        parts[f"{name}_best"] = {**part, "label": label, "parameters": given}
    return parts


def composed_part(config: DictConfig, part: Mapping[str, Any]) -> dict[str, Any]:
    """Return the config of a part: its experiment with the methods of the run."""
    overrides = [f"experiment={part['experiment']}", f"profile={config.profile.name}", "method=[]"]
    own = kinds.composed(*overrides, *part["overrides"])
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
    return {key: value for key, value in plain(own).items() if key not in NOT_STORED}


def changed_parts(config: DictConfig) -> list[str]:
    """Return the settings of parts of a stored config that today's experiments do not have."""
    lines, protocol = [], config.protocol
    parts = every_part(protocol)
    lines += [f"{name}: no longer a part" for name in protocol.composed if name not in parts]
    for name, part in parts.items():
        stored, today = plain(protocol.composed).get(name, {}), composed_part(config, part)
        changed = [key for key in sorted({*stored, *today}) if stored.get(key) != today.get(key)]
        lines += [f"{name}: another {key}" for key in changed]
    return lines


def run(run: base.Run) -> base.Results:
    """Run all parts, with their rows in one table."""
    config, tables, about = run.config, [], {}
    parts = every_part(config.protocol)
    if not config.protocol.composed:
        composed = {name: composed_part(config, part) for name, part in parts.items()}
        config.protocol.composed = composed
    for name, part in parts.items():
        log.info("%s", part["label"])
        stored = plain(config.protocol.composed[name])
        kind = kinds.load(stored["protocol"]["kind"])
        own = base.stored_config({**stored, **{key: plain(config)[key] for key in OF_RUN}}, kind)
        scorers = own.method.scorers
        own.method.scorers = {m: scorers[m] for m in scorers if m in config.method.scorers}
        repetitions = min(own.protocol.n_repetitions, config.protocol.n_repetitions)
        own.protocol.n_repetitions = repetitions
        kind.check(own)
        results = kind.run(replace(run, config=own, methods=resolve(own)))
        assert results.rows is not None
        about[name] = results.data
        tables.append(_numbers(results.rows["rows"], own, part).assign(part=name))
    rows = pd.concat(tables, ignore_index=True)
    columns = ["part", "method", "split", *(name for name in AXES if name in rows)]
    columns += ["result", "overlap", "at_edge", "ambiguous"]
    return base.Results({"rows": rows[columns]}, base.described_together(about))


def _numbers(rows: pd.DataFrame, config: DictConfig, part: Mapping[str, Any]) -> pd.DataFrame:
    """Return the results of a part, one number in each row."""
    kind, overlap = config.protocol.kind, 0.0
    rows = rows[rows["method"] != ALL_FEATURES].rename(columns={"draw": "split"})
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
    """Return the mean of each method on each part, its differences, and the answers."""
    labels, parts = base.labels(config), every_part(config.protocol)
    summaries, differences = [], list[Difference]()
    for name, rows in stored["rows"].groupby("part", sort=False):
        part, overlap = parts[name], float(rows["overlap"].iloc[0])
        best = _at_best(rows.dropna(axis=1, how="all"), [*labels])
        means = table(best, ["part"], "result", overlap=overlap, limits=(0.0, part["most"]))
        edges = best.groupby("method", sort=False)["at_edge"].mean().to_numpy()
        summaries.append(means.assign(unit=part["unit"], at_edge=edges))
        differences += differences_of(best, name, part, overlap)
    questions = {m: q for q, of in plain(config.protocol.questions).items() for m in of}
    summary, pairs = pd.concat(summaries, ignore_index=True), in_words(differences, questions)
    of_parts = {"part": {name: part["label"] for name, part in parts.items()}}
    return {
        "summary": base.with_whole_counts(base.labelled(summary, {**of_parts, "method": labels})),
        "pairs": base.labelled(pairs, of_parts),
        "answers": answers(pairs),
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


@dataclass
class Difference:
    """The score minus a change of it on one part."""

    part: str
    source: str
    method: str
    other: str
    #: One value for each repetition.
    values: np.ndarray
    #: The interval of their mean that decides, for new draws, samples or data sets.
    interval: Interval
    #: For other splits of the same samples.
    of_splits: Interval | None
    p_value: float
    unit: str
    margin: float

    @property
    def mean(self) -> float:
        """The mean over the repetitions."""
        return float(self.values.mean())


def differences_of(
    rows: pd.DataFrame, name: str, part: Mapping[str, Any], overlap: float
) -> Iterator[Difference]:
    """Yield the differences of a part, none if the score itself failed."""
    wide = rows.pivot_table("result", "split", "method", aggfunc="mean", sort=False).sort_index()
    reference = part["methods"][0]
    if reference not in wide:
        return
    paired = pd.DataFrame({m: wide[reference] - wide[m] for m in wide.columns.drop(reference)})
    for other in paired:
        values = paired[other].dropna()
        t, p = resampled_ttest(values.to_numpy(), overlap)
        splits = None
        if overlap:
            block = round(1 / (overlap / (1 + overlap)))
            together = paired.dropna(axis="columns")
            splits = mean_of(values, block, together, most=part["most"], paired=True).interval
        yield Difference(
            part=name,
            source=part["source"],
            method=reference,
            other=str(other),
            values=values.to_numpy(),
            interval=paired_interval(values.to_numpy(), part["most"], overlap),
            of_splits=splits,
            p_value=p / 2 if t > 0 else 1 - p / 2,
            unit=part["unit"],
            margin=part["margin"],
        )


def in_words(differences: Sequence[Difference], questions: Mapping[str, str]) -> pd.DataFrame:
    """Return a row with its word for each difference."""
    above, below = {}, {}
    for other in dict.fromkeys(each.other for each in differences):
        own = {each.part: each.interval for each in differences if each.other == other}
        above[other] = outside_by_holm(own, (-np.inf, 0.0))
        below[other] = outside_by_holm(own, (0.0, np.inf))
    rows = []
    for each in differences:
        low, high = each.interval(DECIDES)
        split_low, split_high = each.of_splits(DECIDES) if each.of_splits else (np.nan, np.nan)
        is_above, is_below = each.part in above[each.other], each.part in below[each.other]
        if is_above and each.mean > each.margin:
            word = "needed"
        elif is_below and each.mean < -each.margin:
            word = "harmful"
        elif decided([each.interval], (-np.inf, each.margin)) == "inside":
            word = "not needed"
        else:
            word = "open"
        rows.append(
            {
                "part": each.part,
                "source": each.source,
                "question": questions.get(each.other, ""),
                "method": each.method,
                "other": each.other,
                "difference": each.mean,
                "ci_low": low,
                "ci_high": high,
                "split_low": split_low,
                "split_high": split_high,
                "p_value": each.p_value,
                "margin": each.margin,
                "unit": each.unit,
                "word": word,
                "n_splits": len(each.values),
            }
        )
    return pd.DataFrame(rows, columns=PAIRS)


def answers(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the word of each change, and of each question, on each source.

    Parameters
    ----------
    pairs : DataFrame
        The columns source, question, other and word.

    Returns
    -------
    DataFrame
        A row for each source and change, and one for each source and question, whose "other" is
        empty. The columns of :data:`WORDS` count the words of its parts.
    """
    rows = []
    for (question, source), of_question in pairs.groupby(["question", "source"], sort=False):
        changes = []
        for other, words in of_question.groupby("other", sort=False)["word"]:
            changes.append(common(words))
            counts = {word: int((words == word).sum()) for word in WORDS}
            head = {"question": question, "source": source, "other": other}
            rows.append({**head, **counts, "answer": changes[-1]})
        counts = {word: int((of_question["word"] == word).sum()) for word in WORDS}
        head = {"question": question, "source": source, "other": ""}
        rows.append({**head, **counts, "answer": of_changes(changes)})
    return pd.DataFrame(rows)


def common(words: Iterable[str]) -> str:
    """Return the word that parts have in common; open ones say nothing if another is decided."""
    found = {*words} - {"open"}
    if not found:
        return "open"
    return found.pop() if len(found) == 1 else DEPENDS


def of_changes(words: Sequence[str]) -> str:
    """Return the word of a question from those of its changes.

    What is asked for is needed only if every change of it is, and not needed if one of them shows
    it. Otherwise the changes are like parts.
    """
    if "not needed" in words:
        return "not needed"
    if all(word == "needed" for word in words):
        return "needed"
    return common(word for word in words if word != "needed")


KIND = base.Kind(AblationProtocol, check, run, tables, "result", ("part",))
