"""Answer which features of a table differ between classes, and if the class can be predicted.

The first question is answered at once, feature by feature. The second one is answered by a
procedure that chooses all it needs on training samples, judged on samples that it did not use, and
again on shuffled labels. The sets that are named are those that this procedure chooses if all
samples are training samples.
"""

import hashlib
import json
import logging
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig, OmegaConf

from experiments.config import ConfigError, ProtocolConfig, share
from experiments.datasets.user_table import UserTable
from experiments.evaluation.data import described, load_dataset
from experiments.evaluation.method_config import try_methods
from experiments.evaluation.methods import text
from experiments.evaluation.sources import Loaded
from experiments.files import write_csv, write_text
from experiments.kinds import base
from experiments.kinds.select import answer, differ, files, samples, tables
from experiments.kinds.select.features import groups_of, names_of
from experiments.kinds.select.procedure import Candidate, Design, Settings

log = logging.getLogger(__name__)

#: A run without a table shows what an answer looks like.
DEMONSTRATION = {"name": "hypercube", "params": {"n_samples": 60, "n_features": 200}}


@dataclass
class Schema(ProtocolConfig):
    """The splits and grids of the procedure, and the numbers that the answer rests on."""

    kind: str = "select"
    #: The share of the samples in a fold; n_repetitions counts the folds of all loops.
    test_size: float = 0.2
    inner_folds: int = 4
    #: Numbers of features that are tried; above `first` the ranking goes on by p.
    sizes: list[int] = field(default_factory=list)
    log2_C: list[float] = field(default_factory=list)
    #: In units of 1 / (sum of the variances of the features).
    log2_gamma: list[float] = field(default_factory=list)
    #: How many features to name; chosen by their accuracy if it is null.
    n_features: int | None = None
    #: Complementary pairs of halves for stability selection.
    n_resamples: int = 50
    #: How often the whole procedure runs on shuffled labels, and on how many loops of folds each.
    n_shuffles: int = 19
    shuffle_loops: int = 1
    #: Of more features, so many are selected by p and by ReliefF before methods rank them.
    first: int = 150
    #: Features with at least this correlation, of either sign, count as near-identical.
    near: float = 0.95
    #: Read the table, write read.json and read.parquet, and stop.
    read_only: bool = False


def check(config: DictConfig) -> None:
    """Raise a ConfigError if numbers make no sense."""
    for key in ("test_size", "near"):
        share(config, f"protocol.{key}")
    least = {"n_features": 1, "n_resamples": 2, "n_shuffles": 1, "shuffle_loops": 1, "first": 10}
    base.check_numbers(config, "sizes", "log2_C", "log2_gamma", inner_folds=2, **least)
    if config.protocol.sizes[0] < 1:
        raise ConfigError(f"protocol.sizes must begin with 1 or more, got {config.protocol.sizes}")


