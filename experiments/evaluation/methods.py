"""Methods as an experiment runs them: scorers, the candidates of their grids, their sums."""

import inspect
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

import baselines
from baselines import sum_of_normalised
from experiments.config import ConfigError, ScorerConfig, plain, suggest

#: Parameters of one candidate: the part's name -> its keywords.
Parameters = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Part:
    """One scorer of a method: how to call it, what is fixed, what is tuned."""

    name: str
    call: str
    fixed: Mapping[str, Any]
    grid: Mapping[str, list]

    @property
    def keywords(self):
        """The names of the parameters that the scorer takes."""
        taken = inspect.signature(baselines.get(self.call)).parameters.values()
        return [p.name for p in taken if p.name not in ("X", "y")]

    def grid_function(self, keywords: Mapping[str, Any]) -> tuple[str, Callable] | None:
        """The tuned parameter whose values the scorer scores at once, the others as given, and how.

        None where there is none; see :func:`baselines.with_grid`.
        """
        found = baselines.grid_of(baselines.get(self.call))
        if found is None or keywords.get(found[0]) not in self.grid.get(found[0], []):
            return None
        taken = inspect.signature(found[1]).parameters
        return found if all(name in taken for name in keywords if name != found[0]) else None


@dataclass(frozen=True)
class Method:
    """A scorer, or a sum of min-max normalised scores of several.

    Attributes
    ----------
    name, label : str
        As in the config, and as in tables and figures.
    parts : tuple of Part
        Several for a sum.
    alone : tuple of str
        Parts that are tuned first, on their own, before the sum is.
    """

    name: str
    label: str
    parts: tuple[Part, ...]
    alone: tuple[str, ...] = ()

    def candidates(self) -> list[Parameters]:
        """Every combination of the parts' grids, the last parameter varying fastest."""
        axes = [(part, name) for part in self.parts for name in part.grid]
        candidates = []
        for values in itertools.product(*(part.grid[name] for part, name in axes)):
            candidate = {part.name: dict(part.fixed) for part in self.parts}
            for (part, name), value in zip(axes, values, strict=True):
                candidate[part.name][name] = value
            candidates.append(candidate)
        return candidates

    def prerequisites(self) -> list["Method"]:
        """The methods whose tuning comes before this one's."""
        return [
            Method(part.name, part.name, (part,)) for part in self.parts if part.name in self.alone
        ]

    def with_tuned(self, tuned: Parameters) -> "Method":
        """This method with the parts that were tuned alone fixed."""
        return replace(
            self,
            parts=tuple(
                replace(part, fixed=tuned[part.name], grid={}) if part.name in tuned else part
                for part in self.parts
            ),
            alone=(),
        )

    def scores(self, X, y, parameters: Parameters) -> np.ndarray:
        """The scores of one candidate, shape (n_features,), higher is better."""
        return self.total(
            [
                _checked(part, X, baselines.get(part.call)(X, y, **parameters[part.name]))
                for part in self.parts
            ]
        )

    def grid_siblings(self, parameters: Parameters) -> list[Parameters]:
        """The candidates whose scores are computed at once with this one's, itself among them.

        Those that differ from it in a parameter of which the scorer scores all values at once.
        """
        if len(self.parts) > 1:
            return [parameters]
        (part,) = self.parts
        keywords = parameters[part.name]
        found = part.grid_function(keywords)
        if found is None:
            return [parameters]
        return [{part.name: {**keywords, found[0]: value}} for value in part.grid[found[0]]]

    def sibling_scores(self, X, y, candidates: list[Parameters]) -> list[np.ndarray]:
        """What :meth:`scores` gives for each of several candidates of :meth:`together`."""
        (part,) = self.parts
        keywords = dict(candidates[0][part.name])
        found = part.grid_function(keywords)
        if found is None:
            return [self.scores(X, y, candidate) for candidate in candidates]
        name, grid = found
        del keywords[name]
        values = [candidate[part.name][name] for candidate in candidates]
        rows = grid(X, y, values, **keywords)
        if len(rows) != len(values):
            raise ValueError(
                f"the grid function of {part.call} must return scores for each of {len(values)} "
                f"values of {name}, it returned {len(rows)} rows"
            )
        return [_checked(part, X, row) for row in rows]

    def total(self, vectors) -> np.ndarray:
        """The parts' scores as one: the only one, or the sum of the min-max normalised."""
        return vectors[0] if len(vectors) == 1 else sum_of_normalised(vectors)

    def identity(self, parameters: Parameters) -> list:
        """What determines the scores, apart from the samples: the calls and their keywords."""
        return [[part.call, parameters[part.name]] for part in self.parts]


