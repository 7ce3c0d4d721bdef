"""Count the relevant features among the best, on samples drawn anew each time.

The parameters of a method have the most correct selections over all draws, as in the paper where
the relevant features are known. In some draws, an SVM may be tested on the selection of each tuned
method; equal selections, of any methods, are tested once.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from baselines import min_max
from experiments.config import ConfigError, ProtocolConfig, at_least, increasing, plain, share
from experiments.datasets.generators import GENERATORS
from experiments.engine.keys import Row
from experiments.evaluation import selections
from experiments.evaluation.draws import Drawn
from experiments.evaluation.judges import Relevant
from experiments.evaluation.methods import text
from experiments.evaluation.oracle import Draws
from experiments.evaluation.plan import Plan
from experiments.evaluation.ranking import Problem
from experiments.evaluation.rows import Whole
from experiments.evaluation.scoring import rank
from experiments.evaluation.summary import RARE_FLAGS, Summary, reference_of
from experiments.kinds import base
from experiments.kinds.splits import check_neighbours

#: The method that stands for the SVM, or the picture, on all features.
ALL_FEATURES, ALL_FEATURES_LABEL = "all_features", "All features"
#: Columns of rows in which an SVM was tested, and of rows that are shown in the plane.
TESTED, SHOWN = ("accuracy", "validation", "log2_C", "log2_gamma"), ("x", "y", "class")


@dataclass
class Case:
    """One part of an experiment: its label, and the difference of its samples."""

    label: str = ""
    #: Arguments of the generator, over those of the data set.
    params: dict[str, Any] = field(default_factory=dict)


@dataclass
class Schema(ProtocolConfig):
    """Draws of a generator that knows the relevant features."""

    kind: str = "recovery"
    #: Number of the best features that are selected; as many as are relevant if null.
    n_selected: int | None = None
    #: Parts of the experiment, by name, each summarised on its own; one unnamed part if empty.
    cases: dict[str, Case] = field(default_factory=dict)
    #: Share of the samples that neither rankings nor SVMs see; none if null.
    test_size: float | None = None
    #: Number of the other samples that rankings are made from, stratified; all if null.
    ranking_samples: int | None = None
    #: Number of draws, the first ones, in which an SVM on the selected features is tested.
    judged_draws: int = 0
    inner_folds: int = 10
    log2_C: list[float] = field(default_factory=list)
    log2_gamma: list[float] = field(default_factory=list)
    #: Methods whose selection in the first draw is shown by t-SNE, beside all features.
    embedded: list[str] = field(default_factory=list)


def check(config: DictConfig) -> None:
    """Raise a ConfigError unless numbers of draws, rows, features and folds make sense."""
    for key, least in (
        ("n_selected", 1),
        ("ranking_samples", 4),
        ("judged_draws", 0),
        ("inner_folds", 2),
    ):
        at_least(config, f"protocol.{key}", least)
    for key in ("log2_C", "log2_gamma"):
        increasing(config, f"protocol.{key}")
    if config.protocol.test_size is not None:
        share(config, "protocol.test_size")
    elif config.protocol.judged_draws or config.protocol.embedded:
        raise ConfigError(
            "protocol.test_size must be a share in (0, 1) where an SVM is tested (judged_draws) or "
            "test samples are shown (embedded), got null"
        )


def cases_of(config: DictConfig) -> dict[str | None, dict[str, Any]]:
    """Name of a case -> its label and all arguments of its generator; None names the only one."""
    params = plain(config.dataset.params)
    cases = plain(config.protocol.cases) or {None: {"label": "", "params": {}}}
    return {
        name: {"label": case["label"], "params": {**params, **case["params"]}}
        for name, case in cases.items()
    }


def run(run: base.Run) -> base.Results:
    """Rank all draws with all methods, tune the methods, and judge their selections."""
    config = run.config
    if config.dataset.name not in GENERATORS:
        raise ConfigError(
            "the recovery protocol counts relevant features, which are known of generated samples "
            f"alone; choose dataset={', '.join(sorted(GENERATORS))}, or an experiment with "
            f"protocol=accuracy for dataset={config.dataset.name}"
        )
    of_methods: list[dict] = []
    of_all_features: list[dict] = []
    for name, case in cases_of(config).items():
        head = {} if name is None else {"case": name}
        for row in _rows(run, case["params"]):
            table = of_all_features if row["method"] == ALL_FEATURES else of_methods
            table.append(head | row)
    rows = pd.DataFrame([*of_methods, *of_all_features])
    if of_all_features:
        rows["correct"] = rows["correct"].astype("Int64")
    data = {"name": config.dataset.name, "params": plain(config.dataset.params), "generated": True}
    if config.protocol.cases:
        of_cases = plain(config.protocol.cases).items()
        data["cases"] = {name: case["params"] for name, case in of_cases}
    return base.Results(rows, data)


def _problems(config, params) -> list[Problem]:
    """The draws of a case."""
    protocol = config.protocol
    rows, seed = Whole(protocol.test_size, protocol.ranking_samples), config.seed
    sources = [
        Drawn.of(config.dataset.name, params, draw, seed) for draw in range(protocol.n_repetitions)
    ]
    return [Problem(each, rows, (Relevant(),), seed, config.dataset.scaling) for each in sources]


def _rows(run, params) -> Iterator[dict]:
    """A row for each method, candidate and draw of a case; the tuned ones have scores."""
    problems, protocol = _problems(run.config, params), run.config.protocol
    first = problems[0].division(problems[0].source.samples().y)
    check_neighbours(run.methods, len(first.rank))
    plan = Plan(run.complete, run.store, run.outcome)
    ranked = Draws(plan, problems, protocol.n_selected).complete(run, run.methods)
    looks = _looks(run, problems, ranked) if ranked else {}
    tested = dict.fromkeys(TESTED if protocol.judged_draws else (), np.nan)
    for name, each in ranked.items():
        correct, best = each.correct(), each.best()
        for i, (parameters, of_draws) in enumerate(zip(each.parameters, each.rows, strict=True)):
            for draw, row in enumerate(of_draws):
                yield {
                    "method": name,
                    "parameters": text(parameters),
                    "tuned": i == best,
                    "draw": draw,
                    "correct": correct[i, draw],
                    "ambiguous": row["ambiguous"],
                    **tested,
                    "scores": row["scores"] if i == best else None,
                    "relevant": row["relevant"] if i == best else None,
                    **(looks.get((name, draw), {}) if i == best else {}),
                    **{flag: True for flag in RARE_FLAGS if row[flag]},
                }
    head = {"method": ALL_FEATURES, "parameters": "", "tuned": True, "correct": np.nan}
    for (name, draw), row in looks.items():
        if name == ALL_FEATURES and row:
            relevant = next(iter(ranked.values())).rows[0][draw]["relevant"]
            yield {**head, "draw": draw, "ambiguous": False, **tested, "relevant": relevant, **row}


def _looks(run, problems, ranked) -> dict[tuple[str, int], Row]:
    """(Method or all features, draw) -> columns of its SVM and of its picture, if there are any."""
    protocol = run.config.protocol
    svm = {"n_folds": protocol.inner_folds}
    svm |= {name: list(protocol[name]) for name in ("log2_C", "log2_gamma")}
    n_features = len(next(iter(ranked.values())).rows[0][0]["scores"])
    columns = {name: each.selections() for name, each in ranked.items()}
    columns = {ALL_FEATURES: [list(range(n_features))] * len(problems), **columns}
    shown = [name for name in protocol.embedded if name in ranked]
    looks: dict[tuple[str, int], Row] = {}
    for words, task, options, names, number in (
        ("SVMs", selections.svm, svm, columns, protocol.judged_draws),
        ("t-SNE", selections.plane, {}, [ALL_FEATURES, *shown] if shown else [], 1),
    ):
        units = {
            (name, draw): selections.unit_of(task, problem, columns[name][draw], **options)
            for draw, problem in enumerate(problems[:number])
            for name in names
        }
        run.complete(list(units.values()), words)
        for at, unit in units.items():
            looks[at] = {**looks.get(at, {}), **run.outcome.rows.get(unit.key, {})}
    return looks


def _counted(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of tuned methods."""
    return rows[rows["tuned"] & (rows["method"] != ALL_FEATURES)].astype({"correct": float})


