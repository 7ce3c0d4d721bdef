"""Read the methods of a config: scorers, parameters, grids and sums."""

import inspect
import itertools
import traceback
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from baselines import blind, get, sum_of_normalised
from baselines.contract import Scorer
from experiments import config as base_config
from experiments.code import elsewhere
from experiments.config import ConfigError, ScorerConfig, check_methods, one_of, plain, suggest
from experiments.seeds import canonical_json
from manifest.validation import finite

#: Parameters of one candidate: the part's name -> its keywords.
Parameters = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Part:
    """One scorer of a method: its call, its fixed and its tuned parameters."""

    name: str
    call: str
    fixed: Mapping[str, Any]
    grid: Mapping[str, list]
    #: True if it ranks with shuffled labels; see `baselines.blind`.
    blind: bool = False
    #: See :func:`experiments.code.elsewhere`.
    code: str = ""

    @property
    def scorer(self) -> Scorer:
        """Return the scorer, with its labels permuted if the part is blind."""
        return blind(get(self.call)) if self.blind else get(self.call)

    def checked(self, X: np.ndarray, scores: Any) -> np.ndarray:
        """Return the scores of a scorer; raise a ValueError if they break its contract.

        The filters of scikit-learn return a pair, of which the scores are the first part.
        """
        if isinstance(scores, tuple) and len(scores) == 2:
            scores = scores[0]
        return finite(f"the scores of {self.call}", scores, X)


@dataclass(frozen=True)
class Method:
    """A scorer, or a sum of min-max normalised scores of several, its parts."""

    #: The name in the config, and the label in tables and figures.
    name: str
    label: str
    parts: tuple[Part, ...]
    #: Parts that are tuned alone, before the sum.
    alone: tuple[str, ...] = ()
    #: True if it selects no features, but takes all.
    takes_all: bool = False

    @property
    def n_tuned(self) -> int:
        """Return the number of tuned parameters."""
        n_tuned = 0
        for part in self.parts:
            for values in part.grid.values():
                n_tuned += len(values) > 1
        return n_tuned

    def candidates(self) -> list[Parameters]:
        """Return all combinations of the parts' grids; the last parameter varies fastest."""
        axes = []
        grids = []
        for part in self.parts:
            for parameter, values in part.grid.items():
                axes.append((part.name, parameter))
                grids.append(values)
        candidates = []
        for combination in itertools.product(*grids):
            candidate = {part.name: dict(part.fixed) for part in self.parts}
            for (part_name, parameter), value in zip(axes, combination, strict=True):
                candidate[part_name][parameter] = value
            candidates.append(candidate)
        return candidates

    def single_parts(self) -> list["Method"]:
        """Return each part as a method."""
        return [Method(part.name, part.name, (part,)) for part in self.parts]

    def prerequisites(self) -> list["Method"]:
        """Return the methods that are tuned before this one."""
        return [method for method in self.single_parts() if method.name in self.alone]

    def with_tuned(self, tuned: Parameters) -> "Method":
        """Return this method with the given tuned parts fixed."""
        parts = []
        for part in self.parts:
            if part.name in tuned:
                part = replace(part, fixed=tuned[part.name], grid={})
            parts.append(part)
        return replace(self, parts=tuple(parts), alone=())

    def scores(self, X: np.ndarray, y: np.ndarray, parameters: Parameters) -> np.ndarray:
        """Return the scores of one candidate, (n_features,); higher is better."""
        vectors = []
        for part in self.parts:
            scores = part.scorer(X, y, **parameters[part.name])
            vectors.append(part.checked(X, scores))
        return vectors[0] if len(vectors) == 1 else sum_of_normalised(vectors)

    def whole_grid(self) -> tuple[str, Callable[..., Any]] | None:
        """Return the parameter whose values the scorer scores at once, and the function for it.

        There is none for a sum, or if the function does not take the other keywords (see
        `baselines`).
        """
        if len(self.parts) > 1:
            return None
        (part,) = self.parts
        name, function = getattr(part.scorer, "grid", ("", part.scorer))
        others = {*part.fixed, *part.grid} - {name}
        if name not in part.grid or not others <= {*inspect.signature(function).parameters}:
            return None
        return name, function

    def grid_siblings(self, parameters: Parameters) -> list[Parameters]:
        """Return the candidates that are scored together with this one, including itself."""
        grid = self.whole_grid()
        if grid is None:
            return [parameters]
        (part,) = self.parts
        parameter, _ = grid
        siblings = []
        for value in part.grid[parameter]:
            keywords = {**parameters[part.name], parameter: value}
            siblings.append({part.name: keywords})
        return siblings

    def all_scores(
        self, X: np.ndarray, y: np.ndarray, candidates: list[Parameters]
    ) -> list[np.ndarray]:
        """Return the scores of several candidates, whole grids at once where possible."""
        grid = self.whole_grid()
        if grid is None:
            return [self.scores(X, y, candidate) for candidate in candidates]
        (part,) = self.parts
        parameter, function = grid
        groups: dict[str, list[int]] = {}
        for number, candidate in enumerate(candidates):
            others = {**candidate[part.name], parameter: None}
            groups.setdefault(canonical_json(others), []).append(number)
        scores: dict[int, np.ndarray] = {}
        for numbers in groups.values():
            members = [candidates[number] for number in numbers]
            if len(members) == 1:
                vectors = [self.scores(X, y, members[0])]
            else:
                vectors = _grid_scores(part, X, y, members, parameter, function)
            scores.update(zip(numbers, vectors, strict=True))
        return [scores[number] for number in range(len(candidates))]

    def with_code(self) -> "Method":
        """Return this method, which was tried, with the digests of its code from elsewhere."""
        parts = tuple(replace(part, code=elsewhere(part.call)) for part in self.parts)
        return replace(self, parts=parts)

    def identity(self, parameters: Parameters) -> list:
        """Return what determines the scores apart from the samples: calls, keywords and code."""
        identity = []
        for part in self.parts:
            mark = ["blind"] if part.blind else []
            identity.append([part.call, parameters[part.name], part.code, *mark])
        return identity


