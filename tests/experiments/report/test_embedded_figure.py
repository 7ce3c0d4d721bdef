"""The figure of classifiers beside rankings: what is filled, what is hollow, what shares a row."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from experiments.report.figures.intervals import draw


@pytest.fixture
def drawn(tmp_path):
    """A function from rows of a summary to the axis of their figure."""

    def axis(*rows):
        head = {"reading": "paper", "ranking_share": 1.0, "std": 0.1}
        table = pd.DataFrame([{**head, "ci_low": 0.6, "ci_high": 1.0, **r} for r in rows])
        table.to_csv(tmp_path / "summary.csv", index=False)
        return draw(tmp_path, with_classifiers=True)["figure"].axes[0]

    yield axis
    plt.close("all")


def ticks(axis):
    return [text.get_text() for text in axis.get_yticklabels()]


def points(axis):
    """Height -> (accuracy, whether filled) of each point."""
    return {
        line.get_ydata()[0]: (line.get_xdata()[0], line.get_markerfacecolor() != "white")
        for line in axis.lines
        if line.get_marker() == "o"
    }


def test_the_figure_fills_what_was_measured_and_leaves_hollow_what_is_quoted(drawn):
    axis = drawn(
        {"method": "manifest", "label": "ManiFeSt", "accuracy": 0.75},
        {"quoted": False, "method": "lasso", "label": "LASSO", "accuracy": 0.85},
        {"quoted": False, "method": "broken", "label": "Broken", "accuracy": np.nan},
        {"method": "lspin", "label": "LSPIN, quoted", "accuracy": 0.7, "quoted": True},
        {"method": "lasso_quoted", "label": "LASSO, quoted", "accuracy": 0.8, "quoted": True},
    )
    assert ticks(axis) == ["LASSO", "ManiFeSt", "LSPIN, quoted"]
    found = sorted(points(axis).items())
    assert [round(y) for y, _ in found] == [0, 0, 1, 2]
    assert [filled for _, (_, filled) in found] == [True, False, True, False]
    assert [x for _, (x, _) in found] == pytest.approx([85, 80, 75, 70])


def test_the_figure_takes_tables_without_classifiers_and_with_several_readings(drawn):
    one = {"method": "gini", "label": "Gini", "accuracy": 0.7}
    assert ticks(drawn(one)) == ["Gini"]
    svc = {"method": "svc", "label": "SVC", "accuracy": 0.6, "quoted": False}
    nested = [{**one, "reading": "nested", "accuracy": 0.65}, {**svc, "reading": "nested"}]
    assert ticks(drawn(one, svc, *nested)) == ["Gini (paper)", "Gini (nested)", "SVC"]


def test_a_published_number_is_beside_the_protocol_of_its_paper(drawn):
    own = {"method": "manifest", "label": "ManiFeSt", "accuracy": 0.75}
    better = {**own, "reading": "icml", "accuracy": 0.8}
    quoted = {**own, "method": "manifest_quoted", "label": "ManiFeSt, quoted", "quoted": True}
    axis = drawn(own, better, quoted)
    assert ticks(axis) == ["ManiFeSt (icml)", "ManiFeSt (paper)"]
    (hollow,) = [y for y, (_, filled) in points(axis).items() if not filled]
    assert round(hollow) == 1


def test_what_would_cover_another_shares_its_row(drawn):
    gini, fisher, manifest = (
        {"method": label.lower(), "label": label, "accuracy": 0.7}
        for label in ("Gini", "Fisher", "ManiFeSt")
    )
    axis = drawn(gini, {**gini, "reading": "nested"}, fisher, manifest)
    assert ticks(axis) == ["Gini = Fisher", "ManiFeSt"]
    svc = {"quoted": False, "method": "svc", "label": "SVC", "accuracy": 0.7}
    quoted = {"quoted": True, "method": "svc_quoted", "label": "SVC, quoted", "accuracy": 0.6}
    assert ticks(drawn(gini, fisher, svc, quoted)) == ["Gini = Fisher", "SVC"]


def test_bars_end_where_accuracies_do(drawn):
    axis = drawn({"method": "gini", "label": "Gini", "accuracy": 0.95})
    assert max(line.get_xdata().max() for line in axis.lines) <= 100
    assert axis.get_xlim()[1] <= 101
