"""Plan a run: which tasks are needed, in which order, and the choice of every split.

All functions take a run, which computes tasks that are not stored yet, and has their rows. Parts of
sums that are tuned first are complete before the sums begin. First candidates run before second
ones: candidates share stored scores, so two workers on one method would wait for each other.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from experiments.cache import Row, Run
from experiments.evaluation.methods import Method, Parameters, text
from experiments.evaluation.svm.evaluators import SvmGrid
from experiments.evaluation.tasks import Problem, task_of
from experiments.evaluation.tuning import Choice, Tuning


class Candidate(NamedTuple):
    """Parameters of a method, and the rows of all problems of an entry."""

    parameters: Parameters
    rows: list[Row]


class Entry(NamedTuple):
    """A method under a tuning, on a group of problems that are tuned together."""

    method: Method
    #: One of :meth:`experiments.evaluation.tuning.Tuning.groups`.
    problems: list[Problem]
    tuning: Tuning


class Ranked(NamedTuple):
    """A ranking of a split: the parameters of the method, and the row of the task."""

    parameters: Parameters
    row: Row


class SplitChoice(NamedTuple):
    """The choice of one split, and the ranking taken at each number of features."""

    choice: Choice
    ranked: list[Ranked]

    def selected(self, i: int, evaluator: SvmGrid) -> np.ndarray:
        """Return the selected features at the i-th number of features."""
        size = evaluator.sizes[i]
        order = self.ranked[i].row["order"]
        return order[:size] if size <= len(order) else np.arange(size)

    def at(self, i: int, evaluator: SvmGrid) -> dict[str, Any]:
        """Return parameters, accuracies and the SVM's cell at the i-th number of features."""
        choice = self.choice
        cell_C, cell_gamma = choice.cells
        return {
            "parameters": text(self.ranked[i].parameters),
            "n_features": evaluator.sizes[i],
            "validation": choice.validation[i],
            "test": choice.test[i],
            "log2_C": evaluator.log2_C[cell_C[i]],
            "log2_gamma": evaluator.log2_gamma[cell_gamma[i]],
        }


def complete(run: Run, entries: Sequence[Entry]) -> None:
    """Compute all tasks that the entries need."""
    first = []
    for entry in entries:
        for method in entry.method.prerequisites() or [entry.method]:
            first.append(entry._replace(method=method))
    _complete(run, first, "rankings")
    sums = [_ready(run, entry) for entry in entries if entry.method.prerequisites()]
    _complete(run, [entry for entry in sums if entry is not None], "sums")


def _complete(run: Run, entries: Sequence[Entry], what: str) -> None:
    """Compute the tasks of entries: first candidates first, then problem by problem.

    The whole part comes before its folds, and a draw is generated once for all methods.
    """
    tasks = []
    for entry in entries:
        for place, problem in enumerate(entry.problems):
            for number, parameters in enumerate(entry.method.candidates()):
                task = task_of(problem, entry.method, parameters, run.cache)
                tasks.append((number, place, task))
    tasks.sort(key=lambda numbered_task: numbered_task[:2])
    run.complete([task for *_, task in tasks], what)


def _ready(run: Run, entry: Entry) -> Entry | None:
    """The entry with the parts that are tuned first fixed; None if tuning them failed."""
    tuning = entry.tuning.first()
    tuned: Parameters = {}
    for part in entry.method.prerequisites():
        finished = candidates(run, entry._replace(method=part))
        if not finished:
            return None
        best = tuning.candidate([candidate.rows for candidate in finished])
        tuned |= finished[best].parameters
    return entry._replace(method=entry.method.with_tuned(tuned))


def candidates(run: Run, entry: Entry) -> list[Candidate]:
    """The candidates of a method without a failed task.

    Parts that are tuned first are fixed by their own choice.
    """
    ready = _ready(run, entry)
    if ready is None:
        return []
    method, problems, _ = ready
    finished = []
    for parameters in method.candidates():
        tasks = [task_of(problem, method, parameters, run.cache) for problem in problems]
        rows = run.rows(tasks)
        if rows is not None:
            finished.append(Candidate(parameters, rows))
    return finished


def choices(run: Run, entry: Entry) -> dict[Any, SplitChoice]:
    """Split -> the choice there, of all splits of the entry; empty if all candidates failed."""
    finished = candidates(run, entry)
    if not finished:
        return {}
    choices_of_splits = entry.tuning.choices([candidate.rows for candidate in finished])
    choices_by_split = {}
    for place, choice in enumerate(choices_of_splits):
        ranked = []
        for number in choice.candidates:
            candidate = finished[number]
            ranked.append(Ranked(candidate.parameters, candidate.rows[place]))
        split = entry.problems[place].number
        choices_by_split[split] = SplitChoice(choice, ranked)
    return choices_by_split
