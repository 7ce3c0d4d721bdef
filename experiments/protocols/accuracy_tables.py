"""Tables of the accuracy protocols: rows, curves and the summary of each method."""

from collections import Counter

import numpy as np
import pandas as pd

from experiments.methods import text
from experiments.protocols.common import Results
from experiments.statistics import resampled_interval

#: Both readings of the same units; see :mod:`experiments.protocols.accuracy`.
PROTOCOLS = ("paper", "nested")

#: Columns of the summary that the terminal does not show.
HIDDEN = ("method", "combination", "n_failed", "n_ambiguous")


def results(methods, units, splits, outcomes, test_share, data) -> Results:
    """Turn what each split took into tables.

    Parameters
    ----------
    methods : list of Method
    units : Units
        Of the run: the sizes and the SVM's grid.
    splits : range
    outcomes : dict of (method name, split, protocol) to what ``tuned`` returns
    test_share : float
        Test rows over training rows.
    data : Dataset
    """
    rows, curves, summary = [], [], []
    for method in methods:
        for protocol in PROTOCOLS:
            found = {s: o for s in splits if (o := outcomes[method.name, s, protocol]) is not None}
            head = {
                "method": method.name,
                "label": method.label,
                "combination": len(method.parts) > 1,
                "protocol": protocol,
            }
            if not found:
                summary.append({**head, "n_splits": 0, "n_failed": len(splits)})
                continue
            for split, (parameters, choice, ambiguous) in found.items():
                rows.extend(_rows(head, units, split, parameters, choice, ambiguous))
            validation = np.array([choice.validation for _, choice, _ in found.values()])
            test = np.array([choice.test for _, choice, _ in found.values()])
            curves.append(_curve(head, units.sizes, validation, test))
            summary.append(
                {
                    **head,
                    **_headline(protocol, units.sizes, found, validation, test, test_share),
                    "parameters": _most_common(text(p) for p, _, _ in found.values()),
                    "n_splits": len(found),
                    "n_failed": len(splits) - len(found),
                    "n_ambiguous": sum(ambiguous for _, _, ambiguous in found.values()),
                }
            )
    table = pd.DataFrame(summary)
    shown = [c for c in table.columns if c not in HIDDEN]
    return Results(
        rows=pd.DataFrame(rows),
        tables={"summary": table, "curves": pd.concat(curves) if curves else pd.DataFrame()},
        shown=table[shown].sort_values(["protocol"], kind="stable", ascending=False),
        data={
            "name": data.name,
            "shape": list(data.X.shape),
            "fingerprint": data.fingerprint,
            "verified": data.verified,
            "synthetic": data.synthetic,
            "source": data.source,
        },
    )


def _rows(head, units, split, parameters, choice, ambiguous):
    for i, size in enumerate(units.sizes):
        yield {
            **head,
            "split": split,
            "parameters": text(parameters),
            "n_features": size,
            "validation": choice.validation[i],
            "test": choice.test[i],
            "log2_C": units.axes["log2_C"][choice.cells[0][i]],
            "log2_gamma": units.axes["log2_gamma"][choice.cells[1][i]],
            "chosen": i == choice.size,
            "ambiguous": ambiguous,
        }


def _curve(head, sizes, validation, test):
    return pd.DataFrame(
        {
            **head,
            "n_features": sizes,
            "validation_mean": validation.mean(axis=0),
            "validation_std": validation.std(axis=0),
            "test_mean": test.mean(axis=0),
            "test_std": test.std(axis=0),
        }
    )


def _headline(protocol, sizes, found, validation, test, test_share):
    """The accuracy that a protocol reports.

    Under "paper" the number of features is the one with the best mean *test* accuracy, which is
    optimistic; under "nested" each split brings its own, and their median is shown.
    """
    splits = np.arange(len(test))
    if protocol == "paper":
        at = np.full(len(test), int(np.argmax(test.mean(axis=0))))
    else:
        at = np.array([choice.size for _, choice, _ in found.values()])
    values = test[splits, at]
    low, high = np.clip(resampled_interval(values, test_share), 0, 1)
    return {
        "accuracy": values.mean(),
        "std": values.std(ddof=1) if len(values) > 1 else np.nan,
        "ci_low": low,
        "ci_high": high,
        "n_features": int(np.median([sizes[i] for i in at])),
        "validation": validation[splits, at].mean(),
    }


def _most_common(values):
    return Counter(values).most_common(1)[0][0]
