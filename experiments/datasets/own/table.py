"""Read a user's table: one header row, one sample per row, classes, and numbers elsewhere.

All deviations are reported together, each with its place and a remedy. :mod:`texts` reads the file
into texts, :mod:`join` adds a second one, and :mod:`columns` converts the columns.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from experiments.config import TableConfig
from experiments.datasets.dataset import DataError, Dataset, shown, some
from experiments.datasets.own import roles
from experiments.datasets.own.columns import Columns
from experiments.datasets.own.faults import Faults
from experiments.datasets.own.join import join
from experiments.datasets.own.numerals import ABSENT, THOUSANDS, numbers
from experiments.datasets.own.reading import Reading, check_names
from experiments.datasets.own.texts import SEPARATORS, read_texts

#: The name of a transform -> a function of samples.
TRANSFORMS: dict[str, Any] = {
    "log1p": np.log1p,
    "log2": np.log2,
    "rank": partial(stats.rankdata, axis=1, nan_policy="omit"),
}
#: The valid values of options.
VALID = {
    "transform": tuple(TRANSFORMS),
    "sep": tuple(SEPARATORS),
    "missing": ("median", "drop"),
    "unlabelled": ("drop",),
    "decimal": (".", ","),
    "thousands": THOUSANDS,
}
#: Most columns that are compared with the header; the least number of classes by numbers, and of
#: samples in each, that are not taken for a measurement.
COLUMNS_OF_HEADER, MANY, OF_EACH = 1000, 11, 10
#: Most columns of repeated texts that are compared in pairs.
COMPARED = 20


@dataclass(frozen=True, eq=False)
class Table(Dataset):
    """A user's table; its samples are in the order of the file, on which its fingerprint depends.

    X is float64 and holds NaN where a value is missing, which only ``missing=median`` allows.

    Attributes
    ----------
    row_names : tuple of str (n_samples,), or None
    groups : tuple of str (n_samples,), or None
        Samples with equal texts belong together.
    adjust : mapping of str to list (n_samples,)
        Covariate -> its numbers as floats, or its categories as texts.
    notes : tuple of str
        Sentences about what was read and left out.
    """

    row_names: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    adjust: Mapping[str, list] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_table(
    options: TableConfig, *, max_gib: float = 4.0, command: str = "python run.py experiment=select"
) -> Table:
    """Read a user's table, or raise an error that lists all problems.

    Parameters
    ----------
    options : TableConfig
    max_gib : float
        Largest size of a file in GiB, on disk and unpacked.
    command : str
        The command of the run without the options of its table; each error message ends with it.

    Returns
    -------
    Table

    Raises
    ------
    DataError
        With all problems of the file and their places, in at most ten lines. The last line is a
        command with the options that resolve them, as far as options can.
    """
    if not options.path:
        raise DataError(f"name a file: {command} dataset.path=my.csv dataset.target=COLUMN")
    for key, values in VALID.items():
        if (value := getattr(options, key)) not in (None, *values):
            raise DataError(f"dataset.{key} must be null or one of {some(values)}, got {value!r}")
    if options.thousands == (options.decimal or "."):
        raise DataError(f"dataset.thousands must not be the decimal sign {options.thousands!r}")
    faults = Faults(options.path, options, command)
    reading = _opened(read_texts(options.path, options, faults, max_gib), options, faults)
    if options.labels:
        of_labels = Faults(options.labels, options, command, knows_options=False)
        alone = TableConfig(encoding=options.encoding, decimal=options.decimal)
        join(reading, read_texts(options.labels, alone, of_labels, max_gib), of_labels)
    return _table(reading)


def _opened(frame: pd.DataFrame, options: TableConfig, faults: Faults) -> Reading:
    """Check the header of a file and the names in options; samples become rows."""
    reading = Reading(frame, options, faults)
    names = reading.own
    _check_header(reading)
    reading.look_up(names, index=[reading.index])
    if reading.turned:
        frame = _transposed(reading)
    droppable = [name for name in [*frame, *names] if name != reading.index]
    reading.look_up(droppable, drop=options.drop)
    check_names(frame.columns.tolist(), faults, options.drop, reading.word)
    kept = frame.loc[:, ~frame.columns.isin(options.drop)]
    if reading.turned:
        kept = kept[~kept[reading.index].isin(options.drop)]
    reading.frame = kept
    reading.own = kept.columns.tolist()
    if options.index == "auto" and reading.own:
        first = reading.own[0]
        if roles.INDEX.fullmatch(first):
            reading.index = None if first in reading.taken[1:] else first
    _refuse_long(reading, frame)
    return reading


def _check_header(reading: Reading) -> None:
    """Refuse a first line that looks like the values of a sample (or of a feature)."""
    frame, options = reading.frame, reading.options
    target = options.target
    is_value = not reading.turned and target in frame and target in frame[[target]].to_numpy()
    part = frame.iloc[:, :COLUMNS_OF_HEADER]
    named = numbers(part.columns, options)
    if not is_value and np.isfinite(named).mean() > 0.5:
        values = numbers(part.to_numpy().ravel(), options).reshape(part.shape)
        is_value = roles.is_headless(values, named, reading.turned)
    if is_value and not options.header:
        reading.faults.refuse(
            f"line 1 looks like a {'feature' if reading.turned else 'sample'}: "
            f"{some(map(shown, frame))}; put names above it, or set dataset.header=true if "
            "these are names"
        )


def _transposed(reading: Reading) -> pd.DataFrame:
    """Return a file whose columns are samples with a row for each; its row names are the index."""
    frame = reading.frame
    samples = frame.columns.tolist()
    at = samples.index(reading.index) if reading.index in samples else 0
    reading.index = samples.pop(at)
    if len({*samples}) < min(2, len(samples)) or "" in samples or len(samples) < 2:
        told = f"the names of the samples in the header: {some(map(shown, samples), 3)}"
        reading.faults.refuse(f"{told}; give each sample its own")
    texts = np.vstack([samples, np.delete(frame.to_numpy(), at, axis=1)]).T
    places = [f"column {shown(name)}" for name in samples]
    return pd.DataFrame(texts, places, [reading.index, *frame.iloc[:, at]], object)


def _refuse_long(reading: Reading, whole: pd.DataFrame) -> None:
    """Refuse a long table, even if columns are dropped: two texts name each of its rows."""
    repeated = _repeated(reading, whole)
    n_others = len({*reading.own} - {*reading.taken, *repeated, reading.index})
    for one, other in combinations([*repeated][:COMPARED], 2):
        pairs = set(zip(repeated[one], repeated[other], strict=True))
        fewest = min(len(set(repeated[one])), len(set(repeated[other])))
        if len(pairs) == len(whole) and fewest >= n_others:
            reading.faults.refuse(
                f"the columns {shown(one)} and {shown(other)} name each row once, as in a long "
                f"table: use pandas' frame.pivot(index={one!r}, columns={other!r}, "
                f"values=COLUMN); if the table is not long, set dataset.groups={one}"
            )


def _repeated(reading: Reading, whole: pd.DataFrame) -> dict[str, list[str]]:
    """Return the columns of row names or words that have none of their texts only once."""
    repeated = {}
    for name, texts in zip(whole, whole.to_numpy().T.tolist(), strict=True):
        if name in reading.taken or min(Counter(texts).values()) == 1:
            continue
        n_words = np.isinf(numbers(texts, reading.options)).sum()
        if name == reading.index or 2 * n_words > len(texts):
            repeated[str(name)] = texts
    return repeated


def _table(reading: Reading) -> Table:
    """Return the table, or raise an error that lists all problems."""
    options, taken = reading.options, reading.taken
    free = [name for name in reading.frame.columns.tolist() if taken[1:].count(name) < 2]
    reading.look_up(free, target=[options.target or "COLUMN"], groups=[reading.groups])
    reading.look_up(free, adjust=options.adjust, onehot=options.onehot)
    has_class = (~reading.frame[options.target].str.strip().isin(ABSENT)).to_numpy()
    if options.unlabelled and not has_class.all():
        reading.leave_out(has_class)
    frame = reading.frame
    names = [name for name in reading.own if name not in {*taken, reading.index}]
    X = numbers(frame[names].to_numpy().ravel(), options).reshape(len(frame), len(names))
    row_names = None if reading.index is None else frame[reading.index].tolist()
    _check_rows(reading, X, row_names)
    y, label_names = _classes(reading)
    columns = Columns(reading)
    adjust = {name: columns.covariate(name) for name in options.adjust}
    groups = None if reading.groups is None else columns.group(reading.groups)
    for name, values in zip(names, X.T, strict=True):
        columns.check_feature(name, values)
    for name in options.onehot:
        block = columns.onehot(name)
        X = np.hstack([X, block])
        names = [*names, *block]
    check_names(names, reading.faults)
    X, names = _finished(reading, X, names)
    return Table(
        name="table",
        X=X,
        y=y,
        label_names=label_names,
        fingerprint=hashlib.sha256(X.tobytes() + y.tobytes()).hexdigest(),
        source=f"the file {options.path}",
        feature_names=tuple(names),
        row_names=tuple(row_names) if row_names else None,
        groups=groups,
        adjust=adjust,
        notes=tuple(reading.notes),
    )


def _check_rows(reading: Reading, X: npt.NDArray, row_names: list[str] | None) -> None:
    """Report rows of text, such as a second header or units, and invalid row names."""
    options, faults = reading.options, reading.faults
    is_word = np.isinf(X)
    of_numbers = 2 * is_word.sum(axis=0) < (~np.isnan(X)).sum(axis=0)
    n_words = is_word[:, of_numbers].sum(axis=1)
    is_text = (n_words > 1) & (2 * n_words > of_numbers.sum())
    names = pd.Series(row_names or range(len(X)), reading.frame.index).astype(str)
    if is_text.any():
        faults.refuse(
            f"{some(names.index[is_text])}: text in most columns; remove rows that are not "
            "samples, or list words for missing values in dataset.na",
            drop=names[is_text].tolist() if reading.turned else [],
        )
    is_twice = names.duplicated(keep=False) & (options.groups == "auto")
    is_odd = names.str.match(roles.NO_SAMPLE) | is_twice
    if is_odd.any():
        settings: dict[str, Any] = {"groups": reading.index} if is_twice.any() else {}
        faults.add(
            f"{some(names.index[is_odd])}: {shown(names[is_odd].iloc[0])} names no sample, or two; "
            f"remove or rename it, set dataset.groups={shown(reading.index)} to keep equal names "
            "together, or dataset.groups=null if they are independent",
            drop=names[is_odd & ~is_twice].tolist() if reading.turned else [],
            **settings,
        )


def _classes(reading: Reading) -> tuple[npt.NDArray[np.int64], dict[int, str]]:
    """Return the code of each row's class, and the names of the classes."""
    faults = reading.faults
    labels = reading.frame[reading.options.target]
    counts = labels[~labels.str.strip().isin(ABSENT)].value_counts()
    fewest = 2 if len(counts) > 1 else np.inf
    is_odd = labels.map(counts).fillna(0) < fewest
    plain = labels.str.normalize("NFKC").str.strip().str.casefold()
    plain = plain.str.replace(r"\.0+$", "", regex=True)
    is_odd |= labels.groupby(plain).transform("nunique") > 1
    if is_odd.any():
        is_blank = (labels[is_odd].str.strip() == "").all()
        faults.add(
            f"{some(labels.index[is_odd])}: {some(map(shown, labels[is_odd].unique()))} in "
            f"{shown(labels.name)} is missing, has two spellings, or has no second sample or "
            "no other class beside it; correct it, choose another column, or "
            "dataset.unlabelled=drop leaves out samples without a class",
            **({"unlabelled": "drop"} if is_blank else {}),
        )
    values = numbers(counts.index, reading.options)
    if np.isfinite(values).all() and len(values) >= MANY and counts.mean() < OF_EACH:
        faults.add(
            f"{shown(labels.name)} has {len(values)} different numbers, like a measurement; "
            "write classes, such as low and high, into a column"
        )
    names = sorted(counts.index, key=lambda name: (*numbers([name], TableConfig()), name))
    codes = {name: code for code, name in enumerate(names)}
    return labels.map(codes).fillna(-1).to_numpy(np.int64), dict(enumerate(names))


