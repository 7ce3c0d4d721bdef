"""Tables of the recovery protocol: rows, summary, features, paired differences, pictures."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from baselines import min_max
from experiments.engine.keys import Row
from experiments.evaluation.comparison import (
    deviation,
    flag_columns,
    holm_columns,
    reference_of,
)
from experiments.evaluation.methods import Method, Parameters, text
from experiments.evaluation.statistics import mean_interval
from experiments.protocols.base import Results

ALL_FEATURES = "all_features"
#: Columns of the summary that the terminal does not show.
HIDDEN = (
    *("method", "case_label", "n_ambiguous", "q25", "q75"),
    *("accuracy_std", "accuracy_low", "accuracy_high", "n_judged"),
)


@dataclass
class RankedCandidates:
    """A method's candidates, each with the rankings of all draws.

    Attributes
    ----------
    candidates : list of (Parameters, list of Row)
    n_selected : int, optional
        How many of the best features are selected; as many as are relevant where None.
    """

    candidates: list[tuple[Parameters, list[Row]]]
    n_selected: int | None = None

    @cached_property
    def correct(self) -> np.ndarray:
        """Relevant features among the selected, shape (n_candidates, n_draws)."""
        return np.array(
            [
                [len(np.intersect1d(self.selected(row), row["relevant"])) for row in rows]
                for _, rows in self.candidates
            ]
        )

    @property
    def best(self) -> int:
        """The candidate with the most correct selections, the first where several tie."""
        return int(np.argmax(self.correct.sum(axis=1)))

    @property
    def parameters(self) -> Parameters:
        """The parameters of the best candidate."""
        return self.candidates[self.best][0]

    @property
    def rows(self) -> list[Row]:
        """The rankings of the best candidate, one for each draw."""
        return self.candidates[self.best][1]

    def selected(self, row: Row) -> np.ndarray:
        """The features that a ranking selects, ascending."""
        n_selected = self.n_selected or len(row["relevant"])
        return np.sort(row["order"][:n_selected])


@dataclass
class Part:
    """One part of an experiment and its results.

    Attributes
    ----------
    name : str or None
        The name of the case; None where there are no cases.
    label : str
    judged : dict of str to RankedCandidates
        Method -> its candidates. A method without a candidate that has all draws is missing.
    accuracies : dict of str to dict of int to Row
        Method, or all features -> draw -> its SVM.
    pictures : dict of str to Row
        Method, or all features -> the first draw's test rows in the plane.
    """

    name: str | None
    label: str
    judged: dict[str, RankedCandidates]
    accuracies: dict[str, dict[int, Row]] = field(default_factory=dict)
    pictures: dict[str, Row] = field(default_factory=dict)

    @property
    def head(self) -> dict:
        """The first columns of every table."""
        return {} if self.name is None else {"case": self.name}

    def columns(self, name: str, draw: int) -> list[int]:
        """The features that a tuned method selects in a draw, or all features."""
        if name == ALL_FEATURES:
            any_method = next(iter(self.judged.values()))
            return list(range(len(any_method.rows[draw]["scores"])))
        judged = self.judged[name]
        return judged.selected(judged.rows[draw]).tolist()


def results(methods: list[Method], parts: list[Part], data: dict) -> Results:
    """Turn what was judged into tables.

    Returns
    -------
    Results
        "summary" has a row for each method, and one for all features where SVMs were tested.
        "features" has a row for each method and feature: mean and standard deviation of the
        scores, normalised to [0, 1] in each draw, and with cases also the share of draws that
        select it and its mean place. It is left out where the relevant features change from draw
        to draw. "pairs" has a row for each method other than the reference, "tsne" one for each
        test sample and "panels" one for each picture. Empty tables other than the summary are left
        out. With cases, each table has a column "case".
    """
    summary = pd.DataFrame([row for part in parts for row in _summary(methods, part)])
    frames = {
        "features": [table for part in parts for table in _features(part)],
        "pairs": [pd.DataFrame(_pairs(methods, part)) for part in parts],
        "tsne": [table for part in parts for table in _tsne(part)],
        "panels": [pd.DataFrame(_panels(methods, part)) for part in parts],
    }
    tables = {name: pd.concat(found) for name, found in frames.items() if found}
    return Results(
        rows=pd.DataFrame([row for part in parts for row in _rows(part)]),
        tables={"summary": summary, **{n: t for n, t in tables.items() if not t.empty}},
        shown=_shown(summary),
        data=data,
    )


def _shown(summary):
    """The summary for a terminal: Student's interval of a count does not end below 0."""
    shown = summary.drop(columns=list(HIDDEN), errors="ignore")
    if "ci_low" in shown:
        shown["ci_low"] = shown["ci_low"].clip(lower=0)
    return shown


