"""Write the numbers of the README and of docs/results.md from results/, between their marks.

    python scripts/readme.py            write them, as make compare does
    python scripts/readme.py --check    say if they are there, and change nothing

The sentences are here, the numbers are looked up: ``{xor100.manifest.correct:.1f}`` is the column
``correct`` of the row ``manifest`` of ``results/xor100/summary.csv``. Accuracies are in percent, of
the reading "paper" unless another one is named, as in ``{colon.manifest.nested.accuracy:.1f}``.
``{claims[ID]:.1f}`` is our number that a claim is compared with.
"""

import argparse
import json
import re
import sys
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from textwrap import fill
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pandas as pd
import yaml

from experiments.atomic import atomic_write
from experiments.report.claims import compare
from experiments.report.claims.render import summary, summary_table, undecidable
from experiments.report.text import markdown

ROOT = Path(__file__).resolve().parents[1]
#: Page, beside the folder of results -> the blocks between its marks.
PAGES = {"README.md": ("headline", "table", "undecidable"), "docs/results.md": ("verdicts",)}
#: Characters in a line of the README's prose.
WIDTH = 140
PERCENT = ("accuracy", "std", "ci_low", "ci_high")

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


class Lookup:
    """Rows of the summaries of results/, as attributes of attributes."""

    def __init__(self, results: Path):
        self._results = results
        due = results / "due.yaml"
        listed = (yaml.safe_load(due.read_text("utf-8")) or {}) if due.is_file() else {}
        #: The experiments whose results are of a shorter run than the paper's.
        self.due = {name for name in listed if self._profile(name) != "paper"}

    def _profile(self, name: str) -> str | None:
        path = self._results / name / "provenance.json"
        return json.loads(path.read_text("utf-8"))["profile"] if path.is_file() else None

    @cached_property
    def claims(self) -> dict[str, float]:
        """The number of ours that each claim was compared with, where there is one."""
        table = pd.read_csv(self._results / "claims.csv").dropna(subset="ours")
        return dict(zip(table["claim"], table["ours"], strict=True))

    @cache  # noqa: B019
    def __getitem__(self, experiment: str) -> SimpleNamespace:
        table = pd.read_csv(self._results / experiment / "summary.csv")
        rows: dict[str, Any] = {}
        readings = table["reading"] if "reading" in table else pd.Series("", table.index)
        for (_, row), reading in zip(table.iterrows(), readings, strict=True):
            if "ranking_share" in row and row["ranking_share"] not in (1, 1.0):
                continue
            values = row.to_dict()
            if "accuracy" in values and "correct" not in values:
                values |= {name: 100 * values[name] for name in PERCENT if name in values}
            found = rows.setdefault(str(row["method"]), SimpleNamespace())
            if reading in ("", "paper"):
                found.__dict__.update(values)
            else:
                setattr(
                    found,
                    reading,
                    SimpleNamespace(**{str(key): value for key, value in values.items()}),
                )
        if "correct" in table:
            known = table["method"].isin(["manifest", "relieff", "relieff_skfeature"])
            rows["rest"] = table.loc[~known, "correct"].max()
        return SimpleNamespace(**rows)


def filled(sentence: str, lookup: Lookup) -> str:
    """A sentence with its numbers, marked where an earlier revision has computed them."""
    experiments = set(re.findall(r"\{(\w+)\.", sentence))
    mark = " †" * bool(experiments & lookup.due)
    values: dict[str, Any] = {name: lookup[name] for name in experiments}
    if "{claims[" in sentence:
        values["claims"] = lookup.claims
    return sentence.format(**values) + mark


def says(results: Path) -> dict[str, tuple[str, str]]:
    """Data set -> what the paper says and what came out, where the results have all its numbers."""
    lookup, found = Lookup(results), {}
    for name, (said, here) in LINES.items():
        with suppress(FileNotFoundError, AttributeError, KeyError):
            found[name] = (said, filled(here, lookup))
    return found


def blocks(results: Path, claims: pd.DataFrame) -> dict[str, str]:
    """The text of each block of :data:`PAGES`.

    Parameters
    ----------
    results : Path
        With ``claims.csv``.
    claims : DataFrame
        As :func:`experiments.report.claims.compare` returns them.
    """
    lookup = Lookup(results)
    counts = summary(claims)
    sentences = [LINES.get(str(name), ("", "")) for name in counts.index]
    table = pd.DataFrame(
        {
            "": [f"`{name}`" if name in LINES else f"**{name}**" for name in counts.index],
            "the paper says": [said for said, _ in sentences],
            "here": [filled(here, lookup) for _, here in sentences],
            **{str(verdict): counts[verdict].replace(0, "").to_numpy() for verdict in counts},
        }
    )
    text = markdown(table).strip()
    shorter = " † is from a shorter run, which decides nothing." if "†" in text else ""
    return {
        "headline": filled(HEADLINE, lookup),
        "table": text,
        "undecidable": fill(undecidable(claims) + shorter, WIDTH),
        "verdicts": f"\n{summary_table(claims)}",
    }


def written(text: str, found: dict[str, str]) -> str:
    """The text with its blocks replaced; each stands between two marks."""
    for name, block in found.items():
        pattern = rf"(<!-- {name}: written by scripts/readme.py -->\n).*?(<!-- end -->)"
        parts = re.split(pattern, text, flags=re.DOTALL)
        if len(parts) != 4:
            raise ValueError(f"there must be one block {name!r} between its two marks")
        before, first, last, after = parts
        text = f"{before}{first}{block}\n{last}{after}"
    return text


def pages(results: Path, claims: pd.DataFrame) -> dict[Path, str]:
    """Each page that stands beside a folder of results, as these results have it."""
    found = blocks(results, claims)
    paths = {results.resolve().parent / name: names for name, names in PAGES.items()}
    return {
        path: written(path.read_text(encoding="utf-8"), {name: found[name] for name in names})
        for path, names in paths.items()
        if path.is_file()
    }


def write(texts: dict[Path, str]) -> None:
    """Write the pages that have changed."""
    for path, text in texts.items():
        if text != path.read_text(encoding="utf-8"):
            with atomic_write(path) as part:
                part.write_text(text, encoding="utf-8", newline="\n")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args(arguments).check
    found = pages(ROOT / "results", compare(ROOT / "results" / "paper.yaml", ROOT / "results"))
    if not check:
        write(found)
        return
    changed = [
        str(p.relative_to(ROOT)) for p, text in found.items() if text != p.read_text("utf-8")
    ]
    if changed:
        sys.exit(f"{', '.join(changed)}: not what results/ say; run make compare")


if __name__ == "__main__":
    main()
