"""Methods from configs: which parameters win, which candidates a grid gives, sums of scores."""

import itertools

import numpy as np
import pytest
from sklearn.feature_selection import f_classif

from baselines import relieff, sum_of_normalised
from experiments.config import ConfigError
from experiments.evaluation.methods import resolve, text, thin
from manifest import manifest_score
from tests.experiments.scorers import forgetful  # noqa: F401  (by its place here)


def only(config):
    (method,) = resolve(config)
    return method


def test_the_users_value_wins_over_the_experiments_and_that_over_the_grid(compose):
    base = ["experiment=xor100", "method=manifest"]
    (fixed,) = only(compose(*base)).candidates()
    assert fixed["manifest"] == {"geometry": "spsd", "scale_factor": 0.1, "percentile": None}
    (users,) = only(compose(*base, "method.scale_factor=0.7", "method.geometry=spd")).candidates()
    assert users["manifest"]["scale_factor"] == 0.7
    assert users["manifest"]["geometry"] == "spd"
    grid = only(compose("experiment=colon", "method=manifest", "profile=paper")).candidates()
    assert [c["manifest"]["percentile"] for c in grid] == [5, 10, 30, 50, 70, 90, 95]


def test_a_list_takes_the_place_of_the_grid_that_a_parameter_is_tuned_over(compose):
    base = ["experiment=colon", "method=[manifest,manifest_relieff,anova]", "profile=paper"]
    fixed = "+parameters.manifest.percentile=[10,90]"
    alone, summed, _ = resolve(compose(*base, fixed))
    assert [c["manifest"]["percentile"] for c in alone.candidates()] == [10, 90]
    tuned = summed.with_tuned({"relieff": {"k": 3}})
    assert [c["manifest"]["percentile"] for c in tuned.candidates()] == [10, 90]
    users, *_ = resolve(compose(*base, fixed, "method.percentile=[30,50,70]"))
    assert [c["manifest"]["percentile"] for c in users.candidates()] == [30, 50, 70]
    (thinned, *_) = resolve(compose(*base, "method.percentile=[1,2,3]", "protocol.grid_size=1"))
    assert [c["manifest"]["percentile"] for c in thinned.candidates()] == [2]
    with pytest.raises(ConfigError, match="percentile"):
        resolve(compose(*base, "method.percentile=[]"))


def test_a_value_of_the_user_reaches_every_method_with_such_a_parameter(compose):
    methods = resolve(
        compose("experiment=colon", "method=[ig,relieff,anova,manifest_relieff]", "method.k=7")
    )
    for method in methods:
        for candidate in method.candidates():
            for part, keywords in candidate.items():
                assert keywords.get("k", 7) == 7, part
    assert not any(method.alone for method in methods)


def test_a_sum_is_tuned_in_two_steps_and_adds_normalised_scores(compose):
    method = only(compose("experiment=colon", "method=manifest_relieff", "profile=paper"))
    (first,) = method.prerequisites()
    assert [c["relieff"]["k"] for c in first.candidates()] == [1, 3, 5, 10, 15, 20, 30, 50, 100]
    second = method.with_tuned({"relieff": {"k": 3, "scale": False}})
    percentiles = [c["manifest"]["percentile"] for c in second.candidates()]
    assert percentiles == [1, 5, 10, 30, 50, 70, 90, 95, 99]
    X, y = np.random.default_rng(0).normal(size=(30, 8)), np.arange(30) % 2
    parameters = second.candidates()[4]
    expected = sum_of_normalised(
        [manifest_score(X, y, percentile=50, geometry="spsd"), relieff(X, y, k=3, scale=False)]
    )
    np.testing.assert_array_equal(second.scores(X, y, parameters), expected)
    assert text(parameters) == (
        "manifest.geometry=spsd, manifest.percentile=50, relieff.k=3, relieff.scale=False"
    )


def test_thin_keeps_order_and_leaves_out_as_much_on_either_side():
    for n, size in itertools.product(range(1, 12), (1, 2, 3, 5)):
        values = list(range(n))
        kept = thin(values, size)
        assert len(kept) == min(n, size) == len(set(kept)), (n, size)
        assert kept == sorted(kept), (n, size)
        assert abs(kept[0] - (n - 1 - kept[-1])) <= 1, (n, size)
        assert thin(values, None) == values


def broken(X, y):
    return np.full(X.shape[1], np.nan)


def short(X, y, *, power=1):
    return np.ones(3)


def own(X, y, *, power=1):
    return np.abs(X[y == y.max()].mean(axis=0) - X[y == y.min()].mean(axis=0)) ** power


def failing(X, y):
    return X.no_such_attribute


def with_scorer(compose, call, **more):
    config = compose("experiment=xor100", "method=gini")
    config.method = {"scorers": {"own": {"call": f"{__name__}:{call}", **more}}}
    return config


def test_a_scorer_of_ones_own_needs_a_function_and_an_entry(compose):
    method = only(with_scorer(compose, "own", grid={"power": [1, 2]}))
    assert len(method.candidates()) == 2
    for call, more, message in (
        ("broken", {}, "NaN"),
        ("short", {}, r"\(3,\)"),
        ("failing", {}, "no_such_attribute.*test_methods.py"),
        ("own", {"params": {"pwer": 2}}, "pwer.*power"),
        ("own", {"grd": {}}, "grd|call"),
        ("missing", {}, "missing"),
        ("own", {"combine": {"a": "gini"}}, "combine"),
        ("own", {"grid": {"power": 5}}, "grid.power"),
        ("own", {"tune_first": {"nobody": {}}}, "tune_first"),
        ("forgetful", {"grid": {"power": [1, 2]}}, "power"),
    ):
        with pytest.raises(ConfigError, match=message):
            resolve(with_scorer(compose, call, **more))


def test_of_a_pair_the_scores_are_taken_and_the_p_values_are_not(compose):
    config = compose("experiment=xor100", "method=gini")
    config.method = {"scorers": {"own": {"call": "sklearn.feature_selection:f_classif"}}}
    method, rng = only(config), np.random.default_rng(0)
    X, y = rng.normal(size=(30, 8)), np.arange(30) % 2
    (parameters,) = method.candidates()
    np.testing.assert_array_equal(method.scores(X, y, parameters), f_classif(X, y)[0])


def test_a_name_that_matches_nothing_is_refused(compose):
    overrides = ["experiment=colon", "method=manifest_relieff"]
    of_sum = "+method.scorers.manifest_relieff"
    for override, message in {
        "+parameters.releiff.k=3": "releiff",
        "+parameters.relieff=3": "parameters.relieff",
        f"{of_sum}.params.relief.k=3": "'relief'",
        f"{of_sum}.grid.relieff=3": "grid.relieff",
        f"{of_sum}.tune_first.nobody.k=[3]": "nobody",
    }.items():
        with pytest.raises(ConfigError, match=message):
            resolve(compose(*overrides, override))
    (of_parts,) = resolve(compose(*overrides, "+parameters.manifest=null"))
    assert {"manifest", "relieff"} == {part.name for part in of_parts.parts}
