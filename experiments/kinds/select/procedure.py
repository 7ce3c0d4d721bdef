"""The procedure that is judged: each split chooses a method, its parameters and its features."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from experiments.datasets import Dataset
from experiments.evaluation.methods import Method, Parameters, text
from experiments.evaluation.plan import Entry, SplitChoice
from experiments.evaluation.readings import NESTED, first_best
from experiments.evaluation.rows import KFold
from experiments.evaluation.sources import Shuffled
from experiments.evaluation.summary import most_common
from experiments.evaluation.svm.judges import SvmGrid
from experiments.kinds import base, splits

#: The choice among all methods, a method like others in the rows and the summary.
PROCEDURE = Method("procedure", "this procedure", ())


@dataclass
class Procedure:
    """The procedure on samples with their own labels, or with shuffled ones.

    Attributes
    ----------
    setup : splits.Setup
    numbers : range
        The splits that judge it.
    shuffle : float
        The number of the shuffle; NaN for the samples' own labels.
    """

    setup: splits.Setup
    numbers: range
    shuffle: float = np.nan

    def entries(self) -> list[Entry]:
        """Every method on every split."""
        return [self._entry(m, s) for s in self.numbers for m in self.setup.run.methods]

    def _entry(self, method, split):
        """A method on a split; if the number of features is fixed, all else is chosen at it."""
        wanted = self.setup.run.config.protocol.n_features
        reading = NESTED
        if wanted is not None:
            at = self.setup.judge.sizes.index(wanted)
            reading = replace(NESTED, at=at)
        return Entry(method, self.setup.problem(split), reading)

    def choices(self, method: Method) -> dict[int, SplitChoice]:
        """The choice of a method on each split where it did not fail."""
        choices = {s: self.setup.plan.choice(self._entry(method, s)) for s in self.numbers}
        return {split: choice for split, choice in choices.items() if choice is not None}

    def parameters(self, method: Method) -> Parameters | None:
        """The parameters of a method that most splits chose; None if it failed on all of them."""
        chosen = [choice.chosen.parameters for choice in self.choices(method).values()]
        texts = [text(parameters) for parameters in chosen]
        return chosen[texts.index(most_common(texts))] if chosen else None

    def best(self) -> Iterator[tuple[int, Method, SplitChoice]]:
        """Each split with the method that has the best validation accuracy, and its choice."""
        choices = [(method, self.choices(method)) for method in self.setup.run.methods]
        for split in self.numbers:
            own = [(method, one[split]) for method, one in choices if split in one]
            if own:
                values = [each.choice.validation[each.choice.size] for _, each in own]
                yield split, *own[first_best(values)]

    def rows(self) -> Iterator[dict]:
        """Rows of the procedure; of the samples' own labels also of each method and all features.

        Those of the procedure name the method of the split in "taken".
        """
        setup, best = self.setup, list(self.best())
        about = {split: {**setup.counts[split], "shuffle": self.shuffle} for split in self.numbers}
        taken = {split: {**about[split], "taken": method.label} for split, method, _ in best}
        chosen = {split: choice for split, _, choice in best}
        yield from setup.choice_rows(PROCEDURE, 1.0, NESTED, taken, chosen)
        if np.isnan(self.shuffle):
            for method in setup.run.methods:
                yield from setup.choice_rows(method, 1.0, NESTED, about, self.choices(method))
            yield from splits.all_features(setup, NESTED, about)


def procedures(run: base.Run, data: Dataset) -> list[Procedure]:
    """The procedure on the samples' own labels, then on each shuffle of them."""
    protocol, seed = run.config.protocol, run.config.seed
    n = protocol.n_repetitions
    folds = min(n, max(2, round(1 / protocol.test_size)))
    rows = KFold(protocol.test_size, protocol.inner_folds, protocol.inner_repeats)
    setup = splits.Setup.of(run, data, rows, SvmGrid, refit=protocol.refit)
    if np.isnan(data.X).any():
        setup = replace(setup, missing=run.config.dataset.missing)
    judged = [Procedure(setup, range(n))]
    for number in range(protocol.n_shuffles):
        source = Shuffled(setup.source, seed, number)
        other = replace(data, y=source.samples().y, fingerprint=source.fingerprint)
        shuffled = replace(setup, source=source, data=other)
        judged.append(Procedure(shuffled, range(folds), number))
    return judged
