"""The experiment files of the accuracy protocol: sizes, shares, the paper's design, stand-ins."""

import pytest

from experiments.config import PROFILES, plain
from experiments.datasets.registry import REGISTRY
from experiments.evaluation.data import load_dataset
from experiments.evaluation.method_config import resolve
from experiments.provenance import differences

EXPERIMENTS = ["madelon", "madelon_samples", "colon_scales", "prostate"]
EXPERIMENTS += ["gisette", "gisette_rebuilt"]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("experiment", [e for e in EXPERIMENTS if e != "madelon_samples"])
def test_the_largest_subset_is_all_features(compose, experiment, profile):
    """Only then there is a row for the SVM on all features."""
    config = compose(f"experiment={experiment}", f"profile={profile}")
    name, limit = config.dataset.name, config.dataset.max_features
    known = REGISTRY[name].shape[1] if name in REGISTRY else config.dataset.params.n_features
    d = known if limit is None else min(limit, known)
    assert d in plain(config.protocol)["sizes"]


@pytest.mark.parametrize("experiment", [*EXPERIMENTS, "colon", "colon_embedded"])
def test_paper_profile_is_the_papers_design_but_for_what_it_says(compose, experiment):
    """All splits and values of k; whatever else is left out stands in differences.txt."""
    config = compose(f"experiment={experiment}", "profile=paper")
    protocol, published = plain(config.protocol), plain(config.published)
    # A split of colon_embedded takes ten minutes, and its quoted rows are of ten.
    splits = 50 if experiment.startswith("colon") else 30 if experiment == "prostate" else 10
    assert protocol["n_repetitions"] == (10 if experiment == "colon_embedded" else splits)
    assert published["protocol.n_repetitions"] == splits
    assert published["protocol.inner_folds"] == 10
    assert published["protocol.log2_C"] == [-5, -2, 1, 4, 7, 10, 13]
    assert published["protocol.log2_gamma"] == [-15, -12, -9, -6, -3, 0, 3]
    assert protocol["test_size"] == (0.2096 if experiment == "colon_embedded" else 0.1)
    left_out = {line.partition(": ")[0] for line in differences(config)}
    grids = [len(method.candidates()) for method in resolve(config) if method.name == "relieff"]
    assert all(grid == 9 for grid in grids) != ("protocol.grid_size" in left_out)
    few_rows = experiment.startswith(("colon", "prostate"))
    svm = {"protocol.log2_C", "protocol.log2_gamma", "protocol.inner_folds"}
    assert (not svm & left_out) if few_rows or experiment == "gisette" else svm <= left_out


def test_the_two_of_madelon_share_their_units_in_the_paper_profile(compose):
    one, other = (
        plain(compose(f"experiment={name}", "profile=paper"))
        for name in ("madelon", "madelon_samples")
    )
    shares = [set(config["protocol"].pop("ranking_shares")) for config in (one, other)]
    assert shares[0] < shares[1]
    scorers = [config["method"]["scorers"] for config in (one, other)]
    assert scorers[1].items() < scorers[0].items()
    for key in ("dataset", "protocol", "parameters", "seed"):
        assert one[key] == other[key]


def test_three_scales_differ_in_the_percentile_alone(compose):
    methods = resolve(compose("experiment=colon_scales"))
    (identities,) = {len(method.candidates()) for method in methods}
    assert identities == 1
    parts = [dict(method.candidates()[0][method.name]) for method in methods]
    assert [part.pop("percentile") for part in parts] == [5, 50, 95, 5, 50, 95]
    geometries = [part.pop("geometry") for part in parts]
    assert geometries == 3 * ["spsd"] + 3 * ["regularized"]
    assert all(part == parts[0] for part in parts)
    assert {method.parts[0].call for method in methods} == {"manifest:manifest_score"}


def test_a_stand_in_says_that_it_is_one(compose):
    config = compose("experiment=gisette", "profile=smoke")
    assert load_dataset(config).synthetic
    assert "SYNTHETIC" in config.title
    assert "SYNTHETIC" not in compose("experiment=gisette", "profile=paper").title
    config = compose("experiment=gisette_rebuilt", "profile=paper")
    assert "rebuilt" in config.title
    assert "REBUILT" in REGISTRY[config.dataset.name].description
