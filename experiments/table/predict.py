"""Can the class be predicted? Nested cross-validation of a procedure that selects features.

The procedure learns everything from training rows. The choices of the inner folds are evaluated on
the test rows of outer folds, and again with shuffled labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

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

    @property
    def shape(self) -> tuple[int, int, int]:
        """The number of sizes, of candidates and of values of C."""
        return len(self.sizes), len(self.candidates), len(self.Cs)

    def task(self, shuffle: int | None, split: int | None) -> Task:
        """Return the task of a split (None: all samples) and of a shuffle (None: true labels)."""
        settings = dict(vars(self))
        del settings["source"], settings["candidates"]
        settings["groups"] = self.groups.tolist()
        settings["samples"] = self.source.fingerprint
        methods = [method.identity(parameters) for method, parameters in self.candidates]
        key = key_of("select", methods=methods, at=[shuffle, split], **settings)
        return Task(key, partial(evaluated, self, shuffle, split))

    def front(self) -> list[tuple[str, Any]]:
        """Return the steps before the ranking."""
        gaps = SimpleImputer(strategy="median", keep_empty_features=True)
        scale = StandardScaler() if self.scaling == "standard" else "passthrough"
        first = SelectKBest(preferred, k=self.first)
        return [("gaps", gaps), ("scale", scale), ("first", first)]


def preferred(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Score features by the better of their ranks by ANOVA and by ReliefF."""
    by_anova = stats.rankdata(-anova(X, y), method="ordinal")
    scores = relieff(X, y, k=min(10, len(X) - 1), scale=False)
    by_relieff = stats.rankdata(-scores, method="ordinal")
    return -np.minimum(by_anova, by_relieff)


def places(
    X: np.ndarray, y: np.ndarray, method: Method, parameters: Parameters, state: int
) -> np.ndarray:
    """Score features by their places in the ranking of a method, 0 for the best, then negative."""
    # If no class has spread in a feature, its F is so large that all others would tie.
    scores = np.arcsinh(method.scores(X, y, parameters))
    order = rank(scores, np.random.default_rng(state))
    return -np.argsort(order).astype(np.float64)


