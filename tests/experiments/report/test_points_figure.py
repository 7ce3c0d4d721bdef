"""The figure of points: what is filled, what is hollow, what shares a row."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from experiments.report.figures.points import draw


@pytest.fixture
def drawn(tmp_path):
    """A function from rows of a summary to the axis of the figure of each protocol."""

    def axes(*rows):
        head = {"reading": "paper", "ranking_share": 1.0, "std": 0.1}
        table = pd.DataFrame([{**head, "ci_low": 0.6, "ci_high": 1.0, **r} for r in rows])
        columns = ["reading", "method", "label", "accuracy", "std"]
        table = table[[*columns, *table.columns.difference(columns)]]
        table.to_csv(tmp_path / "summary.csv", index=False)
        return {stem: figure.axes[0] for stem, figure in draw(tmp_path).items()}

    yield axes
    plt.close("all")


def ticks(axis):
    return [text.get_text() for text in axis.get_yticklabels()]


def points(axis):
    """Accuracy, height and whether filled of each point."""
    return [
        (line.get_xdata()[0], line.get_ydata()[0], line.get_markerfacecolor() != "white")
        for line in axis.lines
        if line.get_marker() == "o"
    ]


def test_the_figure_fills_what_was_measured_and_leaves_hollow_what_is_quoted(drawn):
    """A published number is in the row of its method, and below all others if it has none."""
    axis = drawn(
        {"method": "manifest", "label": "ManiFeSt", "accuracy": 0.75},
        {"quoted": False, "method": "lasso", "label": "LASSO", "accuracy": 0.85},
        {"quoted": False, "method": "broken", "label": "Broken", "accuracy": np.nan},
        {"method": "lspin_quoted", "label": "LSPIN, quoted", "accuracy": 0.9, "quoted": True},
        {"method": "lasso_quoted", "label": "LASSO, quoted", "accuracy": 0.8, "quoted": True},
    )["figure_paper"]
    assert ticks(axis) == ["LASSO", "ManiFeSt", "LSPIN, quoted"]
    found = [(75, 1, True), (85, 0, True), (90, 2, False), (80, 0, False)]
    np.testing.assert_allclose(points(axis), found)
    (legend,) = axis.figure.legends
    assert legend.get_texts()[-1].get_text() == "published"


def test_each_protocol_has_a_figure_and_a_table_without_classifiers_has_no_legend(drawn):
    one = {"method": "gini", "label": "Gini", "accuracy": 0.7}
    (axis,) = drawn(one).values()
    assert (ticks(axis), axis.figure.legends) == (["Gini"], [])
    svc = {"method": "svc", "label": "SVC", "accuracy": 0.67, "quoted": False}
    nested = [{**row, "reading": "nested"} for row in ({**one, "accuracy": 0.65}, svc)]
    axes = drawn(one, svc, *nested)
    assert ticks(axes["figure_paper"]) == ["Gini", "SVC"]
    assert ticks(axes["figure_nested"]) == ["SVC", "Gini"]


def test_bars_end_where_accuracies_do(drawn):
    (axis,) = drawn({"method": "gini", "label": "Gini", "accuracy": 0.95}).values()
    assert max(line.get_xdata().max() for line in axis.lines) <= 100
    assert axis.get_xlim()[1] <= 101
