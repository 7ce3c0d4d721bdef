"""Compare the paper's numbers and sentences with our results.

``results/paper.yaml`` lists the claims. Each claim names one of four readers
(:mod:`experiments.report.claims.readers`), which finds the quantities of the claim in a folder of
results. The 90 % interval of each quantity is compared with the bounds of the claim:

- *reproduced*: every interval is inside the bounds;
- *different*: one of them is outside, at the level ``1 - 0.1 / m`` for m quantities;
- *inconclusive*: neither; ↑ or ↓ if our number is above or below the published one;
- *not tested*: no reader can decide the sentence;
- *no data*: there are no results to compare with.

An outcome is "at the border" if an end of the interval that decides lies within a twentieth of a
bound from it: a little more data may change it.

For a number, the quantity is its difference to the published number, with the noise of both
studies, and the bounds are plus and minus the margin. "Inside" is the test of equivalence by two
one-sided tests at 5 % (D. J. Schuirmann 1987), and "outside" its opposite.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from experiments.code import ROOT
from experiments.evaluation.statistics import DECIDES, Interval, decided
from experiments.report.claims.folder import Folder
from experiments.report.claims.noise import SHOWN, Mean
from experiments.report.claims.readers import READERS
from experiments.report.stored import Missing

#: The claims.
PAPER = ROOT / "results" / "paper.yaml"
OUTCOMES = ("reproduced", "different", "inconclusive", "not tested", "no data")
#: The columns of claims.csv.
COLUMNS = [
    *("claim", "version", "figure", "folder", "says", "published", "ours", "ci_low", "ci_high"),
    *("margin", "diff_low", "diff_high", "outcome", "direction", "border", "method", "note"),
]
#: An end of an interval that is nearer to a bound than this share of the bound is at the border.
BORDER = 0.05
#: The bounds that a sentence may have in ``paper.yaml``, and their signs.
SIGNS = {"above": ">", "below": "<", "at_most": "≤"}


@dataclass(frozen=True)
class Claim:
    """One number or sentence of the paper, from an entry of ``paper.yaml``."""

    id: str
    #: The id of its entry, which may have a claim for each of several methods.
    entry: str
    figure: str
    folder: str
    says: str
    published: float | str
    #: A key of READERS; if empty, the claim is not tested, and `why` says why.
    reader: str = ""
    #: A number, or the bounds of a sentence.
    margin: Any = None
    version: int = 2022
    repetitions: int | None = None
    arguments: dict[str, Any] = field(default_factory=dict)
    #: Related published numbers by name, such as std.
    beside: dict[str, float] = field(default_factory=dict)
    note: str = ""
    why: str = ""


def claims_in(path: Path) -> Iterator[Claim]:
    """Yield the claims of ``paper.yaml``: an entry, or one for each of its methods.

    Raises
    ------
    TypeError
        If an entry lacks a key or has an unknown one.
    """
    for entry in yaml.safe_load(path.read_text(encoding="utf-8"))["claims"]:
        arguments = entry.pop("with", {})
        names_beside = entry.pop("also", ())
        methods = entry.pop("each", None)
        entry["entry"] = entry["id"]
        if methods is None:
            yield Claim(**entry, arguments=arguments)
            continue
        for method, values in methods.items():
            published, *beside = values if isinstance(values, list) else [values]
            of_method = {
                "id": f"{entry['id']}.{method}",
                "published": published,
                "arguments": {**arguments, "method": method},
                "beside": dict(zip(names_beside, beside, strict=False)),
            }
            yield Claim(**entry | of_method)


def compare(listed: Path, results: Path) -> pd.DataFrame:
    """Compare every claim of ``paper.yaml`` with the folders of experiments in a folder of results.

    Returns
    -------
    DataFrame
        One row for each claim, with :data:`COLUMNS`: our value with its 95 % interval (the one
        closest to a bound, if there are several), the 90 % interval that decides, the outcome and
        its direction, ↑ or ↓. Cells are empty if there is nothing to compare.
    """
    folder = cache(lambda name: Folder(results / name))
    rows = []
    for claim in claims_in(listed):
        row: dict[str, Any] = {"outcome": "not tested", "note": claim.why}
        try:
            if claim.reader:
                row = _compared(claim, folder(claim.folder))
        except Missing as missing:
            row = {"outcome": "no data", "note": str(missing)}
        _, _, margin = bounds_of(claim.margin)
        rows.append({**vars(claim), "claim": claim.id, **row, "margin": margin})
    return pd.DataFrame(rows, columns=COLUMNS)


def bounds_of(margin: Any) -> tuple[Any, Any, str]:
    """Return the bounds of a claim's quantities, from its margin, and their text for tables."""
    if isinstance(margin, dict):
        words = [f"{SIGNS[key]} {value:g}" for key, value in margin.items()]
        low = np.nextafter(margin.get("above", -np.inf), np.inf)
        below = np.nextafter(margin.get("below", np.inf), -np.inf)
        high = min(below, margin.get("at_most", np.inf))
        return low, high, ", ".join(words)
    if margin:
        return -margin, margin, f"±{margin:g}"
    return -np.inf, np.inf, ""


