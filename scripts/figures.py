"""Draw figures and pages again from stored results, in seconds.

python scripts/figures.py                     the figures of every experiment in results/
python scripts/figures.py colon               the figures of one experiment
python scripts/figures.py outputs/colon/...   the figures of a run, in its folder
"""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from experiments.config import ConfigError
from experiments.report import figures, labels, pages, tunings
from experiments.report.stored import add_files, finished_run, folder_of, with_results

RESULTS = Path(__file__).resolve().parents[1] / "results"


def main(arguments: list[str] | None = None) -> None:
    names = with_results(RESULTS)
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names))
    try:
        folders = [folder_of(name, RESULTS) for name in parser.parse_args(arguments).names or names]
        for folder, record in [(folder, finished_run(folder)) for folder in folders]:
            written = [*figures.draw(record["config"]["figure"], folder), pages.write(folder)]
            add_files(folder, [path.name for path in written])
            print(*written, sep="\n")
            if folder == RESULTS / tunings.FOLDER:
                figures.draw("tuning", RESULTS)
            if folder.parent == RESULTS and folder.name in labels.FOLDERS:
                figures.draw("labels", RESULTS)
    except ConfigError as error:
        sys.exit(f"figures.py: {error}")


if __name__ == "__main__":
    main()
