"""The paper's settings beside those of stored results: differences.txt, and the table of the docs.

Both follow from the configs of this revision, which say in ``published`` what the paper's are.
"""

from functools import cache
from pathlib import Path

import pandas as pd
from omegaconf import DictConfig

from experiments.config import topic_of
from experiments.files import write_text
from experiments.kinds import composed
from experiments.report.differences import differences, settings
from experiments.report.stored import provenance_of
from experiments.report.text import markdown

#: Topic of the experiments in the table.
TOPIC = "paper"
#: Key of a config -> its words; others are named by their last two parts.
WORDS = {
    "protocol.n_repetitions": "repetitions",
    "protocol.test_size": "test share",
    "protocol.inner_folds": "inner folds",
    "protocol.inner_repeats": "inner repeats",
    "protocol.grid_size": "values of a method's own grid",
    "protocol.log2_C": "log2 C",
    "protocol.log2_gamma": "log2 gamma",
    "protocol.fewer_splits": "fewer splits",
    "protocol.n_per_class": "samples of a class",
    "protocol.ranking_shares": "shares of the rows that rank",
    "protocol.ranking_samples": "rows that rank",
    "protocol.evaluated_draws": "draws that an SVM tests",
    "dataset.max_samples": "samples at most",
    "dataset.max_features": "features at most",
    "dataset.scaling": "scaling",
    "dataset.name": "data",
}


@cache
def config_of(folder: Path) -> DictConfig:
    """The config that this revision has for the run of a folder."""
    return composed(*provenance_of(folder)["overrides"])


def write_differences(folder: Path) -> None:
    """Write differences.txt of a folder of results, if it differs."""
    text = "".join(f"{line}\n" for line in differences(config_of(folder)))
    if (folder / "differences.txt").read_text(encoding="utf-8") != text:
        write_text(folder / "differences.txt", text)


def table(results: Path) -> str:
    """The settings of the paper's experiments, also on other data than its own, as Markdown.

    A row for each setting that differs, and one for all that are the paper's.
    """
    rows = []
    for folder in sorted(path.parent for path in results.glob("*/provenance.json")):
        published = provenance_of(folder)["config"].get("published", {})
        if topic_of(folder.name) != TOPIC and "dataset.name" not in published:
            continue
        told = settings(config_of(folder))
        name = f"`{folder.name}`"
        equal = [f"{_words(key)} {_short(ours)}" for key, ours, theirs in told if ours == theirs]
        for key, ours, theirs in told:
            if ours != theirs:
                rows.append([name, _words(key), ours, "all" if theirs == "null" else theirs])
                name = ""
        if equal:
            rows.append([name, f"as in the paper: {'; '.join(equal)}", "", ""])
    columns = ["results", "setting", "here", "the paper"]
    return markdown(pd.DataFrame(rows, columns=columns)).strip()


def _words(key: str) -> str:
    tail = " ".join(key.split(".")[-2:])
    return WORDS.get(key, tail.removeprefix("protocol ").removeprefix("params ").replace("_", " "))


def _short(value: str) -> str:
    """A value that fits a cell: "all" for null, a count for a long list."""
    if value in ("null", "no other"):
        return "all"
    n = value.count(",") + 1
    return f"all {n}" if value.startswith("[") and n > 4 else value
