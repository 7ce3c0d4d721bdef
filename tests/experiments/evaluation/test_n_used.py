"""How many features a fitted classifier looks at."""

import warnings

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from experiments.evaluation.classifiers import n_used


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
