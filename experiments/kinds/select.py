"""Answer which features of a table differ between classes, and whether the class can be predicted.

The first question is answered feature by feature. The second one is answered by a procedure that
chooses all it needs on training samples; it is judged on samples that it did not use, and again on
shuffled labels. The set that is named is the one that it chooses if all samples are for training.
"""

import hashlib
import json
import logging
import platform
import textwrap
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import factorial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy
import sklearn
from omegaconf import DictConfig, OmegaConf
from scipy import special, stats
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.metrics import recall_score, roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from baselines.filters.anova import anova
from baselines.filters.relieff import relieff
from experiments import seeds
from experiments.cache import Row, Task, key_of
from experiments.config import ConfigError, ProtocolConfig
from experiments.datasets import DataError
from experiments.datasets.dataset import some
from experiments.evaluation.data import load_dataset
from experiments.evaluation.methods import Method, Parameters, text, try_methods
from experiments.evaluation.moderated import moderated
from experiments.evaluation.samples import Loaded, Source
from experiments.evaluation.tasks import rank
from experiments.files import write_text
from experiments.kinds import base
from experiments.report import text as texts
from experiments.report.pages import TEMPLATES

log = logging.getLogger(__name__)

#: Features differ if their q is at most this, and the class is predicted if p is.
ALPHA = 0.05
#: Values of a class that a test needs, and samples (or groups) that a prediction needs.
FOR_TEST, FOR_PREDICTION = 3, 4
#: A class of fewer samples (or groups) is told. So is a covariate of which the class explains at
#: least this share beyond chance (adjusted R²).
SMALL, CONFOUNDED = 10, 0.25
#: Features that the terminal and the page list.
LISTED, SHOWN = 15, 100
#: A run without a table shows what an answer looks like.
DEMONSTRATION = {"name": "hypercube", "params": {"n_samples": 60, "n_features": 200}}


@dataclass
class Schema(ProtocolConfig):
    """The folds and grids of the procedure."""

    kind: str = "select"
    #: Fewer folds are made if a class is small.
    outer_folds: int = 5
    inner_folds: int = 4
    #: How often all samples are divided into outer folds; shuffled labels are divided once.
    loops: int = 2
    #: How often the whole procedure runs on shuffled labels.
    n_shuffles: int = 19
    #: Numbers of features that are tried, and the only one if it is given.
    sizes: list[int] = field(default_factory=list)
    n_features: int | None = None
    log2_C: list[float] = field(default_factory=list)
    #: Methods rank at most so many features, those that ANOVA and ReliefF prefer.
    first: int = 100
    #: Read the table, write read.json and read.parquet, and stop.
    read_only: bool = False


def check(config: DictConfig) -> None:
    """Raise a ConfigError if numbers make no sense."""
    least = {"outer_folds": 2, "inner_folds": 2, "loops": 1, "n_shuffles": 1, "first": 2}
    base.check_numbers(config, "sizes", "log2_C", n_features=1, **least)
    if config.protocol.sizes[0] < 1:
        raise ConfigError(f"protocol.sizes must begin with 1 or more, got {config.protocol.sizes}")


# The samples


@dataclass(frozen=True, eq=False)
class Samples:
    """The samples of a table, in the order of the file.

    X (n_samples, n_features) has NaN where a value is missing; y (n_samples,) has the classes
    0..C-1; groups (n_samples,) are equal for samples that belong together, None if none do; adjust
    has the texts or numbers (n_samples,) of each covariate. The fingerprint is of all that decides
    a number.
    """

    X: np.ndarray
    y: np.ndarray
    classes: tuple[str, ...]
    features: tuple[str, ...]
    row_names: tuple[str, ...] | None
    groups: np.ndarray | None
    adjust: Mapping[str, list]
    notes: tuple[str, ...]
    fingerprint: str
    file: str
    synthetic: bool = False

    @property
    def names(self) -> list[str]:
        """A name for each sample."""
        return list(self.row_names or (f"sample {i}" for i in range(1, len(self.y) + 1)))

    @property
    def unit(self) -> str:
        """What counts as independent."""
        return "samples" if self.groups is None else "groups"


def samples_of(config: DictConfig) -> Samples:
    """Read the samples of a config, without features that ``dataset.missing=drop`` leaves out.

    With ``protocol.read_only`` they are those of the file.
    """
    data, options = load_dataset(config, gaps=True), config.dataset
    places = getattr(data, "file_rows", ())
    rows = np.argsort(places) if len(places) else np.arange(len(data.y))
    codes, y = np.unique(data.y[rows], return_inverse=True)
    names, groups = (getattr(data, name, None) for name in ("row_names", "groups"))
    adjust = {name: [v[i] for i in rows] for name, v in getattr(data, "adjust", {}).items()}
    if groups is not None:
        groups = pd.factorize(np.array(groups, dtype=object)[rows])[0]
    X, notes = np.asarray(data.X, dtype=np.float64)[rows], list(getattr(data, "notes", ()))
    features = np.array(data.feature_names or [f"x{i + 1}" for i in range(X.shape[1])], object)
    has_gaps, is_file = np.isnan(X).any(axis=0), config.protocol.read_only
    if options.get("missing") == "drop" and has_gaps.any() and not is_file:
        notes.append(
            f"{has_gaps.sum()} features with gaps were left out: {some(features[has_gaps])}"
        )
        X, features = X[:, ~has_gaps], features[~has_gaps]
    if not is_file and (large := np.nanmax(np.abs(X), axis=0, initial=0.0) > 1e150).any():
        raise DataError(f"values of {some(features[large])} are above 1e150; give another unit")
    if not is_file and X.shape[1] <= max(1, config.protocol.n_features or 1):
        raise DataError(
            f"{X.shape[1]} features are left to select from; give at least two, and fewer as "
            f"protocol.n_features (it is {config.protocol.n_features})"
        )
    X = np.ascontiguousarray(X)
    decides = repr([None if groups is None else groups.tolist(), adjust, len(features)]).encode()
    return Samples(
        X=X,
        y=y,
        classes=tuple(str(data.label_names[int(code)]) for code in codes),
        features=tuple(features),
        row_names=None if names is None else tuple(names[i] for i in rows),
        groups=groups,
        adjust=adjust,
        notes=tuple(notes),
        fingerprint=hashlib.sha256(X.tobytes() + y.tobytes() + decides).hexdigest(),
        file=Path(options.path).name if options.path else data.name,
        synthetic=data.synthetic,
    )


