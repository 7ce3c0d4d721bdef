"""First and cached load of each data set, as a ratio to numpy's load of the same file; peak memory.

Each load runs in a process of its own, so that its peak is its own. The largest sets also come as
ARFF from an OpenML server on the loopback device, through the `openml` package; the reference
there is to read the file at once with liac-arff, as that package does.

    python benchmarks/bench_datasets.py [--home FOLDER]

Exits with 1 where MNIST from ARFF needs 3 GiB or more.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from experiments.datasets import folder, generate
from experiments.datasets.loading import home_folder
from experiments.datasets.registry import REGISTRY
from tests.datasets.loopback import LoopbackServer, dense_arff, sparse_arff

ROOT = Path(__file__).resolve().parents[1]
GIB = 1 << 30
LIMIT = 3 * GIB

CHILD = """
import json, re, resource, sys, time
from pathlib import Path
{setup}
start = time.perf_counter()
{action}
seconds = time.perf_counter() - start
status = Path("/proc/self/status")
if status.exists():  # there, getrusage would also count the process that started this one
    peak = 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1])
else:
    unit = 1 if sys.platform == "darwin" else 1024
    peak = unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([seconds, peak]))
"""
LOAD = "from experiments.datasets import load"
OPENML = """
import openml
from experiments.datasets import load
openml.config.server = {api!r}
"""


def measured(setup: str, action: str, **environment: str) -> tuple[float, int]:
    """Seconds and peak bytes of an action in a fresh process."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MANIFEST_")}
    done = subprocess.run(
        [sys.executable, "-c", CHILD.format(setup=setup, action=action)],
        cwd=ROOT,
        env=kept | {"NO_PROXY": "127.0.0.1"} | environment,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    seconds, peak = json.loads(done.stdout.splitlines()[-1])
    return seconds, peak


def line(name: str, first, cached, reference) -> None:
    print(
        f"{name:25}{first[0]:8.3f}{cached[0]:8.3f}{reference[0]:8.3f}"
        f"{first[0] / reference[0]:10.2f}{cached[0] / reference[0]:8.2f}"
        f"{first[1] / GIB:10.2f}{cached[1] / GIB:8.2f}{reference[1] / GIB:8.2f}",
        flush=True,
    )


def from_folder(home: Path, scratch: Path) -> None:
    for name in REGISTRY:
        file = folder.find(home, name)
        if file is None or file.suffix != ".npz":
            continue
        load = f"load({name!r}, home={str(home)!r}, cache={str(scratch)!r})"
        first, cached = measured(LOAD, load), measured(LOAD, load)
        reference = measured(
            "import numpy", f"z = numpy.load({str(file)!r}); X, y = z['X'], z['y']"
        )
        line(name, first, cached, reference)


def from_arff(home: Path, scratch: Path) -> int:
    """Return the peak of MNIST's first load."""
    server = LoopbackServer(lifetime=1800)
    peak = 0
    own = {"XDG_CONFIG_HOME": str(scratch), "OPENML_CACHE_DIR": str(scratch / "openml")}
    sample = generate("gisette_like", np.random.default_rng(0))
    sources = {"gisette": sparse_arff(sample.X.astype(int), (2 * sample.y - 1).tolist())}
    del sample
    if folder.find(home, "mnist") is not None:
        with np.load(home / "mnist.npz", allow_pickle=False) as archive:
            sources["mnist"] = dense_arff(archive["X"], archive["y"].tolist())
    try:
        for name, arff in sources.items():
            number = REGISTRY[name].sources[0].id  # type: ignore[union-attr]
            server.serve(number, arff, kind="Sparse_ARFF" if name == "gisette" else "ARFF")
            setup = OPENML.format(api=server.api)
            load = f"load({name!r}, cache={str(scratch / 'arff')!r})"
            first, cached = measured(setup, load, **own), measured(setup, load, **own)
            file = scratch / f"{name}.arff"
            file.write_bytes(arff)
            rows = "LOD" if name == "gisette" else "DENSE"
            reference = measured(
                "import arff", f"arff.load(open({str(file)!r}), return_type=arff.{rows})"
            )
            said = "like, SYNTHETIC" if name == "gisette" else f"{len(arff) / 1e6:.0f} MB of ARFF"
            line(f"{name} ({said})", first, cached, reference)
            peak = first[1] if name == "mnist" else peak
    finally:
        server.close()
    return peak


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--home", default=ROOT.parent / "shared" / "data", help="folder with .npz")
    given = parser.parse_args()
    home = home_folder(os.environ.get("MANIFEST_DATA") or given.home)
    if home is None or not home.is_dir():
        print(f"no data in {home}: give --home or set MANIFEST_DATA")
        return 0
    print(f"{'':25}{'seconds':>24}{'to reference':>18}{'peak GiB':>26}")
    heads = f"{'first':>8}{'cached':>8}{'ref.':>8}{'first':>10}{'cached':>8}"
    print(f"{'':25}{heads}{'first':>10}{'cached':>8}{'ref.':>8}")
    with tempfile.TemporaryDirectory() as scratch:
        from_folder(home, Path(scratch))
        peak = from_arff(home, Path(scratch))
    if peak >= LIMIT:
        print(f"MNIST from ARFF needs {peak / GIB:.2f} GiB, more than {LIMIT / GIB:.0f} GiB")
    return int(peak >= LIMIT)


if __name__ == "__main__":
    sys.exit(main())
