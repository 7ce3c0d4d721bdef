"""The tunings "once" and "oracle": one parameter for all splits, found again by fixing it."""

import numpy as np

GRID = (1, 3)


def best_mean(curves, column):
    return curves.groupby("n_features")[column].mean().max()


def test_one_parameter_for_all_splits_is_the_best_of_those_that_are_fixed(on_table):
    methods = [
        "method=[relieff,manifest_relieff]",
        "method.percentile=50",
        "dataset.max_features=8",
    ]
    together = on_table(*methods, f"method.k={list(GRID)}", "protocol.tuning=[once,oracle]")
    summary = together["summary"].set_index(["tuning", "method"])
    fixed = {
        k: on_table(*methods, f"method.k={k}", "protocol.tuning=[paper]")["rows"].query(
            "method == 'relieff'"
        )
        for k in GRID
    }
    for tuning, column in (("once", "validation"), ("oracle", "test")):
        means = [best_mean(fixed[k], column) for k in GRID]
        k = GRID[int(np.argmax(means))]
        relieff, total = summary.loc[tuning, "relieff"], summary.loc[tuning, "manifest_relieff"]
        assert relieff["parameters"].startswith(f"k={k}")
        assert f"relieff.k={k}" in total["parameters"]
        assert np.isclose(relieff["accuracy"], best_mean(fixed[k], "test"), atol=1e-6)
    assert len({tuple(s["test"]) for s in fixed.values()}) == len(GRID)
    assert summary["accuracy"]["oracle", "relieff"] >= summary["accuracy"]["once", "relieff"]
