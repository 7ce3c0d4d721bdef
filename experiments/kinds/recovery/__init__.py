"""Count the relevant features among the best, with new samples in each draw.

As in the paper, methods are tuned with the known answer: their parameters have the most correct
selections over all draws. In some draws, an SVM may be tested on the selection of each tuned
method; equal selections are tested once.
"""

import itertools
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from baselines import min_max
from experiments.cache import Row, Run, Task
from experiments.config import (
    PARTS,
    ConfigError,
    check_dataset,
    check_methods,
    check_numbers,
    method_labels,
    plain,
    share,
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
    protocol, least = config.protocol, {"n_selected": 1, "ranking_samples": 4, "inner_folds": 2}
    # A picture has the accuracy of its selection.
    least["evaluated_draws"] = int(bool(protocol.embedded))
    check_numbers(config, "log2_C", "log2_gamma", **least)
    sizes = "the generator's own numbers in dataset.params say how large a draw is"
    check_dataset(config, *PARTS, instead=sizes)
    check_methods(config, protocol.embedded, "protocol.embedded")
    if protocol.test_size is not None:
        share(config, "protocol.test_size")
    elif protocol.evaluated_draws:
        raise ConfigError(
            "protocol.test_size must be a share in (0, 1) if an SVM is tested (evaluated_draws), "
            "got null"
        )


def cases_of(config: DictConfig) -> dict[str, dict[str, Any]]:
    """Name of a case -> its label and all arguments of its generator; "" names the only one."""
    params = plain(config.dataset.params)
    cases = plain(config.protocol.cases) or {"": {"label": "", "params": {}}}
    return {
        name: {"label": case["label"], "params": {**params, **case["params"]}}
        for name, case in cases.items()
    }


def groups(config: DictConfig) -> dict[str, dict[str, str]]:
    """The cases with their labels, if the config has any."""
    labels = {name: case["label"] for name, case in cases_of(config).items()}
    return {"case": labels} if config.protocol.cases else {}


def problem_of(config: DictConfig, case: str, draw: int) -> Problem:
    """A draw of a case."""
    protocol, params = config.protocol, cases_of(config)[case]["params"]
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
    rows = [row for case in cases_of(config) for row in _rows(run, methods, case)]
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
    """A row for each method, candidate and draw of a case.

    A method that takes all features has rows of the draws on which an SVM was tested.
    """
    config, known = run.config, KnownFeatures(n_selected=run.config.protocol.n_selected)
    problems = [problem_of(config, case, draw) for draw in range(config.protocol.n_repetitions)]
    head = {"case": case} if case else {}
    entries = [Entry(method, problems, known) for method in methods if not method.takes_all]
    plan.complete(run, entries)
    rows, selected = [], dict[str, list[list[int]]]()
    for entry in entries:
        done, name = plan.candidates(run, entry), entry.method.name
        best = known.candidate([candidate.rows for candidate in done]) if done else None
        for i, (parameters, of_draws) in enumerate(done):
            at = {**head, "method": name, "parameters": text(parameters), "tuned": i == best}
            kept = ("scores", "relevant") if i == best else ()
            for draw, row in enumerate(of_draws):
                counts = {"draw": draw, "correct": known.n_correct(row), **row_flags(row)}
                rows.append({**at, **counts, **{name: row[name] for name in kept}})
            if i == best:
                selected[name] = [known.selected(row).tolist() for row in of_draws]
    whole = [method.name for method in methods if method.takes_all]
    if whole:
        n_features = problems[0].source.samples().X.shape[1]
        selected |= dict.fromkeys(whole, [list(range(n_features))] * len(problems))
    tasks = {
        (name, draw, task.key): task
        for draw, problem in enumerate(problems)
        for name, of_draws in selected.items()
        for task in selection_tasks(config, name, draw, problem, of_draws[draw])
    }
    looks: dict[tuple, Row] = defaultdict(dict)
    for (name, draw, _), row in run.rows_at(tasks, "selections").items():
        looks[name, draw].update(row)
    for row in rows:
        yield row | (looks[row["method"], row["draw"]] if row["tuned"] else {})
    for name, (draw, problem) in itertools.product(whole, enumerate(problems)):
        if look := looks[name, draw]:
            at = {**head, "method": name, "parameters": "", "tuned": True, "ambiguous": False}
            relevant = problem.source.samples().relevant
            yield {**at, "draw": draw, "correct": np.nan, "relevant": relevant, **look}


def selection_tasks(
    config: DictConfig, name: str, draw: int, problem: Problem, columns: list[int]
) -> list[Task]:
    """The tasks of the SVM on the columns that a method selects, and of their picture.

    A control is judged by the features that it finds alone.
    """
    protocol, tasks = config.protocol, []
    if name in config.controls:
        return []
    if draw < protocol.evaluated_draws:
        grid = {axis: list(protocol[axis]) for axis in ("log2_C", "log2_gamma")}
        svm = {"n_folds": protocol.inner_folds, **grid}
        tasks.append(selections.task_of(selections.svm, problem, columns, **svm))
    shown = [method for method in protocol.embedded if method in method_labels(config)]
    if draw == 0 and shown and (name in shown or config.method.scorers[name].get("takes_all")):
        tasks.append(selections.task_of(selections.plane, problem, columns))
    return tasks


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """All tables of a run; with cases, each has a column "case".

    "summary" has a row for each method, and one for all features if SVMs were tested; "features"
    one for each method and feature; "tsne" one for each test sample and picture; "panels" one for
    each picture.
    """
    rows, methods, axes = stored["rows"], method_labels(config), groups(config)
    tuned, by = rows[rows["tuned"]].astype({"correct": float}), [*axes, "method"]
    differences = pairs(tuned, [*axes], reference_of([*methods]), "correct", "draw")
    summary = base.complete_table(_summary(tuned, [*axes], config), {**axes, "method": methods})
    ranked = tuned[tuned["scores"].notna()].groupby(by, sort=False)
    features = [_features(dict(zip(by, at, strict=True)), part, config) for at, part in ranked]
    has_pictures = "tsne" in stored and "accuracy" in rows
    pictures = _pictures(tuned, stored["tsne"], by, config) if has_pictures else {}
    return {
        "summary": summary,
        "features": pd.concat(features),
        **pictures,
        "pairs": base.labelled(differences, axes),
    }


def _summary(tuned, by, config) -> pd.DataFrame:
    """The means over the draws; intervals end at the number of features that can be selected."""
    most = tuned["relevant"].map(len).clip(upper=config.protocol.n_selected)
    options: dict[str, Any] = {"heads": ["parameters"], "limits": (0.0, np.inf)}
    rows = tuned.assign(most=most)
    found = table(rows, by, "correct", "draw", **options, most=("most", "mean"))
    found["ci_high"] = found["ci_high"].clip(upper=found.pop("most"))
    return base.with_means(found, tuned, by, *(["accuracy"] if "accuracy" in tuned else []))


def _features(at, rows, config) -> pd.DataFrame:
    """Mean and deviation of a method's scores, normalised to [0, 1] in each draw.

    With cases, there is also the share of draws that select a feature. The table is empty if the
    relevant features change from draw to draw: a feature's number then means another feature in
    each draw.
    """
    if len({tuple(relevant) for relevant in rows["relevant"]}) > 1:
        return pd.DataFrame()
    scaled = np.array([min_max(scores) for scores in rows["scores"]])
    table: dict = {**at, "feature": np.arange(1, scaled.shape[1] + 1)}
    table |= {"mean": scaled.mean(axis=0), "std": scaled.std(axis=0)}
    if "case" in at:
        n_selected = config.protocol.n_selected or len(rows["relevant"].iloc[0])
        draws = [problem_of(config, at["case"], draw) for draw in rows["draw"]]
        ranked = [rank(s, one.ties()) for s, one in zip(rows["scores"], draws, strict=True)]
        chosen = np.concatenate([order[:n_selected] for order in ranked])
        table["selected"] = np.bincount(chosen, minlength=scaled.shape[1]) / len(rows)
    return pd.DataFrame(table)


def _pictures(rows, points, by, config) -> base.Tables:
    """The test samples in the plane, and the numbers above each picture."""
    whole = [name for name, entry in plain(config.method.scorers).items() if entry.get("takes_all")]
    order = [*whole, *config.protocol.embedded]
    rows = rows.assign(mean_accuracy=rows.groupby(by)["accuracy"].transform("mean"))
    first = rows[(rows["draw"] == 0) & rows["method"].isin(points["method"])]
    n_relevant, n_features = first["relevant"].map(len), len(rows["scores"].dropna().iloc[0])
    n_selected, is_all = config.protocol.n_selected or n_relevant, first["method"].isin(whole)
    panels = first.assign(
        label=first["method"].map(method_labels(config)),
        n_relevant=n_relevant,
        n_selected=np.where(is_all, n_features, n_selected),
    )
    numbers = ["correct", "n_relevant", "n_selected", "accuracy", "mean_accuracy"]
    pictures = {"tsne": points.drop(columns="draw"), "panels": panels[[*by, "label", *numbers]]}
    by_method = {"by": "method", "key": lambda names: names.map(order.index), "kind": "stable"}
    return {
        name: table.sort_values(**by_method).rename(columns={"method": "panel"})
        for name, table in pictures.items()
    }


KIND = base.Kind(RecoveryProtocol, check, run, tables, "correct", ("case",))