def _quantile(share):
    return lambda rows: np.percentile(rows["correct"], share)


SUMMARY = Summary(
    measure="correct",
    repetition="draw",
    by=("case",),
    heads=("parameters",),
    words="{} relevant features",
    is_share=False,
    keep=_counted,
    columns={"median": _quantile(50), "q25": _quantile(25), "q75": _quantile(75)},
)
#: The accuracies of the SVM, and their names in the table "summary".
ACCURACY = Summary(
    measure="accuracy",
    repetition="draw",
    by=("case",),
    limits=(0.0, 1.0),
    keep=lambda rows: rows[rows["accuracy"].notna()],
)
NAMES = {"std": "accuracy_std", "ci_low": "accuracy_low", "ci_high": "accuracy_high"}


def tables(rows: pd.DataFrame, config: DictConfig) -> base.Tables:
    """All tables of a run; with cases, each has a column "case".

    Returns
    -------
    dict of str to DataFrame
        "summary" has a row for each method, and one for all features if SVMs were tested. "pairs"
        has the differences in correct selections of the reference to each other method. "features"
        has a row for each method and feature. "tsne" has a row for each test sample and picture,
        "panels" one for each picture. Empty tables are left out.
    """
    summary = _summary(rows, config)
    looked: dict[str, list] = {"features": [], "tsne": [], "panels": []}
    for name, case in cases_of(config).items():
        head = {} if name is None else {"case": name}
        part, of_case = (t if name is None else t[t["case"] == name] for t in (rows, summary))
        problems = _problems(config, case["params"])
        looked["features"] += _features(head, _counted(part), problems, config)
        looked["tsne"] += _tsne(head, part, config)
        looked["panels"] += _panels(head, part, of_case, config)
    found = {name: pd.concat(parts) for name, parts in looked.items() if parts}
    pairs = SUMMARY.pairs(rows, reference_of(list(base.labels(config))))
    return {"summary": summary, **found, "pairs": pairs if len(pairs) else pd.DataFrame()}


