"""Compare one score in several geometries on parts of other experiments.

A part is an experiment with a few changed settings. All forms run on its draws or splits.
The difference of the reference to another form is paired, repetition by repetition, and its 90 %
interval is held against a margin that the config has set before the run (two one-sided tests at
5 %, Schuirmann 1987, "A comparison of the two one-sided tests procedure and the power approach for
assessing the equivalence of average bioavailability", Journal of Pharmacokinetics 15):

- "no difference" if the interval lies inside the margin,
- "reference" or "other" if it lies to one side of zero, and says which is better,
- "open" otherwise.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd
from omegaconf import DictConfig, OmegaConf

from experiments import kinds
from experiments.config import ConfigError, ProtocolConfig, at_least, one_of, plain
from experiments.evaluation.accuracies import ALL_FEATURES
from experiments.evaluation.methods import resolve
from experiments.evaluation.statistics import resampled_interval
from experiments.evaluation.summary import reference_of, table
from experiments.kinds import accuracy, base

log = logging.getLogger(__name__)

#: Columns that name a result beside its part, method and repetition.
AXES = ("data_set", "n_train", "case", "value", "parameters", "n_features")
LEVEL = 0.90
VERDICTS = ("reference", "no difference", "other", "open")


@dataclass
class GeometryPart:
    """An experiment, its changed settings, and the difference that would matter."""

    label: str = ""
    experiment: str = ""
    overrides: list[str] = field(default_factory=list)
    #: Parameters of all forms.
    parameters: dict[str, Any] = field(default_factory=dict)
    #: The forms; all if empty.
    methods: list[str] = field(default_factory=list)
    n_repetitions: int = 50
    #: What the number of a part is multiplied by: 100 makes points of an accuracy.
    scale: float = 1.0
    unit: str = ""
    margin: float = 1.0


@dataclass
class GeometryProtocol(ProtocolConfig):
    """The parts, by name."""

    kind: str = "geometry"
    parts: dict[str, GeometryPart] = field(default_factory=dict)


def check(config: DictConfig) -> None:
    """Raise a ConfigError unless there are parts, with positive margins and known methods."""
    if not config.protocol.parts:
        raise ConfigError("protocol.parts must have at least one part, got none")
    for name, part in config.protocol.parts.items():
        for method in part.methods:
            one_of(method, base.labels(config), f"method for protocol.parts.{name}")
        at_least(config, f"protocol.parts.{name}.n_repetitions", 1)
        if part.margin <= 0:
            raise ConfigError(f"protocol.parts.{name}.margin must be positive, got {part.margin}")


def part_config(config: DictConfig, name: str) -> DictConfig:
    """Return the config of a part: its experiment with the methods, store and data of the run."""
    part = config.protocol.parts[name]
    overrides = [f"experiment={part.experiment}", f"profile={config.profile.name}", "method=[]"]
    own = kinds.composed(*overrides, *part.overrides)
    shown = list(part.methods) or list(base.labels(config))
    keys = ("seed", "store", "workers", "scheduler", "data")
    of_run = {key: config[key] for key in keys}
    of_methods = {
        "method": {"scorers": {name: config.method.scorers[name] for name in shown}},
        "parameters": {name: plain(part.parameters) for name in shown},
    }
    for key, value in {**of_run, **of_methods}.items():
        OmegaConf.update(own, key, value, merge=False, force_add=True)
    own.protocol.n_repetitions = min(part.n_repetitions, config.protocol.n_repetitions)
    if "evaluated_draws" in own.protocol:
        own.protocol.evaluated_draws, own.protocol.embedded = 0, []
    if "fewer_splits" in own.protocol:
        own.protocol.fewer_splits = {}
    return own


def run(run: base.Run) -> base.Results:
    """Run all parts, with their rows in one table."""
    rows, about = [], {}
    for name, part in run.config.protocol.parts.items():
        log.info("%s", part.label)
        own = part_config(run.config, name)
        kind = kinds.load(own.protocol.kind)
        kind.check(own)
        results = kind.run(replace(run, config=own, methods=resolve(own)))
        assert results.rows is not None
        about[name] = results.data
        rows.append(_numbers(results.rows["rows"], own, part.scale).assign(part=name))
    table = pd.concat(rows, ignore_index=True)
    columns = ["part", "method", "split", *(name for name in AXES if name in table)]
    columns += ["result", "overlap", "ambiguous"]
    return base.Results({"rows": table[columns]}, base.described_together(about))


def _numbers(rows: pd.DataFrame, config: DictConfig, scale: float) -> pd.DataFrame:
    """Return the results of a part, one number in each row."""
    kind = config.protocol.kind
    rows = rows[rows["method"] != ALL_FEATURES].rename(columns={"draw": "split"})
    overlap = 0.0
    if kind == "recovery":
        rows = rows.assign(result=rows["correct"].astype(float))
    elif kind == "few_sample_recovery":
        rows = rows.assign(result=rows["recovered"] / rows["n_relevant"])
        rows = rows.drop(columns="parameters")
    else:
        if kind == "arena" or list(config.protocol.tuning) == ["nested"]:
            rows = rows[rows["chosen"].eq(True)].drop(columns="n_features")
        if kind == "accuracy":
            overlap = accuracy.overlap_of(rows, config)
        rows = rows.assign(result=rows["test"]).drop(columns="parameters")
    if kind != "arena":  # Elsewhere it is the same for all rows of a part.
        rows = rows.drop(columns="n_train", errors="ignore")
    return rows.assign(result=scale * rows["result"], overlap=overlap)


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """Return the mean of each form on each part, and the differences from the reference."""
    labels, parts = base.labels(config), plain(config.protocol.parts)
    summaries, differences = [], list[dict[str, Any]]()
    for name, of_part in stored["rows"].groupby("part", sort=False):
        part, overlap = parts[name], float(of_part["overlap"].iloc[0])
        best = _at_best(of_part.dropna(axis=1, how="all"), labels)
        limits = (0.0, 100.0 if part["scale"] == 100 else float("inf"))
        means = table(best, ["part"], "result", overlap=overlap, limits=limits)
        summaries.append(means.assign(unit=part["unit"]))
        differences += _differences(best, name, part, overlap)
    axes = {"part": {name: part["label"] for name, part in parts.items()}, "method": labels}
    summary, pairs = pd.concat(summaries, ignore_index=True), pd.DataFrame(differences)
    return {
        "summary": base.with_whole_counts(base.labelled(summary, axes)),
        "pairs": base.labelled(pairs, {"part": axes["part"]}),
        "answers": base.labelled(answers(pairs), {"method": labels}),
    }


def _at_best(rows, labels) -> pd.DataFrame:
    """Return each method's rows at the parameters or number of features with the best mean.

    These are what the paper reports. Rows of several cases or data sets are averaged: repetitions
    are the draws, and of the arena the data sets.
    """
    by = ["method", *(name for name in ("parameters", "n_features") if name in rows)]
    means = rows.groupby(by, sort=False)["result"].mean()
    chosen = means.groupby("method", sort=False).idxmax()
    own = pd.MultiIndex.from_frame(rows[by]) if len(by) > 1 else rows["method"]
    best = rows[own.isin(chosen)]
    best = best.sort_values("method", key=lambda m: m.map([*labels].index), kind="stable")
    return best.assign(split=best["data_set"]) if "data_set" in best else best


def _differences(rows, name, part, overlap) -> Iterator[dict[str, Any]]:
    """Return the reference minus each other form, with a 90 % interval and the verdict."""
    wide = rows.pivot_table("result", "split", "method", aggfunc="mean", sort=False)
    reference, margin = reference_of([*wide]), part["margin"]
    for other in wide.columns.drop(reference):
        values = (wide[reference] - wide[other]).dropna().to_numpy()
        low, high = resampled_interval(values, overlap, LEVEL)
        yield {
            **{"part": name, "method": reference, "other": other, "difference": values.mean()},
            **{"ci_low": low, "ci_high": high, "margin": margin, "unit": part["unit"]},
            **{"verdict": verdict(low, high, margin), "n_splits": len(values)},
        }


def verdict(low: float, high: float, margin: float) -> str:
    """Return the verdict for the interval of a difference."""
    if -margin <= low and high <= margin:
        return "no difference"
    return "reference" if low > 0 else "other" if high < 0 else "open"


def answers(pairs: pd.DataFrame) -> pd.DataFrame:
    """Count the verdicts on each other form, and draw the answer by the rule of docs/method.md."""
    rows = []
    for other, verdicts in pairs.groupby("other", sort=False)["verdict"]:
        counts = {name: int((verdicts == name).sum()) for name in VERDICTS}
        better, worse = counts["reference"] > 0, counts["other"] > 0
        if better or worse:
            answer = "depends on the data" if better and worse else "helps" if better else "hurts"
        else:
            is_equal = 2 * counts["no difference"] >= len(verdicts)
            answer = "makes no difference that matters" if is_equal else "cannot be told"
        rows.append({"method": other, **counts, "answer": answer})
    return pd.DataFrame(rows)


KIND = base.Kind(GeometryProtocol, check, run, tables, "result", ("part",))
