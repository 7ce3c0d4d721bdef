"""The contract of every data set, whatever its source; the registry against configs and mirror."""

import json

import numpy as np
import pytest
import yaml

from experiments.datasets import GENERATORS, DataError, Dataset, load, names
from experiments.datasets.fingerprint import canonical_order
from experiments.datasets.registry import REGISTRY
from tests.commands import ROOT

#: Sets of the registry that a mirror need not have: fetched, cut from another, or in scikit-learn.
ELSEWHERE = {"gisette", "mnist_train", "digits", "breast_cancer", "wine"}


@pytest.mark.parametrize("name", [*(name for name in REGISTRY if name != "gisette"), *GENERATORS])
def test_contract(mirror, tmp_path, name):
    """The second time it may come from the cache."""
    params = {"n_samples": 60, "n_features": 200} if name == "expression_like" else {}
    first, again = (load(name, home=mirror, cache=tmp_path, params=params) for _ in range(2))
    for data in (first, again):
        assert isinstance(data, Dataset)
        assert data.name == name
        assert data.X.ndim == 2
        assert data.X.dtype == (np.uint8 if "mnist" in name else np.float64)
        assert data.X.flags.c_contiguous
        assert np.isfinite(data.X).all()
        assert data.y.dtype == np.int64
        assert data.y.shape == data.X.shape[:1]
        assert set(np.unique(data.y).tolist()) == set(data.label_names)
        assert data.feature_names is None or len(set(data.feature_names)) == data.X.shape[1]
        assert data.synthetic == (name in GENERATORS) == ("SYNTHETIC" in data.source)
        assert data.verified == (name in REGISTRY)
    order, fingerprint = canonical_order(first.X, first.y)
    assert fingerprint == first.fingerprint == again.fingerprint
    assert np.array_equal(order, np.arange(len(order))), "rows are not in canonical order"
    assert np.array_equal(first.X, again.X)
    assert np.array_equal(first.y, again.y)
    assert (first.source, first.feature_names) == (again.source, again.feature_names)


def test_the_registry_agrees_with_the_mirror_s_indexes(mirror):
    texts = [(mirror / each).read_text("utf-8") for each in ("index.json", "index_new.json")]
    index = {name: known for text in texts for name, known in json.loads(text).items()}
    for name in REGISTRY.keys() - ELSEWHERE:
        info, known = REGISTRY[name], index[name]
        assert info.fingerprint == known["fingerprint"]
        assert list(info.shape) == known["shape"]
        counts = enumerate(info.counts.values())
        assert {str(label): count for label, count in counts} == known["counts"]
        assert list(info.value_range) == known["range"]


def test_entries_are_consistent():
    for info in REGISTRY.values():
        assert sum(info.counts.values()) == info.shape[0]
        assert all(len(spelling) == len(info.counts) for spelling in info.spellings)
        assert info.dtype == "float64" or info.value_range[1] <= np.iinfo(info.dtype).max
        assert bool(info.sources) != bool(info.by_hand)
        assert "http://" not in " ".join(map(str, info.sources))
        assert info.licence
        assert info.citation


def test_every_name_has_a_config_of_its_own():
    assert {path.stem for path in (ROOT / "configs" / "dataset").glob("*.yaml")} == {
        *names(),
        "table",
    }
    for name in names():
        config = yaml.safe_load(
            (ROOT / "configs" / "dataset" / f"{name}.yaml").read_text(encoding="utf-8")
        )
        assert config.keys() == {"name", "scaling"} | ({"params"} if name in GENERATORS else set())
        assert config["name"] == name
        if name in GENERATORS:
            X = load(name, params=config["params"], seed=1).X
            assert X.shape == (config["params"]["n_samples"], config["params"]["n_features"])


def test_what_no_set_is_called_and_arguments_of_other_kinds_are_refused(tmp_path):
    for name, arguments, message in (
        ("colom", {}, "'colon'"),
        ("colon", {"params": {"n_samples": 3}}, "n_samples.*xor"),
        ("colon", {"home": tmp_path / "no"}, r"data\.home or MANIFEST_DATA"),
    ):
        with pytest.raises(DataError, match=message):
            load(name, cache=tmp_path, **arguments)  # type: ignore[arg-type]
