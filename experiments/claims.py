"""The paper's numbers beside ours: what was published, what was measured, and whether they agree.

``results/paper.yaml`` holds every number of the paper; a reader below says where its counterpart
stands in the tables of ``results/EXPERIMENT``. A number without a reader, or an experiment without
results, is reported as not run: no claim is left out of the table.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import OmegaConf

from experiments.config import plain

AGREES, DIFFERS, NOT_RUN = "agrees", "differs", "not run"
#: Parts of the file that describe how an experiment is done, and claim nothing.
SETTINGS = {"n", "data", "grids", "n_per_class", "classes", "test"}


@dataclass(frozen=True)
class Measured:
    """Our counterpart of a claim: a value with its interval, or the answer to a statement."""

    value: float
    low: float = np.nan
    high: float = np.nan
    holds: bool | None = None

    def verdict(self, published: Any) -> str:
        """Whether the published number lies in our interval; without one, whether it is ours."""
        if self.holds is not None:
            return AGREES if self.holds else DIFFERS
        if np.isnan(self.low):
            return AGREES if self.value == published else DIFFERS
        return AGREES if self.low <= published <= self.high else DIFFERS


def flatten(claims: dict, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Path and content of every claim; [value, deviation, ...] counts as its first number."""
    for name, content in claims.items():
        if name in SETTINGS:
            continue
        here = (*path, str(name))
        if isinstance(content, dict):
            yield from flatten(content, here)
        elif isinstance(content, list) and content and isinstance(content[0], str):
            yield from (((*here, item), "fails") for item in content)
        else:
            yield here, content[0] if isinstance(content, list) else content


def compare(paper: Path, results: Path) -> pd.DataFrame:
    """Every claim of the paper beside our results.

    Parameters
    ----------
    paper : Path
        ``paper.yaml``.
    results : Path
        Folder with one folder an experiment.

    Returns
    -------
    DataFrame
        Columns claim, published, ours, ci_low, ci_high, verdict; NaN where not run.
    """
    rows = []
    for path, published in flatten(plain(OmegaConf.load(paper))):
        found = measure(path, results)
        rows.append(
            {
                "claim": ".".join(path),
                "published": published,
                "ours": np.nan if found is None else found.value,
                "ci_low": np.nan if found is None else found.low,
                "ci_high": np.nan if found is None else found.high,
                "verdict": NOT_RUN if found is None else found.verdict(published),
            }
        )
    return pd.DataFrame(rows)


def measure(path: tuple[str, ...], results: Path) -> Measured | None:
    """Our counterpart of the claim at a path of the file, None where there is none."""
    if path[:2] == ("icml", "table1_error_percent_std_features") and path[-1] == "colon":
        path = ("colon", "icml_error", path[2])
    reader = READERS.get(path[:2])
    folder = results / path[0]
    if reader is None or not (folder / "summary.csv").is_file():
        return None
    return reader(folder, *path[2:])


def _recovered(folder, method):
    row = _methods(folder).loc[method]
    return Measured(row["correct"], row["ci_low"], row["ci_high"])


def _fails(folder, method):
    """A method fails where it finds less than one of the two features, beyond doubt."""
    found = _recovered(folder, method)
    return Measured(found.value, found.low, found.high, holds=found.high < 1)


def _xor_order(folder):
    correct = _methods(folder)["correct"]
    rest = correct.drop(["manifest", "relieff"]).max()
    return Measured(np.nan, holds=correct["manifest"] > correct["relieff"] > rest)


def _best_accuracy(folder, method):
    table = _methods(folder, "paper")
    if method == "others_at_most":
        others = table.drop([name for name in table.index if name.startswith("manifest")])
        row = others.loc[others["accuracy"].idxmax()]
    else:
        row = table.loc[_name(method)]
    return Measured(*(100 * row[name] for name in ("accuracy", "ci_low", "ci_high")))


def _features(folder, method):
    table = _methods(folder, "paper")
    return None if method == "others" else Measured(table.loc[_name(method), "n_features"])


def _gap(folder):
    """Smaller than every competitor's, on average over the numbers of features.

    The other half of the claim, several kernel scales, is not read here.
    """
    curves = pd.read_csv(folder / "curves.csv").query("protocol == 'paper'")
    gaps = (curves["validation_mean"] - curves["test_mean"]).groupby(curves["method"]).mean()
    others = gaps.drop([name for name in gaps.index if name.startswith("manifest")])
    return Measured(100 * gaps["manifest"], holds=bool(gaps["manifest"] < others.min()))


def _error(folder, method):
    if method == "all_features":
        return None
    found = _best_accuracy(folder, method)
    return Measured(100 - found.value, 100 - found.high, 100 - found.low)


def _name(method):
    return method.replace("+", "_")


def _methods(folder, protocol=None):
    table = pd.read_csv(folder / "summary.csv")
    if protocol:
        table = table[table["protocol"] == protocol]
    return table.set_index("method")


READERS: dict[tuple[str, ...], Callable[..., Measured | None]] = {
    ("xor100", "correct_of_2"): _recovered,
    ("xor100", "fails"): _fails,
    ("xor100", "order"): _xor_order,
    ("colon", "best_test_acc"): _best_accuracy,
    ("colon", "at_features"): _features,
    ("colon", "gap"): _gap,
    ("colon", "icml_error"): _error,
}
