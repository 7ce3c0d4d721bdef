"""Count the relevant features that rankings recover, while samples get fewer or worse.

Every condition is one curve for each method and generator: the number of samples, the share of
wrong labels, copies of relevant features, a shift between two batches. The draws are the same for
all methods, conditions and values. A control copies irrelevant features and counts them.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from statistics import mode
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments.cache import Row, Task
from experiments.config import (
    SCALINGS,
    ConfigError,
    ProtocolConfig,
    at_least,
    increasing,
    one_of,
    plain,
)
from experiments.datasets.generators import GENERATORS
from experiments.evaluation.control import Control
from experiments.evaluation.draws import Altered, Drawn
from experiments.evaluation.methods import Method, Part
from experiments.evaluation.summary import RARE_FLAGS, Summary, row_flags
from experiments.evaluation.tuned import Tuning, unit_of
from experiments.kinds import base

#: What a condition may vary -> the least and the largest value that it may have, and their type.
LIMITS: dict[str, tuple[float, float, type]] = {
    "samples": (4, np.inf, int),
    "label_noise": (0, 0.5, float),
    "copies": (0, np.inf, int),
    "irrelevant_copies": (0, np.inf, int),
    "batch_shift": (0, np.inf, float),
}
#: The columns that name a unit.
AXES = ["case", "condition", "value", "method", "draw"]


@dataclass
class Case:
    """One generator: its label, and the way that its samples are drawn and scaled."""

    label: str = ""
    dataset: str = ""
    scaling: str = "none"
    #: Arguments of the generator; protocol.pool and protocol.test_samples give the number of
    #: samples.
    params: dict[str, Any] = field(default_factory=dict)
    #: Parameters of ManiFeSt here, alone and in every combination, in place of their grids; those
    #: of the command line come first.
    manifest: dict[str, Any] = field(default_factory=dict)


@dataclass
class Condition:
    """One difficulty: its name in figures, and its values, step by step."""

    label: str = ""
    steps: list[float] = field(default_factory=list)


@dataclass
class Schema(ProtocolConfig):
    """Generators, conditions, and the SVM that tunes and judges."""

    kind: str = "robustness"
    #: The generators, by name; that of the data set if null.
    cases: dict[str, Case] | None = None
    #: By name: samples (number that rank and train), label_noise (the share of their labels that is
    #: wrong), copies (of each relevant feature), irrelevant_copies (the control: as many irrelevant
    #: features are copied and counted) and batch_shift (in standard deviations).
    conditions: dict[str, Condition] = field(default_factory=dict)
    #: Number of samples that rank and train if the condition is another one.
    samples: int = 100
    #: Number of samples of a draw for ranking and training; few of them are a part of many.
    pool: int = 200
    #: Number of further samples of a draw that test the SVM.
    test_samples: int = 500
    #: Deviation of the noise on a copy, in standard deviations of its feature.
    copy_noise: float = 0.3
    #: Folds of the ranking samples, in each of which candidates are ranked again and compared.
    inner_folds: int = 3
    log2_C: list[float] = field(default_factory=list)
    log2_gamma: list[float] = field(default_factory=list)


def check(config: DictConfig) -> None:
    """Raise a ConfigError unless values, numbers of samples and grids make sense."""
    protocol = config.protocol
    if protocol.cases:
        instead = "change protocol.cases, or set it to null"
        base.check_dataset(config, "scaling", "params", *base.PARTS, instead=instead)
    else:
        instead = "change protocol.pool and protocol.test_samples"
        base.check_dataset(config, "params.n_samples", *base.PARTS, instead=instead)
    numbers = {"samples": 4, "test_samples": 1, "copy_noise": 0, "inner_folds": 2}
    base.check_numbers(config, "log2_C", "log2_gamma", **numbers)
    if not protocol.conditions:
        raise ConfigError(f"protocol.conditions must have at least one of {', '.join(LIMITS)}")
    for name, condition in protocol.conditions.items():
        least, largest, of_type = LIMITS[one_of(name, LIMITS, "condition")]
        key = f"protocol.conditions.{name}.steps"
        increasing(config, key)
        for value in condition.steps:
            if not least <= value <= largest or value != of_type(value):
                whole = "whole numbers" if of_type is int else "numbers"
                raise ConfigError(f"{key} must be {whole} of {least} to {largest}, got {value:g}")
    ranked = samples_ranked(config)
    at_least(config, "protocol.pool", max(ranked))
    if (fewest := min(ranked)) < 2 * protocol.inner_folds:
        raise ConfigError(
            f"protocol.inner_folds={protocol.inner_folds} needs two samples a fold, got {fewest:g} "
            "samples in all; change protocol.samples, or conditions.samples.steps"
        )
    for case in (protocol.cases or {}).values():
        one_of(case.scaling, SCALINGS, "scaling of a case")
        if "n_samples" in case.params:
            raise ConfigError(
                f"n_samples={case.params.n_samples} in the params of a case would have no effect; "
                "change protocol.pool and protocol.test_samples"
            )


def cases_of(config: DictConfig) -> dict[str, dict[str, Any]]:
    """The generators of a config, by name; that of the data set if no case is given."""
    dataset, cases = plain(config.dataset), plain(config.protocol)["cases"]
    if not cases:
        of_dataset = {name: dataset[name] for name in ("scaling", "params")}
        named = {"label": "", "dataset": dataset["name"], "manifest": {}}
        cases = {dataset["name"]: named | of_dataset}
    elif dataset["name"] not in {case["dataset"] for case in cases.values()}:
        raise ConfigError(
            f"the experiment {config.name} draws its samples as protocol.cases says; for "
            f"dataset={dataset['name']} alone, add protocol.cases=null"
        )
    for case in cases.values():
        one_of(case["dataset"], GENERATORS, "generator")
    return cases


def groups(config: DictConfig) -> dict[str, dict[str, str]]:
    """The cases and the conditions with their labels."""
    conditions = plain(config.protocol.conditions)
    return {
        "case": {name: case["label"] or name for name, case in cases_of(config).items()},
        "condition": {
            name: each["label"] or name.replace("_", " ") for name, each in conditions.items()
        },
    }


def with_case(method: Method, manifest: Mapping[str, Any], config: DictConfig) -> Method:
    """The method with a case's parameters of ManiFeSt, if its scorers compute ManiFeSt."""
    asked = {name for name, value in plain(config.method).items() if value is not None}
    given = {name: value for name, value in manifest.items() if name not in asked}

    def adapted(part: Part) -> Part:
        if not part.is_manifest:
            return part
        taken = {name: value for name, value in given.items() if name in part.keywords}
        grid = {name: values for name, values in part.grid.items() if name not in taken}
        return replace(part, fixed={**part.fixed, **taken}, grid=grid)

    return replace(method, parts=tuple(map(adapted, method.parts)))


