"""The operators M and D of ManiFeSt: as images, against the paper's propositions, in the cone."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from experiments.config import ConfigError
from experiments.engine.keys import Row, Unit
from experiments.evaluation.methods import Method
from experiments.kinds.adoption import Check, Sample
from manifest import manifest_score

#: The rows of a unit in the table of a run, from the values of its axes and what it computed.
RowsOf = Callable[[tuple, Row], pd.DataFrame | list[dict[str, Any]]]


def operator_candidates(
    methods: Sequence[Method], kind: str
) -> list[tuple[Method, dict[str, Any]]]:
    """Every method with the keywords of each of its candidates.

    Raises
    ------
    ConfigError
        If a method is anything but ManiFeSt: other filters have no operators M and D.
    """
    default = inspect.signature(manifest_score).parameters["geometry"].default
    candidates = []
    for method in methods:
        if method.scorers() != [manifest_score]:
            raise ConfigError(
                f"the protocol {kind} looks at the operators of ManiFeSt, which the method "
                f"{method.name} has none of; run with method=manifest"
            )
        (part,) = method.parts
        candidates += [
            (method, {"geometry": default, **parameters[part.name]})
            for parameters in method.candidates()
        ]
    return candidates


def unit_checks(
    units: Mapping[tuple, Unit], axes: list[str], sample: Sample, rows_of: RowsOf
) -> Iterator[Check]:
    """Checks of random units, each with all of its stored rows.

    Parameters
    ----------
    units : mapping of tuple to Unit
        By the values of the axes.
    axes : list of str
        The columns that name a unit; none if there is one unit.
    sample : Sample
    rows_of : RowsOf
    """
    for name, stored, _ in sample.groups(axes):
        at = tuple(stored[axes].iloc[0])
        yield Check(name, [units[at]], stored, partial(_columns, at, rows_of))


def _columns(at, rows_of, computed):
    return pd.DataFrame(rows_of(at, computed[0])).to_dict("records")
