"""Run the propositions: draw parts of data sets, complete their units and summarise them."""

from functools import partial

import numpy as np

from experiments.config import ConfigError, plain
from experiments.datasets import Dataset, load
from experiments.datasets.fingerprint import canonical_order as canonical_rows
from experiments.engine import seeds
from experiments.engine.keys import Unit, key_of
from experiments.evaluation.samples import available, described
from experiments.evaluation.splits import scaled
from experiments.protocols.base import Results, Run, operator_candidates
from experiments.protocols.propositions import tables
from experiments.protocols.propositions.units import check_kernels

#: No row of the summary is better than another.
HEADLINE = None
SUMMARY = ("dataset", "case", "failed")


def part(data: Dataset, options: dict, protocol, seed: int, number: int):
    """A random part of a data set, as samples of class 1 and of class 2, and its fingerprint."""
    classes = options.get("classes") or np.unique(data.y).tolist()
    counts = {label: int((data.y == label).sum()) for label in classes}
    if len(classes) != 2 or min(counts.values()) < 2:
        raise ConfigError(
            f"protocol.datasets.{data.name} needs two classes of at least two samples, got "
            f"{counts}; name two as classes: [0, 1]"
        )
    rng = seeds.generator(seed, "propositions", data.fingerprint, number)
    rows = [
        np.sort(rng.permutation(np.flatnonzero(data.y == label))[: protocol.max_per_class])
        for label in classes
    ]
    d = data.X.shape[1]
    columns = np.sort(rng.permutation(d)[: protocol.max_features])
    X = scaled(
        np.asarray(data.X[np.ix_(np.concatenate(rows), columns)], dtype=np.float64),
        slice(None),
        options.get("scaling", "none"),
    )
    y = np.repeat([0, 1], [len(several) for several in rows])
    return X[y == 0], X[y == 1], canonical_rows(X, y)[1]


def run(run: Run) -> Results:
    """Check all data sets, parts and candidates of a config."""
    config, protocol = run.config, run.config.protocol
    chosen = operator_candidates(run)
    for method, parameters in chosen:
        if parameters["geometry"] != "regularized":
            raise ConfigError(
                "the propositions speak of positive definite kernels; the method "
                f"{method.name} must have geometry=regularized, got {parameters['geometry']}"
            )
    units, origins = {}, {}
    for name, options in plain(protocol.datasets).items():
        options = options or {}
        here = available(name, options.get("alternative"), config.data.home)
        data = load(here, **plain(config.data))
        origins[name] = described(data)
        for number in range(protocol.n_repetitions):
            X1, X2, fingerprint = part(data, options, protocol, config.seed, number)
            axes = (config.seed, "rotation", fingerprint)
            for method, parameters in chosen:
                units[name, number, method.name, tuple(parameters.items())] = Unit(
                    key_of(
                        "propositions",
                        [check_kernels],
                        seed=config.seed,
                        part=fingerprint,
                        parameters=parameters,
                        angles=list(protocol.angles),
                        near=list(protocol.near),
                    ),
                    partial(
                        check_kernels,
                        *(X1, X2, parameters, list(protocol.angles), list(protocol.near), axes),
                    ),
                )
    run.complete(list(units.values()), "kernels")
    found = {key: run.outcome.rows.get(unit.key) for key, unit in units.items()}
    return tables.results(found, origins)
