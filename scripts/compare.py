"""Set the paper's numbers beside the results of this repository.

    python scripts/compare.py [--results FOLDER]

Prints the claims that have a verdict and how many have none. Writes all claims to claims.csv and
claims.md in the folder, and together with figures and tables to index.html; for the folder of this
repository also the counts in docs/results.md. The exit status says nothing about agreement, since a
difference is a finding.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from experiments.atomic import atomic_write
from experiments.report.claims import FLAGS, compare
from experiments.report.claims.render import by_experiment, summary_table, terminal
from experiments.report.html import page
from scripts.readme import says

RESULTS = Path(__file__).resolve().parents[1] / "results"
#: What stands between these marks in docs/results.md is written here.
PROSE, MARKS = RESULTS.parent / "docs" / "results.md", ("<!-- verdicts -->\n", "<!-- end -->\n")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=RESULTS, help="default: results/")
    results = parser.parse_args(arguments).results
    claims = compare(RESULTS / "paper.yaml", results)
    with atomic_write(results / "claims.csv") as part:
        claims.drop(columns=list(FLAGS)).to_csv(
            part, index=False, float_format="%.6g", lineterminator="\n"
        )
    front = page(claims, results, says(results))
    for name, text in (("claims.md", by_experiment(claims)), ("index.html", front)):
        with atomic_write(results / name) as part:
            part.write_text(text, encoding="utf-8", newline="\n")
    if results.resolve() == RESULTS:
        before, first, rest = PROSE.read_text(encoding="utf-8").partition(MARKS[0])
        after = rest.partition(MARKS[1])[2]
        with atomic_write(PROSE) as part:
            text = f"{before}{first}\n{summary_table(claims)}\n{MARKS[1]}{after}"
            part.write_text(text, encoding="utf-8", newline="\n")
    print(terminal(claims))
    print(f"all of them, with notes: {results / 'claims.md'}, {results / 'index.html'}")


if __name__ == "__main__":
    main()
