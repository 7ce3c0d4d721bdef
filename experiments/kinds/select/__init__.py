"""Rank the features of a table, say how many to keep, and judge the whole way there.

The procedure is: rank the features by each method, and choose method, parameters, number of
features and the SVM's cell by cross-validation. All of it is judged by nested cross-validation,
once with the labels as they are and then with shuffled labels, which tells what the procedure
reaches on noise. The answer itself is made from all samples.
"""

import json
import logging
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from omegaconf import DictConfig, OmegaConf

from experiments.config import ConfigError, at_least, share
from experiments.datasets import Dataset
from experiments.datasets.own import UserTable
from experiments.evaluation.data import described, load_dataset
from experiments.evaluation.judges import Scores
from experiments.evaluation.method_config import in_blocks
from experiments.evaluation.methods import Method
from experiments.evaluation.plan import Entry
from experiments.evaluation.ranking import Problem
from experiments.evaluation.readings import NESTED, Validated
from experiments.evaluation.rows import KFold, Subsample
from experiments.evaluation.sources import Shuffled
from experiments.evaluation.summary import Summary
from experiments.evaluation.svm.judges import SvmGrid
from experiments.kinds import base, splits
from experiments.kinds.select import answer, nested_accuracies, tables
from experiments.kinds.select.adjust import adjust_folds

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


def check(config: DictConfig) -> None:
    """Raise a ConfigError if numbers make no sense, or options belong to another kind."""
    share(config, "protocol.test_size")
    splits.check_rankings(config)
    splits.must_stay(
        config, readings=["nested"], ranking_shares=[1.0], classifiers={}, fewer_splits={}
    )
    for key, least in (
        ("n_features", 1),
        ("n_resamples", 2),
        ("n_shuffles", 1),
        ("exact_features", 2),
        ("block", 50),
    ):
        at_least(config, f"protocol.{key}", least)
    for key in ("resample_share", "near"):
        share(config, f"protocol.{key}")


@dataclass
class Labelled:
    """The samples with their own or with shuffled labels, and the splits that judge them."""

    setup: splits.Setup
    numbers: range

    def entries(self) -> list[Entry]:
        """Every method on every split."""
        return [self.entry(m, s) for s in self.numbers for m in self.setup.run.methods]

    def entry(self, method: Method, split: int) -> Entry:
        """A method on a split; if the number of features is fixed, all else is chosen at it."""
        wanted = self.setup.run.config.protocol.n_features
        reading = NESTED
        if wanted is not None:
            at = list(self.setup.cells.sizes).index(wanted)
            reading = Validated(NESTED.name, NESTED.ranks_folds, at)
        return Entry(method, self.setup.problem(split), reading)

    def taken(self) -> dict[str, dict]:
        """The choice of each method on each split; None where it failed."""
        return {
            method.name: {s: self.setup.plan.choice(self.entry(method, s)) for s in self.numbers}
            for method in self.setup.run.methods
        }

    def baseline(self) -> dict:
        """The choice of the SVM on all features on each split that did not fail."""
        plan, methods = self.setup.plan, self.setup.run.methods
        choices = {
            s: plan.all_features(self.setup.problem(s), methods, NESTED) for s in self.numbers
        }
        return {split: choice for split, choice in choices.items() if choice is not None}