def run(run: base.Run) -> base.Results:
    """Answer the first question, print and write it, then answer the second one."""
    config, notes = _demonstration(run.config)
    if config.profile.name == "smoke":
        notes.append("profile=smoke shows that everything runs; its numbers tell nothing")
    log.info("reading %s", config.dataset.path or config.dataset.name)
    data = samples.as_table(load_dataset(config, gaps=True))
    notes += data.notes
    if config.protocol.read_only:
        return files.as_read(data, notes)
    run.config = config
    samples.checked(config, data)
    how = config.dataset.get("transform")
    notes += samples.notes_on_values(data.X, how, names_of(data))
    notes += samples.notes_on_gaps(data.X, data.y, names_of(data))
    worked = _transformed(data, how)
    rows = list(data.row_names or (f"row {row + 1}" for row in samples.places_of(data)))
    groups, told = samples.together(data.X, data.y, data.groups, rows)
    y = np.unique(data.y, return_inverse=True)[1]
    own = samples.dependent(y, groups, data.groups)
    told += samples.notes_on_groups(y, own, config.dataset.get("groups"), rows, data.index)
    Z, associated = samples.covariates(data.adjust, y)
    notes += [*told, *associated]
    folds = samples.folds(config, y, groups)
    if folds.outer and folds.outer < max(2, round(1 / config.protocol.test_size)):
        notes.append(f"{folds.smallest}: {folds.outer} outer and {folds.inner} inner folds")
    if folds.outer:
        notes += samples.notes_on_arrangements(y, groups, config.protocol.n_shuffles)
    else:
        notes.append(
            f"{folds.smallest}: features are tested and ranked, and a prediction, which needs "
            f"{samples.FOR_PREDICTION}, is not judged"
        )
    for note in notes:
        log.info("%s", files.wrapped(note))
    facts = answer.described(config, data, notes)
    n_pairs, seed = config.protocol.n_resamples, config.seed
    first, facts["differ"] = differ.differences(worked, own, Z, n_pairs, seed)
    facts["warnings"] = answer.warnings_of(first, list(facts["classes"].values()))
    _tell(run, facts, first)
    named = None if data.groups is None else own
    design = _design(run, worked, groups, named, Z, folds)
    made_rows = _rows(run, design, folds, first, worked, rows)
    made = tables.tables(made_rows, config)
    facts = _all_facts(facts, made_rows, made, folds, design.settings)
    return base.Results(
        made_rows,
        described(data),
        files=files.files(data, facts, made["features"], config.dataset.path),
        text=files.last_text(facts, made["summary"]),
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


def _transformed(data: UserTable, how: str | None) -> UserTable:
    """The samples after `dataset.transform`, with a fingerprint of their own."""
    if how is None:
        return data
    fingerprint = hashlib.sha256(f"{data.fingerprint}, {how}".encode()).hexdigest()
    X = samples.transformed(np.asarray(data.X, dtype=np.float64), how, names_of(data))
    return replace(data, X=np.ascontiguousarray(X), fingerprint=fingerprint)


def _tell(run: base.Run, facts: dict[str, Any], table: pd.DataFrame) -> None:
    """Print the first question's answer and write it, before the second one takes its time."""
    ordered = table.sort_values("p_value", kind="stable")
    log.info("\n%s\n", files.first_text(facts, ordered))
    if run.folder is not None:
        write_csv(run.folder / "differ.csv", ordered)
        early = {**facts, "sentences": answer.about_differences(facts)}
        write_text(run.folder / "answer.json", files.as_json(early))


def _design(run, data, groups, named, Z, folds) -> Design:
    """The samples, the candidates of all methods and the settings of the units."""
    protocol, d = run.config.protocol, data.X.shape[1]
    if len(data.label_names) > 2:
        try_methods(run.methods, len(data.label_names))
    base.check_neighbours(run.methods, len(data.y))
    sizes = {*(size for size in protocol.sizes if size < min(d, max(protocol.first, 2)))}
    sizes |= {protocol.n_features} if protocol.n_features else {min(d, protocol.first)}
    settings = Settings(
        tuple(sorted(sizes)),
        tuple(2.0**c for c in protocol.log2_C),
        tuple(2.0**g for g in protocol.log2_gamma),
        max(folds.outer, 2),
        folds.inner,
        protocol.first,
        protocol.n_features,
        protocol.near,
    )
    dataset = run.config.dataset
    missing = dataset.missing if np.isnan(data.X).any() else None
    candidates = [(m, parameters) for m in run.methods for parameters in m.candidates()]
    source, seed = Loaded.of(data, run.cache), run.config.seed
    return Design(source, candidates, groups, named, Z, missing, dataset.scaling, seed, settings)


def _rows(run, design, folds, first, data, names) -> pd.DataFrame:
    """The rows of all units, of the samples and of the features."""
    protocol = run.config.protocol
    splits = range(folds.outer * folds.loops)
    again = range(folds.outer * min(folds.loops, protocol.shuffle_loops))
    places: list[tuple] = [("whole", None, None), *(("own", None, split) for split in splits)]
    places += [("shuffled", n, split) for n in range(protocol.n_shuffles) for split in again]
    units = {(unit, *at): design.unit(*at) for unit, *at in places}
    run.complete(list(units.values()), "judging")
    about = {"n_folds": design.settings.n_folds, "n_all": data.X.shape[1]}
    about |= {"sizes": list(design.settings.sizes), **_called(design.candidates)}
    rows = [
        {"unit": kind, "shuffle": shuffle, "split": split, **about, **row}
        for (kind, shuffle, split), unit in units.items()
        if (row := run.row(unit))
    ]
    whole = next((row for row in rows if row["unit"] == "whole"), None)
    if whole is None:
        raise ConfigError("the procedure failed on all samples; the log above says why")
    of_samples = pd.DataFrame(
        {
            "sample": names,
            "sample_label": [data.label_names[int(value)] for value in data.y],
            "sample_class": np.unique(data.y, return_inverse=True)[1],
            "sample_group": design.groups,
        }
    )
    ranked = _features(whole, first, data, protocol.near)
    if not folds.outer and protocol.n_features is None:
        ranked["chosen"] = False  # No accuracy says how many.
    return pd.concat([pd.DataFrame(rows), of_samples, ranked], ignore_index=True)


def _called(candidates: list[Candidate]) -> dict[str, list[str]]:
    """Labels and names of the candidates; parameters and numbers tell several of a method apart."""
    names = [method.name for method, _ in candidates]
    called: dict[str, list[str]] = {"labels": [], "names": []}
    for at, (method, parameters) in enumerate(candidates):
        is_one = names.count(method.name) == 1
        called["labels"].append(method.label if is_one else f"{method.label}, {text(parameters)}")
        number = names[:at].count(method.name) + 1
        called["names"].append(method.name if is_one else f"{method.name}_{number}")
    return called


def _features(whole, first, data, near) -> pd.DataFrame:
    """The first question's table with the rankings of all samples, and near-copies."""
    d = len(first)
    ranks = np.argsort(np.asarray(whole["orders"]).reshape(-1, d), axis=1) + 1
    taken, size = map(int, whole["smallest"])
    is_all = taken >= len(ranks)
    rank = ranks[0 if is_all else taken]
    by_p = np.lexsort([rank, first["p_value"]])
    y = np.unique(data.y, return_inverse=True)[1]
    heads = groups_of(np.asarray(data.X, dtype=np.float64), y, by_p, near)
    names = first["feature"]
    members: dict[int, list[str]] = {}
    for j in by_p:
        if heads[j] != j:
            members.setdefault(int(heads[j]), []).append(names[j])
    return first.assign(
        rank=rank,
        chosen=rank <= (d if is_all else whole["sizes"][size]),
        consensus=np.argsort(np.argsort(ranks.mean(axis=0), kind="stable")) + 1,
        **{f"rank_{label}": own for label, own in zip(whole["names"], ranks, strict=True)},
        group=names.to_numpy()[heads],
        stands_for=["; ".join(members.get(j, [])) for j in range(d)],
    )


def _all_facts(facts, rows, made, folds, settings) -> dict[str, Any]:
    """All facts of the answer, from those of the first question and the tables."""
    units, table = tables.units_of(rows), made["features"]
    summary = made["summary"].set_index("method")
    facts["predict"] = answer.predicted(units, made, folds)
    facts["ranking"] = answer.ranking(units)
    facts |= {"n_fixed": settings.n_features, "first": settings.first}
    facts["inner_folds"] = settings.inner_folds
    ranked = table.sort_values("rank")
    heads = table[table["differs"] & table["feature"].eq(table["group"])]
    can_predict = facts["predict"]["evidence"] is not None
    smallest = ranked.loc[ranked["chosen"], "feature"].tolist() if can_predict else []
    if not can_predict and facts["n_fixed"]:
        smallest = ranked["feature"].head(facts["n_fixed"]).tolist()
    facts["sets"] = {"smallest": smallest, "all": heads["feature"].tolist()}
    smallest_row = tables.PROCEDURE if settings.n_features else tables.SMALLEST
    facts["set_accuracy"] = {
        name: {
            "balanced_accuracy": float(summary.loc[row, "balanced_accuracy"]),
            "interval": [float(summary.loc[row, end]) for end in ("ci_low", "ci_high")],
        }
        if can_predict
        else None
        for name, row in (("smallest", smallest_row), ("all", tables.DIFFER))
    }
    if can_predict:
        n_empty = int((units.own["n_differing"] == 0).sum())
        facts["set_accuracy"]["all"] |= {"n_empty": n_empty, "n_splits": len(units.own)}
    facts["chosen"] = smallest or facts["sets"]["all"]
    facts["sentences"] = answer.sentences(facts)
    facts["paragraph"] = files.paragraph(facts)
    facts["references"] = files.references(facts["paragraph"])
    return facts


def findings(tables: base.Tables, folder: Path) -> dict[str, str]:
    """The sentences of the answer."""
    path = folder / "answer.json"
    if not path.is_file():
        return {}
    return {"": " ".join(json.loads(path.read_text("utf-8"))["sentences"])}


KIND = base.Kind(
    schema=Schema,
    check=check,
    run=run,
    tables=tables.tables,
    findings=findings,
)
