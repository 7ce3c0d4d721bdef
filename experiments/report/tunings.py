"""Tables of colon: the accuracy by way of tuning, and the gap between validation and test."""

from pathlib import Path

import pandas as pd

from experiments.evaluation.accuracies import ALL_FEATURES

#: The folder, and the claims that have its published errors.
FOLDER, CLAIMS = "colon", "icml.colon.error."
#: The folders and tunings whose gaps are compared.
GAPS = (("colon", "paper"), ("colon_nested", "nested"), ("colon_scales", "paper"))
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
        "published", for each NAME of :data:`SHOWN` "NAME" and the ends of its 95 % interval,
        "NAME_low" and "NAME_high", and the number of features under "once".
    """
    summary = pd.read_csv(results / FOLDER / "summary.csv").set_index("tuning")
    of_methods = claims[claims["claim"].str.startswith(CLAIMS)]
    here = {name: summary.loc[name].set_index("method").loc[of_methods["method"]] for name in SHOWN}
    once = here["once"]
    columns = {
        "label": once["label"],
        "published": 100 - of_methods["published"].to_numpy(float),
        "n_tuned": once["parameters"].fillna("").str.count("k=|percentile="),
        **{name: 100 * part["accuracy"] for name, part in here.items()},
        **{f"{name}_low": 100 * part["ci_low"] for name, part in here.items()},
        **{f"{name}_high": 100 * part["ci_high"] for name, part in here.items()},
        "n_features": once["n_features"].astype(int),
    }
    return pd.DataFrame(columns).reset_index().sort_values("n_tuned", kind="stable")


def gaps(results: Path) -> pd.DataFrame:
    """Return validation, test and their "gap", in percent, in the mean over numbers of features.

    There is a row for each method of each of :data:`GAPS`, on the splits that all of its methods
    have, which are "n_splits".
    """
    parts = []
    for folder, tuning in GAPS:
        rows = pd.read_parquet(results / folder / "rows.parquet")
        rows = rows[(rows["tuning"] == tuning) & (rows["method"] != ALL_FEATURES)]
        n_methods = rows.groupby("split")["method"].transform("nunique")
        groups = rows[n_methods == n_methods.max()].groupby(["method", "label"], sort=False)
        table = (100 * groups[["validation", "test"]].mean()).assign(
            n_splits=groups["split"].nunique()
        )
        parts.append(table.reset_index().assign(folder=folder, tuning=tuning))
    table = pd.concat(parts, ignore_index=True)
    return table.assign(gap=table["validation"] - table["test"])
