"""Sentences of the paper that compare methods, repetition by repetition.

``paper.yaml`` has each sentence as pairs of sides, whose differences obey one rule.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from experiments.evaluation.statistics import resampled_interval
from experiments.report.claims import outcome
from experiments.report.claims.accuracies import Accuracies, Gaps, OwnSamples, read
from experiments.report.claims.outcome import Estimate, Missing, Quantity
from experiments.report.claims.recovery import Draws
from experiments.report.claims.results_folder import ResultsFolder, found, stored


class DataSets:
    """Accuracies from a number of samples; each data set is one value."""

    noise = "data sets, Student"
    note = Accuracies.note
    most = 100.0

    def __init__(self, results: ResultsFolder, n_train: int):
        table = results.table("problems")
        table = table[table["n_train"].astype(str) == str(n_train)]
        self.names = table.pivot(index="data_set", columns="method", values="accuracy")
        self.n = len(self.names)

    def values(self, method):
        return self.names[method]

    def mean(self, values, low, high, *names):
        outcome.need_several(len(values))
        values = 100 * values
        student = partial(resampled_interval, values, 0.0)
        return Quantity(float(values.mean()), student, student, *names)


#: What is compared -> its source: ``values`` has one value for each repetition of a method of
#: ``names``, from 0 to ``most``, and ``mean`` is the mean of differences.
SOURCES: dict[str, Any] = {
    "accuracies": read,
    "gaps": Gaps,
    "accuracies_on_own_samples": OwnSamples,
    "selections": Draws,
    "data_sets": DataSets,
}


def compared(
    results: ResultsFolder,
    pairs: list[list[Any]],
    of: str = "accuracies",
    rule: str = "above",
    reference: float = 0.0,
    *,
    method: str = "",
    note: str = "",
    unscaled: bool = False,
    **which: Any,
) -> Estimate:
    """The sentence that the differences of all pairs of sides obey a rule.

    Parameters
    ----------
    results : ResultsFolder
    pairs : list of lists of one or two sides
        The first minus the second is compared, or the first alone; see :func:`_sides`. Sides of
        several methods are a pair for each.
    of : str
        A key of :data:`SOURCES`; `which` are further arguments of the source.
    rule : str
        A key of :data:`experiments.report.claims.outcome.RULES`.
    reference : float
        The number of the rule.
    method : str
        The method that the claim is about.
    note : str
        A note that :func:`experiments.report.claims.outcome.sentence` fills. It may have ``n``, the
        number of repetitions, ``means[NAME]``, the mean of a side, and ``smallest[I]``, the
        smallest mean of the differences of one entry of the pairs. By default that of the source.
    unscaled : bool
        True if the sentence is about features that were not scaled.
    """
    source = SOURCES[of](results, **which)
    scaling = results.record["config"]["dataset"].get("scaling")
    if unscaled and scaling not in (None, "none"):
        raise Missing(f"the features of the results stored there were scaled: {scaling}")
    means: dict[str, float] = {}
    groups = []
    for entry in pairs:
        first, second = ([*_sides(source, method, side)] for side in [*entry, {"value": 0.0}][:2])
        means |= {name: float(np.mean(values)) for name, values, *_ in first + second}
        groups.append([_minus(source, *pair) for pair in product(first, second)])
    words = {"n": source.n, "means": means}
    words["smallest"] = [min((one.value for one in group), default=np.nan) for group in groups]
    parts, evaluator = [one for group in groups for one in group], outcome.RULES[rule](reference)
    return outcome.sentence(parts, evaluator, source.noise, note or source.note, **words)


def _sides(source: Any, claimed: str, side: Any) -> Iterator[tuple[str, Any, float, float]]:
    """The name and the values of each method of a side, and the limits of a value.

    A side is a method, "own" for that of the claim, a list of which those count that the results
    have, or a mapping: ``method``, by default "own", or ``value``, a number in its place; ``plus``,
    a number to add; ``words``, the name in the note; and further arguments of the source's values.
    """
    side = dict(side) if isinstance(side, dict) else {"method": side}
    value, plus, words = side.pop("value", None), side.pop("plus", 0.0), side.pop("words", "{}")
    if value is not None:
        yield words, value, value, value
        return
    asked, present = side.pop("method", "own"), source.names
    if isinstance(asked, list):
        names = [name for each in asked if (name := found(each, present))]
    else:
        names = [stored(claimed if asked == "own" else asked, present)]
    for name in names:
        yield words.format(name), source.values(name, **side) + plus, plus, source.most + plus


def _minus(source, first, second) -> Quantity:
    """The mean of a side minus another, over the repetitions that both have."""
    (one, values, low, high), (other, others, least, most) = first, second
    return source.mean((values - others).dropna(), low - most, high - least, one, other)
