"""Set the paper's numbers beside the results of this repository.

    python scripts/compare.py [--results FOLDER]

Prints the claims that were run and how many were not; writes all of them to claims.csv and
claims.md in the folder. The exit status says nothing about agreement: a difference is a finding.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from experiments.claims import NOT_RUN, compare
from experiments.store import whole
from experiments.tables import markdown

RESULTS = Path(__file__).resolve().parents[1] / "results"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=RESULTS, help="default: results/")
    results = parser.parse_args().results
    table = compare(RESULTS / "paper.yaml", results)
    shown = table.round(2).astype(object).where(table.notna(), "")
    with whole(results / "claims.csv") as part:
        table.to_csv(part, index=False, float_format="%.6g", lineterminator="\n")
    with whole(results / "claims.md") as part:
        part.write_text(markdown(shown))
    run = shown[shown["verdict"] != NOT_RUN]
    print(run.to_string(index=False))
    counts = ", ".join(f"{n} {verdict}" for verdict, n in table["verdict"].value_counts().items())
    print(f"\n{len(table)} claims: {counts}; all of them in {results / 'claims.md'}")


if __name__ == "__main__":
    main()
