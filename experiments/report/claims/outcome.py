"""The outcome of a claim, by a margin and a 90 % interval.

The 90 % interval of the difference between our number and the published one decides, by a margin
that belongs to the kind of number, see :data:`MARGINS`. An interval inside the margin is
*reproduced*, one outside is *different*. An interval that reaches over an end of the margin is
*lower* or *higher, size unclear* if it does not contain 0, and *inconclusive* if it does. The first
two are the test of equivalence by two one-sided tests at 5 % (Schuirmann 1987) and its opposite.

A sentence of the paper is read as a sentence: "above all others" is reproduced if the interval of
each difference lies above 0, different if one of them lies at or below 0, else inconclusive.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from experiments.evaluation.statistics import difference_interval
from experiments.report.claims.noise import MeanNoise, Noise

REPRODUCED, DIFFERENT, INCONCLUSIVE = "reproduced", "different", "inconclusive"
LOWER, HIGHER = "lower, size unclear", "higher, size unclear"
NOT_AVAILABLE = "not available"
#: The outcomes that are counted, each with its meaning for a number.
OUTCOMES = {
    REPRODUCED: "the 90 % interval of the difference lies inside the margin",
    DIFFERENT: "it lies outside the margin",
    LOWER: "it lies below 0 and reaches over the end of the margin",
    HIGHER: "it lies above 0 and reaches over the end of the margin",
    INCONCLUSIVE: "it contains 0 and reaches over an end of the margin; if a sentence has a bound "
    "as its margin, it contains the bound",
    NOT_AVAILABLE: "there is nothing to compare, as the note says",
}
#: The outcomes that more repetitions may decide.
OPEN = (LOWER, HIGHER, INCONCLUSIVE)
#: The word for a number that is shown beside the published one without an outcome.
LISTED = "listed"
#: The end of a note if more repetitions of ours would leave the outcome open.
LASTING = "at this value no number of our repetitions decides"
#: A number of repetitions that leaves no noise of their own.
UNLIMITED = 10**6
#: The level of the intervals that are shown beside our values, and of those that decide.
SHOWN, DECIDES = 0.95, 0.9


class Margin(NamedTuple):
    """The largest distance from a published number."""

    size: float
    unit: str = ""

    def __str__(self) -> str:
        return f"±{self.size:g} {self.unit}".strip()


#: Kind of number -> its margin. They have been the same since they were set: docs/history.md.
MARGINS = {"accuracy": Margin(2, "points"), "count": Margin(0.5)}


class Missing(Exception):
    """There is nothing to compare with a claim, for the reason that the message gives."""


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
    """Our counterpart of a claim, with the outcome; without a counterpart, the reason."""

    #: Our value and its 95 % interval.
    ours: float = np.nan
    ci_low: float = np.nan
    ci_high: float = np.nan
    #: What it is compared with.
    margin: str = ""
    #: The 90 % interval that decides: of ours minus the published number, and of the quantity that
    #: a sentence speaks of.
    diff_low: float = np.nan
    diff_high: float = np.nan
    #: What varies from one study to another, in a word.
    noise: str = ""
    #: One of :data:`OUTCOMES`, or LISTED.
    outcome: str = NOT_AVAILABLE
    #: What the value is and, for a sentence, the rule.
    note: str = ""
    #: True if no run can reproduce it: the published number's own noise is wider than the margin.
    is_undecidable: bool = False
    #: True if more repetitions of ours would leave the outcome open.
    is_lasting: bool = False


#: Level -> the interval at that level.
Interval = Callable[[float], tuple[float, float]]


@dataclass(frozen=True)
class Quantity:
    """A value that a sentence speaks of, and its interval at any level."""

    value: float
    interval: Interval
    #: The interval that any number of repetitions would leave around the same value, by default the
    #: value alone.
    floor: Interval | None = None

    def at_best(self, level: float) -> tuple[float, float]:
        """The interval that any number of repetitions would leave."""
        return self.floor(level) if self.floor else (self.value, self.value)


def exactly(value: float) -> Quantity:
    """A value without noise."""
    value = float(value)
    return Quantity(value, lambda level: (value, value))


def mean_of_draws(values, low: float, high: float) -> Quantity:
    """The mean of independent draws, each of them from low to high."""
    need_several(len(values))
    value, noise = float(values.mean()), MeanNoise.of_draws(values, low, high)
    return Quantity(value, lambda level: noise.interval(value, noise.n, level))


def number(value: float, published: Published, kind: str, noise: Noise, note: str) -> Estimate:
    """Compare a number with the published one, both with the noise of their own study.

    The kind is a key of :data:`MARGINS`. The noise also says what the published number's noise is,
    for its own number of repetitions.
    """
    margin, theirs = MARGINS[kind], float(published.value)
    repetitions = published.repetitions or noise.n

    def difference(noise: Noise, n: int) -> tuple[float, float]:
        """The interval that decides, by a noise that is known from n repetitions of ours."""
        own = noise.interval(value, n, DECIDES)
        other = noise.interval(theirs, repetitions, DECIDES)
        return difference_interval(value, own, theirs, other)

    # What any number of our repetitions would leave, around this value and if ours is theirs.
    at_best = noise.known_from(UNLIMITED)
    other = at_best.interval(theirs, repetitions, DECIDES)
    least, most = difference_interval(theirs, (theirs, theirs), theirs, other)
    is_undecidable = within(least, most, margin) != REPRODUCED
    if is_undecidable:
        ends = f"differences of {least:.3g} to {most:.3g}"
        note += f"; the published number's own noise leaves {ends}, so no run can reproduce it"
    decides = difference(noise, noise.n)
    outcomes = within(*decides, margin), within(*difference(at_best, UNLIMITED), margin)
    shown = noise.interval(value, noise.n, SHOWN)
    return _estimate(value, shown, decides, str(margin), outcomes, noise.word, note, is_undecidable)


def listed(value: float, interval: tuple[float, float], noise: str, note: str) -> Estimate:
    """A number with its 95 % interval, beside the published one and without an outcome."""
    return Estimate(value, *interval, noise=noise, outcome=LISTED, note=note)


def _estimate(
    value, shown, decides, margin, outcomes, noise, note, is_undecidable=False
) -> Estimate:
    """The estimate; the second outcome is what any number of our repetitions would leave."""
    is_lasting = not is_undecidable and all(outcome in OPEN for outcome in outcomes)
    note = f"{note}; {LASTING}" if is_lasting else note
    (ci_low, ci_high), (diff_low, diff_high) = shown, decides
    ends = (value, ci_low, ci_high, margin, diff_low, diff_high)
    return Estimate(*ends, noise, outcomes[0], note, is_undecidable, is_lasting)


def within(low: float, high: float, margin: Margin) -> str:
    """The outcome of a difference with that interval; the ends of the margin lie inside."""
    size = margin.size
    if -size <= low and high <= size:
        return REPRODUCED
    if high < -size or low > size:
        return DIFFERENT
    if high < 0:
        return LOWER
    return HIGHER if low > 0 else INCONCLUSIVE


def above(low: float, high: float, reference: float) -> str:
    """The outcome on the sentence that a quantity is larger than the reference."""
    if low > reference:
        return REPRODUCED
    return DIFFERENT if high <= reference else INCONCLUSIVE


def at_most(low: float, high: float, tolerance: float) -> str:
    """The outcome on the sentence that a difference is at most 0.

    It is reproduced if the difference is at most the tolerance, since no run shows that it is 0,
    and different if the difference is above 0 without being that small.
    """
    if high <= tolerance:
        return REPRODUCED
    return DIFFERENT if low > 0 else INCONCLUSIVE


def sentence(
    quantity: Quantity, noise: str, note: str, reference: float = 0, *, below=False
) -> Estimate:
    """A sentence that a quantity lies above the reference, or below it."""

    def judge(low, high):
        return above(-high, -low, -reference) if below else above(low, high, reference)

    return _on(quantity, judge, f"{'<' if below else '>'} {reference:g}", noise, note)


def not_more(quantity: Quantity, noise: str, note: str) -> Estimate:
    """A sentence that a quantity is at most 0, with the margin of an accuracy as tolerance."""
    margin = MARGINS["accuracy"]
    text = f"≤ 0, within {margin.size:g} {margin.unit}".strip()
    return _on(quantity, lambda low, high: at_most(low, high, margin.size), text, noise, note)


def _on(quantity, judge, margin, noise, note) -> Estimate:
    """The estimate of one quantity; `judge` turns an interval into an outcome."""
    decides = quantity.interval(DECIDES)
    outcomes = judge(*decides), judge(*quantity.at_best(DECIDES))
    shown = quantity.interval(SHOWN)
    return _estimate(quantity.value, shown, decides, margin, outcomes, noise, note)


def every(
    parts: Mapping[str, Quantity],
    noise: str,
    note: str,
    reference: float = 0,
    *,
    is_race: bool = False,
) -> Estimate:
    """A sentence that each of several quantities lies above the reference.

    It is reproduced if all intervals lie above it, and different if one lies at or below it. Any of
    them can do so by chance, so these intervals have the level ``1 - 0.1 / m`` for m quantities.
    The name of the quantity whose interval begins lowest replaces the braces in the note. That of a
    race says so if the other one is ahead as a bare number.
    """
    if not parts:
        raise Missing("no other method is among the results stored there")
    closest = min(parts, key=lambda name: (parts[name].interval(DECIDES)[0], parts[name].value))
    one = parts[closest]
    ahead = f"; as a bare number, {closest} is ahead" if is_race and one.value <= 0 else ""
    rule = f"rule: this and all others of {len(parts)} lie above {reference:g}"
    text = f"{note.format(closest)}{ahead}; {rule}"
    now, at_best = zip(*((part.interval, part.at_best) for part in parts.values()), strict=True)
    outcomes = _all_above(now, reference), _all_above(at_best, reference)
    shown, decides = one.interval(SHOWN), one.interval(DECIDES)
    return _estimate(one.value, shown, decides, f"> {reference:g}", outcomes, noise, text)


def _all_above(intervals: Sequence[Interval], reference: float) -> str:
    """The outcome on the sentence that each of several quantities lies above the reference."""
    if all(above(*interval(DECIDES), reference) == REPRODUCED for interval in intervals):
        return REPRODUCED
    corrected = 1 - (1 - DECIDES) / len(intervals)
    differs = any(above(*interval(corrected), reference) == DIFFERENT for interval in intervals)
    return DIFFERENT if differs else INCONCLUSIVE
