"""What both protocols share: a method's scores with what is to be known about them."""

import warnings
from dataclasses import dataclass
from functools import partial

import pandas as pd
from omegaconf import DictConfig

from experiments.methods import Method
from experiments.parallel import Outcome, complete
from experiments.store import Row, Store, Unit, key_of
from manifest import AmbiguousScoreWarning


@dataclass
class Run:
    """One run of an experiment: what protocols need, and where units go."""

    config: DictConfig
    methods: list[Method]
    store: Store
    outcome: Outcome

    def complete(self, units: list[Unit], what: str) -> None:
        """Run what is not stored yet."""
        complete(units, self.store, self.outcome, self.config.workers, what)

    def rows(self, units):
        """The units' rows; None where one of them failed."""
        found = [self.outcome.rows.get(unit.key) for unit in units]
        return None if any(row is None for row in found) else found


@dataclass
class Results:
    """Tables of a run, by file name, and the one to print at the end.

    Attributes
    ----------
    rows : DataFrame
        One row a judgement, for whoever wants to compute something else.
    tables : dict of str to DataFrame
        What figures and comparisons read; "summary" has one row a method.
    shown : DataFrame
        For the terminal.
    data : dict
        Name and fingerprint of the data, for the provenance.
    """

    rows: pd.DataFrame
    tables: dict[str, pd.DataFrame]
    shown: pd.DataFrame
    data: dict


def score_and_ambiguity(method, X, y, parameters):
    """A method's scores and whether Algorithm 2 warned that they are not unique."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores = method.scores(X, y, parameters)
    ambiguous = False
    for warning in caught:
        if issubclass(warning.category, AmbiguousScoreWarning):
            ambiguous = True
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
    return scores, ambiguous


def stored_scores(method, X, y, parameters, store, axes) -> Row:
    """The scores of a method on the rows that the axes name, computed where not stored yet."""
    return store.remember(
        key_of("scores", axes=axes, method=method.identity(parameters)),
        partial(_scores, method, X, y, parameters, store, axes),
    )


def _scores(method, X, y, parameters, store, axes):
    """Scores of a method; those of a sum's parts are stored on their own, for others to reuse."""
    if len(method.parts) > 1:
        rows = []
        for part in method.parts:
            single = Method(part.name, part.name, (part,))
            own = {part.name: parameters[part.name]}
            rows.append(stored_scores(single, X, y, own, store, axes))
        return {
            "scores": method.total([row["scores"] for row in rows]),
            "ambiguous": any(row["ambiguous"] for row in rows),
        }
    scores, ambiguous = score_and_ambiguity(method, X, y, parameters)
    return {"scores": scores, "ambiguous": ambiguous}
