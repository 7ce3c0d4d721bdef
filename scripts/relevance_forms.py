"""Forms of the relevance without a kernel scale, on one problem: what is tried for docs/method.md.

A :class:`Form` names what its references, scales, null, weights, similarity and choice are. The
defaults are the form of :func:`manifest.relevance.calibrated_relevance`. :func:`accuracies` judges
many forms on one split of a problem by an SVM, and :func:`sizes` tries a rule for the number of
features. All forms of a split share the operators that they have in common.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf
from scipy.stats import rankdata
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from baselines import get
from experiments import seeds
from experiments.datasets import generate, load
from manifest import manifest_score
from manifest.calibration import PERMUTATIONS, permuted_labels, shrunk
from manifest.composition import aggregated, composed
from manifest.contents import ranks
from manifest.decompositions import svd
from manifest.determinantal import COPY, determinantal_order
from manifest.kernels import squared_feature_distances, unit_magnitude
from manifest.linalg import EPS, fill_upper
from manifest.ranking import best_first
from manifest.references import REACH, SCALE_FACTORS, ClassDistances, similarity_of
from manifest.relevance import SIMILARITY_FACTOR, calibrated_relevance, varying
from manifest.spd import absolute_diagonal
from manifest.trust import SHARE

#: Numbers of features, of training samples, and the most samples of a test.
SIZES, N_TRAIN, MOST_TESTED = (5, 10, 20, 50), (20, 50, 200), 400
#: Problem -> the classes of a data set, all if there is none; see :func:`problem`.
PAIRS = {
    "breast": ("breast_cancer", None),
    "wine01": ("wine", (0, 1)),
    "wine12": ("wine", (1, 2)),
    "digits49": ("digits", (4, 9)),
    "digits38": ("digits", (3, 8)),
}
TWO_CLASSES = ("xor", "hyper_raw", "hyper_std", "expression", *PAIRS, "madelon", "shifts", "pairs",
               "blocks")  # fmt: skip
THREE_CLASSES = {"wine": ("wine", None), "digits489": ("digits", (4, 8, 9))}
#: Problems whose features have one unit stay as they are; the others are standardised.
AS_THEY_ARE = ("xor", "hyper_raw", "digits49", "digits38", "digits489")


@dataclass(frozen=True)
class Problem:
    """Training and test samples with labels 0..C - 1; `planted` are the features that matter."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    planted: tuple[int, ...] = ()