def _rows(part):
    """One row for each method, candidate and draw; scores of the tuned candidate only."""
    for name, judged in part.judged.items():
        for number, (parameters, found) in enumerate(judged.candidates):
            tuned = number == judged.best
            for draw, row in enumerate(found):
                yield {
                    **part.head,
                    "method": name,
                    "parameters": text(parameters),
                    "tuned": tuned,
                    "draw": draw,
                    "correct": judged.correct[number, draw],
                    "ambiguous": row["ambiguous"],
                    **_tested(part, name, draw, tuned),
                    "scores": row["scores"] if tuned else None,
                }


def _tested(part, name, draw, tuned):
    """Accuracy and cell of an SVM, where SVMs were tested; NaN where this one was not."""
    if not part.accuracies:
        return {}
    columns = ("accuracy", "validation", "log2_C", "log2_gamma")
    row = part.accuracies[name].get(draw, {}) if tuned else {}
    return {column: row.get(column, np.nan) for column in columns}


def _summary(methods, part):
    case = {} if part.name is None else {"case_label": part.label}
    for method in methods:
        head = {**part.head, **case, "method": method.name, "label": method.label}
        judged = part.judged.get(method.name)
        if judged is None:
            yield {**head, "failed": True}
            continue
        correct = judged.correct[judged.best]
        low, high = mean_interval(correct)
        q25, median, q75 = np.percentile(correct, [25, 50, 75])
        yield {
            **head,
            "parameters": text(judged.parameters),
            "correct": correct.mean(),
            "std": deviation(correct),
            "ci_low": low,
            "ci_high": high,
            "median": median,
            "q25": q25,
            "q75": q75,
            "n_draws": len(correct),
            **flag_columns(judged.rows),
            **_accuracy(part, method.name),
            "failed": False,
        }
    if any(part.accuracies.values()):
        yield {
            **part.head,
            **case,
            "method": ALL_FEATURES,
            "label": "All features",
            "n_draws": 0,
            "n_ambiguous": 0,
            **_accuracy(part, ALL_FEATURES),
            "failed": False,
        }


def _accuracy(part, name):
    """Mean test accuracy with its interval, where SVMs were tested."""
    if not part.accuracies:
        return {}
    values = np.array([row["accuracy"] for row in part.accuracies[name].values()])
    low, high = np.clip(mean_interval(values), 0, 1)
    return {
        "accuracy": values.mean() if len(values) else np.nan,
        "accuracy_std": deviation(values),
        "accuracy_low": low,
        "accuracy_high": high,
        "n_judged": len(values),
    }


def _features(part):
    for name, judged in part.judged.items():
        rows = judged.rows
        if any(not np.array_equal(row["relevant"], rows[0]["relevant"]) for row in rows):
            continue  # a feature's number then means another feature in each draw
        scaled = np.array([min_max(row["scores"]) for row in rows])
        table = {
            **part.head,
            "method": name,
            "feature": np.arange(1, scaled.shape[1] + 1),
            "mean": scaled.mean(axis=0),
            "std": scaled.std(axis=0),
        }
        if part.name is not None:
            places = np.array([np.argsort(row["order"]) for row in rows])
            n_selected = len(judged.selected(rows[0]))
            table["selected"] = (places < n_selected).mean(axis=0)
            table["place"] = places.mean(axis=0) + 1
        yield pd.DataFrame(table)


def _pairs(methods, part):
    """Differences in correct selections of the reference to each other method, draw by draw."""
    reference, judged = reference_of(methods), part.judged
    if reference not in judged:
        return
    best = {name: found.correct[found.best] for name, found in judged.items()}
    others = [m.name for m in methods if m.name != reference and m.name in judged]
    columns = holm_columns([best[reference] - best[other] for other in others], 0)
    for other, found in zip(others, columns, strict=True):
        axes = {**part.head, "method": reference, "other": other}
        yield {**axes, **found, "n_draws": len(best[reference])}


def _tsne(part):
    for name, row in part.pictures.items():
        points = {"x": row["x"], "y": row["y"], "class": row["class"]}
        yield pd.DataFrame({**part.head, "panel": name, **points})


def _panels(methods, part):
    """What stands above each picture: the accuracy in its draw and the mean over judged draws."""
    labels = {method.name: method.label for method in methods}
    for name in part.pictures:
        judged = part.judged.get(name)
        relevant = len(next(iter(part.judged.values())).rows[0]["relevant"])
        of_draws = part.accuracies.get(name, {})
        yield {
            **part.head,
            "panel": name,
            "label": labels.get(name, "All features"),
            "correct": judged.correct[judged.best, 0] if judged else np.nan,
            "n_relevant": relevant,
            "n_selected": len(part.columns(name, 0)),
            "accuracy": of_draws[0]["accuracy"] if 0 in of_draws else np.nan,
            "mean_accuracy": _accuracy(part, name).get("accuracy", np.nan),
        }
