"""Count the relevant features that rankings recover, while samples get fewer or worse.

Every condition is one curve for each method and generator: the number of samples, the share of
wrong labels, copies of relevant features, a shift between two batches. The draws are the same for
all methods, conditions and values.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd
from omegaconf import DictConfig

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
from experiments.evaluation.draws import Altered, Drawn
from experiments.evaluation.method_config import computes_manifest
from experiments.evaluation.methods import Method
from experiments.evaluation.summary import RARE_FLAGS, Summary, most_common, reference_of
from experiments.evaluation.tuned import Tuning, unit_of
from experiments.kinds import base
from experiments.kinds.splits import check_neighbours

#: What a condition may vary -> the least and the largest value that it may have.
LIMITS = {
    "samples": (4, float("inf")),
    "label_noise": (0, 0.5),
    "copies": (0, float("inf")),
    "batch_shift": (0, float("inf")),
}
#: Conditions whose values are whole numbers.
WHOLE = ("samples", "copies")
#: Measures -> the beginning of the names of their intervals' ends.
MEASURES = {"recovered": "ci", "average_precision": "precision", "accuracy": "accuracy"}


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
    #: wrong), copies (of each relevant feature) and batch_shift (in standard deviations).
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
    for key, least in (("samples", 4), ("test_samples", 1), ("copy_noise", 0), ("inner_folds", 2)):
        at_least(config, f"protocol.{key}", least)
    for key in ("log2_C", "log2_gamma"):
        increasing(config, f"protocol.{key}")
    if not protocol.conditions:
        raise ConfigError(f"protocol.conditions must have at least one of {', '.join(LIMITS)}")
    for name, condition in protocol.conditions.items():
        one_of(name, LIMITS, "condition")
        key = f"protocol.conditions.{name}.steps"
        increasing(config, key)
        least, largest = LIMITS[name]
        for value in condition.steps:
            if not least <= value <= largest or (name in WHOLE and value != round(value)):
                whole = "whole numbers" if name in WHOLE else "numbers"
                raise ConfigError(f"{key} must be {whole} of {least} to {largest}, got {value:g}")
    varied = protocol.conditions.get("samples")
    usual = [] if set(protocol.conditions) == {"samples"} else [protocol.samples]
    at_least(config, "protocol.pool", max([*usual, *(varied.steps if varied else [])]))
    for case in (protocol.cases or {}).values():
        one_of(case.scaling, SCALINGS, "scaling of a case")


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


def settings_of(config: DictConfig) -> dict[tuple[str, float], dict[str, Any]]:
    """Condition and value of every point of the curves -> the arguments of Altered."""
    protocol, settings = config.protocol, {}
    for name, condition in protocol.conditions.items():
        for value in condition.steps:
            at = {**dict.fromkeys(LIMITS, 0), "samples": protocol.samples, name: value}
            settings[name, float(value)] = {
                "pool": protocol.pool,
                "samples_ranked": int(at["samples"]),
                "label_noise": float(at["label_noise"]),
                "copies": int(at["copies"]),
                # Without copies their noise makes no difference.
                "copy_noise": float(protocol.copy_noise) if at["copies"] else 0.0,
                "batch_shift": float(at["batch_shift"]),
            }
    return settings


def with_case(method: Method, manifest: Mapping[str, Any], config: DictConfig) -> Method:
    """The method with a case's parameters of ManiFeSt, if its scorers compute ManiFeSt."""
    asked = {name for name, value in plain(config.method).items() if value is not None}
    given = {name: value for name, value in manifest.items() if name not in asked}
    parts = []
    for part in method.parts:
        if computes_manifest(part):
            taken = {name: value for name, value in given.items() if name in part.keywords}
            grid = {name: values for name, values in part.grid.items() if name not in taken}
            part = replace(part, fixed={**part.fixed, **taken}, grid=grid)
        parts.append(part)
    return replace(method, parts=tuple(parts))


def run(run: base.Run) -> base.Results:
    """Judge all methods of a config on all draws of its cases, under all conditions."""
    config, protocol = run.config, run.config.protocol
    cases, settings = cases_of(config), settings_of(config)
    check_neighbours(run.methods, min(each["samples_ranked"] for each in settings.values()))
    table, draws = [], range(protocol.n_repetitions)
    grid = (tuple(protocol.log2_C), tuple(protocol.log2_gamma))
    for name, case in cases.items():
        tuning = Tuning(case["scaling"], protocol.inner_folds, *grid)
        methods = [with_case(method, case["manifest"], config) for method in run.methods]
        params = {**case["params"], "n_samples": protocol.pool + protocol.test_samples}
        # Draw by draw: a worker then needs a sample once.
        units = {
            (at, method.name, draw): unit_of(
                Altered(Drawn.of(case["dataset"], params, draw, config.seed), **setting),
                method,
                tuning,
            )
            for draw in draws
            for at, setting in settings.items()
            for method in methods
        }
        run.complete(list(units.values()), case["label"] or name)
        for condition, value in settings:
            for method in methods:
                head = {"case": name, "condition": condition, "value": value, "method": method.name}
                of_draws = run.rows([units[(condition, value), method.name, d] for d in draws])
                table += [head | _row(draw, row) for draw, row in enumerate(of_draws or [])]
    data = {
        "name": ", ".join(dict.fromkeys(case["dataset"] for case in cases.values())),
        "params": {name: case["params"] for name, case in cases.items()},
        "generated": True,
    }
    return base.Results(pd.DataFrame(table), data)


