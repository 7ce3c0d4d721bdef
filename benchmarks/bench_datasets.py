"""First and cached load of each data set, as a ratio to reading the same file; peak memory.

The reference is numpy's load of the same file. Each load runs in a process of its own, so that its
peak is its own. The largest sets also come as ARFF from an OpenML server on the loopback device,
through the `openml` package; the reference there is to read the file at once with liac-arff, as
that package does. Writes results/benchmarks/datasets.csv and datasets.md.

    python benchmarks/bench_datasets.py [--home FOLDER] [--only colon madelon]

Exits with 1 where MNIST from ARFF needs 3 GiB or more.
"""

import os
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.common import fresh, machine, parser, write
from experiments.datasets import folder, generate
from experiments.datasets.registry import REGISTRY
from tests.experiments.datasets.loopback import LoopbackServer, dense_arff, sparse_arff

GIB = 1 << 30
LIMIT = 3 * GIB

LOAD = "from experiments.datasets import load"
OPENML = """
import openml
from experiments.datasets import load
openml.config.server = {api!r}
"""
CLOCK = """
import time
from experiments.engine.timing import peak_memory
{setup}
start = time.perf_counter()
{action}
seconds = time.perf_counter() - start
"""


def measured(setup: str, action: str, **environment: str) -> tuple[float, int]:
    """Seconds and peak bytes of an action in a fresh process."""
    own = {key: value for key, value in os.environ.items() if not key.startswith("MANIFEST_")}
    own |= {"NO_PROXY": "127.0.0.1"} | environment
    code = CLOCK.format(setup=setup, action=action)
    return tuple(fresh(code, "[seconds, peak_memory()]", own)[1])


def row(name: str, first, cached, reference) -> dict:
    found = {"data": name}
    loads = {"first": first, "cached": cached, "reference": reference}
    found |= {f"{load} (s)": round(seconds, 3) for load, (seconds, _) in loads.items()}
    found |= {f"{k} ratio": round(loads[k][0] / reference[0], 2) for k in ("first", "cached")}
    found |= {f"{load} (GiB)": round(peak / GIB, 2) for load, (_, peak) in loads.items()}
    print(found, flush=True)
    return found


def from_folder(home: Path, scratch: Path, names: list[str]):
    """A row for each data set of the folder."""
    for name in names:
        file = folder.find(home, name)
        if file is None or file.suffix != ".npz":
            continue
        load = f"load({name!r}, home={str(home)!r}, cache={str(scratch)!r})"
        read = f"z = numpy.load({str(file)!r}); X, y = z['X'], z['y']"
        loads = measured(LOAD, load), measured(LOAD, load)
        yield row(name, *loads, measured("import numpy", read))


def as_arff(home: Path, names: list[str]):
    """Name, title, bytes and kind of each data set that is served as ARFF."""
    if "gisette" in names:
        sample = generate("gisette_like", np.random.default_rng(0))
        arff = sparse_arff(sample.X.astype(int), (2 * sample.y - 1).tolist())
        yield "gisette", "gisette (like, SYNTHETIC)", arff, "Sparse_ARFF"
    if "mnist" in names and folder.find(home, "mnist") is not None:
        with np.load(home / "mnist.npz", allow_pickle=False) as archive:
            arff = dense_arff(archive["X"], archive["y"].tolist())
        yield "mnist", f"mnist ({len(arff) / 1e6:.0f} MB of ARFF)", arff, "ARFF"


def from_arff(home: Path, scratch: Path, names: list[str]):
    """A row for each data set that a server on the loopback device offers as ARFF."""
    own = {"XDG_CONFIG_HOME": str(scratch), "OPENML_CACHE_DIR": str(scratch / "openml")}
    server = LoopbackServer(lifetime=1800)
    try:
        for name, title, arff, kind in as_arff(home, names):
            number = REGISTRY[name].sources[0].id  # type: ignore[union-attr]
            server.serve(number, arff, kind=kind)
            setup = OPENML.format(api=server.api)
            load = f"load({name!r}, cache={str(scratch / 'arff')!r})"
            loads = measured(setup, load, **own), measured(setup, load, **own)
            file = scratch / f"{name}.arff"
            file.write_bytes(arff)
            rows = "LOD" if name == "gisette" else "DENSE"
            read = f"arff.load(open({str(file)!r}), return_type=arff.{rows})"
            yield row(title, *loads, measured("import arff", read))
    finally:
        server.close()


def main() -> int:
    arguments = parser(__doc__, home=True)
    arguments.add_argument("--only", nargs="+", choices=REGISTRY, default=list(REGISTRY))
    given = arguments.parse_args()
    home = Path(given.home).expanduser()
    if not home.is_dir():
        print(f"no data in {home}: give --home or set MANIFEST_DATA")
        return 0
    with tempfile.TemporaryDirectory() as name:
        rows = [*from_folder(home, Path(name), given.only)]
        served = [*from_arff(home, Path(name), given.only)]
    note = f"Each load once in a process of its own, whose peak memory is given; {machine()}."
    print(write(given.to, "datasets", rows + served, note))
    peak = max((r["first (GiB)"] for r in served if r["data"].startswith("mnist")), default=0)
    if peak >= LIMIT / GIB:
        print(f"MNIST from ARFF needs {peak} GiB; it should need less than {LIMIT / GIB:.0f} GiB")
    return int(peak >= LIMIT / GIB)


if __name__ == "__main__":
    sys.exit(main())
