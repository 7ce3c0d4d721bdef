"""Which way of tuning gives the published accuracies? A table of one folder."""

from pathlib import Path

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
    summary = pd.read_csv(results / FOLDER / "summary.csv")
    wide = summary.pivot(index="method", columns="tuning", values=["accuracy", "n_features"])
    labels = summary.drop_duplicates("method").set_index("method")["label"]
    parameters = summary[summary["tuning"] == "once"].set_index("method")["parameters"].fillna("")
    rows = []
    for claim in claims[claims["claim"].str.startswith(CLAIMS)].to_dict("records"):
        method = claim["note"].partition(";")[0]
        row = {"method": method, "label": labels[method], "published": 100 - claim["published"]}
        row["n_tuned"] = sum(word in parameters[method] for word in ("k=", "percentile="))
        row |= {name: 100 * wide["accuracy"][name][method] for name in SHOWN}
        rows.append(row | {"n_features": int(wide["n_features"]["once"][method])})
    return pd.DataFrame(rows).sort_values("n_tuned", kind="stable")
