"""Whole runs of the command, each in a fresh process with nothing stored before."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "results" / "benchmarks"
OUTPUTS = ROOT / "outputs" / "benchmarks"
#: Seconds that a run may take to end once it was asked to.
PATIENCE = 15.0


def environment(bytecode: Path = OUTPUTS / "bytecode") -> dict[str, str]:
    """This process's, with the bytecode of all modules kept, as pip and Python leave it."""
    kept = {key: v for key, v in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(bytecode)}


class Failed(RuntimeError):
    """A run that ended with a sentence."""


def finished(*overrides: str, workers: int = 2, timeout: float | None = None):
    """Wall seconds and provenance of ``run.py`` with these overrides; None if it took longer.

    The wall time is that of the command, from the start of the interpreter to its end.

    Raises
    ------
    Failed
        With the last line that the run printed.
    """
    with tempfile.TemporaryDirectory() as name:
        places = [f"store={name}/store", f"hydra.run.dir={name}/run", f"workers={workers}"]
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "run.py", *overrides, *places],
            cwd=ROOT,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            _, told = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.terminate()
            process.communicate(timeout=PATIENCE)
            return None
        seconds = time.perf_counter() - start
        if process.returncode:
            raise Failed((told.strip().splitlines() or ["without a word"])[-1])
        return seconds, json.loads((Path(name) / "run" / "provenance.json").read_text())


def with_home(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Add the flag that names the folder with data."""
    parser.add_argument(
        "--home",
        default=os.environ.get("MANIFEST_DATA") or ROOT.parent / "shared" / "data",
        help="folder with data sets, NAME.npz; without it they are fetched where they can be",
    )
    return parser


def at(home: str | Path) -> list[str]:
    """The override for a folder with data, where there is one."""
    return [f"data.home={home}"] if Path(home).is_dir() else []


def samples(n, d, duplicates=False):
    """Continuous features of two classes; with a pair of duplicates in the first, if wanted."""
    rng = np.random.default_rng(d)
    X, y = rng.normal(size=(n, d)), np.arange(n) % 2
    if duplicates:
        X[y == 0, 0] = X[y == 0, 1]
    return X, y


def label(method: str) -> str:
    """A method's name in tables and figures, from its YAML file."""
    from omegaconf import OmegaConf

    return OmegaConf.load(ROOT / "configs" / "method" / f"{method}.yaml").scorers[method].label


def composed(*overrides: str):
    """The config that Hydra composes from these overrides."""
    # Slow to import, and most benchmarks need none.
    from hydra import compose, initialize_config_dir

    from experiments.protocols import register

    register()
    with initialize_config_dir(str(ROOT / "configs"), version_base="1.3"):
        return compose("config", list(overrides))


def machine() -> str:
    """What a note below a table says of the machine."""
    from experiments.engine.parallel import available_cores
    from experiments.provenance import processor

    load = f", load {os.getloadavg()[0]:.1f} at the end" if hasattr(os, "getloadavg") else ""
    return f"{available_cores()} cores, {processor()}{load}"
