"""Tables of the accuracy protocol: rows, curves, the summary of each method, paired differences."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from experiments.evaluation.comparison import (
    accuracy_columns,
    deviation,
    flag_columns,
    most_common,
    pairs,
)
from experiments.evaluation.methods import Parameters, text
from experiments.evaluation.samples import described
from experiments.evaluation.selection import Choice
from experiments.evaluation.statistics import area_under_curve, stability
from experiments.protocols.base import Results

#: Columns of the summary that the terminal does not show.
HIDDEN = (
    *("method", "combination", "n_failed", "n_ambiguous", "ranking_samples", "quoted"),
    *("n_errors", "n_tested", "n_orders"),
)
#: Columns that hold whole numbers also where a row has none.
WHOLE = ("n_splits", "n_failed", "n_errors", "n_tested", "n_orders")
#: The columns of pairs.csv, also where one method has none to be compared with.
PAIRED = [
    *("reading", "ranking_share", "method", "other", "difference"),
    *("ci_low", "ci_high", "p_value", "p_holm", "n_splits"),
]


@dataclass(frozen=True)
class Candidate:
    """One ranking of a method.

    Attributes
    ----------
    parameters : Parameters
    order : ndarray of int
        The best features, best first.
    flags : dict of str to bool
        What the scorer warned of; see :data:`experiments.evaluation.scoring.FLAGS`.
    """

    parameters: Parameters
    order: np.ndarray
    flags: dict[str, bool]


@dataclass(frozen=True)
class SplitChoice:
    """What one split takes of a method.

    Attributes
    ----------
    choice : Choice
    candidates : list of Candidate
        The one that is taken at each number of features.
    """

    choice: Choice
    candidates: list[Candidate]

    @property
    def own(self) -> Candidate:
        """The one at the number of features that this split chooses."""
        return self.candidates[self.choice.size]


@dataclass(frozen=True)
class Splits:
    """What the splits of a run have in common.

    Attributes
    ----------
    sizes : list of int
        Numbers of features.
    log2_C, log2_gamma : list of float
    n_test : list of int
        How many test rows each split has that was asked for.
    test_share : float
        Test rows over training rows.
    n_train, n_features : int
    ranking_samples : dict of float to int
        How many of the first split's training rows each share is.
    """

    sizes: list[int]
    log2_C: list[float]
    log2_gamma: list[float]
    n_test: list[int]
    test_share: float
    n_train: int
    n_features: int
    ranking_samples: dict[float, int]

    def pooled(self, tests: dict[int, float]) -> dict[str, int]:
        """Wrong and all predictions of several splits, from the accuracy of each."""
        tested = np.array([self.n_test[split] for split in tests])
        right = np.rint(tested * np.array(list(tests.values()))).astype(int)
        return {"n_errors": int((tested - right).sum()), "n_tested": int(tested.sum())}


def results(splits: Splits, methods, outcomes, in_order, baseline, classified, data) -> Results:
    """Turn what each split took into tables.

    Parameters
    ----------
    splits : Splits
    methods : list of Method
    outcomes : dict of (method name, share, reading) to dict of split to SplitChoice or None
    in_order : dict of (method name, share, reading) to dict of int to list of SplitChoice or None
        For each random order of the features, one for each split that it was tried on.
    baseline : dict of reading to dict of split to Choice or None
        The SVM on all features, one size; None where that is not among the sizes.
    classified : callable of reading to (summary rows, rows a split)
        Of the classifiers that select features themselves.
    data : Dataset
    """
    labels = {method.name: method for method in methods}
    rows, curves, summary, headlines = [], [], [], {}
    for (name, share, reading), taken in outcomes.items():
        method = labels[name]
        found = {split: one for split, one in taken.items() if one is not None}
        head = {
            "method": name,
            "label": method.label,
            "combination": len(method.parts) > 1,
            "reading": reading,
            "ranking_share": share,
            "ranking_samples": splits.ranking_samples[share],
        }
        counts = {"n_splits": len(found), "n_failed": len(taken) - len(found)}
        if not found:
            summary.append({**head, **counts})
            continue
        validation = np.array([one.choice.validation for one in found.values()])
        test = np.array([one.choice.test for one in found.values()])
        at = _sizes_taken(reading, test, found)
        every = np.arange(len(test))
        of_split = dict(zip(found, test[every, at], strict=True))
        headlines[name, share, reading] = of_split
        chosen = [one.candidates[i] for one, i in zip(found.values(), at, strict=True)]
        rows.extend(_rows(head, splits, found))
        curves.append(_curve(head, splits, validation, test, found))
        summary.append(
            {
                **head,
                **accuracy_columns(test[every, at], splits.test_share),
                "n_features": int(np.median([splits.sizes[i] for i in at])),
                "validation": validation[every, at].mean(),
                "auc": area_under_curve(splits.sizes, test).mean(),
                "stability": stability(_subsets(splits, found, at)),
                "parameters": most_common(text(one.parameters) for one in chosen),
                **counts,
                **flag_columns(one.flags for one in chosen),
                **splits.pooled(of_split),
                **_order_columns(in_order.get((name, share, reading))),
            }
        )
    for reading, choices in baseline.items():
        own = {split: choice for split, choice in choices.items() if choice is not None}
        if own:
            counts = {"n_splits": len(own), "n_failed": len(choices) - len(own)}
            summary.append(_all_features(reading, own, splits) | counts)
            of_split = {split: choice.test[-1] for split, choice in own.items()}
            headlines["all_features", 1.0, reading] = of_split
            summary[-1] |= splits.pooled(of_split)
    for reading in baseline:
        described_rows, split_rows = classified(reading)
        rows += [row | {"n_test": splits.n_test[row["split"]]} for row in split_rows]
        for row in split_rows:
            of_split = headlines.setdefault((row["method"], 1.0, reading), {})
            of_split[row["split"]] = row["test"]
        for row in described_rows:
            of_split = headlines.get((row["method"], 1.0, reading), {})
            summary.append(row | (splits.pooled(of_split) if of_split else {}))
    table = pd.DataFrame(summary)
    table = table.astype({name: "Int64" for name in WHOLE if name in table})
    order = {reading: i for i, reading in enumerate(baseline)}
    hidden = [*HIDDEN, *(["ranking_share"] if table["ranking_share"].nunique() == 1 else [])]
    shown = table.drop(columns=hidden, errors="ignore")
    return Results(
        rows=pd.DataFrame(rows),
        tables={
            "summary": table,
            "curves": pd.concat(curves) if curves else pd.DataFrame(),
            "pairs": pd.DataFrame(pairs(headlines, methods, splits.test_share), columns=PAIRED),
        },
        shown=shown.sort_values("reading", key=lambda c: c.map(order), kind="stable"),
        data=described(data),
    )


def _sizes_taken(reading, test, found):
    """Index of the number of features of each split that a reading reports.

    Under "nested" each split brings its own. Otherwise it is the one with the best mean *test*
    accuracy, which is optimistic.
    """
    if reading == "nested":
        return np.array([one.choice.size for one in found.values()])
    return np.full(len(test), int(np.argmax(test.mean(axis=0))))


def _order_columns(taken):
    """How far the order of the features moves a method's mean accuracy over the same splits.

    Each order reports its own best number of features, as the reading "paper" does.
    """
    if not taken:
        return {}
    complete = [found for found in taken.values() if None not in found]
    means = [np.mean([one.choice.test for one in found], axis=0).max() for found in complete]
    return {"n_orders": len(means), "order_std": deviation(np.array(means))}


def _all_features(reading, choices, splits):
    return {
        "method": "all_features",
        "label": "SVM, all features",
        "combination": False,
        "reading": reading,
        "ranking_share": 1.0,
        "ranking_samples": splits.n_train,
        **accuracy_columns(
            np.array([choice.test[-1] for choice in choices.values()]), splits.test_share
        ),
        "n_features": splits.n_features,
        "validation": np.mean([choice.validation[-1] for choice in choices.values()]),
    }


def _rows(head, splits, found):
    for split, one in found.items():
        for i, size in enumerate(splits.sizes):
            yield {
                **head,
                "split": split,
                "n_test": splits.n_test[split],
                "parameters": text(one.candidates[i].parameters),
                "n_features": size,
                "validation": one.choice.validation[i],
                "test": one.choice.test[i],
                "log2_C": splits.log2_C[one.choice.cells[0][i]],
                "log2_gamma": splits.log2_gamma[one.choice.cells[1][i]],
                "chosen": i == one.choice.size,
                "ambiguous": one.candidates[i].flags["ambiguous"],
            }


def _subsets(splits, found, at):
    """Which features each split selects, at the index of its number of features."""
    chosen = np.zeros((len(found), splits.n_features), dtype=bool)
    for row, one, i in zip(chosen, found.values(), at, strict=True):
        row[one.candidates[i].order[: splits.sizes[i]]] = True
    return chosen


def _curve(head, splits, validation, test, found):
    stabilities = [
        stability(_subsets(splits, found, np.full(len(found), i))) for i in range(len(splits.sizes))
    ]
    return pd.DataFrame(
        {
            **head,
            "n_features": splits.sizes,
            "validation_mean": validation.mean(axis=0),
            "validation_std": validation.std(axis=0),
            "test_mean": test.mean(axis=0),
            "test_std": test.std(axis=0),
            "stability": stabilities,
        }
    )
