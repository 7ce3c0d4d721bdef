"""Set the paper's numbers beside the results of this repository.

    python scripts/compare.py [--results FOLDER]

Prints the claims that have a verdict and how many have none. Writes all claims to claims.csv and
claims.md in the folder, and together with figures and tables to index.html. The exit status says
nothing about agreement, since a difference is a finding.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from experiments.atomic import atomic_write
from experiments.report.claims import compare
from experiments.report.claims.render import by_experiment, terminal
from experiments.report.html import page

RESULTS = Path(__file__).resolve().parents[1] / "results"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=RESULTS, help="default: results/")
    results = parser.parse_args(arguments).results
    claims = compare(RESULTS / "paper.yaml", results)
    with atomic_write(results / "claims.csv") as part:
        claims.to_csv(part, index=False, float_format="%.6g", lineterminator="\n")
    for name, text in (("claims.md", by_experiment(claims)), ("index.html", page(claims, results))):
        with atomic_write(results / name) as part:
            part.write_text(text, encoding="utf-8", newline="\n")
    print(terminal(claims))
    print(f"all of them, with notes: {results / 'claims.md'}, {results / 'index.html'}")


if __name__ == "__main__":
    main()
