"""Compare the paper's numbers with the results of this repository.

    python scripts/compare.py                   write all tables and pages from the stored rows
    python scripts/compare.py colon outputs/X   print runs, or those of a sweep, side by side
    python scripts/compare.py --latex colon     print a summary as a booktabs table

The first writes the tables and differences.txt of each run, claims.csv, tuning.csv, gaps.csv,
labels.csv, headline.csv, index.html, and the tables in README.md and docs/. A difference from the
paper is a finding and does not change the exit status. A run is an experiment in results/, or the
folder of a run or a sweep.
"""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from experiments import kinds
from experiments.config import ConfigError, entry_of
from experiments.files import as_csv, write_text
from experiments.kinds.base import stored_config, tables_of
from experiments.report import doc_tables, labels, pages, tunings
from experiments.report.claims import compare, counts
from experiments.report.columns import latex
from experiments.report.comparison import side_by_side
from experiments.report.differences import differences
from experiments.report.headline import headline
from experiments.report.stored import (
    add_files,
    folder_of,
    provenance_of,
    runs_in,
    table_of,
    tables_in,
)
from experiments.report.text import aligned

RESULTS = Path(__file__).resolve().parents[1] / "results"


def main(arguments: list[str] | None = None) -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", metavar="RUN", help="two or more runs to compare")
    parser.add_argument("--latex", metavar="RUN", help="print the summary of a run for LaTeX")
    options = parser.parse_args(arguments)
    try:
        if options.latex:
            folder = folder_of(options.latex, RESULTS)
            print(latex(table_of(folder, "summary.csv")), end="")
        elif options.runs:
            print(compared(options.runs), end="")
        else:
            write(RESULTS)
    except ConfigError as error:
        sys.exit(f"compare.py: {error}")


def write(results: Path) -> None:
    """Write everything that is computed from the rows, configs and lists of a results folder."""
    for path in sorted(results.glob("*/rows.parquet")):
        remake(path.parent)
    claims = compare(results / "paper.yaml", results)
    write_text(results / "claims.csv", as_csv(claims))
    write_text(results / "tuning.csv", as_csv(tunings.tunings(claims, results)))
    write_text(results / "gaps.csv", as_csv(tunings.gaps(results)))
    of_labels = labels.labels(results)
    write_text(results / "labels.csv", as_csv(of_labels))
    statements = headline(results / "headline.yaml", claims, of_labels, results.parent)
    write_text(results / "headline.csv", as_csv(statements))
    write_text(results / "index.html", pages.front(claims, statements, results))
    doc_tables.write(results.parent)
    print(aligned(statements[["figure", "statement", "verdict"]], 90), end="")
    print(f"claims: {counts(claims)}; all are in {results / 'claims.csv'}")


def remake(folder: Path) -> None:
    """Write the tables and differences.txt of a run again, from its rows, its config and labels."""
    record = provenance_of(folder)
    kind = kinds.load(record["config"]["protocol"]["kind"])
    config = stored_config(record["config"], kind)
    for name, entry in (config.method.get("scorers") or {}).items():
        entry.label = entry_of(name).get("label", entry.label)
    tables = tables_of(kind, tables_in(folder), config)
    for name, table in tables.items():
        write_text(folder / f"{name}.csv", as_csv(table))
    lines = differences(config)
    write_text(folder / "differences.txt", "".join(f"{line}\n" for line in lines))
    add_files(folder, ["differences.txt", *(f"{name}.csv" for name in tables)])


def compared(names: list[str]) -> str:
    """Return the measure of runs side by side, and the differences from the first."""
    folders: dict[str, Path] = {}
    for name in names:
        folders |= runs_in(name, RESULTS)
    if len(folders) < 2:
        raise ConfigError(f"give two runs or more to compare, got {', '.join(names)}")
    tables = {name: table_of(folder, "summary.csv") for name, folder in folders.items()}
    short = {Path(name).name: table for name, table in tables.items()}
    return side_by_side(short if len(short) == len(tables) else tables)


if __name__ == "__main__":
    main()
