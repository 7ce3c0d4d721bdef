"""What a command costs before any work: --help, the sentence on a typo; beside importing numpy.

Each in a fresh process, with the bytecode of all modules at hand, as pip leaves it and as Python
keeps it after the first start. Median of five; exits with 1 where --help takes 1.5 s or more.
Writes results/benchmarks/startup.csv and startup.md.

    python benchmarks/bench_startup.py [--runs 5]
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measured import FOLDER, ROOT, environment, machine
from experiments.atomic import atomic_write
from experiments.report.text import markdown

LIMIT = 1.5
COMMANDS = {
    "python run.py --help": ["run.py", "--help"],
    "a typo: experiment=xor10": ["run.py", "experiment=xor10"],
    "a value out of range: workers=0": ["run.py", "experiment=xor100", "workers=0"],
}


def seconds(arguments, env, runs):
    """Median over the runs, after one that is not counted."""
    times = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=env,
            capture_output=True,
            check=False,
        )
        times.append(time.perf_counter() - start)
    return float(pd.Series(times[1:]).median())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as bytecode:
        fresh = environment(Path(bytecode))
        reference = seconds(["-c", "import numpy"], fresh, runs)
        rows = [
            {
                "command": command,
                "seconds": round(of_one, 3),
                "import numpy alone": round(reference, 3),
                "ratio": round(of_one / reference, 1),
            }
            for command, arguments in COMMANDS.items()
            for of_one in [seconds(arguments, fresh, runs)]
        ]
    table = pd.DataFrame(rows)
    print(table.to_string(index=False))
    with atomic_write(FOLDER / "startup.csv") as part:
        table.to_csv(part, index=False)
    note = f"\nMedian of {runs} fresh processes; {machine()}. Bound: {LIMIT} s for --help.\n"
    with atomic_write(FOLDER / "startup.md") as part:
        part.write_text(markdown(table) + note)
    return int(rows[0]["seconds"] >= LIMIT)


if __name__ == "__main__":
    sys.exit(main())
