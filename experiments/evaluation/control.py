"""A control: irrelevant features are copied and counted in place of the relevant ones."""

from dataclasses import dataclass

import numpy as np

from experiments import seeds
from experiments.evaluation.draws import Drawn
from experiments.evaluation.sources import Samples


@dataclass(frozen=True)
class Control(Drawn):
    """The same draw, with as many random irrelevant features in the place of the relevant ones.

    A method that finds copied features whether they are relevant or not finds their copies, and
    not their relevance. Samples, rows and the noise on the copies are the draw's.
    """

    #: Part of the key of a unit: a draw and its control are two units.
    control: bool = True

    def samples(self) -> Samples:
        """The samples of the draw; `relevant` holds irrelevant features."""
        X, y, given = super().samples()
        relevant = np.asarray(given, dtype=np.intp)
        irrelevant = np.setdiff1d(np.arange(X.shape[1]), relevant)
        rng = seeds.generator(self.seed, "control", *self.axes)
        size = min(relevant.size, irrelevant.size)
        return Samples(X, y, np.sort(rng.choice(irrelevant, size, replace=False)))
