"""The numbers of the README and of docs/results.md, which `make compare` writes from results/.

The sentences are here, the numbers are looked up: ``{xor100[manifest][correct]:.1f}`` is the column
``correct`` of the row ``manifest`` of ``results/xor100/summary.csv``. Accuracies are in percent, of
the reading "paper". ``{claims[ID]:.1f}`` is our number that a claim is compared with.
"""

import re
from contextlib import suppress
from pathlib import Path
from textwrap import fill
from typing import Any

import pandas as pd
import yaml

from experiments.atomic import write_text
from experiments.report import exchanges
from experiments.report.claims.outcome import OUTCOMES
from experiments.report.claims.render import VERSIONS, in_words, summary, summary_table, undecidable
from experiments.report.stored import provenance_of
from experiments.report.text import markdown
from scripts import marks, settings

#: Page, beside the folder of results -> the blocks between its marks.
PAGES = {
    "README.md": ("headline", "table", "undecidable"),
    "docs/results.md": ("outcomes",),
    "docs/differences.md": ("settings",),
    "docs/method.md": ("exchanges",),
}
#: Characters in a line of the README's prose.
WIDTH = 140
#: Methods that the rest of the filters in xor100 are compared with.
NAMED = ["manifest", "relieff", "relieff_skfeature"]

HEADLINE = (
    "ManiFeSt finds {xor100[manifest][correct]:.2f} of the two relevant features on average "
    "(paper: 2.0), ReliefF\n{xor100[relieff][correct]:.2f} "
    "({xor100[relieff_skfeature][correct]:.2f} with skfeature's code, which the claims take); the "
    "other filters find at most {xor100[rest]:.2f}\n(chance: 0.04)."
)
#: Data sets of a row -> what the paper says, and what came out here.
LINES = {
    "xor100": (
        "ManiFeSt 2.0 of 2, ReliefF next, the rest fail",
        "{xor100[manifest][correct]:.2f}; {xor100[relieff][correct]:.2f} "
        "({xor100[relieff_skfeature][correct]:.2f} with skfeature's code); at most "
        "{xor100[rest]:.2f}; the kernel scale decides",
    ),
    "hypercube": (
        "10 of 10, without normalisation 9.2, far above all others",
        "{hypercube[manifest][correct]:.1f} and "
        "{hypercube[manifest_unnormalized_factor][correct]:.1f} ("
        "{hypercube[manifest_unnormalized][correct]:.1f} with the text's scales); Laplacian score "
        "{hypercube[laplacian][correct]:.1f}; variance reveals the relevant features",
    ),
    "madelon": (
        "90.7 % for ManiFeSt and ReliefF, from 5 % of the rows ManiFeSt alone",
        "{madelon[manifest][accuracy]:.1f} and {madelon[relieff][accuracy]:.1f} %; from 5 % the "
        "Laplacian score is near, from 1 % it is not",
    ),
    "colon": (
        "86.9 %, with ReliefF 88.1; others at most 85.8",
        "{claims[colon.best_test_acc.manifest]:.1f} % by the paper's protocol over 50 splits, with "
        "ReliefF {claims[colon.best_test_acc.manifest+relieff]:.1f}; ANOVA "
        "{claims[colon.best_test_acc.others_at_most]:.1f} ([other protocols]"
        "(docs/results.md#colon-no-difference-to-manifest-is-significant-over-50-splits))",
    ),
    "prostate, gisette": (
        "95.3 and 98.6 %",
        "{claims[prostate.best_test_acc.manifest]:.1f} %; Gisette is not here in full",
    ),
    "toy, mnist, fashion_mnist, propositions": (
        "two toy cases, pictures of digits and clothes, eigenvalues of D",
        "they hold, except for a shirt's collar, a 4's leg, a factor 1/2 and exchanged classes",
    ),
    "arena": (
        "superior to univariate methods if samples are few",
        "mean ranks among 20: {arena[manifest_regularized][mean_rank]:.1f}; ReliefF "
        "{arena[relieff][mean_rank]:.1f}; without a scale {arena[manifest_dpp][mean_rank]:.1f}",
    ),
}