def run(run: base.Run) -> base.Results:
    """The answer: features with their ranks, the number to keep, and how good that is."""
    config, notes = _demonstration(run.config)
    if config.profile.name == "smoke":
        notes.append("profile=smoke shows that everything runs; its numbers tell nothing")
    log.info("reading %s", config.dataset.path or config.dataset.name)
    data = load_dataset(config, gaps=True)
    run, sentences = adjust_folds(replace(run, config=config), data)
    methods, approximate = in_blocks(run.methods, data.X.shape[1], run.config.protocol)
    notes += [*(data.notes if isinstance(data, UserTable) else ()), *sentences, *approximate]
    run = replace(run, methods=methods)
    for note in notes:
        log.info("%s", "\n".join(answer.wrapped(note)))
    own, shuffled = _labelled(run, data)
    entries = [entry for each in (own, *shuffled) for entry in each.entries()]
    own.setup.plan.complete(entries, ("judging 1/3", "judging 2/3"))
    judged = nested_accuracies.judged(own.setup, own.taken(), own.baseline())
    chance = np.array([nested_accuracies.mean_of_best(each.taken()) for each in shuffled])
    final = nested_accuracies.final(judged, run.config.protocol.n_features)
    ranked, resampled = _rankings(run, own.setup, methods, final)
    features = tables.features(data, final, ranked, resampled, run.config.protocol.near)
    shared = tables.overlap(methods, ranked, final.n_features)
    facts = answer.facts(config, data, judged, final, chance, features, shared, notes)
    return base.Results(
        rows=judged.rows,
        data=described(data),
        tables={
            "summary": nested_accuracies.summary(judged, final, chance, data.y),
            "curves": judged.curves,
            "features": features,
            "overlap": shared,
        },
        text=answer.text(facts, features),
        files=answer.files(config, data, facts, features),
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


def _labelled(run: base.Run, data: Dataset) -> tuple[Labelled, list[Labelled]]:
    """The samples with their own labels, and with each shuffle of them."""
    protocol, seed = run.config.protocol, run.config.seed
    n = protocol.n_repetitions
    folds = min(n, max(2, round(1 / protocol.test_size)))
    rows = KFold(protocol.test_size, protocol.inner_folds, protocol.inner_repeats)
    setup = splits.Setup.of(run, data, rows, SvmGrid, refit=protocol.refit)
    if np.isnan(data.X).any():
        setup = replace(setup, missing=run.config.dataset.missing)
    shuffled = []
    for number in range(protocol.n_shuffles):
        source = Shuffled(setup.source, seed, number)
        other = replace(data, y=source.samples().y, fingerprint=source.fingerprint)
        shuffled.append(Labelled(replace(setup, source=source, data=other), range(folds)))
    return Labelled(setup, range(n)), shuffled


def _rankings(run: base.Run, setup: splits.Setup, methods, final) -> tuple[dict, list]:
    """The rows of all methods on all samples, and of the chosen method on each subsample."""
    protocol, known = run.config.protocol, final.parameters

    def unit(method, number):
        problem = Problem(
            setup.source,
            Subsample(protocol.resample_share),
            (Scores(),),
            run.config.seed,
            setup.scaling,
            number=number,
        )
        return setup.plan.unit(problem, method, known[method.name])

    whole = {m.name: unit(m, None) for m in methods if m.name in known}
    chosen = next(m for m in methods if m.name == final.method)
    again = [unit(chosen, number) for number in range(protocol.n_resamples)]
    run.complete([*whole.values(), *again], "ranking 3/3")
    rows = {name: run.outcome.rows.get(each.key) for name, each in whole.items()}
    if rows[final.method] is None:
        raise ConfigError(f"{chosen.label} failed on all samples; see the log")
    d = setup.cells.n_features
    resampled = [run.outcome.rows.get(each.key) for each in again]
    return (
        {name: _of_all(row, d) for name, row in rows.items() if row},
        [_of_all(row, d) for row in resampled if row],
    )


def _of_all(row, d: int) -> dict:
    """A row with all features: those that gaps leave out come last, with the score NaN."""
    kept = np.sort(row["order"])
    scores = np.full(d, np.nan)
    scores[kept] = row["scores"]
    left_out = np.setdiff1d(np.arange(d), kept)
    return {**row, "order": np.concatenate([row["order"], left_out]), "scores": scores}


def findings(tables, config, folder) -> dict[str, str]:
    """The sentences of the answer."""
    path = folder / "answer.json"
    facts = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return {"": " ".join(facts["sentences"])} if facts else {}


KIND = base.Kind(
    schema=Schema,
    check=check,
    run=run,
    summary=Summary("accuracy", "split", words="accuracy"),
    # All tables come with the answer: they need the samples.
    tables=lambda rows, config: {"summary": pd.DataFrame(), "pairs": pd.DataFrame()},
    findings=findings,
    shown=lambda tables: tables["features"].head(20),
)
