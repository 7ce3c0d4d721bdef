"""The base of the benchmarks: arguments, clocks, fresh processes, kept results and tables."""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_info

from experiments.atomic import atomic_write
from experiments.engine.parallel import available_cores
from experiments.provenance import processor
from experiments.report.text import markdown

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "results" / "benchmarks"
OUTPUTS = ROOT / "outputs" / "benchmarks"
#: Seconds that a run may take to end after it was asked to end.
PATIENCE = 15.0


def parser(doc: str, *, runs: int | None = None, home: bool = False) -> argparse.ArgumentParser:
    """The arguments that benchmarks have in common: --to, and --runs and --home where needed."""
    made = argparse.ArgumentParser(description=doc.partition("\n")[0])
    made.add_argument("--to", type=Path, default=FOLDER, help="folder of the tables")
    if runs is not None:
        made.add_argument("--runs", type=int, default=runs, help=f"for a median; default {runs}")
    if home:
        made.add_argument(
            "--home",
            type=Path,
            default=os.environ.get("MANIFEST_DATA") or ROOT.parent / "shared" / "data",
            help="folder with data sets, NAME.npz; without it they are fetched where they can be",
        )
    return made


def write(folder: Path, name: str, rows, note: str, text: str | None = None) -> str:
    """Write the rows as NAME.csv and, with a note below them, as NAME.md; return the latter.

    Where NAME.md has another form than the rows, it is given as `text`. Results that :func:`kept`
    holds under this name are no longer needed and are removed.
    """
    table = pd.DataFrame(rows)
    text = f"{markdown(table) if text is None else text}\n{note}\n"
    with atomic_write(folder / f"{name}.csv") as part:
        table.to_csv(part, index=False, float_format="%.6g", lineterminator="\n")
    with atomic_write(folder / f"{name}.md") as part:
        part.write_text(text)
    shutil.rmtree(OUTPUTS / name, ignore_errors=True)
    return text


def alternating(
    actions: Mapping, runs: int, *, prepare: Mapping = {}, pause: float = 0.0, warm: bool = True
) -> tuple[dict, dict]:
    """Median seconds and last result of each action; the actions take turns.

    Whatever disturbs the machine for a while then disturbs all actions alike.

    Parameters
    ----------
    actions : mapping of hashable to callable
    runs : int
        How many turns count.
    prepare : mapping of hashable to callable
        An action that is named here is called with the value of this function, which is called
        anew before each turn and is not timed.
    pause : float
        Seconds of rest before each turn. The idle threads of a BLAS go on spinning for a while
        after its last call and would take time from another library.
    warm : bool
        Whether a first turn, which loads what an action needs, is not counted. With a pause, an
        action that takes less than 0.1 s is also called once more before each counted call.
    """
    times: dict = {name: [] for name in actions}
    results = {}
    for _turn in range(runs + warm):
        for name, action in actions.items():
            time.sleep(pause)
            short = pause and times[name] and times[name][-1] < 0.1
            for _ in range(2 if short else 1):
                given = (prepare[name](),) if name in prepare else ()
                start = time.perf_counter()
                results[name] = action(*given)
                seconds = time.perf_counter() - start
            times[name].append(seconds)
    return {name: float(np.median(values[warm:])) for name, values in times.items()}, results


def timed(action: Callable, runs: int = 1):
    """Median seconds and last result of one action."""
    seconds, results = alternating({"": action}, runs, warm=False)
    return seconds[""], results[""]


def runs_at(d: int) -> int:
    """The number of runs of a score for a median at so many features."""
    return 21 if d <= 500 else 5 if d <= 1000 else 3


