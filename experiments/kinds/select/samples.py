"""The samples of a table as the procedure needs them: values, groups, covariates, folds."""

from collections.abc import Mapping, Sequence
from math import factorial, prod
from typing import NamedTuple

import numpy as np
import pandas as pd
from omegaconf import DictConfig
from scipy import stats
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from experiments.config import ConfigError
from experiments.datasets import DataError, Dataset
from experiments.datasets.user_table import UserTable
from experiments.datasets.wording import some
from experiments.kinds.select.features import names_of

#: Samples of the smallest class (groups, where samples have some) that each question needs.
FOR_STATISTICS, FOR_PREDICTION = 3, 4
#: The share of a covariate that the class explains beyond chance (adjusted R²), from which it is
#: told.
CONFOUNDED = 0.25
#: Equal rows are copies if their pairs are more than so many times the number that is expected by
#: chance, and if more than this share of the rows are different.
BY_CHANCE, DIFFERENT = 3, 0.2
#: With fewer arrangements of the classes for each shuffle, a shuffle may well be the own one.
FEW_WAYS = 40
#: Squares of larger values are no floats.
LARGEST = 1e150
TRANSFORMS = ("log1p", "log2", "rank")


class Folds(NamedTuple):
    """Numbers of outer folds, of loops of them, and of inner folds; 0 if classes are too small."""

    outer: int
    loops: int
    inner: int
    #: The beginning of a sentence: the size of the smallest class.
    smallest: str


class Compared(NamedTuple):
    """The rows that tests of single features compare."""

    #: ndarray of shape (n_rows, n_features).
    X: np.ndarray
    #: ndarray of int (n_rows,).
    y: np.ndarray
    groups: np.ndarray
    #: ndarray of shape (n_rows, n_covariates).
    covariates: np.ndarray
    #: Groups with samples of two classes or more.
    n_mixed: int


def as_table(data: Dataset) -> UserTable:
    """The samples as a table; `file_rows` is empty if they are of no file."""
    return data if isinstance(data, UserTable) else UserTable(**vars(data))


def places_of(data: UserTable) -> np.ndarray:
    """The row of the file that each sample stood in, or else its own number; from 0."""
    return data.file_rows if len(data.file_rows) else np.arange(len(data.y))


def transformed(X: np.ndarray, how: str, names: Sequence[str]) -> np.ndarray:
    """X after ``dataset.transform``, which is a function of each sample alone.

    Raises
    ------
    DataError
        If the transform is unknown, or a value has no logarithm.
    """
    if how not in TRANSFORMS:
        raise DataError(f"dataset.transform must be one of {', '.join(TRANSFORMS)}, got {how!r}")
    if how == "rank":
        return np.asarray(stats.rankdata(X, axis=1, nan_policy="omit"), dtype=np.float64)
    low = 0.0 if how == "log1p" else np.nextafter(0, 1)
    with np.errstate(invalid="ignore"):
        is_wrong = np.any(low > X, axis=0)
    wrong = [names[j] for j in np.flatnonzero(is_wrong).tolist()]
    if wrong:
        kind = "below 0" if how == "log1p" else "of 0 or below"
        raise DataError(
            f"dataset.transform={how} cannot take values {kind}, as {some(wrong)} "
            f"{'has' if len(wrong) == 1 else 'have'}; use rank, or leave it out"
        )
    return np.log1p(X) if how == "log1p" else np.log2(X)


