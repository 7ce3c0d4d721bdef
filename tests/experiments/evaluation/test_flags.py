"""What a scorer warns of is counted in the tables, where there is anything to count."""

import pandas as pd

from experiments.evaluation.summary import flag_columns


def test_rankings_that_are_rounding_or_uncertain_are_counted_where_there_are_any():
    quiet = {"ambiguous": True, "uninformative": False, "uncertain": False}
    assert flag_columns(pd.DataFrame([quiet, quiet])) == {"n_ambiguous": 2}
    loud = {**quiet, "uninformative": True}
    assert flag_columns(pd.DataFrame([quiet, loud])) == {"n_ambiguous": 2, "n_uninformative": 1}


def test_scores_that_are_rounding_are_said_in_the_table(run):
    """Far below the scale of the distances every kernel is the identity."""
    tiny = ["method=manifest", "method.scale_factor=1e-3", "method.geometry=regularized"]
    folder, _ = run("experiment=hypercube", "profile=smoke", *tiny, "protocol.judged_draws=0")
    summary = pd.read_csv(folder / "summary.csv")
    assert summary["n_uninformative"].tolist() == summary["n_draws"].tolist()
