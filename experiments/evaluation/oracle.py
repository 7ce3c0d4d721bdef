"""The reading of generated samples: parameters have the most correct selections over all draws.

It knows the relevant features, as the paper does where they are known: its results are the best
that each method can reach.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from experiments.engine.keys import Row
from experiments.evaluation.methods import Method, Parameters
from experiments.evaluation.plan import Plan
from experiments.evaluation.ranking import Problem


def selected(row: Row, n_selected: int | None) -> np.ndarray:
    """The best features of a ranking, as many as are relevant if the number is None, ascending."""
    return np.sort(row["order"][: n_selected or len(row["relevant"])])


@dataclass(frozen=True)
class Candidates:
    """The candidates of a method, each with its rankings of all draws.

    Attributes
    ----------
    parameters : list of Parameters
    rows : list of list of Row
    n_selected : int or None
    """

    parameters: Sequence[Parameters]
    rows: Sequence[Sequence[Row]]
    n_selected: int | None = None

    def correct(self) -> np.ndarray:
        """Relevant features among the selected, shape (n_candidates, n_draws)."""
        return np.array(
            [
                [len(np.intersect1d(selected(r, self.n_selected), r["relevant"])) for r in rows]
                for rows in self.rows
            ]
        )

    def best(self) -> int:
        """Index of the candidate with the most correct selections, the first if several tie."""
        return int(np.argmax(self.correct().sum(axis=1)))

    def selections(self) -> list[list[int]]:
        """The selected features of the best candidate in each draw."""
        return [selected(row, self.n_selected).tolist() for row in self.rows[self.best()]]


class Draws:
    """The rankings of several draws by all candidates of methods.

    Parameters
    ----------
    plan : Plan
    problems : sequence of Problem
        One for each draw, with the judge :class:`experiments.evaluation.judges.Relevant`.
    n_selected : int or None
    """

    def __init__(self, plan: Plan, problems: Sequence[Problem], n_selected: int | None):
        self.plan, self.problems, self.n_selected = plan, problems, n_selected

    def complete(self, run, methods: Sequence[Method]) -> dict[str, Candidates]:
        """Rank all draws; parts of sums that are tuned first come before the sums.

        Returns
        -------
        dict of str to Candidates
            Of each method that has a candidate without a failed draw.
        """
        alone = [part for method in methods for part in method.prerequisites() or [method]]
        run.complete(self._units(alone), "draws")
        ready = {m.name: r for m in methods if (r := self._ready(m)) is not None}
        run.complete(self._units([ready[m.name] for m in methods if m.name in ready]), "sums")
        ranked = {name: self._candidates(method) for name, method in ready.items()}
        return {name: each for name, each in ranked.items() if each is not None}

    def _units(self, methods):
        """The units of all candidates, draw by draw: a worker then needs a sample once."""
        candidates = [(method, p) for method in methods for p in method.candidates()]
        return [self.plan.unit(at, m, p) for at in self.problems for m, p in candidates]

    def _ready(self, method: Method) -> Method | None:
        """The method with the parts that are tuned first fixed; None if one of them failed."""
        fixed: Parameters = {}
        for part in method.prerequisites():
            candidates = self._candidates(part)
            if candidates is None:
                return None
            fixed |= candidates.parameters[candidates.best()]
        return method.with_tuned(fixed)

    def _candidates(self, method: Method) -> Candidates | None:
        parameters, all_rows = [], []
        for candidate in method.candidates():
            rows = [self.plan.row(at, method, candidate) for at in self.problems]
            if all(row is not None for row in rows):
                parameters.append(candidate)
                all_rows.append([row for row in rows if row is not None])
        return Candidates(parameters, all_rows, self.n_selected) if parameters else None
