"""Decide the main statements of the paper, from ``results/headline.yaml``.

A statement names its claims, each with a few words, and the main one of them. Its texts have names
in braces, and under ``values`` a format and the row of a file for each name; ``{reproduced}`` is
the words of all claims that are reproduced, "barely" before one at the border of its margin::

    statement: On XOR-100 ManiFeSt finds both features, and ReliefF fewer
    main: xor100.found.manifest
    claims: {xor100.found.manifest: both features, xor100.order: more than ReliefF}
    qualifier: with the scale known
    ours: "{found} of 2"
    values:
      found: {csv: results/xor100/summary.csv, where: {method: manifest}, show: "{correct:.2f}"}

A claim that is not in claims.csv has bounds for an interval in a table, or for a number, which is
both of its ends: ``{about: words, csv: ..., where: ..., ends: [low, high], margin: {above: 0}}``.
"""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml

from experiments.report.claims import bounds_of, outcome_of
from experiments.report.labels import in_words
from experiments.report.stored import chosen
from experiments.report.text import texts

#: Outcome of a claim -> what a verdict "holds in part" says of it.
REST = {
    "different": "not",
    "inconclusive": "open",
    "no data": "no data",
    "not tested": "not tested",
}


class Outcome(NamedTuple):
    """The outcome of a claim, and what the claim is about in a few words."""

    outcome: str
    about: str


def verdict_of(outcomes: Mapping[str, str], main: str) -> str:
    """Return the verdict on a statement from the outcomes of its claims, by name.

    It is the first that matches: *does not hold* if the main claim is different; *holds* if all
    are reproduced; *holds in part* if some are; *does not hold* if one is different; *undecided* if
    one is inconclusive; *not tested*.
    """
    present = {*outcomes.values()}
    if outcomes[main] == "different":
        return "does not hold"
    if "reproduced" in present:
        return "holds" if len(present) == 1 else "holds in part"
    if "different" in present:
        return "does not hold"
    return "undecided" if "inconclusive" in present else "not tested"


def headline(listed: Path, claims: pd.DataFrame, labels: pd.DataFrame, root: Path) -> pd.DataFrame:
    """Return the statements of ``headline.yaml`` with our numbers, in the order of the file.

    Parameters
    ----------
    listed : Path
        ``headline.yaml``.
    claims : DataFrame
        As of :func:`experiments.report.claims.compare`.
    labels : DataFrame
        As of :func:`experiments.report.labels.labels`.
    root : Path
        The folder that the paths of its files begin at.

    Returns
    -------
    DataFrame
        One row for each statement: the texts of its entry; "outcome", the verdict in a word;
        "verdict", which also has the qualifier and names the claims that are not reproduced; and
        "shuffled" and "simplest", of its problem in labels.csv if it names one.

    Raises
    ------
    KeyError
        If there is no such claim or column.
    ValueError
        If an entry does not keep exactly one row of a file.
    """
    outcome_of_claim = dict(zip(claims["claim"], claims["outcome"], strict=True))
    is_at_border = claims.isin(["at the border"]).any(axis=1)
    barely = set(claims.loc[is_at_border, "claim"])
    statements = []
    for entry in yaml.safe_load(listed.read_text(encoding="utf-8")):
        values = {}
        for name, value in entry.pop("values", {}).items():
            rows = chosen(root / value["csv"], value["where"])
            (values[name],) = texts(rows, {name: value["show"]})[name]
        outcomes = {}
        for name, claim in entry.pop("claims").items():
            if isinstance(claim, str):
                outcomes[name] = Outcome(outcome_of_claim[name], claim)
            else:
                outcomes[name] = _with_bounds(claim, root)
        values["reproduced"] = _about(outcomes, "reproduced", barely)
        problem = entry.pop("problem", "")
        control = {"shuffled": "", "simplest": ""}
        if problem:
            control = in_words(labels, problem)
        main = entry.pop("main")
        verdict = verdict_of({name: claim.outcome for name, claim in outcomes.items()}, main)
        in_full = _in_full(verdict, entry.pop("qualifier", ""), outcomes)
        statement = {key: str(text).format(**values) for key, text in entry.items()}
        statements.append({**control, **statement, "outcome": verdict, "verdict": in_full})
    return pd.DataFrame(statements)


def _about(outcomes: Mapping[str, Outcome], outcome: str, barely: Collection[str] = ()) -> str:
    """Return what the claims with an outcome are about, "barely" before those at the border."""
    words = []
    for name, claim in outcomes.items():
        if claim.outcome == outcome:
            words.append(f"barely {claim.about}" if name in barely else claim.about)
    return ", ".join(dict.fromkeys(words))


def _in_full(verdict: str, qualifier: str, outcomes: Mapping[str, Outcome]) -> str:
    """Return a verdict with its qualifier, and with the claims that are not reproduced."""
    if verdict not in ("holds", "holds in part"):
        return verdict
    words = [verdict, qualifier]
    if verdict == "holds in part":
        others = []
        for outcome, word in REST.items():
            about = _about(outcomes, outcome)
            if about:
                others.append(f"{word}: {about}")
        words.append(f"({'; '.join(others)})")
    return " ".join(filter(None, words))


def _with_bounds(claim: dict[str, Any], root: Path) -> Outcome:
    """The outcome of a claim on a table."""
    (row,) = chosen(root / claim["csv"], claim["where"]).to_dict("records")
    low, high = (float(row[end]) for end in claim["ends"])
    lower, upper, _ = bounds_of(claim["margin"])
    outcome = outcome_of([lambda level: (low, high)], (lower, upper))
    return Outcome(outcome, claim["about"])
