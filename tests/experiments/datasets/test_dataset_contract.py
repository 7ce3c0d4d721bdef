"""The contract of every data set, whatever its source; the registry against configs and mirror."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from experiments.datasets import GENERATORS, DataError, Dataset, load, names
from experiments.datasets.fingerprint import canonical_order
from experiments.datasets.registry import REGISTRY

CONFIGS = Path(__file__).resolve().parents[3] / "configs" / "dataset"
#: Sets of the registry that a mirror need not have: fetched, cut from another, or in scikit-learn.
ELSEWHERE = {"gisette", "mnist_train", "digits", "breast_cancer", "wine"}
#: Sets of a mirror that the registry has no longer.
NO_LONGER = {"gisette_1000", "fashion_mnist_016"}
MIRRORED = tuple(name for name in REGISTRY if name not in ELSEWHERE)


@pytest.fixture(scope="module")
def loaded(mirror: Path, tmp_path_factory: pytest.TempPathFactory):
    """Load by name from the mirror; the second time from the cache."""
    cache = tmp_path_factory.mktemp("cache")
    small = {"n_samples": 60, "n_features": 200}
    params = {"gisette_like": small, "expression_like": small}
    return lambda name: load(name, home=mirror, cache=cache, params=params.get(name))


@pytest.mark.parametrize("name", [*MIRRORED, *GENERATORS])
def test_contract(loaded, name):
    first, again = loaded(name), loaded(name)
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
        assert data.source.endswith(".")
        assert data.synthetic == (name in GENERATORS) == ("SYNTHETIC" in data.source)
        assert data.verified == bool(data.citation) == (name in REGISTRY)
    order, fingerprint = canonical_order(first.X, first.y)
    assert fingerprint == first.fingerprint == again.fingerprint
    assert np.array_equal(order, np.arange(len(order))), "rows are not in canonical order"
    assert np.array_equal(first.X, again.X)
    assert np.array_equal(first.y, again.y)
    assert (first.source, first.feature_names) == (again.source, again.feature_names)


def test_the_registry_agrees_with_the_mirror_s_indexes(mirror):
    indexes = ("index.json", "index_new.json")
    texts = [(mirror / each).read_text(encoding="utf-8") for each in indexes]
    index = {name: known for text in texts for name, known in json.loads(text).items()}
    assert set(index) - set(REGISTRY) == NO_LONGER, "an index has these, the registry has not"
    assert set(REGISTRY) - set(index) == ELSEWHERE, "the registry has these, no index has"
    for name in MIRRORED:
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
        assert info.licence


def test_every_name_has_a_config_of_its_own():
    for name in names():
        config = yaml.safe_load((CONFIGS / f"{name}.yaml").read_text(encoding="utf-8"))
        # The grid of the SVM is for features of about unit size, which these are not.
        scaled = name in ("madelon", "expression_like", "dhfr") or name.startswith("gisette")
        expected = {"name": name, "scaling": "standard" if scaled else "none"}
        if name in GENERATORS:
            assert config.pop("params")
        assert config == expected

    assert {path.stem for path in CONFIGS.glob("*.yaml")} == {*names(), "table"}


def test_configs_of_generators_can_be_drawn():
    for name in GENERATORS:
        config = yaml.safe_load((CONFIGS / f"{name}.yaml").read_text(encoding="utf-8"))
        params = config["params"] | ({"n_samples": 20} if name == "gisette_like" else {})
        data = load(name, params=params, seed=1)
        assert data.X.shape == (params["n_samples"], params["n_features"])


def test_ternary_colon_is_made_from_the_levels_where_the_folder_has_only_these(mirror, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    os.symlink(mirror / "colon_continuous.npz", home / "colon_continuous.npz")
    made = load("colon", home=home, cache=tmp_path / "a")
    read = load("colon", home=mirror, cache=tmp_path / "b")
    assert made.verified
    assert np.array_equal(made.X, read.X)
    assert np.array_equal(made.y, read.y)
    assert (made.X[:, 0] != load("colon_continuous", home=home, cache=tmp_path / "a").X[:, 0]).any()


def test_a_file_that_is_not_what_its_name_says_is_refused(mirror, tmp_path):
    os.symlink(mirror / "colon.npz", tmp_path / "colon_continuous.npz")
    with pytest.raises(DataError, match=r"colon_continuous.*values from 5\.8.*got -2"):
        load("colon_continuous", home=tmp_path, cache=tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["colon_continuous.npz"]


def test_what_no_set_is_called_and_arguments_of_other_kinds_are_refused(tmp_path):
    cases: tuple[tuple[str, dict[str, Any], str], ...] = (
        ("colom", {}, "called 'colom'; did you mean 'colon'"),
        ("mnsit", {}, "called 'mnsit'; did you mean 'mnist'"),
        ("colon", {"params": {"n_samples": 3}}, "'colon' takes no parameters, got n_samples.*xor"),
        ("colon", {"home": tmp_path / "no"}, r"not exist; set data\.home or MANIFEST_DATA"),
    )
    for name, arguments, message in cases:
        with pytest.raises(DataError, match=message):
            load(name, cache=tmp_path, **arguments)


def test_the_environment_names_the_folder_and_the_cache(mirror, tmp_path, monkeypatch):
    monkeypatch.setenv("MANIFEST_DATA", str(mirror))
    monkeypatch.setenv("MANIFEST_CACHE", str(tmp_path / "elsewhere"))
    assert load("colon").verified
    assert load("wine").verified
    assert (tmp_path / "elsewhere" / "wine.npz").is_file()
