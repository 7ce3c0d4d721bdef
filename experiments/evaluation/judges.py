"""Judges that keep the scores of a ranking."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from experiments.engine.keys import Row

if TYPE_CHECKING:
    from experiments.evaluation.ranking import Ranked


@dataclass(frozen=True)
class Relevant:
    """The scores beside the relevant features; a reading counts those among the best."""

    #: The row has the scores, so that they are no unit of their own.
    keeps_scores: ClassVar[bool] = True

    def __call__(self, ranked: "Ranked") -> Row:
        """Columns "scores" and "relevant"."""
        return {"scores": ranked.scores, "relevant": ranked.samples.relevant}


@dataclass(frozen=True)
class Scores:
    """The scores, of samples whose relevant features nobody knows."""

    def __call__(self, ranked: "Ranked") -> Row:
        """Column "scores"."""
        return {"scores": ranked.scores}
