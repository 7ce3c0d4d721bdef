"""Which way of tuning gives the published accuracies? A table of one folder, and its figure."""

from pathlib import Path
from typing import Any

import pandas as pd

#: The folder, and the claims that have its published errors.
FOLDER, CLAIMS = "colon", "icml.colon.error."
#: The tunings, from the one that chooses the least to the one that sees the test rows.
SHOWN = ("icml", "paper", "once", "oracle")


def tunings(claims: pd.DataFrame, results: Path) -> pd.DataFrame:
    """Return the published accuracy of each method, in percent, beside ours by way of tuning.

    Parameters
    ----------
    claims : DataFrame
        As of `experiments.report.claims.compare`.
    results : Path
        The folder of results.

    Returns
    -------
    DataFrame
        A row for each method: "method", "label", "n_tuned", how many of its parameters are tuned,
        "published", a column for each of :data:`SHOWN`, and the number of features under "once".
    """
    summary = pd.read_csv(results / FOLDER / "summary.csv").set_index("tuning")
    of_methods = claims[claims["claim"].str.startswith(CLAIMS)]
    methods = of_methods["note"].str.partition(";")[0]
    here = {name: summary.loc[name].set_index("method").loc[methods] for name in SHOWN}
    once = here["once"]
    columns = {
        "label": once["label"],
        "published": 100 - of_methods["published"].to_numpy(float),
        "n_tuned": once["parameters"].fillna("").str.count("k=|percentile="),
        **{name: 100 * part["accuracy"] for name, part in here.items()},
        "n_features": once["n_features"].astype(int),
    }
    return pd.DataFrame(columns).reset_index().sort_values("n_tuned", kind="stable")


def draw(path: Path) -> None:
    """Draw the table of a file tuning.csv beside it, as PNG."""
    import matplotlib.pyplot as plt

    from experiments.report.figures import style

    table = pd.read_csv(path)
    colours = (style.GREY, style.DARK, style.BLUE, style.GREEN)
    looks: list[dict[str, Any]] = [
        {"column": name, "color": color, "shift": 0.13 * (i - 1.5)}
        for i, (name, color) in enumerate(zip(SHOWN, colours, strict=True))
    ]
    looks.append({"column": "published", "color": style.DARK, "face": "white", "marker": "D"})
    points = [table.assign(value=table[look["column"]], **look) for look in looks]
    with plt.style.context(style.STYLE):
        figure, axis = plt.subplots(figsize=(style.TEXT, 0.24 * len(table) + 1.1))
        for part in points:
            style.dots(axis, part)
        axis.set_xlabel("Test accuracy (%)")
        handles = [style.dot(name, color) for name, color in zip(SHOWN, colours, strict=True)]
        hollow = {"marker": "D", "markerfacecolor": "white"}
        handles.append(style.dot("published (2023)", style.DARK, **hollow))
        what = "accuracy by the way of tuning, here and as published"
        style.finish(figure, path.parent, what, handles, "Colon")
        figure.savefig(path.with_suffix(".png"), metadata={"Software": None})
        plt.close(figure)