def keywords_of(scorer: Scorer) -> list[str]:
    """Return the names of a scorer's parameters."""
    taken = inspect.signature(scorer).parameters
    return [name for name in taken if name not in ("X", "y")]


def _grid_scores(
    part: Part,
    X: np.ndarray,
    y: np.ndarray,
    candidates: list[Parameters],
    parameter: str,
    function: Callable[..., Any],
) -> list[np.ndarray]:
    """Return the scores of candidates of one part that differ in one parameter, all at once."""
    values = [candidate[part.name][parameter] for candidate in candidates]
    others = dict(candidates[0][part.name])
    del others[parameter]
    vectors = function(X, y, values, **others)
    if len(vectors) != len(values):
        raise ValueError(
            f"the grid function of {part.call} must return scores for each of "
            f"{len(values)} values of {parameter}, it returned {len(vectors)} rows"
        )
    return [part.checked(X, scores) for scores in vectors]


def text(parameters: Parameters) -> str:
    """Write parameters in one line, such as ``k=5`` or ``relieff.k=5, ...``."""
    is_sum = len(parameters) > 1
    assignments = []
    for part, keywords in sorted(parameters.items()):
        for name, value in sorted(keywords.items()):
            if value is not None:
                full_name = f"{part}.{name}" if is_sum else name
                assignments.append(f"{full_name}={value}")
    return ", ".join(assignments)


