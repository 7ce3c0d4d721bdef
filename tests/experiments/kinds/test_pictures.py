"""Pictures of a ranking: rows for samples, eigenvectors of M and of each D, and the score."""

import numpy as np
import pandas as pd
import pytest

from experiments import kinds
from experiments.config import ConfigError
from experiments.engine.parallel import Outcome
from experiments.engine.store import Store
from experiments.evaluation.data import load_dataset
from experiments.evaluation.method_config import resolve
from experiments.evaluation.ranking import Problem
from experiments.evaluation.rows import PerClass
from experiments.evaluation.sources import Loaded
from experiments.kinds.base import Run
from experiments.kinds.pictures import picture_rows

DIGITS = ["experiment=mnist_multiclass", "profile=smoke", "workers=0"]


@pytest.fixture
def pictured(compose, tmp_path):
    """A function from overrides to picture rows of the first draw, its problem and its data."""

    def rows_of(*overrides):
        kinds.register()
        config = compose(*DIGITS, *overrides)
        protocol = config.protocol
        run = Run(config, resolve(config), Store(tmp_path / "store"), Outcome())
        data = load_dataset(config)
        rows = PerClass(protocol.n_per_class, protocol.inner_folds)
        source = Loaded.of(data, run.store)
        problem = Problem(source, rows, (), config.seed, config.dataset.scaling, number=0)
        return pd.DataFrame(picture_rows(run, problem, data)), problem, data

    return rows_of


def test_pictures_are_of_the_training_rows_of_the_draw(pictured):
    rows, problem, data = pictured("method=manifest_max")
    counts = {"sample": 10, "mean": 2, "difference": 10, "score": 1}
    assert rows["image"].value_counts().to_dict() == counts
    train = problem.division(data.y).train
    sample = rows[rows["image"] == "sample"].iloc[3]
    first = train[data.y[train] == 3][0]
    np.testing.assert_array_equal(sample["pixels"], data.X[first])
    (score,) = rows[rows["image"] == "score"]["pixels"]
    assert score.shape == (64,)
    for _, row in rows[rows["image"].isin(["mean", "difference"])].iterrows():
        assert np.linalg.norm(row["pixels"]) == pytest.approx(1)
        assert row["pixels"].max() == np.abs(row["pixels"]).max()


def test_nothing_is_shown_without_a_shape_or_a_method_with_operators(pictured):
    assert pictured("method=manifest_max", "protocol.shape=[]")[0].empty
    assert pictured("method=anova")[0].empty


def test_images_of_another_size_are_refused(pictured):
    with pytest.raises(ConfigError, match=r"protocol\.shape \[7, 9\] has 63 pixels, digits has 64"):
        pictured("method=manifest_max", "protocol.shape=[7,9]")
