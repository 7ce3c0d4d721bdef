"""Can the class be predicted? Nested cross-validation of a procedure that selects features.

The procedure learns everything from training rows. The choices of the inner folds are evaluated on
the test rows of outer folds, and again with shuffled labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.metrics import recall_score, roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from baselines.filters.anova import anova
from baselines.filters.relieff import relieff
from experiments import seeds
from experiments.cache import Row, Run, Task, key_of
from experiments.code import digest_of_folders
from experiments.config import ConfigError
from experiments.datasets.own.table import Table
from experiments.evaluation.methods import Method, Parameters, try_methods
from experiments.evaluation.samples import Loaded, Source
from experiments.evaluation.tasks import rank
from experiments.evaluation.tuning import cross_validated, first_best
from experiments.table.differ import ALPHA

#: Number of samples (or groups) of each class that a prediction needs.
FOR_PREDICTION = 4


@dataclass(frozen=True)
class NoPrediction:
    """The second question was not asked."""

    reason: str
    evidence: None = None


@dataclass(frozen=True)
class Prediction:
    """The second question: the accuracy of one loop, and of one for each shuffle of the labels."""

    evidence: bool
    balanced_accuracy: float
    #: Those of further loops, with other folds.
    other_loops: list[float]
    #: 95 % interval, see :func:`interval_of`.
    interval: list[float]
    guess: float
    roc_auc: float
    p_value: float
    #: The number of shuffles that are as good.
    n_as_good: int
    n_shuffles: int
    #: The balanced accuracies with shuffled labels, in order.
    shuffled: list[float]
    outer_folds: int
    inner_folds: int
    #: The labels of the methods.
    methods: list[str]
    #: The number of features that a first ranking keeps, if it is not all.
    first: int | None
    #: The number of training samples that made the choices, if it is not all.
    chosen_by: int | None


@dataclass(frozen=True)
class Chosen:
    """The set that the procedure chooses from all samples, best first."""

    method: str
    features: list[str]


@dataclass(frozen=True, eq=False)
class Design:
    """The samples, their groups (n_samples,), which are never divided, and the choices to make."""

    source: Source
    groups: np.ndarray
    candidates: list[tuple[Method, Parameters]]
    sizes: list[int]
    Cs: list[float]
    first: int
    scaling: str
    outer_folds: int
    inner_folds: int
    choosing_samples: int
    seed: int
    #: The digest of this room, which that of the store leaves out.
    code: str = ""

    def task(self, shuffle: int | None, split: int | None) -> Task:
        """Return the task of a split (None: all samples) and of a shuffle (None: true labels)."""
        settings = {k: v for k, v in vars(self).items() if k not in ("source", "candidates")}
        methods = [method.identity(parameters) for method, parameters in self.candidates]
        settings |= {"groups": self.groups.tolist(), "samples": self.source.fingerprint}
        key = key_of("select", methods=methods, at=[shuffle, split], **settings)
        return Task(key, partial(evaluated, self, shuffle, split))

    def front(self) -> list[tuple[str, Any]]:
        """Return the steps before the ranking."""
        scale = StandardScaler() if self.scaling == "standard" else "passthrough"
        gaps = SimpleImputer(strategy="median", keep_empty_features=True)
        return [("gaps", gaps), ("scale", scale), ("first", SelectKBest(preferred, k=self.first))]


def preferred(X, y) -> np.ndarray:
    """Score features by the better of their ranks by ANOVA and by ReliefF."""
    scores = anova(X, y), relieff(X, y, k=min(10, len(X) - 1), scale=False)
    return -np.minimum(*(stats.rankdata(-each, method="ordinal") for each in scores))


def places(X, y, method: Method, parameters: Parameters, state: int) -> np.ndarray:
    """Score features by their places in the ranking of a method, 0 for the best, then negative."""
    # If no class has spread in a feature, its F is so large that all others would tie.
    scores = np.arcsinh(method.scores(X, y, parameters))
    return -np.argsort(rank(scores, np.random.default_rng(state))).astype(np.float64)


def learned(design: Design, X, y, groups, state: int) -> tuple[Pipeline, int]:
    """Learn from training samples: values for gaps, scaling, ranking, its length, and an SVM.

    Inner folds choose the number of features, the method and C by balanced accuracy. Ties go to
    fewer features, then to the earlier method. The number of the method is returned as well. Of
    many samples a random part makes these choices, and all train the last SVM.
    """
    all_X, all_y, part = X, y, part_of(design, y, state)
    X, y, groups = X[part], y[part], groups[part]
    shape = len(design.sizes), len(design.candidates), len(design.Cs)
    folds = [
        (train, test)
        for train, test in divided(y, groups, design.inner_folds, state)
        if len(np.unique(y[train])) == len(np.unique(y))
    ]

    def evaluate(train, test):
        accuracies, front = np.full(shape, -1.0), Pipeline(design.front())
        own, other = front.fit_transform(X[train], y[train]), front.transform(X[test])
        for at, candidate in enumerate(design.candidates):
            try:
                order = np.argsort(-places(own, y[train], *candidate, state))
            except ValueError:  # The method does not accept so few samples.
                continue
            for (size, k), (number, C) in product(enumerate(design.sizes), enumerate(design.Cs)):
                svm = SVC(C=C, class_weight="balanced").fit(own[:, order[:k]], y[train])
                right = svm.predict(other[:, order[:k]]) == y[test]
                recalls = [right[y[test] == c].mean() for c in np.unique(y[test])]
                accuracies[size, at, number] = np.mean(recalls)
        return accuracies

    mean = cross_validated(folds, evaluate) if folds else np.zeros(shape)
    size, at, number = map(int, np.unravel_index(first_best(mean), shape))
    method, parameters = design.candidates[at]
    score = partial(places, method=method, parameters=parameters, state=state)
    best = SelectKBest(score, k=design.sizes[size])
    front = Pipeline([*design.front(), ("best", best)]).fit(X, y)
    svm = SVC(C=design.Cs[number], class_weight="balanced").fit(front.transform(all_X), all_y)
    return Pipeline([*front.steps, ("svm", svm)]), at


def part_of(design: Design, y, state: int) -> np.ndarray:
    """Return the rows of a random part of many samples, with at least two of a class in a fold."""
    least = np.unique(y, return_counts=True)[1].min()
    size = max(design.choosing_samples, -(-2 * design.inner_folds * len(y) // least))
    if size >= len(y):
        return np.arange(len(y))
    rows = train_test_split(np.arange(len(y)), train_size=size, stratify=y, random_state=state)[0]
    return np.sort(rows)


def divided(y, groups, n_folds: int, state: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows of stratified folds, no group in two of them."""
    folds = StratifiedGroupKFold(n_folds, shuffle=True, random_state=state)
    return list(folds.split(y, y, groups))