def learned(
    design: Design, X: np.ndarray, y: np.ndarray, groups: np.ndarray, state: int
) -> tuple[Pipeline, int]:
    """Learn from training samples: values for gaps, scaling, ranking, its length, and an SVM.

    Inner folds choose the number of features, the method and C by balanced accuracy. Ties go to
    fewer features, then to the earlier method. The number of the method is returned as well. Of
    many samples a random part makes these choices, and all train the last SVM.
    """
    rows = part_of(design, y, state)
    part_X = X[rows]
    part_y = y[rows]
    folds = []
    for train, test in divided(part_y, groups[rows], design.inner_folds, state):
        if len(np.unique(part_y[train])) == len(np.unique(part_y)):
            folds.append((train, test))

    def evaluate(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        return _accuracies(design, part_X, part_y, train, test, state)

    means = cross_validated(folds, evaluate) if folds else np.zeros(design.shape)
    best = np.unravel_index(first_best(means), design.shape)
    size, candidate, number = map(int, best)
    method, parameters = design.candidates[candidate]
    score = partial(places, method=method, parameters=parameters, state=state)
    selection = SelectKBest(score, k=design.sizes[size])
    front = Pipeline([*design.front(), ("best", selection)]).fit(part_X, part_y)
    svm = SVC(C=design.Cs[number], class_weight="balanced").fit(front.transform(X), y)
    return Pipeline([*front.steps, ("svm", svm)]), candidate


def _accuracies(
    design: Design, X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray, state: int
) -> np.ndarray:
    """Return the balanced accuracies on a fold; -1 for methods that refuse so few samples."""
    accuracies = np.full(design.shape, -1.0)
    front = Pipeline(design.front())
    train_X = front.fit_transform(X[train], y[train])
    test_X = front.transform(X[test])
    truth = y[test]
    for candidate, (method, parameters) in enumerate(design.candidates):
        try:
            order = np.argsort(-places(train_X, y[train], method, parameters, state))
        except ValueError:
            continue
        for i, size in enumerate(design.sizes):
            chosen = order[:size]
            for j, C in enumerate(design.Cs):
                svm = SVC(C=C, class_weight="balanced").fit(train_X[:, chosen], y[train])
                is_right = svm.predict(test_X[:, chosen]) == truth
                recalls = [is_right[truth == code].mean() for code in np.unique(truth)]
                accuracies[i, candidate, j] = np.mean(recalls)
    return accuracies


def part_of(design: Design, y: np.ndarray, state: int) -> np.ndarray:
    """Return the rows of a random part of many samples, with at least two of a class in a fold."""
    rows = np.arange(len(y))
    least = np.unique(y, return_counts=True)[1].min()
    needed = -(-2 * design.inner_folds * len(y) // least)
    size = max(design.choosing_samples, needed)
    if size >= len(y):
        return rows
    part, _ = train_test_split(rows, train_size=size, stratify=y, random_state=state)
    return np.sort(part)


def divided(
    y: np.ndarray, groups: np.ndarray, n_folds: int, state: int
) -> list[tuple[np.ndarray, np.ndarray]]:
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
        rng = seeds.generator(design.seed, "shuffle", *axes)
        y = shuffled(y, design.groups, rng)
    train = np.arange(len(y))
    test = np.arange(0)
    if split is not None:
        loop, fold = divmod(split, design.outer_folds)
        state = seeds.integer(design.seed, "outer", *axes, loop)
        folds = divided(y, design.groups, design.outer_folds, state)
        train, test = folds[fold]
    state = seeds.integer(design.seed, "inner", *axes, "all" if split is None else split)
    groups = design.groups[train]
    fit, candidate = learned(design, X[train], y[train], groups, state)
    n_classes = int(y.max()) + 1
    scores = np.full((len(test), n_classes), -np.inf)
    if len(test):
        decisions = fit.decision_function(X[test])
        if decisions.ndim == 1:
            decisions = np.column_stack([-decisions, decisions])
        scores[:, fit.classes_] = decisions
    first = fit["first"].get_support(indices=True)
    best = fit["best"]
    return {
        "test": test,
        "truth": y[test],
        "predicted": scores.argmax(axis=1),
        "scores": scores.ravel(),
        "order": first[np.argsort(-best.scores_)],
        "size": best.k,
        "candidate": candidate,
    }


def recalls_of(rows: Sequence[Row], n_classes: int) -> np.ndarray:
    """Return the share of correct predictions in each class, over the test rows of splits."""
    truth = np.concatenate([row["truth"] for row in rows])
    predicted = np.concatenate([row["predicted"] for row in rows])
    return recall_score(truth, predicted, average=None, labels=np.arange(n_classes))


def roc_auc(rows: Sequence[Row], n_classes: int) -> float:
    """The mean area under the curve of splits; of more classes each against all others.

    Scores of different SVMs are not comparable, so only samples of one split are compared.
    """
    areas = []
    for row in rows:
        is_class = np.eye(n_classes)[row["truth"]]
        scores = row["scores"].reshape(-1, n_classes)
        areas.append(roc_auc_score(is_class, scores))
    return float(np.nanmean(areas))


def interval_of(recalls: np.ndarray, counts: np.ndarray, n_folds: int) -> list[float]:
    """Return the 95 % interval of the balanced accuracy, for new samples and a rule from all.

    One loop of K folds is worth (K - 1) / (2 K - 1) of its independent samples, `counts` in each
    class (Nadeau and Bengio, Machine Learning 52, 2003). Each recall, (n_classes,), has Wilson's
    interval, and the squares of their distances are added (Zou and Donner, Statistics in Medicine
    27, 2008). The upper end assumes that the error decreases as 1 / n from the training part to all
    samples.
    """
    z = float(stats.norm.ppf(0.975))
    n = counts * (n_folds - 1) / (2 * n_folds - 1)
    scale = 1 + z**2 / n
    centre = (recalls + z**2 / (2 * n)) / scale
    spread = recalls * (1 - recalls) / n + z**2 / (4 * n**2)
    half = z * np.sqrt(spread) / scale
    to_low = recalls - (centre - half)
    to_high = recalls - (centre + half)
    below = np.sqrt(np.square(to_low).sum()) / len(n)
    above = np.sqrt(np.square(to_high).sum()) / len(n)
    mean = recalls.mean()
    error = 1 - min(1.0, mean + above)
    high = 1 - (1 - 1 / n_folds) * error
    return [float(max(0.0, mean - below)), float(high)]


def independent_samples(samples: Table, groups: np.ndarray) -> np.ndarray:
    """Return the number of samples of each class, in which a group counts once."""
    counts = []
    for code in samples.label_names:
        groups_of_class = groups[samples.y == code]
        counts.append(len(set(groups_of_class)))
    return np.array(counts)


def design_of(run: Run, methods: list[Method], samples: Table, groups: np.ndarray) -> Design:
    """Return the design of a config, with fewer folds if the smallest class needs it."""
    protocol = run.config.protocol
    n_classes = len(samples.label_names)
    if n_classes > 2:
        try_methods(methods, n_classes)
    candidates = []
    for method in methods:
        for parameters in method.candidates():
            candidates.append((method, parameters))
    n_features = protocol.n_features
    first = min(samples.X.shape[1], max(protocol.first, n_features or 0))
    sizes = [size for size in protocol.sizes if size < first]
    least = int(independent_samples(samples, groups).min())
    outer_folds = min(protocol.outer_folds, least)
    in_training = least - -(-least // outer_folds)
    return Design(
        source=Loaded.of(samples, run.cache),
        groups=groups,
        candidates=candidates,
        sizes=[n_features] if n_features else [*sizes, first],
        Cs=[2.0**C for C in protocol.log2_C],
        first=first,
        scaling=run.config.dataset.scaling,
        choosing_samples=protocol.choosing_samples,
        outer_folds=outer_folds,
        inner_folds=min(protocol.inner_folds, in_training),
        seed=run.config.seed,
        code=digest_of_folders("experiments/table"),
    )


class Loops(NamedTuple):
    """What the procedure learns from all samples, and the splits of its loops."""

    whole: Row
    #: The rows of each loop with the true labels, and of one for each shuffle.
    true: list[list[Row]]
    shuffled: list[list[Row]]


def _loops(run: Run, design: Design) -> Loops:
    """Run the procedure on all samples, and on the splits of all loops."""
    protocol = run.config.protocol
    n_folds = design.outer_folds
    tasks = [design.task(None, None)]
    for split in range(n_folds * protocol.loops):
        tasks.append(design.task(None, split))
    for shuffle in range(protocol.n_shuffles):
        for split in range(n_folds):
            tasks.append(design.task(shuffle, split))
    run.complete(tasks, "evaluating")
    rows = run.rows(tasks)
    if rows is None:
        raise ConfigError("the procedure failed on these samples; the log above says why")
    whole, *splits = rows
    loops = []
    for start in range(0, len(splits), n_folds):
        loops.append(splits[start : start + n_folds])
    return Loops(whole, loops[: protocol.loops], loops[protocol.loops :])


def predicted(
    run: Run, methods: list[Method], samples: Table, groups: np.ndarray
) -> tuple[Prediction | NoPrediction, Chosen | None, pd.DataFrame, pd.DataFrame]:
    """Answer the second question: the answer, the chosen set, columns of features, predictions.

    One loop over the samples with the true labels is shown and compared with one for each shuffle.
    """
    n_features = samples.X.shape[1]
    counts = independent_samples(samples, groups)
    features = pd.DataFrame({"frequency": np.nan, "rank": np.nan}, index=range(n_features))
    least = counts.min()
    if least < FOR_PREDICTION:
        reason = f"the smallest class has {least} independent samples; {FOR_PREDICTION} are needed"
        return NoPrediction(reason), None, features, pd.DataFrame()
    design = design_of(run, methods, samples, groups)
    loops = _loops(run, design)
    chosen_features = []
    for rows in loops.true:
        for row in rows:
            chosen_features.append(row["order"][: int(row["size"])])
    frequencies = np.bincount(np.concatenate(chosen_features).astype(int), minlength=n_features)
    features["frequency"] = frequencies / len(chosen_features)
    order = np.asarray(loops.whole["order"]).astype(int)
    features.loc[order, "rank"] = np.arange(1, len(order) + 1)
    size = int(loops.whole["size"])
    names = np.array(samples.feature_names, dtype=object)[order[:size]]
    method, _ = design.candidates[int(loops.whole["candidate"])]
    chosen = Chosen(method.label, names.tolist())
    answer = _prediction(design, loops, samples, counts)
    return answer, chosen, features, predictions_of(samples, loops.true)


def _prediction(design: Design, loops: Loops, samples: Table, counts: np.ndarray) -> Prediction:
    """Return the accuracy of the first loop, beside those of other folds and of shuffled labels."""
    n_classes = len(counts)
    n_features = samples.X.shape[1]
    tested = loops.true[0]
    accuracy, *other_loops = [_accuracy(rows, n_classes) for rows in loops.true]
    by_chance = sorted(_accuracy(rows, n_classes) for rows in loops.shuffled)
    n_as_good = sum(other >= accuracy - 1e-9 for other in by_chance)
    p_value = (1 + n_as_good) / (1 + len(by_chance))
    labels = [method.label for method, _ in design.candidates]
    n_training = len(samples.y) - len(tested[0]["test"])
    n_choosing = design.choosing_samples
    return Prediction(
        evidence=bool(p_value <= ALPHA),
        balanced_accuracy=accuracy,
        other_loops=other_loops,
        interval=interval_of(recalls_of(tested, n_classes), counts, design.outer_folds),
        guess=1 / n_classes,
        roc_auc=roc_auc(tested, n_classes),
        p_value=p_value,
        n_as_good=n_as_good,
        n_shuffles=len(by_chance),
        shuffled=by_chance,
        outer_folds=design.outer_folds,
        inner_folds=design.inner_folds,
        methods=list(dict.fromkeys(labels)),
        first=design.first if design.first < n_features else None,
        chosen_by=n_choosing if n_training > n_choosing else None,
    )


def _accuracy(rows: Sequence[Row], n_classes: int) -> float:
    """Return the balanced accuracy over the test rows of splits."""
    return float(recalls_of(rows, n_classes).mean())


def predictions_of(samples: Table, loops: Sequence[Sequence[Row]]) -> pd.DataFrame:
    """A row for each sample and loop: its class, the predicted one, and the scores of classes."""
    names = np.array(samples.row_names, dtype=object)
    classes = np.array([*samples.label_names.values()], dtype=object)
    tables = []
    for loop, rows in enumerate(loops, 1):
        for row in rows:
            test = np.asarray(row["test"]).astype(int)
            scores = row["scores"].reshape(-1, len(classes))
            table = pd.DataFrame({"at": test, "sample": names[test], "loop": loop})
            table["class"] = classes[samples.y[test]]
            table["predicted"] = classes[scores.argmax(axis=1)]
            table["score_" + classes] = scores
            tables.append(table)
    return pd.concat(tables).sort_values(["loop", "at"]).drop(columns="at")