def thin(values: list, size: int | None) -> list:
    """Return at most `size` of the values: the middle one of each of `size` equal parts."""
    n_values = len(values)
    if size is None or n_values <= size:
        return list(values)
    places = [(2 * i + 1) * n_values // (2 * size) for i in range(size)]
    return [values[place] for place in places]


def resolve(config: DictConfig) -> list[Method]:
    """Return the methods of a config as :func:`declared`; each has been tried, with its errors."""
    methods = declared(config)
    try_methods(methods, 2)
    return [method.with_code() for method in methods]


def declared(config: DictConfig) -> list[Method]:
    """Return the methods of a config, in its order.

    The value of a parameter is, in this order: the one set by the user as ``method.NAME=VALUE``
    (for every method with this parameter), the one fixed by the experiment, or the method's own
    value or grid. A list is a grid, and is used whole; the methods' own grids are thinned to
    ``protocol.grid_size`` values.

    Raises
    ------
    ConfigError
        If a method is incomplete, or a parameter is unknown.
    """
    method_config = plain(config.method)
    entries = method_config.pop("scorers", None) or {}
    if not entries:
        raise ConfigError("no method is chosen; run with method=NAME or method=[NAME,NAME]")
    given = {name: value for name, value in method_config.items() if value is not None}
    names_of_parts: list[str] = []
    for entry in entries.values():
        if isinstance(entry, dict):
            names_of_parts.extend(entry.get("combine") or ())
    parameters = plain(config.parameters)
    check_methods(config, parameters, "parameters", *names_of_parts)
    for name, values in parameters.items():
        _must_name_parameters(values, f"parameters.{name}")
    methods = [_method(name, entry, given, config) for name, entry in entries.items()]
    _must_have_parameters(methods, given)
    return methods


def _must_have_parameters(methods: list[Method], given: dict[str, Any]) -> None:
    """Raise a ConfigError unless each given parameter is one of a method."""
    known: set[str] = set()
    for method in methods:
        for part in method.parts:
            known.update(keywords_of(get(part.call)))
    for name, value in given.items():
        if name not in known:
            hint = suggest(name, sorted(known))
            if isinstance(value, dict):
                hint = "; a file of configs/method has its methods below scorers:"
            raise ConfigError(f"no chosen method has a parameter {name!r}{hint}")


def _must_name_parameters(values: Any, what: str) -> None:
    if not isinstance(values, dict | None):
        raise ConfigError(
            f"{what} must name parameters, such as {{k: 5}}, or be null, got {values!r}"
        )


def _method(name: str, entry: Any, given: dict[str, Any], config: DictConfig) -> Method:
    try:
        scorer = plain(OmegaConf.merge(OmegaConf.structured(ScorerConfig), entry))
    except (OmegaConfBaseException, ValueError) as error:
        reason = str(error).splitlines()[0]
        valid = ", ".join(ScorerConfig.__dataclass_fields__)
        raise ConfigError(f"method.scorers.{name}: {reason}; valid keys: {valid}") from error
    one_of(scorer["family"], base_config.FAMILIES, f"family of the method {name},")
    if bool(scorer["call"]) == bool(scorer["combine"]):
        raise ConfigError(f"method {name} needs either call: SCORER or combine: {{NAME: SCORER}}")
    if not scorer["combine"]:  # A method of one part, whose keys are those of the part.
        for key in ("grid", "params"):
            scorer[key] = {name: scorer[key]}
    calls = scorer["combine"] or {name: scorer["call"]}
    for key in ("grid", "params", "tune_first"):
        for part_name, values in scorer[key].items():
            one_of(part_name, calls, f"part of the method {name} for its {key},")
            _must_name_parameters(values, f"method {name}: {key}.{part_name}")
    tuned_first = scorer["tune_first"]
    parts = []
    for part_name, call in calls.items():
        fixed = scorer["params"].get(part_name) or {}
        grid = tuned_first.get(part_name) or scorer["grid"].get(part_name) or {}
        part = Part(part_name, call, fixed, grid, scorer["blind"])
        parts.append(_part(name, part, given, config))
    alone = tuple(part.name for part in parts if part.name in tuned_first and part.grid)
    return Method(name, scorer["label"] or name, tuple(parts), alone, scorer["takes_all"])


def _part(name: str, part: Part, given: dict[str, Any], config: DictConfig) -> Part:
    """Return a part of a method with the values and grids of the user and the experiment."""
    try:
        keywords = keywords_of(get(part.call))
    except ValueError as error:
        raise ConfigError(f"method {name}: {error}") from error
    except (Exception, SystemExit) as error:
        raise ConfigError(
            f"method {name}: {part.call} cannot be imported, {told(error)}"
        ) from error
    chosen = dict(plain(config.parameters).get(part.name) or {})
    for key, value in given.items():
        if key in keywords:
            chosen[key] = value
    fixed = dict(part.fixed)
    grid = dict(part.grid)
    for key, value in chosen.items():
        if isinstance(value, list):
            grid[key] = value
        else:
            fixed[key] = value
            grid.pop(key, None)
    for key, values in grid.items():
        if not isinstance(values, list) or not values:
            raise ConfigError(
                f"method {name}: grid.{key} must list values, such as [1, 5], got {values!r}"
            )
    for key in (*fixed, *grid):
        if key not in keywords:
            raise ConfigError(f"method {name} has no parameter {key!r}{suggest(key, keywords)}")
    for key, values in grid.items():
        if key not in chosen:
            grid[key] = thin(values, config.protocol.grid_size)
    return replace(part, fixed=fixed, grid=grid)


def try_methods(methods: list[Method], n_classes: int) -> None:
    """Let every candidate score a few samples, so that errors appear before the run.

    Raises
    ------
    ConfigError
        If a scorer refuses its parameters or so many classes, or fails.
    """
    n_samples = max(24, 4 * n_classes)
    X = np.random.default_rng(0).normal(size=(n_samples, 6))
    y = np.arange(n_samples) % n_classes
    X[:, 0] = X[:, 0].round() + y  # Some scorers break ties of values by random numbers.
    with warnings.catch_warnings():
        # Warnings about these samples say nothing about the samples of the run.
        warnings.simplefilter("ignore")
        for method in methods:
            try:
                method.all_scores(X, y, method.candidates())
            except (TypeError, ValueError) as error:
                raise ConfigError(f"method {method.name}: {error}") from error
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # It may call sys.exit.
                raise ConfigError(f"method {method.name}: {told(error)}") from error


def told(error: BaseException) -> str:
    """Return the type, the message and the place of an error in somebody else's code."""
    *_, frame = traceback.extract_tb(error.__traceback__)
    place: Any = error if isinstance(error, SyntaxError) else frame
    said = f"{type(error).__name__}: {error}".removesuffix(": ")
    return f"{said}, in line {place.lineno} of {place.filename}"