def notes_on_values(X: np.ndarray, how: str | None, names: Sequence[str]) -> list[str]:
    """A sentence if values look like raw counts, or those of a feature span decades."""
    if how is not None:
        return [f"values were transformed by {how}, as asked for"]
    advice = "dataset.transform=log1p (or log2, rank) makes them comparable"
    filled = np.where(np.isfinite(X), X, 0.0)
    is_count = (filled >= 0).all(axis=0) & (filled == filled.round()).all(axis=0)
    counts = filled[:, is_count]
    if counts.size and 2 * is_count.sum() >= X.shape[1] and counts.max() >= 1000:
        which = "all values" if is_count.all() else f"the values of {is_count.sum()} features"
        return [f"{which} are whole numbers up to {counts.max():,.0f}, as raw counts are; {advice}"]
    least = np.where(filled > 0, filled, np.inf).min(axis=0)
    spans = (filled >= 0).all(axis=0) & (filled.max(axis=0) >= 1000 * least)
    wide = [name for name, is_wide in zip(names, spans, strict=True) if is_wide]
    verb = "spans" if len(wide) == 1 else "span"
    return [f"{some(wide)} {verb} three decades or more; {advice}"] if wide else []


def notes_on_gaps(X: np.ndarray, y: np.ndarray, names: Sequence[str]) -> list[str]:
    """A sentence if a feature's gaps go with the class, by Fisher's test at 5 % over all features.

    A median in place of such a gap tells the class, although nobody has measured it.
    """
    gaps, classes = np.isnan(X), np.unique(y).tolist()
    columns = np.flatnonzero(gaps.any(axis=0)).tolist()
    of_classes = classes[1:] if len(classes) == 2 else classes
    level = 0.05 / max(1, len(columns) * len(of_classes))

    def goes_with(j: int, label: int) -> bool:
        counts = pd.crosstab(y == label, gaps[:, j]).to_numpy()
        return counts.shape == (2, 2) and stats.fisher_exact(counts).pvalue <= level

    told = [names[j] for j in columns if any(goes_with(j, label) for label in of_classes)]
    if not told:
        return []
    return [
        f"WARNING gaps in {some(told)} go with the class; a value that fills them tells the class, "
        "so check why they are missing, or leave such features out (dataset.drop)"
    ]


def together(
    X: np.ndarray, y: np.ndarray, groups: Sequence | None, rows: Sequence[str]
) -> tuple[np.ndarray, list[str]]:
    """A number for each sample, equal for samples that must stay together; and what was found.

    Samples of one group stay together. So do equal rows, unless chance makes about as many (see
    :func:`equal_by_chance`), or at most a fifth of the rows are different.
    """
    n, notes = len(X), []
    labels = []
    equal = pd.factorize(np.array([row.tobytes() for row in X + 0.0], dtype=object))[0]
    _, first, sizes = np.unique(equal, return_index=True, return_counts=True)
    if (repeated := int((sizes[sizes > 1]).sum())) > 0:
        named = [rows[row] for row in np.sort(first[sizes > 1])]
        n_pairs = _pairs(sizes)
        is_chance = len(sizes) <= DIFFERENT * n
        is_chance = is_chance or n_pairs <= BY_CHANCE * equal_by_chance(X, n_pairs)
        labels += [] if is_chance else [equal]
        told = f"{repeated} samples are equal to another one in all features"
        notes.append(
            f"{told}, as chance makes of features with few values; each counts as a sample of its "
            "own"
            if is_chance
            else f"{told} (such as {some(named)}); equal samples stay on one side of every split"
        )
        if not is_chance and (n_mixed_up := n_mixed(y, equal)):
            notes.append(
                f"WARNING {n_mixed_up} sets of equal samples have samples of two classes or more; "
                "check their labels"
            )
    if groups is not None:
        labels.append(_numbered(groups))
        n_groups = len(set(labels[-1]))
        notes.append(f"samples of the {n_groups} groups stay on one side of every split")
    if not labels:
        return np.arange(n), notes
    # A graph of the samples and the names of what they belong to; its parts stay together.
    ends = np.concatenate([own + (1 + at) * n for at, own in enumerate(labels)])
    starts = np.tile(np.arange(n), len(labels))
    graph = coo_array((np.ones(len(ends)), (starts, ends)), shape=(3 * n, 3 * n))
    return connected_components(graph.tocsr(), directed=False)[1][:n].astype(np.int64), notes


def _numbered(groups: Sequence) -> np.ndarray:
    """A number for each sample, equal for samples whose groups have the same text."""
    return pd.factorize(pd.Series(list(groups)).astype(str))[0]


