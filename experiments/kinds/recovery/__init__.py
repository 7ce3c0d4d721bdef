"""Count the relevant features among the best, with new samples in each draw.

As in the paper, methods are tuned with the known answer: their parameters have the most correct
selections over all draws. In some draws, an SVM may be tested on the selection of each tuned
method; equal selections are tested once.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from baselines import min_max
from experiments.cache import Row, Run
from experiments.config import (
    PARTS,
    ConfigError,
    check_dataset,
    check_methods,
    check_numbers,
    check_rankings,
    method_labels,
    plain,
    share,
    without_selection,
)
from experiments.datasets.generators import GENERATORS
from experiments.evaluation import plan
from experiments.evaluation.division import Whole
from experiments.evaluation.methods import Method, resolve, text
from experiments.evaluation.plan import Entry
from experiments.evaluation.samples import Drawn
from experiments.evaluation.summary import pairs, reference_of, row_flags, table
from experiments.evaluation.tasks import Problem, rank
from experiments.evaluation.tuning import KnownFeatures
from experiments.kinds import base
from experiments.kinds.recovery import selections
from experiments.schemas import RecoveryProtocol

#: Columns of a picture, which are a table of their own.
PICTURE = ["x", "y", "class"]


def check(config: DictConfig) -> None:
    """Raise a ConfigError unless numbers of draws, rows, features and folds make sense."""
    protocol = config.protocol
    least = {"n_selected": 1, "ranking_samples": 4, "inner_folds": 2}
    # A picture has the accuracy of its selection.
    least["evaluated_draws"] = int(bool(protocol.embedded))
    check_numbers(config, "log2_C", "log2_gamma", **least)
    sizes = "the generator's own numbers in dataset.params say how large a draw is"
    check_dataset(config, *PARTS, instead=sizes)
    check_methods(config, protocol.embedded, "protocol.embedded")
    check_rankings(config, beside=protocol.evaluated_draws > 0)
    if protocol.test_size is not None:
        share(config, "protocol.test_size")
    elif protocol.evaluated_draws:
        raise ConfigError(
            "protocol.test_size must be a share in (0, 1) if an SVM is tested (evaluated_draws), "
            "got null"
        )


def cases_of(config: DictConfig) -> dict[str, dict[str, Any]]:
    """Name of a case -> its label and all arguments of its generator; "" names the only one."""
    shared = plain(config.dataset.params)
    cases = plain(config.protocol.cases) or {"": {"label": "", "params": {}}}
    completed = {}
    for name, case in cases.items():
        params = {**shared, **case["params"]}
        completed[name] = {"label": case["label"], "params": params}
    return completed


def groups(config: DictConfig) -> dict[str, dict[str, str]]:
    """The cases with their labels, if the config has any."""
    if not config.protocol.cases:
        return {}
    return {"case": {name: case["label"] for name, case in cases_of(config).items()}}


def problem_of(config: DictConfig, case: str, draw: int) -> Problem:
    """A draw of a case."""
    protocol = config.protocol
    params = cases_of(config)[case]["params"]
    whole = Whole(protocol.test_size, protocol.ranking_samples)
    source = Drawn.of(config.dataset.name, params, draw, config.seed)
    return Problem(source, whole, None, config.seed, config.dataset.scaling)


def run(run: Run) -> base.Results:
    """Rank all draws with all methods, tune the methods, and evaluate their selections."""
    config = run.config
    if config.dataset.name not in GENERATORS:
        raise ConfigError(
            "the recovery protocol counts relevant features, which are known of generated samples "
            f"alone; choose dataset={', '.join(sorted(GENERATORS))}, or an experiment with "
            f"protocol=accuracy for dataset={config.dataset.name}"
        )
    methods = resolve(config)
    rows: list[dict] = []
    for case in cases_of(config):
        rows += _rows(run, methods, case)
    table = pd.DataFrame(rows)
    stored = {"rows": table.drop(columns=PICTURE, errors="ignore")}
    if "accuracy" in table:
        stored["rows"] = stored["rows"].astype({"correct": "Int64"})
    if "x" in table:
        points = table[table["x"].notna()].explode(PICTURE, ignore_index=True)
        points = points.astype({"x": float, "y": float, "class": int})
        stored["tsne"] = points[[*groups(config), "method", "draw", *PICTURE]]
    data = {"name": config.dataset.name, "params": plain(config.dataset.params), "generated": True}
    cases = {name: case["params"] for name, case in plain(config.protocol.cases).items()}
    return base.Results(stored, {**data, "cases": cases})


def _rows(run: Run, methods: list[Method], case: str) -> Iterator[dict]:
    """A row for each method, candidate and draw of a case; of all features, for each SVM."""
    config = run.config
    head = {"case": case} if case else {}
    problems = [problem_of(config, case, draw) for draw in range(config.protocol.n_repetitions)]
    rows, selected = _ranked(run, methods, problems)
    whole = [method.name for method in methods if method.takes_all]
    for name in whole:
        n_features = problems[0].source.samples().X.shape[1]
        selected[name] = [list(range(n_features))] * len(problems)
    evaluated = _evaluated(run, problems, selected)
    for row in rows:
        results = evaluated.get((row["method"], row["draw"]), {}) if row["tuned"] else {}
        yield {**head, **row, **results}
    for (name, draw), results in evaluated.items():
        if name in whole:
            row = {"method": name, "parameters": "", "tuned": True, "ambiguous": False}
            row |= {"draw": draw, "correct": np.nan}
            row["relevant"] = problems[draw].source.samples().relevant
            yield {**head, **row, **results}


def _ranked(
    run: Run, methods: list[Method], problems: list[Problem]
) -> tuple[list[dict], dict[str, list[list[int]]]]:
    """Return a row for each method that ranks, candidate and draw, and the columns of its draws."""
    known = KnownFeatures(n_selected=run.config.protocol.n_selected)
    entries = [Entry(method, problems, known) for method in methods if not method.takes_all]
    plan.complete(run, entries)
    rows = []
    selected = {}
    for entry in entries:
        name = entry.method.name
        candidates = plan.candidates(run, entry)
        if not candidates:
            continue
        best = known.candidate([candidate.rows for candidate in candidates])
        for i, (parameters, rows_of_draws) in enumerate(candidates):
            is_best = i == best
            head = {"method": name, "parameters": text(parameters), "tuned": is_best}
            for draw, ranked in enumerate(rows_of_draws):
                row = {**head, "draw": draw, "correct": known.n_correct(ranked)}
                row |= row_flags(ranked)
                if is_best:
                    row |= {"scores": ranked["scores"], "relevant": ranked["relevant"]}
                rows.append(row)
        selected[name] = [known.selected(ranked).tolist() for ranked in candidates[best].rows]
    return rows, selected


def _evaluated(
    run: Run, problems: list[Problem], selected: dict[str, list[list[int]]]
) -> dict[tuple, Row]:
    """Return what the tasks of selections have found, by method and draw.

    They test an SVM on the columns that a method selects, and map them to the plane.
    """
    config = run.config
    protocol = config.protocol
    svm = {
        "n_folds": protocol.inner_folds,
        "log2_C": list(protocol.log2_C),
        "log2_gamma": list(protocol.log2_gamma),
    }
    shown = [method for method in protocol.embedded if method in method_labels(config)]
    pictured = [*shown, *without_selection(config)] if shown else []
    tasks = {}
    for draw, problem in enumerate(problems):
        for name, columns in selected.items():
            if name in config.controls:
                continue  # A control is judged by the features that it finds alone.
            task_of = partial(selections.task_of, problem=problem, columns=columns[draw])
            if draw < protocol.evaluated_draws:
                tasks[name, draw, "svm"] = task_of(selections.svm, **svm)
            if draw == 0 and name in pictured:
                tasks[name, draw, "plane"] = task_of(selections.plane)
    evaluated: dict[tuple, Row] = {}
    for (name, draw, _), row in run.rows_at(tasks, "selections").items():
        evaluated.setdefault((name, draw), {}).update(row)
    return evaluated


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """All tables of a run; with cases, each has a column "case".

    "summary" has a row for each method, and one for all features if SVMs were tested; "features"
    one for each method and feature; "tsne" one for each test sample and picture; "panels" one for
    each picture.
    """
    rows = stored["rows"]
    methods = method_labels(config)
    axes = groups(config)
    by = [*axes, "method"]
    tuned = rows[rows["tuned"]].astype({"correct": float})
    differences = pairs(tuned, [*axes], reference_of([*methods]), "correct", "draw")
    summary = base.complete_table(_summary(tuned, [*axes], config), {**axes, "method": methods})
    features = []
    for group, ranked in tuned[tuned["scores"].notna()].groupby(by, sort=False):
        head = dict(zip(by, group, strict=True))
        features.append(_features(head, ranked, config))
    tables = {"summary": summary, "features": pd.concat(features)}
    if "tsne" in stored and "accuracy" in rows:
        tables |= _pictures(tuned, stored["tsne"], by, config)
    tables["pairs"] = base.labelled(differences, axes)
    return tables


def _summary(tuned: pd.DataFrame, by: list[str], config: DictConfig) -> pd.DataFrame:
    """The means over the draws; intervals end at the number of features that can be selected."""
    n_relevant = tuned["relevant"].map(len)
    rows = tuned.assign(most=n_relevant.clip(upper=config.protocol.n_selected))
    options: dict[str, Any] = {"heads": ["parameters"], "limits": (0.0, np.inf)}
    summary = table(rows, by, "correct", "draw", **options, most=("most", "mean"))
    summary["ci_high"] = summary["ci_high"].clip(upper=summary.pop("most"))
    return base.with_means(summary, tuned, by, *(["accuracy"] if "accuracy" in tuned else []))


def _features(head: dict[str, Any], rows: pd.DataFrame, config: DictConfig) -> pd.DataFrame:
    """Mean and deviation of a method's scores, normalised to [0, 1] in each draw."""
    answers = {tuple(relevant) for relevant in rows["relevant"]}
    if len(answers) > 1:  # A feature's number means another feature in each draw.
        return pd.DataFrame()
    scaled = np.array([min_max(scores) for scores in rows["scores"]])
    n_draws, n_features = scaled.shape
    table: dict = {**head, "feature": np.arange(1, n_features + 1)}
    table |= {"mean": scaled.mean(axis=0), "std": scaled.std(axis=0)}
    if "case" in head:
        n_selected = config.protocol.n_selected or len(rows["relevant"].iloc[0])
        n_times = np.zeros(n_features, dtype=int)
        for draw, scores in zip(rows["draw"], rows["scores"], strict=True):
            ties = problem_of(config, head["case"], draw).ties()
            n_times[rank(scores, ties)[:n_selected]] += 1
        table["selected"] = n_times / n_draws
    return pd.DataFrame(table)


