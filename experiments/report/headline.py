"""Decide the main statements of the paper, from ``results/headline.yaml``.

A statement names its claims, with a few words for each, and the main one of them. Its texts have
names in braces, and under ``values`` a format and the row of a file for each name::

    statement: On XOR-100 ManiFeSt finds both features, and ReliefF fewer
    main: xor100.found.manifest
    claims: {xor100.found.manifest: both features, xor100.order: more than ReliefF}
    qualifier: with the scale known
    ours: "{found} of 2"
    values:
      found: {csv: results/xor100/summary.csv, where: {method: manifest}, show: "{correct:.2f}"}

A claim that is not in claims.csv has bounds for cells of a table instead of words: ``ends`` are the
columns of the ends of an interval, or twice the column of a number without one::

    claims: {ahead: {about: ahead, csv: ..., where: {...}, ends: [low, high], margin: {above: 0}}}
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from experiments.report.claims import bounds_of, outcome_of
from experiments.report.doc_tables import chosen
from experiments.report.labels import in_words
from experiments.report.text import texts

#: Verdict -> what a statement with a verdict "holds in part" says of claims with these outcomes.
REST = {
    "different": "not",
    "inconclusive": "open",
    "no data": "no data",
    "not tested": "not tested",
}


def verdict_of(outcomes: Mapping[str, str], main: str) -> str:
    """Return the verdict on a statement, the first that matches.

    - *does not hold*: the main claim is different;
    - *holds*: all claims are reproduced;
    - *holds in part*: some are;
    - *does not hold*: none is, and one is different;
    - *undecided*: one is inconclusive;
    - *not tested*: none of these.

    Parameters
    ----------
    outcomes : mapping of str to str
        Claim -> its outcome, as of :func:`experiments.report.claims.outcome_of`.
    main : str
        The main claim.
    """
    found = {*outcomes.values()}
    if outcomes[main] == "different":
        return "does not hold"
    if "reproduced" in found:
        return "holds" if len(found) == 1 else "holds in part"
    if "different" in found:
        return "does not hold"
    return "undecided" if "inconclusive" in found else "not tested"


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
        "shuffled" and "simplest" of its problem in labels.csv, if it names one.

    Raises
    ------
    KeyError
        If there is no such claim or column.
    ValueError
        If an entry does not keep exactly one row of a file.
    """
    outcomes = dict(zip(claims["claim"], claims["outcome"], strict=True))
    statements = []
    for entry in yaml.safe_load(listed.read_text(encoding="utf-8")):
        values = {}
        for name, value in entry.pop("values", {}).items():
            rows = chosen(root / value["csv"], value["where"])
            (values[name],) = texts(rows, {name: value["show"]})[name]
        of_claims, about, main = {}, {}, entry.pop("main")
        for name, claim in entry.pop("claims").items():
            has_bounds = isinstance(claim, dict)
            of_claims[name] = _outcome(claim, root) if has_bounds else outcomes[name]
            about[name] = claim["about"] if has_bounds else claim
        problem = entry.pop("problem", "")
        control = in_words(labels, problem) if problem else {"shuffled": "", "simplest": ""}
        outcome, qualifier = verdict_of(of_claims, main), entry.pop("qualifier", "")
        verdict = outcome
        if outcome.startswith("holds"):
            rest = _rest(of_claims, about) if outcome == "holds in part" else ""
            verdict = " ".join(filter(None, (outcome, qualifier, rest)))
        said = {key: str(text).format(**values) for key, text in entry.items()}
        statements.append({**said, **control, "outcome": outcome, "verdict": verdict})
    return pd.DataFrame(statements)


def _outcome(claim: dict[str, Any], root: Path) -> str:
    """The outcome of a claim with bounds for the cells of one row."""
    (row,) = chosen(root / claim["csv"], claim["where"]).to_dict("records")
    low, high = (float(row[column]) for column in claim["ends"])
    return outcome_of([lambda level: (low, high)], bounds_of(claim["margin"])[:2])


def _rest(outcomes: Mapping[str, str], about: Mapping[str, str]) -> str:
    """The claims that are not reproduced, by outcome."""
    parts = []
    for outcome, word in REST.items():
        names = dict.fromkeys(about[name] for name, of in outcomes.items() if of == outcome)
        parts += [f"{word}: {', '.join(names)}"] * bool(names)
    return f"({'; '.join(parts)})"