def copies_of(X: np.ndarray) -> np.ndarray:
    """A number for each sample, equal for copies of one.

    Samples are copies if all their values are equal, and one value is in no other sample:
    answers in a few words are equal by chance, too.
    """
    equal = pd.factorize(np.array([row.tobytes() for row in X + 0.0], dtype=object))[0]
    for number in np.flatnonzero(np.bincount(equal) > 1):
        rows = np.flatnonzero(equal == number)
        alike = (X[rows[:1]] == X).sum(axis=0)
        if alike[alike > 0].min(initial=len(X)) > len(rows):
            equal[rows] = equal.max() + 1 + np.arange(len(rows))
    return np.unique(equal, return_inverse=True)[1]


def together(groups: np.ndarray | None, copies: np.ndarray) -> np.ndarray:
    """A number for each sample, equal for those that no split parts: of a group, or copies."""
    merged = copies.copy() if groups is None else groups.copy()
    for number in np.flatnonzero(np.bincount(copies) > 1):
        own = np.unique(merged[copies == number])
        merged[np.isin(merged, own)] = own[0]
    return np.unique(merged, return_inverse=True)[1]


def is_mixed(y: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Whether each of the groups 0..G-1 has samples of two classes or more."""
    return pd.Series(y).groupby(groups).nunique().to_numpy() > 1


# Which features differ?


def covariates_of(samples: Samples) -> tuple[np.ndarray, list[str]]:
    """The columns of the covariates, and a warning of each that goes with the class.

    Numbers are one column, texts one for each value but the first.
    """
    n, told = len(samples.y), []
    classes = np.eye(len(samples.classes))[samples.y]
    columns = [np.empty((n, 0))]
    for name, values in samples.adjust.items():
        is_text = isinstance(values[0], str)
        own = pd.get_dummies(pd.Series(values)).iloc[:, 1:] if is_text else pd.DataFrame(values)
        columns.append(own.to_numpy(dtype=np.float64))
        if len(set(values)) < 2:
            raise DataError(f"dataset.adjust: {name!r} has one value; leave it out")
        bases = [np.linalg.qr(v - v.mean(axis=0))[0] for v in (classes[:, 1:], columns[-1])]
        shared = np.linalg.svd(bases[0].T @ bases[1], compute_uv=False).max() ** 2
        adjusted = 1 - (1 - shared) * (n - 1) / max(1, n - 1 - own.shape[1])
        if shared > 1 - 1e-9:
            raise DataError(f"dataset.adjust: {name!r} determines the class here; leave it out")
        if adjusted >= CONFOUNDED:
            told.append(
                f"{name} goes with the class (adjusted R² {adjusted:.2f}): its effect and that of "
                "the class can hardly be told apart"
            )
    whole = np.hstack([classes, *columns])
    if np.linalg.matrix_rank(whole) < whole.shape[1] or whole.shape[1] >= n:
        raise DataError(
            f"dataset.adjust={list(samples.adjust)}: the class and the covariates follow from one "
            f"another, or are too many for {n} samples; leave covariates out"
        )
    return np.hstack(columns), told


class Compared(NamedTuple):
    """The rows that tests of single features compare, in which nothing counts twice."""

    #: ndarray of shape (n_rows, n_features), and the classes (n_rows,).
    X: np.ndarray
    y: np.ndarray
    #: ndarray of shape (n_rows, n_covariates).
    covariates: np.ndarray
    #: ndarray of int (n_rows,) if classes are compared within groups, else None.
    groups: np.ndarray | None
    #: ndarray of int (n_classes, n_features): the number of values.
    counts: np.ndarray


def compared(samples: Samples, copies: np.ndarray, covariates: np.ndarray) -> Compared:
    """The rows that tests compare: means of the samples of one group and class.

    Copies of one class are a group if the user names none. If groups have samples of two classes or
    more, classes are compared within groups, and groups of one class tell nothing.
    """
    C, X, y, within = len(samples.classes), samples.X, samples.y, None
    groups = copies if samples.groups is None else samples.groups
    cells, of_row = np.unique(groups * C + y, return_inverse=True)
    if len(cells) < len(y):
        X, covariates = (pd.DataFrame(v).groupby(of_row).mean().to_numpy() for v in (X, covariates))
        groups, y = cells // C, cells % C
    if samples.groups is not None and is_mixed(y, groups).any():
        kept = np.bincount(groups)[groups] > 1
        X, y, covariates = X[kept], y[kept], covariates[kept]
        within = np.unique(groups[kept], return_inverse=True)[1]
    counts = np.array([np.isfinite(X[y == c]).sum(axis=0) for c in range(C)])
    if (n := np.bincount(y, minlength=C)).min() < FOR_TEST:
        raise DataError(
            f"class {samples.classes[n.argmin()]!r} has {n.min()} {samples.unit}"
            f"{' with another class, too' * (within is not None)}; tests need {FOR_TEST} of each "
            f"class, and a prediction {FOR_PREDICTION}: give more, or leave the class out"
        )
    return Compared(X, y, covariates, within, counts)


def differences(samples: Samples, rows: Compared) -> tuple[pd.DataFrame, float]:
    """The table of the first question in the order of the features; the prior's df.

    A feature with fewer than three values of a class is not tested. "by_chance" is the chance of a
    feature that separates the classes alone to do so.
    """
    X, classes, covariates = rows.X, samples.classes, rows.covariates
    if rows.groups is not None:
        covariates = np.hstack([covariates, np.eye(rows.groups.max() + 1)[rows.groups][:, 1:]])
    found = moderated(
        np.where((rows.counts >= FOR_TEST).all(axis=0), X, np.nan), rows.y, covariates
    )
    tested, q, p_rank = np.isfinite(found.p), *np.full((2, X.shape[1]), np.nan)
    if not tested.any():
        raise DataError(
            "no feature can be tested: each is constant or has fewer than three values of a class, "
            "or dataset.groups and dataset.adjust leave no difference; check these options"
        )
    q[tested] = stats.false_discovery_control(found.p[tested])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # A class without a value has no mean.
        means = [np.nanmean(X[rows.y == c], axis=0) for c in range(len(classes))]
        p_rank[tested] = rank_p(X[:, tested], rows)
    names, ends = np.array([*classes, ""], dtype=object), ("", "_low", "_high")
    by_chance = separating(rows)
    notes = np.where(tested, "", "not tested: constant, or too few values; ").astype(object)
    for j in np.flatnonzero(np.isfinite(by_chance)):
        p = texts.probability(by_chance[j])
        notes[j] += f"separates the classes alone (by chance in {p} of cases)"
    columns = {
        "feature": samples.features,
        **{f"effect{end}": v for end, v in zip(ends, found, strict=False)},
        **{f"deviations{e}": v / found.deviation for e, v in zip(ends, found, strict=False)},
        "higher_in": np.where(found.effect == 0, "", names[found.higher]),
        **{f"n_{name}": n for name, n in zip(classes, rows.counts, strict=True)},
        **{f"mean_{name}": mean for name, mean in zip(classes, means, strict=True)},
        **{"p_value": found.p, "q_value": q, "p_rank": p_rank, "differs": q <= ALPHA},
    }
    return pd.DataFrame({**columns, "by_chance": by_chance, "note": notes}), found.prior[0]


def rank_test(n_classes: int, within: bool) -> str:
    """The name of the rank test; empty if there is none."""
    if within:
        return "Wilcoxon" if n_classes == 2 else ""
    return "Mann-Whitney" if n_classes == 2 else "Kruskal-Wallis"


def rank_p(X: np.ndarray, rows: Compared) -> np.ndarray:
    """p of :func:`rank_test`, in which covariates do not count; NaN if there is none."""
    p, parts = np.full(X.shape[1], np.nan), [X[rows.y == c] for c in range(len(rows.counts))]
    if rows.groups is not None:
        if len(parts) > 2:
            return p
        first, second = (parts[c][np.argsort(rows.groups[rows.y == c])] for c in (0, 1))
        return np.asarray(stats.wilcoxon(second - first, axis=0, nan_policy="omit").pvalue)
    test: Any = stats.mannwhitneyu if len(parts) == 2 else stats.kruskal
    has_ties = (np.diff(np.sort(X, axis=0), axis=0) == 0).any(axis=0)
    kinds = np.where(np.isnan(X).any(axis=0), 2, has_ties)
    for kind in np.unique(kinds):  # SciPy has no exact p of a table if one of its columns has ties.
        own = [part[:, kinds == kind] for part in parts]
        p[kinds == kind] = test(*own, axis=0, nan_policy="omit" if kind == 2 else "raise").pvalue
    return p


def separating(rows: Compared) -> np.ndarray:
    """The chance of a feature that separates the classes alone to do so; NaN for all others.

    It separates them if their ranges do not overlap: so do C! of the orders of its values, all of
    which are equally likely without a difference.
    """
    parts = [rows.X[rows.y == c] for c in range(len(rows.counts))]
    low = np.array([np.nanmin(part, axis=0, initial=np.inf) for part in parts])
    high = np.array([np.nanmax(part, axis=0, initial=-np.inf) for part in parts])
    order = np.argsort(low, axis=0)
    low, high = np.take_along_axis(low, order, axis=0), np.take_along_axis(high, order, axis=0)
    apart = (high[:-1] < low[1:]).all(axis=0) & (rows.counts > 0).all(axis=0)
    logs = special.gammaln(rows.counts + 1).sum(axis=0) - special.gammaln(
        rows.counts.sum(axis=0) + 1
    )
    return np.where(apart, factorial(len(parts)) * np.exp(logs), np.nan)


# Can the class be predicted?


@dataclass(frozen=True, eq=False)
class Design:
    """The samples, what no split parts, and the choices of the procedure."""

    source: Source
    groups: np.ndarray
    candidates: list[tuple[Method, Parameters]]
    sizes: list[int]
    Cs: list[float]
    first: int
    scaling: str
    outer_folds: int
    inner_folds: int
    seed: int

    def task(self, shuffle: int | None, split: int | None) -> Task:
        """The task of a split, or of all samples for None; of shuffled labels unless it is None."""
        settings = {k: v for k, v in vars(self).items() if k not in ("source", "candidates")}
        scorers = [scorer for method, _ in self.candidates for scorer in method.scorers()]
        methods = [method.identity(parameters) for method, parameters in self.candidates]
        settings |= {"groups": self.groups.tolist(), "samples": self.source.fingerprint}
        key = key_of("select", scorers, methods=methods, at=[shuffle, split], **settings)
        return Task(key, partial(judged, self, shuffle, split))

    def front(self) -> list[tuple[str, Any]]:
        """The steps before the ranking."""
        scale = StandardScaler() if self.scaling == "standard" else "passthrough"
        gaps = SimpleImputer(strategy="median", keep_empty_features=True)
        return [("gaps", gaps), ("scale", scale), ("first", SelectKBest(preferred, k=self.first))]


def preferred(X, y) -> np.ndarray:
    """Scores of features: the better of their ranks by ANOVA and by ReliefF."""
    scores = anova(X, y), relieff(X, y, k=min(10, len(X) - 1), scale=False)
    return -np.minimum(*(stats.rankdata(-each, method="ordinal") for each in scores))


def places(X, y, method: Method, parameters: Parameters, state: int) -> np.ndarray:
    """Scores of features: their places in the ranking of a method, 0 the best and then below."""
    # If no class has spread in a feature, its F is so large that all others would tie.
    scores = np.arcsinh(method.scores(X, y, parameters))
    return -np.argsort(rank(scores, np.random.default_rng(state))).astype(np.float64)


def learned(design: Design, X, y, groups, state: int) -> tuple[Pipeline, int]:
    """Learn from training samples what fills gaps, the scaling, a ranking, its length, and an SVM.

    Inner folds choose the number of features, the method and C by balanced accuracy; of equal ones
    fewer features, then the earlier method.

    Returns
    -------
    pipeline : Pipeline
    candidate : int
        The number of the method.
    """
    shape, folds = (len(design.sizes), len(design.candidates), len(design.Cs)), []
    for train, test in divided(y, groups, design.inner_folds, state):
        if len(np.unique(y[train])) < len(np.unique(y)):
            continue
        found, front = np.full(shape, -1.0), Pipeline(design.front())
        own, other = front.fit_transform(X[train], y[train]), front.transform(X[test])
        for at, candidate in enumerate(design.candidates):
            try:
                order = np.argsort(-places(own, y[train], *candidate, state))
            except ValueError:  # The method refuses so few samples.
                continue
            for size, k in enumerate(design.sizes):
                for number, C in enumerate(design.Cs):
                    svm = SVC(C=C, class_weight="balanced").fit(own[:, order[:k]], y[train])
                    right = svm.predict(other[:, order[:k]]) == y[test]
                    recalls = [right[y[test] == c].mean() for c in np.unique(y[test])]
                    found[size, at, number] = np.mean(recalls)
        folds.append(found)
    mean = np.round(np.mean(folds or [np.zeros(shape)], axis=0), 9)
    size, at, number = (int(place) for place in np.argwhere(mean == mean.max())[0])
    method, parameters = design.candidates[at]
    score = partial(places, method=method, parameters=parameters, state=state)
    best = SelectKBest(score, k=design.sizes[size])
    svm = SVC(C=design.Cs[number], class_weight="balanced")
    return Pipeline([*design.front(), ("best", best), ("svm", svm)]).fit(X, y), at


def divided(y, groups, n_folds: int, state: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows of stratified folds, no group in two of them."""
    rows = np.zeros((len(y), 1))
    if len(np.unique(groups)) == len(y):
        return list(StratifiedKFold(n_folds, shuffle=True, random_state=state).split(rows, y))
    folds = StratifiedGroupKFold(n_folds, shuffle=True, random_state=state)
    return list(folds.split(rows, y, groups))


def shuffled(y: np.ndarray, groups: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Shuffle the labels: groups of one class exchange theirs, others shuffle theirs inside."""
    first, alike = np.unique(groups, return_index=True)[1], ~is_mixed(y, groups)
    label = y[first]
    label[alike] = rng.permutation(label[alike])
    new = label[groups]
    for group in np.flatnonzero(~alike):
        new[groups == group] = rng.permutation(y[groups == group])
    return new


def judged(design: Design, shuffle: int | None, split: int | None) -> Row:
    """Learn from the training rows of a split and predict its test rows.

    Returns
    -------
    Row
        "test" (n_test,): rows; "truth", "predicted": their classes; "scores" (n_test * n_classes,);
        "order": the features that the method ranks, of which the first "size" are chosen;
        "candidate": the number of the method.
    """
    X, y, _ = design.source.samples()
    axes = (design.source.fingerprint, "own" if shuffle is None else shuffle)
    if shuffle is not None:
        y = shuffled(y, design.groups, seeds.generator(design.seed, "shuffle", *axes))
    train, test = np.arange(len(y)), np.arange(0)
    if split is not None:
        loop, fold = divmod(split, design.outer_folds)
        state = seeds.integer(design.seed, "outer", *axes, loop)
        train, test = divided(y, design.groups, design.outer_folds, state)[fold]
    state = seeds.integer(design.seed, "inner", *axes, "all" if split is None else split)
    fit, candidate = learned(design, X[train], y[train], design.groups[train], state)
    scores = np.full((len(test), int(y.max()) + 1), -np.inf)
    if len(test):
        own = fit.decision_function(X[test])
        scores[:, fit.classes_] = np.column_stack([-own, own]) if own.ndim == 1 else own
    ranked = fit["first"].get_support(indices=True)[np.argsort(-fit["best"].scores_)]
    found = {"predicted": scores.argmax(axis=1), "scores": scores.ravel(), "order": ranked}
    return {"test": test, "truth": y[test], **found, "size": fit["best"].k, "candidate": candidate}


def recalls_of(rows: Sequence[Row], n_classes: int) -> np.ndarray:
    """The share of each class that is predicted rightly, over the test rows of splits."""
    truth, predicted = (np.concatenate([row[k] for row in rows]) for k in ("truth", "predicted"))
    return recall_score(truth, predicted, average=None, labels=np.arange(n_classes))


def roc_auc(rows: Sequence[Row]) -> float:
    """The mean area under the curve of splits; of more classes each against all others.

    Scores of two SVMs are not comparable, so that no pair of samples is of two splits.
    """
    areas = []
    for row in rows:
        scores = row["scores"].reshape(len(row["truth"]), -1)
        for c in range(scores.shape[1]) if scores.shape[1] > 2 else (1,):
            if 0 < (of_class := row["truth"] == c).sum() < len(of_class):
                areas.append(roc_auc_score(of_class, scores[:, c]))
    return float(np.mean(areas)) if areas else float("nan")


def interval_of(recalls, counts: np.ndarray, n_splits: int, n_folds: int) -> list[float]:
    """The 95 % interval of the balanced accuracy for new samples, of the rule of all samples.

    J splits of n samples into training and test parts tell as much as ``n_test / (1 / J + n_test /
    n_train)`` independent samples (Nadeau and Bengio, Machine Learning 52, 2003). Each recall has
    Wilson's interval, and squares of their distances add up (Zou and Donner, Statistics in Medicine
    27, 2008). The upper end lets the error fall as 1 / n from the training part to all samples.

    Parameters
    ----------
    recalls, counts : ndarray of shape (n_classes,)
        Recalls, and the number of independent samples (or groups) of each class.
    n_splits, n_folds : int
        Splits in all, and those of a loop.
    """
    z, mean = float(stats.norm.ppf(0.975)), recalls.mean()
    n = counts * min(1.0, 1 / (n_folds * (1 / n_splits + 1 / (n_folds - 1))))
    centre = (recalls + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(recalls * (1 - recalls) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    below, above = (
        np.sqrt(np.square(recalls - end).sum()) / len(n) for end in (centre - half, centre + half)
    )
    high = 1 - (1 - 1 / n_folds) * (1 - min(1.0, mean + above))
    return [float(max(0.0, mean - below)), float(high)]


def predicted(
    run: base.Run, samples: Samples, groups: np.ndarray
) -> tuple[dict[str, Any], pd.DataFrame, pd.DataFrame]:
    """The second question: its facts, columns of the features, and the predictions.

    The p-value compares one loop over the samples on the labels with one on each shuffle. If the
    mean of all own loops is lower than the first one, it takes its place: p is larger, and as
    valid.
    """
    protocol, d, C = run.config.protocol, samples.X.shape[1], len(samples.classes)
    counts = np.array([len(set(groups[samples.y == c])) for c in range(C)])
    ranked = pd.DataFrame({"chosen": False, "frequency": np.nan, "rank": np.nan}, index=range(d))
    if (least := int(counts.min())) < FOR_PREDICTION:
        reason = f"the smallest class has {least} {samples.unit}, {FOR_PREDICTION} are needed"
        return {"predict": {"evidence": None, "reason": reason}}, ranked, pd.DataFrame()
    design = _design(run, samples, groups, least)
    n_folds = design.outer_folds
    own = [design.task(None, split) for split in range(n_folds * protocol.loops)]
    folds, numbers = range(n_folds), range(protocol.n_shuffles)
    others = [[design.task(number, fold) for fold in folds] for number in numbers]
    whole = design.task(None, None)
    run.complete([whole, *own, *(task for tasks in others for task in tasks)], "judging")
    made, again = run.rows([whole, *own]), [rows for each in others if (rows := run.rows(each))]
    if made is None or not again:
        raise ConfigError("the procedure failed on these samples; the log above says why")
    chosen, made = made[0], made[1:]
    loops = [made[at : at + n_folds] for at in range(0, len(made), n_folds)]
    accuracies = [recalls_of(loop, C).mean() for loop in loops]
    by_chance = sorted(float(recalls_of(rows, C).mean()) for rows in again)
    tested = min(accuracies[0], np.mean(accuracies)) - 1e-9
    p = (1 + sum(each >= tested for each in by_chance)) / (1 + len(by_chance))
    order, size = np.asarray(chosen["order"]).astype(int), int(chosen["size"])
    taken = np.concatenate([row["order"][: int(row["size"])] for row in made]).astype(int)
    ranked["frequency"] = np.bincount(taken, minlength=d) / len(made)
    ranked.loc[order, "rank"] = np.arange(1, len(order) + 1)
    ranked.loc[order[:size], "chosen"] = True
    labels = [
        method.label if len(method.candidates()) == 1 else f"{method.label}, {text(parameters)}"
        for method, parameters in design.candidates
    ]
    facts = {
        "evidence": bool(p <= ALPHA),
        "balanced_accuracy": float(np.mean(accuracies)),
        "interval": interval_of(recalls_of(made, C), counts, len(made), n_folds),
        "guess": 1 / C,
        "roc_auc": roc_auc(made),
        "p_value": p,
        "least_p": 1 / (1 + len(by_chance)),
        "n_shuffles": len(by_chance),
        "shuffled": by_chance,
        "outer_folds": n_folds,
        "inner_folds": design.inner_folds,
        "loops": len(loops),
        "methods": labels,
    }
    names = [samples.features[j] for j in order[:size]]
    selected = {"method": labels[int(chosen["candidate"])], "features": names}
    return {"predict": facts, "selected": selected}, ranked, predictions_of(samples, loops)


def _design(run: base.Run, samples: Samples, groups: np.ndarray, least: int) -> Design:
    """The design of a config, as far as the smallest class allows it."""
    config, protocol, d = run.config, run.config.protocol, samples.X.shape[1]
    if len(samples.classes) > 2:
        try_methods(run.methods, len(samples.classes))
    base.check_neighbours(run.methods, len(samples.y))
    first = min(d, max(protocol.first, protocol.n_features or 0))
    sizes = [*(size for size in protocol.sizes if size < first), first]
    outer = min(protocol.outer_folds, least)
    return Design(
        source=Loaded.of(samples, run.cache),
        groups=groups,
        candidates=[(method, each) for method in run.methods for each in method.candidates()],
        sizes=[protocol.n_features] if protocol.n_features else sizes,
        Cs=[2.0**C for C in protocol.log2_C],
        first=first,
        scaling=config.dataset.scaling,
        outer_folds=outer,
        inner_folds=min(protocol.inner_folds, least - -(-least // outer)),
        seed=config.seed,
    )


def predictions_of(samples: Samples, loops: Sequence[Sequence[Row]]) -> pd.DataFrame:
    """A row for each sample and loop: its class, the predicted one, and the scores of classes."""
    names, classes = (np.array(v, dtype=object) for v in (samples.names, samples.classes))
    parts = []
    for loop, rows in enumerate(loops, 1):
        test, scores = (np.concatenate([row[key] for row in rows]) for key in ("test", "scores"))
        scores, test = scores.reshape(len(test), -1), test.astype(int)
        part = {"sample": names[test], "loop": loop, "class": classes[samples.y[test]]}
        part |= {"predicted": classes[scores.argmax(axis=1)]}
        part |= {f"score_{name}": own for name, own in zip(classes, scores.T, strict=True)}
        parts.append(pd.DataFrame(part).iloc[np.argsort(test)])
    return pd.concat(parts, ignore_index=True)


# What is told and written


def run(run: base.Run) -> base.Results:
    """Answer the first question, print and write it, then answer the second one."""
    config, told = run.config.copy(), []
    if config.dataset.name == "table" and not (config.dataset.path or config.dataset.target):
        for key, value in DEMONSTRATION.items():
            OmegaConf.update(config, f"dataset.{key}", value, force_add=True)
        told.append("these samples are SYNTHETIC, an example; dataset.path and target name yours")
    if config.profile.name == "smoke":
        told.append("profile=smoke shows that everything runs; its numbers tell nothing")
    log.info("reading %s", config.dataset.path or config.dataset.name)
    samples = samples_of(config)
    if config.protocol.read_only:
        return as_read(samples)
    run.config = config
    copies = copies_of(samples.X)
    covariates, confounded = covariates_of(samples)
    rows = compared(samples, copies, covariates)
    table, prior_df = differences(samples, rows)
    ordered = table.sort_values("p_value", kind="stable")
    told += [*warnings_of(samples, rows, table, copies), *confounded]
    facts = described(samples, config, rows, ordered, prior_df, told)
    facts["sentences"] = about_differences(facts)
    log.info("\n%s\n", first_text(facts, ordered))
    if run.folder is not None:
        write_text(run.folder / "differ.csv", _csv(ordered.drop(columns="by_chance")))
    more, ranked, predictions = predicted(run, samples, together(samples.groups, copies))
    facts |= more
    is_judged = facts["predict"]["evidence"] is not None
    if not is_judged:
        few = ordered.head(config.protocol.n_features or int(table["differs"].sum()))
        facts["selected"] = {"method": "p", "features": few["feature"].tolist()}
        ranked.loc[few.index, "chosen"] = True
    second = about_prediction(facts)
    facts |= {"sentences": [*facts["sentences"], *second], "paragraph": paragraph(facts)}
    features = table.join(ranked).sort_values("p_value", kind="stable")
    columns = ["feature", "chosen", "frequency", "rank", "differs", "q_value", "note"]
    best = features.sort_values(["chosen", "frequency"], ascending=False, kind="stable")[columns]
    files = {
        "differ.csv": _csv(ordered.drop(columns="by_chance")),
        "features.csv": _csv(best),
        "selected.txt": "".join(f"{name}\n" for name in facts["selected"]["features"]),
        "methods.txt": textwrap.fill(facts["paragraph"], 98, break_on_hyphens=False) + "\n",
        "answer.json": _json(facts),
    }
    files |= {"predictions.csv": _csv(predictions)} if is_judged else {}
    files |= {"report.html": page(facts, features)} if config.draw else {}
    return base.Results(
        None,
        data_of(samples),
        files={name: content.encode() for name, content in files.items()},
        text="\n".join(["CAN THE CLASS BE PREDICTED?", *map(wrapped, second)]),
    )


def as_read(samples: Samples) -> base.Results:
    """The table as it was read: read.parquet has the features, read.json all else."""
    about = {
        "features": samples.features,
        "labels": [samples.classes[c] for c in samples.y],
        "row_names": samples.row_names,
        "notes": samples.notes,
    }
    table = pd.DataFrame(samples.X, columns=list(samples.features)).to_parquet(index=False)
    files = {"read.json": _json(about).encode(), "read.parquet": table}
    told = "{} rows and {} features were read; read.json has the details".format(*samples.X.shape)
    return base.Results(None, data_of(samples), files=files, text=told)


def data_of(samples: Samples) -> dict[str, Any]:
    """The entries of a run's provenance about its data."""
    name = samples.file if samples.synthetic else "table"
    about = {"name": name, "shape": list(samples.X.shape), "fingerprint": samples.fingerprint}
    return {**about, "verified": False, "synthetic": samples.synthetic, "source": samples.file}


def warnings_of(samples: Samples, rows: Compared, table: pd.DataFrame, copies) -> list[str]:
    """Sentences on what may make the answer wrong."""
    told = [n.removeprefix("WARNING ") for n in samples.notes if n.startswith("WARNING")]
    names, repeats = samples.names, pd.Series(samples.names).value_counts()
    if samples.groups is None and repeats.iloc[0] > 1:
        told.append(
            f"{(repeats > 1).sum()} row names repeat (such as {repeats.index[0]}), and each row "
            "counts as a sample of its own; if they are repeats, all p and intervals are too good: "
            "dataset.groups names the column that tells what belongs together"
        )
    again = np.bincount(copies)[copies] > 1
    if again.any():
        mixed = int(is_mixed(samples.y, copies).sum())
        told.append(
            f"{again.sum()} samples are equal to another one in all features (such as "
            f"{names[again.argmax()]}); equal samples count as one group"
            + f"; {mixed} of these have samples of two classes: check them"
            * (mixed > 0)
        )
    groups, within = (() if v is None else np.unique(v) for v in (samples.groups, rows.groups))
    if len(within) and (alone := len(groups) - len(within)):
        told.append(f"{alone} groups have one class alone, and tell nothing within groups")
    for name, n in zip(samples.classes, np.bincount(rows.y), strict=True):
        if n < SMALL:
            told.append(
                f"class {name} has {n} {samples.unit}: only a large difference can show, and "
                "accuracies are uncertain"
            )
    gaps, least = np.isnan(samples.X), np.ones(samples.X.shape[1])
    for own in (samples.y == c for c in range(len(samples.classes))):  # Fisher's exact test.
        tail, k = stats.hypergeom(len(own), gaps.sum(axis=0), own.sum()), gaps[own].sum(axis=0)
        least = np.minimum(least, 2 * np.minimum(tail.cdf(k), tail.sf(k - 1)))
    n_tests = gaps.any(axis=0).sum() * len(samples.classes)
    if (goes := gaps.any(axis=0) & (least * n_tests <= ALPHA)).any():
        told.append(
            f"gaps in {some(table.loc[goes, 'feature'])} go with the class, and a median in their "
            "place tells it: find out why they are missing, or leave them out"
        )
    if (sure := table["by_chance"] * len(table) < ALPHA).any():
        most = texts.probability(table.loc[sure, "by_chance"].max())
        told.append(
            f"{some(table.loc[sure, 'feature'])}: separates the classes alone (by chance in {most} "
            "of cases); check that it is no other form of the target, or measured after it"
        )
    return told


def described(samples, config, rows: Compared, table, prior_df: float, told) -> dict[str, Any]:
    """The facts on the samples and of the first question, as JSON values."""
    differing = table.loc[table["differs"], "feature"].tolist()
    dataset = config.dataset
    return {
        "file": samples.file,
        "target": dataset.target or "class",
        "n_samples": len(samples.y),
        "n_features": len(table),
        "classes": dict(zip(samples.classes, np.bincount(samples.y).tolist(), strict=True)),
        "n_gaps": int(np.isnan(samples.X).sum()),
        "groups": None if samples.groups is None else dataset.get("groups"),
        "n_groups": None if samples.groups is None else len(set(samples.groups)),
        "adjust": list(samples.adjust),
        "transform": dataset.get("transform"),
        "scaling": dataset.scaling,
        "fingerprint": samples.fingerprint,
        "notes": [note for note in samples.notes if not note.startswith("WARNING")],
        "warnings": told,
        "differ": {
            "evidence": bool(differing),
            "features": differing,
            "n_tested": int(table["p_value"].notna().sum()),
            "least_q": float(table["q_value"].min()),
            "best": table["feature"].iloc[0],
            "prior_df": prior_df if np.isfinite(prior_df) else None,
            "within": rows.groups is not None,
            "rank_test": rank_test(len(samples.classes), rows.groups is not None),
        },
    }


def about_differences(facts: Mapping[str, Any]) -> list[str]:
    """The sentences on the first question."""
    differ, groups, named = facts["differ"], facts["groups"], facts["differ"]["features"]
    tested, untested = differ["n_tested"], facts["n_features"] - differ["n_tested"]
    told = [f"{len(named)} of {tested} features differ between the classes: {some(named)}."]
    if not named:
        q = texts.probability(differ["least_q"])
        told = [f"None of {tested} features differs; the least q is {q}, of {differ['best']}."]
    if untested:
        told.append(f"{untested} features are constant or have too few values, and are not tested.")
    if groups:
        means = f"Means of the {facts['n_groups']} groups ({groups}) are compared."
        within = f"Classes are compared within groups ({groups})."
        told.append(within if differ["within"] else means)
    if facts["adjust"]:
        named = ", ".join(facts["adjust"])
        told.append(f"Effects and q allow for {named}; the rank test and the prediction do not.")
    return told


def about_prediction(facts: Mapping[str, Any]) -> list[str]:
    """The sentences on the second question and on the chosen set."""
    predict, chosen = facts["predict"], facts["selected"]
    names = chosen["features"]
    last = f"The chosen set, by {chosen['method']}: {some(names) or 'no feature'} ({len(names)})."
    if predict["evidence"] is None:
        return [f"Not judged: {predict['reason']}.", last]
    p, least = texts.probability(predict["p_value"]), texts.probability(predict["least_p"])
    return [
        f"{'Yes' if predict['evidence'] else 'Not shown'}: on samples that were not used, the "
        f"balanced accuracy is {texts.percent(predict['balanced_accuracy'])}, 95 % interval for "
        f"new samples {texts.share_interval(*predict['interval'])}; guessing has "
        f"{texts.percent(predict['guess'])}. The area under the ROC curve is "
        f"{predict['roc_auc']:.2f}.",
        f"p = {p} by {predict['n_shuffles']} shuffles of the labels, which can show no less than "
        f"{least}.",
        last,
    ]


def paragraph(facts: Mapping[str, Any]) -> str:
    """A paragraph for the methods section of a paper, true to the run."""
    differ, predict, groups = facts["differ"], facts["predict"], facts["groups"]
    counts = ", ".join(f"{name}: {n}" for name, n in facts["classes"].items())
    prior = "infinite" if differ["prior_df"] is None else texts.plain_number(differ["prior_df"])
    statistic = "t" if len(facts["classes"]) == 2 else "F"
    given = f" with {', '.join(facts['adjust'])} as covariates" if facts["adjust"] else ""
    told = [
        f"We compared {facts['n_features']} features between the classes of {facts['target']} in "
        f"{facts['n_samples']} samples ({counts})."
    ]
    if facts["transform"]:
        told.append(f"Values were transformed by {facts['transform']}.")
    if groups:
        how = "compared within their group" if differ["within"] else "replaced by the group's mean"
        told.append(f"Samples of one of the {facts['n_groups']} groups ({groups}) were {how}.")
    told.append(
        f"Features were tested one by one by moderated {statistic} statistics{given} (Smyth 2004; "
        f"the prior had {prior} degrees of freedom) of the samples that have a value"
        + f", and by {differ['rank_test']} tests"
        * bool(differ["rank_test"])
        + ". P values were adjusted for the false discovery rate (Benjamini and Hochberg 1995), "
        f"and q at most {ALPHA} was called a difference."
    )
    if predict["evidence"] is not None:
        told.append(
            f"Prediction was judged by nested cross-validation ({predict['loops']} times "
            f"{predict['outer_folds']} outer folds, {predict['inner_folds']} inner folds, "
            f"stratified{', groups as wholes' if groups else ''}). Training samples alone decided "
            f"on medians in place of gaps, the scaling ({facts['scaling']}), the ranking "
            f"({', '.join(predict['methods'])}), the number of features and a support vector "
            "machine with a Gaussian kernel and weighted classes, by balanced accuracy. The whole "
            f"procedure was repeated on {predict['n_shuffles']} permutations of the labels."
        )
    versions = ", ".join(f"{each.__name__} {each.__version__}" for each in (np, scipy, sklearn))
    return " ".join([*told, f"Python {platform.python_version()}, {versions}."])


def wrapped(sentence: str) -> str:
    """A sentence in lines; no hyphen of a name ends one."""
    return textwrap.fill(sentence, 98, subsequent_indent="  ", break_on_hyphens=False)


def first_text(facts: Mapping[str, Any], table: pd.DataFrame) -> str:
    """The first question for a terminal, in lines of less than 100 characters."""
    classes = ", ".join(f"{name} {n}" for name, n in facts["classes"].items())
    head = f"{facts['n_samples']} samples, {facts['n_features']} features; {facts['target']}: "
    lines = [head + classes, *facts["notes"], *(f"WARNING {told}" for told in facts["warnings"])]
    listed = [
        {
            "feature": texts.cut(row["feature"], 24) + "*" * bool(row["differs"]),
            "effect": texts.plain_number(row["effect"]),
            "95 % interval": texts.plain_interval(row["effect_low"], row["effect_high"]),
            "deviations": f"{row['deviations']:.2f}",
            "higher in": texts.cut(row["higher_in"], 12),
            "q": texts.probability(row["q_value"]),
            "rank p": texts.probability(row["p_rank"]),
        }
        for row in table[table["p_value"].notna()].head(LISTED).to_dict("records")
    ]
    lines += ["", "WHICH FEATURES DIFFER?", *facts["sentences"], ""]
    legend = f"A star: q is at most {ALPHA}. Rank p: {facts['differ']['rank_test'] or 'none'}."
    return "\n".join([*map(wrapped, lines), texts.aligned(pd.DataFrame(listed)) + legend])


def page(facts: Mapping[str, Any], features: pd.DataFrame) -> str:
    """The report as HTML: warnings, three tiles, and the features that differ most."""
    kept = features[features["chosen"] | (np.arange(len(features)) < SHOWN)]
    widest = np.nanmax(np.abs(kept[["deviations_low", "deviations_high"]].to_numpy()))
    values = {"answer": facts, "features": kept.to_dict("records"), "unit": 40 / widest}
    return TEMPLATES.get_template("select.html").render(values)


def _csv(table: pd.DataFrame) -> str:
    return table.to_csv(index=False, float_format="%.6g", lineterminator="\n")


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


KIND = base.Kind(schema=Schema, check=check, run=run)
