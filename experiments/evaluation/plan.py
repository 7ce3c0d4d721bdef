"""Plan a run: which tasks are needed, in which order, and the choice of every split.

Parts of sums that are tuned first are complete before the sums begin. First candidates run before
second ones: candidates share stored scores, so two workers on one method would wait for each other.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from experiments import seeds
from experiments.cache import Row, Task
from experiments.evaluation.methods import Method, Parameters
from experiments.evaluation.tasks import Problem, task_of
from experiments.evaluation.tuning import Choice, Tuning


class Entry(NamedTuple):
    """A method under a tuning, on a group of problems that are tuned together."""

    method: Method
    #: One of :meth:`experiments.evaluation.tuning.Tuning.groups`.
    problems: list[Problem]
    tuning: Tuning


class SplitChoice(NamedTuple):
    """The choice of one split, and the parameters and row taken at each number of features."""

    choice: Choice
    ranked: list[tuple[Parameters, Row]]


class Plan:
    """The tasks of a run by problem, method and parameters; each task's key is made once.

    Parameters
    ----------
    run : Run
        It has the store, computes tasks that are not stored yet, and has their rows.
    """

    def __init__(self, run: Any):
        self.run = run
        self._tasks: dict[tuple[str, str], Task] = {}

    def task(self, problem: Problem, method: Method, parameters: Parameters) -> Task:
        """The task of a candidate on a problem."""
        at = (problem.name, seeds.canonical_json(method.identity(parameters)))
        if at not in self._tasks:
            self._tasks[at] = task_of(problem, method, parameters, self.run.cache)
        return self._tasks[at]

    def ready(self, entry: Entry) -> Method | None:
        """The method with the parts that are tuned first fixed; None if tuning them failed."""
        tuned: Parameters = {}
        for part in entry.method.prerequisites():
            if not (done := self._done(entry._replace(method=part))):
                return None
            tuned |= done[entry.tuning.first().candidate([rows for _, rows in done])][0]
        return entry.method.with_tuned(tuned)

    def _done(self, entry: Entry) -> list[tuple[Parameters, list[Row]]]:
        done = []
        for parameters in entry.method.candidates():
            tasks = [self.task(problem, entry.method, parameters) for problem in entry.problems]
            if (rows := self.run.rows(tasks)) is not None:
                done.append((parameters, rows))
        return done

    def candidates(self, entry: Entry) -> list[tuple[Parameters, list[Row]]]:
        """The candidates of a method without a failed task, each with its rows of all problems.

        Parts that are tuned first are fixed by their own choice.
        """
        method = self.ready(entry)
        return [] if method is None else self._done(entry._replace(method=method))

    def choices(self, entry: Entry) -> dict[int | None, SplitChoice]:
        """Split -> the choice there, of all splits of the entry; empty if all candidates failed."""
        if not (done := self.candidates(entry)):
            return {}
        choices = entry.tuning.choices([rows for _, rows in done])
        return {
            problem.number: SplitChoice(
                choice, [(done[c][0], done[c][1][place]) for c in choice.candidates]
            )
            for place, (problem, choice) in enumerate(zip(entry.problems, choices, strict=False))
        }

    def complete(self, entries: Sequence[Entry]) -> None:
        """Compute all tasks that the entries need."""
        alone = [
            e._replace(method=m) for e in entries for m in e.method.prerequisites() or [e.method]
        ]
        self._complete(alone, "rankings")
        sums = [
            entry._replace(method=method)
            for entry in entries
            if entry.method.prerequisites() and (method := self.ready(entry)) is not None
        ]
        self._complete(sums, "sums")

    def _complete(self, entries: Sequence[Entry], what: str) -> None:
        """Compute the tasks of entries: first candidates first, then problem by problem.

        The whole part comes before its folds, and a draw is generated once for all methods.
        """
        tasks = [
            (number, place, self.task(problem, entry.method, parameters))
            for entry in entries
            for place, problem in enumerate(entry.problems)
            for number, parameters in enumerate(entry.method.candidates())
        ]
        tasks.sort(key=lambda each: each[:2])
        self.run.complete([task for *_, task in tasks], what)
