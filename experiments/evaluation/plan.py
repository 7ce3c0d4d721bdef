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


def choose_candidate(row_of: RowOf, entry: Entry) -> SplitChoice | None:
    """The choice of a method's candidate by a reading; None if all candidates failed."""
    method, problem, reading = entry
    problems = [problem, *(problem.folds if reading.ranks_folds else [])]
    judged: list[tuple[Parameters, list[Row]]] = []
    for parameters in method.candidates():
        rows = [row for each in problems if (row := row_of(each, method, parameters)) is not None]
        if len(rows) == len(problems):
            judged.append((parameters, rows))
    if not judged:
        return None
    choice = reading.choose([rows for _, rows in judged])
    ranked = [
        Candidate(parameters, rows[0]["order"], {flag: rows[0][flag] for flag in FLAGS})
        for parameters, rows in judged
    ]
    return SplitChoice(choice, [ranked[c] for c in choice.candidates])


def fix_tuned_parts(row_of: RowOf, entry: Entry) -> Method | None:
    """The method with the parts that are tuned first fixed; None if tuning them failed."""
    fixed: Parameters = {}
    for part in entry.method.prerequisites():
        choice = choose_candidate(row_of, Entry(part, entry.problem, entry.reading.first()))
        if choice is None:
            return None
        fixed.update(choice.chosen.parameters)
    return entry.method.with_tuned(fixed)


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
        self._complete, self.store, self.outcome = complete, store, outcome
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
        """See :func:`fix_tuned_parts`."""
        return fix_tuned_parts(self.row, entry)

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
        problems = [problem, *(problem.folds if reading.ranks_folds else [])]
        for method in methods:
            ready = self.ready(Entry(method, problem, reading))
            for parameters in ready.candidates() if ready else ():
                rows = [self.row(each, ready, parameters) for each in problems]  # type: ignore[arg-type]
                if all(row is not None for row in rows):
                    choice = reading.choose([rows])  # type: ignore[list-item]
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
        self._complete(self._needed(alone), words[0])
        sums = [
            entry._replace(method=method)
            for entry in entries
            if entry.method.prerequisites() and (method := self.ready(entry)) is not None
        ]
        self._complete(self._needed(sums), words[1])

    def _needed(self, entries):
        """The units of entries, first candidates first, the whole part before folds."""
        units = []
        for method, problem, reading in entries:
            problems = [problem, *(problem.folds if reading.ranks_folds else [])]
            for number, parameters in enumerate(method.candidates()):
                units += [(number, self.unit(each, method, parameters)) for each in problems]
        units.sort(key=lambda numbered: numbered[0])
        return [unit for _, unit in units]
