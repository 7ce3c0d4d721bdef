"""Methods as an experiment runs them: scorers, the candidates of their grids, their sums."""

import inspect
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from baselines import get, sum_of_normalised
from manifest import manifest_score

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
        taken = inspect.signature(get(self.call)).parameters.values()
        return [p.name for p in taken if p.name not in ("X", "y")]

    @property
    def is_manifest(self) -> bool:
        """True if the scorer is ManiFeSt's score."""
        return get(self.call) is manifest_score

    def grid_function(self, keywords: Mapping[str, Any]) -> tuple[str, Callable] | None:
        """The tuned parameter whose values are scored at once, and the function that does it.

        None if the scorer has no such function (see `baselines`) that takes these keywords.
        """
        tuned = getattr(get(self.call), "grid", None)
        if tuned is None or keywords.get(tuned[0]) not in self.grid.get(tuned[0], []):
            return None
        taken = inspect.signature(tuned[1]).parameters
        return tuned if all(name in taken for name in keywords if name != tuned[0]) else None


@dataclass(frozen=True)
class Method:
    """A scorer, or a sum of min-max normalised scores of several, its parts."""

    #: As in the config, and as in tables and figures.
    name: str
    label: str
    parts: tuple[Part, ...]
    #: Parts that are tuned first, on their own, before the sum is.
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
        return [method for method in self.single_parts() if method.name in self.alone]

    def single_parts(self) -> list["Method"]:
        """Each part as a method."""
        return [Method(part.name, part.name, (part,)) for part in self.parts]

    def fix_tuned_parts(self, tune: Callable[["Method"], Parameters | None]) -> "Method | None":
        """This method with the parts that are tuned first fixed at the candidates of `tune`.

        If `tune` returns None for one of them, so does this method.
        """
        fixed: Parameters = {}
        for part in self.prerequisites():
            if (parameters := tune(part)) is None:
                return None
            fixed |= parameters
        return self.with_tuned(fixed)

    def with_tuned(self, tuned: Parameters) -> "Method":
        """This method with the parts that were tuned alone fixed."""
        parts = tuple(
            replace(part, fixed=tuned[part.name], grid={}) if part.name in tuned else part
            for part in self.parts
        )
        return replace(self, parts=parts, alone=())

    def scores(self, X, y, parameters: Parameters) -> np.ndarray:
        """The scores of one candidate, shape (n_features,), higher is better."""
        called = ((part, get(part.call)(X, y, **parameters[part.name])) for part in self.parts)
        return self.total([_checked(part, X, scores) for part, scores in called])

    def grid_siblings(self, parameters: Parameters) -> list[Parameters]:
        """The candidates whose scores are computed at once with this one's, itself among them.

        They differ from it in one parameter, whose values the scorer scores at once.
        """
        part = self.parts[0]
        keywords = parameters[part.name]
        tuned = part.grid_function(keywords) if len(self.parts) == 1 else None
        if tuned is None:
            return [parameters]
        return [{part.name: {**keywords, tuned[0]: value}} for value in part.grid[tuned[0]]]

    def all_scores(self, X, y, candidates: list[Parameters]) -> list[np.ndarray]:
        """The scores of several candidates; those that the scorer scores at once are."""
        scores: dict[int, np.ndarray] = {}
        for number, parameters in enumerate(candidates):
            if number not in scores:
                siblings = self.grid_siblings(parameters)
                together = [i for i, each in enumerate(candidates) if each in siblings]
                if len(together) == 1:
                    scores[number] = self.scores(X, y, parameters)
                else:
                    rows = self._grid_scores(X, y, [candidates[i] for i in together])
                    scores |= dict(zip(together, rows, strict=True))
        return [scores[number] for number in range(len(candidates))]

    def _grid_scores(self, X, y, siblings) -> list[np.ndarray]:
        (part,) = self.parts
        keywords = dict(siblings[0][part.name])
        name, grid = part.grid_function(keywords)  # type: ignore[misc]
        del keywords[name]
        values = [candidate[part.name][name] for candidate in siblings]
        rows = grid(X, y, values, **keywords)
        if len(rows) != len(values):
            raise ValueError(
                f"the grid function of {part.call} must return scores for each of {len(values)} "
                f"values of {name}, it returned {len(rows)} rows"
            )
        return [_checked(part, X, row) for row in rows]

    def total(self, vectors) -> np.ndarray:
        """The scores of the only part, or the sum of the min-max normalised scores of all parts."""
        return vectors[0] if len(vectors) == 1 else sum_of_normalised(vectors)

    def scorers(self) -> list[Callable[..., Any]]:
        """The scorers of the parts: their code is part of what determines the scores."""
        return [get(part.call) for part in self.parts]

    def identity(self, parameters: Parameters) -> list:
        """The determinants of the scores, apart from the samples: the calls and their keywords."""
        return [[part.call, parameters[part.name]] for part in self.parts]


def _checked(part, X, scores):
    """Return a scorer's scores, or raise a ValueError if they break its contract.

    Of a pair, as scikit-learn's filters return it, the scores come first and the p-values second.
    """
    if isinstance(scores, tuple) and len(scores) == 2:
        scores = scores[0]
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
