"""A table of the user: its columns sorted out, its labels and values checked, its choices noted."""

import hashlib
import os
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.datasets import child, formats
from experiments.datasets.child import LIMITS, Limits
from experiments.datasets.columns import TableOptions, as_texts, trimmed
from experiments.datasets.dataset import DataError, Dataset
from experiments.datasets.features import features_of
from experiments.datasets.fingerprint import canonical_order
from experiments.datasets.joining import joined
from experiments.datasets.orientation import one_column, rows_of_few
from experiments.datasets.roles import Roles
from experiments.datasets.values import (
    MISSING,
    NUMBER,
    WORDS,
    doubts,
    far_from_others,
    is_missing,
    read_column,
    signs_in,
)
from experiments.datasets.wording import counted, listed, setting, shown, some

#: So many classes or fewer are never taken for a continuous target.
FEW_CLASSES = 10
#: More classes that are numbers are told.
FEW_NUMBERS = 5
#: Columns that are listed for a user who names no target.
MOST_LISTED = 60


@dataclass(frozen=True, eq=False)
class UserTable(Dataset):
    """A data set that was read from a table of the user's.

    X may hold NaN if the user has said what becomes of missing values.

    Attributes
    ----------
    file_rows : ndarray of shape (n_samples,)
        The row of the file that each sample stood in, from 0.
    row_names : tuple of str (n_samples,), or None
    index : str
        The name of the column of row names.
    notes : tuple of str
        Sentences on what was detected in the file, and what was left out.
    n_unlabelled : int
        Samples of the file that were left out, without a label.
    groups : tuple of str (n_samples,), or None
        The group of each sample, as `dataset.groups` names its column.
    adjust : mapping of str to list (n_samples,)
        Covariate -> its numbers, or its texts, as `dataset.adjust` names the columns.
    codes : mapping of str to list of (str, mapping of str to float)
        Feature -> its column of text, and the number of each text in it.
    numbers : mapping of str to object
        Reading of texts as numbers: `missing` (spellings of a missing value), `below_limit` (as the
        option), and the features with a decimal `comma`, `points` between thousands, `thousands`.
    """

    file_rows: npt.NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    row_names: tuple[str, ...] | None = None
    index: str = "row"
    notes: tuple[str, ...] = ()
    n_unlabelled: int = 0
    groups: tuple[str, ...] | None = None
    adjust: Mapping[str, list] = field(default_factory=dict)
    codes: Mapping[str, list] = field(default_factory=dict)
    numbers: Mapping[str, Any] = field(default_factory=dict)


def load_file(
    path: str | os.PathLike[str] | None,
    target: str | None,
    limits: Limits = LIMITS,
    options: TableOptions = formats.DEFAULT,
) -> UserTable:
    """Read a table of the user in a child process, within limits.

    Parameters
    ----------
    path : path
        A file in one of :data:`experiments.datasets.formats.FORMATS`.
    target : str
        The column of the labels; for .npz and .mat the array, beside the features in X.
    limits : Limits
    options : TableOptions

    Returns
    -------
    UserTable

    Raises
    ------
    DataError
        See :func:`read_table`; if reading meets a limit; or if the target is None: the error then
        lists the columns.
    """
    if path is None:
        raise DataError(
            "the data set 'file' needs a path and a target: "
            "dataset=file dataset.path=my.csv dataset.target=label"
        )
    file = Path(path).expanduser()
    if not file.is_file():
        raise DataError(f"there is no file {file}; give its path, absolute or from {Path.cwd()}")
    limits.check_file(file)
    packages = {*formats.libraries(file), *formats.libraries(Path(options.labels or file))}
    work = read_table if target is not None else refuse_with_columns
    return UserTable.of(
        child.run(work, file, target, options, what=str(file), limits=limits, libraries=packages)
    )


