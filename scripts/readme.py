"""The numbers of the README and of docs/results.md, which `make compare` writes from results/.

The sentences are here, the numbers are looked up: ``{xor100.manifest.correct:.1f}`` is the column
``correct`` of the row ``manifest`` of ``results/xor100/summary.csv``. Accuracies are in percent, of
the reading "paper". ``{claims[ID]:.1f}`` is our number that a claim is compared with.
"""

import json
import re
from contextlib import suppress
from pathlib import Path
from textwrap import fill
from types import SimpleNamespace
from typing import Any

import pandas as pd
import yaml

from experiments.atomic import write_text
from experiments.report.claims.render import summary, summary_table, undecidable
from experiments.report.text import markdown

#: Page, beside the folder of results -> the blocks between its marks.
PAGES = {"README.md": ("headline", "table", "undecidable"), "docs/results.md": ("verdicts",)}
#: Characters in a line of the README's prose.
WIDTH = 140
PERCENT = ["accuracy", "std", "ci_low", "ci_high"]
#: Methods that the rest of the filters in xor100 are compared with.
NAMED = ["manifest", "relieff", "relieff_skfeature"]

HEADLINE = (
    "ManiFeSt finds {xor100.manifest.correct:.2f} of the two relevant features on average (paper: "
    "2.0), ReliefF\n{xor100.relieff_skfeature.correct:.2f}, 95 % interval "
    "{xor100.relieff_skfeature.ci_low:.2f} to {xor100.relieff_skfeature.ci_high:.2f}; the other "
    "filters find at most {xor100.rest:.2f}\n(chance: 0.04)."
)

#: Data set of the claims -> what the paper says, and what came out here.
LINES = {
    "xor100": (
        "ManiFeSt 2.0 of 2, ReliefF next, the rest fail",
        "{xor100.manifest.correct:.2f}; {xor100.relieff_skfeature.correct:.2f}; at most "
        "{xor100.rest:.2f}",
    ),
    "madelon": (
        "90.7 % for ManiFeSt and ReliefF, from 5 % of the rows ManiFeSt alone",
        "{madelon.manifest.accuracy:.1f} and {madelon.relieff.accuracy:.1f} %; from 5 % the "
        "Laplacian score is near, from 1 % it is not",
    ),
    "hypercube": (
        "10 of 10, without normalisation 9.2, far above all others",
        "{hypercube.manifest.correct:.1f} and {hypercube.manifest_unnormalized_factor.correct:.1f} "
        "(by the text's percentiles {hypercube.manifest_unnormalized.correct:.1f}); the "
        "Laplacian score {hypercube.laplacian.correct:.1f}",
    ),
    "colon": (
        "86.9 %, with ReliefF 88.1; others at most 85.8",
        "{claims[colon.best_test_acc.manifest]:.1f} and "
        "{claims[colon.best_test_acc.manifest+relieff]:.1f} %; ANOVA "
        "{claims[colon.best_test_acc.others_at_most]:.1f}",
    ),
    "gisette": ("98.6 %", "the data are not here in full"),
    "prostate": ("95.3 %", "{claims[prostate.best_test_acc.manifest]:.1f} %"),
    "toy": ("f1 is missed alone, found with its partner", "the same"),
    "mnist": (
        "the score shows where a 4 is not a 9; ten digits: 90.7 %",
        "ten digits: {mnist_multiclass.manifest_max.accuracy:.1f} %",
    ),
    "fashion_mnist": ("the score shows where clothes differ", "not in the collar"),
    "propositions": ("eigenvalues of D, and bounds", "they hold, with a factor 1/2"),
}


