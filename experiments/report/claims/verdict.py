"""What stands beside a published number: our value with its interval, or why there is none."""

from dataclasses import dataclass
from typing import Any

import numpy as np

AGREES, DIFFERS, NOT_RUN, CANNOT = "agrees", "differs", "not run", "cannot be run here"
VERDICTS = (AGREES, DIFFERS, NOT_RUN, CANNOT)


class Missing(Exception):
    """There is nothing to compare with a claim.

    Parameters
    ----------
    note : str
        The reason.
    verdict : str
        NOT_RUN or CANNOT.
    """

    def __init__(self, note: str, verdict: str = NOT_RUN):
        super().__init__(note)
        self.note = note
        self.verdict = verdict


@dataclass(frozen=True)
class Estimate:
    """Our counterpart of a claim: a value, its 95 % interval, and the answer to a statement.

    Attributes
    ----------
    value, low, high : float
        The value and the ends of its interval.
    note : str
        What the value is or, for a statement, the rule that decides it.
    holds : bool, optional
        Whether the statement holds by that rule; None where a number was published.
    """

    value: float
    low: float
    high: float
    note: str = ""
    holds: bool | None = None

    def verdict(self, published: Any) -> str:
        """AGREES if the published number lies in the interval, or if the statement holds."""
        holds = self.low <= published <= self.high if self.holds is None else self.holds
        return AGREES if holds else DIFFERS


def above(differences, interval, rule: str) -> Estimate:
    """The answer to a statement that holds if the interval of a mean difference lies above 0.

    Parameters
    ----------
    differences : array of shape (n,)
    interval : callable
        Takes the differences and returns (low, high).
    rule : str
        What the difference is.
    """
    low, high = interval(differences)
    return Estimate(
        float(np.mean(differences)), low, high, f"{rule}{undecided(low, high)}", low > 0
    )


def undecided(low: float, high: float, reference: float = 0) -> str:
    """What a note adds where an interval contains the value that a rule asks to exceed."""
    if not low <= reference <= high:
        return ""
    return f"; the interval contains {reference:g}: these repetitions decide neither way"
