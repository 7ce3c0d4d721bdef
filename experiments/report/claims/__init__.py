"""Compare the paper's numbers and sentences with our results.

``results/paper.yaml`` lists the claims. Each claim names one of five readers
(:mod:`experiments.report.claims.readers`), which finds the quantities of the claim in a folder of
results. The 90 % interval of each quantity is compared with the bounds of the claim:

- *reproduced*: every interval is inside the bounds;
- *different*: one of them is outside, at the level ``1 - 0.1 / m`` for m quantities;
- *inconclusive*: neither; ↑ or ↓ if our number is above or below the published one;
- *not tested*: no reader can decide the sentence;
- *no data*: there are no results to compare with.

For a number, the quantity is its difference to the published number, with the noise of both
studies, and the bounds are plus and minus the margin. "Inside" is the test of equivalence by two
one-sided tests at 5 % (D. J. Schuirmann 1987), and "outside" its opposite.
"""

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from experiments.config import ConfigError
from experiments.report.claims.folder import Folder, Missing
from experiments.report.claims.noise import DECIDES, SHOWN, Quantity
from experiments.report.claims.readers import READERS

__all__ = ["COLUMNS", "OUTCOMES", "Claim", "compare", "load", "outcome_of"]

REPRODUCED, DIFFERENT, INCONCLUSIVE = "reproduced", "different", "inconclusive"
NOT_TESTED, NO_DATA = "not tested", "no data"
OUTCOMES = (REPRODUCED, DIFFERENT, INCONCLUSIVE, NOT_TESTED, NO_DATA)
#: The columns of claims.csv.
COLUMNS = [
    *("claim", "version", "figure", "folder", "says", "published", "ours", "ci_low", "ci_high"),
    *("margin", "diff_low", "diff_high", "outcome", "direction", "note"),
]
#: The bounds that a sentence may have in ``paper.yaml``, and their signs.
SIGNS = {"above": ">", "below": "<", "at_most": "≤"}


