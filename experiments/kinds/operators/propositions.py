"""Check the paper's statements on the eigenvalues of D on kernels of real data."""

import hashlib
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments import seeds
from experiments.cache import Row, Task, key_of
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
#: Eigenvectors closer than this count as shared; such distances are rounding.
ROUNDING = 1e-7
#: Predicted eigenvalues below this share of the norm of D are rounding and not used in ratios.
VISIBLE = 1e-6
#: A residual of at most this share of the eigenvalue counts as an approximate eigenpair.
EIGENPAIR = 0.1


@dataclass
class PropositionsProtocol(ProtocolConfig):
    """Data sets to take kernels from, a random part of each for every repetition."""

    kind: str = "propositions"
    #: Name -> scaling (none or standard) and classes (two labels), both optional.
    datasets: dict[str, Any] = field(default_factory=dict)
    #: The largest numbers of samples of a class, and of features, at random.
    max_per_class: int = 500
    max_features: int = 200
    #: Angles, in radians, by which eigenvectors are turned away from being shared.
    angles: list[float] = field(default_factory=list)
    #: Shares of the way from the first kernel to the second, for proposition 3 of the 2023 version,
    #: which is about near kernels.
    near: list[float] = field(default_factory=list)


def check(config: DictConfig) -> None:
    """Raise a ConfigError unless there are data sets, known keys and sensible sizes."""
    protocol = config.protocol
    instead = "name data sets, with scaling and classes, in protocol.datasets, or change "
    instead += "protocol.max_per_class"
    base.check_dataset(config, "name", "scaling", "params", *base.PARTS, instead=instead)
    if not protocol.datasets:
        raise ConfigError("protocol.datasets names no data set; give one as {colon: {}}")
    for name, options in plain(protocol.datasets).items():
        if not isinstance(options, dict | None):
            raise ConfigError(
                f"protocol.datasets.{name} must be options, such as {{scaling: standard}}, got "
                f"{options!r}"
            )
        for key in options or ():
            one_of(key, ("scaling", "classes"), f"option of protocol.datasets.{name}")
        one_of((options or {}).get("scaling", "none"), SCALINGS, "scaling")
    base.check_numbers(config, "angles", "near", max_per_class=2, max_features=2)


def part(data: Dataset, options: dict, protocol: DictConfig, seed: int, repetition: int):
    """Return the samples of two classes in a random part of a data set, and its fingerprint."""
    classes = options.get("classes") or np.unique(data.y).tolist()
    members = [np.flatnonzero(data.y == label) for label in np.ravel(classes)]
    if len(members) != 2 or min(map(len, members)) < 2:
        raise ConfigError(
            f"protocol.datasets.{data.name}.classes must be two labels of at least two samples, "
            f"such as [0, 1], got {classes}"
        )
    rng = seeds.generator(seed, "propositions", data.fingerprint, repetition)
    rows = [np.sort(rng.permutation(own)[: protocol.max_per_class]) for own in members]
    columns = np.sort(rng.permutation(data.X.shape[1])[: protocol.max_features])
    X = np.asarray(data.X[np.ix_(np.concatenate(rows), columns)], dtype=np.float64)
    X = scaled(X, slice(None), options.get("scaling", "none"))
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
    sizes = {"angles": list(protocol.angles), "near": list(protocol.near)}
    tasks, origins = {}, {}
    for name, options in plain(protocol.datasets).items():
        data = load(name, **plain(config.data))
        origins[name] = described(data)
        for repetition in range(protocol.n_repetitions):
            X1, X2, fingerprint = part(data, options or {}, protocol, config.seed, repetition)
            axes = (config.seed, "rotation", fingerprint)
            for method, parameters in candidates:
                at = {"seed": config.seed, "part": fingerprint, "parameters": parameters, **sizes}
                words = text({method.name: parameters})
                tasks[name, repetition, words, method.name] = Task(
                    key_of("propositions", **at),
                    partial(check_kernels, X1, X2, parameters, axes=axes, **sizes),
                )
    tables = [tables_of_task(*each) for each in run.rows_at(tasks, "kernels").items()]
    parts = zip(*tables, strict=True) if tables else ([pd.DataFrame()], [pd.DataFrame()])
    rows, errors = (pd.concat(part, ignore_index=True) for part in parts)
    together = " ".join(origin["fingerprint"] for origin in origins.values())
    about = {
        "name": ", ".join(origins),
        "fingerprint": hashlib.sha256(together.encode()).hexdigest(),
        "verified": all(origin["verified"] for origin in origins.values()),
        "synthetic": any(origin["synthetic"] for origin in origins.values()),
        "sets": origins,
    }
    return base.Results({"rows": rows, "errors": errors}, about)


