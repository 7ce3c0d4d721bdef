"""Redraw figures and reports from stored results alone, in seconds.

python scripts/figures.py                     the figures of every experiment in results/
python scripts/figures.py colon               the figures of one experiment
python scripts/figures.py outputs/colon/...   the figures of a run, in its folder
"""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from experiments.config import ConfigError, one_of
from experiments.report import figures, pages
from experiments.report.stored import provenance_of

RESULTS = Path(__file__).resolve().parents[1] / "results"


def folder_of(name: str) -> Path:
    """The folder of a run: the given folder, or the one of an experiment in results/."""
    if (Path(name) / "provenance.json").is_file():
        return Path(name)
    return RESULTS / one_of(name, with_results(), "experiment with stored results")


def with_results() -> list[str]:
    """The experiments that have results in results/."""
    return sorted(path.parent.name for path in RESULTS.glob("*/provenance.json"))


def main(arguments: list[str] | None = None) -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(with_results()))
    try:
        for name in parser.parse_args(arguments).names or with_results():
            folder = folder_of(name)
            choice = provenance_of(folder)["config"]["figure"]
            print(*figures.draw(choice, folder), sep="\n")
            print(pages.write(folder, pages.PageFacts()))
    except ConfigError as error:
        sys.exit(f"figures.py: {error}")


if __name__ == "__main__":
    main()
