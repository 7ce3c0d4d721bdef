"""The relevance without a kernel scale against as many exact scores, and orders of wide tables.

There are 60 samples of continuous features. Seconds are processor time, so that other work on the
machine counts less. One relevance is (1 + permutations) x scales scores and little else:

- "ratio" is its time over that of so many exact scores in the same run;
- "arrays" is the peak of memory, in arrays of d x d numbers, and "of one score" that of a score.

An order of a wide table is made from blocks of features. Writes results/benchmarks/relevance.csv
and relevance.md:

    python benchmarks/bench_relevance.py [--sizes 500 1000 2000] [--wide 2000 20000]
        [--blocks 250 1000] [--runs N]
"""

import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.bench_score import arrays
from benchmarks.common import machine, parser, samples, timed, write
from manifest import manifest_score
from manifest.calibration import PERMUTATIONS
from manifest.references import SCALE_FACTORS
from manifest.relevance import BLOCK, calibrated_relevance

#: The scores that one relevance consists of.
N_SCORES = (1 + PERMUTATIONS) * len(SCALE_FACTORS)


def processor_seconds(action, runs=1):
    """The median processor time of an action."""
    return timed(action, runs, clock="process_time")[0]


def exact(d, runs):
    """A row for the relevance of features that are all compared with each other."""
    X, y = samples(60, d)
    score = partial(manifest_score, X, y)
    relevance = partial(calibrated_relevance, X, y, block=d)
    score()
    before = processor_seconds(score, runs)
    seconds = processor_seconds(relevance)
    of_scores = N_SCORES * (before + processor_seconds(score, runs)) / 2
    return {
        "features": d,
        "block": d,
        "seconds": round(seconds, 2),
        "ratio": round(seconds / of_scores, 2),
        "arrays": round(arrays(relevance, d), 1),
        "of one score": round(arrays(score, d), 1),
    }


def by_blocks(d, block):
    """A row for the order of a table from blocks."""
    X, y = samples(60, d)
    seconds = processor_seconds(partial(calibrated_relevance, X, y, block=block))
    missing = dict.fromkeys(("ratio", "arrays", "of one score"), "")
    return {"features": d, "block": block, "seconds": round(seconds, 2)} | missing


def main():
    arguments = parser(__doc__, runs=3)
    arguments.add_argument("--sizes", type=int, nargs="*", default=[500, 1000, 2000])
    arguments.add_argument("--wide", type=int, nargs="*", default=[2000, 20_000])
    arguments.add_argument("--blocks", type=int, nargs="*", default=[150, 250, BLOCK])
    given = arguments.parse_args()
    rows = [exact(d, given.runs) for d in given.sizes]
    rows += [by_blocks(d, block) for d in given.wide for block in given.blocks]
    note = f"Seconds of processor time; one relevance is {N_SCORES} scores. {machine()}."
    print(write(given.to, "relevance", rows, note))


if __name__ == "__main__":
    main()
