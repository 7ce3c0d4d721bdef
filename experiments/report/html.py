"""The front page of the results: did the paper hold, a card for each experiment, every claim.

The page shows the figures that lie beside it and asks for nothing else. The same results give the
same bytes. The look is in ``templates``; this module collects the content, and jinja2 escapes every
text.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.report.claims.outcome import (
    DIFFERENT,
    HIGHER,
    INCONCLUSIVE,
    LISTED,
    LOWER,
    NOT_TESTED,
    OUTCOMES,
    REPRODUCED,
)
from experiments.report.claims.render import NEITHER, RULE, VERSIONS, readable, summary, undecidable
from experiments.report.claims.results_folder import facts
from experiments.report.findings import TUNINGS
from experiments.report.pages import TEMPLATES, PageFacts, experiment
from experiments.report.stored import provenance_of
from experiments.report.text import plain_number

#: Outcome -> its sign and its style. The words and the signs tell outcomes apart without colours.
SIGNS = {
    REPRODUCED: ("✓", "reproduced"),
    DIFFERENT: ("≠", "different"),
    LOWER: ("↓", "undecided"),
    HIGHER: ("↑", "undecided"),
    INCONCLUSIVE: ("?", "undecided"),
    NOT_TESTED: ("×", "none"),
    LISTED: ("–", "none"),
}
#: Data set -> its title, for names that a capital letter does not turn into one.
TITLES = {
    "xor100": "XOR-100",
    "toy": "Toy example",
    "mnist": "MNIST",
    "fashion_mnist": "Fashion-MNIST",
}
#: Experiment -> its figure or table of the paper of 2022, in the paper's order.
PAPER = {
    "operators": "Fig. 1",
    "mnist": "Fig. 2",
    "xor100": "Fig. 3",
    "madelon": "Fig. 4",
    "hypercube": "Fig. 5",
    "colon": "Fig. 6",
    "fashion_mnist": "Fig. 7",
    "colon_scales": "Fig. 8",
    "colon_embedded": "Table 1",
    "toy": "Fig. 9",
    "prostate": "Fig. 10 (b)",
    "gisette_rebuilt": "Fig. 10 (a)",
    "propositions": "Appendix",
    "mnist_multiclass": "ICML 2023",
}
#: Files of a run that the page links to, which every clone has -> what they hold.
FILES = {"summary.csv": "results", "pairs.csv": "pairs", "differences.txt": "settings"}


def page(claims: pd.DataFrame, results: Path, facts_of: Callable[[Path], PageFacts]) -> str:
    """The front page as HTML.

    Parameters
    ----------
    claims : DataFrame
        The claims as :func:`experiments.report.claims.compare` returns them.
    results : Path
        The folder that the page will lie in, with one folder for each experiment.
    facts_of : callable of a folder to PageFacts
        The facts of the run in a folder.
    """
    with_results = sorted(path.parent.name for path in results.glob("*/provenance.json"))
    outcomes = claims["outcome"].value_counts()
    counts = {name: summary(claims, version)[[*OUTCOMES]] for version, name in VERSIONS.items()}
    return TEMPLATES.get_template("front.html").render(
        counts=counts,
        title_of=_title,
        undecidable=undecidable(claims),
        rule=RULE.replace("`", ""),
        meanings=OUTCOMES,
        claims=_claims(claims, results),
        choices=[(name, int(outcomes[name])) for name in SIGNS if name in outcomes],
        first=DIFFERENT if DIFFERENT in outcomes else "",
        cards=[_card(name, results / name, facts_of) for name in sorted(with_results, key=_place)],
        signs=SIGNS,
    )


def _claims(claims: pd.DataFrame, results: Path) -> list[dict[str, Any]]:
    """All claims as texts, in words alone."""
    told = claims["experiment"]
    names = {
        each: experiment.labels(
            provenance_of(results / each).get("config", {}),
            experiment.read(results / each / "summary.csv"),
        )
        for each in told.unique()
    }
    shown = claims.assign(**readable(claims)).assign(
        version=claims["version"].map(VERSIONS | {"neither": NEITHER}),
        data_set=[_title(facts(each).counted_under) for each in told],
        margin=[
            re.sub(r"\d\S*e-\d+", lambda match: plain_number(float(match[0])), text)
            for text in claims["margin"]
        ],
        note=[note_in_words(n, names[each]) for n, each in zip(claims["note"], told, strict=True)],
    )
    return [{str(key): value for key, value in row.items()} for row in shown.to_dict("records")]


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


def _place(name: str) -> int:
    """The place of an experiment in the paper; the others follow."""
    return [*PAPER, name].index(name)


def _card(name: str, folder: Path, facts_of) -> dict[str, Any]:
    """A run in short: figure of the paper, title, picture, first finding and files."""
    config = provenance_of(folder)["config"]
    run = facts_of(folder)
    figures = experiment.pictures(folder, config, run)
    protocol, found = next(iter(run.findings.items()), ("", ""))
    first = experiment.parted(re.sub(r" \[[-\d., ]+\]", "", found))[0].partition("; ")[0]
    first = first.removesuffix(".") or "No result"
    return {
        "name": name,
        "title": " · ".join(filter(None, [PAPER.get(name), config.get("title") or name])),
        "found": f"{first}, protocol {protocol}" if protocol in TUNINGS else first,
        "figure": {**figures[0], "source": f"{name}/{figures[0]['source']}"} if figures else None,
        "files": {name: words for name, words in FILES.items() if (folder / name).is_file()},
    }
