"""Nothing leaks: noise in the place of rows that test changes only what is measured on them.

A scorer and a classifier record all samples that they are given, so that a leak shows even if it
changes no ranking.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from baselines import anova
from experiments.cache import Cache
from experiments.datasets import Sample
from experiments.evaluation import division
from experiments.evaluation.division import KFold, PerClass
from experiments.evaluation.methods import Method, Part
from experiments.evaluation.svm.evaluators import EVALUATORS, SvmBestCell, SvmGrid
from experiments.evaluation.tasks import Problem, rank_and_evaluate
from experiments.evaluation.tuning import TUNINGS
from experiments.kinds.accuracy import classifiers
from experiments.kinds.few_sample_recovery import tuned
from experiments.table import predict

#: Numbers of samples, of those in the pool of few samples, and of inner folds.
N, POOL, FOLDS = 48, 36, 3
#: What the recorders were given, in order.
SEEN: list[tuple[bytes, bytes]] = []
#: What is measured on test rows.
MEASURED = {"test", "accuracy", "scores", "predicted", "truth"}


def recording_anova(X, y, *, power=1):
    """ANOVA that records its samples."""
    SEEN.append((X.tobytes(), y.tobytes()))
    return anova(X, y) ** power


class RecordingClassifier(LogisticRegression):
    """Logistic regression that records its samples."""

    def fit(self, X, y, sample_weight=None):
        SEEN.append((X.tobytes(), y.tobytes()))
        return super().fit(X, y, sample_weight)


METHOD = Method("a", "A", (Part("a", f"{__name__}:recording_anova", {}, {"power": [1, 2]}),))
CANDIDATES = METHOD.candidates()


class Given(NamedTuple):
    """A source of samples, of which the first two features are relevant."""

    X: np.ndarray
    y: np.ndarray
    fingerprint: str = "given"
    seed: int = 0
    axes: tuple = ("given",)

    def samples(self):
        return Sample(self.X, self.y, (0, 1))


def on_split(plan, evaluator, tuning, scaling="standard"):
    """An evaluator of all candidates on the inner folds, if they rank, and on the split."""

    def run(given, cache):
        grid = evaluator((1, 2, 4), (0.0, 3.0), (-3.0,), refits_all=tuning.ranks_folds)
        whole = Problem(given, plan, grid, 0, scaling, 1, n_kept=4)
        of_problems = [
            [rank_and_evaluate(problem, METHOD, each, cache) for each in CANDIDATES]
            for problem in [*(whole.folds if tuning.ranks_folds else ()), whole]
        ]
        found = [(last, *folds) for *folds, last in zip(*of_problems, strict=True)]
        (choice,) = tuning.choices(found)
        return {**vars(choice), "order": found[choice.candidate][0]["order"]}

    return run


def few_samples(given, cache):
    setting = tuned.Setting(POOL, 30, "standard", FOLDS, (0.0, 3.0), (-3.0,))
    return tuned.tune_and_evaluate(given, METHOD, setting)


def own_table(scaling, given, cache):
    """With a gap in every fourth sample."""
    gappy = given.X.copy()
    gappy[::4, 2] = np.nan
    methods = [(METHOD, each) for each in CANDIDATES]
    settings: dict[str, Any] = {"sizes": [1, 2, 4], "Cs": [1.0, 8.0], "first": 5, "seed": 0}
    settings |= {"outer_folds": 4, "inner_folds": FOLDS, "choosing_samples": N, "scaling": scaling}
    design = predict.Design(given._replace(X=gappy), np.arange(N), methods, **settings)
    return predict.evaluated(design, None, 1)


def classifier(scaling, given, cache):
    call = f"{__name__}:RecordingClassifier"
    one = classifiers.Classifier("A", call, {}, {"C": [0.1, 1.0]}, scale=True)
    return classifiers.evaluate_classifier(one, Problem(given, SPLIT, None, 0, scaling, 1))


SPLIT, HALF, DRAW = KFold(0.25, FOLDS), KFold(0.25, FOLDS, share=0.5), PerClass(12, FOLDS)
#: Name -> the evaluator, and whether it ranks, or fits, in inner folds, one after the other.
RUNS = {
    "accuracy": (on_split(SPLIT, SvmGrid, TUNINGS["paper"]), False),
    "accuracy, icml": (on_split(SPLIT, SvmGrid, TUNINGS["icml"]), False),
    "accuracy, per class": (on_split(DRAW, SvmBestCell, TUNINGS["paper"]), False),
    "accuracy, half": (on_split(HALF, SvmGrid, TUNINGS["paper"], "ternary"), False),
    "nested": (on_split(SPLIT, SvmGrid, TUNINGS["nested"]), True),
    "nested, ternary": (on_split(SPLIT, SvmGrid, TUNINGS["nested"], "ternary"), True),
    "arena": (on_split(SPLIT, EVALUATORS["logistic"], TUNINGS["nested"]), True),
    "few samples": (few_samples, True),
    "select": (partial(own_table, "standard"), True),
    "select, unscaled": (partial(own_table, "none"), True),
    "classifiers": (partial(classifier, "none"), True),
    "classifiers, scaled": (partial(classifier, "standard"), False),
}


@pytest.fixture
def divisions(monkeypatch):
    """Divisions of rows by function; they stay as they were first, whatever the labels are."""
    kept: dict[str, dict] = {}

    def remembered(function):
        known = kept.setdefault(function.__name__, {})

        def replay(*given):
            key = repr([each for each in given if not isinstance(each, np.ndarray)])
            if key not in known:
                known[key] = function(*given)
            return known[key]

        return replay

    for module, names in (
        (division, ["outer_split", "rows_per_class", "inner_folds", "ranking_rows"]),
        (predict, ["divided"]),
    ):
        for name in names:
            replay = remembered(getattr(module, name))
            for user in (division, predict, tuned):
                if hasattr(user, name):
                    monkeypatch.setattr(user, name, replay)
    return kept


def held_out(kept):
    """The test rows, and those of each inner fold."""
    if kept["divided"]:
        outer, inner = kept["divided"].values()
        train, test = outer[1]
        return test, [train[part] for _, part in inner]
    inner, *_ = kept["inner_folds"].values()
    splits = [*kept["outer_split"].values(), *kept["rows_per_class"].values()]
    test = splits[0][1] if splits else np.arange(POOL, N)
    return test, [part for _, part in inner]


def outcome(run, given, folder):
    SEEN.clear()
    row = run(given, Cache(str(folder)))
    return {k: np.array(v) for k, v in row.items() if k not in MEASURED}, [*SEEN]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", RUNS)
def test_noise_in_test_rows_changes_only_what_is_measured_on_them(name, seed, divisions, tmp_path):
    (run, has_folds), rng = RUNS[name], np.random.default_rng(seed)
    X, y = rng.normal(size=(N, 8)), np.arange(N) % 2
    X[:, :2] += y[:, None]

    def disturbed(held_out):
        noisy, labels = X.copy(), y.copy()
        noisy[held_out] = 100 + 50 * rng.normal(size=(len(held_out), 8))
        labels[held_out] = rng.permutation(labels[held_out])
        return Given(noisy, labels)

    honest, seen = outcome(run, Given(X, y), tmp_path / "honest")
    test, folds = held_out(divisions)
    again, seen_again = outcome(run, disturbed(test), tmp_path / "test")
    assert seen == seen_again
    assert {*honest} == {*again}
    for key, value in honest.items():
        np.testing.assert_array_equal(value, again[key], err_msg=key)
    for fold, rows_of_fold in enumerate(folds if has_folds else ()):
        _, other = outcome(run, disturbed(rows_of_fold), tmp_path / f"fold {fold}")
        calls = slice(fold * len(CANDIDATES), (fold + 1) * len(CANDIDATES))
        assert seen[calls] == other[calls]
        assert seen != other