def _pictures(
    rows: pd.DataFrame, points: pd.DataFrame, by: list[str], config: DictConfig
) -> base.Tables:
    """The test samples in the plane, and the numbers above each picture."""
    whole = without_selection(config)
    order = [*whole, *config.protocol.embedded]
    rows = rows.assign(mean_accuracy=rows.groupby(by)["accuracy"].transform("mean"))
    first = rows[(rows["draw"] == 0) & rows["method"].isin(points["method"])]
    n_relevant = first["relevant"].map(len)
    n_features = len(rows["scores"].dropna().iloc[0])
    n_selected = config.protocol.n_selected or n_relevant
    is_whole = first["method"].isin(whole)
    panels = first.assign(
        label=first["method"].map(method_labels(config)),
        n_relevant=n_relevant,
        n_selected=np.where(is_whole, n_features, n_selected),
    )
    numbers = ["correct", "n_relevant", "n_selected", "accuracy", "mean_accuracy"]
    pictures = {"tsne": points.drop(columns="draw"), "panels": panels[[*by, "label", *numbers]]}
    for name, picture in pictures.items():
        picture = picture.sort_values("method", key=lambda m: m.map(order.index), kind="stable")
        pictures[name] = picture.rename(columns={"method": "panel"})
    return pictures


KIND = base.Kind(RecoveryProtocol, check, run, tables, "correct", ("case",))