def shuffled(y: np.ndarray, groups: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Shuffle the labels: between groups with a single class, and within all other groups."""
    first = np.unique(groups, return_index=True)[1]
    alike = pd.Series(y).groupby(groups).nunique().to_numpy() == 1
    label = y[first]
    label[alike] = rng.permutation(label[alike])
    new = label[groups]
    for group in np.flatnonzero(~alike):
        new[groups == group] = rng.permutation(y[groups == group])
    return new


def evaluated(design: Design, shuffle: int | None, split: int | None) -> Row:
    """Learn from the training rows of a split and predict its test rows.

    Returns
    -------
    Row
        "test" (n_test,): rows; "truth", "predicted": their classes; "scores" (n_test * n_classes,);
        "order": the ranked features, of which the first "size" are chosen; "candidate": the number
        of the method.
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
    """Return the share of correct predictions in each class, over the test rows of splits."""
    truth, predicted = (np.concatenate([row[k] for row in rows]) for k in ("truth", "predicted"))
    return recall_score(truth, predicted, average=None, labels=np.arange(n_classes))


def roc_auc(rows: Sequence[Row], n_classes: int) -> float:
    """The mean area under the curve of splits; of more classes each against all others.

    Scores of different SVMs are not comparable, so only samples of one split are compared.
    """
    areas = []
    for row in rows:
        scores = row["scores"].reshape(-1, n_classes)
        areas.append(roc_auc_score(np.eye(n_classes)[row["truth"]], scores))
    return float(np.nanmean(areas))


def interval_of(recalls, counts: np.ndarray, n_folds: int) -> list[float]:
    """Return the 95 % interval of the balanced accuracy, for new samples and a rule from all.

    One loop of K folds is worth (K - 1) / (2 K - 1) of its independent samples, `counts` in each
    class (Nadeau and Bengio, Machine Learning 52, 2003). Each recall, (n_classes,), has Wilson's
    interval, and the squares of their distances are added (Zou and Donner, Statistics in Medicine
    27, 2008). The upper end assumes that the error decreases as 1 / n from the training part to all
    samples.
    """
    z, mean = float(stats.norm.ppf(0.975)), recalls.mean()
    n = counts * (n_folds - 1) / (2 * n_folds - 1)
    centre = (recalls + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(recalls * (1 - recalls) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    below, above = (
        np.sqrt(np.square(recalls - end).sum()) / len(n) for end in (centre - half, centre + half)
    )
    high = 1 - (1 - 1 / n_folds) * (1 - min(1.0, mean + above))
    return [float(max(0.0, mean - below)), float(high)]


def design_of(run: Run, methods: list[Method], samples: Table, groups: np.ndarray) -> Design:
    """Return the design of a config, with fewer folds if the smallest class needs it."""
    protocol, d = run.config.protocol, samples.X.shape[1]
    least = min(len(set(groups[samples.y == c])) for c in samples.label_names)
    if len(samples.label_names) > 2:
        try_methods(methods, len(samples.label_names))
    outer = min(protocol.outer_folds, least)
    first = min(d, max(protocol.first, protocol.n_features or 0))
    sizes = [*(size for size in protocol.sizes if size < first), first]
    return Design(
        source=Loaded.of(samples, run.cache),
        groups=groups,
        candidates=[(method, each) for method in methods for each in method.candidates()],
        sizes=[protocol.n_features] if protocol.n_features else sizes,
        Cs=[2.0**C for C in protocol.log2_C],
        first=first,
        scaling=run.config.dataset.scaling,
        choosing_samples=protocol.choosing_samples,
        outer_folds=outer,
        inner_folds=min(protocol.inner_folds, least - -(-least // outer)),
        seed=run.config.seed,
        code=digest_of_folders("experiments/table"),
    )


def predicted(
    run: Run, methods: list[Method], samples: Table, groups: np.ndarray
) -> tuple[Prediction | NoPrediction, Chosen | None, pd.DataFrame, pd.DataFrame]:
    """Answer the second question: the answer, the chosen set, columns of features, predictions.

    One loop over the samples with the true labels is shown and compared with one for each shuffle.
    """
    protocol, d, C = run.config.protocol, samples.X.shape[1], len(samples.label_names)
    counts = np.array([len(set(groups[samples.y == c])) for c in range(C)])
    features = pd.DataFrame({"frequency": np.nan, "rank": np.nan}, index=range(d))
    if (least := int(counts.min())) < FOR_PREDICTION:
        reason = f"the smallest class has {least} independent samples; {FOR_PREDICTION} are needed"
        return NoPrediction(reason), None, features, pd.DataFrame()
    design = design_of(run, methods, samples, groups)
    n_folds = design.outer_folds
    whole = design.task(None, None)
    own = [design.task(None, split) for split in range(n_folds * protocol.loops)]
    others = [design.task(n, k) for n in range(protocol.n_shuffles) for k in range(n_folds)]
    run.complete(tasks := [whole, *own, *others], "evaluating")
    if (made := run.rows(tasks)) is None:
        raise ConfigError("the procedure failed on these samples; the log above says why")
    last, rows, tested = made[0], made[1 : 1 + len(own)], made[1 : 1 + n_folds]
    loops = [made[at : at + n_folds] for at in range(1, len(made), n_folds)]
    scores = [float(recalls_of(loop, C).mean()) for loop in loops]
    accuracies, by_chance = scores[: protocol.loops], sorted(scores[protocol.loops :])
    n_as_good = sum(each >= accuracies[0] - 1e-9 for each in by_chance)
    p = (1 + n_as_good) / (1 + len(by_chance))
    order, size = np.asarray(last["order"]).astype(int), int(last["size"])
    taken = np.concatenate([row["order"][: int(row["size"])] for row in rows]).astype(int)
    features["frequency"] = np.bincount(taken, minlength=d) / len(rows)
    features.loc[order, "rank"] = np.arange(1, len(order) + 1)
    labels = [method.label for method, _ in design.candidates]
    n_training = len(samples.y) - len(tested[0]["test"])
    answer = Prediction(
        evidence=bool(p <= ALPHA),
        balanced_accuracy=accuracies[0],
        other_loops=accuracies[1:],
        interval=interval_of(recalls_of(tested, C), counts, n_folds),
        guess=1 / C,
        roc_auc=roc_auc(tested, C),
        p_value=p,
        n_as_good=n_as_good,
        n_shuffles=len(by_chance),
        shuffled=by_chance,
        outer_folds=n_folds,
        inner_folds=design.inner_folds,
        methods=list(dict.fromkeys(labels)),
        first=design.first if design.first < d else None,
        chosen_by=protocol.choosing_samples if n_training > protocol.choosing_samples else None,
    )
    names = np.array(samples.feature_names, dtype=object)[order[:size]].tolist()
    predictions = predictions_of(samples, loops[: protocol.loops])
    return answer, Chosen(labels[int(last["candidate"])], names), features, predictions


def predictions_of(samples: Table, loops: Sequence[Sequence[Row]]) -> pd.DataFrame:
    """A row for each sample and loop: its class, the predicted one, and the scores of classes."""
    names = np.array(samples.row_names, dtype=object)
    classes = np.array([*samples.label_names.values()], dtype=object)
    parts = []
    for loop, rows in enumerate(loops, 1):
        for row in rows:
            test = np.asarray(row["test"]).astype(int)
            scores = row["scores"].reshape(-1, len(classes))
            part = {"at": test, "sample": names[test], "loop": loop}
            part |= {"class": classes[samples.y[test]], "predicted": classes[scores.argmax(axis=1)]}
            part |= dict(zip("score_" + classes, scores.T, strict=True))
            parts.append(pd.DataFrame(part))
    return pd.concat(parts).sort_values(["loop", "at"]).drop(columns="at")