def environment(bytecode: Path = OUTPUTS / "bytecode") -> dict[str, str]:
    """This process's environment, in which Python keeps the bytecode of all modules."""
    same = {key: v for key, v in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return same | {"PYTHONPYCACHEPREFIX": str(bytecode)}


def fresh(setup: str, expression: str, env: Mapping[str, str] | None = None):
    """The wall seconds of a fresh Python process, and the JSON value of an expression in it."""
    program = f"import json\n{setup}\nprint(json.dumps({expression}))"
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=env or environment(),
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return time.perf_counter() - start, json.loads(done.stdout.splitlines()[-1])


class Failed(RuntimeError):
    """A run that ended with a sentence."""


def timed_run(*overrides: str, workers: int = 2, timeout: float | None = None):
    """Wall seconds and provenance of ``run.py`` with these overrides; None if it took longer.

    The wall time is that of the command, from the start of the interpreter to its end. Nothing is
    stored before, unless an override names a store.

    Raises
    ------
    Failed
        With the last line that the run printed.
    """
    with tempfile.TemporaryDirectory() as name:
        own = [f"store={name}/store", f"hydra.run.dir={name}/run", f"workers={workers}"]
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "run.py", *own, *overrides],
            cwd=ROOT,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            _, printed = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.terminate()
            process.communicate(timeout=PATIENCE)
            return None
        seconds = time.perf_counter() - start
        if process.returncode:
            raise Failed((printed.strip().splitlines() or ["the run printed nothing"])[-1])
        return seconds, json.loads((Path(name) / "run" / "provenance.json").read_text())


def data_home(home: Path) -> list[str]:
    """The override that names a folder with data, if the folder is there."""
    return [f"data.home={home}"] if Path(home).is_dir() else []


def composed(*overrides: str):
    """The config that Hydra composes from these overrides."""
    # Hydra takes long to import, and most benchmarks do not need it.
    from hydra import compose, initialize_config_dir

    from experiments.kinds import register

    register()
    with initialize_config_dir(str(ROOT / "configs"), version_base="1.3"):
        return compose("config", list(overrides))


def label(method: str) -> str:
    """A method's name in tables and figures, from its YAML file."""
    from omegaconf import OmegaConf

    return OmegaConf.load(ROOT / "configs" / "method" / f"{method}.yaml").scorers[method].label


def file_dataset(path: Path, X, y) -> list[str]:
    """Write samples to a file; the overrides that make it the data set of an experiment."""
    np.savez(path, X=X, y=y)
    return ["dataset=file", f"dataset.path={path}", "dataset.target=y"]


def samples(n: int, d: int, duplicates: bool = False):
    """Continuous features of two classes; if wanted, two features are equal in the first class.

    The duplicates make the kernel of that class singular, so that Algorithm 2 has something to
    drop.
    """
    rng = np.random.default_rng(d)
    X, y = rng.normal(size=(n, d)), np.arange(n) % 2
    if duplicates:
        X[y == 0, 0] = X[y == 0, 1]
    return X, y


@cache
def sources() -> str:
    """A digest of the code and configs that a benchmark may run, and of the machine."""
    digest = hashlib.sha256(f"{available_cores()} {processor()}".encode())
    for folder in ("manifest", "baselines", "experiments", "configs", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".py", ".c", ".yaml"}:
                digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def kept(name: str, key, measure: Callable):
    """The JSON value of `measure()`, or that of an interrupted run of the same code.

    Values wait under outputs/benchmarks/NAME until :func:`write` has written the table of NAME.
    """
    digest = hashlib.sha256(json.dumps([sources(), key]).encode()).hexdigest()[:16]
    path = OUTPUTS / name / f"{digest}.json"
    if not path.exists():
        value = measure()
        with atomic_write(path) as part:
            part.write_text(json.dumps(value))
    return json.loads(path.read_text())


def load() -> float:
    """The load of the machine in the last minute; NaN where it is not known."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else float("nan")


def machine() -> str:
    """The machine, for a note below a table."""
    pools = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    threads = f"{max(pools)} BLAS threads, " if pools else ""
    return f"{available_cores()} cores, {threads}{processor()}, load {load()} at the end"
