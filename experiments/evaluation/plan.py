"""Plan a run: which tasks are needed, in which order, and the choice of every split.

Parts of sums that are tuned first are complete before the sums begin. First candidates run before
second ones: candidates share stored scores, so two workers on one method would wait for each other.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from experiments import seeds
from experiments.cache import Row, Task
from experiments.evaluation.methods import Method, Parameters
from experiments.evaluation.tasks import FLAGS, Problem, task_of
from experiments.evaluation.tuning import Choice, Tuning


class Entry(NamedTuple):
    """A method on a problem, and on further draws of it, under a tuning."""

    method: Method
    problem: Problem
    tuning: Tuning
    draws: tuple[Problem, ...] = ()

    @property
    def problems(self) -> list[Problem]:
        """The problem, its draws and, if the tuning ranks them anew, its inner folds."""
        folds = self.problem.folds if self.tuning.ranks_folds else []
        return [self.problem, *self.draws, *folds]


class Candidate(NamedTuple):
    """One ranking of a method: the best features, best first, and the flags of its scores."""

    parameters: Parameters
    order: Any
    flags: dict[str, bool]

    @classmethod
    def of(cls, parameters: Parameters, row: Row) -> "Candidate":
        """The ranking that the row of a task holds."""
        return cls(parameters, row["order"], {flag: row[flag] for flag in FLAGS})


class SplitChoice(NamedTuple):
    """The choice of one split for a method, and the ranking taken at each number of features."""

    choice: Choice
    candidates: list[Candidate]


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
        done, problems = [], entry.problems
        for parameters in entry.method.candidates():
            tasks = [self.task(problem, entry.method, parameters) for problem in problems]
            if (rows := self.run.rows(tasks)) is not None:
                done.append((parameters, rows))
        return done

    def candidates(self, entry: Entry) -> list[tuple[Parameters, list[Row]]]:
        """The candidates of a method without a failed task, each with its rows of all problems.

        Parts that are tuned first are fixed by their own choice.
        """
        method = self.ready(entry)
        return [] if method is None else self._done(entry._replace(method=method))

    def choice(self, entry: Entry) -> SplitChoice | None:
        """The choice of a method's candidate by the tuning; None if all candidates failed."""
        if not (evaluated := self.candidates(entry)):
            return None
        choice = entry.tuning.choose([rows for _, rows in evaluated])
        ranked = [Candidate.of(parameters, rows[0]) for parameters, rows in evaluated]
        return SplitChoice(choice, [ranked[c] for c in choice.candidates])

    def choices(self, entries: Sequence[Entry]) -> dict[int | None, SplitChoice | None]:
        """Split -> the choice there, from an entry for each split, or one of a pooled tuning."""
        first = entries[0]
        if not first.tuning.pooled:
            return {entry.problem.number: self.choice(entry) for entry in entries}
        if not (evaluated := self.candidates(first)):
            return {}
        parameters, rows = evaluated[first.tuning.candidate([rows for _, rows in evaluated])]
        choices: dict[int | None, SplitChoice | None] = {}
        for problem, row in zip(first.problems, rows, strict=True):
            choice = first.tuning.choose([[row]])
            ranked = [Candidate.of(parameters, row)] * len(choice.candidates)
            choices[problem.number] = SplitChoice(choice, ranked)
        return choices

    def all_features(
        self, problem: Problem, methods: Iterable[Method], tuning: Tuning
    ) -> Choice | None:
        """The choice of any method's candidate, whose last size is all features.

        The SVM on all features depends on no ranking. None if every task failed.
        """
        for method in methods:
            if done := self.candidates(Entry(method, problem, tuning)):
                return tuning.choose([done[0][1]])
        return None

    def complete(self, entries: Sequence[Entry], words: Sequence[str] = ("splits", "sums")) -> None:
        """Compute all tasks that the entries need.

        Parameters
        ----------
        entries : sequence of Entry
        words : pair of str
            Names of the stage in which methods are tuned alone, and of the stage of the sums.
        """
        alone = [
            e._replace(method=m) for e in entries for m in e.method.prerequisites() or [e.method]
        ]
        self.run.complete(self._needed(alone), words[0])
        sums = [
            entry._replace(method=method)
            for entry in entries
            if entry.method.prerequisites() and (method := self.ready(entry)) is not None
        ]
        self.run.complete(self._needed(sums), words[1])

    def _needed(self, entries: Sequence[Entry]) -> list[Task]:
        """The tasks of entries: first candidates first, then problem by problem.

        The whole part comes before its folds, and a draw is generated once for all methods.
        """
        tasks = []
        for entry in entries:
            for place, problem in enumerate(entry.problems):
                for number, parameters in enumerate(entry.method.candidates()):
                    task = self.task(problem, entry.method, parameters)
                    tasks.append((number, place, task))
        tasks.sort(key=lambda each: each[:2])
        return [task for *_, task in tasks]