def tables_of_task(at: tuple, row: Row) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of a task, one for each eigenvector and case, and its errors."""
    cases: dict[str, Row] = {}
    for name, value in row.items():
        case, colon, column = name.partition(":")
        if colon:
            cases.setdefault(case, {})[column] = value
    head, rows, errors = dict(zip(TASK_AXES, at, strict=True)), [], []
    for case, columns in cases.items():
        if "l1" in columns:
            rows.append(pd.DataFrame({**head, "case": case, **columns}))
        else:
            ((name, (value,)),) = columns.items()
            errors.append({**head, "case": case, "statement": name, "error": value})
    return pd.concat(rows), pd.DataFrame(errors)


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """Return the summary: a row for each data set and case, over all parts and parameters.

    Cases without eigenvectors have only their largest error. A failed task has a row.
    """
    summary: list[dict[str, Any]] = []
    rows = stored["rows"]
    for (dataset, case), of_case in rows.groupby(["dataset", "case"], sort=False):
        facts = _facts(of_case, of_case.drop_duplicates(TASK_AXES))
        summary.append({"dataset": dataset, "case": case, **facts, "failed": False})
    for at, of_case in stored["errors"].groupby(["dataset", "case", "statement"], sort=False):
        facts = {"n_tasks": len(of_case), "failed": False, at[2]: of_case["error"].max()}
        summary.append({"dataset": at[0], "case": at[1], **facts})
    protocol = config.protocol
    n_tasks = protocol.n_repetitions * len(operator_candidates(resolve(config), protocol.kind))
    n_done = rows.drop_duplicates(TASK_AXES).value_counts("dataset")
    for name in protocol.datasets:
        summary += [{"dataset": name, "failed": True}] * (n_tasks - n_done.get(name, 0))
    return {"summary": pd.DataFrame(summary)}


def _facts(rows, tasks):
    """Return a row of the summary; a slack is a bound divided by the bounded value."""
    turned = rows[rows["eps"] >= ROUNDING]
    visible = rows[rows["predicted"].abs() > VISIBLE * rows["norm"]]
    value = visible["predicted"].abs()
    bound = visible["entries"] + visible["row_sum"] * visible["eps"] ** 2
    ratio = visible["measured"] / visible["predicted"]
    # The largest error of the expansion of l2, in units of the term a eps^2.
    published, corrected = (
        (turned[f"step_{which}"] / (turned["row_sum"] * turned["eps"] ** 2)).max()
        for which in ("published", "corrected")
    )
    return {
        "n_tasks": len(tasks),
        "n_visible": len(visible),
        "eps_median": rows["eps"].median(),
        "spectrum_error": (tasks["spectrum"] / tasks["norm"]).max(),
        "residual": (rows["residual"] / rows["norm"]).max(),
        "eigenpairs": (visible["residual"] <= EIGENPAIR * value).mean(),
        "ratio_with_half": ratio.median(),
        "ratio_with_half_min": ratio.min(),
        "ratio_with_half_max": ratio.max(),
        "ratio_without_half": (ratio / 2).median(),
        "slack_published_min": (bound / value).min(),
        "slack_corrected_min": (0.5 * bound / value).min(),
        "slack_corrected_median": (0.5 * bound / value).median(),
        "slack_all_pairs_min": tasks["tightest"].min(),
        "step_published": published,
        "step_corrected": corrected,
    }


KIND = base.Kind(PropositionsProtocol, check, run, tables)