def _pairs(sizes: np.ndarray) -> float:
    """The number of pairs within parts of these sizes."""
    return float((sizes * (sizes - 1)).sum() / 2)


def equal_by_chance(X: np.ndarray, n_equal: float) -> float:
    """The number of pairs of equal rows that is expected if all of them are different samples.

    Of N pairs of rows, the share ``s_j`` has equal values of feature j. Independent features give
    ``N prod_j s_j`` equal rows. Features that go together are as many independent ones as
    ``m = d² / ||R||²`` with the matrix R of their correlations, so that the number is
    ``N (prod_j s_j)^(m / d)``. Pairs that are more than this number are copies, and are left out
    of N and s_j; this is repeated from "all equal pairs are copies" until nothing changes.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        NaN is a value of its own.
    n_equal : float
        The number of pairs of equal rows.
    """
    n = len(X)
    Z = X - np.nanmean(X, axis=0)
    Z[np.isnan(Z)] = 0.0
    norms = np.linalg.norm(Z, axis=0)
    Z = Z[:, norms > 0] / norms[norms > 0]
    alike = []
    for values in X.T[norms > 0]:
        alike.append(_pairs(np.unique(values, return_counts=True)[1]))
        if alike[-1] <= n_equal:  # Only equal rows have equal values here.
            return 0.0
    weight = Z.shape[1] / np.square(Z @ Z.T).sum() if Z.size else 0.0
    expected = 0.0
    for _ in range(100):
        copies = max(0.0, n_equal - expected)
        left = n * (n - 1) / 2 - copies
        before = expected
        expected = left * float(np.exp(weight * np.log((np.array(alike) - copies) / left).sum()))
        if abs(expected - before) <= 1e-6 * expected:
            break
    return expected


def dependent(y: np.ndarray, parts: np.ndarray, groups: Sequence | None) -> np.ndarray:
    """A number for each sample, equal for samples that are not independent of each other.

    They are samples of one group if there are groups, else equal samples of one class.

    Parameters
    ----------
    y, parts : ndarray of int (n_samples,)
        Classes, and the numbers of :func:`together`.
    groups : sequence (n_samples,), or None
    """
    if groups is not None:
        return _numbered(groups)
    pairs = np.column_stack([parts, y])
    return np.unique(pairs, axis=0, return_inverse=True)[1].ravel()


def notes_on_groups(
    y: np.ndarray, own: np.ndarray, key: str | None, rows: Sequence[str], index: str
) -> list[str]:
    """Sentences on groups in the tests of single features, and on row names that repeat.

    Parameters
    ----------
    y, own : ndarray of int (n_samples,)
        Classes, and the numbers of :func:`dependent`.
    key : str or None
        The column of the groups.
    rows : sequence of str (n_samples,)
    index : str
        The column of the row names.
    """
    n, different = len(np.unique(own)), len(set(rows))
    if key is None and different < len(rows):
        return [
            f"row names repeat ({different} in {len(rows)} rows); dataset.groups={index} keeps "
            "samples of one name together"
        ]
    if mixed := n_mixed(y, own):
        told = f"{mixed} of {n} groups {'has' if mixed == 1 else 'have'} samples of two classes"
        rest = f"; the other {n - mixed} do not count there: check their labels" * (mixed < n)
        return [f"{told} or more: single features are compared within groups{rest}"]
    means = "the means of the groups" if key else "the samples, and count equal ones once"
    return [f"tests of single features compare {means} ({n})"] if n < len(y) else []