def units_of(run: base.Run) -> dict[tuple, Task]:
    """The unit of each method on each draw of a case, at each value of a condition, by AXES."""
    config, protocol = run.config, run.config.protocol
    n_samples = protocol.pool + protocol.test_samples
    grid = (tuple(protocol.log2_C), tuple(protocol.log2_gamma))
    usual, units = {**dict.fromkeys(LIMITS, 0), "samples": protocol.samples}, {}
    for name, case in cases_of(config).items():
        params = {**case["params"], "n_samples": n_samples}
        tuning = Tuning(case["scaling"], protocol.inner_folds, *grid)
        methods = [with_case(method, case["manifest"], config) for method in run.methods]
        # Draw by draw: a worker then needs a sample once.
        for draw, (condition, value), method in itertools.product(
            range(protocol.n_repetitions), points(config), methods
        ):
            at = {**usual, condition: value}
            numbers = {key: of_type(at[key]) for key, (*_, of_type) in LIMITS.items()}
            numbers["copies"] += numbers.pop("irrelevant_copies")
            of_draw = Control if condition == "irrelevant_copies" else Drawn
            source = Altered(
                of_draw.of(case["dataset"], params, draw, config.seed),
                pool=protocol.pool,
                samples_ranked=numbers.pop("samples"),
                # Without copies their noise makes no difference.
                copy_noise=float(protocol.copy_noise) if numbers["copies"] else 0.0,
                **numbers,
            )
            axes = (name, condition, float(value), method.name, draw)
            units[axes] = unit_of(source, method, tuning)
    return units


