"""The plan of a run: which units are needed, in which order, and what every split chooses.

Parts of sums that are tuned first are complete before the sums begin. The first candidate of every
method comes before any second: the scorer then has the scores that candidates share, where workers
side by side on two of them would wait for each other.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from experiments.engine.keys import Row, Unit, canonical_json
from experiments.engine.parallel import Outcome
from experiments.engine.store import Store
from experiments.evaluation.methods import Method, Parameters
from experiments.evaluation.ranking import Problem, unit_of
from experiments.evaluation.readings import Choice, Reading
from experiments.evaluation.scoring import FLAGS


class Entry(NamedTuple):
    """A method on a problem under a reading."""

    method: Method
    problem: Problem
    reading: Reading

    @property
    def problems(self) -> list[Problem]:
        """The problem and, if the reading ranks them anew, its inner folds."""
        return [self.problem, *(self.problem.folds if self.reading.ranks_folds else [])]


@dataclass(frozen=True)
class Candidate:
    """One ranking of a method.

    Attributes
    ----------
    parameters : Parameters
    order : ndarray of int
        The best features, best first.
    flags : dict of str to bool
        The warnings of the scorer; see :data:`experiments.evaluation.scoring.FLAGS`.
    """

    parameters: Parameters
    order: Any
    flags: dict[str, bool]


@dataclass(frozen=True)
class SplitChoice:
    """The choice of one split for a method.

    Attributes
    ----------
    choice : Choice
    candidates : list of Candidate
        The ranking that is taken at each number of features.
    """

    choice: Choice
    candidates: list[Candidate]

    @property
    def chosen(self) -> Candidate:
        """The ranking at the number of features that this split chooses."""
        return self.candidates[self.choice.size]


#: The row of a candidate of a method on a problem; None if it failed.
RowOf = Callable[[Problem, Method, Parameters], Row | None]


def done_candidates(
    row_of: RowOf, method: Method, problems: Sequence[Problem]
) -> list[tuple[Parameters, list[Row]]]:
    """The candidates of a method without a failed unit, each with its rows of all problems."""
    done = []
    for parameters in method.candidates():
        rows = [row for each in problems if (row := row_of(each, method, parameters)) is not None]
        if len(rows) == len(problems):
            done.append((parameters, rows))
    return done


def choose_candidate(row_of: RowOf, entry: Entry) -> SplitChoice | None:
    """The choice of a method's candidate by a reading; None if all candidates failed."""
    judged = done_candidates(row_of, entry.method, entry.problems)
    if not judged:
        return None
    choice = entry.reading.choose([rows for _, rows in judged])
    ranked = [
        Candidate(parameters, rows[0]["order"], {flag: rows[0][flag] for flag in FLAGS})
        for parameters, rows in judged
    ]
    return SplitChoice(choice, [ranked[c] for c in choice.candidates])


class Plan:
    """The units of a run by problem, method and parameters; each unit's key is digested once.

    Parameters
    ----------
    complete : callable of (units, words)
        Computes units that are not stored yet.
    store : Store
    outcome : Outcome
    """

    def __init__(self, complete: Callable[[list[Unit], str], None], store: Store, outcome: Outcome):
        self.compute, self.store, self.outcome = complete, store, outcome
        self._units: dict[tuple[str, str], Unit] = {}
        self._choices: dict[tuple[str, str, Reading], SplitChoice | None] = {}

    def unit(self, problem: Problem, method: Method, parameters: Parameters) -> Unit:
        """The unit of a candidate on a problem."""
        at = (problem.name, canonical_json(method.identity(parameters)))
        if at not in self._units:
            self._units[at] = unit_of(problem, method, parameters, self.store)
        return self._units[at]

    def row(self, problem: Problem, method: Method, parameters: Parameters) -> Row | None:
        """The row of a candidate on a problem; None if it failed."""
        return self.outcome.rows.get(self.unit(problem, method, parameters).key)

    def ready(self, entry: Entry) -> Method | None:
        """The method with the parts that are tuned first fixed; None if tuning them failed."""

        def tune(part: Method) -> Parameters | None:
            at = Entry(part, entry.problem, entry.reading.first())
            choice = choose_candidate(self.row, at)
            return None if choice is None else choice.chosen.parameters

        return entry.method.fix_tuned_parts(tune)

    def choice(self, entry: Entry) -> SplitChoice | None:
        """The choice of a method, with the parts that are tuned first fixed by their own choice."""
        at = (entry.problem.name, repr(entry.method), entry.reading)
        if at not in self._choices:
            method = self.ready(entry)
            self._choices[at] = (
                None
                if method is None
                else choose_candidate(self.row, entry._replace(method=method))
            )
        return self._choices[at]

    def all_features(self, problem: Problem, methods: Iterable[Method], reading: Reading):
        """The SVM's accuracies on all features, from the largest number of any method's candidate.

        Returns
        -------
        Choice or None
            Of one size; None if every unit failed.
        """
        for method in methods:
            entry = Entry(method, problem, reading)
            ready = self.ready(entry)
            done = done_candidates(self.row, ready, entry.problems) if ready else []
            if done:
                choice = reading.choose([done[0][1]])
                last = slice(-1, None)
                return Choice(
                    choice.candidates[last],
                    0,
                    choice.validation[last],
                    choice.test[last],
                    (choice.cells[0][last], choice.cells[1][last]),
                )
        return None

    def complete(self, entries: Sequence[Entry], words: Sequence[str] = ("splits", "sums")) -> None:
        """Compute all units that the entries need.

        Parameters
        ----------
        entries : sequence of Entry
        words : pair of str
            The name of the stage in which methods are tuned alone, and of that of the sums.
        """
        alone = [
            e._replace(method=m) for e in entries for m in e.method.prerequisites() or [e.method]
        ]
        self.compute(self._needed(alone), words[0])
        sums = [
            entry._replace(method=method)
            for entry in entries
            if entry.method.prerequisites() and (method := self.ready(entry)) is not None
        ]
        self.compute(self._needed(sums), words[1])

    def _needed(self, entries):
        """The units of entries, first candidates first, the whole part before folds."""
        units = []
        for entry in entries:
            for number, parameters in enumerate(entry.method.candidates()):
                candidate = (entry.method, parameters)
                units += [(number, self.unit(each, *candidate)) for each in entry.problems]
        units.sort(key=lambda numbered: numbered[0])
        return [unit for _, unit in units]
