"""Draw the test accuracy of each method on several classes, a panel per number of features."""

from pathlib import Path

from matplotlib.figure import Figure

from experiments.report.figures.points import panels_of
from experiments.report.figures.style import (
    STRONG,
    alike,
    name_of,
    read_table,
    set_title,
    without_variants,
)


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from accuracies.csv."""
    table = read_table(folder / "accuracies.csv")
    table = table[table["ranking_share"] == table["ranking_share"].max()]
    table = alike(without_variants(table), ["n_features"], ["accuracy", "ci_low", "ci_high"])
    is_own = table["method"].str.startswith("manifest") & ~table["method"].str.contains("relieff")
    colour_of = dict.fromkeys(table.loc[is_own, "method"], STRONG)
    figure = panels_of(table, ["n_features"], "accuracy", colour_of, "{} features")
    set_title(figure, name_of(folder), "test accuracy (bars: 95 % intervals)")
    return {"figure_accuracy": figure}
