"""The tables of the answer, from the rows of a run.

There are rows of three sorts: of a unit ("split" or "shuffle" is set, or "orders"), of a feature
("feature" is set) and of a sample ("sample" is set).
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from omegaconf import DictConfig
from sklearn.metrics import confusion_matrix

from experiments.evaluation.summary import deviation
from experiments.kinds import base
from experiments.kinds.select.judgement import (
    Judged,
    accuracy,
    auc_interval,
    balanced_accuracy,
    balanced_interval,
    effective_share,
    recalls,
    roc_auc,
    wilson,
    with_all_samples,
)

#: Rows of the summary: the whole procedure, the two sets that are named, all features, a guess.
PROCEDURE, SMALLEST, DIFFER, ALL, MAJORITY = "procedure", "smallest", "differ", "all", "majority"
NAMES = {
    PROCEDURE: "this procedure",
    SMALLEST: "its smallest set within one standard error",
    DIFFER: "all that differ",
    ALL: "all features",
    MAJORITY: "the largest class",
}


class Units(NamedTuple):
    """The rows of units."""

    #: Of the splits of the samples with their own labels, in order.
    own: pd.DataFrame
    shuffled: pd.DataFrame
    #: Of the procedure on all samples.
    whole: pd.Series | None
    n_classes: int
    n_folds: int

    def judged(self, rows: pd.DataFrame, place: int) -> Judged:
        """The predictions of splits: 0 the best choice, 1 the smallest set, 2 all that differ."""
        truth = [np.asarray(each).astype(int) for each in rows["truth"]]
        shape = [(3, len(each), self.n_classes) for each in truth]
        scores = [
            np.asarray(own).reshape(of)[place]
            for own, of in zip(rows["scores"], shape, strict=True)
        ]
        return Judged(truth, [each.argmax(axis=-1) for each in scores], scores)

    def of_ranking(
        self, rows: pd.DataFrame, ranking: int, size: int | None = None
    ) -> tuple[Judged, list[int]] | None:
        """The predictions of splits by a ranking, and their places in the sizes.

        Without a size, each split has the one that its own validation prefers. None if a split has
        no such set.
        """
        judged, places = Judged([], []), []
        for row in rows.to_dict("records"):
            truth, n_sizes = np.asarray(row["truth"]).astype(int), len(row["sizes"])
            validation = np.asarray(row["validation"]).reshape(-1, n_sizes)[ranking]
            if size is None and np.isnan(validation).all():
                return None
            places.append(int(np.nanargmax(validation)) if size is None else size)
            predicted = np.asarray(row["predicted"]).reshape(-1, n_sizes, len(truth))
            judged.truth.append(truth)
            judged.predicted.append(predicted[ranking, places[-1]].astype(int))
            if (judged.predicted[-1] < 0).any():
                return None
        return judged, places

    def loops(self, n_splits: int | None = None) -> list[pd.DataFrame]:
        """The own rows, loop by loop, or as many splits at a time as are given."""
        numbers = self.own["split"] // (n_splits or self.n_folds)
        return [part for _, part in self.own.groupby(numbers)]


def units_of(rows: pd.DataFrame) -> Units:
    """The rows of units among all rows."""
    own, shuffled, whole = (rows[rows["unit"] == unit] for unit in ("own", "shuffled", "whole"))
    n_classes = int(rows["sample_class"].max()) + 1
    return Units(own, shuffled, whole.iloc[0], n_classes, int(rows["n_folds"].max()))


def tables(rows: pd.DataFrame, config: DictConfig) -> base.Tables:
    """All tables of a run.

    Returns
    -------
    dict of str to DataFrame
        "summary" has a row for the procedure, each set and each method: accuracies on samples that
        were not used to choose. "curves" has the balanced accuracy at each number of features.
        "features" has a row for each feature, "predictions" one for each sample, "confusion" one
        for each class.
    """
    units = units_of(rows)
    samples, nothing = rows[rows["sample"].notna()], pd.DataFrame()
    is_judged = not units.own.empty
    return {
        "summary": summary(units, samples, config.protocol.n_features is not None),
        "curves": curves(units) if is_judged else nothing,
        "features": features(rows),
        "predictions": predictions(units, samples) if is_judged else nothing,
        "confusion": confusions(units, samples) if is_judged else nothing,
    }


def features(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each feature, those that differ most first; the columns are those of the rows."""
    table = rows.loc[rows["feature"].notna(), "feature":]  # type: ignore[misc]
    whole = ["rank", "consensus", *(name for name in table if str(name).startswith("rank_"))]
    table = table.astype(dict.fromkeys(whole, "Int64"))
    return table.sort_values(["p_value", "rank"], kind="stable").reset_index(drop=True)


def numbers_of(units: Units, judged: list[Judged], samples: pd.DataFrame) -> dict[str, Any]:
    """The accuracies of loops of predictions, with intervals and the spread over loops.

    Intervals are for the rule that learns from all samples; see :func:`judgement.with_all_samples`.
    """
    balanced = [balanced_accuracy(each, units.n_classes) for each in judged]
    plain = [accuracy(each) for each in judged]
    truth = np.concatenate([part for each in judged for part in each.truth])
    guessed = np.concatenate([part for each in judged for part in each.predicted])
    n_test = float(np.mean([len(x) for each in judged for x in each.truth]))
    n_train = len(samples) - n_test
    trained = n_train / len(samples)
    share = effective_share(len(judged) * units.n_folds, n_train, n_test)
    counts = samples.groupby("sample_class")["sample_group"].nunique().to_numpy() * share
    low, high = balanced_interval(recalls(truth, guessed, units.n_classes), counts)
    ends = wilson(float(np.mean(plain)), counts.sum())
    row = {
        "balanced_accuracy": np.mean(balanced),
        "ci_low": low,
        "ci_high": with_all_samples(high, trained),
        "spread": deviation(np.array(balanced)) if len(balanced) > 1 else np.nan,
        "accuracy": np.mean(plain),
        "accuracy_low": ends[0],
        "accuracy_high": with_all_samples(ends[1], trained),
    }
    if judged[0].scores is not None:
        areas = [roc_auc(each, units.n_classes) for each in judged]
        ends = auc_interval(float(np.mean(areas)), counts)
        row |= {"roc_auc": np.mean(areas), "auc_low": ends[0]}
        row["auc_high"] = with_all_samples(ends[1], trained)
    return row


