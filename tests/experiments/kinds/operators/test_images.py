"""The pictures of the method: what is drawn at random, what is measured, who may be shown."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from experiments.config import ConfigError
from experiments.datasets import Dataset
from experiments.datasets.fingerprint import canonical_order
from experiments.kinds.operators.eigenimages import decompose
from experiments.kinds.operators.images import draw
from manifest import manifest_score
from tests.experiments.conftest import composed
from tests.experiments.kinds.conftest import evaluated

IMAGES = ["experiment=mnist", "protocol=images", "profile=smoke"]


def dataset(X, y):
    order, fingerprint = canonical_order(X, y)
    names = {label: str(label) for label in np.unique(y).tolist()}
    return Dataset("images", X[order], y[order], names, fingerprint, "SYNTHETIC.")


@pytest.fixture
def images():
    """Ten classes of 4 x 4 images, 30 each; the darker, the higher the label."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(10), 30)
    X = (rng.integers(0, 200, (300, 16)) + 5 * y[:, None]).astype(np.uint8)
    return X, y


def test_images_do_not_depend_on_the_file_that_they_come_from(images):
    """A file of three classes in another order gives the same images as one of all ten."""
    X, y = images
    whole = dataset(X, y)
    rows = np.random.default_rng(1).permutation(np.flatnonzero(np.isin(y, (0, 1, 6))))
    three = dataset(X[rows], y[rows])
    for label in (0, 1, 6):
        first = draw(whole, label, 20, 0, 0)
        np.testing.assert_array_equal(draw(three, label, 20, 0, 0), first)
        for other in ((0, 1), (1, 0)):
            assert not np.array_equal(draw(whole, label, 20, *other), first)
        drawn = {x.tobytes() for x in first}
        assert len(drawn) == 20
        assert drawn <= {x.tobytes() for x in X[y == label]}
    with pytest.raises(ConfigError, match=r"30 images of class 4.*asks for 31"):
        draw(whole, 4, 31, 0, 0)


@pytest.mark.parametrize("geometry", ["spsd", "regularized"])
def test_decomposition_is_the_methods(images, geometry):
    """The score is ManiFeSt's; eigenvalues fall; class 1 is the first half, whatever its label."""
    X, y = images
    both = np.vstack([X[y == 6], X[y == 1]])
    parameters: dict[str, Any] = {"scale_factor": 1.0, "geometry": geometry}
    row = decompose(both, parameters)
    expected = manifest_score(both / 255.0, np.repeat([0, 1], 30), **parameters)
    np.testing.assert_allclose(row["score"], expected, atol=1e-9 * expected.max())
    for name, n in (("mean", 2), ("difference", 4)):
        values = row[f"{name}_values"]
        assert values.shape == (n,)
        assert (np.diff(np.abs(values)) <= 0).all()
        vectors = row[f"{name}_vectors"].reshape(n, -1)
        np.testing.assert_allclose(vectors @ vectors.T, np.eye(n), atol=1e-9)
        np.testing.assert_array_equal(vectors.max(axis=1), np.abs(vectors).max(axis=1))
    swapped = decompose(np.vstack([both[30:], both[:30]]), parameters)
    ours = row["difference_values"]
    np.testing.assert_allclose(swapped["difference_values"], -ours, rtol=1e-6, atol=1e-9)


def test_where_classes_differ_is_read_off_their_averages(mirror, tmp_path):
    """The share of the eigenvectors is that of their squares, weighted by |eigenvalue|."""
    pairs = f"data.home={mirror}", "protocol.pairs=[[4,9],[3,8]]"
    tables, stored, _ = evaluated(composed(*IMAGES, *pairs, "workers=1"), tmp_path)
    table = tables["differences"]
    # The regions were read off the averages of 4 and 9.
    assert set(table.loc[table["class_1"] == 3, "region"]) == {"image"}
    assert set(tables["regions"]["class_1"]) == {4}
    table = table.query("class_1 == 4").set_index("region")
    rows = pd.concat([stored["images"], stored["eigenvectors"]]).query("class_1 == 4")
    pixels = rows.set_index("image")["pixels"]
    gap = np.abs(pixels["average_4"] - pixels["average_9"])
    ink, chosen = pixels["average_4"] + pixels["average_9"], gap > 0.5 * gap.max()
    leading = rows[rows["image"].str.startswith("difference_")]
    squared = [(vector[chosen] ** 2).sum() for vector in leading["pixels"]]
    expected, row = np.average(squared, weights=leading["eigenvalue"].abs()), table.loc["image"]
    assert row["n_pixels"] == chosen.sum()
    assert row["leading"] == pytest.approx(expected, rel=1e-5)
    assert row["ink"] == pytest.approx(ink[chosen].sum() / ink.sum(), rel=1e-5)
    parts = table.drop("image")
    assert set(parts.index) == {"leg", "top_gap", "upper_corners"}
    assert parts["n_pixels"].between(1, (gap > 0.1 * gap.max()).sum()).all()
    assert parts["leading"].between(0, 1).all()
