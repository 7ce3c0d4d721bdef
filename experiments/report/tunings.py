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
#: The accuracy and its interval in a summary -> the end of their names here.
ACCURACY = {"accuracy": "", "ci_low": "_low", "ci_high": "_high"}


def tunings(claims: pd.DataFrame, results: Path) -> pd.DataFrame:
    """Return the published accuracy of each method, in percent, beside ours by way of tuning.

    `claims` are those of :func:`experiments.report.claims.compare`. A row has "n_tuned", how many
    parameters of its method are tuned, for each NAME of :data:`SHOWN` the accuracy "NAME" and its
    95 % interval, "NAME_low" and "NAME_high", the number of features under "once", and
    "once_minus_paper" with its 95 % interval over the repeated cross-validations.
    """
    folder = results / FOLDER
    listed = [claim.id for claim in claims_in(results / "paper.yaml") if claim.entry == ENTRY]
    of_methods = claims[claims["claim"].isin(listed)]
    published = of_methods.set_index("method")["published"]
    methods = published.index
    config = OmegaConf.create(provenance_of(folder)["config"])
    n_tuned = {method.name: method.n_tuned for method in declared(config)}
    summary = pd.read_csv(folder / "summary.csv").set_index(["tuning", "method"])
    once = summary.loc["once"].loc[methods]
    table = pd.DataFrame({"label": once["label"]})
    table["published"] = 100 - published.to_numpy(float)
    table["n_tuned"] = [n_tuned.get(name, 0) for name in methods]
    for column, suffix in ACCURACY.items():
        for name in SHOWN:
            of_tuning = summary.loc[name]
            values = of_tuning.loc[methods, column]
            table[f"{name}{suffix}"] = 100 * values
    table["n_features"] = once["n_features"].astype(int)
    tests = best_size(pd.read_parquet(folder / "rows.parquet"))
    tests["repeat"] = tests["split"] // Folder(folder).block
    means = 100 * tests.pivot_table("test", "repeat", ["tuning", "method"])
    gains = means["once"] - means["paper"]
    table["once_minus_paper"] = gains.mean()
    ends = gains[methods].apply(resampled_interval, result_type="expand")
    table["ci_low"] = ends.loc[0]
    table["ci_high"] = ends.loc[1]
    return table.reset_index().sort_values("n_tuned", kind="stable")


def gaps(results: Path) -> pd.DataFrame:
    """Return validation, test and their "gap", in percent, in the mean over numbers of features.

    There is a row for each method of each of :data:`GAPS`, on the splits that all of its methods
    have, which are "n_splits".
    """
    tables = []
    for folder, tuning in GAPS:
        rows = pd.read_parquet(results / folder / "rows.parquet")
        rows = rows[rows["tuning"] == tuning]
        rows = rows[rows["method"] != ALL_FEATURES]
        n_methods = rows.groupby("split")["method"].transform("nunique")
        is_of_all = n_methods == n_methods.max()
        on_all_splits = rows[is_of_all]
        groups = on_all_splits.groupby(["method", "label"], sort=False)
        table = 100 * groups[["validation", "test"]].mean()
        table["n_splits"] = groups["split"].nunique()
        table["folder"] = folder
        table["tuning"] = tuning
        tables.append(table.reset_index())
    table = pd.concat(tables, ignore_index=True)
    return table.assign(gap=table["validation"] - table["test"])
