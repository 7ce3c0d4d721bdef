"""Set the paper's numbers beside the results of this repository.

    python scripts/compare.py [--results FOLDER]

Writes all that follows from stored rows and configs: the tables of each run and differences.txt,
all claims in claims.csv and claims.md, index.html with figures and tables, and the tables of
README, CONTRIBUTING and docs/. Prints the claims that have an outcome, and the counts. The
exit status says nothing about outcomes, since a difference is a finding.
"""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pandas as pd

from experiments import kinds
from experiments.files import write_csv, write_text
from experiments.kinds.base import stored_config, tables_of
from experiments.report import doc_tables
from experiments.report.claims import COLUMNS, compare
from experiments.report.claims.render import by_experiment, terminal
from experiments.report.html import page
from experiments.report.pages import PageFacts
from experiments.report.stored import provenance_of
from scripts import settings

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "results"


def main(arguments: list[str] | None = None) -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=RESULTS, help="default: results/")
    results = parser.parse_args(arguments).results
    for path in sorted(results.glob("*/rows.parquet")):
        remake(path.parent)
    claims = compare(RESULTS / "paper.yaml", results)
    write_csv(results / "claims.csv", claims[COLUMNS])
    front = page(claims, results, lambda folder: PageFacts())
    for name, text in (("claims.md", by_experiment(claims)), ("index.html", front)):
        write_text(results / name, text)
    if results.resolve() == RESULTS:
        doc_tables.write(ROOT)
    print(terminal(claims))
    print(f"all of them, with notes: {results / 'claims.md'}, {results / 'index.html'}")


def remake(folder: Path) -> None:
    """Write the tables of a run again, from its rows and its config, and differences.txt."""
    config = provenance_of(folder)["config"]
    kind = kinds.load(config["protocol"]["kind"])
    stored = {path.stem: pd.read_parquet(path) for path in folder.glob("*.parquet")}
    for name, table in tables_of(kind, stored, stored_config(config, kind)).items():
        write_csv(folder / f"{name}.csv", table)
    settings.write_differences(folder)


if __name__ == "__main__":
    main()
