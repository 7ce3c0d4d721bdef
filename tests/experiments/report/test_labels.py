"""What results owe to the labels: from rows, the simplest filter that does as well, and cells."""

import numpy as np
import pandas as pd

from experiments.report.labels import in_words, labels
from tests.experiments.report.conftest import store


def written(folder, **found):
    """What is said of fifty draws of XOR-100, in which methods find as many features as given."""
    parts = [pd.DataFrame({"method": name, "correct": found[name]}) for name in found]
    rows = pd.concat(parts).assign(tuned=True).rename_axis("draw").reset_index()
    rows["relevant"] = [[0, 4] for _ in rows.index]
    store(folder, "xor100", n=50, rows=rows, summary=[{"method": "manifest"}])
    return labels(folder)


def test_the_simplest_filter_is_the_first_that_the_method_does_not_lead_by_the_margin(tmp_path):
    half = [2.0] * 25 + [1.0] * 25
    found = written(
        tmp_path,
        manifest=[2.0] * 50,
        manifest_blind=[0.0] * 49 + [1.0],
        relieff=half,
        variance=half,
        near_copies=[2.0] * 48 + [1.0] * 2,
        correlation_difference=[2.0] * 50,
    ).set_index("method")
    ours = found.loc["manifest"]
    assert (ours["true"], ours["shuffled"]) == (2, 0.02)
    assert (ours["simplest"], ours["simplest_value"]) == ("Near-copies", 1.96)
    assert found.loc["relieff", "simplest"] == "Variance"
    assert np.isnan(found.loc["relieff", "shuffled"])
    cells = in_words(found.reset_index(), "XOR-100")
    assert cells == {"shuffled": "0.02 of 2 (true 2.00)", "simplest": "Near-copies, 1.96 of 2"}


def test_a_filter_that_is_equal_in_every_draw_does_as_well_however_few_there_are(tmp_path):
    found = written(tmp_path, manifest=[2.0] * 3, variance=[2.0, 2.0, 1.0], near_copies=[2.0] * 3)
    assert found["simplest"].tolist() == ["Near-copies"]


def test_without_such_a_filter_or_run_the_cells_say_so(tmp_path):
    found = written(tmp_path, manifest=[2.0] * 50, relieff=[1.0] * 50, anova=[0.0] * 50)
    first, second, _ = found["simplest"]
    assert first == second == "none shown"
    assert in_words(found, "XOR-100") == {"shuffled": "not run", "simplest": "not run"}
    assert in_words(found, "Colon") == {"shuffled": "not run", "simplest": "not run"}
