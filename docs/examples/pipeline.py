"""Select features inside a scikit-learn pipeline, and tune the selection with the classifier.

The label is the exclusive or of two of a hundred binary features: no feature says anything about it
on its own. The selection is a step of the pipeline, so that it is learned from training rows only.
"""

import numpy as np
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from manifest import ManiFeSt

rng = np.random.default_rng(0)
X = rng.integers(0, 2, size=(80, 100)).astype(float)
y = X[:, 0].astype(int) ^ X[:, 4].astype(int)

selected = make_pipeline(ManiFeSt(n_features_to_select=2, scale_factor=0.1), SVC())
print(f"accuracy on all features: {cross_val_score(SVC(), X, y, cv=5).mean():.2f}")
print(f"accuracy on two features: {cross_val_score(selected, X, y, cv=5).mean():.2f}")

grid = {"manifest__scale_factor": [0.1, 0.2], "manifest__n_features_to_select": [2, 10]}
search = GridSearchCV(selected, grid, cv=5).fit(X, y)
print(f"tuned: {search.best_params_}")
print(f"features: {search.best_estimator_['manifest'].get_support(indices=True).tolist()}")
