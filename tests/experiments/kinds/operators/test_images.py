"""The pictures of the method: what is drawn at random, what is measured, who may be shown."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from experiments.config import ConfigError
from experiments.datasets import Dataset
from experiments.datasets.fingerprint import canonical_order
from experiments.evaluation.eigenimages import decompose, oriented
from experiments.kinds.base import tables_of
from experiments.kinds.operators.images import KIND, draw
from manifest import manifest_score
from tests.experiments.conftest import composed
from tests.experiments.kinds.conftest import assert_refused, evaluated

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
        assert len(np.unique(first, axis=0)) == 20
        assert not np.array_equal(draw(whole, label, 20, 0, 1), first)
        assert not np.array_equal(draw(whole, label, 20, 1, 0), first)
        assert {x.tobytes() for x in first} <= {x.tobytes() for x in X[y == label]}
    with pytest.raises(ConfigError, match=r"30 images of class 4.*asks for 31"):
        draw(whole, 4, 31, 0, 0)


def test_decomposition_is_the_methods(images):
    """The score is ManiFeSt's; eigenvalues fall; class 1 is the first half, whatever its label."""
    X, y = images
    both = np.vstack([X[y == 6], X[y == 1]])
    for geometry in ("spsd", "regularized"):
        parameters: dict[str, Any] = {"scale_factor": 1.0, "geometry": geometry}
        row = decompose(both, 255.0, parameters, 2, 4)
        expected = manifest_score(both / 255.0, np.repeat([0, 1], 30), **parameters)
        np.testing.assert_allclose(row["score"], expected, atol=1e-9 * expected.max())
        for name, n in (("mean", 2), ("difference", 4)):
            (values,) = np.atleast_2d(row[f"{name}_values"])
            assert values.shape == (n,)
            assert (np.diff(np.abs(values)) <= 0).all()
            vectors = row[f"{name}_vectors"].reshape(n, -1)
            np.testing.assert_allclose(vectors @ vectors.T, np.eye(n), atol=1e-9)
        swapped = decompose(np.vstack([both[30:], both[:30]]), 255.0, parameters, 2, 4)
        np.testing.assert_allclose(
            swapped["difference_values"], -row["difference_values"], rtol=1e-6, atol=1e-9
        )


def test_signs_follow_the_entry_of_largest_magnitude():
    vectors = np.random.default_rng(0).normal(size=(9, 5))
    flipped = vectors * [1, -1, 1, -1, -1]
    np.testing.assert_array_equal(oriented(flipped), oriented(vectors))
    assert (oriented(vectors).max(axis=0) == np.abs(vectors).max(axis=0)).all()


#: More regions than the experiment has.
EDGES = {"all": "[[0,27,0,27]]", "top": "[[0,13,0,27]]", "rest": "[[14,20,0,27],[21,27,0,27]]"}
ADDED = [f"+protocol.regions.{name}={each}" for name, each in EDGES.items()]


@pytest.fixture(scope="module")
def shown(mirror, tmp_path_factory):
    """The tables and the rows of two pairs of digits."""
    pairs = [f"data.home={mirror}", "protocol.main_share=0.3", "protocol.pairs=[[4,9],[3,8]]"]
    config = composed(*IMAGES, *pairs, *ADDED, "workers=1")
    tables, stored, _ = evaluated(config, tmp_path_factory.mktemp("images"))
    return {**stored, **tables}


def test_shares_of_regions_are_shares(shown):
    """All of the image holds all of the score; a region's share is what the pixels say."""
    regions, rows = shown["regions"], shown["rows"].query("class_1 == 4")
    assert set(regions["geometry"]) == {"spsd", "regularized"}
    for geometry, table in regions.groupby("geometry"):
        shares = table.set_index("region")[["area", "ink", "score", "difference_1"]]
        np.testing.assert_allclose(shares.loc["all"], 1, rtol=1e-5)
        np.testing.assert_allclose(shares.loc["top"] + shares.loc["rest"], 1, rtol=1e-5)
        chosen = rows[rows["geometry"] == geometry]
        pixels = chosen["pixels"].iloc[0].reshape(28, 28)
        assert shares.loc["top", "score"] == pytest.approx(pixels[:14].sum() / pixels.sum(), 1e-5)


