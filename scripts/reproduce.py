"""Compute a random sample of the committed rows again, and compare it with results/.

    python scripts/reproduce.py                  all folders, in half an hour on two cores
    python scripts/reproduce.py colon arena      some of them
    python scripts/reproduce.py --seed 1         another sample

Each folder's own config, from its provenance.json, runs again in a temporary folder, with a few
repetitions of a few random methods. Random numbers come from the axes of a row, so these rows are
among the committed ones. Accuracies, counts and choices must be equal; other numbers may differ by
1e-8 of the largest. Not compared is what all repetitions decide together: the stability of
a selection, the candidate that does best over all draws, and what follows from it.

Where Algorithm 2 does not determine a score ("ambiguous"), rounding decides the ranking, and BLAS
and NumPy round differently on other processors. So each folder runs in a process with the code that
computed it, if this processor has that code; otherwise the methods with such rankings are listed
and not compared. The exit status is 1 if a folder does not come out again.
"""

import argparse
import logging
import os
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments import kinds
from experiments.kinds.base import stored_config
from experiments.provenance import code_of_processor
from experiments.report.stored import provenance_of
from experiments.run import run_experiment

RESULTS = Path(__file__).resolve().parents[1] / "results"
#: The columns that name a row, of those that a folder has. A row without another name has its
#: place among the rows that these columns do not tell apart.
KEYS = ("case", "condition", "value", "data_set", "n_train", "dataset", "part", "method", "reading")
KEYS += ("ranking_share", "columns", "split", "draw", "n_features")
KEYS += ("class_1", "class_2", "geometry", "image", "class")
#: Columns that name a row of these kinds, and are choices elsewhere.
KEYS_OF = {"recovery": ("parameters",), "propositions": ("parameters",)}
#: Columns that depend on all repetitions, on the clock, or on every bit (t-SNE is chaotic).
PASSED = {"tuned", "stability", "chosen_stability", "seconds", "x", "y", "label"}
#: Columns of the kind "recovery" that only the best candidate over all draws has.
OF_TUNED = ["scores", "relevant", "accuracy", "validation", "log2_C", "log2_gamma"]
TOLERANCE, SHOWN = 1e-8, 8


def sampled(config: DictConfig, rng: np.random.Generator) -> DictConfig:
    """The config with few repetitions, and with a random choice of methods, shares and data."""
    protocol, scorers = config.protocol, config.method.scorers

    def some(values: list, n: int) -> list:
        return [values[i] for i in np.sort(rng.permutation(len(values))[:n])]

    names = some(list(scorers), 2 if protocol.kind in ("accuracy", "few_samples") else 4)
    if protocol.kind not in ("propositions", "cone"):
        config.method.scorers = {name: scorers[name] for name in names}
        protocol.n_repetitions = {"recovery": 5, "images": 2}.get(protocol.kind, 1)
    if "ranking_shares" in protocol:
        protocol.ranking_shares = some(list(protocol.ranking_shares), 2)
        names = some(list(protocol.classifiers), 2)
        protocol.classifiers = {name: protocol.classifiers[name] for name in names}
    if protocol.kind == "recovery":
        protocol.judged_draws = min(protocol.judged_draws, protocol.n_repetitions)
    if protocol.kind == "arena":
        protocol.datasets = some(list(protocol.datasets), 3)
    if protocol.get("order_splits"):
        protocol.order_splits = 1
    return config


def compared(
    committed: pd.DataFrame, computed: pd.DataFrame, kind: str, same_code: bool
) -> tuple[int, list[str], set[str]]:
    """The number of rows that both tables have, their differences, and the ambiguous methods."""
    if kind == "recovery":
        for table in (committed, computed):
            columns = [name for name in OF_TUNED if name in table]
            table[columns] = table[columns].astype(object).where(table["tuned"], None)
    keys = [*KEYS, *KEYS_OF.get(kind, ())]
    keys = [name for name in keys if name in computed and name in committed]
    new, old = (
        table.assign(place=table.groupby(keys, dropna=False).cumcount())
        for table in (computed, committed)
    )
    both = new.merge(old, on=[*keys, "place"], suffixes=("", "_committed"))
    vague: set[str] = set()
    if not same_code and "ambiguous" in both:
        flagged = both[both["ambiguous"].eq(True) | both["ambiguous_committed"].eq(True)]
        vague = set(flagged["method"])
        both = both[~both["method"].isin(vague)]
    differences = []
    for name in [n for n in computed if n in committed and n not in {*keys, *PASSED}]:
        is_optional = kind == "recovery" and name in OF_TUNED
        pairs = zip(both[f"{name}_committed"], both[name], strict=True)
        largest = max(map(size, both[f"{name}_committed"]), default=0)
        for (was, now), (_, row) in zip(pairs, both[keys].iterrows(), strict=True):
            if is_optional and (was is None or now is None):
                continue
            if not same(was, now, TOLERANCE * largest):
                at = ", ".join(f"{key} {row[key]}" for key in keys if not missing(row[key]))
                differences.append(f"{at}: {name} is {short(was)}, {short(now)} comes out")
    without = set(computed.get("method", ())) - set(both.get("method", ())) - vague
    differences += [f"{name}: no row of it is among the committed ones" for name in sorted(without)]
    return len(both), differences, vague


