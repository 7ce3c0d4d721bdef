"""The reader of claims whose results have left the tree: ``results/ARCHIVE.md`` tells of them."""

from experiments.config import CONFIGS
from experiments.report.claims.outcome import Estimate, Missing
from experiments.report.claims.results_folder import ResultsFolder

ARCHIVE = CONFIGS.parent / "results" / "ARCHIVE.md"


def told(results: ResultsFolder, folder: str) -> Estimate:
    """Raise Missing with what the archive tells of a folder: without rows nothing is compared."""
    lines = ARCHIVE.read_text(encoding="utf-8").splitlines()
    entries = dict(line[2:-2].split(" | ", 1) for line in lines if line.startswith("| `"))
    raise Missing(f"results/ARCHIVE.md, {folder}: {entries[f'`{folder}`']}")
