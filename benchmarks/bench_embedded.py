"""Seconds a fit, compilations and memory of the neural embedded systems at 49 samples x 2000 genes.

Each system has its defaults and runs in a process of its own: once with one epoch, which compiles
it, and once in full, with another seed and another price of a gate where it has one. "compiled"
counts XLA's programs in the first fit and in the second, where there are none: what a grid tunes is
an argument.
"two at once" is the second fit while another process does the same, on another core; "ratio" is it
over the fit alone. "MiB" is the peak memory of the process. Writes results/benchmarks/embedded.csv
and embedded.md. It needs the extra `neural`.

    python benchmarks/bench_embedded.py [--only STG L2X] [--epochs N]
"""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.common import ROOT, environment, machine, parser, write

SYSTEMS = ("LinearSTG", "STG", "LLSPIN", "LSPIN", "L2X", "INVASE", "RealX", "TabNet")
#: Fits a system twice; prints what was measured.
PROGRAM = """
import json, resource, time
import numpy as np
from jax import monitoring
from baselines import embedded

compiled = []
monitoring.register_event_duration_secs_listener(
    lambda event, seconds, **_: compiled.append(event) if "backend_compile" in event else None
)
rng = np.random.default_rng(0)
X, y = rng.normal(size=(49, 2000)), np.arange(49) % 2
system = getattr(embedded, {name!r})
changes = {epochs}
start = time.perf_counter()
system(random_state=0, max_epochs=1).fit(X, y)
first, programs = time.perf_counter() - start, len(compiled)
if hasattr(system(), "lam"):
    changes["lam"] = 0.05
start = time.perf_counter()
model = system(random_state=1, **changes).fit(X, y)
print(json.dumps(dict(
    first=first,
    fit=time.perf_counter() - start,
    epochs=model.n_epochs_,
    compiled=[programs, len(compiled) - programs],
    memory=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
)))
"""


def measured(name, epochs, at_once):
    """What so many processes at once measure, each on its own."""
    changes = {} if epochs is None else {"max_epochs": epochs}
    command = [sys.executable, "-c", PROGRAM.format(name=name, epochs=changes)]
    running = [
        subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True)
        for _ in range(at_once)
    ]
    printed = [process.communicate()[0] for process in running]
    if any(process.returncode for process in running):
        sys.exit(f"{name} could not be measured; see above")
    return [json.loads(text) for text in printed]


def row(name, epochs):
    """One row of the table."""
    (alone,) = measured(name, epochs, 1)
    both = max(one["fit"] for one in measured(name, epochs, 2))
    return {
        "system": name,
        "epochs": alone["epochs"],
        "first fit, s": round(alone["first"], 2),
        "fit, s": round(alone["fit"], 2),
        "ms an epoch": round(1000 * alone["fit"] / alone["epochs"], 2),
        "compiled": " + ".join(map(str, alone["compiled"])),
        "two at once, s": round(both, 2),
        "ratio": round(both / alone["fit"], 2),
        "MiB": round(alone["memory"]),
    }


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--only", nargs="+", choices=SYSTEMS, default=SYSTEMS)
    arguments.add_argument("--epochs", type=int, help="of the second fit; the defaults otherwise")
    given = arguments.parse_args()
    if importlib.util.find_spec("jax") is None:
        sys.exit("the embedded systems need jax, which is not installed: pip install '.[neural]'")
    rows = []
    for name in given.only:
        rows.append(row(name, given.epochs))
        print(rows[-1], flush=True)
    print(write(given.to, "embedded", rows, f"{machine()}."))


if __name__ == "__main__":
    main()
