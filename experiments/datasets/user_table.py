"""A table of the user: its columns sorted out, its labels and values checked, its choices noted."""

import hashlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from experiments.datasets import child, formats
from experiments.datasets.child import LIMITS, Limits
from experiments.datasets.columns import TableOptions, as_texts, shown, some
from experiments.datasets.dataset import DataError, Dataset
from experiments.datasets.features import TOLD, features_of
from experiments.datasets.fingerprint import canonical_order
from experiments.datasets.joining import joined
from experiments.datasets.roles import Roles
from experiments.datasets.values import WORDS, both_readings, doubts, plain_numbers, read_column

#: So many classes or fewer are never taken for a continuous target.
FEW_CLASSES = 10


@dataclass(frozen=True, eq=False)
class UserTable(Dataset):
    """A data set that was read from a table of the user's.

    X may hold NaN if the user has said what becomes of missing values.

    Attributes
    ----------
    file_rows : ndarray (n_samples,)
        The row of the file that each sample stood in, from 0.
    row_names : tuple of str (n_samples,), or None
    index : str
        The name of the column of row names.
    notes : tuple of str
        Sentences on what was detected in the file, and what was left out.
    groups : tuple of str (n_samples,), or None
        The group of each sample, as `dataset.groups` names its column.
    adjust : mapping of str to list (n_samples,)
        Covariate -> its numbers, or its texts, as `dataset.adjust` names the columns.
    """

    file_rows: npt.NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    row_names: tuple[str, ...] | None = None
    index: str = "row"
    notes: tuple[str, ...] = ()
    groups: tuple[str, ...] | None = None
    adjust: Mapping[str, list] = field(default_factory=dict)


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
        raise DataError(
            f"there is no file {file}; give dataset.path, absolute or from {Path.cwd()}"
        )
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
    notes = [f"{file.name}: {columns.said}", *columns.notes]
    roles = Roles(file, columns, target, options, notes)
    faults: list[str] = []
    row_names, labels = roles.row_names, roles.labels
    if labels is None:
        labels = joined(file, target, row_names, roles.index, options, notes)
        if roles.own_labels is not None:
            pairs = zip(roles.own_labels, labels, strict=True)
            n = sum(bool(a and b and a.strip() != b.strip()) for a, b in pairs)
            notes.append(
                f"{'WARNING ' if n else ''}{shown(target)} is in both tables and differs in {n} of "
                f"{len(labels)} rows; the second table's was taken"
            )
    texts, kept = _labels(target, as_texts(labels), roles, options, faults, notes)
    groups, adjust = roles.apart(faults, kept)
    roles.leave_out(kept)
    own = _cut(target, texts[kept], options, faults, notes)
    y, label_names = _classes(target, own, faults)
    X, names = features_of(roles, kept, options, faults, notes)
    if faults:
        raise DataError(f"{file}: {_all(faults)}")
    order, fingerprint = canonical_order(X, y)
    if np.isnan(X).any():
        fingerprint = hashlib.sha256(f"{fingerprint}, {options.missing}".encode()).hexdigest()
    rows = kept[order]
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
        notes=tuple(notes),
        groups=None if groups is None else tuple(groups[row] for row in rows),
        adjust={name: [values[row] for row in rows] for name, values in adjust.items()},
    )


def _all(faults: Sequence[str]) -> str:
    """All faults as one text."""
    if len(faults) == 1:
        return faults[0]
    numbered = (f"({number}) {fault}" for number, fault in enumerate(faults, 1))
    return f"{len(faults)} things are to be settled: {'; '.join(numbered)}"


def _labels(
    target: str, cells: list, roles: Roles, options: TableOptions, faults: list[str], notes
) -> tuple[npt.NDArray, npt.NDArray[np.intp]]:
    """The labels without blanks at their ends, and the rows that have one."""
    texts = np.array(["" if cell is None else cell.strip() for cell in cells], dtype=object)
    if cut := sum(cell is not None and cell != cell.strip() for cell in cells):
        notes.append(f"blanks at the ends of {cut} labels were cut")
    words = {t for t in set(texts) if t in options.na or t.lower() in WORDS}
    absent = texts == ""
    told = [f"{(texts == word).sum()} rows have {shown(word)}" for word in sorted(words)]
    if words and options.unlabelled != "class":
        absent |= np.isin(texts, sorted(words))
    rows = np.flatnonzero(absent)
    if len(rows) and options.unlabelled == "drop":
        notes.append(f"{len(rows)} samples without a label were left out: {roles.called(rows)}")
    elif words and options.unlabelled is None:
        faults.append(
            f"{' and '.join(told)} in {shown(target)}, the target, which may be a missing label "
            "(dataset.unlabelled=drop leaves these samples out) or a class "
            "(dataset.unlabelled=class)"
        )
    empty = np.flatnonzero(texts == "")
    if len(empty) and options.unlabelled != "drop":
        faults.append(
            f"{len(empty)} rows have no value in {shown(target)}, the target "
            f"({roles.called(empty)}); dataset.unlabelled=drop leaves them out"
        )
    kept = np.flatnonzero(~absent)
    notes += doubts(set(texts[kept]), target, "classes")
    return texts, kept


