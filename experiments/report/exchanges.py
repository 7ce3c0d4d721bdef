"""The effect of the exchange of the classes, as a table for each experiment of the paper."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.report.claims.exchange import (
    EXCHANGED,
    METHOD,
    best_accuracies,
    changes,
    largest_changes,
)
from experiments.report.claims.results_folder import ResultsFolder, with_facts
from experiments.report.text import markdown, number

#: The two features of the toy example that the paper speaks of.
PARTNERS = (1, 5)
COLUMNS = ["experiment", "number", "n", "as_coded", "exchanged", "order_of_columns"]


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
    rows: list[dict[str, Any]] = []
    for name in with_facts():
        own = ResultsFolder(results / name)
        if not own.missing and own.exchanged and name in own.exchanged.folder.name:
            rows += [{"experiment": name, **row} for row in _numbers(own, own.exchanged)]
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
    if pd.isna(value):
        return ""
    return number(value, 3) if value == 0 or abs(value) >= 1e-3 else f"{value:.0e}"


def _numbers(own: ResultsFolder, other: ResultsFolder) -> Iterator[dict[str, Any]]:
    """The rows of one experiment, by the tables that it has."""
    if "reading" in own.rows:
        yield from _accuracies(own, other)
    elif "scores" in own.rows:
        yield from _selections(own, other)
    elif "pixels" in own.rows:
        yield from _pictures(own, other)


def _accuracies(own, other):
    orders = own.summary[own.summary["method"] == METHOD]
    for row in best_accuracies(own.rows, other.rows).to_dict("records"):
        share = row["ranking_share"]
        ranked = "" if share == 1 else f", ranked from {share:.0%} of the rows"
        tried = orders[np.isclose(orders["ranking_share"], share) & (orders["reading"] == "paper")]
        order = tried["order_std"].iloc[0] if "order_std" in tried and len(tried) else np.nan
        at = {"n": row["n_splits"]}
        yield {
            **at,
            "number": f"best mean accuracy, in percent{ranked}",
            "as_coded": 100 * row["as_coded"],
            "exchanged": 100 * row["exchanged"],
            "order_of_columns": 100 * order,
        }
        yield {
            **at,
            "number": f"test accuracies that change, in percent{ranked}",
            "exchanged": 100 * row["changed"],
        }


def _selections(own, other):
    ours, theirs = (
        results.table("features").query("method == @method and feature in @PARTNERS")
        for results, method in ((own, METHOD), (other, EXCHANGED))
    )
    for row in ours.merge(theirs, on=["case", "feature"], suffixes=("", "_exchanged")).itertuples():
        yield {
            "number": f"({row.case}) share of the draws with f{row.feature} among the best two",
            "n": own.repetitions,
            "as_coded": row.selected,
            "exchanged": row.selected_exchanged,
        }
    for method in (METHOD, f"{METHOD}_regularized"):
        moved = largest_changes(other.rows, (method, f"{method}_exchanged"))
        for case, of_case in moved.groupby(level=0):
            words = "" if method == METHOD else ", regularized"
            yield {
                "number": f"({case!s}) largest change of a score, of the largest score{words}",
                "n": len(of_case),
                "exchanged": of_case.max(),
            }


def _pictures(own, other):
    turned = other.table("regions").rename(columns={"class_1": "class_2", "class_2": "class_1"})
    at = ["class_1", "class_2", "geometry", "region"]
    regions = own.table("regions").merge(turned, on=at, suffixes=("", "_turned"))
    for row in regions[regions["geometry"] == "spsd"].to_dict("records"):
        yield {
            "number": f"{row['class_1']} and {row['class_2']}, share of the score in the region "
            f"{row['region'].replace('_', ' ')}",
            "n": own.repetitions,
            "as_coded": row["score"],
            "exchanged": row["score_turned"],
        }
    axes = ["class_1", "class_2", "geometry", "draw"]
    pictures = [
        each.rows[each.rows["image"] == "score"].set_index(axes)["pixels"] for each in (own, other)
    ]
    pictures[1].index = pictures[1].index.swaplevel(0, 1).set_names(axes)
    moved = changes(*pictures).to_frame("moved").groupby(level=axes[:3], sort=False)
    for (first, second, geometry), part in moved:
        words = "" if geometry == "spsd" else f", {geometry}"
        yield {
            "number": f"{first} and {second}, largest change of a score, of the largest score, "
            f"mean of the draws{words}",
            "n": len(part),
            "exchanged": float(part["moved"].mean()),
        }
