"""Runs of a kind without the files of a run."""

from experiments.engine.parallel import Outcome
from experiments.engine.store import Store
from experiments.evaluation.method_config import resolve
from experiments.kinds import load, validate
from experiments.kinds.base import Run, tables_of


def judged(config, store):
    """The tables of a config, its rows as stored, and the outcome of its units."""
    validate(config)
    kind, outcome = load(config.protocol.kind), Outcome()
    results = kind.run(Run(config, resolve(config), Store(store), outcome))
    return tables_of(kind, results.rows, config), results.rows, outcome
