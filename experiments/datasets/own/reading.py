"""A user's table while its texts become numbers: what is known of it, and what is left out."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy.typing as npt
import pandas as pd

from experiments.config import TableConfig, suggest
from experiments.datasets.dataset import shown, some
from experiments.datasets.own.faults import Faults

#: Characters that a name must not have: line breaks and other control characters.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class Reading:
    """A table of texts, its options, and its faults.

    Attributes
    ----------
    frame : DataFrame of str
        A row for each sample; the index has the places of the rows, such as "line 2".
    own : list of str
        The columns of this file; a second table adds others to the frame.
    turned : bool
        Whether the columns of the file are the samples.
    word : {"row", "column"}
        What holds a feature in the file.
    is_loose : bool
        Whether a point may separate thousands.
    index, groups : str or None
        The columns of the row names and of the groups.
    taken : list of str or None
        The columns that options name: the groups, the classes, covariates and categories.
    notes : list of str
        Sentences about what was read and left out.
    """

    def __init__(self, frame: pd.DataFrame, options: TableConfig, faults: Faults) -> None:
        self.frame, self.options, self.faults = frame, options, faults
        self.own: list[str] = frame.columns.tolist()
        self.turned = options.transpose
        self.word = "row" if self.turned else "column"
        self.is_loose = frame.attrs.get("is_loose", False)
        self.index = None if options.index == "auto" else options.index
        self.groups = None if options.groups == "auto" else options.groups
        self.taken = [self.groups, options.target, *options.adjust, *options.onehot]
        self.notes: list[str] = []

    def cell(self, i: int, name: str) -> str:
        """Return the place of a cell in the file, and its text."""
        place = f"{self.frame.index[i]}, {self.word} {shown(name)}"
        return f"{place}: {shown(self.frame[name].iloc[i])}"

    def look_up(self, known: Iterable[str], **given: Sequence[str | None]) -> None:
        """Refuse names in options that are not in the file; groups and index may be null."""
        allowed = {None, *known}
        lost, settings = [], []
        for key, names in given.items():
            for name in names:
                if name not in allowed:
                    lost.append(name)
                    settings.append(f"dataset.{key}={name}")
        if lost:
            near = suggest(lost[0], dict.fromkeys(known))
            is_row = given.get("target") and self.options.target in self.frame.to_numpy()[:, :1]
            self.faults.refuse(
                f"{some(settings)}: no unused name in the header{near}; choose one, or remove "
                "lines above it",
                by_hand="the option or the file",
                **({"transpose": True} if is_row else {}),
            )

    def leave_out(self, is_kept: npt.NDArray) -> None:
        """Leave out samples without a class."""
        if not is_kept.any():
            self.faults.refuse("no sample has a class; correct dataset.target or dataset.labels")
        gone = some(map(shown, self.frame.index[~is_kept]), 3)
        self.notes.append(f"{(~is_kept).sum()} samples without a class were left out: {gone}")
        self.frame = self.frame[is_kept]


def check_names(
    names: Sequence[str], faults: Faults, ignored: Sequence[str] = (), word: str = "column"
) -> None:
    """Refuse names that are missing (except the first), repeated, or have line breaks."""
    counts, bad = Counter(names), []
    for number, name in enumerate(names, 1):
        is_named = name != "" or number == 1
        is_good = is_named and counts[name] == 1 and not CONTROL.search(name)
        if not is_good and name not in ignored:
            bad.append(f"{word} {number} ({shown(name)})")
    if bad:
        faults.refuse(f"{some(bad)}: give each a unique name on one line, or delete it")