def _row(draw, row) -> dict[str, Any]:
    names = (*MEASURES, "n_relevant", "validation", "parameters")
    return {
        "draw": draw,
        **{name: row[name] for name in names},
        "selected": row["order"],
        "ambiguous": row["ambiguous"],
        **{flag: True for flag in RARE_FLAGS if row[flag]},
    }


#: Every draw counts with its mean over the values of a condition.
SUMMARY = Summary(
    measure="recovered",
    repetition="draw",
    by=("case", "condition"),
    words="{} of the relevant features",
    limits=(0.0, 1.0),
    keep=lambda rows: rows.assign(recovered=rows["recovered"] / rows["n_relevant"]),
)
#: The same at each value.
AT_VALUES = replace(
    SUMMARY,
    by=(*SUMMARY.by, "value"),
    columns={
        "n_relevant": lambda rows: rows["n_relevant"].iloc[0],
        "parameters": lambda rows: most_common(rows["parameters"]),
    },
)


def tables(rows: pd.DataFrame, config: DictConfig) -> base.Tables:
    """All tables of a run.

    Returns
    -------
    dict of str to DataFrame
        "curves" has a row for each case, condition, value and method: means over the draws of the
        share of relevant features that is recovered, of the average precision and of the accuracy,
        with their intervals. "summary" has the same for each case, condition and method; a method
        with a value that failed has failed. "pairs" has the differences of the reference to each
        other method.
    """
    n_values = {name: len(each.steps) for name, each in config.protocol.conditions.items()}
    at = [*SUMMARY.by, "method"]
    values = rows.groupby(at)["value"].transform("nunique")
    done = rows[values == rows["condition"].map(n_values)]
    known = {}
    if len(done):
        records = _with_all_measures(SUMMARY, done).to_dict("records")
        known = {tuple(row[name] for name in at): row for row in records}
    summary = [
        known.get(place) or dict(zip(at, place, strict=True))
        for place in (
            (case, condition, method)
            for case in cases_of(config)
            for condition in n_values
            for method in base.labels(config)
        )
    ]
    table = pd.DataFrame(summary)
    failed = table["recovered"].isna() if known else True
    counts = {name: "Int64" for name in table if str(name).startswith("n_")}
    curves = _with_all_measures(AT_VALUES, rows).assign(failed=False)
    curves.insert(list(curves).index("method"), "value", curves.pop("value"))
    rare = [f"n_{flag}" for flag in RARE_FLAGS if f"n_{flag}" in curves]
    last = ["failed", *AT_VALUES.columns, *rare]
    pairs = SUMMARY.pairs(done, reference_of(list(base.labels(config))))
    found = {
        "summary": table.assign(failed=failed).astype(counts),
        "curves": curves[[*(name for name in curves if name not in last), *last]],
        "pairs": pairs if len(pairs) else pd.DataFrame(),
    }
    return {name: _labelled(each, config) for name, each in found.items()}


def _with_all_measures(summary, rows) -> pd.DataFrame:
    """The summary's table with the means and intervals of the other measures."""
    table = summary.table(rows)
    place = list(table).index("ci_high") + 1
    for name, ends in list(MEASURES.items())[1:]:
        other = replace(summary, measure=name, columns={}).table(rows)
        columns = {name: name, "ci_low": f"{ends}_low", "ci_high": f"{ends}_high"}
        for column, renamed in columns.items():
            table.insert(place, renamed, other[column])
            place += 1
    return table


def _labelled(table, config) -> pd.DataFrame:
    """The table with the labels of cases, conditions and methods beside their names."""
    cases, conditions = cases_of(config), plain(config.protocol.conditions)
    labels = {
        "case": {name: case["label"] or name for name, case in cases.items()},
        "condition": {
            name: each["label"] or name.replace("_", " ") for name, each in conditions.items()
        },
    }
    for name, of_names in labels.items():
        if name in table:
            place = list(table).index(name) + 1
            table.insert(place, f"{name}_label", table[name].map(of_names))
    if "method" in table and "other" not in table:
        place = list(table).index("method") + 1
        table.insert(place, "label", table["method"].map(base.labels(config)))
    return table


def shown(tables: base.Tables) -> pd.DataFrame:
    """Recovered shares in percent: a row for each method, a column for each case and condition."""
    summary = tables["summary"]
    if "recovered" not in summary:
        return summary
    places = summary["case"]
    if summary["condition"].nunique() > 1:
        places = places + " " + summary["condition"].str.replace("_", " ")
    wide = summary.assign(place=places, percent=100 * summary["recovered"]).pivot_table(
        index="label", columns="place", values="percent", sort=False
    )
    return wide.reset_index().rename_axis(columns=None)


KIND = base.Kind(
    schema=Schema,
    check=check,
    run=run,
    summary=SUMMARY,
    tables=tables,
    shown=shown,
)
