"""Judge rankings by the relevant features that they recover, while samples get fewer or worse.

Every condition is one curve for each method and generator: the number of samples, the share of
wrong labels, copies of relevant features, a shift between two batches. The draws are the same for
all methods, conditions and values.
"""

from dataclasses import replace
from functools import partial

from experiments.config import ConfigError, one_of, plain
from experiments.datasets.generators import GENERATORS
from experiments.engine.keys import Unit, key_of
from experiments.evaluation.method_config import computes_manifest
from experiments.evaluation.methods import Method
from experiments.protocols.base import Results, Run, check_neighbours
from experiments.protocols.robustness.schema import LIMITS, WHOLE
from experiments.protocols.robustness.tables import Curve, results
from experiments.protocols.robustness.units import judge

HEADLINE = "recovered"
SUMMARY = ("method", "label", "case", "condition", "recovered", "n_draws", "failed")


def run(run: Run) -> Results:
    """Judge all methods of a config on all draws of its cases, under all conditions.

    Returns
    -------
    Results
        See :func:`experiments.protocols.robustness.tables.results`.
    """
    cases = _cases(run.config)
    settings = _settings(run.config)
    fewest = int(min(setting["samples"] for _, _, setting in settings))
    check_neighbours(run.methods, fewest)
    curves, draws = [], range(run.config.protocol.n_repetitions)
    for name, case in cases.items():
        methods = [_with(method, case, run.config) for method in run.methods]
        # Draw by draw: a worker then needs a sample once.
        units = {
            (draw, place, method.name): _unit(run.config, case, setting, method, draw)
            for draw in draws
            for place, (_, _, setting) in enumerate(settings)
            for method in methods
        }
        run.complete(list(units.values()), case["label"] or name)
        for place, (condition, value, _) in enumerate(settings):
            for method in methods:
                rows = run.rows([units[draw, place, method.name] for draw in draws])
                curves.append(Curve(name, case["label"], condition, value, method, rows))
    conditions = {name: one["label"] for name, one in plain(run.config.protocol.conditions).items()}
    data = {
        "name": ", ".join(dict.fromkeys(case["dataset"] for case in cases.values())),
        "params": {name: case["params"] for name, case in cases.items()},
        "generated": True,
    }
    return results(run.methods, curves, conditions, data)


def _cases(config) -> dict[str, dict]:
    """The generators of a config, by name; that of the data set where no case is given."""
    dataset, cases = plain(config.dataset), plain(config.protocol)["cases"]
    if not cases:
        own = {key: dataset[key] for key in ("scaling", "params")}
        cases = {dataset["name"]: {"label": "", "dataset": dataset["name"], "manifest": {}, **own}}
    elif dataset["name"] not in {case["dataset"] for case in cases.values()}:
        raise ConfigError(
            f"the experiment {config.name} draws its samples as protocol.cases says; for "
            f"dataset={dataset['name']} alone, add protocol.cases=null"
        )
    for case in cases.values():
        one_of(case["dataset"], GENERATORS, "generator")
    return cases


def _settings(config) -> list[tuple[str, float, dict]]:
    """Condition, value and whole setting of every point of the curves."""
    protocol = config.protocol
    usual = dict.fromkeys(LIMITS, 0) | {"samples": protocol.samples}
    found = []
    for name, condition in protocol.conditions.items():
        for value in condition.steps:
            setting = {**usual, name: int(value) if name in WHOLE else float(value)}
            # Without copies their noise makes no difference.
            setting["copy_noise"] = float(protocol.copy_noise) if setting["copies"] else 0.0
            setting["label_noise"] = float(setting["label_noise"])
            setting["batch_shift"] = float(setting["batch_shift"])
            found.append((name, float(value), setting))
    return found


def _with(method: Method, case: dict, config) -> Method:
    """The method with what a case says of ManiFeSt, where its scorers compute ManiFeSt."""
    asked = {name for name, value in plain(config.method).items() if value is not None}
    given = {name: value for name, value in case["manifest"].items() if name not in asked}
    parts = []
    for part in method.parts:
        if computes_manifest(part):
            own = {name: value for name, value in given.items() if name in part.keywords}
            grid = {name: values for name, values in part.grid.items() if name not in own}
            part = replace(part, fixed={**part.fixed, **own}, grid=grid)
        parts.append(part)
    return replace(method, parts=tuple(parts))


def _unit(config, case, setting, method, draw) -> Unit:
    protocol = config.protocol
    axes = {
        "seed": config.seed,
        "dataset": case["dataset"],
        "params": {**case["params"], "n_samples": protocol.pool + protocol.test_samples},
        "draw": draw,
        # Both happen after the draw has been changed.
        "scaling": "none",
        "test_size": None,
    }
    plan = {
        "pool": protocol.pool,
        "scaling": case["scaling"],
        "inner_folds": protocol.inner_folds,
        "log2_C": list(protocol.log2_C),
        "log2_gamma": list(protocol.log2_gamma),
    }
    identity = [[part.name, part.call, part.fixed, part.grid] for part in method.parts]
    key = key_of(
        "robustness",
        [judge, *method.scorers()],
        axes=axes,
        setting=setting,
        method=[identity, list(method.alone)],
        plan=plan,
    )
    return Unit(key, partial(judge, axes, setting, method, plan))
