"""The verdict on a claim: agrees, differs, or too wide to say, by a margin and a 90 % interval.

A number of the paper is compared with ours within a margin that belongs to the kind of number, see
:data:`MARGINS`. It agrees if the 90 % interval of the difference lies inside the margin, and
differs if the interval lies outside. Everything else is too wide to say. This is the test of
equivalence by two one-sided tests at 5 % (Schuirmann 1987), together with its opposite.

A sentence of the paper is read as a sentence: "above all others" agrees if the interval of each
difference lies above 0, and differs if one of them lies at or below 0.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from experiments.evaluation.statistics import difference_interval
from experiments.report.claims.noise import MeanNoise, Noise

AGREES, DIFFERS, WIDE = "agrees", "differs", "too wide to say"
NOT_RUN, CANNOT = "not run", "cannot be run here"
VERDICTS = (AGREES, DIFFERS, WIDE, NOT_RUN, CANNOT)
#: The end of a note if more repetitions of ours would leave the verdict too wide to say.
LASTING = "at this value no number of our repetitions decides"
#: A number of repetitions that leaves no noise of their own.
MANY = 10**6
#: The level of the intervals that are shown beside our values, and of those that decide.
SHOWN, DECIDES = 0.95, 0.9


class Margin(NamedTuple):
    """The largest distance from a published number: a difference, or a factor."""

    size: float
    unit: str = ""
    is_factor: bool = False

    def __str__(self) -> str:
        return f"factor {self.size:g}" if self.is_factor else f"±{self.size:g} {self.unit}".strip()


#: Kind of number -> its margin. They were fixed before any verdict was looked at.
MARGINS = {
    "accuracy": Margin(2, "points"),
    "deviation": Margin(1.5, is_factor=True),
    "number of features": Margin(2, is_factor=True),
    "count": Margin(0.5),
}


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


def need_several(n: int) -> None:
    """Raise Missing unless there are two repetitions or more."""
    if n < 2:
        raise Missing(f"{n} repetition gives no interval")


class Published(NamedTuple):
    """A number of the paper, and its number of repetitions; None if the paper does not tell."""

    value: float
    repetitions: int | None = None


@dataclass(frozen=True)
class Estimate:
    """Our counterpart of a claim, with the verdict; without a counterpart, the reason.

    Attributes
    ----------
    ours, ci_low, ci_high : float
        Our value and its 95 % interval.
    margin : str
        What it is compared with.
    diff_low, diff_high : float
        The 90 % interval that decides: of ours minus the published number, of their ratio if the
        margin is a factor, and of the quantity that a sentence speaks of.
    noise : str
        What varies from one study to another, in a word.
    verdict : str
        One of :data:`VERDICTS`.
    note : str
        What the value is and, for a sentence, the rule.
    is_undecidable : bool
        True if no run can agree: the published number's own noise is wider than the margin.
    is_lasting : bool
        True if more repetitions of ours would leave the verdict too wide to say.
    """

    ours: float = np.nan
    ci_low: float = np.nan
    ci_high: float = np.nan
    margin: str = ""
    diff_low: float = np.nan
    diff_high: float = np.nan
    noise: str = ""
    verdict: str = NOT_RUN
    note: str = ""
    is_undecidable: bool = False
    is_lasting: bool = False


#: Level -> the interval at that level.
Interval = Callable[[float], tuple[float, float]]


@dataclass(frozen=True)
class Quantity:
    """A value that a sentence speaks of, and its interval at any level.

    Attributes
    ----------
    value : float
    interval : callable
    floor : callable, optional
        The interval that any number of repetitions would leave around the same value, by default
        the value alone.
    """

    value: float
    interval: Interval
    floor: Interval | None = None

    def at_best(self, level: float) -> tuple[float, float]:
        """The interval that any number of repetitions would leave."""
        return self.floor(level) if self.floor else (self.value, self.value)


def mean_of_draws(values, low: float, high: float) -> Quantity:
    """The mean of independent draws, each of them from low to high."""
    need_several(len(values))
    value, noise = float(values.mean()), MeanNoise.of_draws(values, low, high)
    return Quantity(value, lambda level: noise.interval(value, noise.n, level))


def number(value: float, published: Published, kind: str, noise: Noise, note: str) -> Estimate:
    """Compare a number with the published one, both with the noise of their own study.

    Parameters
    ----------
    value : float
    published : Published
    kind : str
        A key of :data:`MARGINS`.
    noise : Noise
        It also says what the published number's noise is, for its own number of repetitions.
    note : str
    """
    margin, theirs = MARGINS[kind], float(published.value)
    repetitions = published.repetitions or noise.n
    if margin.is_factor and min(value, theirs) <= 0:
        raise Missing(f"{value:g} and {theirs:g} have no ratio")

    def difference(noise: Noise, n: int) -> tuple[float, float]:
        """The interval that decides, by a noise that is known from n repetitions of ours."""
        own = noise.interval(value, n, DECIDES)
        return _between(value, own, theirs, noise.interval(theirs, repetitions, DECIDES), margin)

    # What any number of our repetitions would leave, around this value and if ours is theirs.
    noise_at_best = noise.known_from(MANY)
    other = noise_at_best.interval(theirs, repetitions, DECIDES)
    least, most = _between(theirs, (theirs, theirs), theirs, other, margin)
    is_undecidable = within(least, most, margin) != AGREES
    if is_undecidable:
        ends = f"{'ratios' if margin.is_factor else 'differences'} of {least:.3g} to {most:.3g}"
        note += f"; the published number's own noise leaves {ends}, so no run can agree"
    decides = difference(noise, noise.n)
    verdicts = within(*decides, margin), within(*difference(noise_at_best, MANY), margin)
    shown = noise.interval(value, noise.n, SHOWN)
    return _estimate(value, shown, decides, str(margin), verdicts, noise.word, note, is_undecidable)


def _estimate(
    value, shown, decides, margin, verdicts, noise, note, is_undecidable=False
) -> Estimate:
    """The estimate; the second verdict is what any number of our repetitions would leave."""
    is_lasting = not is_undecidable and verdicts[0] == verdicts[1] == WIDE
    note = f"{note}; {LASTING}" if is_lasting else note
    (ci_low, ci_high), (diff_low, diff_high) = shown, decides
    ends = (value, ci_low, ci_high, margin, diff_low, diff_high)
    return Estimate(*ends, noise, verdicts[0], note, is_undecidable, is_lasting)


def _between(value, own, theirs, other, margin) -> tuple[float, float]:
    """The interval of the difference, or of the ratio, by logarithms."""
    if not margin.is_factor:
        return difference_interval(value, own, theirs, other)
    low, high = difference_interval(np.log(value), np.log(own), np.log(theirs), np.log(other))
    return float(np.exp(low)), float(np.exp(high))


def within(low: float, high: float, margin: Margin) -> str:
    """The verdict on a difference, or on a ratio if the margin is a factor."""
    size = margin.size
    allowed = (1 / size, size) if margin.is_factor else (-size, size)
    if allowed[0] <= low and high <= allowed[1]:
        return AGREES
    return DIFFERS if high < allowed[0] or low > allowed[1] else WIDE


def above(low: float, high: float, reference: float) -> str:
    """The verdict on the sentence that a quantity is larger than the reference."""
    if low > reference:
        return AGREES
    return DIFFERS if high <= reference else WIDE


def at_most(low: float, high: float, tolerance: float) -> str:
    """The verdict on the sentence that a difference is at most 0.

    It agrees if the difference is at most the tolerance, since no run shows that it is 0, and
    differs if the difference is above 0 without being that small.
    """
    if high <= tolerance:
        return AGREES
    return DIFFERS if low > 0 else WIDE


def sentence(
    quantity: Quantity, noise: str, note: str, reference: float = 0, *, below=False
) -> Estimate:
    """A sentence that a quantity lies above the reference, or below it."""

    def judge(low, high):
        return above(-high, -low, -reference) if below else above(low, high, reference)

    return _on(quantity, judge, f"{'<' if below else '>'} {reference:g}", noise, note)


def not_more(quantity: Quantity, noise: str, note: str, kind: str = "accuracy") -> Estimate:
    """A sentence that a quantity is at most 0, with the margin of its kind as tolerance."""
    margin = MARGINS[kind]
    text = f"≤ 0, within {margin.size:g} {margin.unit}".strip()
    return _on(quantity, lambda low, high: at_most(low, high, margin.size), text, noise, note)


def _on(quantity, judge, margin, noise, note) -> Estimate:
    """The estimate of one quantity; `judge` turns an interval into a verdict."""
    decides = quantity.interval(DECIDES)
    verdicts = judge(*decides), judge(*quantity.at_best(DECIDES))
    shown = quantity.interval(SHOWN)
    return _estimate(quantity.value, shown, decides, margin, verdicts, noise, note)


def every(
    parts: Mapping[str, Quantity],
    noise: str,
    note: str,
    reference: float = 0,
    *,
    is_race: bool = False,
) -> Estimate:
    """A sentence that each of several quantities lies above the reference.

    It agrees if all intervals lie above it. It differs if one lies at or below it; since any of
    them can do so by chance, these intervals have the level ``1 - 0.1 / m`` for m quantities.

    Parameters
    ----------
    parts : mapping of str to Quantity
    noise : str
    note : str
        The comparison; the name of the quantity whose interval begins lowest replaces the braces.
    reference : float
    is_race : bool
        Say so if the other one is ahead as a bare number.
    """
    if not parts:
        raise Missing("no other method is among the results stored there")
    closest = min(parts, key=lambda name: (parts[name].interval(DECIDES)[0], parts[name].value))
    one = parts[closest]
    ahead = f"; as a bare number, {closest} is ahead" if is_race and one.value <= 0 else ""
    rule = f"rule: this and all others of {len(parts)} lie above {reference:g}"
    text = f"{note.format(closest)}{ahead}; {rule}"
    verdicts = (
        _all_above([part.interval for part in parts.values()], reference),
        _all_above([part.at_best for part in parts.values()], reference),
    )
    shown, decides = one.interval(SHOWN), one.interval(DECIDES)
    return _estimate(one.value, shown, decides, f"> {reference:g}", verdicts, noise, text)


def _all_above(intervals: Sequence[Interval], reference: float) -> str:
    """The verdict on the sentence that each of several quantities lies above the reference."""
    if all(above(*interval(DECIDES), reference) == AGREES for interval in intervals):
        return AGREES
    corrected = 1 - (1 - DECIDES) / len(intervals)
    differs = any(above(*interval(corrected), reference) == DIFFERS for interval in intervals)
    return DIFFERS if differs else WIDE
