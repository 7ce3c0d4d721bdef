"""What a command costs before any work: --help and the sentence on a typo, beside importing numpy.

Each command is a fresh process that finds the bytecode of all modules, as pip leaves it and as
Python keeps it after the first start. The commands take turns. Exits with 1 where --help takes
1.5 s or more. Writes results/benchmarks/startup.csv and startup.md.

    python benchmarks/bench_startup.py [--runs 5]
"""

import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.common import ROOT, alternating, environment, machine, parser, write

LIMIT = 1.5
REFERENCE = "import numpy alone"
COMMANDS = {
    REFERENCE: ["-c", "import numpy"],
    "python run.py --help": ["run.py", "--help"],
    "a typo: experiment=xor10": ["run.py", "experiment=xor10"],
    "a value out of range: workers=-1": ["run.py", "experiment=xor100", "workers=-1"],
}


def main() -> int:
    given = parser(__doc__, runs=5).parse_args()
    with tempfile.TemporaryDirectory() as bytecode:
        settings = {"cwd": ROOT, "env": environment(Path(bytecode)), "capture_output": True}
        start = partial(subprocess.run, check=False, **settings)
        actions = {name: partial(start, [sys.executable, *a]) for name, a in COMMANDS.items()}
        seconds, _ = alternating(actions, given.runs)
    reference = seconds.pop(REFERENCE)
    rows = [
        {
            "command": command,
            "seconds": round(of_one, 3),
            REFERENCE: round(reference, 3),
            "ratio": round(of_one / reference, 1),
        }
        for command, of_one in seconds.items()
    ]
    note = f"Median of {given.runs} fresh processes; {machine()}. Bound: {LIMIT} s for --help."
    print(write(given.to, "startup", rows, note))
    return int(rows[0]["seconds"] >= LIMIT)


if __name__ == "__main__":
    sys.exit(main())