def notes_on_arrangements(y: np.ndarray, groups: np.ndarray, n_shuffles: int) -> list[str]:
    """A sentence if the classes can be arranged among the groups in few ways.

    Groups of one class exchange their classes, and samples inside all other groups. A shuffle may
    be the own arrangement, or that of exchanged classes, which is predicted as well. The chance of
    this is above 5 % if there are fewer than about 40 arrangements for each shuffle.
    """
    by_group = pd.Series(y).groupby(groups)
    pure = by_group.nunique() == 1
    parts = [by_group.first()[pure].to_numpy()]
    parts += [y[groups == name] for name in pure.index[~pure]]
    counts = [np.bincount(part) for part in parts if len(part)]
    ways = prod(arrangements(n.tolist()) for n in counts)
    if ways >= FEW_WAYS * n_shuffles:
        return []
    return [
        f"the classes can be arranged in {ways} ways alone, so that shuffled labels may be the own "
        "ones: the permutation test may miss even a perfect prediction"
    ]


def arrangements(counts: Sequence[int]) -> int:
    """The number of ways to arrange classes of so many samples."""
    return factorial(sum(counts)) // prod(map(factorial, counts))


def n_mixed(y: np.ndarray, groups: np.ndarray) -> int:
    """The number of groups that have samples of more than one class."""
    return int((pd.Series(y).groupby(groups).nunique() > 1).sum())


def compared(X: np.ndarray, y: np.ndarray, groups: np.ndarray, covariates: np.ndarray) -> Compared:
    """The rows that tests of single features compare, in which no sample counts twice.

    Samples of a group are not independent. If each group has one class, a row is the mean of a
    group. Otherwise all samples are rows, and the groups are covariates, so that classes are
    compared within groups.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        A missing value is left out of the mean.
    y, groups : ndarray of int (n_samples,)
    covariates : ndarray of shape (n_samples, n_covariates)

    Raises
    ------
    DataError
        If classes cannot be compared within groups.
    """
    names, first, of_row = np.unique(groups, return_index=True, return_inverse=True)
    if len(names) == len(y):
        return Compared(X, y, of_row, covariates, 0)
    if not (mixed := n_mixed(y, groups)):
        X, covariates = (
            pd.DataFrame(part).groupby(of_row).mean().to_numpy() for part in (X, covariates)
        )
        n_columns = len(np.unique(y)) + covariates.shape[1]
        if covariates.shape[1] and n_columns >= len(names):
            raise DataError(
                f"dataset.adjust: classes and covariates are {n_columns} columns of a linear "
                f"model, and the means of {len(names)} groups leave no variance; leave covariates "
                "out"
            )
        return Compared(X, y[first], np.arange(len(names)), covariates, 0)
    of_groups = np.hstack([np.eye(len(names))[of_row], covariates])
    n_classes = int(y.max()) + 1
    whole = np.hstack([of_groups, np.eye(n_classes)[y]])
    if np.linalg.matrix_rank(whole) < np.linalg.matrix_rank(of_groups) + n_classes - 1:
        raise DataError(
            f"dataset.groups: {mixed} of {len(names)} groups have samples of two classes or more, "
            "so that classes are compared within groups, and there a class follows from the others "
            "or from the covariates; leave out dataset.groups, dataset.adjust or a class"
        )
    return Compared(X, y, of_row, of_groups[:, 1:], mixed)


