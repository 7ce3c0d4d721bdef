"""The numbers of the README and of docs/results.md, which `make compare` writes from results/.

The sentences are here, the numbers are looked up: ``{xor100 manifest correct .1}`` is the column
``correct`` of the row ``manifest`` of ``results/xor100/summary.csv`` with one decimal, by a mark as
in :mod:`scripts.marks`. ``{claims ID ours .1}`` is our number that a claim is compared with.
"""

import re
from pathlib import Path
from textwrap import fill

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
HEADLINE = (
    "ManiFeSt finds {xor100 manifest correct .2} of the two relevant features on average "
    "(paper: 2.0), ReliefF\n{xor100 relieff correct .2} "
    "({xor100 relieff_skfeature correct .2} by skfeature's code, which the claims use); the "
    "other filters find at most {xor100 method!=manifest,relieff,relieff_skfeature max:correct .2}"
    "\n(chance: 0.04)."
)
AT_20 = "arena/ranks problems=judgement n_train=20"
#: Data sets of a row -> what the paper says, and what came out here.
LINES = {
    "xor100": (
        "ManiFeSt 2.0 of 2, ReliefF next, the rest fail",
        "{xor100 manifest correct .2}; {xor100 relieff correct .2}; at most "
        "{xor100 method!=manifest,relieff,relieff_skfeature max:correct .2}; the kernel scale "
        "decides",
    ),
    "hypercube": (
        "10 of 10, without normalisation 9.2, far above all others",
        "{hypercube manifest correct .1} and "
        "{hypercube manifest_unnormalized_factor correct .1} ("
        "{hypercube manifest_unnormalized correct .1} with percentiles as scales); Laplacian score "
        "{hypercube laplacian correct .1}; variance alone finds the relevant features, too",
    ),
    "madelon": (
        "90.7 % for ManiFeSt and ReliefF, from 5 % of the rows ManiFeSt alone",
        "{madelon manifest accuracy% .1} and {madelon relieff accuracy% .1} %; from 5 % the "
        "Laplacian score is near, from 1 % it is not",
    ),
    "colon": (
        "86.9 %, with ReliefF 88.1; others at most 85.8",
        "{claims colon.best_test_acc.manifest ours .1} % by the paper's protocol over 50 splits, "
        "with ReliefF {claims colon.best_test_acc.manifest+relieff ours .1}; ANOVA "
        "{claims colon.best_test_acc.others_at_most ours .1} ([other protocols]"
        "(docs/results.md#colon-no-difference-to-manifest-is-significant-over-50-splits))",
    ),
    "prostate, gisette": (
        "95.3 and 98.6 %",
        "{claims prostate.best_test_acc.manifest ours .1} % as three studies, "
        "{prostate manifest accuracy% .1} as one; Gisette is not here in full",
    ),
    "toy, mnist, fashion_mnist, propositions": (
        "two toy cases, pictures, eigenvalues of D",
        "they hold, except for [a shirt's collar, a 4's leg](docs/differences.md"
        "#mnist-and-fashion-mnist), [a factor 1/2](docs/differences.md#propositions) and "
        "[exchanged classes](docs/method.md#which-class-is-class-1)",
    ),
    "arena": (
        "superior to univariate methods if samples are few",
        "mean rank of 20 methods at 20 samples (1 is best): "
        f"{{{AT_20} manifest_regularized mean_rank .1}}; "
        f'`criterion="set"` {{{AT_20} manifest_dpp mean_rank .1}}; '
        f"ReliefF {{{AT_20} relieff mean_rank .1}}",
    ),
}


def filled(sentence: str, results: Path) -> str:
    """A sentence with its numbers, and a mark if they are of a shorter run.

    It is empty if the results lack one of its numbers.
    """
    try:
        text = re.sub(
            r"\{(.*?) (\.\d)\}",
            lambda found: f"{marks.looked_up(found[1], results):{found[2]}f}",
            sentence,
        )
    except ValueError:
        return ""
    experiments = re.findall(r"\{(\w+) ", sentence)
    return text + (" †" if any(is_of_a_shorter_run(results, name) for name in experiments) else "")


def is_of_a_shorter_run(results: Path, experiment: str) -> bool:
    """True if the results of an experiment are due, and of a shorter run than the paper's."""
    due = results / "due.yaml"
    listed = (yaml.safe_load(due.read_text("utf-8")) or {}) if due.is_file() else {}
    return experiment in listed and provenance_of(results / experiment).get("profile") != "paper"


def table(results: Path, claims: pd.DataFrame) -> str:
    """A row for each entry of :data:`LINES`, with the number of its claims by outcome."""
    counts, rows = summary(claims, "2022")[list(OUTCOMES)], []
    for names, (published, ours) in LINES.items():
        each = [name for name in names.split(", ") if name in counts.index]
        row = {"experiment": ", ".join(f"`{name}`" for name in each), "the paper says": published}
        rows.append(row | {"here": filled(ours, results), "claims": _outcomes(counts, each)})
    rows.append({"experiment": "**all**", "claims": _outcomes(counts, ["all"])})
    return markdown(pd.DataFrame(rows).fillna("")).strip()


def _outcomes(counts, names):
    """The number of claims with each outcome, as far as there are any."""
    return "; ".join(f"{n} {outcome}" for outcome, n in counts.loc[names].sum().items() if n)


def blocks(results: Path, claims: pd.DataFrame) -> dict[str, str]:
    """The text of each block of :data:`PAGES`, from the results and their claims."""
    rows = table(results, claims)
    shorter = " † is from a shorter run, which decides nothing." if "†" in rows else ""
    more = f"{undecidable(claims)}{shorter} {in_words(claims, '2023')}"
    return {
        "headline": filled(HEADLINE, results),
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
    for page in marks.PAGES:
        path = results.resolve().parent / page
        if not path.is_file():
            continue
        text = before = path.read_text(encoding="utf-8")
        for name in PAGES.get(page, ()):
            start, end = f"<!-- {name}: written by scripts/readme.py -->\n", "<!-- end -->"
            parts = re.split(f"({start}).*?({end})", text, flags=re.DOTALL)
            if len(parts) != 4:
                raise ValueError(f"there must be one block {name!r} between its two marks")
            first, mark, end, last = parts
            text = f"{first}{mark}{texts[name]}\n{end}{last}"
        if (text := marks.filled(text, results)) != before:
            write_text(path, text)
