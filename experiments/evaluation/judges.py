"""Judges of a ranking that know the relevant features, of generated samples."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments.engine.keys import Row

if TYPE_CHECKING:
    from experiments.evaluation.ranking import Ranked


@dataclass(frozen=True)
class Relevant:
    """The scores beside the relevant features; a reading counts those among the best."""

    def __call__(self, ranked: "Ranked") -> Row:
        """Columns "scores" and "relevant"."""
        return {"scores": ranked.scores, "relevant": ranked.relevant}