def test_where_classes_differ_is_read_off_their_averages(shown):
    """The share of the eigenvectors is that of their squares, weighted by |eigenvalue|."""
    table = shown["differences"]
    # The regions were read off the averages of 4 and 9.
    assert set(table.loc[table["class_1"] == 3, "region"]) == {"image"}
    assert set(shown["regions"]["class_1"]) == {4}
    table = table[table["class_1"] == 4]
    rows = pd.concat([shown["images"], shown["eigenvectors"]])
    rows = rows.query("geometry in ['', 'spsd'] and class_1 == 4")
    pixels = rows.set_index("image")["pixels"]
    gap = np.abs(pixels["average_4"] - pixels["average_9"])
    chosen = gap > 0.3 * gap.max()
    leading = rows[rows["image"].str.startswith("difference_")]
    weights = leading["eigenvalue"].abs().to_numpy()
    squared = np.array([vector[chosen] ** 2 for vector in leading["pixels"]]).sum(axis=1)
    row = table.query("geometry == 'spsd' and region == 'image'").iloc[0]
    assert row["n_pixels"] == chosen.sum()
    assert row["leading"] == pytest.approx(weights @ squared / weights.sum(), rel=1e-5)
    ink = pixels["average_4"] + pixels["average_9"]
    assert row["ink"] == pytest.approx(ink[chosen].sum() / ink.sum(), rel=1e-5)
    parts = table[(table["geometry"] == "spsd") & (table["region"] != "image")]
    assert set(parts["region"]) == {"leg", "top_gap", "upper_corners", *EDGES}
    for _, part in parts.iterrows():
        assert part["difference_share"] == 0.1
        assert 0 < part["n_pixels"] <= (gap > 0.1 * gap.max()).sum()
        assert 0 <= part["leading"] <= 1


def test_other_methods_are_refused_before_anything_is_loaded(result):
    methods = [f"method={name}" for name in ("anova", "manifest_relieff", "[manifest,gini]")]
    refused = dict.fromkeys(methods, "run with method=manifest")
    for experiment in (IMAGES[:2], ["experiment=operators"], ["experiment=propositions"]):
        assert_refused(refused, *experiment, "profile=smoke", run=result)


def test_what_cannot_be_shown_is_refused():
    cases = {
        "protocol.pairs=[]": "pairs",
        "protocol.pairs=[[4,4]]": "different class labels",
        "protocol.regions.leg=[[0,28,0,3]]": "inside 28 x 28",
        "protocol.regions.top_gap=[[1,2,3]]": "inside 28 x 28",
        "protocol.regions.top_gap=7": "inside 28 x 28",
        "protocol.shape=[784]": r"must be \[rows, columns\] of an image, got \[784\]",
        "protocol.n_top=0": "n_top must be at least 1",
        "protocol.region_pairs=[[3,8]]": "not among protocol.pairs",
        "dataset.scaling=standard": "scaling",
    }
    assert_refused(cases, *IMAGES)


def test_blank_pixels_and_the_numbers_of_each_draw_are_in_the_rows(result, mirror):
    tables = result(*IMAGES, f"data.home={mirror}", "protocol.n_repetitions=2")
    summary, rows = tables["summary"].set_index("geometry"), tables["rows"]
    blank = tables["images"].query("image == 'blank'")["pixels"]
    assert summary["blank_pixels"].to_numpy() == pytest.approx(np.mean([p.sum() for p in blank]))
    for geometry, scores in rows.groupby("geometry"):
        assert scores["draw"].to_list() == [0, 1]
        for name in ("scale_1", "scale_2", "rank", "n_ambiguous", "delta"):
            assert summary.loc[geometry, name] == pytest.approx(scores[name].mean())


def test_a_pair_without_scores_failed(shown, compose):
    """Its tables say so, and what is left of the rows is still in them."""
    left = {
        name: shown[name].query("geometry != 'regularized' and class_1 == 4")
        for name in ("rows", "eigenvectors", "images")
    }
    remade = tables_of(KIND, left, compose(*IMAGES, *ADDED))
    summary = remade["summary"].set_index("geometry")
    assert summary["failed"].to_dict() == {"spsd": False, "regularized": True}
    assert np.isnan(summary["top_as_reference"]["spsd"])


def test_a_pair_without_regions_has_its_figure_and_sentence(run, mirror):
    overrides = ["protocol.pairs=[[3,8]]", "protocol.region_pairs=[]"]
    folder, _ = run(*IMAGES, f"data.home={mirror}", *overrides, figures=True)
    assert not (folder / "regions.csv").exists()
    assert (folder / "figure_3_8.png").is_file()
