"""The methods that a config asks for: scorers with the values and grids of their parameters."""

import traceback
import warnings
from dataclasses import replace

import numpy as np
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from experiments.cache import digest_elsewhere
from experiments.config import ConfigError, ScorerConfig, check_methods, one_of, plain, suggest
from experiments.evaluation.methods import Method, Part, text


def thin(values: list, size: int | None) -> list:
    """At most `size` of the values: the middle of each of as many equal stretches."""
    if size is None or len(values) <= size:
        return list(values)
    return [values[(2 * i + 1) * len(values) // (2 * size)] for i in range(size)]


def resolve(config: DictConfig) -> list[Method]:
    """The methods that a config runs, in its order.

    A parameter's value is, in this order: what the user set as ``method.NAME=VALUE`` (for every
    method with such a parameter), what the experiment fixes, the method's own value or grid. A list
    takes the place of the grid if the method tunes the parameter: it is tuned over that list.

    Raises
    ------
    ConfigError
        If a method is incomplete, a parameter is unknown or a scorer refuses its value.
    """
    method_config = plain(config.method)
    entries = method_config.pop("scorers", None) or {}
    if not entries:
        raise ConfigError("no method is chosen; run with method=NAME or method=[NAME,NAME]")
    given = {name: value for name, value in method_config.items() if value is not None}
    _check_parameters(config, entries)
    methods = [_method(name, entry, given, config) for name, entry in entries.items()]
    known = {keyword for method in methods for part in method.parts for keyword in part.keywords}
    for name in given:
        if name not in known:
            hint = suggest(name, sorted(known))
            if isinstance(given[name], dict):
                hint = "; a file of configs/method has its methods below scorers:"
            raise ConfigError(f"no chosen method has a parameter {name!r}{hint}")
    try_methods(methods, 2)
    return methods


def _check_parameters(config, entries):
    """Refuse what an experiment fixes for a method that there is not."""
    parameters = plain(config.parameters)
    sums = [entry.get("combine") for entry in entries.values() if isinstance(entry, dict)]
    parts = [part for calls in sums for part in calls or ()]
    check_methods(config, parameters, "parameters", *parts)
    for name, values in parameters.items():
        if not isinstance(values, dict | None):
            raise ConfigError(
                f"parameters.{name} must name parameters, such as {{k: 5}}, or be null, got "
                f"{values!r}"
            )


def _method(name, entry, given, config) -> Method:
    if not isinstance(entry, dict):
        raise ConfigError(
            f"method.scorers.{name} must be keys, such as {{call: ...}}, got {entry!r}"
        )
    try:
        scorer = plain(OmegaConf.merge(OmegaConf.structured(ScorerConfig), entry))
    except OmegaConfBaseException as error:
        valid = ", ".join(ScorerConfig.__dataclass_fields__)
        raise ConfigError(f"method {name}: {error.msg or error}; valid keys: {valid}") from error
    if bool(scorer["call"]) == bool(scorer["combine"]):
        raise ConfigError(f"method {name} needs either call: SCORER or combine: {{NAME: SCORER}}")
    first, parts = scorer["tune_first"], []
    calls = scorer["combine"] or {name: scorer["call"]}
    for key in ("grid", "params", "tune_first") if scorer["combine"] else ("tune_first",):
        for part_name, values in scorer[key].items():
            one_of(part_name, calls, f"part of the method {name} for its {key},")
            if not isinstance(values, dict | None):
                raise ConfigError(
                    f"method {name}: {key}.{part_name} must name parameters, got {values!r}"
                )
    for part_name, call in calls.items():
        grid, params = (
            scorer[key].get(part_name) if scorer["combine"] else scorer[key]
            for key in ("grid", "params")
        )
        part = Part(part_name, call, params or {}, first.get(part_name) or grid or {})
        parts.append(_part(name, part, given, config))
    alone = tuple(part.name for part in parts if part.name in first and part.grid)
    return Method(name, scorer["label"] or name, tuple(parts), alone)


def _part(name, part, given, config) -> Part:
    """A part of a method with the values and grids that the user and the experiment give it."""
    try:
        keywords = part.keywords
    except ValueError as error:
        raise ConfigError(f"method {name}: {error}") from error
    fixed = plain(config.parameters).get(part.name) or {}
    for key, values in part.grid.items():
        if not isinstance(values, list) or not values:
            raise ConfigError(
                f"method {name}: grid.{key} must list values, such as [1, 5], got {values!r}"
            )
    chosen = {**fixed, **{key: value for key, value in given.items() if key in keywords}}
    lists = {key: chosen.pop(key) for key in part.grid if isinstance(chosen.get(key), list)}
    for key in lists:
        if not lists[key]:
            raise ConfigError(f"method {name}: {key}=[] leaves nothing to tune over")
    values = {**part.fixed, **chosen}
    tuned = {
        key: thin(grid, config.protocol.grid_size)
        for key, grid in {**part.grid, **lists}.items()
        if key not in chosen
    }
    for key in (*values, *tuned):
        if key not in keywords:
            raise ConfigError(f"method {name} has no parameter {key!r}{suggest(key, keywords)}")
    return replace(part, fixed=values, grid=tuned)


#: What has scored a few samples already, in this process, and the scorers that did.
_tried: dict[tuple, list] = {}


def try_methods(methods: list[Method], n_classes: int) -> None:
    """Let every candidate score a few samples: what a scorer refuses is known before the run.

    The first candidate of a scorer from elsewhere does it twice: a task is computed once, for all
    runs, and nothing would show that another time it gives other scores.
    The jobs of a sweep run in one process, mostly with the same methods: each is tried once.

    Raises
    ------
    ConfigError
        If a scorer refuses its parameters, or so many classes, fails, or scores the same samples
        differently.
    """
    n_samples = max(24, 4 * n_classes)
    X = np.random.default_rng(0).normal(size=(n_samples, 6))
    y = np.arange(n_samples) % n_classes
    X[:, 0] = X[:, 0].round() + y  # Some scorers break ties of values by random numbers.
    with warnings.catch_warnings():
        # Warnings about these samples say nothing about the samples of the run.
        warnings.simplefilter("ignore")
        for method in methods:
            scorers = method.scorers()
            known = (repr(method.parts), n_classes, *map(id, scorers))
            if known not in _tried:
                _try(method, X, y)
                _tried[known] = scorers  # Kept, so that no other scorer can get their ids.


def _try(method, X, y):
    is_foreign = any(map(digest_elsewhere, method.scorers()))
    for number, parameters in enumerate(method.candidates()):
        try:
            alone = method.scores(X, y, parameters)
            twice = is_foreign and number == 0
            if twice and not np.array_equal(alone, method.scores(X, y, parameters)):
                raise ValueError(
                    "the scorer gives other scores for the same samples; let it seed its random "
                    "numbers (as in params: {random_state: 0}) and leave X and y as they are"
                )
            together = method.grid_siblings(parameters)
            if len(together) > 1:
                scores = method.all_scores(X, y, together)[together.index(parameters)]
                if not np.array_equal(scores, alone):
                    raise ValueError("the scorer's grid function gives other scores than itself")
        except (TypeError, ValueError) as error:
            raise ConfigError(f"method {method.name} ({text(parameters)}): {error}") from error
        except Exception as error:
            *_, frame = traceback.extract_tb(error.__traceback__)
            raise ConfigError(
                f"method {method.name} ({text(parameters)}): {type(error).__name__}: {error}, in "
                f"line {frame.lineno} of {frame.filename}"
            ) from error