class Numbers(dict[str, dict[str, Any]]):
    """Experiment -> method -> its row; "claims" -> claim -> our number; read when asked for."""

    def __init__(self, results: Path):
        self.results = results

    def __missing__(self, name: str) -> dict[str, Any]:
        if name == "claims":
            table = pd.read_csv(self.results / "claims.csv").dropna(subset="ours")
            self[name] = dict(zip(table["claim"], table["ours"], strict=True))
            return self[name]
        table = pd.read_csv(self.results / name / "summary.csv")
        for column, value in (("reading", "paper"), ("ranking_share", 1)):
            table = table[table[column] == value] if column in table else table
        if "accuracy" in table:
            table = table.assign(accuracy=100 * table["accuracy"])
        self[name] = {str(row["method"]): row for row in table.to_dict("records")}
        if "correct" in table:
            self[name]["rest"] = table.loc[~table["method"].isin(NAMED), "correct"].max()
        return self[name]

    def are_of_a_shorter_run(self, experiment: str) -> bool:
        """True if the results of an experiment are due, and of a shorter run than the paper's."""
        due = self.results / "due.yaml"
        listed = (yaml.safe_load(due.read_text("utf-8")) or {}) if due.is_file() else {}
        profile = provenance_of(self.results / experiment).get("profile")
        return experiment in listed and profile != "paper"


def filled(sentence: str, numbers: Numbers) -> str:
    """A sentence with its numbers, and a mark if they are of a shorter run."""
    experiments = set(re.findall(r"\{(\w+)\[", sentence))
    mark = " †" if any(map(numbers.are_of_a_shorter_run, experiments)) else ""
    return sentence.format_map(numbers) + mark


def says(results: Path) -> dict[str, tuple[str, str]]:
    """Data sets -> the paper's sentence and ours, if the results have all of its numbers."""
    numbers, sentences = Numbers(results), {}
    for name, (published, ours) in LINES.items():
        with suppress(FileNotFoundError, KeyError):
            sentences[name] = (published, filled(ours, numbers))
    return sentences


def table(results: Path, claims: pd.DataFrame) -> str:
    """A row for each entry of :data:`LINES`, with the number of its claims by outcome."""
    counts, ours, rows = summary(claims, "2022")[list(OUTCOMES)], says(results), []
    for names, (published, _) in LINES.items():
        each = [name for name in names.split(", ") if name in counts.index]
        row = {"experiment": ", ".join(f"`{name}`" for name in each), "the paper says": published}
        row["here"] = ours[names][1] if names in ours else ""
        rows.append(row | {"claims": _outcomes(counts, each)})
    rows.append({"experiment": "**all**", "claims": _outcomes(counts, ["all"])})
    return markdown(pd.DataFrame(rows).fillna("")).strip()


def headline(results: Path) -> str:
    """The sentence on XOR-100; empty without its results."""
    with suppress(FileNotFoundError):
        return filled(HEADLINE, Numbers(results))
    return ""


def _outcomes(counts, names):
    """The number of claims with each outcome, as far as there are any."""
    return ", ".join(f"{n} {outcome}" for outcome, n in counts.loc[names].sum().items() if n)


def blocks(results: Path, claims: pd.DataFrame) -> dict[str, str]:
    """The text of each block of :data:`PAGES`, from the results and their claims."""
    rows = table(results, claims)
    shorter = " † is from a shorter run, which decides nothing." if "†" in rows else ""
    more = f"{undecidable(claims)}{shorter} {in_words(claims, '2023')}"
    return {
        "headline": headline(results),
        "table": rows,
        "undecidable": fill(more, WIDTH),
        "outcomes": "".join(
            f"\n{in_words(claims, version)}\n\n{summary_table(claims, version)}"
            for version in VERSIONS
        ),
        "settings": settings.table(results),
        "exchanges": exchanges.in_words(results),
    }


def write(results: Path, claims: pd.DataFrame) -> None:
    """Write the blocks and marks of the pages beside a folder of results, if they differ."""
    texts = blocks(results, claims)
    for page, names in PAGES.items():
        path = results.resolve().parent / page
        if not path.is_file():
            continue
        text = before = path.read_text(encoding="utf-8")
        for name in names:
            start, end = f"<!-- {name}: written by scripts/readme.py -->\n", "<!-- end -->"
            parts = re.split(f"({start}).*?({end})", text, flags=re.DOTALL)
            if len(parts) != 4:
                raise ValueError(f"there must be one block {name!r} between its two marks")
            first, mark, end, last = parts
            text = f"{first}{mark}{texts[name]}\n{end}{last}"
        if text != before:
            write_text(path, text)
    for page in marks.PAGES:
        path = results.resolve().parent / page
        if path.is_file():
            before = path.read_text(encoding="utf-8")
            if (text := marks.filled(before, results)) != before:
                write_text(path, text)