def read_table(file: Path, target: str, options: TableOptions = formats.DEFAULT) -> UserTable:
    """Read a table of the user. Its labels become 0..C-1 in their sorted order.

    Returns
    -------
    UserTable
        float64, rows in canonical order, not verified: nobody else knows this table. Values are
        missing only if the options say what becomes of them.

    Raises
    ------
    DataError
        If it cannot be read; if the target, or a column that is named, is not there. All faults of
        the cells are in one error: two columns of one name; text in a feature; values that are
        missing, infinite, or have two readings; labels that are missing; fewer than two classes, or
        a class of a single sample.
    """
    columns = formats.read(file, options, target)
    if columns.label and (options.transpose or options.labels):
        raise DataError(
            f"{file}: the arrays hold samples in rows, and their labels; leave out "
            "dataset.transpose and dataset.labels"
        )
    roles = Roles(file, columns, target, options)
    texts = _labels(roles, joined(roles) if roles.labels is None else as_texts(roles.labels))
    groups, adjust = roles.apart()
    roles.leave_out()
    y, label_names = _classes(roles, _cut(roles, texts))
    X, names = features_of(roles)
    if len(faults := roles.faults) > 1:
        numbered = "; ".join(f"({number}) {fault}" for number, fault in enumerate(faults, 1))
        raise DataError(f"{file}: {len(faults)} things are to be settled: {numbered}")
    if faults:
        raise DataError(f"{file}: {faults[0]}")
    order, fingerprint = canonical_order(X, y)
    if np.isnan(X).any():
        fingerprint = hashlib.sha256(f"{fingerprint}, {options.missing}".encode()).hexdigest()
    rows, row_names = roles.kept[order], roles.row_names
    return UserTable(
        name="file",
        X=np.ascontiguousarray(X[order]),
        y=y[order],
        label_names=label_names,
        feature_names=tuple(names) if columns.named else None,
        fingerprint=fingerprint,
        source=f"A table of the user's, {file.name}, with the labels {target}.",
        file_rows=rows,
        row_names=None if row_names is None else tuple(row_names[row] for row in rows),
        index=roles.index or "row",
        notes=tuple(roles.notes),
        n_unlabelled=len(texts) - len(roles.kept),
        groups=None if groups is None else tuple(groups[at] for at in order),
        adjust={name: [values[at] for at in order] for name, values in adjust.items()},
        codes={name: roles.codes[name] for name in names if name in roles.codes},
        numbers={
            "missing": sorted({*MISSING, *options.na}),
            "below_limit": options.below_limit,
            **roles.written,
        },
    )


def _labels(roles: Roles, cells: list[str | None]) -> npt.NDArray:
    """The labels of the rows that have one, which are kept, without blanks at their ends."""
    options, target, notes = roles.options, shown(roles.target), roles.notes
    texts = np.array([trimmed(cell) for cell in cells], dtype=object)
    if cut := sum(cell is not None and cell != cell.strip() for cell in cells):
        notes.append(f"blanks at the ends of {cut} labels were cut")
    words = sorted(t for t in set(texts) if t and is_missing(t, options))
    empty = texts == ""
    absent = empty | np.isin(texts, [] if options.unlabelled == "class" else words)
    if words and options.unlabelled is None:
        told = [f"{counted((texts == word).sum(), 'row')} {shown(word)}" for word in words]
        roles.faults.append(
            f"{' and '.join(told)} in {target}, the target, which may be a missing label "
            "(dataset.unlabelled=drop leaves these samples out) or a class "
            "(dataset.unlabelled=class)"
        )
    if options.unlabelled != "drop" and empty.any():
        blocks = 2 * empty.sum() > len(texts) and not empty[0]
        down = "fill labels down if one holds for the rows below it; " if blocks else ""
        roles.faults.append(
            f"{counted(empty.sum(), 'row')} no value in {target}, the target "
            f"({roles.called(np.flatnonzero(empty))}); {down}"
            "dataset.unlabelled=drop leaves them out"
        )
    elif options.unlabelled == "drop" and absent.any():
        called = roles.called(np.flatnonzero(absent))
        notes.append(f"{absent.sum()} samples without a label were left out: {called}")
    roles.kept = np.flatnonzero(~absent)
    notes += doubts(set(texts[roles.kept]), roles.target, "classes")
    return texts[roles.kept]


def _cut(roles: Roles, labels: npt.NDArray) -> npt.NDArray:
    """The labels; if a value is given, "<= VALUE" and "> VALUE" in place of their numbers."""
    cut, target = roles.options.cut, roles.target
    if cut is None:
        return labels
    as_numbers = replace(roles.options, numbers=[target])
    signs = roles.signs(of_second=roles.second is not None)
    read = read_column(labels.tolist(), target, as_numbers, signs)
    wrong = [text for cells in read.faults.values() for text in cells]
    wrong += labels[np.isnan(read.values)].tolist()
    if wrong:
        called = some(roles.placed(read.faults.values()) or map(shown, dict.fromkeys(wrong)))
        told = read.doubt
        told += "; dataset.below_limit reads a limit" if "limit" in read.faults else ""
        roles.faults.append(
            f"dataset.cut={cut:g} needs numbers, and {shown(target)} has {called}{told}; "
            f"{listed('na', dict.fromkeys(wrong))} dataset.unlabelled=drop leaves them out"
        )
        return labels
    roles.notes += [f"the target {shown(target)} has {remark}" for remark in read.remarks]
    roles.notes += far_from_others(read.values, target)
    return np.where(read.values > cut, f"> {cut:g}", f"<= {cut:g}").astype(object)


