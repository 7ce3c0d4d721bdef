"""Methods from configs: parameters, candidates, sums; their scores in the store, as if alone."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_selection import f_classif

from baselines import relieff, sum_of_normalised
from baselines.blind import permuted
from experiments.cache import Cache
from experiments.config import ConfigError
from experiments.evaluation.methods import Method, Part, resolve, text, thin
from experiments.evaluation.tasks import flagged_scores, rank, stored_scores
from manifest import AmbiguousScoreWarning, manifest_score

X, Y = np.random.default_rng(0).normal(size=(30, 8)), np.arange(30) % 2


def only(config):
    (method,) = resolve(config)
    return method


def test_the_users_value_wins_over_the_experiments_and_that_over_the_grid(compose):
    base = ["experiment=xor100", "method=manifest"]
    (fixed,) = only(compose(*base)).candidates()
    assert fixed["manifest"] == {"geometry": "spsd", "scale_factor": 0.1, "percentile": None}
    (users,) = only(compose(*base, "method.scale_factor=0.7", "method.geometry=spd")).candidates()
    assert users["manifest"] == {"geometry": "spd", "scale_factor": 0.7, "percentile": None}
    grid = only(compose("experiment=colon", "method=manifest", "profile=paper")).candidates()
    assert [c["manifest"]["percentile"] for c in grid] == [5, 10, 30, 50, 70, 90, 95]


def test_a_list_takes_the_place_of_the_grid_that_a_parameter_is_tuned_over(compose):
    base = ["experiment=colon", "method=[manifest,manifest_relieff,anova]", "profile=paper"]
    fixed = "parameters.manifest.percentile=[10,90]"
    alone, summed, _ = resolve(compose(*base, fixed))
    assert [c["manifest"]["percentile"] for c in alone.candidates()] == [10, 90]
    tuned = summed.with_tuned({"relieff": {"k": 3}})
    assert [c["manifest"]["percentile"] for c in tuned.candidates()] == [10, 90]
    users, *_ = resolve(compose(*base, fixed, "method.percentile=[30,50,70]"))
    assert [c["manifest"]["percentile"] for c in users.candidates()] == [30, 50, 70]
    small = "method.percentile=[1,2,3]", "method.scale_factor=[0.1,1]", "protocol.grid_size=1"
    (whole, *_) = resolve(compose(*base, *small))
    found = [c["manifest"] for c in whole.candidates()]
    expected = itertools.product((1, 2, 3), (0.1, 1))
    assert [(c["percentile"], c["scale_factor"]) for c in found] == [*expected]
    with pytest.raises(ConfigError, match="percentile"):
        resolve(compose(*base, "method.percentile=[]"))


def test_a_sum_is_tuned_in_two_steps_and_adds_normalised_scores(compose):
    method = only(compose("experiment=colon", "method=manifest_relieff", "profile=paper"))
    (first,) = method.prerequisites()
    assert [c["relieff"]["k"] for c in first.candidates()] == [1, 3, 5, 10, 15, 20, 30, 50, 100]
    second = method.with_tuned({"relieff": {"k": 3, "scale": False}})
    percentiles = [c["manifest"]["percentile"] for c in second.candidates()]
    assert percentiles == [5, 10, 30, 50, 70, 90, 95]
    parameters = second.candidates()[3]
    ours = manifest_score(X, Y, percentile=50, geometry="spsd")
    expected = sum_of_normalised([ours, relieff(X, Y, k=3, scale=False)])
    np.testing.assert_array_equal(second.scores(X, Y, parameters), expected)
    assert text(parameters) == (
        "manifest.geometry=spsd, manifest.percentile=50, relieff.k=3, relieff.scale=False"
    )


def test_a_method_is_blind_in_all_its_parts_and_candidates(compose):
    """Its grids and sums are those of the method with shuffled labels."""
    methods = "method=[relieff,relieff_blind,manifest_relieff]"
    blinding = "+method.scorers.manifest_relieff.blind=true"
    true, shuffled, total = resolve(compose("experiment=colon", methods, blinding))
    labels = permuted(X, Y, seed=0)
    candidates = true.candidates()
    assert shuffled.candidates() == candidates
    for own, expected in zip(
        shuffled.all_scores(X, Y, candidates), true.all_scores(X, labels, candidates), strict=True
    ):
        np.testing.assert_array_equal(own, expected)
    assert true.identity(candidates[0]) != shuffled.identity(candidates[0])
    parameters = {"manifest": {"percentile": 50}, "relieff": {"k": 3}}
    parts = [part.scores(X, Y, parameters) for part in total.single_parts()]
    np.testing.assert_array_equal(total.scores(X, Y, parameters), sum_of_normalised(parts))
    np.testing.assert_array_equal(parts[1], relieff(X, labels, k=3))


def test_thin_keeps_order_and_leaves_out_as_much_on_either_side():
    for n, size in itertools.product(range(1, 12), (1, 2, 3, 5)):
        kept = thin([*range(n)], size)
        assert len(kept) == min(n, size) == len(set(kept)), (n, size)
        assert kept == sorted(kept), (n, size)
        assert abs(kept[0] - (n - 1 - kept[-1])) <= 1, (n, size)
    assert thin([*range(9)], None) == [*range(9)]


def faulty(X, y, *, n=3):
    """Too few scores, not even numbers, or an error of the scorer."""
    return X[0, :n] if n < 4 else X[0] * np.nan if n < 9 else X.no_such_attribute


def test_a_scorer_of_ones_own_needs_a_function_and_an_entry(compose):
    def with_scorer(call, **more):
        config = compose("experiment=xor100", "method=gini")
        config.method = {"scorers": {"own": {"call": f"{__name__}:{call}", **more}}}
        return resolve(config)

    assert len(with_scorer("powered", grid={"power": [1, 2]})[0].candidates()) == 2
    for call, more, message in (
        ("faulty", {}, r"\(3,\)"),
        ("faulty", {"params": {"n": 4}}, "NaN"),
        ("faulty", {"params": {"n": 9}}, "no_such_attribute.*test_methods.py"),
        ("powered", {"params": {"pwer": 2}}, "pwer.*power"),
        ("powered", {"grd": {}}, "grd|call"),
        ("missing", {}, "missing"),
        ("powered", {"combine": {"a": "gini"}}, "combine"),
        ("powered", {"grid": {"power": 5}}, "grid.power"),
        ("powered", {"tune_first": {"nobody": {}}}, "tune_first"),
        ("forgetful", {"grid": {"power": [1, 2]}}, "power"),
    ):
        with pytest.raises(ConfigError, match=message):
            with_scorer(call, **more)


def test_of_a_pair_the_scores_are_taken_and_the_p_values_are_not():
    method = tuned("sklearn.feature_selection:f_classif")
    np.testing.assert_array_equal(method.scores(X, Y, {"own": {}}), f_classif(X, Y)[0])


def test_parameters_of_a_part_may_be_null(compose):
    config = compose("experiment=colon", "method=manifest_relieff", "++parameters.manifest=null")
    assert {part.name for part in only(config).parts} == {"manifest", "relieff"}


POWERED = f"{__name__}:powered"
#: The values that `many_powers` was called with, call by call.
CALLS: list[list] = []


def many_powers(X, y, powers, *, shift=0):
    """Scores of `powered` with each of several powers."""
    CALLS.append(list(powers))
    return np.array([powered(X, y, power=power, shift=shift) for power in powers])


def powered(X, y, *, power=1, shift=0, other=0):
    """A power of the means, which is ambiguous at 2; `many_powers` does not know `other`."""
    if power == 2:
        warnings.warn("not unique", AmbiguousScoreWarning, stacklevel=1)
    return shift + abs(X.mean(axis=0)) ** power + other


powered.grid = ("power", many_powers)  # type: ignore[attr-defined]


def forgetful(X, y, *, power=1):
    return powered(X, y, power=power)


# It forgets a power.
forgetful.grid = ("power", lambda X, y, powers: many_powers(X, y, powers[1:]))  # type: ignore[attr-defined]


def tuned(call, fixed=None, **grid):
    return Method(call, call, (Part("own", call, fixed or {}, grid),))


@pytest.fixture
def store(tmp_path):
    CALLS.clear()
    return Cache(str(tmp_path))


def check(store, method):
    """Stored scores of every candidate, and its flag, are those of the method alone."""
    for candidate in method.candidates():
        row = stored_scores(method, X, Y, candidate, store)
        (alone,) = flagged_scores(method, X, Y, [candidate])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AmbiguousScoreWarning)
            np.testing.assert_array_equal(row["scores"], method.scores(X, Y, candidate))
        np.testing.assert_array_equal(row["scores"], alone["scores"])
        is_square = candidate.get("own", {}).get("power") == 2
        assert row["ambiguous"] == alone["ambiguous"] == is_square


def test_one_candidate_brings_all_those_that_are_scored_at_once(store):
    method = tuned(POWERED, power=[1, 3, 4], shift=[0, 5])
    stored_scores(method, X, Y, {"own": {"power": 3, "shift": 5}}, store)
    assert CALLS == [[1, 3, 4]]
    check(store, method)
    assert CALLS == [[1, 3, 4], [1, 3, 4]]
    check(store, tuned(POWERED, power=[1, 2, 3]))


def test_others_are_scored_alone(store):
    for method in (
        tuned(POWERED, {"other": 1}, power=[1, 2]),  # an unknown keyword
        tuned(POWERED, {"power": 3}, shift=[0, 1]),  # another parameter
        tuned("laplacian", percentile=[5, 50]),  # no grid function
        tuned("anova"),
    ):
        for candidate in method.candidates():
            assert method.grid_siblings(candidate) == [candidate]
        check(store, method)
        assert CALLS == []


def test_the_parts_of_a_sum_are_scored_at_once(store):
    part = Part("own", POWERED, {}, {"power": [1, 3]})
    check(store, Method("sum", "sum", (part, Part("anova", "anova", {}, {}))))
    assert CALLS == [[1, 3]]


def warns_of_its_own(X, y):
    """A scorer with a warning that is no flag."""
    warnings.warn("these features are strange", RuntimeWarning, stacklevel=1)
    return X.mean(axis=0)


def test_a_warning_that_is_no_flag_reaches_the_user(store):
    method = tuned(f"{__name__}:warns_of_its_own")
    with pytest.warns(RuntimeWarning, match="these features are strange"):
        row = stored_scores(method, X, Y, {"own": {}}, store)
    assert not row["ambiguous"] | row["uninformative"]


@given(values=st.lists(st.integers(-9, 9), min_size=1), seed=st.integers(0, 99), data=st.data())
def test_rounding_changes_no_ranking_and_the_seed_draws_the_order_of_ties(values, seed, data):
    scores, n = np.array(values, dtype=float), len(values)
    noise = data.draw(st.lists(st.floats(-1e-12, 1e-12), min_size=n, max_size=n))
    order = rank(scores, np.random.default_rng(seed))
    assert (np.diff(scores[order]) <= 0).all()
    perturbed = scores + np.abs(scores).max() * np.array(noise)
    np.testing.assert_array_equal(rank(perturbed, np.random.default_rng(seed)), order)


def test_all_orders_of_ties_are_as_likely():
    first = [rank([1.0, 1 + 1e-12, 0.5], np.random.default_rng(seed))[0] for seed in range(400)]
    assert abs(np.mean(first) - 0.5) < 0.1
