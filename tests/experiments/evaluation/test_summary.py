"""Tables of rows: the number of features that a tuning reports, that a classifier uses; flags."""

import warnings

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from experiments.evaluation import summary
from experiments.evaluation.accuracies import best_size
from experiments.evaluation.classifiers import n_used

#: Test accuracies of three splits at 1, 2 and 4 features. The mean is best at 2, the median at 1,
#: and the validation accuracy at 4.
TEST = np.array([[0.80, 0.90, 0.60], [0.80, 0.76, 0.60], [0.50, 0.75, 0.60]])
VALIDATION = np.array([[0.5, 0.6, 0.9]] * 3)


def rows(tuning):
    head = {"method": "a", "tuning": tuning, "ranking_share": 1.0}
    return pd.DataFrame(
        {
            **head,
            "split": split,
            "n_features": size,
            "test": TEST[split, i],
            "validation": VALIDATION[split, i],
            "chosen": size == (4 if split else 1),
        }
        for split in range(3)
        for i, size in enumerate((1, 2, 4))
    )


def test_a_reading_reports_the_best_mean_test_accuracy_and_nested_what_each_split_chose():
    assert TEST.mean(axis=0).argmax() == 1
    assert np.median(TEST, axis=0).argmax() == 0
    assert VALIDATION.mean(axis=0).argmax() == 2
    for tuning in ("paper", "icml"):
        reported = best_size(rows(tuning))
        assert list(reported["n_features"]) == [2, 2, 2], tuning
        np.testing.assert_array_equal(reported["test"], TEST[:, 1])
    reported = best_size(rows("nested"))
    assert list(reported["n_features"]) == [1, 4, 4]
    np.testing.assert_array_equal(reported["test"], [0.8, 0.6, 0.6])


def flagged(**flags):
    """Rows of two methods with these flags of the second one."""
    head = {"method": ["a", "a", "b", "b"], "split": [0, 1, 0, 1], "test": 0.5}
    return pd.DataFrame(head | {name: [False, False, *flag] for name, flag in flags.items()})


def test_flags_are_counted_and_rare_ones_only_if_there_are_any():
    counts = summary.table(
        flagged(ambiguous=[True, True], uninformative=[False, False]), [], "test"
    )
    assert counts["n_ambiguous"].tolist() == [0, 2]
    assert "n_uninformative" not in counts
    counts = summary.table(
        flagged(ambiguous=[True, False], uninformative=[True, False]), [], "test"
    )
    assert counts["n_uninformative"].tolist()[1] == 1


def test_scores_that_are_rounding_are_said_in_the_table(run):
    """Far below the scale of the distances every kernel is the identity."""
    tiny = ["method=manifest", "method.scale_factor=1e-3", "method.geometry=regularized"]
    folder, _ = run("experiment=hypercube", "profile=smoke", *tiny, "protocol.evaluated_draws=0")
    table = pd.read_csv(folder / "summary.csv")
    assert table["n_uninformative"].tolist() == table["n_draws"].tolist()


def test_features_used_are_those_that_can_change_the_decision():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    y = (X[:, 3] > 0).astype(int)
    X[:, 5] = 0
    stump = RandomForestClassifier(1, max_depth=1, max_features=None, bootstrap=False)
    lasso = LogisticRegression(solver="liblinear", l1_ratio=1, C=1, random_state=0)
    assert n_used(stump.fit(X, y), 8) == 1
    assert n_used(SVC(kernel="rbf").fit(X, y), 8) == 8
    assert n_used(SVC(kernel="linear").fit(X, y), 8) == 7
    network = MLPClassifier([3], solver="lbfgs", max_iter=20, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert n_used(make_pipeline(StandardScaler(), network).fit(X, y), 8) == 8
    fitted = make_pipeline(StandardScaler(), lasso).fit(X, y)
    used = n_used(fitted, 8)
    assert used == np.count_nonzero(fitted[-1].coef_) < 8
    strict = make_pipeline(StandardScaler(), lasso.set_params(C=1e-6)).fit(X, y)
    assert n_used(strict, 8) == 0