def missing(value: Any) -> bool:
    return np.ndim(value) == 0 and bool(pd.isna(value))


def size(value: Any) -> float:
    """The largest magnitude of a number or an array; 0 of anything else."""
    numbers = np.asarray(value)
    if numbers.dtype.kind != "f" or not numbers.size:
        return 0.0
    return float(np.max(np.abs(numbers), where=np.isfinite(numbers), initial=0))


def same(old: Any, new: Any, allowed: float) -> bool:
    """Equal, or floats that differ by no more than is allowed."""
    if missing(old) or missing(new):
        return missing(old) and missing(new)
    old, new = np.asarray(old), np.asarray(new)
    if old.shape != new.shape or old.dtype.kind != "f" or new.dtype.kind != "f":
        return np.array_equal(old, new)
    return np.allclose(new, old, rtol=0, atol=allowed, equal_nan=True)


def short(value: Any) -> str:
    return " ".join(repr(value).split())[:60]


def checked(name: str, chosen: argparse.Namespace) -> int:
    """Run a sample of a folder and print what differs; 1 if something does."""
    start, record = time.perf_counter(), provenance_of(RESULTS / name)
    config = stored_config(record["config"], kinds.load(record["config"]["protocol"]["kind"]))
    config = sampled(config, np.random.default_rng([chosen.seed, zlib.crc32(name.encode())]))
    with tempfile.TemporaryDirectory() as folder:
        config.update(store=f"{folder}/store", workers=chosen.workers, draw=False, refresh=False)
        config.data.home = chosen.data and str(Path(chosen.data).resolve())
        n_failed = run_experiment(config, Path(folder) / "run")
        computed = pd.read_parquet(Path(folder) / "run" / "rows.parquet")
    committed = pd.read_parquet(RESULTS / name / "rows.parquet")
    same_code = code_of_processor(record) == code_of_processor()
    n, differences, vague = compared(committed, computed, config.protocol.kind, same_code)
    differences += [f"{n_failed} tasks failed"] * bool(n_failed)
    words = f"; ambiguous on this processor: {', '.join(sorted(vague))}" if vague else ""
    seconds = time.perf_counter() - start
    print(f"{name}: {n} rows, {len(differences)} differences{words} ({seconds:.0f} s)")
    print("".join(f"    {line}\n" for line in differences[:SHOWN]), end="")
    return int(bool(differences))


def variables(name: str) -> dict[str, str]:
    """The variables that make OpenBLAS and NumPy take the code that computed a folder."""
    architectures, simd = code_of_processor(provenance_of(RESULTS / name))
    here = code_of_processor()[1]
    left_out = [feature for feature in here if feature not in simd]
    return {
        "OPENBLAS_NUM_THREADS": "1",
        "OPENBLAS_CORETYPE": ",".join(architectures),
        **({"NPY_DISABLE_CPU_FEATURES": " ".join(left_out)} if left_out else {}),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="folders of results/")
    parser.add_argument("--data", metavar="FOLDER", help="where the data sets lie; else fetched")
    parser.add_argument("--seed", type=int, default=0, help="of the sample; default: 0")
    parser.add_argument("--workers", type=int, default=2, help="default: 2")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    known = sorted(path.parent.name for path in RESULTS.glob("*/provenance.json"))
    if unknown := sorted(set(chosen.names) - set(known)):
        sys.exit(f"reproduce.py: results/ has no {', '.join(unknown)}; it has {', '.join(known)}")
    logging.disable(logging.WARNING)
    if chosen.here:
        sys.exit(checked(chosen.names[0], chosen))
    failed = []
    for name in chosen.names or known:
        command = [sys.executable, __file__, name, "--here", f"--seed={chosen.seed}"]
        command += [
            f"--workers={chosen.workers}",
            *(["--data", chosen.data] if chosen.data else []),
        ]
        status = subprocess.run(command, env={**os.environ, **variables(name)}).returncode
        if status < 0:  # The processor does not have that code.
            status = subprocess.run(command).returncode
        failed += [name] * bool(status)
    print(f"{len(failed)} folders do not come out again: {', '.join(failed) or 'none'}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