@dataclass(frozen=True)
class Claim:
    """One number or sentence of the paper, from an entry of ``paper.yaml``."""

    id: str
    figure: str
    folder: str
    says: str
    published: float | str
    #: A key of READERS; if empty, the claim is not tested, and `why` says why.
    reader: str = ""
    #: A number, or the bounds of a sentence: above, below, at_most.
    margin: Any = None
    version: int = 2022
    repetitions: int | None = None
    arguments: dict[str, Any] = field(default_factory=dict)
    #: Related published numbers by name, such as std.
    beside: dict[str, float] = field(default_factory=dict)
    note: str = ""
    why: str = ""

    def __post_init__(self):
        is_whole = self.reader in READERS and self.margin is not None and not self.why
        if not is_whole and (self.reader or self.margin is not None or not self.why):
            raise ConfigError(
                f"paper.yaml, the claim {self.id}: give a margin and a reader, one of "
                f"{', '.join(READERS)}; or give `why` it is not tested"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds for the quantities of the claim."""
        if not isinstance(self.margin, dict):
            return -float(self.margin), float(self.margin)
        bounds: dict[str, float] = self.margin
        high = min(bounds.get("below", np.inf), bounds.get("at_most", np.inf))
        return bounds.get("above", -np.inf), high

    @property
    def margin_text(self) -> str:
        """The margin as text for tables."""
        if not isinstance(self.margin, dict):
            return "" if self.margin is None else f"±{self.margin:g}"
        return ", ".join(f"{SIGNS[key]} {value:g}" for key, value in self.margin.items())


def load(path: Path) -> list[Claim]:
    """Return the claims of a file, in its order.

    Parameters
    ----------
    path : Path
        ``paper.yaml``.

    Raises
    ------
    ConfigError
        If an entry lacks a key or has an unknown one, or if its reader does not exist.
    """
    claims = []
    for entry in yaml.safe_load(path.read_text(encoding="utf-8"))["claims"]:
        try:
            claims += [Claim(**each) for each in _each(**entry)]
        except TypeError as error:
            raise ConfigError(f"{path.name}, the claim {entry.get('id')}: {error}") from error
    return claims


def _each(each=None, also=(), **entry):
    """Yield the claims of an entry: the entry itself, or one for each of its methods."""
    arguments = entry.pop("with", {})
    if each is None:
        yield entry | {"arguments": arguments}
        return
    for method, values in each.items():
        published, *beside = values if isinstance(values, list) else [values]
        yield entry | {
            "id": f"{entry['id']}.{method}",
            "published": published,
            "arguments": {**arguments, "method": method.replace("+", "_")},
            "beside": dict(zip(also, beside, strict=False)),
        }


def compare(listed: Path, results: Path) -> pd.DataFrame:
    """Compare every claim of the paper with our results.

    Parameters
    ----------
    listed : Path
        ``paper.yaml``.
    results : Path
        Folder with one folder for each experiment.

    Returns
    -------
    DataFrame
        One row for each claim, with :data:`COLUMNS`: our value with its 95 % interval (the one
        closest to a bound, if there are several), the 90 % interval that decides, the outcome and
        its direction, ↑ or ↓. Cells are empty if there is nothing to compare.
    """
    folder = cache(lambda name: Folder(results / name))
    rows = []
    for claim in load(listed):
        row = {"claim": claim.id, "margin": claim.margin_text, "note": claim.note}
        row |= {name: getattr(claim, name) for name in COLUMNS[1:6]}
        try:
            compared = _compared(claim, folder(claim.folder)) if claim.reader else {}
            row |= compared or {"outcome": NOT_TESTED, "note": claim.why}
        except Missing as missing:
            row |= {"outcome": NO_DATA, "note": str(missing)}
        rows.append(row)
    return pd.DataFrame(rows, columns=COLUMNS)


def _compared(claim: Claim, folder: Folder) -> dict[str, Any]:
    """Return the cells of a claim that has results."""
    arguments = dict(claim.arguments)
    if claim.reader == "number":
        arguments["repetitions"] = claim.repetitions
    ours = READERS[claim.reader](folder, **arguments)
    if not ours:
        raise Missing("none of these methods is among the results")
    is_number = not isinstance(claim.published, str)
    decided = ours
    if is_number:
        decided = [one.minus(float(claim.published), claim.repetitions) for one in ours]
    outcome = outcome_of(decided, claim.bounds)
    shown = min(range(len(decided)), key=lambda i: _room(decided[i], claim.bounds))
    low, high = ours[shown].interval(SHOWN)
    diff_low, diff_high = decided[shown].interval(DECIDES)
    arrow = ""
    if outcome == INCONCLUSIVE and is_number:
        arrow = "↓" if diff_high < 0 else "↑" if diff_low > 0 else ""
    notes = [ours[shown].name + (f", of {len(ours)}" if len(ours) > 1 else ""), claim.note]
    words = {"std": "standard deviation", "features": "number of features"}
    here = ours[shown].beside
    notes += [f"{words[k]} {v:g} there, {here[k]} here" for k, v in claim.beside.items()]
    return {
        **{"ours": ours[shown].value, "ci_low": low, "ci_high": high},
        **{"diff_low": diff_low, "diff_high": diff_high, "outcome": outcome, "direction": arrow},
        "note": "; ".join(filter(None, notes)),
    }


def outcome_of(quantities: list[Quantity], bounds: tuple[float, float]) -> str:
    """Return the outcome of the claim that all quantities are inside the bounds.

    The ends are inside for a number and outside for a strict inequality. Only an interval without
    noise can end exactly there.
    """
    low, high = bounds
    intervals = [one.interval(DECIDES) for one in quantities]
    if all(low <= start and end <= high for start, end in intervals):
        return REPRODUCED
    corrected = 1 - (1 - DECIDES) / len(quantities)
    intervals = [one.interval(corrected) for one in quantities]
    is_outside = any(end < low or start > high for start, end in intervals)
    return DIFFERENT if is_outside else INCONCLUSIVE


def _room(quantity: Quantity, bounds: tuple[float, float]) -> float:
    """Return how far the interval is inside the bounds; negative if it crosses one."""
    start, end = quantity.interval(DECIDES)
    return min(start - bounds[0], bounds[1] - end)
