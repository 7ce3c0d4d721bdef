"""The reading of generated samples: parameters have the most correct selections over all draws.

It knows the relevant features, as the paper does of generated samples: its results are the best
that each method can reach.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from experiments.engine.keys import Row
from experiments.evaluation.methods import Method, Parameters
from experiments.evaluation.plan import Plan, done_candidates
from experiments.evaluation.ranking import Problem


def selected(order: np.ndarray, relevant: np.ndarray, n_selected: int | None) -> np.ndarray:
    """The best features of an order, as many as are relevant if the number is None, ascending."""
    return np.sort(order[: n_selected or len(relevant)])


def n_correct(row: Row, n_selected: int | None) -> int:
    """Number of relevant features among the selected."""
    columns = selected(row["order"], row["relevant"], n_selected)
    return len(np.intersect1d(columns, row["relevant"]))


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
        return np.array([[n_correct(row, self.n_selected) for row in rows] for rows in self.rows])

    def best(self) -> int:
        """Index of the candidate with the most correct selections, the first if several tie."""
        return int(np.argmax(self.correct().sum(axis=1)))

    def selections(self) -> list[list[int]]:
        """The selected features of the best candidate in each draw."""
        rows = self.rows[self.best()]
        return [selected(r["order"], r["relevant"], self.n_selected).tolist() for r in rows]


def rank_draws(
    plan: Plan, problems: Sequence[Problem], methods: Sequence[Method], n_selected: int | None
) -> dict[str, Candidates]:
    """Rank several draws by all candidates of methods, first by the parts that are tuned first.

    Parameters
    ----------
    plan : Plan
    problems : sequence of Problem
        One for each draw, with the judge :class:`experiments.evaluation.judges.Relevant`.
    methods : sequence of Method
    n_selected : int or None

    Returns
    -------
    dict of str to Candidates
        Of each method that has a candidate without a failed draw.
    """

    def compute(methods, words):
        candidates = [(method, p) for method in methods for p in method.candidates()]
        # Draw by draw: a worker then needs a sample once.
        plan.compute([plan.unit(at, *each) for at in problems for each in candidates], words)

    def judged(method) -> Candidates | None:
        done = done_candidates(plan.row, method, problems)
        parameters, rows = [each for each, _ in done], [each for _, each in done]
        return Candidates(parameters, rows, n_selected) if done else None

    def tune(part) -> Parameters | None:
        candidates = judged(part)
        return None if candidates is None else candidates.parameters[candidates.best()]

    compute([part for method in methods for part in method.prerequisites() or [method]], "draws")
    ready = {m.name: r for m in methods if (r := m.fix_tuned_parts(tune)) is not None}
    compute(list(ready.values()), "sums")
    ranked = {name: judged(method) for name, method in ready.items()}
    return {name: each for name, each in ranked.items() if each is not None}
