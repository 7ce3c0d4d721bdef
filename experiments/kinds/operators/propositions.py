"""Check the paper's statements on the eigenvalues of D on kernels of real data."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments import seeds
from experiments.cache import Task, key_of
from experiments.config import SCALINGS, ConfigError, ProtocolConfig, one_of, plain
from experiments.datasets import Dataset, load
from experiments.datasets.fingerprint import canonical_order as canonical_rows
from experiments.evaluation.data import described
from experiments.evaluation.methods import resolve, text
from experiments.evaluation.rows import scaled
from experiments.kinds import base
from experiments.kinds.operators import operator_candidates
from experiments.kinds.operators.eigenvalues import check_kernels

#: The columns that identify a task.
TASK_AXES = ["dataset", "part", "parameters", "method"]
#: Predicted eigenvalues below this share of the norm of D are rounding and not used in ratios.
VISIBLE = 1e-6


@dataclass
class PropositionsSet:
    """The scaling of a data set, and two of its classes; it may have only two if null."""

    scaling: str = "none"
    classes: list[int] | None = None


@dataclass
class PropositionsProtocol(ProtocolConfig):
    """Data sets to take kernels from, a random part of each for every repetition."""

    kind: str = "propositions"
    datasets: dict[str, PropositionsSet] = field(default_factory=dict)
    #: The largest numbers of samples of a class, and of features, at random.
    max_per_class: int = 500
    max_features: int = 200
    #: Angles, in radians, by which eigenvectors are turned away from being shared.
    angles: list[float] = field(default_factory=list)


def check(config: DictConfig) -> None:
    """Raise a ConfigError unless there are data sets, known scalings and sensible sizes."""
    base.check_dataset(config, instead="change protocol.datasets or protocol.max_per_class")
    if not config.protocol.datasets:
        raise ConfigError("protocol.datasets names no data set; give one as {colon: {}}")
    for options in config.protocol.datasets.values():
        one_of(options.scaling, SCALINGS, "scaling")
    base.check_numbers(config, "angles", max_per_class=2, max_features=2)


def part(data: Dataset, options: dict, protocol: DictConfig, seed: int, repetition: int):
    """Return the samples of two classes in a random part of a data set, and its fingerprint."""
    classes = options["classes"] or np.unique(data.y).tolist()
    members = [np.flatnonzero(data.y == label) for label in classes]
    if len(members) != 2 or min(map(len, members)) < 2:
        raise ConfigError(
            f"protocol.datasets.{data.name}.classes must be two labels of at least two samples, "
            f"such as [0, 1], got {classes}"
        )
    rng = seeds.generator(seed, "propositions", data.fingerprint, repetition)
    rows = [np.sort(rng.permutation(own)[: protocol.max_per_class]) for own in members]
    columns = np.sort(rng.permutation(data.X.shape[1])[: protocol.max_features])
    X = np.asarray(data.X[np.ix_(np.concatenate(rows), columns)], dtype=np.float64)
    X = scaled(X, slice(None), options["scaling"])
    y = np.repeat([0, 1], [len(several) for several in rows])
    return X[y == 0], X[y == 1], canonical_rows(X, y)[1]


def run(run: base.Run) -> base.Results:
    """Check all data sets, parts and candidates of a config."""
    config, protocol = run.config, run.config.protocol
    candidates = operator_candidates(run.methods, protocol.kind)
    for method, parameters in candidates:
        if parameters["geometry"] != "regularized":
            raise ConfigError(
                "the propositions are about positive definite kernels; the method "
                f"{method.name} must have geometry=regularized, got {parameters['geometry']}"
            )
    tasks, sets, angles = {}, {}, list(protocol.angles)
    for name, options in plain(protocol.datasets).items():
        data = load(name, home=config.data.home, cache=config.data.cache)
        sets[name] = described(data)
        for repetition in range(protocol.n_repetitions):
            X1, X2, fingerprint = part(data, options, protocol, config.seed, repetition)
            axes = (config.seed, "rotation", fingerprint)
            for method, parameters in candidates:
                at = {"seed": config.seed, "part": fingerprint, "parameters": parameters}
                words = text({method.name: parameters})
                tasks[name, repetition, words, method.name] = Task(
                    key_of("propositions", **at, angles=angles),
                    partial(check_kernels, X1, X2, parameters, angles, axes),
                )
    rows = [
        pd.DataFrame({**dict(zip(TASK_AXES, at, strict=True)), "case": case, **columns})
        for at, cases in run.rows_at(tasks, "kernels").items()
        for case, columns in cases.items()
    ]
    table = pd.concat(rows, ignore_index=True) if rows else pd.DataFrame()
    return base.Results({"rows": table}, base.described_together(sets))


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """Return the summary: a row for each data set and case, over all parts and parameters.

    A failed task has a row.
    """
    rows, protocol = stored["rows"], config.protocol
    summary = [
        {"dataset": dataset, "case": case, **_facts(of_case), "failed": False}
        for (dataset, case), of_case in rows.groupby(["dataset", "case"], sort=False)
    ]
    n_tasks = protocol.n_repetitions * len(operator_candidates(resolve(config), protocol.kind))
    n_done = rows.drop_duplicates(TASK_AXES).value_counts("dataset")
    for name in protocol.datasets:
        summary += [{"dataset": name, "failed": True}] * (n_tasks - n_done.get(name, 0))
    return {"summary": pd.DataFrame(summary)}


def _facts(rows):
    """Return a row of the summary; a slack is a bound divided by the bounded value."""
    visible = rows[rows["predicted"].abs() > VISIBLE * rows["norm"]]
    bound = visible["entries"] + visible["row_sum"] * visible["eps"] ** 2
    slack = bound / visible["predicted"].abs()
    ratio = visible["measured"] / visible["predicted"]
    return {
        "n_tasks": len(rows.drop_duplicates(TASK_AXES)),
        "n_visible": len(visible),
        "eps_median": rows["eps"].median(),
        "residual": (rows["residual"] / rows["norm"]).max(),
        "ratio_with_half": ratio.median(),
        "ratio_without_half": (ratio / 2).median(),
        "slack_published_min": slack.min(),
        "slack_corrected_min": (slack / 2).min(),
        "slack_all_pairs_min": rows["tightest"].min(),
    }


KIND = base.Kind(PropositionsProtocol, check, run, tables)