def summary(units: Units, samples: pd.DataFrame, is_fixed: bool) -> pd.DataFrame:
    """Accuracies of the procedure, the named sets, each method, all features, and a guess.

    If the number of features is fixed, the procedure and its set are one.
    """
    counts = samples["sample_class"].value_counts()
    guess = {"method": MAJORITY, "label": NAMES[MAJORITY], "n_features": 0}
    guess |= {"balanced_accuracy": 1 / units.n_classes, "accuracy": counts.max() / counts.sum()}
    if units.own.empty:
        return pd.DataFrame([guess])
    rows, loops, first = [], units.loops(), units.own.iloc[0]
    sizes, labels, n_all = list(first["sizes"]), list(first["labels"]), int(first["n_all"])

    def add(name: str, label: str, judged: list[Judged], numbers: list[int]) -> None:
        head = {"method": name, "label": label, "n_features": np.median(numbers)}
        rows.append({**head, **numbers_of(units, judged, samples)})

    for place, name in enumerate((PROCEDURE, SMALLEST, DIFFER)):
        if name == SMALLEST and is_fixed:
            continue  # It is the set of the procedure.
        numbers = units.own["n_differing"].tolist()
        if name != DIFFER:  # No method's ranking has all features.
            taken = [map(int, at) for at in units.own[("best", "smallest")[place]]]
            numbers = [sizes[size] if ranking < len(labels) else n_all for ranking, size in taken]
        add(name, NAMES[name], [units.judged(loop, place) for loop in loops], numbers)
    rankings = dict(enumerate(zip(first["names"], labels, strict=True)))
    for ranking, (name, label) in {**rankings, len(labels) + 1: (ALL, NAMES[ALL])}.items():
        found = [own for loop in loops if (own := units.of_ranking(loop, ranking))]
        if len(found) == len(loops):
            numbers = [sizes[at] for _, places in found for at in places]
            judged = [own for own, _ in found]
            add(name, label, judged, [n_all] if ranking > len(labels) else numbers)
    table = pd.DataFrame([*rows, guess])
    table["n_splits"] = np.where(table["method"] == MAJORITY, 0, len(units.own))
    return table


def curves(units: Units) -> pd.DataFrame:
    """The balanced accuracy of each ranking at each number of features, on test rows."""
    first, table = units.own.iloc[0], []
    for ranking, (name, label) in enumerate(zip(first["names"], first["labels"], strict=True)):
        for at, size in enumerate(first["sizes"]):
            loops = [units.of_ranking(loop, ranking, at) for loop in units.loops()]
            values = [balanced_accuracy(each[0], units.n_classes) for each in loops if each]
            if len(values) == len(loops):
                head = {"method": name, "label": label, "n_features": size}
                table.append(
                    {**head, "test_mean": np.mean(values), "test_std": deviation(np.array(values))}
                )
    return pd.DataFrame(table)


def predictions(units: Units, samples: pd.DataFrame) -> pd.DataFrame:
    """For each sample its class, the class that most loops predict, and the shares of the loops.

    Of classes with equal shares, the one with the larger sum of scores is predicted.
    """
    names, votes = class_names(samples), np.zeros((len(samples), units.n_classes))
    sums, judged = np.zeros_like(votes), units.judged(units.own, 0)
    assert judged.scores is not None
    for test, predicted, own in zip(
        units.own["test"], judged.predicted, judged.scores, strict=True
    ):
        rows = np.asarray(test).astype(int)
        np.add.at(votes, (rows, predicted), 1)
        np.add.at(sums, rows, own)
    shares = votes / np.maximum(votes.sum(axis=1, keepdims=True), 1)
    table = pd.DataFrame({"sample": samples["sample"], "class": samples["sample_label"]})
    sums[votes < votes.max(axis=1, keepdims=True)] = -np.inf
    table["predicted"] = [names[c] for c in sums.argmax(axis=1)]
    table["is_right"] = table["predicted"] == table["class"]
    for label, name in enumerate(names):
        table[f"share_{name}"] = shares[:, label]
    return table.reset_index(drop=True)


def confusions(units: Units, samples: pd.DataFrame) -> pd.DataFrame:
    """Rows are classes, columns the classes that were predicted; means over the loops."""
    judged, labels = [units.judged(loop, 0) for loop in units.loops()], range(units.n_classes)
    counts = [
        confusion_matrix(np.concatenate(one.truth), np.concatenate(one.predicted), labels=labels)
        for one in judged
    ]
    names = class_names(samples)
    table = pd.DataFrame(np.mean(counts, axis=0), columns=[f"predicted_{name}" for name in names])
    table.insert(0, "class", names)
    return table


def class_names(samples: pd.DataFrame) -> list[str]:
    """The names of the classes, in the order of their numbers."""
    return (
        samples.drop_duplicates("sample_class").sort_values("sample_class")["sample_label"].tolist()
    )