def _classes(roles: Roles, labels: npt.NDArray) -> tuple[npt.NDArray[np.int64], Mapping[int, str]]:
    """The codes of the labels, whose texts are sorted; as numbers if all of them are."""
    target, faults = shown(roles.target), roles.faults
    counts = Counter(labels)
    values = sorted(counts)
    with suppress(ValueError):
        values.sort(key=float)
    many = len(values) > max(FEW_CLASSES, len(labels) / 3)
    as_numbers = replace(roles.options, numbers=[roles.target])
    if roles.options.cut is not None and not any(v.startswith(("<= ", "> ")) for v in values):
        pass  # The labels that are no numbers are told already.
    elif many and not read_column(values, roles.target, as_numbers, set()).is_text:
        faults.append(
            f"{target} has {len(values)} different numbers in {len(labels)} rows and "
            "looks continuous; dataset.cut=VALUE makes two classes, up to a value and above it"
        )
    elif len(values) < 2 and not faults:
        faults.append(
            f"at least two classes are needed, but {target} has "
            f"{', '.join(map(shown, values)) or 'none'} in all {len(labels)} rows"
        )
    elif single := [value for value in values if counts[value] == 1]:
        at = {
            label: roles.columns.at(int(row)) for row, label in zip(roles.kept, labels, strict=True)
        }
        where = [f"{shown(value)} in {at[value]}" for value in single]
        are_numbers = all(map(NUMBER.fullmatch, values))
        advice = "; dataset.cut=VALUE makes two classes of numbers" if are_numbers else ""
        if len(single) == len(values) and not are_numbers:
            advice = "; is it the column of the classes?"
        elif formats.takes("skip", roles.file) and not (
            are_numbers or roles.options.transpose or roles.columns.turned
        ):
            skip = listed("skip", [at[value].split()[1] for value in single])
            advice = f"; if a row is no sample, {skip} leaves it out"
        # Notes, as on the classes 'yes' and 'Yes', are not shown beside an error.
        advice += "".join(f"; {told}" for told in doubts(values, roles.target, "classes"))
        faults.append(
            f"{len(single)} of {len(values)} classes in {target} have a single sample "
            f"({some(where)}); each needs two{advice}"
        )
    elif (
        roles.options.cut is None
        and len(values) > FEW_NUMBERS
        and all(map(NUMBER.fullmatch, values))
    ):
        roles.notes.append(
            f"WARNING each of the {len(values)} numbers in {target} is a class; dataset.cut=VALUE "
            "makes two classes, up to a value and above it"
        )
    code = {value: number for number, value in enumerate(values)}
    y = np.array([code[label] for label in labels], dtype=np.int64)
    return y, dict(enumerate(values))


def refuse_with_columns(file: Path, target: None, options: TableOptions) -> UserTable:
    """Raise a DataError that lists the columns, and those that could be the target."""
    columns = formats.read(file, options)
    signs = signs_in(text for values in columns.values for text in as_texts(values))
    limits = replace(options, below_limit="value")
    lines, could = [], []
    named = [*columns.attributes.items(), *zip(columns.names, columns.values, strict=True)]
    for name, values in named:
        texts = [text.strip() for text in as_texts(values) if text and text.lower() not in WORDS]
        different = sorted(set(texts))
        read = read_column(list(texts), name, limits, signs)
        are_numbers = not read.is_text and not read.faults
        listing = f" ({some(map(shown, different), 4)})" if 0 < len(different) <= 5 else ""
        n_gaps = len(values) - len(texts)
        lines.append(
            f"  {shown(name)}: {'numbers' if are_numbers and texts else 'text'}, "
            f"{len(different)} different{listing}" + (f", {n_gaps} gaps" if n_gaps else "")
        )
        is_coded = len(different) <= 5 or not are_numbers
        if 2 <= len(different) <= min(10, len(texts) // 2) and is_coded:
            could.append(name)
    if len(lines) > MOST_LISTED:
        lines[MOST_LISTED:] = [f"  and {len(lines) - MOST_LISTED} more"]
    could.sort(key=lambda name: name not in columns.attributes and name != columns.names[-1])
    command = f"python run.py experiment=select {setting('path', file)}"
    in_rows = [] if could else rows_of_few(columns)
    if could:
        advice = f"it could be {some(map(shown, could))}: {command} {setting('target', could[0])}"
    elif in_rows:
        advice = (
            f"it could be the row {some(map(shown, in_rows))}, and samples are in columns: "
            f"{command} {setting('target', in_rows[0])} dataset.transpose=true"
        )
    elif len(columns.names) == 1:
        advice = one_column(columns)
    else:
        advice = (
            "no column has a few different values; dataset.labels=FILE names a second table with "
            "the target in it, and dataset.transpose=true takes samples from columns"
        )
    told = "".join(f"  {note}\n" for note in columns.notes)
    raise DataError(
        f"{file}: a target is needed, the column of the classes; {advice}\n"
        f"{len(columns.names)} columns, {len(next(iter(columns.values), ()))} rows "
        f"({columns.said})\n{told}" + "\n".join(lines)
    )
