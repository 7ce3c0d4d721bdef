"""Tables of colon: the accuracy by way of tuning, and the gap between validation and test."""

from pathlib import Path

import pandas as pd
from omegaconf import OmegaConf

from experiments.evaluation.accuracies import ALL_FEATURES, best_size
from experiments.evaluation.methods import declared
from experiments.evaluation.statistics import resampled_interval
from experiments.report.claims import claims_in
from experiments.report.claims.folder import Folder
from experiments.report.stored import provenance_of

#: The folder, and the entry of paper.yaml that has its published errors.
FOLDER, ENTRY = "colon", "icml.colon.error"
#: The folders and tunings whose gaps are compared.
GAPS = (("colon", "paper"), ("colon_nested", "nested"), ("colon_scales", "paper"))
#: The tunings, from the one that chooses the least to the one that sees the test rows.
SHOWN = ("icml", "paper", "once", "oracle")


def tunings(claims: pd.DataFrame, results: Path) -> pd.DataFrame:
    """Return the published accuracy of each method, in percent, beside ours by way of tuning.

    `claims` are those of :func:`experiments.report.claims.compare`. A row has "n_tuned", how many
    parameters of its method are tuned, for each NAME of :data:`SHOWN` the accuracy "NAME" and its
    95 % interval, "NAME_low" and "NAME_high", the number of features under "once", and
    "once_minus_paper" with its 95 % interval over the repeated cross-validations.
    """
    summary = pd.read_csv(results / FOLDER / "summary.csv").set_index("tuning")
    listed = [claim.id for claim in claims_in(results / "paper.yaml") if claim.entry == ENTRY]
    of_methods = claims[claims["claim"].isin(listed)]
    here = {name: summary.loc[name].set_index("method").loc[of_methods["method"]] for name in SHOWN}
    once, config = here["once"], OmegaConf.create(provenance_of(results / FOLDER)["config"])
    n_tuned = {method.name: method.n_tuned for method in declared(config)}
    columns = {
        "label": once["label"],
        "published": 100 - of_methods["published"].to_numpy(float),
        "n_tuned": [n_tuned.get(name, 0) for name in once.index],
        **{name: 100 * part["accuracy"] for name, part in here.items()},
        **{f"{name}_low": 100 * part["ci_low"] for name, part in here.items()},
        **{f"{name}_high": 100 * part["ci_high"] for name, part in here.items()},
        "n_features": once["n_features"].astype(int),
    }
    tests = best_size(pd.read_parquet(results / FOLDER / "rows.parquet"))
    tests["repeat"] = tests["split"] // Folder(results / FOLDER).block
    means = 100 * tests.pivot_table("test", "repeat", ["tuning", "method"])
    gains = (means["once"] - means["paper"])[once.index]
    columns["once_minus_paper"] = gains.mean()
    ends = gains.apply(resampled_interval, result_type="expand")
    columns |= {"ci_low": ends.loc[0], "ci_high": ends.loc[1]}
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
        table = 100 * groups[["validation", "test"]].mean()
        table = table.assign(n_splits=groups["split"].nunique(), folder=folder, tuning=tuning)
        parts.append(table.reset_index())
    table = pd.concat(parts, ignore_index=True)
    return table.assign(gap=table["validation"] - table["test"])
