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

from experiments import seeds
from experiments.datasets import generate, load
from experiments.files import write_csv, write_text
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


def regularized_score(X, y, *, floor, **parameters):
    """The regularized score with another floor than the package's."""
    K1, K2 = (class_kernel(X[y == label], label, **parameters)[0] for label in np.unique(y))
    delta = regularization(K1, K2, floor=floor)
    for K in (K1, K2):
        K[np.diag_indices_from(K)] += delta
    return midpoint_score(K1, K2)


def rows(home):
    """All rows of the table."""
    warnings.simplefilter("ignore", AmbiguousScoreWarning)
    for name, X, y, parameters in samples(home):
        order = seeds.generator(0, "order").permutation(X.shape[1])
        scorers: dict[str, Callable] = {}
        scorers["spsd"] = partial(manifest_score, geometry="spsd", **parameters)
        for floor in FLOORS:
            label = f"regularized, floor {floor:.0e}" + (" (default)" if floor == FLOOR else "")
            scorers[label] = partial(regularized_score, floor=floor, **parameters)
        ambiguous = compose(X, y, geometry="spsd", **parameters).n_ambiguous
        reference = best_first(scorers["spsd"](X, y))
        for label, score in scorers.items():
            values = score(X, y)
            largest, best = values.max(), best_first(values)
            swapped = np.where(y == y.min(), 1, 0)
            yield {
                "data": name,
                "ambiguous": ambiguous,
                "geometry": label,
                "permuting": np.abs(score(X[:, order], y) - values[order]).max() / largest,
                "swapping": np.abs(score(X, swapped) - values).max() / largest,
                **{f"top{k}": len(set(reference[:k]) & set(best[:k])) for k in (20, 100)},
            }
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
