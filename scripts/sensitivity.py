"""Sensitivity of the scores to the regularization, and to what should change nothing.

Algorithm 2 is compared with several floors of the regularized geometry. The table says how far the
score moves (as a share of the largest) when the features are permuted and when the classes are
swapped, and how many of the best 20 and 100 features are those of Algorithm 2. Writes
results/sensitivity/table.csv and table.md.

    python scripts/sensitivity.py [--home FOLDER]
"""

import argparse
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from experiments.atomic import write_csv, write_text
from experiments.datasets import generate, load
from experiments.engine import seeds
from experiments.report.text import markdown
from manifest import AmbiguousScoreWarning, manifest_score
from manifest.composition import compose
from manifest.kernels import class_kernel
from manifest.ranking import best_first
from manifest.regularized import FLOOR, regularization
from manifest.spd import midpoint_score

FLOORS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8)
OUTPUT = Path(__file__).resolve().parents[1] / "results" / "sensitivity"


def samples(home):
    """Name, X, y and parameters of each data set: XOR-100, and the real ones if there is a home."""
    sample = generate("xor", seeds.generator(0, "sensitivity"))
    yield "XOR-100", sample.X, sample.y, {"scale_factor": 0.1}
    if home is None:
        return
    colon = load("colon", home=home)
    yield "colon (ternary)", colon.X, colon.y, {}
    mnist = load("mnist", home=home)
    rows = np.concatenate([np.flatnonzero(mnist.y == digit)[:200] for digit in (4, 9)])
    yield "MNIST 4/9, 200 each", mnist.X[rows] / 255.0, mnist.y[rows], {}
    prostate = load("prostate_ge", home=home)
    columns = seeds.generator(0, "sensitivity").permutation(prostate.X.shape[1])[:1500]
    yield "prostate, 1500 genes", prostate.X[:, columns], prostate.y, {}


def regularized_score(X, y, floor, parameters):
    """The regularized score with another floor than the package's."""
    K1, K2 = (class_kernel(X[y == label], label, **parameters)[0] for label in np.unique(y))
    delta = regularization(K1, K2, floor=floor)
    for K in (K1, K2):
        K[np.diag_indices_from(K)] += delta
    return midpoint_score(K1, K2)


def measure(X, y, score, reference, order):
    """One row of the table."""
    values = score(X, y)
    largest = values.max()
    best = {k: set(best_first(reference)[:k]) for k in (20, 100)}
    return {
        "permuting": np.abs(score(X[:, order], y) - values[order]).max() / largest,
        "swapping": np.abs(score(X, np.where(y == y.min(), 1, 0)) - values).max() / largest,
        "top20": len(best[20] & set(best_first(values)[:20])),
        "top100": len(best[100] & set(best_first(values)[:100])),
    }


def rows(home):
    """All rows of the table."""
    for name, X, y, parameters in samples(home):
        order = seeds.generator(0, "order").permutation(X.shape[1])
        spsd: Callable = partial(manifest_score, geometry="spsd", **parameters)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AmbiguousScoreWarning)
            reference = spsd(X, y)
            ambiguous = compose(X, y, geometry="spsd", **parameters).n_ambiguous
            head = {"data": name, "ambiguous": ambiguous}
            yield {**head, "geometry": "spsd", **measure(X, y, spsd, reference, order)}
        for floor in FLOORS:
            score = partial(regularized_score, floor=floor, parameters=parameters)
            label = f"regularized, floor {floor:.0e}" + (" (default)" if floor == FLOOR else "")
            yield {**head, "geometry": label, **measure(X, y, score, reference, order)}
        print(f"measured {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--home", help="folder with colon.npz, mnist.npz and prostate_ge.npz")
    table = pd.DataFrame(rows(parser.parse_args().home))
    changes = {name: table[name].map("{:.0e}".format) for name in ("permuting", "swapping")}
    text = markdown(table.assign(**changes))
    write_csv(OUTPUT / "table.csv", table, "%.2g")
    write_text(OUTPUT / "table.md", text)
    print(text, end="")


if __name__ == "__main__":
    main()
