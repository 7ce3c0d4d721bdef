"""The units of the recovery protocol: a ranking, the accuracy of an SVM, an embedding.

All of them draw the sample that their axes name (the seed, the generator with its parameters and
the number of the draw), divided into training and test rows. Units that share a draw share it in
memory where they run one after the other in one process.
"""

import json
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from sklearn.manifold import TSNE

from experiments.datasets.generators import generate
from experiments.engine import seeds
from experiments.engine.canonical import canonical_json
from experiments.engine.keys import Row
from experiments.evaluation.methods import Method, Parameters
from experiments.evaluation.scoring import flagged_scores, rank
from experiments.evaluation.splits import inner_folds, outer_split, ranking_rows, scaled
from experiments.evaluation.svm.grid import best_cell, cv_accuracies, fold_accuracies


@dataclass(frozen=True)
class Draw:
    """A sample and what its rows are for.

    Attributes
    ----------
    X : ndarray (n_samples, n_features)
        Scaled as the training rows say.
    y : ndarray (n_samples,)
    relevant : ndarray of int
        The features that matter.
    train, test : ndarray of int
        Row numbers; all rows train where none are held out.
    name : str
        Stands for the draw in the axes of random numbers.
    """

    X: np.ndarray
    y: np.ndarray
    relevant: np.ndarray
    train: np.ndarray
    test: np.ndarray
    name: str


def drawn(axes: dict) -> Draw:
    """The draw of those axes: seed, dataset, params, draw, scaling and test_size."""
    return _drawn(canonical_json(axes))


@lru_cache(maxsize=2)
def _drawn(text):
    axes = json.loads(text)
    seed, by = axes["seed"], (axes["dataset"], canonical_json(axes["params"]), axes["draw"])
    sample = generate(axes["dataset"], seeds.generator(seed, "sample", *by), **axes["params"])
    train, test = np.arange(len(sample.y)), np.arange(0)
    name = canonical_json(by)
    if axes["test_size"] is not None:
        train, test = outer_split(sample.y, name, seed, 0, axes["test_size"])
    X = scaled(sample.X, train, axes["scaling"])
    X.flags.writeable = False
    return Draw(X, sample.y, np.array(sample.relevant), train, test, name)


def ranking(axes: dict, n_samples: int | None, method: Method, parameters: Parameters) -> Row:
    """Rank the features by so many training rows of a draw, stratified, or by all of them.

    Returns
    -------
    Row
        "scores"; "order", all features from best to worst; "relevant", those that matter;
        "ambiguous": whether Algorithm 2 warned; "uninformative": whether the scores are rounding.
    """
    draw, seed = drawn(axes), axes["seed"]
    share = 1 if n_samples is None else min(1.0, n_samples / len(draw.train))
    rows = ranking_rows(draw.y, draw.train, draw.name, seed, 0, share)
    row = flagged_scores(method, draw.X[rows], draw.y[rows], parameters)
    ties = seeds.generator(
        seed, "ties", axes["dataset"], canonical_json(axes["params"]), axes["draw"]
    )
    return {
        **row,
        "order": rank(row["scores"], ties),
        "relevant": draw.relevant,
    }


def accuracy(axes: dict, columns: list[int], svm: dict) -> Row:
    """Tune an SVM on those features of all training rows, and test it once.

    Returns
    -------
    Row
        "accuracy" on the test rows, "validation" of the cell that cross-validation inside the
        training rows took, and the cell: "log2_C" and "log2_gamma".
    """
    draw = drawn(axes)
    folds = inner_folds(draw.y, draw.train, draw.name, axes["seed"], 0, svm["inner_folds"])
    Cs, gammas = ([2.0**power for power in svm[name]] for name in ("log2_C", "log2_gamma"))
    size = [len(columns)]
    grid = cv_accuracies(draw.X, draw.y, columns, size, folds, Cs=Cs, gammas=gammas)
    means = grid.mean(axis=0)[0]
    i, j = (int(index) for index in best_cell(means))
    rows = (draw.train, draw.test)
    chosen = {"Cs": Cs[i : i + 1], "gammas": gammas[j : j + 1]}
    return {
        "accuracy": float(fold_accuracies(draw.X, draw.y, columns, size, *rows, **chosen).item()),
        "validation": float(means[i, j]),
        "log2_C": float(svm["log2_C"][i]),
        "log2_gamma": float(svm["log2_gamma"][j]),
    }


def embedding(axes: dict, columns: list[int]) -> Row:
    """The test rows in the plane by t-SNE of those features (van der Maaten and Hinton 2008).

    Returns
    -------
    Row
        "x", "y" and "class", with an entry for each test row. All panels of a draw have the
        same seed.
    """
    draw = drawn(axes)
    X = draw.X[draw.test][:, columns]
    plane = TSNE(
        init="pca",
        perplexity=min(30.0, (len(X) - 1) / 3),
        random_state=seeds.integer(axes["seed"], "tsne", draw.name),
    ).fit_transform(X)
    x, y = plane.T.astype(np.float64)
    return {"x": x, "y": y, "class": draw.y[draw.test]}