def covariates(adjust: Mapping[str, Sequence], y: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """The columns of covariates in a linear model; and a sentence if one goes with the class.

    Numbers are one column; texts have a column for each value but the first.

    Parameters
    ----------
    adjust : mapping of str to sequence (n_samples,)
        Covariate -> its values, none of which is missing.
    y : ndarray of int (n_samples,)

    Raises
    ------
    DataError
        If a covariate has one value, determines the class or follows from others, or if there are
        too many.
    """
    classes, told = np.eye(int(y.max()) + 1)[y], []
    columns = [classes]
    for name, values in adjust.items():
        series = pd.Series(list(values))
        if series.nunique() < 2:
            raise DataError(f"dataset.adjust: {name!r} has one value; leave it out")
        if pd.api.types.is_numeric_dtype(series):
            own = stats.zscore(series.to_numpy(dtype=np.float64))[:, None]
        else:
            own = pd.get_dummies(series.astype(str), drop_first=True).to_numpy(dtype=np.float64)
        columns.append(own)
        bases = [np.linalg.qr(part - part.mean(axis=0))[0] for part in (classes[:, 1:], own)]
        shared = float(np.linalg.svd(bases[0].T @ bases[1], compute_uv=False).max() ** 2)
        if shared > 1 - 1e-9:
            raise DataError(
                f"dataset.adjust: {name!r} determines the class in these samples; no difference "
                "would be left. Leave it out, and report it"
            )
        left = max(1, len(y) - own.shape[1] - 1)
        if (adjusted := 1 - (1 - shared) * (len(y) - 1) / left) >= CONFOUNDED:
            how = "hardly" if adjusted >= 0.5 else "only in part"
            told.append(
                f"{name} is associated with the class (adjusted R² = {adjusted:.2f}): its effect "
                f"and the difference between the classes can {how} be separated"
            )
    whole = np.hstack(columns)
    if np.linalg.matrix_rank(whole) < whole.shape[1]:
        raise DataError(
            f"dataset.adjust={list(adjust)}: one of them follows from the class and the others; "
            "leave one out"
        )
    if whole.shape[1] >= len(y):
        raise DataError(
            f"dataset.adjust={list(adjust)}: classes and covariates are {whole.shape[1]} columns "
            f"of a linear model, and {len(y)} samples leave no variance; leave covariates out"
        )
    return whole[:, classes.shape[1] :], told


def checked(config: DictConfig, data: UserTable) -> None:
    """Raise a ConfigError or a DataError if there is nothing to select, or nothing to compare."""
    d, n_features = data.X.shape[1], config.protocol.n_features
    (labels, counts), what, of = np.unique(data.y, return_counts=True), "sample", ""
    groups = np.arange(0) if data.groups is None else _numbered(data.groups)
    if len(groups) and not n_mixed(data.y, groups):
        counts = np.array([len(set(groups[data.y == label])) for label in labels])
        what, of = "group", f" ({config.dataset.groups})"
    complete = int((~np.isnan(data.X).any(axis=0)).sum())
    if config.dataset.get("missing") == "drop" and n_features is not None and n_features > complete:
        raise ConfigError(
            f"protocol.n_features={n_features} is more than the {complete} features without gaps, "
            "which dataset.missing=drop leaves; use dataset.missing=median"
        )
    largest = np.nanmax(np.abs(data.X), axis=0, initial=0.0)
    if beyond := [name for name, x in zip(names_of(data), largest, strict=True) if x > LARGEST]:
        raise DataError(
            f"values of {some(beyond)} are beyond {LARGEST:.0e}, whose squares no computer holds; "
            "give them in another unit"
        )
    if d < 2:
        raise DataError(
            f"one feature is left ({some(data.feature_names or '1')}); a selection needs two"
        )
    if counts.min() < FOR_STATISTICS:
        small, n = data.label_names[int(labels[counts.argmin()])], counts.min()
        raise DataError(
            f"class {small!r} has {n} {what}{'s' if n > 1 else ''}{of}; statistics and a ranking "
            f"need {FOR_STATISTICS} of each class, a prediction {FOR_PREDICTION}"
        )
    if n_features is not None and n_features >= d:
        raise ConfigError(
            f"protocol.n_features={n_features} must be below the {d} features that there are"
        )


def folds(config: DictConfig, y: np.ndarray, groups: np.ndarray) -> Folds:
    """The folds that the smallest class allows; its groups count, not its samples."""
    protocol = config.protocol
    least = min(len(np.unique(groups[y == label])) for label in np.unique(y))
    what = "samples" if len(np.unique(groups)) == len(y) else "groups of samples"
    smallest = f"the smallest class has {least} {what}"
    wanted = max(2, round(1 / protocol.test_size))
    if least < FOR_PREDICTION:
        return Folds(0, 0, 0, smallest)
    outer = min(wanted, least)
    inner = min(protocol.inner_folds, least - -(-least // outer))
    return Folds(outer, max(1, protocol.n_repetitions // wanted), inner, smallest)
