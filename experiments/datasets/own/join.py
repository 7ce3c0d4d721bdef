"""Join a user's table with a second one, which has columns about the same samples."""

import numpy as np
import pandas as pd

from experiments.datasets.dataset import shown, some
from experiments.datasets.own import roles
from experiments.datasets.own.faults import Faults
from experiments.datasets.own.numerals import numbers
from experiments.datasets.own.reading import Reading, check_names


def join(reading: Reading, second: pd.DataFrame, faults: Faults) -> None:
    """Add columns of a second table by row names; errors in those that are used are its own."""
    second = _usable(reading, second, faults)
    index = _index_for(reading, second)
    at = _key(second, index)
    theirs = second.iloc[:, at]
    column = shown(second.columns[at])
    again = theirs.duplicated(keep=False)
    if again.any():
        told = f"{some(theirs.index[again])}: {shown(theirs[again].iloc[0])}"
        faults.refuse(f"{told} in {column} and others are repeated; keep one of each")
    mine = reading.frame[index]
    lacking = mine[~mine.isin(theirs)]
    more = theirs[~theirs.isin(mine)]
    if len(lacking):
        _leave_out_or_refuse(reading, lacking, more, column)
    frame = reading.frame
    second = second.set_index(theirs).loc[frame[index]].set_axis(frame.index)
    _compare(reading, second)
    new = [name for name in second.columns.delete(at) if name not in frame]
    reading.frame = pd.concat([frame, second[new]], axis=1)
    reading.notes.append(f"joined with {reading.options.labels} by its column {column}")
    if len(more):
        reading.notes.append(f"{len(more)} of its samples are not in the table: {some(more)}")
    _note_persons(reading, second[new])


def _usable(reading: Reading, second: pd.DataFrame, faults: Faults) -> pd.DataFrame:
    """Return the columns of a second table that are first, or used, or have their own name."""
    is_needed = second.columns.isin([*reading.taken, reading.index])
    check_names(second.columns[is_needed].tolist(), faults)
    is_first = np.arange(second.shape[1]) == 0
    is_repeated = second.columns.duplicated(keep=False)
    return second.loc[:, is_first | is_needed | ~is_repeated]


def _index_for(reading: Reading, second: pd.DataFrame) -> str:
    """Return the column of row names; if there is none, refuse and name the one that fits."""
    index, options = reading.index, reading.options
    if not reading.turned and (index is None or not _fits(reading, second, index)):
        for name in reading.own:
            if name != options.target and _fits(reading, second, name):
                told = f"the column {shown(name)} has the names of {options.labels}: set "
                reading.faults.refuse(f"{told}dataset.index={name}", index=name)
    if index is None or (index == "" and all(reading.frame[""].str.isdigit())):
        reading.faults.refuse("the file has no sample names; set dataset.index=COLUMN")
    return index


def _key(second: pd.DataFrame, index: str) -> int:
    """Return the place of the row names in a second table: by this name, or the first."""
    called = index.casefold()
    return next((j for j, name in enumerate(second) if str(name).casefold() == called), 0)


def _fits(reading: Reading, second: pd.DataFrame, name: str) -> bool:
    """Return whether a column has only row names of a second table, which has each once."""
    theirs = second.iloc[:, _key(second, name)]
    return bool(reading.frame[name].isin(theirs).all()) and theirs.is_unique


def _leave_out_or_refuse(
    reading: Reading, lacking: pd.Series, more: pd.Series, column: str
) -> None:
    """Leave out or refuse samples that are not in the second table, or in another spelling."""
    options, frame = reading.options, reading.frame
    pairs = roles.alike(lacking, more)
    if pairs:
        both = some(f"{mine!r} and {theirs!r}" for mine, theirs in pairs.items())
        reading.faults.add(f"{both} differ by blanks, case or signs; use the same names")
    elif options.unlabelled:
        return reading.leave_out(~frame.index.isin(lacking.index))
    others = lacking[~lacking.isin(pairs)]
    rows = frame.loc[others.index].to_numpy()  # They are no samples if all have text.
    is_odd = all(np.isinf(numbers(row, options)).any() for row in rows) or not len(more)
    is_few = len(others) <= len(frame) / 2
    drops = others.tolist() if reading.turned and is_odd and is_few else []
    reading.faults.refuse(
        f"{some(lacking.index)}: {some(map(shown, lacking))} not in the column {column} of "
        f"{options.labels}, which also has {some(map(shown, more)) or 'no other'}; use "
        "the same names, or dataset.unlabelled=drop leaves these samples out",
        drop=drops,
        **({} if drops or len(more) else {"unlabelled": "drop"}),
    )


def _compare(reading: Reading, second: pd.DataFrame) -> None:
    """Report columns in use that both tables have, if they differ."""
    for name in reading.own:
        if name in reading.taken and name in second:
            different = reading.frame[name] != second[name]
            if different.any():
                place = reading.cell(int(different.argmax()), name)
                told = f"{place} has another value in the second file; remove one column"
                reading.faults.add(told)


def _note_persons(reading: Reading, new: pd.DataFrame) -> None:
    """Note new columns that repeat persons and are not used, so that samples may depend."""
    for name in new.columns:
        is_person = name not in reading.taken and roles.is_named(name, roles.WHO)
        if is_person and new[name].duplicated().any():
            reading.notes.append(
                f"{shown(name)} of {reading.options.labels} repeats and is not used: "
                f"dataset.groups={name} keeps its samples together"
            )
