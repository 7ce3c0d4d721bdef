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

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from experiments.report.claims import bounds_of, outcome_of
from experiments.report.doc_tables import chosen
from experiments.report.labels import in_words
from experiments.report.text import texts

#: Outcome of a claim -> what a verdict "holds in part" says of it.
REST = {"different": "not", "inconclusive": "open", **{n: n for n in ("no data", "not tested")}}


def verdict_of(outcomes: Mapping[str, str], main: str) -> str:
    """Return the verdict on a statement from the outcomes of its claims, by name.

    It is the first that matches: *does not hold* if the main claim is different; *holds* if all
    are reproduced; *holds in part* if some are; *does not hold* if one is different; *undecided* if
    one is inconclusive; *not tested*.
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
    known, statements = dict(zip(claims["claim"], claims["outcome"], strict=True)), []
    barely = {*claims.loc[claims.isin(["at the border"]).any(axis=1), "claim"]}
    for entry in yaml.safe_load(listed.read_text(encoding="utf-8")):
        values, outcomes, rest = {}, {}, {word: list[str]() for word in REST.values()}
        reproduced: list[str] = []
        for name, value in entry.pop("values", {}).items():
            rows = chosen(root / value["csv"], value["where"])
            (values[name],) = texts(rows, {name: value["show"]})[name]
        for name, claim in entry.pop("claims").items():
            is_listed = isinstance(claim, str)
            about, outcome = (claim, known[name]) if is_listed else _with_bounds(claim, root)
            outcomes[name] = outcome
            if outcome == "reproduced":
                reproduced.append(f"barely {about}" if name in barely else about)
            else:
                rest[REST[outcome]].append(about)
        problem = entry.pop("problem", "")
        control = in_words(labels, problem) if problem else {"shuffled": "", "simplest": ""}
        words = [verdict := verdict_of(outcomes, entry.pop("main")), entry.pop("qualifier", "")]
        if verdict == "holds in part":
            named = (f"{word}: {', '.join(dict.fromkeys(of))}" for word, of in rest.items() if of)
            words.append(f"({'; '.join(named)})")
        values["reproduced"] = ", ".join(dict.fromkeys(reproduced))
        has_more = verdict in ("holds", "holds in part")
        in_full = " ".join(filter(None, words)) if has_more else verdict
        said = {key: str(text).format(**values) for key, text in entry.items()}
        statements.append({**said, **control, "outcome": verdict, "verdict": in_full})
    return pd.DataFrame(statements)


def _with_bounds(claim: dict[str, Any], root: Path) -> tuple[str, str]:
    """The words and the outcome of a claim on a table."""
    (row,) = chosen(root / claim["csv"], claim["where"]).to_dict("records")
    low, high = (float(row[end]) for end in claim["ends"])
    return claim["about"], outcome_of([lambda level: (low, high)], bounds_of(claim["margin"])[:2])
