"""Judge rankings from a few samples of each class by an SVM on all other samples.

This is how the version of the paper of 2023 judges several classes. A draw takes as many samples of
each class as the config says. Features are ranked from them, and an SVM with an RBF kernel learns
from them, one class against one; its C and gamma, and the parameters of a method that are tuned,
have the best accuracy in cross-validation inside them. Each draw then tests on all other samples,
once for each number of features.

The draws and the tables are those of the protocol accuracy under its reading ``paper``. The
intervals are those of independent draws: where few of many samples train, two draws hardly share
any. They tell what other draws from these samples would give.
"""

from functools import partial
from typing import ClassVar

import numpy as np
import pandas as pd

import baselines
from experiments.config import ConfigError
from experiments.engine.keys import Unit, key_of
from experiments.evaluation.samples import Source, dataset, source_of
from experiments.protocols.accuracy.judgements import AccuracyUnits
from experiments.protocols.accuracy.run import HEADLINE, SUMMARY, in_orders, judged
from experiments.protocols.base import Results, Run
from experiments.protocols.few_samples import tables
from experiments.protocols.few_samples.units import draw, judge_on_others, show
from manifest import manifest_score

__all__ = ["HEADLINE", "SUMMARY", "run"]


class FewSamplesUnits(AccuracyUnits):
    """The units of a config: of a method's candidate, on a draw."""

    judge: ClassVar = staticmethod(judge_on_others)
    stored_as: ClassVar[str] = "few_samples"
    split_by: ClassVar[tuple[str, ...]] = ("n_per_class", "inner_folds")

    def check(self) -> None:
        """Raise a ConfigError where a class has nothing left to test on."""
        labels, counts = np.unique(self.y, return_counts=True)
        wanted = self.axes["n_per_class"]
        if counts.min() <= wanted:
            raise ConfigError(
                f"protocol.n_per_class={wanted} must leave samples of each class to test on, class "
                f"{labels[counts.argmin()]} of {self.run.config.dataset.name} has {counts.min()}"
            )

    def rows(self, split: int) -> tuple[np.ndarray, np.ndarray]:
        """The training and the test rows of a draw."""
        names = ("fingerprint", "seed", "n_per_class")
        return draw(self.y, split=split, **{name: self.axes[name] for name in names})

    def test_share(self) -> float:
        """Draws are taken to be independent."""
        return 0.0


def run(run: Run) -> Results:
    """All methods and draws of a config, and what the first draw looks like.

    Returns
    -------
    Results
        As of the protocol accuracy, with the table "accuracies": a row a method and number of
        features. Where ``protocol.shape`` is given and a method compares all classes with their
        mean, rows that have an "image" hold its pixels: samples, eigenvectors and the score.
    """
    arguments = source_of(run.config)
    data = dataset(**arguments)
    source = Source.of(arguments, data)
    units = FewSamplesUnits(run, source, data)
    results = judged(units, data)
    results.tables["accuracies"] = tables.accuracies(results.rows, run.methods, in_orders(units))
    results.shown = tables.shown(results.tables["accuracies"])
    pictures = _pictures(run, units, data)
    if pictures:
        results.rows = pd.concat([results.rows, pd.DataFrame(pictures)], ignore_index=True)
    return results


def _pictures(run, units, data):
    """Rows with the images of the first draw."""
    protocol = run.config.protocol
    shown = _shown(run.methods)
    if not protocol.shape or shown is None:
        return []
    if data.X.shape[1] != np.prod(protocol.shape):
        raise ConfigError(
            f"protocol.shape {list(protocol.shape)} has {np.prod(protocol.shape)} pixels, "
            f"{data.name} has {data.X.shape[1]} features"
        )
    method, parameters = shown
    axes = {**units.axes, "split": 0}
    wanted = {"n_mean": protocol.n_mean, "n_difference": protocol.n_difference}
    names = ("fingerprint", "seed", "split", "n_per_class", "scaling")
    own = {name: axes[name] for name in names}
    key = key_of("few_samples", [show], axes=own, parameters=parameters, **wanted)
    unit = Unit(key, partial(show, units.source, axes, parameters, **wanted))
    run.complete([unit], "operators")
    found = run.outcome.rows.get(unit.key)
    if found is None:
        return []
    train, _ = units.rows(0)
    return tables.pictures(method, data, train, found, protocol.n_difference)


def _shown(methods):
    """The first method that compares all classes with their mean, and its first candidate."""
    for method in methods:
        (part, *others) = method.parts
        keywords = dict(method.candidates()[0][part.name])
        compared = keywords.pop("multiclass", "mean") == "mean" and "approximation" not in keywords
        if compared and not others and baselines.get(part.call) is manifest_score:
            return method, keywords
    return None
