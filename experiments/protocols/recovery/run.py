"""Judge rankings by the relevant features among the best, on samples drawn anew each time.

The parameters of a method are tuned to the most correct selections over all draws, as the paper
does where the relevant features are known: its results are the best that each method can reach.
In some draws, an SVM may be tested on what the tuned methods select there; equal selections, of
whatever method, are tested once.
"""

from functools import partial

from experiments.config import ConfigError, plain
from experiments.datasets.generators import GENERATORS
from experiments.engine.keys import Unit, key_of
from experiments.evaluation.methods import Method, Parameters
from experiments.protocols.base import Results, Run, check_neighbours
from experiments.protocols.recovery.tables import ALL_FEATURES, Part, RankedCandidates, results
from experiments.protocols.recovery.units import accuracy, drawn, embedding, ranking

#: The column of the summary that the table of a sweep shows.
HEADLINE = "correct"
SUMMARY = ("method", "label", "correct", "n_draws", "failed")


def run(run: Run) -> Results:
    """Rank all draws of a config with all methods, tune the methods and summarise them.

    Returns
    -------
    Results
        See :func:`experiments.protocols.recovery.tables.results`.
    """
    config = run.config
    if config.dataset.name not in GENERATORS:
        raise ConfigError(
            "the recovery protocol counts relevant features, which are known of generated samples "
            f"alone; choose dataset={', '.join(sorted(GENERATORS))}, or an experiment with "
            f"protocol=accuracy for dataset={config.dataset.name}"
        )
    params = plain(config.dataset.params)
    cases = plain(config.protocol.cases) or {None: {"label": "", "params": {}}}
    parts = [
        _part(RecoveryUnits(run, {**params, **case["params"]}), name, case["label"])
        for name, case in cases.items()
    ]
    data = {"name": config.dataset.name, "params": params, "generated": True}
    if config.protocol.cases:
        data["cases"] = {name: case["params"] for name, case in cases.items()}
    return results(run.methods, parts, data)


class RecoveryUnits:
    """The units of one part of an experiment."""

    def __init__(self, run: Run, params: dict):
        config, protocol = run.config, run.config.protocol
        self.run = run
        self.draws = range(protocol.n_repetitions)
        self.judged_draws = range(min(protocol.judged_draws, protocol.n_repetitions))
        self.n_selected, self.ranking_samples = protocol.n_selected, protocol.ranking_samples
        self.embedded = list(protocol.embedded)
        self.axes = {
            "seed": config.seed,
            "dataset": config.dataset.name,
            "params": params,
            "scaling": config.dataset.scaling,
            "test_size": protocol.test_size,
        }
        n_train = len(drawn({**self.axes, "draw": 0}).train)
        check_neighbours(run.methods, min(self.ranking_samples or n_train, n_train))
        self.svm = {
            "inner_folds": protocol.inner_folds,
            "log2_C": list(protocol.log2_C),
            "log2_gamma": list(protocol.log2_gamma),
        }

    def rankings(self, method: Method, parameters: Parameters) -> list[Unit]:
        """The rankings of a candidate, one for each draw."""
        identity = method.identity(parameters)
        return [
            self._unit(
                ranking,
                draw,
                identity,
                self.ranking_samples,
                method,
                parameters,
                scorers=method.scorers(),
            )
            for draw in self.draws
        ]

    def judgement(self, draw: int, columns: list[int]) -> Unit:
        """The accuracy of an SVM on those features of a draw."""
        return self._unit(accuracy, draw, [columns, self.svm], columns, self.svm)

    def picture(self, draw: int, columns: list[int]) -> Unit:
        """The test rows of a draw, embedded by those features."""
        return self._unit(embedding, draw, columns, columns)

    def _unit(self, task, draw, determinant, *arguments, scorers=()) -> Unit:
        axes = {**self.axes, "draw": draw}
        samples = self.ranking_samples if task is ranking else None
        key = key_of(
            "recovery",
            [task, *scorers],
            task=task.__name__,
            axes=axes,
            ranking_samples=samples,
            of=determinant,
        )
        return Unit(key, partial(task, axes, *arguments))

    def complete(self, candidates: list[tuple[Method, Parameters]], what: str) -> None:
        """Rank with all candidates, draw by draw: a worker then needs a sample once."""
        columns = [self.rankings(method, parameters) for method, parameters in candidates]
        self.run.complete([unit for row in zip(*columns, strict=True) for unit in row], what)


def _part(units: RecoveryUnits, name: str | None, label: str) -> Part:
    """One part of an experiment: ranked, tuned, and judged as far as the config asks for it."""
    methods = units.run.methods
    independent = [part for m in methods for part in m.prerequisites() or [m]]
    units.complete([(m, p) for m in independent for p in m.candidates()], "draws")
    judged = {}
    for method in methods:
        found = _found(units, method, _candidates(units, method))
        if found:
            judged[method.name] = RankedCandidates(found, units.n_selected)
    part = Part(name, label, judged)
    if judged:
        part.accuracies = _accuracies(units, part)
        part.pictures = _pictures(units, part)
    return part


def _found(units, method, candidates):
    """The candidates whose draws are all done, each with its rows."""
    return [
        (parameters, rows)
        for parameters in candidates
        if (rows := units.run.rows(units.rankings(method, parameters)))
    ]


def _candidates(units, method):
    """Complete the rankings of a method, after tuning its prerequisites; return its candidates."""
    tuned = {}
    for part in method.prerequisites():
        found = _found(units, part, _candidates(units, part))
        if found:
            tuned.update(RankedCandidates(found, units.n_selected).parameters)
    candidates = method.with_tuned(tuned).candidates()
    units.complete([(method, parameters) for parameters in candidates], method.label)
    return candidates


def _accuracies(units, part):
    """Method, or all features -> draw -> the row of its SVM; draws that failed are missing."""
    if not units.judged_draws:
        return {}
    needed = {
        name: {draw: units.judgement(draw, part.columns(name, draw)) for draw in units.judged_draws}
        for name in (ALL_FEATURES, *part.judged)
    }
    by_draw = [of_draw[draw] for draw in units.judged_draws for of_draw in needed.values()]
    units.run.complete(by_draw, "SVMs")
    return {name: _done(units.run, of_draw) for name, of_draw in needed.items()}


def _pictures(units, part):
    """Method, or all features -> the first draw's test rows in the plane."""
    shown = [name for name in units.embedded if name in part.judged]
    needed = {
        name: units.picture(0, part.columns(name, 0)) for name in (ALL_FEATURES, *shown) if shown
    }
    units.run.complete(list(needed.values()), "t-SNE")
    return _done(units.run, needed)


def _done(run, units):
    """The rows of those units that did not fail, by the same names."""
    return {name: found[0] for name, unit in units.items() if (found := run.rows([unit]))}
