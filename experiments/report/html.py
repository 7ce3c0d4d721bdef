"""The front page of the results: the outcome, every claim, and each experiment with its figures.

The page shows the figures that lie beside it and asks for nothing else. The same results give the
same bytes. The look is in ``templates``; this module collects the content, and jinja2 escapes every
text.
"""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.config import about
from experiments.report.claims.outcome import (
    DIFFERENT,
    HIGHER,
    INCONCLUSIVE,
    LISTED,
    LOWER,
    NOT_AVAILABLE,
    OUTCOMES,
    REPRODUCED,
)
from experiments.report.claims.render import (
    NEITHER,
    RULE,
    VERSIONS,
    basis,
    in_words,
    readable,
    summary,
    undecidable,
)
from experiments.report.claims.results_folder import facts
from experiments.report.columns import readable as readable_table
from experiments.report.pages import TEMPLATES, PageFacts, experiment

#: Outcome -> its sign and its style. The words and the signs tell outcomes apart without colours.
SIGNS = {
    REPRODUCED: ("✓", "reproduced"),
    DIFFERENT: ("≠", "different"),
    LOWER: ("↓", "undecided"),
    HIGHER: ("↑", "undecided"),
    INCONCLUSIVE: ("?", "undecided"),
    NOT_AVAILABLE: ("×", "none"),
    LISTED: ("–", "none"),
}
#: Data set -> its title, for names that a capital letter does not turn into one.
TITLES = {
    "xor100": "XOR-100",
    "toy": "Toy example",
    "mnist": "MNIST",
    "fashion_mnist": "Fashion-MNIST",
}
#: Endings of the files of a run that a page links to: every clone has them.
LINKED = (".csv", ".pdf", ".txt")


def page(
    claims: pd.DataFrame,
    results: Path,
    facts_of: Callable[[Path, dict[str, Any]], PageFacts],
    says: Mapping[str, tuple[str, str]],
) -> str:
    """The front page.

    Parameters
    ----------
    claims : DataFrame
        The claims as :func:`experiments.report.claims.compare` returns them.
    results : Path
        The folder that the page will lie in, with one folder for each experiment.
    facts_of : callable of (folder, config) to PageFacts
        The facts of the run in a folder, with the config of its provenance.
    says : mapping of str to (str, str)
        Data set -> what the paper says in short, and what came out here.

    Returns
    -------
    str
        HTML.
    """
    with_results = sorted(path.parent.name for path in results.glob("*/provenance.json"))
    names = dict.fromkeys([*claims["experiment"], *with_results])
    outcomes = claims["outcome"].value_counts()
    return TEMPLATES.get_template("front.html").render(
        counts=[in_words(claims, version) for version in VERSIONS],
        undecidable=undecidable(claims),
        rule=RULE.replace("`", ""),
        meanings=OUTCOMES,
        says=bool(says),
        marked=any("†" in here for _, here in says.values()),
        versions={
            VERSIONS[version]: _counts(summary(claims, version), says if version == "2022" else {})
            for version in VERSIONS
        },
        claims=_claims(claims, results),
        choices=[(name, int(outcomes[name])) for name in SIGNS if name in outcomes],
        first=DIFFERENT if DIFFERENT in outcomes else "",
        experiments=[
            _experiment(name, claims[claims["experiment"] == name], results / name, facts_of)
            for name in names
        ],
        signs=SIGNS,
    )


def _counts(counts: pd.DataFrame, says: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """The table of a version's outcomes by data set, with what the paper says and we, if given."""
    said = ["the paper says", "here"] if says else []
    rows = {
        _title(str(name)): (says.get(str(name), ("", "")) if says else (), row.tolist())
        for name, row in counts.iterrows()
    }
    return {"header": ["data set", *said, *counts.columns], "rows": rows}


def _claims(claims: pd.DataFrame, results: Path) -> list[dict[str, Any]]:
    """All claims as texts, in words alone."""
    told = claims["experiment"]
    names = {each: _names(results / each) for each in told.unique()}
    shown = readable(claims).assign(
        words=claims["text"],
        version=claims["version"].map(VERSIONS | {"neither": NEITHER}),
        data_set=[_title(facts(each).counted_under) for each in told],
        rows=[
            f"{each}/rows.parquet" if profile else ""
            for each, profile in zip(told, claims["profile"], strict=True)
        ],
        more=claims["more"],
        low=claims["ci_low"].astype(object).fillna(""),
        note=[note_in_words(n, names[each]) for n, each in zip(claims["note"], told, strict=True)],
    )
    return [{str(key): value for key, value in row.items()} for row in shown.to_dict("records")]


def _names(folder: Path) -> dict[str, str]:
    """Method -> its name, as a run tells it."""
    path = folder / "provenance.json"
    if not path.is_file():
        return {}
    return experiment.labels(folder, json.loads(path.read_text("utf-8"))["config"])


def note_in_words(note: str, names: Mapping[str, str]) -> str:
    """A claim's note with the names of methods as figures have them.

    >>> note_in_words("manifest minus ig_ross; region between_legs", {"manifest": "ManiFeSt"})
    'ManiFeSt minus ig ross; region between legs'
    """
    names = {"q25": "lower quartile", "q75": "upper quartile", **names}
    word = r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)*\b(?!/|\.\w)"
    return re.sub(word, lambda match: names.get(match[0], match[0].replace("_", " ")), note)


def _title(data_set: str) -> str:
    return TITLES.get(data_set, data_set.replace("_", " ").capitalize())


def _experiment(name: str, claims: pd.DataFrame, folder: Path, facts_of) -> dict[str, Any]:
    """The page's content on one experiment; without results, only its question."""
    shown: dict[str, Any] = {
        "name": name,
        "title": _title(name),
        "asked": about("experiment", name),
        "basis": basis(claims),
        "n_claims": len(claims),
        "has_results": (folder / "provenance.json").is_file(),
    }
    if not shown["has_results"]:
        return shown
    record = json.loads((folder / "provenance.json").read_text("utf-8"))
    config = record["config"]
    run = facts_of(folder, config)
    figures = experiment.pictures(folder, config, run.findings)
    table = pd.read_csv(folder / "summary.csv")
    return shown | {
        "title": config.get("title") or name,
        "synthetic": record["data"].get("synthetic"),
        "found": list(run.findings.values()),
        "figures": [{**figure, "source": f"{name}/{figure['source']}"} for figure in figures],
        "summary": readable_table(table, experiment.labels(folder, config), run.is_share),
        "facts": {**experiment.data(record), **experiment.provenance(record)},
        "files": sorted(path.name for path in folder.iterdir() if path.suffix in LINKED),
    }
