"""Rank the features of a table, say how many to keep, and judge the whole way there.

The procedure is: rank the features by each method, and choose method, parameters, number of
features and the SVM's cell by cross-validation. All of it is judged by nested cross-validation,
once with the labels as they are and then with shuffled labels, which tells what the procedure
reaches on noise. The answer itself is made from all samples.
"""

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from omegaconf import DictConfig, OmegaConf

from experiments.config import ConfigError, share
from experiments.datasets.user_table import UserTable
from experiments.evaluation.accuracies import accuracy_summary
from experiments.evaluation.data import described, load_dataset
from experiments.evaluation.method_config import in_blocks
from experiments.evaluation.ranking import Scores
from experiments.evaluation.rows import Subsample
from experiments.kinds import base, splits
from experiments.kinds.select import answer, features, tables
from experiments.kinds.select.adjust import adjusted
from experiments.kinds.select.procedure import Procedure, procedures
from experiments.kinds.select.reading import as_read

log = logging.getLogger(__name__)

#: A run without a table shows what an answer looks like.
DEMONSTRATION = {
    "name": "hypercube",
    "params": {"n_samples": 60, "n_features": 200},
}


@dataclass
class Schema(splits.Schema):
    """Splits and grids, read as nested, and the numbers that the answer rests on."""

    kind: str = "select"
    readings: list[str] = field(default_factory=lambda: ["nested"])
    #: How many features to keep; chosen by their accuracy where it is null.
    n_features: int | None = None
    #: Stratified subsamples that are ranked again, and their share of the samples.
    n_resamples: int = 50
    resample_share: float = 0.8
    #: How often the whole procedure runs on shuffled labels.
    n_shuffles: int = 10
    #: With more features, ManiFeSt scores them in random blocks of so many.
    exact_features: int = 1000
    block: int = 400
    #: Features with at least this correlation, of either sign, count as near-identical.
    near: float = 0.95
    #: Read the table, write read.json and read.parquet, and stop.
    read_only: bool = False


def check(config: DictConfig) -> None:
    """Raise a ConfigError if numbers make no sense, or options belong to another kind."""
    share(config, "protocol.test_size")
    splits.check_rankings(config)
    splits.must_stay(
        config, readings=["nested"], ranking_shares=[1.0], classifiers={}, fewer_splits={}
    )
    counts = {"n_features": 1, "n_resamples": 2, "n_shuffles": 1, "exact_features": 2, "block": 50}
    base.check_numbers(config, **counts)
    for key in ("resample_share", "near"):
        share(config, f"protocol.{key}")


def run(run: base.Run) -> base.Results:
    """The answer: features with their ranks, the number to keep, and how good that is."""
    config, notes = _demonstration(run.config)
    if config.profile.name == "smoke":
        notes.append("profile=smoke shows that everything runs; its numbers tell nothing")
    log.info("reading %s", config.dataset.path or config.dataset.name)
    data = load_dataset(config, gaps=True)
    if config.protocol.read_only:
        return as_read(data, [*notes, *(data.notes if isinstance(data, UserTable) else ())])
    run.config, changed = adjusted(config, run.methods, data)
    run.methods, approximate = in_blocks(run.methods, data.X.shape[1], run.config.protocol)
    notes += [*(data.notes if isinstance(data, UserTable) else ()), *changed, *approximate]
    for note in notes:
        log.info("%s", answer.wrapped(note))
    judged = procedures(run, data)
    entries = [entry for each in judged for entry in each.entries()]
    judged[0].setup.plan.complete(entries, ("judging 1/3", "judging 2/3"))
    rows = pd.DataFrame([row for each in judged for row in each.rows()])
    chosen = tables.final(rows, run.config.protocol.n_features).method
    ranked = pd.DataFrame(_rankings(run, judged[0], chosen))
    order = ranked.loc[ranked["method"] == chosen, "order"].iloc[0]
    alone = features.described(data, order, run.config.protocol.near)
    largest = np.unique(data.y, return_counts=True)[1].max()
    majority = pd.DataFrame([{"method": tables.MAJORITY, "test": largest / len(data.y)}])
    rows = pd.concat([rows, majority, ranked, alone], ignore_index=True)
    made = tables.tables(rows, run.config)
    facts = answer.facts(run.config, data, rows, made, notes)
    return base.Results(
        rows,
        described(data),
        files=answer.files(run.config, data, facts, made["features"]),
        text=answer.text(facts, made["features"]),
    )


def _demonstration(config: DictConfig) -> tuple[DictConfig, list[str]]:
    """The config, with generated samples if it names no table; and the sentence that says so."""
    dataset = config.dataset
    if dataset.name != "file" or dataset.path is not None or dataset.target is not None:
        return config, []
    config = config.copy()
    OmegaConf.update(config, "dataset.name", DEMONSTRATION["name"])
    OmegaConf.update(config, "dataset.params", DEMONSTRATION["params"], force_add=True)
    return config, [
        "SYNTHETIC samples, as an example: for a table of your own add dataset.path=my.csv "
        "dataset.target=COLUMN"
    ]


def _rankings(run: base.Run, judged: Procedure, chosen: str) -> Iterator[dict]:
    """A row for the ranking of each method on all samples, and of the chosen one on subsamples.

    "order" and "scores" have all features: those that gaps leave out come last, with the score NaN.
    """
    protocol, setup = run.config.protocol, judged.setup
    n_features, plan = setup.n_features, Subsample(protocol.resample_share)
    whole = replace(setup.problem(0), rows=plan, judges=(Scores(),), n_kept=None)
    ranked = []
    for method in run.methods:
        numbers = [None, *(range(protocol.n_resamples) if method.name == chosen else ())]
        parameters = judged.parameters(method)
        for number in numbers:
            if parameters is None:
                continue
            problem = replace(whole, number=number)
            ranked.append((method, number, setup.plan.unit(problem, method, parameters)))
    run.complete([unit for *_, unit in ranked], "ranking 3/3")
    for method, number, unit in ranked:
        row = run.outcome.rows.get(unit.key)
        if row is None and number is None and method.name == chosen:
            raise ConfigError(f"{method.label} failed on all samples; see the log")
        if row is not None:
            scores = np.full(n_features, np.nan)
            scores[np.sort(row["order"])] = row["scores"]
            left_out = np.flatnonzero(np.isnan(scores))
            yield {
                "method": method.name,
                "label": method.label,
                "subsample": np.nan if number is None else number,
                "order": np.concatenate([row["order"], left_out]),
                "scores": scores,
            }


def findings(tables, config, folder) -> dict[str, str]:
    """The sentences of the answer."""
    path = folder / "answer.json"
    facts = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return {"": " ".join(facts["sentences"])} if facts else {}


KIND = base.Kind(
    schema=Schema,
    check=check,
    run=run,
    summary=accuracy_summary(),
    tables=tables.tables,
    findings=findings,
    shown=lambda tables: tables["features"].head(20),
)