def problem(name: str, n_train: int, split: int, home=None) -> Problem:
    """A split of a problem: `n_train` samples to train, four fifths of all at most.

    Real data need the folder `home` for Madelon alone; see :func:`experiments.datasets.load`.
    """
    rng = seeds.generator(0, "forms of the relevance", name, n_train, split)
    X, y, planted = _samples(name, rng, home)
    train, test = train_test_split(
        np.arange(len(X)),
        train_size=min(n_train, len(X) * 4 // 5),
        stratify=y,
        random_state=int(rng.integers(2**31)),
    )
    rows = X[train], X[test[:MOST_TESTED]]
    if name not in AS_THEY_ARE:
        scaler = StandardScaler().fit(rows[0])
        rows = scaler.transform(rows[0]), scaler.transform(rows[1])
    return Problem(rows[0], y[train], rows[1], y[test[:MOST_TESTED]], tuple(planted))


def _samples(name, rng, home):
    generated: dict[str, tuple[str, dict[str, Any]]] = {
        "xor": ("xor", {"n_samples": 600}),
        "hyper_raw": ("hypercube", {"n_samples": 600}),
        "hyper_std": ("hypercube", {"n_samples": 600}),
        "expression": ("expression_like", {"n_samples": 500, "n_features": 300}),
    }
    if name in generated:
        of, params = generated[name]
        sample = generate(of, rng, **params)
        return sample.X, np.unique(sample.y, return_inverse=True)[1], sample.relevant
    if name in ("shifts", "pairs", "blocks"):
        return _planted(name, rng)
    of, classes = (PAIRS | THREE_CLASSES).get(name, (name, None))
    data = load(of, home=home)
    kept = np.isin(data.y, np.unique(data.y) if classes is None else classes)
    X, y = data.X[kept], np.unique(data.y[kept], return_inverse=True)[1]
    return X / (16 if of == "digits" else 1), y, ()


def _planted(name, rng):
    """Ten shifts; ten pairs whose correlation changes its sign; or blocks, five of them shifted."""
    X, y = rng.normal(size=(600, 200)), np.arange(600) % 2
    sign = np.where(y == 1, 1.0, -1.0)[:, None]
    if name == "shifts":
        X[:, :10] += 0.5 * sign
        return X, y, range(10)
    if name == "pairs":
        X[:, 1:20:2] = 0.85 * sign * X[:, :20:2] + np.sqrt(1 - 0.85**2) * X[:, 1:20:2]
        return X, y, range(20)
    X = np.sqrt(0.2) * X + np.sqrt(0.8) * np.repeat(rng.normal(size=(600, 20)), 10, axis=1)
    X[:, :50] += 0.35 * sign
    return X, y, range(50)


@dataclass(frozen=True)
class Form:
    """A relevance and a choice; the defaults are those of ``criterion="set"``."""

    #: A filter whose scores take the place of the relevance.
    scores: str = ""
    #: Where the kernels and their references come from, and where those of the mean part do.
    view: str = "values"
    mean_view: str = ""
    #: The scales of the association part and of the mean part; a filter can replace the latter.
    association: tuple[float, ...] = SCALE_FACTORS
    mean: tuple[float, ...] | str = SCALE_FACTORS
    row_norms: bool = False
    #: The operators of several classes: "max", "sum" or "one"; or "pairs" of classes.
    aggregate: str = "max"
    null: str = "permuted"
    weight: str = "James and Stein"
    #: Filters that are calibrated in.
    joined: tuple[str, ...] = ()
    n_blocks: int = 1
    quality: str = "linear"
    #: The scales of the similarity, or "correlations"; none for no choice.
    similarity: tuple[float, ...] | str = (SIMILARITY_FACTOR,)


#: Filters by the names that forms have for them.
FILTERS: dict[str, Callable] = {
    "relieff": partial(get("relieff"), k=10),
    **{name: get(name) for name in ("anova", "jmi", "mrmr")},
    "manifest": partial(manifest_score, scale_factor=0.3),
}


def _around(values, reach):
    return values.mean() - reach * values.std(), values.mean() + reach * values.std()


def _class_means(X, y):
    return np.array([X[y == code].mean(axis=0) for code in np.unique(y)])


def _standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def _ranked(X):
    return rankdata(X, axis=0) / len(X)


#: View -> the values of the features, and the two references.
VIEWS: dict[str, Callable] = {
    "values": lambda X, y: (X, _around(X, REACH)),
    "near": lambda X, y: (X, _around(X, 1.0)),
    "quantiles": lambda X, y: (X, np.quantile(X, [0.05, 0.95])),
    "class means": lambda X, y: (X, _around(_class_means(X, y), REACH)),
    "own": lambda X, y: (_standardised(X), _around(_standardised(X), REACH)),
    "ranks": lambda X, y: (_ranked(X), _around(_ranked(X), REACH)),
}


def _beyond_chance(variance):
    return 1 - 1 / max(float(variance), 1.0)


#: Weight -> a function of z.
WEIGHTS: dict[str, Callable] = {
    "James and Stein": lambda z: _beyond_chance(np.mean(z**2)),
    "variance": lambda z: _beyond_chance(np.var(z)),
    "root": lambda z: np.sqrt(_beyond_chance(np.mean(z**2))),
    "none": lambda z: 1.0,
}


@dataclass(frozen=True)
class Parts:
    """Parts of one composition, an array of length d each; `rounding` as in manifest.trust."""

    #: By the name of the aggregate, and "row norms".
    association: dict[str, np.ndarray]
    mean: dict[str, np.ndarray]
    #: Of the true labels alone.
    similarity: np.ndarray | None
    rounding: float


class Training:
    """The training samples of a problem, and all that several forms take from them."""

    def __init__(self, X: np.ndarray, y: np.ndarray):
        self.varies = varying(X)
        self.X, self.y = X[:, self.varies], y
        self.classes = tuple(range(y.max() + 1))
        # The first ones are those of the relevance.
        self.permuted = list(permuted_labels(ranks(self.X), y, 1 + PERMUTATIONS, 0))
        rng = seeds.generator(0, "resampled")
        self.drawn = [rng.integers(len(y), size=len(y)) for _ in range(PERMUTATIONS)]
        self.parts, self.scores = cache(self._parts), cache(self._scores)
        self._distances = cache(self._distances_of)

    def _labelled(self, labels):
        """Samples and their labels: the true ones ("true"), the i-th permuted or resampled ones."""
        if labels == "true":
            return self.X, self.y
        kind, number = labels
        if kind == "permuted":
            return self.X, self.permuted[number]
        return self.X[self.drawn[number]], self.y

    def _distances_of(self, view, labels):
        X, y = self._labelled(labels)
        values, places = VIEWS[view](X, y)
        places = np.broadcast_to(places, (len(X), 2))
        whole, unit = unit_magnitude(np.hstack([places, values]))
        return ClassDistances(whole, y), unit

    def _parts(self, view, labels, factor) -> Parts:
        distances, unit = self._distances(view, labels)
        composition = composed(
            distances.kernels(factor, self.classes, unit), self.classes, "regularized"
        )
        similarity = None
        if labels == "true":
            similarity = similarity_of(composition.mean_operator(), composition.delta)
        rounding = composition.magnitude * EPS / SHARE * (2 + self.X.shape[1])
        cores = [fill_upper(core) for core in composition.difference_cores()]
        means = np.array([core[2:, 1] - core[2:, 0] for core in cores])
        features = [np.asfortranarray(core[2:, 2:]) for core in cores]
        norms = np.sqrt(sum((core**2).sum(axis=1) for core in features))
        association = {"row norms": norms}
        if len(cores) > 1:  # the diagonal of (sum_l D_l^2)^(1/2)
            _, values, rows = svd(np.vstack(features))
            association["one"] = values @ rows**2
        each = np.array([absolute_diagonal(core) for core in features])
        association |= {how: aggregated(each, how) for how in ("max", "sum")}
        mean = {how: aggregated(np.abs(means), how) for how in ("max", "sum")}
        mean["one"] = np.sqrt((means**2).sum(axis=0))
        return Parts(association, mean, similarity, rounding)

    def _scores(self, name, labels="true"):
        X, y = self._labelled(labels)
        return np.asarray(FILTERS[name](X, y), dtype=np.float64)

    @cached_property
    def correlations(self):
        """Squared means over the classes of the correlations of features, with unit diagonal."""
        with np.errstate(invalid="ignore", divide="ignore"):
            each = [np.corrcoef(self.X[self.y == code].T) for code in self.classes]
        S = np.mean(np.nan_to_num(each), axis=0) ** 2
        np.fill_diagonal(S, 1.0)
        return S

    def analytic(self, factor):
        """Mean and deviation of the mean part of each feature under permuted labels, each (d,).

        To the first order ``D = (K_1 - K_2) / 2``, and each entry of K_l is ``exp(-q / (2 s_l^2))``
        with q a sum over the samples of class l. A sum over n_1 of n samples at random has the
        variance ``n_1 n_2 / n`` times that of its terms, and the absolute value of a normal number
        the mean ``sqrt(2 / pi)`` and the variance ``1 - 2 / pi`` in units of its deviation.
        """
        (X, places), n = VIEWS["values"](self.X, self.y), len(self.y)
        squared = squared_feature_distances(X)
        scale = factor**2 * np.median(squared[np.triu_indices(len(squared), 1)])
        terms = [(X - place) ** 2 for place in places]
        low, high = (term * np.exp(-term.sum(axis=0) / (2 * scale)) for term in terms)
        n_1, n_2 = np.bincount(self.y)
        spread = (high - low).std(axis=0, ddof=1) * n / (4 * scale) * np.sqrt(n / (n_1 * n_2))
        return spread * np.sqrt(2 / np.pi), spread * np.sqrt(1 - 2 / np.pi)


def _part(training, form, part, factor, labels="true"):
    view = form.mean_view if part == "mean" and form.mean_view else form.view
    parts = training.parts(view, labels, factor)
    if part == "mean":
        return parts.mean[form.aggregate], parts.rounding
    return parts.association["row norms" if form.row_norms else form.aggregate], parts.rounding


def moments(training: Training, form: Form, part: str, factor: float, number: int):
    """Mean and deviation of a part by chance, numbers or (d,); `number` is that of the scale."""
    if form.null == "empirical":
        values, _ = _part(training, form, part, factor)
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
        return middle, (high - low) / 1.349  # the quartiles of a normal distribution
    if form.null == "analytic" and part == "mean":
        return training.analytic(factor)
    kind = "resampled" if form.null == "resampled" else "permuted"
    own = {"one": [0], "one a scale": [number % len(training.permuted)]}
    numbers = own.get(form.null, range(PERMUTATIONS))
    null = np.array([_part(training, form, part, factor, (kind, one))[0] for one in numbers])
    if form.null == "quarter":
        null = null[:, ::4]
    return null.mean(), null.std()


def effects(training: Training, form: Form, labels="true"):
    """The calibrated effects of both parts at all scales, as pairs of a part and an array (d,).

    With other labels than the true ones, the weights remain those of the true ones.
    """
    for part, factors in (("association", form.association), ("mean", form.mean)):
        for number, factor in enumerate(() if isinstance(factors, str) else factors):
            mean, deviation = moments(training, form, part, factor, number)
            score, rounding = _part(training, form, part, factor)
            if np.max(deviation) <= max(rounding, 1e-9 * np.abs(score).max()):
                yield part, np.zeros(score.size)
                continue
            deviation = np.maximum(deviation, 1e-9 * np.max(deviation))
            z = (score - mean) / deviation
            weight = max(1 / z.size, WEIGHTS[form.weight](z))
            yield part, weight * (_part(training, form, part, factor, labels)[0] - mean) / deviation


def relevance(training: Training, form: Form, labels="true") -> np.ndarray:
    """The relevance of the features that vary."""
    if form.scores == "random":
        return seeds.generator(0, "random", *training.y).random(training.X.shape[1:])
    if form.scores:
        return training.scores(form.scores)
    if form.n_blocks > 1 and training.X.shape[1] >= 60:
        block = -(-training.X.shape[1] // form.n_blocks)
        parts = calibrated_relevance(training.X, training.y, block=block, n_selected=None)
        return parts.relevance
    if form.aggregate == "pairs":
        pairs = [np.isin(training.y, pair) for pair in combinations(training.classes, 2)]
        found = [calibrated_relevance(training.X[of], training.y[of], n_selected=None)
                 for of in pairs]  # fmt: skip
        return np.sum([one.relevance for one in found], axis=0)
    each: dict[str, list[np.ndarray]] = {"association": [], "mean": []}
    for part, effect in effects(training, form, labels):
        each[part].append(effect)
    if isinstance(form.mean, str):
        each["mean"].append(_calibrated(training, form.mean))
    total = np.array([np.mean(one, axis=0) for one in each.values()]).mean(axis=0)
    for name in form.joined:
        total = total + _calibrated(training, name)
    return total


def _calibrated(training, name):
    null = [training.scores(name, ("permuted", number)) for number in range(PERMUTATIONS)]
    return shrunk(training.scores(name), np.array(null)).effects


def similarity(training: Training, form: Form) -> np.ndarray:
    """The similarity of the features that vary, (d, d)."""
    if isinstance(form.similarity, str):
        return training.correlations
    each = (training.parts(form.view, "true", factor).similarity for factor in form.similarity)
    return np.mean([one for one in each if one is not None], axis=0)


def chosen(training: Training, form: Form) -> np.ndarray:
    """The features that vary in the order of choice, the first 50 by the determinant."""
    scores = relevance(training, form)
    if not form.similarity:
        return best_first(scores)
    quality = (scores - scores.min()) / (np.ptp(scores) or 1.0)
    quality = {
        "linear": quality,
        "root": np.sqrt(quality),
        "clipped": np.maximum(scores, 0) / max(scores.max(), EPS),
    }[form.quality]
    steps = determinantal_order(quality, similarity(training, form), max(SIZES))
    return np.argsort(steps, kind="stable")


def judge(given: Problem, varies: np.ndarray) -> Callable[[Iterable[int]], float]:
    """A function from features that vary to the test accuracy of an SVM; it judges a set once."""
    columns = np.flatnonzero(varies)

    @cache
    def accuracy(of):
        svm = make_pipeline(StandardScaler(), SVC(C=1.0)).fit(given.X[:, of], given.y)
        return float(svm.score(given.X_test[:, of], given.y_test))

    return lambda features: accuracy(tuple(sorted(columns[list(features)].tolist())))


def accuracies(name: str, n_train: int, split: int, forms: dict[str, Form], home=None) -> dict:
    """The mean accuracy of each form over the sizes below the number of features that vary."""
    given = problem(name, n_train, split, home)
    training = Training(given.X, given.y)
    accuracy, n_features = judge(given, training.varies), training.X.shape[1]
    found = {}
    for words, form in forms.items():
        order = chosen(training, form)
        found[words] = np.mean([accuracy(order[:k]) for k in SIZES if k < n_features])
    return found


def sizes(name: str, n_train: int, split: int, home=None) -> dict:
    """The stop rule on one split: a feature is chosen while its gain is more than chance gives.

    The quality q is the relevance in deviations, at least 0. Under permuted labels, with the
    weights of the true ones, the first gain is the largest q^2. The rule takes features while
    their gain ``q^2 c`` is above the largest of these; it takes one at least.
    """
    given = problem(name, n_train, split, home)
    training, form = Training(given.X, given.y), Form()
    accuracy = judge(given, training.varies)
    quality = np.maximum(relevance(training, form), 0)
    S = similarity(training, form)
    order = np.argsort(determinantal_order(quality, S, len(S)), kind="stable")
    by_chance = max(
        relevance(training, form, ("permuted", number)).max() for number in range(PERMUTATIONS)
    )
    gains = quality[order] ** 2 * unexplained(S[np.ix_(order, order)])
    n = max(1, int(np.argmax(np.append(gains, -1) <= max(by_chance, 0) ** 2)))
    taken = set(training.varies.nonzero()[0][order[:n]].tolist())
    right = len(taken & set(given.planted))
    row = {"features": n, "accuracy": accuracy(order[:n])}
    row |= {"found": right / len(given.planted), "right": right / n} if given.planted else {}
    fixed = [accuracy(order[:k]) for k in SIZES if k < len(S)]
    return row | {"mean_of_sizes": np.mean(fixed), "best_of_sizes": max(fixed)}


def unexplained(S):
    """The part of each feature that the ones before it leave unexplained, (d,).

    These are the squares of the diagonal of the Cholesky factor. Copies are last, and have 0.
    """
    factor, failed = dpotrf(S, lower=True)
    left = np.diag(factor)[: failed - 1 if failed else None] ** 2
    left = left[np.logical_and.accumulate(left > COPY)]
    return np.pad(left, (0, len(S) - len(left)))