def _checked(part, X, scores):
    """A scorer's scores, if it keeps its contract."""
    scores = np.asarray(scores, dtype=np.float64)
    if scores.shape != (X.shape[1],) or not np.isfinite(scores).all():
        raise ValueError(
            f"the scorer {part.call} must return {X.shape[1]} finite scores, it returned shape "
            f"{scores.shape}{'' if np.isfinite(scores).all() else ' with NaN or infinity'}"
        )
    return scores


def text(parameters: Parameters) -> str:
    """Parameters in one line, the same for equal ones: ``k=5`` or ``relieff.k=5, ...``."""
    prefix = len(parameters) > 1
    return ", ".join(
        f"{part}.{name}={value}" if prefix else f"{name}={value}"
        for part, keywords in sorted(parameters.items())
        for name, value in sorted(keywords.items())
        if value is not None
    )


def thin(values: list, size: int | None) -> list:
    """At most `size` of the values: the middle of each of as many equal stretches."""
    if size is None or len(values) <= size:
        return list(values)
    return [values[(2 * i + 1) * len(values) // (2 * size)] for i in range(size)]


def resolve(config: DictConfig) -> list[Method]:
    """The methods that a config runs, in its order.

    A parameter's value is, in this order: what the user set as ``method.NAME=VALUE`` (for every
    method with such a parameter), what the experiment fixes, the method's own value or grid.

    Raises
    ------
    ConfigError
        Where a method is incomplete, a parameter is unknown or a scorer refuses its value.
    """
    method_config = plain(config.method)
    entries = method_config.pop("scorers", None) or {}
    if not entries:
        raise ConfigError("no method is chosen; run with method=NAME or method=[NAME,NAME]")
    given = {name: value for name, value in method_config.items() if value is not None}
    fixed = plain(config.parameters)
    methods = [_method(name, entry, fixed, given, config) for name, entry in entries.items()]
    known = {keyword for method in methods for part in method.parts for keyword in part.keywords}
    for name in given:
        if name not in known:
            raise ConfigError(
                f"none of the chosen methods has a parameter {name!r}"
                + suggest(name, sorted(known))
            )
    for method in methods:
        _try(method)
    return methods


def _method(name, entry, fixed, given, config):
    try:
        scorer = plain(OmegaConf.merge(OmegaConf.structured(ScorerConfig), entry))
    except OmegaConfBaseException as error:
        valid = ", ".join(ScorerConfig.__dataclass_fields__)
        raise ConfigError(f"method {name}: {error.msg or error}; valid keys: {valid}") from error
    if bool(scorer["call"]) == bool(scorer["combine"]):
        raise ConfigError(f"method {name} needs either call: SCORER or combine: {{NAME: SCORER}}")
    calls = scorer["combine"] or {name: scorer["call"]}
    parts = []
    for part_name, call in calls.items():
        grid = scorer["first"].get(part_name) or (
            scorer["grid"].get(part_name) if scorer["combine"] else scorer["grid"]
        )
        params = scorer["params"].get(part_name) if scorer["combine"] else scorer["params"]
        part = Part(part_name, call, params or {}, grid or {})
        try:
            keywords = part.keywords
        except ValueError as error:
            raise ConfigError(f"method {name}: {error}") from error
        chosen = {
            **fixed.get(part_name, {}),
            **{key: value for key, value in given.items() if key in keywords},
        }
        values = {**part.fixed, **chosen}
        tuned = {
            key: thin(values_, config.protocol.grid_size)
            for key, values_ in part.grid.items()
            if key not in chosen
        }
        for key in (*values, *tuned):
            if key not in keywords:
                raise ConfigError(f"method {name} has no parameter {key!r}{suggest(key, keywords)}")
        parts.append(replace(part, fixed=values, grid=tuned))
    alone = tuple(part.name for part in parts if part.name in scorer["first"] and part.grid)
    return Method(name, scorer["label"] or name, tuple(parts), alone)


def _try(method):
    """Let every candidate score a few samples: what a scorer refuses is found before the run."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(24, 6)), np.arange(24) % 2
    for parameters in method.candidates():
        try:
            alone = method.scores(X, y, parameters)
            together = method.grid_siblings(parameters)
            if len(together) > 1:
                scores = method.sibling_scores(X, y, together)[together.index(parameters)]
                if not np.array_equal(scores, alone):
                    raise ValueError("the scorer's grid function gives other scores than itself")
        except (TypeError, ValueError) as error:
            raise ConfigError(f"method {method.name} ({text(parameters)}): {error}") from error