def points(config: DictConfig) -> list[tuple[str, float]]:
    """Every condition with each of its values."""
    conditions = config.protocol.conditions.items()
    return [(name, value) for name, condition in conditions for value in condition.steps]


def samples_ranked(config: DictConfig) -> list[float]:
    """The number of samples that rank at each point."""
    usual = config.protocol.samples
    return [value if name == "samples" else usual for name, value in points(config)]


def run(run: base.Run) -> base.Results:
    """Judge all methods of a config on all draws of its cases, under all conditions."""
    cases = cases_of(run.config)
    base.check_neighbours(run.methods, int(min(samples_ranked(run.config))))
    done = run.rows_at(units_of(run), "draws", end=-1)
    rows = [row for each in done.items() for row in rows_of(*each)]
    data = {
        "name": ", ".join(dict.fromkeys(case["dataset"] for case in cases.values())),
        "params": {name: case["params"] for name, case in cases.items()},
        "generated": True,
    }
    return base.Results(pd.DataFrame(rows), data)


def rows_of(axes: tuple, row: Row) -> list[dict[str, Any]]:
    """The row of a unit in the table of a run."""
    measures = ("recovered", "average_precision", "accuracy")
    columns = (*measures, "n_relevant", "validation", "parameters")
    judged = {name: row[name] for name in columns}
    at = dict(zip(AXES, axes, strict=True))
    return [{**at, **judged, "selected": row["order"], **row_flags(row)}]


def _shares(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with the share of the relevant features that is recovered."""
    return rows.assign(recovered=rows["recovered"] / rows["n_relevant"])


def _with_all_values(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of each method that has all values of a condition that any method has."""
    n_values = rows.groupby([*AT_VALUES.by[:2], "method"])["value"].transform("nunique")
    return _shares(
        rows[n_values == n_values.groupby([rows["case"], rows["condition"]]).transform("max")]
    )


#: The means over the draws at each value of a condition.
AT_VALUES = Summary(
    measure="recovered",
    repetition="draw",
    by=("case", "condition", "value"),
    words="{} of the relevant features",
    limits=(0.0, 1.0),
    others={
        name: {"mean": name, "ci_low": f"{short}_low", "ci_high": f"{short}_high"}
        for name, short in (("average_precision", "precision"), ("accuracy", "accuracy"))
    },
    keep=_shares,
    columns={
        "n_relevant": lambda rows: rows["n_relevant"].iloc[0],
        "parameters": lambda rows: mode(rows["parameters"]),
    },
)
#: Every draw counts with its mean over the values of a condition.
SUMMARY = replace(AT_VALUES, by=AT_VALUES.by[:2], keep=_with_all_values, columns={})


def tables(rows: pd.DataFrame, config: DictConfig) -> base.Tables:
    """The table "curves": the means of all measures over the draws at each value of a condition."""
    table = AT_VALUES.table(rows).assign(failed=False)
    first = ["case", "condition", "method", "value"]
    rare = [f"n_{flag}" for flag in RARE_FLAGS if f"n_{flag}" in table]
    last = ["failed", *AT_VALUES.columns, *rare]
    table = table[[*first, *table.columns.difference([*first, *last], sort=False), *last]]
    return {"curves": base.labelled(table, {**groups(config), "method": base.labels(config)})}


KIND = base.Kind(
    schema=Schema,
    check=check,
    run=run,
    summary=SUMMARY,
    tables=tables,
    groups=groups,
)