def _summary(rows, config):
    table, labels = SUMMARY.table(rows), base.labels(config)
    at = [*SUMMARY.axes(rows), "method"]
    if "accuracy" in rows:
        accuracies = ACCURACY.table(rows).rename(columns={**NAMES, "n_draws": "n_judged"})
        accuracies = accuracies.drop(columns="n_ambiguous", errors="ignore")
        table = table.merge(accuracies, how="outer", on=at)
        table = table.fillna({"n_draws": 0, "n_ambiguous": 0, "n_judged": 0})
    known: dict = {tuple(row[name] for name in at): row for row in table.to_dict("records")}
    complete = []
    for name, case in cases_of(config).items():
        case_at = () if name is None else (name,)
        head = {} if name is None else {"case": name, "case_label": case["label"]}
        for method, label in [*labels.items(), (ALL_FEATURES, ALL_FEATURES_LABEL)]:
            row = known.get((*case_at, method))
            if row is not None or method != ALL_FEATURES:
                names = {**head, "method": method, "label": label}
                complete.append({**names, **(row or {}), "failed": row is None})
    counts = {name: "Int64" for name in ("n_draws", "n_ambiguous", "n_judged") if name in table}
    return pd.DataFrame(complete).astype(counts)


def _features(head, rows, problems, config) -> Iterator[pd.DataFrame]:
    """Mean and deviation of each method's scores, normalised to [0, 1] in each draw.

    With cases, there are also the share of draws that select a feature, and its mean place. The
    table has no method whose relevant features change from draw to draw: a feature's number then
    means another feature in each draw.
    """
    for method, group in rows.groupby("method", sort=False):
        relevant = list(group["relevant"])
        if any(not np.array_equal(each, relevant[0]) for each in relevant):
            continue
        scaled = np.array([min_max(scores) for scores in group["scores"]])
        numbers = np.arange(1, scaled.shape[1] + 1)
        table: dict = {**head, "method": method, "feature": numbers}
        table |= {"mean": scaled.mean(axis=0), "std": scaled.std(axis=0)}
        if head:
            ties = [problems[draw].ties() for draw in group["draw"]]
            ranked = [rank(*each) for each in zip(group["scores"], ties, strict=True)]
            places = np.array([np.argsort(order) for order in ranked])
            n_selected = config.protocol.n_selected or len(relevant[0])
            table["selected"] = (places < n_selected).mean(axis=0)
            table["place"] = places.mean(axis=0) + 1
        yield pd.DataFrame(table)


def _pictures(rows, config) -> list[dict]:
    """The rows of a case that are shown in the plane, in the order of the config."""
    shown = rows[rows["x"].notna()].to_dict("records") if "x" in rows else []
    order = [ALL_FEATURES, *config.protocol.embedded]
    return sorted(shown, key=lambda row: order.index(row["method"]))


def _tsne(head, rows, config) -> Iterator[pd.DataFrame]:
    for row in _pictures(rows, config):
        points = {name: row[name] for name in SHOWN}
        yield pd.DataFrame({**head, "panel": row["method"], **points})


def _panels(head, rows, summary, config) -> Iterator[pd.DataFrame]:
    """The numbers above each picture: the accuracy in its draw and the mean over judged draws."""
    for row in _pictures(rows, config):
        of_method = summary[summary["method"] == row["method"]]
        n_relevant = len(row["relevant"])
        n_selected = config.protocol.n_selected or n_relevant
        panel = {
            "panel": row["method"],
            "label": base.labels(config).get(row["method"], ALL_FEATURES_LABEL),
            "correct": row["correct"] if row["method"] != ALL_FEATURES else np.nan,
            "n_relevant": n_relevant,
            "n_selected": n_selected,
            "accuracy": row.get("accuracy", np.nan),
            "mean_accuracy": np.nan,
        }
        if row["method"] == ALL_FEATURES:
            panel["n_selected"] = len(rows["scores"].dropna().iloc[0])
        if "accuracy" in of_method and len(of_method):
            panel["mean_accuracy"] = of_method["accuracy"].iloc[0]
        yield pd.DataFrame([head | panel])


def shown(tables: base.Tables) -> pd.DataFrame:
    """The summary without what stands in others: an interval of a count does not end below 0."""
    table = tables["summary"].drop(columns=list(HIDDEN), errors="ignore")
    return table.assign(ci_low=table["ci_low"].clip(lower=0)) if "ci_low" in table else table


#: Columns of the summary that the terminal does not show.
HIDDEN = (
    *("method", "case_label", "n_ambiguous", "q25", "q75"),
    *("accuracy_std", "accuracy_low", "accuracy_high", "n_judged"),
)
KIND = base.Kind(
    schema=Schema,
    check=check,
    run=run,
    summary=SUMMARY,
    tables=tables,
    shown=shown,
    hidden=HIDDEN,
)
