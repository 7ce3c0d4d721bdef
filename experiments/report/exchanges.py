"""The effect of the exchange of the classes, as a table for each experiment of the paper."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.report.claims import accuracies, exchange
from experiments.report.claims.exchange import EXCHANGED, METHOD
from experiments.report.claims.results_folder import ResultsFolder, rows_at, with_facts
from experiments.report.text import markdown, number

#: The two features of the toy example that the paper speaks of.
PARTNERS = (1, 5)
COLUMNS = ["experiment", "number", "n", "as_coded", "exchanged", "order_of_columns"]
PAIR = ["class_1", "class_2", "geometry"]


def table(results: Path) -> pd.DataFrame:
    """The numbers of each experiment with the classes as coded, and exchanged.

    Parameters
    ----------
    results : Path
        Folder with one folder for each experiment.

    Returns
    -------
    DataFrame
        Columns experiment, number (in words), n (splits or draws of both), as_coded, exchanged, and
        order_of_columns: the standard deviation over orders of the columns, if those were tried.
    """
    rows: list[tuple] = []
    for name in with_facts():
        own = ResultsFolder(results / name)
        if not own.missing and own.exchanged and name in own.exchanged.folder.name:
            rows += [(name, *row) for row in _numbers(own, own.exchanged)]
    return pd.DataFrame(rows, columns=COLUMNS)


def in_words(results: Path) -> str:
    """The table of each experiment, as Markdown."""
    parts = []
    for name, part in table(results).groupby("experiment", sort=False):
        shown = part.drop(columns="experiment").astype(object)
        for column in COLUMNS[3:]:
            shown[column] = [_short(value) for value in part[column]]
        shown.columns = ["", "n", "as coded", "exchanged", "over orders of columns"]
        parts.append(f"\n`{name}`:\n\n{markdown(shown)}")
    return "".join(parts)


def _short(value) -> str:
    return f"{value:.0e}" if 0 < abs(value) < 1e-3 else number(value, 3)


def _numbers(own: ResultsFolder, other: ResultsFolder) -> Iterator[tuple[Any, ...]]:
    """The rows of one experiment, by the tables that it has."""
    if "reading" in own.rows:
        yield from _accuracies(own, other)
    elif "scores" in own.rows:
        yield from _selections(own, other)
    elif "pixels" in own.rows:
        yield from _pictures(own, other)


def _accuracies(own, other):
    tried = rows_at(own.summary, method=METHOD, reading="paper")
    for row in accuracies.exchanged(own, other).to_dict("records"):
        share, n = row["ranking_share"], row["n_splits"]
        ranked = "" if share == 1 else f", ranked from {share:.0%} of the rows"
        orders = tried[np.isclose(tried["ranking_share"], share)].get("order_std", pd.Series())
        order = next(iter(100 * orders), np.nan)
        best = f"best mean accuracy, in percent{ranked}"
        yield best, n, 100 * row["as_coded"], 100 * row["exchanged"], order
        changed = f"test accuracies that change, in percent{ranked}"
        yield changed, n, np.nan, 100 * row["changed"], np.nan


def _selections(own, other):
    ours, theirs = (
        results.table("features").query("method == @method and feature in @PARTNERS")
        for results, method in ((own, METHOD), (other, EXCHANGED))
    )
    for row in ours.merge(theirs, on=["case", "feature"], suffixes=("", "_exchanged")).itertuples():
        words = f"({row.case}) share of the draws with f{row.feature} among the best two"
        yield words, own.repetitions, row.selected, row.selected_exchanged, np.nan
    for method, which in ((METHOD, ""), (f"{METHOD}_regularized", ", regularized")):
        moved = exchange.largest_changes(other.rows, method, f"{method}_exchanged")
        for case, part in moved.groupby(level=0):
            words = f"({case!s}) largest change of a score, of the largest score{which}"
            yield words, len(part), np.nan, part.max(), np.nan


def _pictures(own, other):
    turn = {"class_1": "class_2", "class_2": "class_1"}
    turned = other.table("regions").rename(columns=turn)
    regions = own.table("regions").merge(turned, on=[*PAIR, "region"], suffixes=("", "_turned"))
    for row in regions[regions["geometry"] == "spsd"].itertuples():
        pair, region = f"{row.class_1} and {row.class_2}", row.region.replace("_", " ")
        words = f"{pair}, share of the score in the region {region}"
        yield words, own.repetitions, row.score, row.score_turned, np.nan
    pictures = [
        rows[rows["image"] == "score"].set_index([*PAIR, "draw"])["pixels"]
        for rows in (own.rows, other.rows.rename(columns=turn))
    ]
    moved = exchange.changes(*pictures).to_frame("moved").groupby(level=PAIR, sort=False)
    for (first, second, geometry), part in moved:
        words = f"{first} and {second}, largest change of a score, of the largest score, mean of "
        words += "the draws" + ("" if geometry == "spsd" else f", {geometry}")
        yield words, len(part), np.nan, float(part["moved"].mean()), np.nan
