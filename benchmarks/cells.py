"""Parts of the units of an accuracy experiment whose single units take too long to run: a sample.

Prints JSON lines without end, the CPU seconds of each part as soon as it is measured: the scores of
one method on one random split, or the SVMs of one random cell of the grid (a fold or the test rows,
a number of features, a gamma; all C, as they are solved together). Whoever started it ends it.

Equal rankings are counted once, as they are judged. The set of all features is counted for every
method, though it is judged once a split: estimates are too high by up to that size's share.

    python benchmarks/cells.py EXPERIMENT PROFILE SEED [--home FOLDER]
"""

import argparse
import json
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measured import at, composed, with_home
from experiments.engine.parallel import Outcome
from experiments.engine.store import Store
from experiments.engine.timing import peak_memory
from experiments.evaluation.method_config import resolve
from experiments.evaluation.samples import dataset, samples, source_of
from experiments.evaluation.scoring import rank, stored_scores
from experiments.evaluation.splits import inner_folds, outer_split, ranking_rows, scaled
from experiments.evaluation.svm.grid import cv_accuracies
from experiments.protocols.accuracy.run import AccuracyUnits
from experiments.protocols.base import Run

#: Of two classes these order features alike, and equal rankings are judged once.
EQUAL = ("anova", "pearson", "fisher")


def say(**found):
    print(json.dumps({**found, "memory": peak_memory()}), flush=True)


class Sample:
    """Random parts of the units of a config: how many there are, and how long one takes."""

    def __init__(self, config, folder):
        self.config, self.rng = config, np.random.default_rng(config.seed)
        self.methods = [_tuned(method) for method in resolve(config)]
        self.store = Store(folder)
        source = source_of(config)
        run = Run(config, self.methods, self.store, Outcome())
        self.units = AccuracyUnits(run, source, dataset(**source))
        self.X, self.y, self.fingerprint = samples(**source)
        self.orders: list = []

    def counts(self):
        """Units; scores, one a method and split and share with all candidates; cells of the SVM."""
        protocol, axes = self.config.protocol, self.units.axes
        places = protocol.n_repetitions * len(self.units.shares)
        candidates = {method.name: len(method.candidates()) for method in self.methods}
        cells = len(self.units.sizes) * len(axes["log2_gamma"]) * (protocol.inner_folds + 1)
        return {
            "units": places * sum(candidates.values()),
            "scores": dict.fromkeys(candidates, places),
            "cells": {
                name: places * n * cells for name, n in candidates.items() if name not in EQUAL[1:]
            },
        }

    def rows(self, split):
        """A random split: its training and test rows, its folds, its samples as they are scaled."""
        axes = self.units.axes
        at = (self.fingerprint, axes["seed"], split)
        train, test = outer_split(self.y, *at, axes["test_size"])
        folds = inner_folds(self.y, train, *at, axes["inner_folds"])
        return train, [*folds, (train, test)], scaled(self.X, train, axes["scaling"])

    def scores(self):
        """All candidates of each method on one random split and share, method by method."""
        split = int(self.rng.integers(self.config.protocol.n_repetitions))
        share = float(self.rng.choice(self.units.shares))
        train, folds, X = self.rows(split)
        used = ranking_rows(self.y, train, self.fingerprint, self.config.seed, (split, None), share)
        axes = {"split": split, "share": share, "draw": len(self.orders)}
        for method in self.methods:
            start, found = time.process_time(), []
            for parameters in method.candidates():
                given = (method, X[used], self.y[used], parameters, self.store, axes)
                found.append(stored_scores(*given)["scores"])
            seconds = time.process_time() - start
            order = rank(found[self.rng.integers(len(found))], self.rng)
            self.orders.append((method.name, X, folds, order))
            yield {"scores": method.name, "seconds": seconds}

    def cell(self):
        """The SVMs of one random cell, on a ranking that there is."""
        axes = self.units.axes
        name, X, folds, order = self.orders[self.rng.integers(len(self.orders))]
        fold = folds[self.rng.integers(len(folds))]
        size, gamma = int(self.rng.choice(self.units.sizes)), self.rng.choice(axes["log2_gamma"])
        Cs = [2.0**power for power in axes["log2_C"]]
        start = time.process_time()
        cv_accuracies(X, self.y, order, [size], [fold], Cs=Cs, gammas=[2.0**gamma])
        return {"cell": EQUAL[0] if name in EQUAL else name, "seconds": time.process_time() - start}


def _tuned(method):
    """A method with its parts that are tuned alone at their first candidates."""
    first = {}
    for part in method.prerequisites():
        first.update(part.candidates()[0])
    return method.with_tuned(first)


def main():
    parser = with_home(argparse.ArgumentParser(description=__doc__.split("\n")[0]))
    parser.add_argument("experiment")
    parser.add_argument("profile")
    parser.add_argument("seed", type=int)
    given = parser.parse_args()
    names = (f"{name}={getattr(given, name)}" for name in ("experiment", "profile", "seed"))
    config = composed(*names, *at(given.home))
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(1):
        tiny = np.random.default_rng(0).normal(size=(20, 2))
        cv_accuracies(tiny, np.arange(20) % 2, [0, 1], [2], [(np.arange(10), np.arange(10, 20))])
        sample = Sample(config, folder)
        say(**sample.counts())
        while True:
            for found in sample.scores():
                say(**found)
                # Most of the time is in the SVMs, and of them most in few cells.
                until = time.perf_counter() + max(3 * found["seconds"], 1.0)
                while time.perf_counter() < until:
                    say(**sample.cell())


if __name__ == "__main__":
    main()