class Numbers(dict[str, Any]):
    """Experiment -> rows of its summary as attributes; "claims" -> our number for each claim.

    They are read when a sentence asks for them.
    """

    def __init__(self, results: Path):
        self.results = results

    def __missing__(self, name: str) -> Any:
        if name == "claims":
            table = pd.read_csv(self.results / "claims.csv").dropna(subset="ours")
            self[name] = dict(zip(table["claim"], table["ours"], strict=True))
        else:
            self[name] = SimpleNamespace(**self._rows(name))
        return self[name]

    def _rows(self, experiment: str) -> dict[str, Any]:
        table = pd.read_csv(self.results / experiment / "summary.csv")
        for column, value in (("reading", "paper"), ("ranking_share", 1)):
            if column in table:
                table = table[table[column] == value]
        rows: dict[str, Any] = {}
        if "correct" in table:
            rows["rest"] = table.loc[~table["method"].isin(NAMED), "correct"].max()
        else:
            percent = [name for name in PERCENT if name in table]
            table = table.assign(**{name: 100 * table[name] for name in percent})
        for row in table.to_dict("records"):
            values = {str(column): value for column, value in row.items()}
            rows[str(values["method"])] = SimpleNamespace(**values)
        return rows

    def are_of_a_shorter_run(self, experiment: str) -> bool:
        """True if the results of an experiment are due, and of a shorter run than the paper's."""
        due, record = self.results / "due.yaml", self.results / experiment / "provenance.json"
        listed = (yaml.safe_load(due.read_text("utf-8")) or {}) if due.is_file() else {}
        if experiment not in listed:
            return False
        return not record.is_file() or json.loads(record.read_text("utf-8"))["profile"] != "paper"


def filled(sentence: str, numbers: Numbers) -> str:
    """A sentence with its numbers, and a mark if they are of a shorter run."""
    experiments = set(re.findall(r"\{(\w+)\.", sentence))
    mark = " †" if any(map(numbers.are_of_a_shorter_run, experiments)) else ""
    return sentence.format_map(numbers) + mark


def says(results: Path) -> dict[str, tuple[str, str]]:
    """Data set -> the paper's sentence and ours, if the results have all of its numbers."""
    numbers, sentences = Numbers(results), {}
    for name, (published, ours) in LINES.items():
        with suppress(FileNotFoundError, AttributeError, KeyError):
            sentences[name] = (published, filled(ours, numbers))
    return sentences


def blocks(results: Path, claims: pd.DataFrame) -> dict[str, str]:
    """The text of each block of :data:`PAGES`.

    Parameters
    ----------
    results : Path
        With ``claims.csv``.
    claims : DataFrame
        As :func:`experiments.report.claims.compare` returns them.
    """
    numbers = Numbers(results)
    counts = summary(claims)
    sentences = [LINES.get(str(name), ("", "")) for name in counts.index]
    table = pd.DataFrame(
        {
            "": [f"`{name}`" if name in LINES else f"**{name}**" for name in counts.index],
            "the paper says": [published for published, _ in sentences],
            "here": [filled(ours, numbers) for _, ours in sentences],
            **{str(verdict): counts[verdict].replace(0, "").to_numpy() for verdict in counts},
        }
    )
    text = markdown(table).strip()
    shorter = " † is from a shorter run, which decides nothing." if "†" in text else ""
    return {
        "headline": filled(HEADLINE, numbers),
        "table": text,
        "undecidable": fill(undecidable(claims) + shorter, WIDTH),
        "verdicts": f"\n{summary_table(claims)}",
    }


def written(text: str, texts: dict[str, str]) -> str:
    """The text with its blocks replaced; each stands between two marks."""
    for name, block in texts.items():
        pattern = rf"(<!-- {name}: written by scripts/readme.py -->\n).*?(<!-- end -->)"
        parts = re.split(pattern, text, flags=re.DOTALL)
        if len(parts) != 4:
            raise ValueError(f"there must be one block {name!r} between its two marks")
        before, first, last, after = parts
        text = f"{before}{first}{block}\n{last}{after}"
    return text


def write(results: Path, claims: pd.DataFrame) -> None:
    """Write the blocks of the pages that stand beside a folder of results, where they differ."""
    paths = {results.resolve().parent / name: names for name, names in PAGES.items()}
    present = {path: names for path, names in paths.items() if path.is_file()}
    texts = blocks(results, claims) if present else {}
    for path, names in present.items():
        before = path.read_text(encoding="utf-8")
        text = written(before, {name: texts[name] for name in names})
        if text != before:
            write_text(path, text)