def _cut(
    target: str, labels: npt.NDArray, options: TableOptions, faults: list[str], notes: list[str]
) -> npt.NDArray:
    """The labels; if a value is given, "<= VALUE" and "> VALUE" in place of their numbers."""
    cut = options.cut
    if cut is None:
        return labels
    read = read_column(labels.tolist(), target, replace(options, numbers=(target,)), set())
    if read.faults or np.isnan(read.values).any():
        texts = read.faults.get("signs") or {}
        told = "".join(f"; {both_readings(text)}" for text in list(texts)[:1])
        wrong = [text for cells in read.faults.values() for text in cells]
        wrong += labels[np.isnan(read.values)].tolist()
        called = some(map(shown, wrong))
        faults.append(f"dataset.cut={cut:g} needs numbers, and {shown(target)} has {called}{told}")
        return labels
    notes += [f"the target {shown(target)} has {TOLD[kind]}" for kind in sorted(read.told)]
    names = np.array([f"<= {cut:g}", f"> {cut:g}"], dtype=object)
    return names[(read.values > cut).astype(int)]


def _classes(
    target: str, labels: npt.NDArray, faults: list[str]
) -> tuple[npt.NDArray[np.int64], Mapping[int, str]]:
    """The codes of the labels, whose texts are sorted; as numbers if all of them are."""
    counts = Counter(labels)
    values = sorted(counts)
    try:
        values.sort(key=float)
    except ValueError:
        are_numbers = False
    else:
        are_numbers = True
    if are_numbers and len(values) > max(FEW_CLASSES, len(labels) / 3):
        faults.append(
            f"{shown(target)} has {len(values)} different numbers in {len(labels)} rows and "
            "looks continuous; dataset.cut=VALUE makes two classes, up to a value and above it"
        )
    elif len(values) < 2 and not faults:
        faults.append(
            f"at least two classes are needed, but {shown(target)} has "
            f"{', '.join(map(shown, values)) or 'none'} in all {len(labels)} rows"
        )
    elif single := [value for value in values if counts[value] == 1]:
        faults.append(
            f"{len(single)} of {len(values)} classes in {shown(target)} have a single sample "
            f"({some(map(shown, single))}); each needs two, and a continuous target has no classes"
        )
    code = {value: number for number, value in enumerate(values)}
    y = np.array([code[label] for label in labels], dtype=np.int64)
    return y, dict(enumerate(values))


def refuse_with_columns(file: Path, target: None, options: TableOptions) -> UserTable:
    """Raise a DataError that lists the columns, and those that could be the target."""
    columns = formats.read(file, options)
    lines, could = [], []
    for name, values in [
        *columns.attributes.items(),
        *zip(columns.names, columns.values, strict=True),
    ]:
        texts = [text for text in as_texts(values) if text and text.lower() not in WORDS]
        different = Counter(text.strip() for text in texts)
        numbers = plain_numbers([text.strip() for text in texts]) is not None
        listing = some(map(shown, sorted(different)), 4) if len(different) <= 5 else ""
        n_gaps = len(values) - len(texts)
        lines.append(
            f"  {shown(name)}: {'numbers' if numbers and texts else 'text'}, "
            f"{len(different)} different{f' ({listing})' if listing else ''}"
            + (f", {n_gaps} gaps" if n_gaps else "")
        )
        is_coded = len(different) <= 5 or not numbers
        if 2 <= len(different) <= min(10, len(texts) // 2) and is_coded:
            could.append(name)
    most = 60
    if len(lines) > most:
        lines = [*lines[:most], f"  and {len(lines) - most} more"]
    could.sort(key=lambda name: name not in columns.attributes and name != columns.names[-1])
    command = f"dataset.path={file} dataset.target={(could or columns.names[-1:] or ['NAME'])[0]}"
    raise DataError(
        f"{file}: a target is needed, the column of the classes; "
        + (
            f"it could be {some(map(shown, could))}: {command}"
            if could
            else f"no column has a "
            f"few different values; {command}, or dataset.labels=FILE with the target in it"
        )
        + f"\n{len(columns.names)} columns, {len(next(iter(columns.values), ()))} rows\n"
        + "\n".join(lines)
    )
