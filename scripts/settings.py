"""The paper's settings beside those of stored results: differences.txt of each folder.

It follows from the configs of this revision, which say in ``published`` what the paper's are.
"""

from functools import cache
from pathlib import Path

from omegaconf import DictConfig

from experiments.files import write_text
from experiments.kinds import composed
from experiments.report.differences import differences
from experiments.report.stored import provenance_of


@cache
def config_of(folder: Path) -> DictConfig:
    """The config that this revision has for the run of a folder."""
    return composed(*provenance_of(folder)["overrides"])


def write_differences(folder: Path) -> None:
    """Write differences.txt of a folder of results, if it differs."""
    text = "".join(f"{line}\n" for line in differences(config_of(folder)))
    if (folder / "differences.txt").read_text(encoding="utf-8") != text:
        write_text(folder / "differences.txt", text)