def _compared(claim: Claim, folder: Folder) -> dict[str, Any]:
    """Return the cells of a claim that has results."""
    arguments = dict(claim.arguments)
    if claim.reader == "number":
        arguments["repetitions"] = claim.repetitions
    ours = READERS[claim.reader](folder, **arguments)
    if not ours:
        raise Missing("none of these methods is among the results")
    intervals = [_interval(claim, mean) for mean in ours]
    low, high, _ = bounds_of(claim.margin)
    ends = np.array([interval(DECIDES) for interval in intervals])
    inside = np.minimum(ends[:, 0] - low, high - ends[:, 1])
    shown = inside.argmin()
    mean = ours[shown]
    ci_low, ci_high = mean.interval(SHOWN)
    diff_low, diff_high = ends[shown]
    outcome = outcome_of(intervals, (low, high))
    direction = ""
    if outcome == "inconclusive" and not isinstance(claim.published, str):
        direction = "↓" if diff_high < 0 else "↑" if diff_low > 0 else ""
    is_near = np.isclose([[diff_low], [diff_high]], [low, high], rtol=BORDER, atol=0).any()
    return {
        "ours": mean.value,
        "ci_low": ci_low,
        "ci_high": ci_high,
        "diff_low": diff_low,
        "diff_high": diff_high,
        "outcome": outcome,
        "direction": direction,
        "border": "at the border" if is_near else "",
        "method": mean.method,
        "note": _note(claim, mean, len(ours)),
    }


def _interval(claim: Claim, mean: Mean) -> Interval:
    """Return the interval of a quantity: of its difference to the published number, if any."""
    if isinstance(claim.published, str):
        return mean.interval
    return mean.minus(claim.published, claim.repetitions)


def _note(claim: Claim, mean: Mean, n_quantities: int) -> str:
    """Return the note of a claim, after what is shown and before related numbers."""
    shown = mean.name
    if n_quantities > 1:
        shown += f", of {n_quantities}"
    notes = [shown, claim.note]
    words = {"std": "standard deviation", "features": "number of features"}
    for name, published in claim.beside.items():
        notes.append(f"{words[name]} {published:g} there, {mean.beside[name]} here")
    return "; ".join(filter(None, notes))


def outcome_of(intervals: list[Interval], bounds: tuple[float, float]) -> str:
    """Return the outcome of the claim that quantities with these intervals are inside the bounds.

    The bounds belong to the inside. Those of a strict inequality are the floats next to its number,
    which matters for a value without noise.
    """
    outcome = decided(intervals, bounds, len(intervals))
    words = {"inside": "reproduced", "outside": "different", "open": "inconclusive"}
    return words[outcome]


def counts(claims: pd.DataFrame) -> str:
    """Return the number of claims with each outcome, in words."""
    numbers = claims["outcome"].value_counts()
    return ", ".join(f"{numbers[name]} {name}" for name in OUTCOMES if name in numbers)
