"""Count the relevant features that rankings of few samples recover.

There is one curve for each method and generator. The draws are the same for all methods and numbers
of samples, and nothing is tuned on the ground truth.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
from omegaconf import DictConfig

from baselines import get
from experiments.cache import Run, Task
from experiments.config import (
    SCALINGS,
    ConfigError,
    at_least,
    check_dataset,
    check_numbers,
    check_rankings,
    method_labels,
    one_of,
    plain,
)
from experiments.datasets.generators import GENERATORS
from experiments.evaluation.methods import Method, resolve
from experiments.evaluation.samples import Drawn
from experiments.evaluation.summary import pairs, reference_of, row_flags, table
from experiments.kinds import base
from experiments.kinds.few_sample_recovery.tuned import Setting, task_of
from experiments.schemas import FewSampleRecoveryProtocol
from manifest import manifest_score

#: The columns that name a row; the value is the number of samples.
AXES = ["case", "value", "method", "draw"]
#: The columns that a row has from its task.
COLUMNS = (
    *("recovered", "average_precision", "accuracy"),
    *("n_relevant", "validation", "parameters"),
)


def check(config: DictConfig) -> None:
    """Raise a ConfigError unless values, numbers of samples and grids make sense."""
    check_rankings(config)
    protocol = config.protocol
    check_dataset(config, instead="change protocol.cases")
    check_numbers(config, "log2_C", "log2_gamma", "n_train", test_samples=1, inner_folds=2)
    at_least(config, "protocol.n_train[0]", 2 * protocol.inner_folds)  # Two samples a fold.
    at_least(config, "protocol.pool", protocol.n_train[-1])
    if not protocol.cases:
        raise ConfigError("protocol.cases must have at least one generator, got none")
    for case in protocol.cases.values():
        one_of(case.dataset, GENERATORS, "generator")
        one_of(case.scaling, SCALINGS, "scaling of a case")
        if "n_samples" in case.params:
            raise ConfigError(
                f"n_samples={case.params.n_samples} in the params of a case would have no effect; "
                "change protocol.pool and protocol.test_samples"
            )


def with_case(method: Method, manifest: Mapping[str, Any], config: DictConfig) -> Method:
    """Return the method with the case's parameters in each part that computes ManiFeSt."""
    asked = plain(config.method)
    given = {name: value for name, value in manifest.items() if asked.get(name) is None}
    parts = []
    for part in method.parts:
        if get(part.call) is manifest_score:
            grid = {name: values for name, values in part.grid.items() if name not in given}
            part = replace(part, fixed={**part.fixed, **given}, grid=grid)
        parts.append(part)
    return replace(method, parts=tuple(parts))


def tasks_of(run: Run) -> dict[tuple, Task]:
    """Return the tasks of all methods, cases, draws and numbers of samples, by AXES."""
    config = run.config
    protocol = config.protocol
    n_samples = protocol.pool + protocol.test_samples
    grid = (tuple(protocol.log2_C), tuple(protocol.log2_gamma))
    methods = resolve(config)
    tasks = {}
    for name, case in plain(protocol.cases).items():
        params = {**case["params"], "n_samples": n_samples}
        adapted = [with_case(method, case["manifest"], config) for method in methods]
        # Draw by draw, so that a worker needs a sample only once.
        for draw in range(protocol.n_repetitions):
            drawn = Drawn.of(case["dataset"], params, draw, config.seed)
            for n_train in protocol.n_train:
                setting = Setting(
                    protocol.pool, n_train, case["scaling"], protocol.inner_folds, *grid
                )
                for method in adapted:
                    axes = (name, float(n_train), method.name, draw)
                    tasks[axes] = task_of(drawn, method, setting)
    return tasks


def run(run: Run) -> base.Results:
    """Evaluate all methods of a config on all draws of its cases, from all numbers of samples."""
    cases = plain(run.config.protocol.cases)
    rows = []
    for axes, evaluated in run.rows_at(tasks_of(run), "draws", end=-1).items():
        row = dict(zip(AXES, axes, strict=True))
        for name in COLUMNS:
            row[name] = evaluated[name]
        row["selected"] = evaluated["order"]
        rows.append({**row, **row_flags(evaluated)})
    generators = dict.fromkeys(case["dataset"] for case in cases.values())
    data = {
        "name": ", ".join(generators),
        "params": {name: case["params"] for name, case in cases.items()},
        "generated": True,
    }
    return base.Results({"rows": pd.DataFrame(rows)}, data)


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """Return summary and differences over all numbers of samples, and "curves" at each.

    The summary uses the mean of each draw over the numbers of samples; a method that lacks one of
    them has failed.
    """
    methods = method_labels(config)
    cases = {}
    for name, case in plain(config.protocol.cases).items():
        cases[name] = case["label"] or name
    axes = {"case": cases, "method": methods}
    rows = stored["rows"]
    rows = rows.assign(recovered=rows["recovered"] / rows["n_relevant"])
    n_values = rows.groupby(["case", "method"])["value"].transform("nunique")
    whole = rows[n_values == n_values.groupby(rows["case"]).transform("max")]
    differences = pairs(whole, ["case"], reference_of([*methods]), "recovered", "draw")
    return {
        "summary": base.complete_table(_means(whole, ["case"]), axes),
        "curves": base.labelled(_means(rows, ["case", "value"]), axes),
        "pairs": base.labelled(differences, {"case": cases}),
    }


def _means(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the means of all measures over the draws."""
    summary = table(rows, by, "recovered", "draw")
    return base.with_means(summary, rows, by, "average_precision", "accuracy")


KIND = base.Kind(FewSampleRecoveryProtocol, check, run, tables, "recovered", ("case",))
