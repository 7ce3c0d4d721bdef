"""Compute a random sample of the committed rows again, and compare it with results/.

    python scripts/reproduce.py colon arena      without names: all, within an hour

The stored config of each folder runs again, with a few repetitions of some random methods. Random
numbers depend only on the axes of a row, so these rows are among the committed ones. Choices and
counts must be equal; other numbers may differ by 1e-8 of the largest. What depends on all
repetitions, such as the tunings once and oracle, is not compared. That no other row has changed
since its run is checked by the digests of all rows in provenance.json. Ambiguous rankings depend on
rounding. A folder therefore runs with the code of BLAS and NumPy that computed it; if the processor
does not have that code, such methods are listed and not compared. Systems of baselines.embedded are
left out, because jax compiles them for the processor; a last bit decides how many features REAL-x
uses. The exit status is 1 if a folder differs.
"""

import argparse
import logging
import os
import secrets
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from experiments import kinds
from experiments.config import ConfigError
from experiments.evaluation.tuning import TUNINGS
from experiments.kinds.ablation import changed_parts
from experiments.kinds.base import stored_config
from experiments.provenance import code_of_processor
from experiments.report.agreement import compared
from experiments.report.stored import (
    altered,
    finished_run,
    provenance_of,
    tables_in,
    with_results,
)
from experiments.run import run_experiment

RESULTS = Path(__file__).resolve().parents[1] / "results"
#: Kind -> number of methods and of repetitions; by default four and one.
SAMPLE = {"ablation": (6, 1), "recovery": (4, 5), "images": (1, 2), "accuracy": (2, 1)}
#: The module of the classifiers that jax compiles.
COMPILED = "baselines.embedded:"
SHOWN = 8


def sampled(config, rng):
    """Reduce the config to few repetitions and a random choice of methods and data sets."""

    def some(values, n):
        kept = [[*values][i] for i in np.sort(rng.permutation(len(values))[:n])]
        return {name: values[name] for name in kept} if hasattr(values, "items") else kept

    protocol = config.protocol
    if protocol.kind != "cone":  # It is computed whole.
        n_methods, protocol.n_repetitions = SAMPLE.get(protocol.kind, (4, 1))
        config.method.scorers = some(config.method.scorers, n_methods)
    if "classifiers" in protocol:
        for name in [*protocol.classifiers]:
            if protocol.classifiers[name].call.startswith(COMPILED):
                del protocol.classifiers[name]
    for key, n in {"ranking_shares": 2, "classifiers": 2, "datasets": 3, "parts": 3}.items():
        if key in protocol:
            protocol[key] = some(protocol[key], n)
    if "tuning" in protocol:
        protocol.fewer_splits = {}  # They may name what is left out.
        protocol.tuning = [name for name in protocol.tuning if not TUNINGS[name].pooled]
    if "evaluated_draws" in protocol:
        protocol.evaluated_draws = min(protocol.evaluated_draws, protocol.n_repetitions)
    return config


def computed_again(config, data):
    """Run a config in a folder of its own; return its tables and the number of failed tasks."""
    with tempfile.TemporaryDirectory() as folder:
        config.update(store=f"{folder}/store", workers=2, draw=False)
        config.data.home = data and str(Path(data).resolve())
        n_failed = run_experiment(config, Path(folder) / "run")
        return tables_in(Path(folder) / "run"), n_failed


def check(name, seed, data):
    """Run a sample of a folder, print the differences, and return whether there are any."""
    record = provenance_of(RESULTS / name)
    kind = record["config"]["protocol"]["kind"]
    config = stored_config(record["config"], kinds.load(kind))
    differences = []
    if kind == "ablation":  # Its parts are other experiments.
        differences += changed_parts(config, kinds.composed(*record["overrides"]))
    differences += altered(RESULTS / name)
    config = sampled(config, np.random.default_rng([seed, zlib.crc32(name.encode())]))
    computed, n_failed = computed_again(config, data)
    committed = tables_in(RESULTS / name)
    is_same = code_of_processor(record) == code_of_processor()
    n_compared = n_committed = 0
    ambiguous: list[str] = []
    # The rows come first: they say which methods have an ambiguous ranking.
    for table in sorted(computed, key=lambda table: table != "rows"):
        n_rows, different, ambiguous = compared(
            committed[table], computed[table], kind, is_same, ambiguous
        )
        n_compared += n_rows
        n_committed += len(committed[table])
        differences += different
    if n_failed:
        differences.append(f"{n_failed} tasks failed")
    words = f"; ambiguous on this processor: {', '.join(ambiguous)}" if ambiguous else ""
    print(f"{name}: {n_compared:,} of {n_committed:,} rows, {len(differences)} differences{words}")
    for line in differences[:SHOWN]:
        print(f"    {line}")
    sys.stdout.flush()
    return bool(differences)


def variables(name):
    """Return environment variables for OpenBLAS and NumPy to use the code of a folder."""
    (blas, *_), simd = code_of_processor(provenance_of(RESULTS / name))
    less = " ".join(each for each in code_of_processor()[1] if each not in simd)
    chosen = {"OPENBLAS_NUM_THREADS": "1", "OPENBLAS_CORETYPE": blas}
    return chosen | ({"NPY_DISABLE_CPU_FEATURES": less} if less else {})


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="folders in results/; default all")
    parser.add_argument("--data", metavar="FOLDER", help="folder of data sets; default: fetch them")
    parser.add_argument("--seed", type=int, help="seed of the sample; default: a random one")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    chosen, known = parser.parse_args(), with_results(RESULTS)
    if unknown := set(chosen.names) - set(known):
        parser.error(f"results/ has no {', '.join(unknown)}; it has {', '.join(known)}")
    if chosen.here:
        logging.disable(logging.WARNING)
        sys.exit(check(chosen.names[0], chosen.seed, chosen.data))
    try:
        for name in chosen.names or known:
            finished_run(RESULTS / name)
    except ConfigError as error:
        sys.exit(f"reproduce.py: {error}")
    if chosen.seed is None:
        chosen.seed = secrets.randbelow(10**6)
    print(f"seed {chosen.seed}", flush=True)
    options = ["--seed", str(chosen.seed), *(["--data", chosen.data] if chosen.data else [])]
    failed = []
    for name in chosen.names or known:
        command = [sys.executable, __file__, "--here", *options, name]
        status = subprocess.run(command, env=os.environ | variables(name)).returncode
        if status < 0:  # The processor lacks that code.
            status = subprocess.run(command).returncode
        failed += [name] * bool(status)
    print(f"{len(failed)} folders differ: {', '.join(failed) or 'none'}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
