"""The outcome of a claim, by a margin and a 90 % interval.

The 90 % interval of the difference between our number and the published one decides, by a margin
that belongs to the kind of number, see :data:`MARGINS`. An interval inside the margin is
*reproduced*, one outside is *different*. An interval that reaches over an end of the margin is
*lower* or *higher, size unclear* if it does not contain 0, and *inconclusive* if it does. The first
two are the test of equivalence by two one-sided tests at 5 % (Schuirmann 1987) and its opposite.

A sentence of the paper is read as a sentence: "above all others" is reproduced if the interval of
each difference lies above 0, different if one of them lies at or below 0, else inconclusive.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from experiments.evaluation.statistics import difference_interval
from experiments.report.claims.noise import MeanNoise, Noise

REPRODUCED, DIFFERENT, INCONCLUSIVE = "reproduced", "different", "inconclusive"
LOWER, HIGHER = "lower, size unclear", "higher, size unclear"
NOT_TESTED = "not tested"
#: The outcomes that are counted, each with its meaning for a number.
OUTCOMES = {
    REPRODUCED: "the 90 % interval of the difference lies inside the margin",
    DIFFERENT: "it lies outside the margin",
    LOWER: "it lies below 0 and reaches over the end of the margin",
    HIGHER: "it lies above 0 and reaches over the end of the margin",
    INCONCLUSIVE: "it contains 0 and reaches over an end of the margin; if a sentence has a bound "
    "as its margin, it contains the bound",
    NOT_TESTED: "there is nothing to compare, as the note says",
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
#: The margin of an accuracy.
POINTS = 2


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
    outcome: str = NOT_TESTED
    #: What the value is and, for a sentence, the rule.
    note: str = ""
    #: True if no run can reproduce it: the published number's own noise is wider than the margin.
    is_undecidable: bool = False
    #: True if more repetitions of ours would leave the outcome open.
    is_lasting: bool = False


class Rule(NamedTuple):
    """The outcome of an interval, and what the interval is compared with, as tables show it."""

    margin: str
    outcome: Callable[[float, float], str]


def within(size: float, unit: str = "") -> Rule:
    """The rule of a number, whose difference is compared; the ends of the margin lie inside."""

    def outcome(low, high):
        if -size <= low and high <= size:
            return REPRODUCED
        if high < -size or low > size:
            return DIFFERENT
        if high < 0:
            return LOWER
        return HIGHER if low > 0 else INCONCLUSIVE

    return Rule(f"±{size:g} {unit}".strip(), outcome)


def above(reference: float = 0) -> Rule:
    """The rule of the sentence that a quantity is larger than the reference."""

    def outcome(low, high):
        if low > reference:
            return REPRODUCED
        return DIFFERENT if high <= reference else INCONCLUSIVE

    return Rule(f"> {reference:g}", outcome)


def below(reference: float = 0) -> Rule:
    """The rule of the sentence that a quantity is smaller than the reference."""
    mirrored = above(-reference).outcome
    return Rule(f"< {reference:g}", lambda low, high: mirrored(-high, -low))


def at_most(reference: float = 0) -> Rule:
    """The rule of the sentence that an accuracy is at most the reference.

    It is reproduced if the accuracy is less than the margin above the reference, since no run shows
    that two are equal, and different if it is above the reference without being that near.
    """

    def outcome(low, high):
        if high <= reference + POINTS:
            return REPRODUCED
        return DIFFERENT if low > reference else INCONCLUSIVE

    return Rule(f"≤ {reference:g}, within {POINTS:g} points", outcome)


#: Kind of number -> its rule. The margins have never changed: results/HISTORY.md.
MARGINS = {"accuracy": within(POINTS, "points"), "count": within(0.5)}
#: The rules of sentences, as ``paper.yaml`` names them.
RULES = {"above": above, "below": below, "at_most": at_most}
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
    #: The names of what it is a quantity of, such as two methods.
    first: str = ""
    second: str = ""

    def at_best(self, level: float) -> tuple[float, float]:
        """The interval that any number of repetitions would leave."""
        return self.floor(level) if self.floor else (self.value, self.value)


def exactly(value: float, first: str = "") -> Quantity:
    """A value without noise."""
    value = float(value)
    return Quantity(value, lambda level: (value, value), first=first)


def mean_of_draws(values, low: float, high: float, *names: str) -> Quantity:
    """The mean of independent draws, each of them from low to high."""
    need_several(len(values))
    value, noise = float(values.mean()), MeanNoise.of_draws(values, low, high)
    interval = partial(noise.interval, value, noise.n)
    return Quantity(value, interval, None, *names)


def number(value: float, published: Published, kind: str, noise: Noise, note: str) -> Estimate:
    """Compare a number with the published one, both with the noise of their own study.

    The kind is a key of :data:`MARGINS`. The noise also says what the published number's noise is,
    for its own number of repetitions.
    """
    theirs, rule = float(published.value), MARGINS[kind]
    repetitions = published.repetitions or noise.n
    at_best = noise.known_from(UNLIMITED)

    def difference(value, own, noise):
        """The interval of a value minus the published number, from the interval of the value."""
        other = noise.interval(theirs, repetitions, DECIDES)
        return difference_interval(value, own, theirs, other)

    decides = difference(value, noise.interval(value, noise.n, DECIDES), noise)
    later = difference(value, at_best.interval(value, UNLIMITED, DECIDES), at_best)
    # What any number of our repetitions would leave if our value were theirs.
    least, most = difference(theirs, (theirs, theirs), at_best)
    is_undecidable = rule.outcome(least, most) != REPRODUCED
    if is_undecidable:
        span = f"differences of {least:.3g} to {most:.3g}"
        note += f"; the published number's own noise leaves {span}, so no run can reproduce it"
    outcomes = rule.outcome(*decides), rule.outcome(*later)
    ends = (value, *noise.interval(value, noise.n, SHOWN), rule.margin, *decides)
    return _estimate(ends, noise.word, outcomes, note, is_undecidable)


def listed(value: float, interval: tuple[float, float], noise: str, note: str) -> Estimate:
    """A number with its 95 % interval, beside the published one and without an outcome."""
    return Estimate(value, *interval, noise=noise, outcome=LISTED, note=note)


def sentence(parts: Sequence[Quantity], rule: Rule, noise: str, note: str, **words) -> Estimate:
    """A sentence that each of several quantities obeys the rule.

    It is reproduced if all intervals do, and different if one contradicts the rule. Any of them can
    do so by chance, so these intervals have the level ``1 - 0.1 / m`` for m quantities. The
    estimate is of the quantity whose interval begins lowest. The note may have its names, the words
    and, in braces, ``ahead``: the second name if that one is ahead as a bare number, and ``rule``.
    """
    if not parts:
        raise Missing("no other method is among the results stored there")
    one = min(parts, key=lambda part: (part.interval(DECIDES)[0], part.value))
    words |= {"first": one.first, "second": one.second}
    words["ahead"] = f"; as a bare number, {one.second} is ahead" if one.value <= 0 else ""
    lies = rule.margin.replace(">", "above")
    words["rule"] = f"rule: this and all others of {len(parts)} lie {lies}"
    now, at_best = [part.interval for part in parts], [part.at_best for part in parts]
    outcomes = _of_all(now, rule), _of_all(at_best, rule)
    ends = (one.value, *one.interval(SHOWN), rule.margin, *one.interval(DECIDES))
    return _estimate(ends, noise, outcomes, note.format(**words))


def _of_all(intervals: Sequence[Interval], rule: Rule) -> str:
    """The outcome of the sentence that each of several quantities obeys the rule."""
    if all(rule.outcome(*interval(DECIDES)) == REPRODUCED for interval in intervals):
        return REPRODUCED
    corrected = 1 - (1 - DECIDES) / len(intervals)
    differs = any(rule.outcome(*interval(corrected)) == DIFFERENT for interval in intervals)
    return DIFFERENT if differs else INCONCLUSIVE


def _estimate(
    ends: tuple[float, float, float, str, float, float], noise, outcomes, note, is_undecidable=False
) -> Estimate:
    """The estimate; the second outcome is what any number of our repetitions would leave."""
    is_lasting = not is_undecidable and all(outcome in OPEN for outcome in outcomes)
    note = f"{note}; {LASTING}" if is_lasting else note
    return Estimate(*ends, noise, outcomes[0], note, is_undecidable, is_lasting)
