"""Compute a random sample of the committed rows again, and compare it with results/.

    python scripts/reproduce.py colon arena --seed 1      without names: all, within an hour

The stored config of each folder runs again, with a few repetitions of some random methods. Random
numbers depend only on the axes of a row, so these rows are among the committed ones. Choices and
counts must be equal; other numbers may differ by 1e-8 of the largest. What depends on all
repetitions, such as the tunings once and oracle, is not compared. Ambiguous rankings depend on
rounding. A folder therefore runs with the code of BLAS and NumPy that computed it; if the processor
does not have that code, such methods are listed and not compared. The exit status is 1 if a folder
differs.
"""

import argparse
import logging
import os
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from pandas.testing import assert_series_equal

from experiments import kinds
from experiments.config import ConfigError
from experiments.evaluation.tuning import TUNINGS
from experiments.kinds.base import stored_config
from experiments.provenance import code_of_processor
from experiments.report.stored import finished_run, provenance_of, tables_in, with_results
from experiments.run import run_experiment

RESULTS = Path(__file__).resolve().parents[1] / "results"
#: The columns that identify a row; rows that agree in all of them are matched by their order.
KEYS = """case value data_set n_train dataset part method tuning ranking_share split draw
n_features class_1 class_2 geometry image class"""
#: Columns that depend on all repetitions, on the clock, or on every bit (t-SNE is chaotic).
PASSED = {"place", "tuned", "stability", "chosen_stability", "seconds", "x", "y", "label"}
#: Columns of the kind recovery that are filled only for the best candidate of all draws.
OF_BEST = {"scores", "relevant", "accuracy", "validation", "log2_C", "log2_gamma"}
#: Kind -> number of methods and of repetitions; by default four and one.
SAMPLE = {"recovery": (4, 5), "images": (1, 2), "accuracy": (2, 1)}
TOLERANCE, SHOWN = 1e-8, 8


def sampled(config, rng):
    """Reduce the config to few repetitions and a random choice of methods and data sets."""

    def some(values, n):
        kept = [[*values][i] for i in np.sort(rng.permutation(len(values))[:n])]
        return {name: values[name] for name in kept} if hasattr(values, "items") else kept

    protocol = config.protocol
    if protocol.kind != "cone":  # It is computed whole.
        n_methods, protocol.n_repetitions = SAMPLE.get(protocol.kind, (4, 1))
        config.method.scorers = some(config.method.scorers, n_methods)
    for key, n in {"ranking_shares": 2, "classifiers": 2, "datasets": 3, "parts": 3}.items():
        if key in protocol:
            protocol[key] = some(protocol[key], n)
    if "tuning" in protocol:
        protocol.fewer_splits = {}  # They may name what is left out.
        protocol.tuning = [name for name in protocol.tuning if not TUNINGS[name].pooled]
    if "evaluated_draws" in protocol:
        protocol.evaluated_draws = min(protocol.evaluated_draws, protocol.n_repetitions)
    return config


def compared(committed, computed, kind, same_code, vague=()):
    """Return the number of common rows, their differences, and the methods not compared.

    Not compared are the `vague` methods, and those with an ambiguous ranking.
    """
    keys = [*KEYS.split(), *["parameters"] * (kind in ("recovery", "geometry"))]
    keys = [name for name in keys if name in computed and name in committed]
    for table in (computed, committed):
        table["place"] = table.groupby(keys, dropna=False).cumcount()
        flags = table.select_dtypes("boolean")  # Their missing values are not None.
        table[flags.columns] = flags.astype(object).where(flags.notna(), None)
    both = computed.merge(committed, on=[*keys, "place"], suffixes=("", "_committed"))
    n, differences = len(both), list[str]()
    if both.empty and not computed.empty:
        differences.append("no row is among the committed rows")
    if not same_code and "ambiguous" in both:
        flagged = both["ambiguous"].eq(True) | both["ambiguous_committed"].eq(True)
        vague = {*vague, *both.loc[flagged, "method"]}
    if "method" in both:
        both = both[~both["method"].isin(vague)]
        lost = {*computed["method"]} - {*both["method"], *vague}
        differences += [f"{name}: none of its rows is a committed one" for name in sorted(lost)]
    for name in sorted(set(computed) & set(committed) - {*keys, *PASSED}):
        of_best = kind == "recovery" and name in OF_BEST
        rows = both[both["tuned"] & both["tuned_committed"]] if of_best else both
        was, now = rows[f"{name}_committed"], rows[name]
        floats = [np.ravel(each) for each in was if np.asarray(each).dtype.kind == "f"]
        floats = np.nan_to_num(np.concatenate([*floats, [0.0]]), posinf=0, neginf=0)
        allowed = TOLERANCE * np.max(np.abs(floats))
        try:
            assert_series_equal(
                now, was, rtol=0, atol=allowed, check_dtype=False, check_names=False
            )
        except AssertionError as error:
            differences.append(f"{name}: {' '.join(str(error).split()):.200}")
    return n, differences, sorted(vague)


def check(name, seed, data):
    """Run a sample of a folder, print the differences, and return whether there are any."""
    record = provenance_of(RESULTS / name)
    kind = record["config"]["protocol"]["kind"]
    config = stored_config(record["config"], kinds.load(kind))
    config = sampled(config, np.random.default_rng([seed, zlib.crc32(name.encode())]))
    with tempfile.TemporaryDirectory() as folder:
        config.update(store=f"{folder}/store", workers=2, draw=False)
        config.data.home = data and str(Path(data).resolve())
        n_failed = run_experiment(config, Path(folder) / "run")
        computed, committed = tables_in(Path(folder) / "run"), tables_in(RESULTS / name)
    is_same = code_of_processor(record) == code_of_processor()
    n, differences, vague = 0, list[str](), list[str]()
    for table in sorted(computed, key=lambda name: name != "rows"):
        n_rows, different, vague = compared(committed[table], computed[table], kind, is_same, vague)
        n, differences = n + n_rows, differences + different
    differences += [f"{n_failed} tasks failed"] * bool(n_failed)
    words = f"; ambiguous on this processor: {', '.join(vague)}" if vague else ""
    print(f"{name}: {n} rows, {len(differences)} differences{words}")
    print(*(f"    {line}\n" for line in differences[:SHOWN]), sep="", end="", flush=True)
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
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample; default: 0")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    chosen, known = parser.parse_args(), with_results(RESULTS)
    if unknown := set(chosen.names) - set(known):
        parser.error(f"results/ has no {', '.join(unknown)}; it has {', '.join(known)}")
    try:
        for name in chosen.names or known:
            finished_run(RESULTS / name)
    except ConfigError as error:
        sys.exit(f"reproduce.py: {error}")
    logging.disable(logging.WARNING)
    if chosen.here:
        sys.exit(check(chosen.names[0], chosen.seed, chosen.data))
    options, failed = [each for each in sys.argv[1:] if each not in chosen.names], []
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