def _finished(reading: Reading, X: npt.NDArray, names: list[str]) -> tuple[npt.NDArray, list[str]]:
    """Return features after `missing` and `transform`, which is a function of each sample."""
    options, faults = reading.options, reading.faults
    has_gap = np.isnan(X).any(axis=0)
    if options.missing == "drop" and has_gap.any():
        gone = [name for name, is_gone in zip(names, has_gap, strict=True) if is_gone]
        reading.notes.append(f"{len(gone)} features with gaps were left out: {some(gone)}")
        X = X[:, ~has_gap].copy()
        names = [name for name, is_gone in zip(names, has_gap, strict=True) if not is_gone]
    if not names:
        faults.refuse("no column is left for the features; dataset.drop has too many")
    with np.errstate(all="ignore"):
        changed = TRANSFORMS[options.transform](X) if options.transform else X
    gaps = np.isnan(X)
    is_empty = gaps.all(axis=0)
    empty = [name for name, is_gone in zip(names, is_empty, strict=True) if is_gone]
    gaps &= is_empty | (options.missing is None)
    wrong = np.isfinite(X) & ~np.isfinite(changed)
    settings = {"missing": options.missing or "median"}
    if wrong.any():
        settings = {"transform": "rank"}
    for i, j in np.argwhere(gaps | wrong)[:1]:
        faults.add(
            f"{reading.frame.index[i]}, column {shown(names[j])}, and {(gaps | wrong).sum() - 1} "
            "more: no value, or none after the transform; dataset.missing=median or drop "
            "handles gaps, dataset.na=[0] treats 0 as one, dataset.drop leaves out columns",
            drop=empty,
            **settings,
        )
    if faults.messages:
        faults.refuse()
    return changed, names
